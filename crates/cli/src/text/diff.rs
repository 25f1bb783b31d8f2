//! How a comparison of two versions reads: on a screen, as a comment on a
//! merge request, and as SARIF for tools of code review.

use super::counted;
use crate::ui::{Label, Painter};
use insight::diff::{
    Border, Breaking, ChangedSymbol, EdgeChange, EdgeChangeKind, Impact, SemanticDiff,
};
use model::change::{
    Aspect, DerivationKind, FileMove, MatchEvidence, SymbolChange, SymbolChangeKind, SymbolVersion,
};
use model::text::{clean, one_line};
use model::{Error, Result};
use serde_json::json;
use std::collections::BTreeSet;

/// The form of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DiffForm {
    #[default]
    Text,
    Markdown,
    Sarif,
}

/// Things of a kind that one screen shows, and changes.
pub(super) const SHOWN: usize = 8;
const SHOWN_CHANGES: usize = 25;

impl DiffForm {
    pub fn of(markdown: bool, sarif: bool) -> Self {
        match (markdown, sarif) {
            (true, _) => DiffForm::Markdown,
            (_, true) => DiffForm::Sarif,
            _ => DiffForm::Text,
        }
    }

    /// No limit is as much as fits one screen.
    pub fn text(self, diff: &SemanticDiff, limit: Option<usize>, out: &mut Painter) {
        let n_changes = limit.unwrap_or(SHOWN_CHANGES);
        match self {
            DiffForm::Text => {
                screen(diff, limit, out);
                super::runtime::weight(diff.runtime.as_ref(), "", out);
            }
            DiffForm::Markdown => {
                out.verbatim(&super::diff_markdown::markdown(diff, n_changes));
            }
            DiffForm::Sarif => {
                out.verbatim(&sarif(diff));
            }
        }
    }
}

/// A condition of `--fail-on`: more than so many.
pub struct Threshold {
    name: &'static str,
    most: u64,
}

const CONDITIONS: [&str; 8] = [
    "breaking",
    "removed",
    "decisions",
    "reached",
    "impact-increase",
    "new-cross-repo-edges",
    "new-cross-owner-edges",
    "new-cross-package-edges",
];

pub fn parse_thresholds(typed: &[String]) -> Result<Vec<Threshold>> {
    typed
        .iter()
        .map(|word| {
            let (name, most) = word.split_once('=').unwrap_or((word, "0"));
            let known = CONDITIONS.into_iter().find(|known| *known == name.trim());
            match (known, most.trim().parse()) {
                (Some(name), Ok(most)) => Ok(Threshold { name, most }),
                _ => Err(Error::usage(format!(
                    "--fail-on has no condition `{}`",
                    one_line(word, 60)
                ))
                .suggest(format!("use: {}", CONDITIONS.join(", ")))),
            }
        })
        .collect()
}

/// The conditions that hold, a line each.
pub fn failures(diff: &SemanticDiff, thresholds: &[Threshold]) -> Vec<String> {
    let over = |threshold: &Threshold| {
        if !is_known(diff, threshold.name) {
            return Some(format!(
                "`{}` cannot be judged: base and head are not indexed; run: lore index",
                threshold.name
            ));
        }
        let found = match threshold.name {
            "breaking" => diff.breaking.len() as u64,
            "removed" => diff.counts.removed,
            "decisions" => (diff.decisions.len() + diff.deciding_notes.len()) as u64,
            "impact-increase" => diff.impact.as_ref().map_or(0, |impact| {
                impact.reached_after.unwrap_or(impact.reached).saturating_sub(impact.reached)
            }),
            "new-cross-repo-edges" => crossing(diff, Border::Repository),
            "new-cross-owner-edges" => crossing(diff, Border::Owner),
            "new-cross-package-edges" => crossing(diff, Border::Package),
            _ => diff.impact.as_ref().map_or(0, |impact| impact.reached),
        };
        let what = match threshold.name {
            "breaking" => "breaking changes",
            "removed" => "removed symbols",
            "decisions" => "decisions at risk",
            "impact-increase" => "more symbols reached than before",
            "new-cross-repo-edges" => "new edges into other repositories",
            "new-cross-owner-edges" => "new edges into code of other owners",
            "new-cross-package-edges" => "new edges into other packages",
            _ => "symbols reached",
        };
        (found > threshold.most).then(|| format!("{found} {what}, more than {}", threshold.most))
    };
    thresholds.iter().filter_map(over).collect()
}

