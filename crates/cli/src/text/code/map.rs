//! A map reads as lines under headings, within a budget of tokens.

use super::{place, short_name};
use crate::text::{counted, grouped};
use crate::ui::{Label, Painter, Show};
use insight::agent_text::{own_name, shown_path};
use insight::code::SymbolRef;
use insight::code::map::{RepoMap, TypeSummary};
use model::text::one_line;

/// What the whole map may cost an agent.
const BUDGET: usize = 1_200;

/// Lines under a heading.
struct Section {
    heading: &'static str,
    lines: Vec<String>,
}

impl Show for RepoMap {
    fn text(&self, out: &mut Painter) {
        if let Some(symbol) = &self.symbol {
            type_text(self, symbol, out);
            return;
        }
        out.label(Label::Heading, &title(self)).end();
        let languages: Vec<String> = self
            .languages
            .iter()
            .take(6)
            .map(|it| format!("{} {}", it.language, grouped(it.files)))
            .collect();
        out.text(&languages.join(", ")).end();
        let mut sections = sections(self);
        fit(&mut sections);
        for section in sections.iter().filter(|section| !section.lines.is_empty()) {
            out.label(Label::Heading, section.heading).end();
            for line in &section.lines {
                out.text("  ").text(line).end();
            }
        }
        let deeper = "deeper: lore map DIR, lore map TYPE, lore outline FILE, lore read SYMBOL";
        out.label(Label::Faint, deeper).end();
    }
}

fn title(map: &RepoMap) -> String {
    let commit: String = map.standing.commit.chars().take(10).collect();
    let tree = if map.standing.is_work_tree { " with uncommitted changes" } else { "" };
    let name =
        if map.folder.is_empty() { map.standing.name.clone() } else { format!("{}/", map.folder) };
    let files = counted(map.files, "file", "files");
    let symbols = counted(map.symbols, "symbol", "symbols");
    format!("{name} at {commit}{tree}: {files}, {symbols}")
}

fn at(symbol: &SymbolRef) -> String {
    place(&symbol.path, symbol.line)
}

fn sections(map: &RepoMap) -> Vec<Section> {
    // The place stands beside it, and says the module.
    let name = |symbol: &SymbolRef| one_line(own_name(symbol), 80);
    let folders = map.folders.iter().map(|it| {
        let joint = if it.holds.is_empty() { "" } else { ": " };
        let holds = format!("{joint}{}", it.holds.join(", "));
        format!("{} {}{holds}", shown_path(&it.path), counted(it.files, "file", "files"))
    });
    let more_folders = (map.more_folders > 0)
        .then(|| format!("and {}", counted(map.more_folders, "smaller one", "smaller ones")));
    let entries = map.entry_points.iter().map(|it| format!("{} {}", name(it), at(it)));
    let n_more = map.routes.saturating_sub(map.first_routes.len() as u64);
    let more =
        (n_more > 0).then(|| format!("and {}; lore routes", counted(n_more, "more", "more")));
    let routes =
        map.first_routes.iter().map(|it| format!("{} {}", one_line(&it.symbol, 60), at(it)));
    let called =
        map.most_called.iter().map(|it| format!("{} {} {}", it.count, name(&it.at), at(&it.at)));
    let extended =
        map.most_extended.iter().map(|it| format!("{} {} {}", it.count, name(&it.at), at(&it.at)));
    let changed =
        map.most_changed.iter().map(|it| format!("{} {}", it.count, shown_path(&it.path)));
    let decisions =
        map.decisions.iter().map(|it| format!("{} {}", it.id, one_line(&it.title, 100)));
    vec![
        Section { heading: "folders", lines: folders.chain(more_folders).collect() },
        Section { heading: "entry points", lines: entries.collect() },
        Section { heading: "routes", lines: routes.chain(more).collect() },
        Section { heading: "most called", lines: called.collect() },
        Section { heading: "most extended", lines: extended.collect() },
        Section { heading: "most changed lately", lines: changed.collect() },
        Section { heading: "newest decisions", lines: decisions.collect() },
    ]
}

/// Takes lines from the longest section until the map costs no more than it may.
fn fit(sections: &mut [Section]) {
    let cost = |sections: &[Section]| -> usize {
        let lines = sections.iter().flat_map(|section| &section.lines);
        lines.map(|line| wire::tokens::estimate(line) + 1).sum::<usize>() + 120
    };
    while cost(sections) > BUDGET {
        let Some(longest) = sections.iter_mut().max_by_key(|section| section.lines.len()) else {
            return;
        };
        if longest.lines.pop().is_none() {
            return;
        }
    }
}

fn type_text(map: &RepoMap, summary: &TypeSummary, out: &mut Painter) {
    let home = &map.standing.repo;
    super::heading(&summary.at, home, out);
    if !summary.signature.is_empty() {
        out.text("  ").text(&one_line(&summary.signature, 160)).end();
    }
    if !summary.doc.is_empty() {
        out.text("  ").label(Label::Faint, &summary.doc).end();
    }
    let names = |symbols: &[SymbolRef]| -> String {
        let names: Vec<String> =
            symbols.iter().map(|it| format!("{} {}", short_name(it, home), at(it))).collect();
        names.join(", ")
    };
    if !summary.bases.is_empty() {
        out.text(&format!("bases: {}", names(&summary.bases))).end();
    }
    if summary.subtypes > 0 {
        let n_more = summary.subtypes.saturating_sub(summary.first_subtypes.len() as u64);
        let more = if n_more > 0 { format!(", {n_more} more") } else { String::new() };
        out.text(&format!(
            "{} subtypes: {}{more}",
            grouped(summary.subtypes),
            names(&summary.first_subtypes)
        ));
        out.end();
    }
    out.text(&format!("used by {}", counted(summary.users, "symbol", "symbols"))).end();
    if !summary.members.is_empty() {
        out.label(Label::Heading, "methods by callers").end();
    }
    for member in &summary.members {
        let short = member.at.symbol.rsplit('.').next().unwrap_or(&member.at.symbol);
        out.text(&format!("  {} {short} ", member.count)).label(Label::Path, &at(&member.at)).end();
    }
    if summary.more_members > 0 {
        let more = counted(summary.more_members, "more", "more");
        out.label(Label::Faint, &format!("  and {more}: lore outline {}", summary.at.path)).end();
    }
}
