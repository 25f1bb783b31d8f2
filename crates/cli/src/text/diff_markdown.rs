//! A comparison of two versions as a comment on a merge request: everything that the
//! screen says, in the same order.

use super::counted;
use super::diff::{
    BreakingLines, SHOWN, edge_counts, happening, listed, new_crossing, place, reach, subject,
    summary, told_moves, used_by,
};
use insight::diff::{ChangedSymbol, SemanticDiff};
use model::text::{clean, one_line};

/// Text of a clone inside a code span of Markdown.
fn code(text: &str) -> String {
    format!("`{}`", one_line(&clean(text), 160).replace('`', "'"))
}

/// What a list in Markdown leaves out.
fn and_more(n: usize, shown: usize) -> String {
    if n > shown { format!("\nand {} more\n", n - shown) } else { String::new() }
}

/// Names as code, the first of them.
fn names<'a>(all: impl ExactSizeIterator<Item = &'a str>) -> String {
    let left = all.len().saturating_sub(SHOWN);
    let shown: Vec<String> = all.take(SHOWN).map(code).collect();
    let more = if left > 0 { format!(" and {left} more") } else { String::new() };
    format!("{}{more}", shown.join(", "))
}

pub fn markdown(diff: &SemanticDiff, limit: usize) -> String {
    let mut out = format!("**{}**\n", summary(diff));
    let told = BreakingLines::of(diff, limit);
    breaking(diff, &told, limit, &mut out);
    decisions(diff, &mut out);
    moves(diff, &told, limit, &mut out);
    changes(diff, &told, limit, &mut out);
    edges(diff, limit, &mut out);
    graph(diff, &mut out);
    left_out(diff, &mut out);
    out
}

fn breaking(diff: &SemanticDiff, told: &BreakingLines<'_>, limit: usize, out: &mut String) {
    if diff.breaking.is_empty() || limit == 0 {
        return;
    }
    out.push_str("\n### Breaking\n\n");
    for it in diff.breaking.iter().take(limit) {
        let at = code(&format!("{}:{}", it.path, it.line));
        out.push_str(&format!("- {}: {} {at}\n", it.rule.as_str(), code(&told.line(it))));
    }
    out.push_str(&and_more(diff.breaking.len(), limit));
}

fn decisions(diff: &SemanticDiff, out: &mut String) {
    if diff.decisions.is_empty() && diff.deciding_notes.is_empty() {
        return;
    }
    out.push_str("\n### Decisions at risk\n\n");
    for it in &diff.deciding_notes {
        let author = it.author.as_deref().unwrap_or("ghost");
        let (on, excerpt) = (code(&it.on), code(&it.excerpt));
        let line = it.line.map(|line| format!(":{line}")).unwrap_or_default();
        let at = code(&format!("{}{line}", it.path));
        out.push_str(&format!("- {on} {} {excerpt} {at}\n", code(author)));
    }
    for it in diff.decisions.iter().take(SHOWN) {
        let (title, linked) = (code(&it.record.title), code(&it.linked_to));
        out.push_str(&format!("- {title} ({}, {linked})\n", it.record.id.as_str()));
    }
    out.push_str(&and_more(diff.decisions.len(), SHOWN));
}

fn moves(diff: &SemanticDiff, told: &BreakingLines<'_>, limit: usize, out: &mut String) {
    // Where no line is asked for, what breaks is not told either.
    let moves = told_moves(diff, told);
    if moves.is_empty() || limit == 0 {
        return;
    }
    out.push_str("\n### Moved files\n\n");
    for it in moves.iter().take(limit) {
        let n = counted(it.symbols.into(), "symbol", "symbols");
        out.push_str(&format!("- {} was {}, {n}\n", code(&it.to), code(&it.from)));
    }
    out.push_str(&and_more(moves.len(), limit));
}