/// Whether the graph that a condition asks for was there: a gate that was not looked at
/// is not passed.
fn is_known(diff: &SemanticDiff, condition: &str) -> bool {
    let impact = diff.impact.as_ref();
    match condition {
        "breaking" | "removed" | "decisions" => true,
        "reached" => impact.is_some(),
        _ => impact.is_some_and(|impact| impact.reached_after.is_some()),
    }
}

/// New edges over a border.
fn crossing(diff: &SemanticDiff, border: Border) -> u64 {
    let is_new = |edge: &&EdgeChange| edge.change != EdgeChangeKind::Removed;
    diff.edges.iter().filter(is_new).filter(|edge| edge.crosses.contains(&border)).count() as u64
}

pub(super) fn place(symbol: &SymbolVersion) -> String {
    format!("{}:{}", symbol.path, symbol.line)
}

/// `removed 2, renamed 1, changed 12, added 3; tests 4`
pub(super) fn summary(diff: &SemanticDiff) -> String {
    let counts = &diff.counts;
    let named = [
        (counts.removed, "removed"),
        (counts.perhaps_became, "perhaps renamed"),
        (counts.renamed, "renamed"),
        (counts.moved, "moved"),
        (counts.changed, "changed"),
        (counts.copied, "copied"),
        (counts.added, "added"),
        (counts.tests, "in tests"),
    ];
    let parts: Vec<String> =
        named.iter().filter(|(n, _)| *n > 0).map(|(n, word)| format!("{n} {word}")).collect();
    let files = counted(counts.files, "file", "files");
    if parts.is_empty() {
        return format!("{files}, no symbol changed");
    }
    format!("{files}; symbols: {}", parts.join(", "))
}

/// What happened, in a few words: `renamed from Cart.add`; what it demands of others
/// only where that is not told elsewhere.
pub(super) fn happening(changed: &ChangedSymbol, is_told: bool) -> String {
    let change = &changed.change;
    let mut words = match (change.change, &change.old, &change.new) {
        (SymbolChangeKind::Renamed, Some(old), Some(new)) if old.path != new.path => {
            format!("renamed from {} in {}", old.symbol, old.path)
        }
        (SymbolChangeKind::Renamed, Some(old), _) => format!("renamed from {}", old.symbol),
        (SymbolChangeKind::Moved, Some(old), Some(new)) if old.path != new.path => {
            format!("moved from {}", old.path)
        }
        (SymbolChangeKind::Moved, Some(old), _) => format!("moved from {}", old.symbol),
        (SymbolChangeKind::Copied, Some(old), Some(new)) if old.path == new.path => {
            format!("copied from {}", old.symbol)
        }
        (SymbolChangeKind::Copied, Some(old), _) => {
            format!("copied from {} {}", old.symbol, place(old))
        }
        (SymbolChangeKind::PerhapsBecame, _, Some(new)) => {
            format!("perhaps became {} {}", new.symbol, place(new))
        }
        (SymbolChangeKind::Changed, ..) => {
            change.aspects.iter().copied().map(Aspect::as_str).collect::<Vec<_>>().join(", ")
        }
        (kind, ..) => kind.as_str().to_owned(),
    };
    words.push_str(&evidence(change));
    let is_elsewhere = matches!(change.change, SymbolChangeKind::Renamed | SymbolChangeKind::Moved);
    if is_elsewhere {
        words.push_str(&taken_along(changed));
    }
    if let Some(derivation) = &change.derivation {
        let how = match derivation.kind {
            DerivationKind::Extracted => "extracted from",
            DerivationKind::Split => "split from",
            DerivationKind::Inlined => "inlined into",
            DerivationKind::Merged => "merged into",
            DerivationKind::Inherited => "inherited from",
            DerivationKind::Imported => "imported there from",
        };
        let symbols = derivation.symbols.iter().take(3).cloned().collect::<Vec<_>>().join(", ");
        words.push_str(&format!(", {how} {symbols}"));
    }
    if change.members > 0 && !is_elsewhere {
        words.push_str(&format!(", with {}", counted(change.members.into(), "member", "members")));
    }
    if !change.demands.is_empty() && !is_told {
        words.push_str(&format!(" ({})", change.demands.join(", ")));
    }
    words
}

