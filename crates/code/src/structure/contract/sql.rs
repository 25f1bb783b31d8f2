//! SQL: what queries and those who insert rely on. A schema is compared as it is before and
//! after; of a migration, each step that takes something away counts.

use super::sql_state::{Column, Homes, State, Step, Table, TableKey};
use super::sql_words::{is_wider, last};
use super::{Breaches, Scope, Source, successor};
use model::breaking::Rule;
use std::collections::{BTreeMap, BTreeSet};

pub(super) fn compare(
    old: &[Source<'_>],
    new: &[Source<'_>],
    moved: &impl Fn(&str) -> Option<String>,
    found: &mut Breaches,
) {
    let homes = Homes::of(old, new, moved);
    let (old, new) = (State::of(old, &homes.old), State::of(new, &homes.new));
    // A step that was there before is not new.
    let known: BTreeSet<(Rule, &TableKey, &str)> =
        old.steps.iter().map(|it| (it.rule, &it.table, it.symbol.as_str())).collect();
    let is_fresh = |it: &&Step| !known.contains(&(it.rule, &it.table, it.symbol.as_str()));
    for step in new.steps.iter().filter(is_fresh) {
        found.scope = scope(&step.table);
        found.add_at(step.rule, &step.symbol, &step.place, step.message.clone());
    }
    let fresh: BTreeMap<&TableKey, BTreeSet<String>> = new
        .tables
        .iter()
        .filter(|(key, it)| !old.tables.contains_key(*key) && !it.columns.is_empty())
        .map(|(key, it)| (key, it.parts()))
        .collect();
    for (key, was) in &old.tables {
        let own = last(&key.name);
        found.scope = scope(key);
        if let Some(now) = new.tables.get(key) {
            columns(own, was, now, found);
            continue;
        }
        if let Some(now) = elsewhere(key, was, &old, &new) {
            columns(own, was, now, found);
            continue;
        }
        let parts = fresh.iter().map(|(key, parts)| (*key, parts));
        if let Some(to) = successor(&was.parts(), parts) {
            let now = &new.tables[to];
            let told = format!("table {own} is now {}", last(&to.name));
            found.add(Rule::RenamedContract, own, [&was.place, &now.place], told);
            columns(own, was, now, found);
        } else {
            let kind = if was.is_view { "view" } else { "table" };
            let told = format!("{kind} {own} is gone");
            found.add_at(Rule::RemovedContract, own, &was.place, told);
        }
    }
    for (key, (values, place)) in &old.enums {
        let Some((now, at)) = new.enums.get(key) else { continue };
        let own = last(&key.name);
        found.scope = scope(key);
        for value in values.iter().filter(|it| !now.contains(it)) {
            let symbol = format!("{own}.{value}");
            let told = format!("type {own} no longer has {value}");
            found.add(Rule::RemovedValue, &symbol, [place, at], told);
        }
    }
}

fn scope(key: &TableKey) -> Scope {
    let schema = key.name.rsplit_once('.').map_or("", |(schema, _)| schema);
    Scope { format: "sql", home: key.home.clone(), schema: schema.to_owned() }
}

/// A table of a name that several files have, where its own file no longer makes it: the
/// one that came in another file, or one that has all it had.
fn elsewhere<'n>(key: &TableKey, was: &Table, old: &State, new: &'n State) -> Option<&'n Table> {
    if key.home.is_empty() {
        return None;
    }
    let first = TableKey { name: key.name.clone(), home: String::new() };
    let namesakes = || new.tables.range(&first..).take_while(|(it, _)| it.name == key.name);
    let fresh = namesakes().find(|(it, _)| !old.tables.contains_key(*it));
    let parts = was.parts();
    let same = || namesakes().find(|(_, it)| parts.is_subset(&it.parts()));
    fresh.or_else(same).map(|(_, it)| it)
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
