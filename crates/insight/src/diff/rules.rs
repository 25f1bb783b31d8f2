//! Changes that break those who use a symbol, each by a rule with a name.

use super::ChangedSymbol;
use model::breaking::{ContractBreach, Rule};
use model::change::{Aspect, Derivation, FileMove, SymbolChangeKind, SymbolVersion};
use model::code::is_test_path;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeSet;

/// A change that breaks users of a symbol.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Breaking {
    pub rule: Rule,
    pub symbol: String,
    /// Where it was.
    #[serde(skip)]
    old_path: String,
    #[serde(skip)]
    old_line: u32,
    /// Where it is, or was when it is gone.
    pub path: String,
    pub line: u32,
    pub message: String,
    /// As indexed; none where that is not known.
    pub users: Option<u64>,
}

impl Breaking {
    /// Whether a change is what breaks.
    pub fn is_of(&self, changed: &ChangedSymbol) -> bool {
        let change = &changed.change;
        let is_new = change.old.is_none() || change.change == SymbolChangeKind::Copied;
        let version = if is_new { change.new.as_ref() } else { change.old.as_ref() };
        version.is_some_and(|it| {
            it.symbol == self.symbol && it.path == self.old_path && it.line == self.old_line
        })
    }

    /// Whether it says that a file lies elsewhere.
    pub fn is_of_file(&self, file: &FileMove) -> bool {
        self.rule == Rule::MovedPublicSymbol && (&self.symbol, &self.path) == (&file.from, &file.to)
    }

    fn of_contract(breach: &ContractBreach, changes: &[ChangedSymbol]) -> Breaking {
        let mut found = Breaking {
            rule: breach.rule,
            symbol: breach.symbol.clone(),
            old_path: breach.old_path.clone(),
            old_line: breach.old_line,
            path: breach.path.clone(),
            line: breach.line,
            message: breach.message.clone(),
            users: None,
        };
        found.users = changes.iter().find(|it| found.is_of(it)).and_then(|it| it.users);
        found
    }
}

/// What a comparison found.
pub struct Compared<'a> {
    pub changes: &'a [ChangedSymbol],
    pub file_moves: &'a [FileMove],
    pub breaches: &'a [ContractBreach],
    /// Files that were compared as contracts: nothing else is said of what is in them.
    pub contracts: &'a [String],
}

pub fn breaking(compared: &Compared<'_>) -> Vec<Breaking> {
    let is_judged = |it: &&ChangedSymbol| {
        it.change.old.as_ref().is_some_and(|old| compared.contracts.contains(&old.path))
    };
    let others = compared.changes.iter().filter(|it| !is_judged(it));
    let mut all: Vec<Breaking> = others.filter_map(rule_of).collect();
    drop_told_by_container(&mut all);
    all.extend(compared.breaches.iter().map(|it| Breaking::of_contract(it, compared.changes)));
    let moved = compared.file_moves.iter().filter(|it| !compared.contracts.contains(&it.from));
    all.extend(moved.filter_map(moved_file));
    all.sort_by(|a, b| {
        (a.rule, b.users.unwrap_or(0), &a.path, a.line).cmp(&(
            b.rule,
            a.users.unwrap_or(0),
            &b.path,
            b.line,
        ))
    });
    all
}

/// Who uses a member uses its type: what the type is told for is not told again of
/// its members.
fn drop_told_by_container(all: &mut Vec<Breaking>) {
    let told: BTreeSet<(Rule, String, String)> =
        all.iter().map(|it| (it.rule, it.old_path.clone(), it.symbol.clone())).collect();
    all.retain(|it| {
        let mut name = it.symbol.as_str();
        while let Some((outer, _)) = name.rsplit_once('.') {
            let is_told =
                |rule: Rule| told.contains(&(rule, it.old_path.clone(), outer.to_owned()));
            let is_of_gone =
                it.rule == Rule::MovedPublicSymbol && is_told(Rule::RemovedPublicSymbol);
            if is_of_gone || (it.rule == Rule::ReducedVisibility && is_told(it.rule)) {
                return false;
            }
            name = outer;
        }
        true
    });
}