/// Why it is held to be the same symbol: ` (same text)`, ` (87 % alike)`.
fn evidence(change: &SymbolChange) -> String {
    let is_copy = change.change == SymbolChangeKind::Copied;
    // A copy has the same text, or it would be none.
    let Some(evidence) = change.evidence.filter(|_| !is_copy) else { return String::new() };
    let share = change.similarity.map_or(0, |share| (share * 100.0).floor() as u32);
    let why = match evidence {
        MatchEvidence::SameText if change.aspects.is_empty() => "same text".to_owned(),
        MatchEvidence::SameText | MatchEvidence::Similar => format!("{share} % alike"),
        MatchEvidence::SameUsers => "used where it was".to_owned(),
        MatchEvidence::SameNameInContainer => "same name in what it belongs to".to_owned(),
        MatchEvidence::SameNameInHierarchy => {
            format!("same name in the hierarchy, {share} % alike")
        }
    };
    format!(" ({why})")
}

/// Of what is called otherwise or lies elsewhere: what else of it differs, and what went with it.
fn taken_along(changed: &ChangedSymbol) -> String {
    let change = &changed.change;
    let mut words = String::new();
    if !change.aspects.is_empty() {
        let aspects: Vec<&str> = change.aspects.iter().copied().map(Aspect::as_str).collect();
        words.push_str(&format!(", {} changed", aspects.join(" and ")));
    }
    if change.members > 0 {
        words.push_str(&format!(", with {}", counted(change.members.into(), "member", "members")));
    }
    words
}

/// The symbol a line is about: what it is, or was when it is gone.
pub(super) fn subject(changed: &ChangedSymbol) -> Option<&SymbolVersion> {
    match changed.change.change {
        SymbolChangeKind::PerhapsBecame => changed.change.old.as_ref(),
        _ => changed.change.shown(),
    }
}

fn sign(kind: SymbolChangeKind) -> (&'static str, Label) {
    match kind {
        SymbolChangeKind::Removed => ("-", Label::Bad),
        SymbolChangeKind::PerhapsBecame => ("?", Label::Bad),
        SymbolChangeKind::Renamed | SymbolChangeKind::Moved => (">", Label::Path),
        SymbolChangeKind::Changed => ("~", Label::Faint),
        SymbolChangeKind::Copied | SymbolChangeKind::Added => ("+", Label::Good),
    }
}

fn screen(diff: &SemanticDiff, limit: Option<usize>, out: &mut Painter) {
    let short = |sha: &str| sha.chars().take(10).collect::<String>();
    let (base, head) = (&diff.base, &diff.head);
    let head_commit =
        if head.is_work_tree { String::new() } else { format!(" ({})", short(&head.commit)) };
    out.label(
        Label::Heading,
        &format!("{} ({}) → {}{head_commit}", base.name, short(&base.commit), head.name),
    );
    out.end();
    out.line(&summary(diff));
    let n_shown = limit.unwrap_or(SHOWN);
    let told = BreakingLines::of(diff, n_shown);
    breaking(&diff.breaking, &told, n_shown, out);
    decisions(diff, out);
    moves(diff, &told, n_shown, out);
    changes(diff, &told, limit.unwrap_or(SHOWN_CHANGES), out);
    graph(diff, n_shown, out);
    unread(diff, out);
    for missing in &diff.missing {
        out.label(Label::Faint, &format!("{}; run: {}", missing.what, missing.fix)).end();
    }
}

/// What the lines about breaking changes tell: the list of changes does not repeat it.
pub(super) struct BreakingLines<'a> {
    shown: &'a [Breaking],
    by: Vec<(&'a Breaking, &'a ChangedSymbol)>,
}

