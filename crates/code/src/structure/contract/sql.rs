//! SQL: what queries and those who insert rely on. A schema is compared as it is before and
//! after; of a migration, each step that takes something away counts.

use super::sql_state::{Column, State, Table};
use super::sql_words::{is_wider, last};
use super::{Breaches, Source, successor};
use model::breaking::Rule;
use std::collections::{BTreeMap, BTreeSet};

pub(super) fn compare(old: &[Source<'_>], new: &[Source<'_>], found: &mut Breaches) {
    let (old, new) = (State::of(old), State::of(new));
    // A step that was there before is not new.
    let known: BTreeSet<(Rule, &str)> =
        old.steps.iter().map(|it| (it.rule, it.symbol.as_str())).collect();
    for step in new.steps.iter().filter(|it| !known.contains(&(it.rule, it.symbol.as_str()))) {
        found.add_at(step.rule, &step.symbol, &step.place, step.message.clone());
    }
    let fresh: BTreeMap<&String, BTreeSet<String>> = new
        .tables
        .iter()
        .filter(|(name, it)| !old.tables.contains_key(*name) && !it.columns.is_empty())
        .map(|(name, it)| (name, it.parts()))
        .collect();
    for (name, was) in &old.tables {
        let own = last(name);
        if let Some(now) = new.tables.get(name) {
            columns(own, was, now, found);
            continue;
        }
        let parts = fresh.iter().map(|(name, parts)| (*name, parts));
        if let Some(to) = successor(&was.parts(), parts) {
            let now = &new.tables[to];
            let told = format!("table {own} is now {}", last(to));
            found.add(Rule::RenamedContract, own, [&was.place, &now.place], told);
            columns(own, was, now, found);
        } else {
            let kind = if was.is_view { "view" } else { "table" };
            let told = format!("{kind} {own} is gone");
            found.add_at(Rule::RemovedContract, own, &was.place, told);
        }
    }
    for (name, (values, place)) in &old.enums {
        let Some((now, at)) = new.enums.get(name) else { continue };
        for value in values.iter().filter(|it| !now.contains(it)) {
            let symbol = format!("{}.{value}", last(name));
            let told = format!("type {} no longer has {value}", last(name));
            found.add(Rule::RemovedValue, &symbol, [place, at], told);
        }
    }
}

fn columns(table: &str, old: &Table, new: &Table, found: &mut Breaches) {
    if !old.is_whole || !new.is_whole {
        return;
    }
    for (at, was) in old.columns.iter().enumerate() {
        let symbol = format!("{table}.{}", was.name);
        let Some(now) = new.column(&was.name) else {
            // The same column under another name, where it was.
            let is_it = |now: &&Column| now.ty == was.ty && old.column(&now.name).is_none();
            if let Some(now) = new.columns.get(at).filter(is_it) {
                let told = format!("column {symbol} is now {}", now.name);
                found.add(Rule::RenamedContract, &symbol, [&was.place, &now.place], told);
            } else {
                let told = format!("column {symbol} is gone");
                found.add_at(Rule::RemovedContract, &symbol, &was.place, told);
            }
            continue;
        };
        let places = [&was.place, &now.place];
        if !is_wider(&was.ty, &now.ty) {
            let told = format!("column {symbol} was {}, is {}", was.ty, now.ty);
            found.add(Rule::ChangedType, &symbol, places, told);
        }
        let is_left_out = |it: &Column| !it.is_required || it.has_default;
        if is_left_out(was) && !is_left_out(now) {
            let told = if was.is_required {
                format!("column {symbol} lost its default")
            } else {
                format!("column {symbol} is now not null")
            };
            found.add(Rule::RequiredInput, &symbol, places, told);
        }
    }
    for (at, now) in new.columns.iter().enumerate() {
        let is_renamed = old
            .columns
            .get(at)
            .is_some_and(|was| new.column(&was.name).is_none() && was.ty == now.ty);
        if old.column(&now.name).is_none() && !is_renamed && now.is_required && !now.has_default {
            let symbol = format!("{table}.{}", now.name);
            let told = format!("column {symbol} is added, not null and without default");
            found.add_at(Rule::RequiredInput, &symbol, &now.place, told);
        }
    }
}
