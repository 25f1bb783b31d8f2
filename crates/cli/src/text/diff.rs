//! How a comparison of two versions reads: on a screen, as a comment on a
//! merge request, and as SARIF for tools of code review.

use super::counted;
use crate::ui::{Label, Painter};
use insight::diff::{Breaking, ChangedSymbol, SemanticDiff};
use model::change::{Aspect, SymbolChangeKind, SymbolVersion};
use model::text::{clean, one_line};
use model::{Error, Result};
use serde_json::json;

/// The form of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DiffForm {
    #[default]
    Text,
    Markdown,
    Sarif,
}

/// Things of a kind that one screen shows.
const SHOWN: usize = 8;

impl DiffForm {
    pub fn of(markdown: bool, sarif: bool) -> Self {
        match (markdown, sarif) {
            (true, _) => DiffForm::Markdown,
            (_, true) => DiffForm::Sarif,
            _ => DiffForm::Text,
        }
    }

    pub fn text(self, diff: &SemanticDiff, limit: usize, out: &mut Painter) {
        match self {
            DiffForm::Text => {
                screen(diff, limit, out);
                super::runtime::weight(diff.runtime.as_ref(), "", out);
            }
            DiffForm::Markdown => {
                out.verbatim(&markdown(diff, limit));
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

const CONDITIONS: [&str; 4] = ["breaking", "removed", "decisions", "reached"];

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
        let found = match threshold.name {
            "breaking" => diff.breaking.len() as u64,
            "removed" => diff.counts.removed,
            "decisions" => diff.decisions.len() as u64,
            _ => diff.impact.as_ref().map_or(0, |impact| impact.reached),
        };
        let what = match threshold.name {
            "breaking" => "breaking changes",
            "removed" => "removed symbols",
            "decisions" => "decisions at risk",
            _ => "symbols reached",
        };
        (found > threshold.most).then(|| format!("{found} {what}, more than {}", threshold.most))
    };
    thresholds.iter().filter_map(over).collect()
}

fn place(symbol: &SymbolVersion) -> String {
    format!("{}:{}", symbol.path, symbol.line)
}

/// `removed 2, renamed 1, changed 12, added 3; tests 4`
fn summary(diff: &SemanticDiff) -> String {
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

/// What happened, in a few words: `renamed from Cart.add`.
fn happening(changed: &ChangedSymbol) -> String {
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
        (SymbolChangeKind::Copied, Some(old), _) => format!("copied from {}", place(old)),
        (SymbolChangeKind::PerhapsBecame, _, Some(new)) => {
            format!("perhaps became {} {}", new.symbol, place(new))
        }
        (SymbolChangeKind::Changed, ..) => {
            change.aspects.iter().copied().map(Aspect::as_str).collect::<Vec<_>>().join(", ")
        }
        (kind, ..) => kind.as_str().to_owned(),
    };
    if matches!(change.change, SymbolChangeKind::Renamed | SymbolChangeKind::Moved)
        && !change.aspects.is_empty()
    {
        let aspects: Vec<&str> = change.aspects.iter().copied().map(Aspect::as_str).collect();
        words.push_str(&format!(", {} changed", aspects.join(" and ")));
    }
    if change.members > 0 {
        words.push_str(&format!(", with {}", counted(change.members.into(), "member", "members")));
    }
    if !change.demands.is_empty() {
        words.push_str(&format!(" ({})", change.demands.join(", ")));
    }
    words
}

/// The symbol a line is about: what it is, or was when it is gone.
fn subject(changed: &ChangedSymbol) -> Option<&SymbolVersion> {
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

fn screen(diff: &SemanticDiff, limit: usize, out: &mut Painter) {
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
    breaking(&diff.breaking, out);
    decisions(diff, out);
    moves(diff, out);
    changes(diff, limit, out);
    graph(diff, out);
    unread(diff, out);
    for missing in &diff.missing {
        out.label(Label::Faint, &format!("{}; run: {}", missing.what, missing.fix)).end();
    }
}

fn breaking(all: &[Breaking], out: &mut Painter) {
    if all.is_empty() {
        return;
    }
    out.gap();
    let n = counted(all.len() as u64, "breaking change", "breaking changes");
    out.label(Label::Heading, &n).end();
    for it in all.iter().take(SHOWN) {
        let users = match it.users {
            Some(n) if n > 0 => format!(", {}", counted(n, "user", "users")),
            _ => String::new(),
        };
        out.text("  ").label(Label::Bad, it.rule.as_str()).text("  ").text(&it.message);
        out.text(&users).text("  ").label(Label::Path, &format!("{}:{}", it.path, it.line)).end();
    }
    rest(all.len(), SHOWN, out);
}

fn rest(n: usize, shown: usize, out: &mut Painter) {
    if n > shown {
        out.label(Label::Faint, &format!("  and {} more (--json has all)", n - shown)).end();
    }
}

fn decisions(diff: &SemanticDiff, out: &mut Painter) {
    if diff.decisions.is_empty() {
        return;
    }
    out.gap();
    out.label(Label::Heading, "decisions at risk").end();
    for it in diff.decisions.iter().take(SHOWN) {
        out.text("  ").label(Label::Path, it.record.id.as_str()).text("  ");
        out.text(&one_line(&it.record.title, 100)).text("  ");
        out.label(Label::Faint, &it.linked_to).end();
    }
    rest(diff.decisions.len(), SHOWN, out);
}

fn moves(diff: &SemanticDiff, out: &mut Painter) {
    if diff.file_moves.is_empty() {
        return;
    }
    out.gap();
    for it in diff.file_moves.iter().take(SHOWN) {
        let n = counted(it.symbols.into(), "symbol", "symbols");
        out.text("  > ").label(Label::Path, &it.to).text(&format!("  was {}, {n}", it.from)).end();
    }
    rest(diff.file_moves.len(), SHOWN, out);
}

fn changes(diff: &SemanticDiff, limit: usize, out: &mut Painter) {
    let told: Vec<&ChangedSymbol> = diff.changes.iter().filter(|it| !it.change.is_test).collect();
    if told.is_empty() {
        return;
    }
    out.gap();
    for changed in told.iter().take(limit) {
        let Some(symbol) = subject(changed) else { continue };
        let (sign, label) = sign(changed.change.change);
        out.text("  ").label(label, sign).text(" ").text(&symbol.kind).text(" ");
        out.label(Label::Heading, &symbol.symbol).text("  ").text(&happening(changed));
        if let Some(users) = changed.users.filter(|users| *users > 0) {
            out.text(&format!("; {}", counted(users, "user", "users")));
        }
        out.text("  ").label(Label::Path, &place(symbol)).end();
    }
    let n_left = told.len().saturating_sub(limit);
    if n_left > 0 {
        out.label(Label::Faint, &format!("  and {n_left} more (-n shows them, --json has all)"))
            .end();
    }
}

fn graph(diff: &SemanticDiff, out: &mut Painter) {
    let Some(impact) = &diff.impact else { return };
    out.gap();
    let more = if impact.truncated { " or more" } else { "" };
    let reached = counted(impact.reached, "symbol", "symbols");
    let n_tests = impact.test_files.len();
    let tests = counted(n_tests as u64, "test file", "test files");
    out.line(&format!("reaches {reached}{more}; {tests}"));
    if n_tests > 0 {
        let first: Vec<&str> = impact.test_files.iter().take(5).map(String::as_str).collect();
        let more = if n_tests > 5 { " …" } else { "" };
        out.text("tests: ").label(Label::Path, &first.join(" ")).text(more).end();
    }
    if !diff.owners.is_empty() {
        let names: Vec<&str> = diff.owners.iter().map(|share| share.owner.as_str()).collect();
        out.text("owners: ").label(Label::Person, &names.join(", ")).end();
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

/// Text of a clone inside a code span of Markdown.
fn code(text: &str) -> String {
    format!("`{}`", one_line(&clean(text), 160).replace('`', "'"))
}

fn markdown(diff: &SemanticDiff, limit: usize) -> String {
    let mut out = format!("**{}**\n", summary(diff));
    if !diff.breaking.is_empty() {
        out.push_str("\n### Breaking\n\n");
        for it in diff.breaking.iter().take(limit) {
            let at = code(&format!("{}:{}", it.path, it.line));
            out.push_str(&format!("- {}: {} {at}\n", it.rule.as_str(), code(&it.message)));
        }
    }
    if !diff.decisions.is_empty() {
        out.push_str("\n### Decisions at risk\n\n");
        for it in diff.decisions.iter().take(SHOWN) {
            let title = code(&it.record.title);
            out.push_str(&format!(
                "- {title} ({}, {})\n",
                it.record.id.as_str(),
                code(&it.linked_to)
            ));
        }
    }
    let told: Vec<&ChangedSymbol> = diff.changes.iter().filter(|it| !it.change.is_test).collect();
    if !told.is_empty() {
        out.push_str("\n| change | symbol | where | users |\n|---|---|---|---|\n");
        for changed in told.iter().take(limit) {
            let Some(symbol) = subject(changed) else { continue };
            let users = changed.users.map_or(String::new(), |users| users.to_string());
            let cell = |text: &str| code(text).replace('|', "\\|");
            out.push_str(&format!(
                "| {} | {} | {} | {users} |\n",
                cell(&happening(changed)),
                cell(&symbol.symbol),
                cell(&place(symbol)),
            ));
        }
        if told.len() > limit {
            out.push_str(&format!("\nand {} more\n", told.len() - limit));
        }
    }
    if let Some(impact) = &diff.impact {
        let n_tests = impact.test_files.len();
        out.push_str(&format!("\nReaches {} symbols, {n_tests} test files.\n", impact.reached));
    }
    out
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
                    "artifactLocation": {"uri": clean(&it.path)},
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