impl<'a> BreakingLines<'a> {
    pub(super) fn of(diff: &'a SemanticDiff, n_shown: usize) -> Self {
        let shown = &diff.breaking[..diff.breaking.len().min(n_shown)];
        let change_of = |it: &'a Breaking| {
            let found = diff.changes.iter().find(|changed| it.is_of(changed));
            found.map(|changed| (it, changed))
        };
        BreakingLines { shown, by: shown.iter().filter_map(change_of).collect() }
    }

    pub(super) fn has(&self, changed: &ChangedSymbol) -> bool {
        self.by.iter().any(|(_, known)| std::ptr::eq(*known, changed))
    }

    fn has_move(&self, file: &FileMove) -> bool {
        self.shown.iter().any(|it| it.is_of_file(file))
    }

    /// Whether a line of its own would say nothing more.
    fn is_all(&self, changed: &ChangedSymbol) -> bool {
        let change = &changed.change;
        let is_plain = change.derivation.is_none()
            && change.demands.is_empty()
            && changed.new_users.is_empty()
            && changed.lost_users.is_empty()
            && changed.perhaps_still_users == 0;
        let can_be = match change.change {
            SymbolChangeKind::Removed | SymbolChangeKind::PerhapsBecame => true,
            SymbolChangeKind::Renamed | SymbolChangeKind::Moved => is_plain,
            SymbolChangeKind::Changed => {
                let mut breaches =
                    self.by.iter().filter(|(_, known)| std::ptr::eq(*known, changed));
                is_plain && breaches.any(|(it, _)| it.rule.is_of_contract())
            }
            SymbolChangeKind::Copied | SymbolChangeKind::Added => false,
        };
        can_be && self.has(changed)
    }

    /// `class Cart is gone, merged into Basket, with 4 members, 2 users`.
    pub(super) fn line(&self, it: &Breaking) -> String {
        let mut line = it.message.clone();
        let changed = self.by.iter().find(|(known, _)| *known == it).map(|(_, changed)| *changed);
        match changed.map(|changed| (changed, &changed.change)) {
            Some((_, change)) if change.change == SymbolChangeKind::PerhapsBecame => {
                let guess = change.new.as_ref().filter(|new| line.ends_with(&new.symbol));
                line.extend(guess.map(|new| format!(" {}{}", place(new), evidence(change))));
            }
            Some((changed, change)) if change.change == SymbolChangeKind::Removed => {
                line.extend(happening(changed, true).strip_prefix("removed"));
            }
            Some((changed, change)) if self.is_all(changed) => {
                line.push_str(&evidence(change));
                line.push_str(&taken_along(changed));
            }
            _ => {}
        }
        match it.users {
            Some(n) if n > 0 => format!("{line}, {}", counted(n, "user", "users")),
            _ => line,
        }
    }
}

fn breaking(all: &[Breaking], told: &BreakingLines<'_>, n_shown: usize, out: &mut Painter) {
    if all.is_empty() {
        return;
    }
    out.gap();
    let n = counted(all.len() as u64, "breaking change", "breaking changes");
    out.label(Label::Heading, &n).end();
    for it in all.iter().take(n_shown) {
        out.text("  ").label(Label::Bad, it.rule.as_str()).text("  ").text(&told.line(it));
        out.text("  ").label(Label::Path, &format!("{}:{}", it.path, it.line)).end();
    }
    rest_of_limited(all.len(), n_shown, out);
}

/// What `-n` left out.
fn rest_of_limited(n: usize, shown: usize, out: &mut Painter) {
    if n > shown {
        let more = format!("  and {} more (-n shows them, --json has all)", n - shown);
        out.label(Label::Faint, &more).end();
    }
}

fn rest(n: usize, shown: usize, out: &mut Painter) {
    if n > shown {
        out.label(Label::Faint, &format!("  and {} more (--json has all)", n - shown)).end();
    }
}

fn decisions(diff: &SemanticDiff, out: &mut Painter) {
    if diff.decisions.is_empty() && diff.deciding_notes.is_empty() {
        return;
    }
    out.gap();
    out.label(Label::Heading, "decisions at risk").end();
    for it in &diff.deciding_notes {
        out.text("  ").link(Label::Id, &it.on, &it.url).text("  ");
        out.label(Label::Person, &format!("@{}", it.author.as_deref().unwrap_or("ghost")));
        out.text("  ").text(&one_line(&it.excerpt, 160)).text("  ");
        let line = it.line.map(|line| format!(":{line}")).unwrap_or_default();
        out.label(Label::Path, &format!("{}{line}", it.path)).end();
    }
    for it in diff.decisions.iter().take(SHOWN) {
        out.text("  ").label(Label::Path, it.record.id.as_str()).text("  ");
        out.text(&one_line(&it.record.title, 100)).text("  ");
        out.label(Label::Faint, &it.linked_to).end();
    }
    rest(diff.decisions.len(), SHOWN, out);
}

/// Files that lie elsewhere, unless a type in them or what it breaks says so.
pub(super) fn told_moves<'a>(
    diff: &'a SemanticDiff,
    breaking: &BreakingLines<'_>,
) -> Vec<&'a FileMove> {
    // A type that was renamed with its file says where it is now.
    let told: BTreeSet<(&str, &str)> = diff
        .changes
        .iter()
        .filter(|it| {
            let change = it.change.change;
            matches!(change, SymbolChangeKind::Renamed | SymbolChangeKind::Moved)
                && !it.change.is_test
        })
        .filter_map(|it| {
            Some((it.change.old.as_ref()?.path.as_str(), it.change.new.as_ref()?.path.as_str()))
        })
        .collect();
    let is_told = |it: &&FileMove| {
        let is_of_type = told.contains(&(it.from.as_str(), it.to.as_str()));
        (it.untold_symbols == 0 && is_of_type) || breaking.has_move(it)
    };
    diff.file_moves.iter().filter(|it| !is_told(it)).collect()
}