fn changes(diff: &SemanticDiff, told: &BreakingLines<'_>, limit: usize, out: &mut String) {
    let listed = listed(diff, told);
    if listed.is_empty() || limit == 0 {
        return;
    }
    out.push_str("\n| change | symbol | where | users |\n|---|---|---|---|\n");
    for changed in listed.iter().take(limit) {
        let Some(symbol) = subject(changed) else { continue };
        let cell = |text: &str| code(text).replace('|', "\\|");
        out.push_str(&format!(
            "| {} | {} | {} | {} |\n",
            cell(&happening(changed, told.has(changed))),
            cell(&format!("{} {}", symbol.kind, symbol.symbol)),
            cell(&place(symbol)),
            users(changed),
        ));
    }
    out.push_str(&and_more(listed.len(), limit));
}

/// How many use it, before and after, with those that came and went.
fn users(changed: &ChangedSymbol) -> String {
    let told = used_by(changed);
    let told = told.trim_start_matches("; ").trim_end_matches(" users").trim_end_matches(" user");
    let is_number = told.bytes().all(|byte| byte.is_ascii_digit());
    match (told, changed.users) {
        ("", None) => String::new(),
        ("", Some(n)) => n.to_string(),
        (told, _) if is_number => told.to_owned(),
        (told, _) => code(told).replace('|', "\\|"),
    }
}

fn edges(diff: &SemanticDiff, limit: usize, out: &mut String) {
    if diff.edges.is_empty() {
        return;
    }
    out.push_str(&format!("\nEdges: {}.\n", edge_counts(diff)));
    let crossing = new_crossing(diff);
    if crossing.is_empty() || limit == 0 {
        return;
    }
    out.push_str("\n### New edges\n\n");
    for edge in crossing.iter().take(limit) {
        let borders: Vec<&str> = edge.crosses.iter().map(|border| border.as_str()).collect();
        let was = edge.was.as_ref().map_or(String::new(), |was| format!(", was {}", code(was)));
        out.push_str(&format!(
            "- {} {} {}{was}, across {} {}\n",
            code(&edge.from),
            edge.kind,
            code(&edge.to),
            borders.join(" and "),
            code(&format!("{}:{}", edge.path, edge.line)),
        ));
    }
    out.push_str(&and_more(crossing.len(), limit));
}

fn graph(diff: &SemanticDiff, out: &mut String) {
    if let Some(impact) = &diff.impact {
        let told = reach(impact).replacen("reaches", "Reaches", 1);
        out.push_str(&format!("\n{told}.\n"));
        if let Some(reason) = impact.run_all_tests.first() {
            out.push_str(&format!("\nAll tests must run: {}\n", code(reason)));
        }
        if !impact.test_files.is_empty() {
            let files = names(impact.test_files.iter().map(String::as_str));
            out.push_str(&format!("\nTests: {files}\n"));
        }
    }
    if !diff.owners.is_empty() {
        let owners = names(diff.owners.iter().map(|share| share.owner.as_str()));
        out.push_str(&format!("\nOwners: {owners}\n"));
    }
    if !diff.new_owners.is_empty() {
        let owners = names(diff.new_owners.iter().map(String::as_str));
        out.push_str(&format!("\nNewly affected owners: {owners}\n"));
    }
    for it in diff.stale_evidence.iter().take(SHOWN) {
        let told = format!("\nStale: {} {}; run: {}\n", code(&it.repo), it.reason, code(&it.fix));
        out.push_str(&told);
    }
}

/// What was not compared, and what is not known.
fn left_out(diff: &SemanticDiff, out: &mut String) {
    if !diff.unread.is_empty() {
        out.push_str("\nNot compared, or only in part:\n\n");
        for file in diff.unread.iter().take(SHOWN) {
            out.push_str(&format!("- {}: {}\n", code(&file.path), file.reason));
        }
        out.push_str(&and_more(diff.unread.len(), SHOWN));
    }
    for missing in &diff.missing {
        out.push_str(&format!("\n{}; run: {}\n", missing.what, code(&missing.fix)));
    }
}