/// Who imports a file by its path must change; in Go a folder is imported.
fn moved_file(file: &FileMove) -> Option<Breaking> {
    let folder = |path: &str| path.rsplit_once('/').map_or(String::new(), |(it, _)| it.to_owned());
    let is_go = file.to.rsplit_once('.').is_some_and(|(_, ending)| ending == "go");
    let is_same_package = is_go && folder(&file.from) == folder(&file.to);
    if file.public_symbols == 0 || is_test_path(&file.from) || is_same_package {
        return None;
    }
    Some(Breaking {
        rule: Rule::MovedPublicSymbol,
        symbol: file.from.clone(),
        old_path: file.from.clone(),
        old_line: 1,
        path: file.to.clone(),
        line: 1,
        message: match file.public_symbols {
            1 => format!("1 public symbol of {} is now in {}", file.from, file.to),
            n => format!("{n} public symbols of {} are now in {}", file.from, file.to),
        },
        users: None,
    })
}

fn rule_of(changed: &ChangedSymbol) -> Option<Breaking> {
    let change = &changed.change;
    let old = change.old.as_ref()?;
    if change.is_test || change.change == SymbolChangeKind::Copied {
        return None;
    }
    let contract = match old.kind.as_str() {
        "route_handler" => Some(Rule::RemovedRoute),
        "rpc" | "message" | "service" | "table" | "column" => Some(Rule::RemovedContract),
        _ => None,
    };
    let is_gone = change.change == SymbolChangeKind::Removed
        || change.change == SymbolChangeKind::PerhapsBecame;
    let became = change.new.as_ref();
    // Languages call these by themselves: nobody names them.
    let name = old.symbol.rsplit('.').next().unwrap_or(&old.symbol);
    let is_implicit = old.symbol.contains('.') && name.starts_with("__") && name.ends_with("__");
    if is_implicit && became.is_some() && !is_gone && change.demands.is_empty() {
        return None;
    }
    // What the language makes by itself is still there.
    let is_defaulted = old.signature.as_ref().is_some_and(|it| it.contains("= default"));
    if is_defaulted && is_gone {
        return None;
    }
    let is_still_there = change.derivation.as_ref().is_some_and(Derivation::is_still_there);
    let (rule, message) = match (contract, became) {
        (Some(rule), None) => (rule, format!("{} {} is gone", old.kind, old.symbol)),
        (Some(rule), Some(new)) if change.change != SymbolChangeKind::Changed => {
            (rule, format!("{} {} became {}", old.kind, old.symbol, new.symbol))
        }
        _ if !old.is_public || (is_still_there && (is_gone || change.demands.is_empty())) => {
            return None;
        }
        (_, None) => (Rule::RemovedPublicSymbol, format!("{} {} is gone", old.kind, old.symbol)),
        (_, Some(new)) if is_gone => (
            Rule::RemovedPublicSymbol,
            format!("{} {} is gone; perhaps it became {}", old.kind, old.symbol, new.symbol),
        ),
        // Whoever called it finds nothing under the old name: that is told before what the
        // new one wants.
        (_, Some(new)) if change.change == SymbolChangeKind::Renamed => {
            (Rule::RenamedPublicSymbol, now_elsewhere(old, new, &change.demands))
        }
        (_, Some(new)) if change.change == SymbolChangeKind::Moved => {
            (Rule::MovedPublicSymbol, now_elsewhere(old, new, &change.demands))
        }
        (_, Some(new)) if !change.demands.is_empty() => {
            (Rule::ChangedParameters, format!("{}: {}", new.symbol, change.demands.join(", ")))
        }
        (_, Some(new)) if !new.is_public && change.aspects.contains(&Aspect::Visibility) => {
            (Rule::ReducedVisibility, format!("{} is no longer public", new.symbol))
        }
        _ => return None,
    };
    let shown = became.filter(|_| !is_gone).unwrap_or(old);
    Some(Breaking {
        rule,
        symbol: old.symbol.clone(),
        old_path: old.path.clone(),
        old_line: old.line,
        path: shown.path.clone(),
        line: shown.line,
        message,
        users: changed.users,
    })
}

fn now_elsewhere(old: &SymbolVersion, new: &SymbolVersion, demands: &[String]) -> String {
    let mut said = format!("{} is now {}", old.symbol, place_of(old, new));
    if !demands.is_empty() {
        said = format!("{said}: {}", demands.join(", "));
    }
    said
}

fn place_of(old: &SymbolVersion, new: &SymbolVersion) -> String {
    if old.path == new.path {
        new.symbol.clone()
    } else {
        format!("{} in {}", new.symbol, new.path)
    }
}