fn moves(diff: &SemanticDiff, told: &BreakingLines<'_>, n_shown: usize, out: &mut Painter) {
    let moves = told_moves(diff, told);
    if moves.is_empty() {
        return;
    }
    out.gap();
    for it in moves.iter().take(n_shown) {
        let n = counted(it.symbols.into(), "symbol", "symbols");
        out.text("  > ").label(Label::Path, &it.to).text(&format!("  was {}, {n}", it.from)).end();
    }
    rest_of_limited(moves.len(), n_shown, out);
}

/// The changes that have a line of their own.
pub(super) fn listed<'a>(
    diff: &'a SemanticDiff,
    told: &BreakingLines<'_>,
) -> Vec<&'a ChangedSymbol> {
    diff.changes.iter().filter(|it| !it.change.is_test && !told.is_all(it)).collect()
}

fn changes(diff: &SemanticDiff, told: &BreakingLines<'_>, limit: usize, out: &mut Painter) {
    let listed = listed(diff, told);
    if listed.is_empty() {
        return;
    }
    out.gap();
    for changed in listed.iter().take(limit) {
        let Some(symbol) = subject(changed) else { continue };
        let (sign, label) = sign(changed.change.change);
        out.text("  ").label(label, sign).text(" ").text(&symbol.kind).text(" ");
        out.label(Label::Heading, &symbol.symbol).text("  ");
        out.text(&happening(changed, told.has(changed))).text(&used_by(changed));
        out.text("  ").label(Label::Path, &place(symbol)).end();
    }
    rest_of_limited(listed.len(), limit, out);
}

/// `; 3 users`, or `; 3 → 5 users (new: Cart.sum)`.
pub(super) fn used_by(changed: &ChangedSymbol) -> String {
    let Some(before) = changed.users else { return String::new() };
    let n_perhaps = changed.perhaps_still_users;
    let is_same = changed.new_users.is_empty() && changed.lost_users.is_empty() && n_perhaps == 0;
    match changed.users_after.filter(|_| !is_same) {
        Some(after) => {
            let mut words = Vec::new();
            for (word, names) in [("new", &changed.new_users), ("lost", &changed.lost_users)] {
                if !names.is_empty() {
                    words.push(format!("{word}: {}", names.join(", ")));
                }
            }
            if n_perhaps > 0 {
                words.push(format!("{n_perhaps} perhaps still"));
            }
            format!("; {before} → {} ({})", counted(after, "user", "users"), words.join("; "))
        }
        None if before > 0 => format!("; {}", counted(before, "user", "users")),
        None => String::new(),
    }
}

/// `3 added, 1 retargeted`
pub(super) fn edge_counts(diff: &SemanticDiff) -> String {
    let n_of = |kind| diff.edges.iter().filter(|edge| edge.change == kind).count();
    let counts: Vec<String> = EdgeChangeKind::ALL
        .iter()
        .map(|kind| (n_of(*kind), kind))
        .filter(|(n, _)| *n > 0)
        .map(|(n, kind)| format!("{n} {kind}"))
        .collect();
    counts.join(", ")
}

/// Edges over a border that were not there: what is gone over one concerns nobody on the
/// other side.
pub(super) fn new_crossing(diff: &SemanticDiff) -> Vec<&EdgeChange> {
    diff.edges
        .iter()
        .filter(|edge| edge.change != EdgeChangeKind::Removed && !edge.crosses.is_empty())
        .collect()
}

