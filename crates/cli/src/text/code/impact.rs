use super::neighbours::{line, rows};
use super::{UNSEEN, heading, mark, note, place, short_name, unresolved};
use crate::text::{counted, runtime};
use crate::ui::{Label, Painter, Show};
use insight::agent_text;
use insight::code::impact::Impact;
use insight::code::neighbours::Neighbour;

/// Mere importers listed on a terminal.
const MOST_IMPORTERS: usize = 10;

impl Show for Impact {
    fn agent(&self) -> Option<String> {
        Some(agent_text::impact(self))
    }

    fn text(&self, out: &mut Painter) {
        if out.look().is_tty {
            changed(self, out);
            packages(self, out);
            summary(self, out);
        } else {
            if self.total == 0 || !self.candidates.is_empty() {
                changed(self, out);
            }
            let all: Vec<Neighbour> =
                self.packages.iter().flat_map(|package| package.symbols.clone()).collect();
            rows(&all, &self.standing.repo, out);
        }
        runtime::weight(self.runtime.as_ref(), &self.standing.repo, out);
        importers(self, out);
        unresolved(0, self.unresolved, &self.unresolved_sites, "of this name", out);
        contract(self, out);
        open_ends(self, out);
        candidates(self, out);
        if self.truncated {
            note("there is more: -n and --depth show it", out);
        }
    }
}

fn changed(impact: &Impact, out: &mut Painter) {
    let mark = mark(out);
    let inside = match (&impact.path, impact.changed.as_slice()) {
        (Some(path), all) => {
            out.text(mark).label(Label::Faint, "file ").label(Label::Heading, path).end();
            all.len()
        }
        (None, [first, rest @ ..]) => {
            heading(first, &impact.standing.repo, out);
            rest.len()
        }
        (None, []) => 0,
    };
    if inside > 0 {
        let inside = counted(inside as u64, "symbol", "symbols");
        out.label(Label::Faint, &format!("{mark}and {inside} inside")).end();
    }
    if impact.total == 0 {
        let is_called = impact.runtime.as_ref().is_some_and(|it| !it.callers.is_empty());
        let words = if is_called {
            format!("{mark}no indexed code leads to it; production does:")
        } else {
            format!("{mark}nothing that is indexed is known to use it; {UNSEEN}")
        };
        out.label(Label::Faint, &words).end();
    }
}

fn packages(impact: &Impact, out: &mut Painter) {
    for package in &impact.packages {
        let name = if package.package.is_empty() { "." } else { &package.package };
        out.gap();
        if package.repo != impact.standing.repo {
            out.label(Label::Path, &package.repo).text("  ");
        }
        out.label(Label::Heading, name);
        let n = counted(package.symbols.len() as u64, "symbol", "symbols");
        out.label(Label::Faint, &format!("  {n}")).end();
        for one in &package.symbols {
            out.label(Label::Faint, &format!("  {} ", one.depth));
            line(one, &package.repo, out);
        }
    }
    out.gap();
}

fn summary(impact: &Impact, out: &mut Painter) {
    if impact.total > 0 {
        let summary = [
            counted(impact.total, "symbol", "symbols"),
            counted(impact.packages.len() as u64, "package", "packages"),
            counted(impact.tests.len() as u64, "test", "tests"),
        ];
        out.text(&format!("reaches {}", summary.join(", ")));
        if !impact.routes.is_empty() {
            out.text(&format!(", {}", counted(impact.routes.len() as u64, "route", "routes")));
        }
        out.end();
    }
    if !impact.owners.is_empty() {
        let names: Vec<&str> = impact.owners.iter().map(|share| share.owner.as_str()).collect();
        out.text("owners: ").label(Label::Person, &names.join(", ")).end();
    }
}

fn importers(impact: &Impact, out: &mut Painter) {
    if impact.importers.is_empty() {
        return;
    }
    let mark = mark(out);
    let n =
        counted(impact.importers.len() as u64, "module merely imports", "modules merely import");
    out.label(Label::Faint, &format!("{mark}{n} it:")).end();
    for one in impact.importers.iter().take(MOST_IMPORTERS) {
        out.text(mark).text("  ").text(&short_name(&one.at, &impact.standing.repo)).text("  ");
        out.label(Label::Path, &place(&one.site_path, one.site_line)).end();
    }
    let n_more = impact.importers.len().saturating_sub(MOST_IMPORTERS) as u64;
    if n_more > 0 {
        out.label(Label::Faint, &format!("{mark}  and {}", counted(n_more, "more", "more"))).end();
    }
}

fn contract(impact: &Impact, out: &mut Painter) {
    if impact.contract.is_empty() {
        return;
    }
    let mark = mark(out);
    out.label(Label::Warning, &format!("{mark}a new signature changes them, too:")).end();
    for one in &impact.contract {
        out.text(mark).text("  ").text(&short_name(one, &impact.standing.repo)).text("  ");
        out.label(Label::Path, &place(&one.path, one.line)).end();
    }
}

/// Where more may be reached than is known.
fn open_ends(impact: &Impact, out: &mut Painter) {
    for end in &impact.open_ends {
        let name = short_name(&end.symbol, &impact.standing.repo);
        let whose = format!("of {name}'s name");
        unresolved(0, end.unresolved, &end.sites, &whose, out);
    }
}

fn candidates(impact: &Impact, out: &mut Painter) {
    if impact.candidates.is_empty() {
        return;
    }
    let mark = mark(out);
    out.label(Label::Warning, &format!("{mark}the name also means:")).end();
    for one in &impact.candidates {
        let symbol = &one.symbol;
        out.text(mark).text("  ").label(Label::Faint, symbol.kind.as_str()).text(" ");
        out.text(&short_name(symbol, &impact.standing.repo)).text("  ");
        out.label(Label::Path, &place(&symbol.path, symbol.line));
        let more = if one.truncated { "+" } else { "" };
        let words = counted(one.total, "symbol", "symbols");
        let tests = counted(one.tests, "test", "tests");
        out.label(Label::Faint, &format!("  reaches {words}{more}, {tests}")).end();
    }
    if impact.more_candidates > 0 {
        let more = counted(impact.more_candidates, "more", "more");
        out.label(Label::Faint, &format!("{mark}  and {more}")).end();
    }
    let one = &impact.candidates[0].symbol;
    let place = place(&one.path, one.line);
    out.label(Label::Faint, &format!("{mark}one of them: lore impact {place}")).end();
}