/// How many edges came and went; of those that came, which cross a border.
fn edges(diff: &SemanticDiff, n_shown: usize, out: &mut Painter) {
    if diff.edges.is_empty() {
        return;
    }
    out.gap();
    out.line(&format!("edges: {}", edge_counts(diff)));
    let crossing = new_crossing(diff);
    for edge in crossing.iter().take(n_shown) {
        let (sign, label) = match edge.change {
            EdgeChangeKind::Added | EdgeChangeKind::Removed => ("+", Label::Good),
            EdgeChangeKind::Retargeted => (">", Label::Path),
        };
        out.text("  ").label(label, sign);
        out.text(&format!(" {} {} {}", edge.from, edge.kind, edge.to));
        if let Some(was) = &edge.was {
            out.label(Label::Faint, &format!(", was {was}"));
        }
        let borders: Vec<&str> = edge.crosses.iter().map(|border| border.as_str()).collect();
        out.label(Label::Faint, &format!("  across {}  ", borders.join(" and ")));
        out.label(Label::Path, &format!("{}:{}", edge.path, edge.line)).end();
    }
    rest_of_limited(crossing.len(), n_shown, out);
}

fn graph(diff: &SemanticDiff, n_shown: usize, out: &mut Painter) {
    edges(diff, n_shown, out);
    let Some(impact) = &diff.impact else { return };
    out.gap();
    out.line(&reach(impact));
    let n_tests = impact.test_files.len();
    if let Some(reason) = impact.run_all_tests.first() {
        out.text("all tests must run: ").text(reason).end();
    }
    if n_tests > 0 {
        let first: Vec<&str> = impact.test_files.iter().take(5).map(String::as_str).collect();
        let more = if n_tests > 5 { " …" } else { "" };
        out.text("tests: ").label(Label::Path, &first.join(" ")).text(more).end();
    }
    if !diff.owners.is_empty() {
        let names: Vec<&str> = diff.owners.iter().map(|share| share.owner.as_str()).collect();
        out.text("owners: ").label(Label::Person, &names.join(", ")).end();
    }
    if !diff.new_owners.is_empty() {
        let names = diff.new_owners.join(", ");
        out.text("newly affected owners: ").label(Label::Person, &names).end();
    }
    for it in diff.stale_evidence.iter().take(SHOWN) {
        out.label(Label::Bad, "stale").text(&format!("  {}: {}", it.repo, it.reason));
        out.label(Label::Faint, &format!("; run: {}", it.fix)).end();
    }
}

/// `reaches 3 → 4 symbols; 2 test files, 8 more with weaker ties (lore tests lists them)`
pub(super) fn reach(impact: &Impact) -> String {
    let more = if impact.truncated { " or more" } else { "" };
    let reached = counted(impact.reached, "symbol", "symbols");
    let tests = counted(impact.test_files.len() as u64, "test file", "test files");
    let after = match impact.reached_after {
        Some(after) if after != impact.reached => format!(" → {after}"),
        _ => String::new(),
    };
    format!("reaches {reached}{after}{more}; {tests}{}", weaker_ties(impact))
}

/// `, 10 with weaker ties (lore tests)`: what is chosen to be run is more than what has a
/// direct tie.
fn weaker_ties(impact: &Impact) -> String {
    match impact.usual_test_files.saturating_sub(impact.test_files.len() as u64) {
        0 => String::new(),
        n => format!(", {n} more with weaker ties (lore tests lists them)"),
    }
}

fn unread(diff: &SemanticDiff, out: &mut Painter) {
    if diff.unread.is_empty() {
        return;
    }
    out.gap();
    for file in diff.unread.iter().take(SHOWN) {
        out.label(Label::Faint, &format!("{}: {}", file.path, file.reason)).end();
    }
    rest(diff.unread.len(), SHOWN, out);
}

fn sarif(diff: &SemanticDiff) -> String {
    let rules: Vec<_> =
        insight::diff::Rule::ALL.iter().map(|rule| json!({"id": rule.as_str()})).collect();
    let results: Vec<_> = diff
        .breaking
        .iter()
        .map(|it| {
            json!({
                "ruleId": it.rule.as_str(),
                "level": "warning",
                "message": {"text": clean(&it.message)},
                "locations": [{"physicalLocation": {
                    "artifactLocation": {"uri": uri_reference(&it.path)},
                    "region": {"startLine": it.line.max(1)},
                }}],
            })
        })
        .collect();
    let document = json!({
        "version": "2.1.0",
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "runs": [{
            "tool": {"driver": {"name": "lore", "rules": rules}},
            "results": results,
        }],
    });
    format!("{document:#}\n")
}

/// A path as tools of code review take it: in a URI no blank and no colon stands for itself.
fn uri_reference(path: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte);
    path.bytes().fold(String::with_capacity(path.len()), |mut uri, byte| {
        if is_plain(byte) {
            uri.push(byte.into());
        } else {
            uri.push_str(&format!("%{byte:02X}"));
        }
        uri
    })
}
