use super::neighbours::{line, rows};
use super::unresolved;
use crate::text::counted;
use crate::ui::{Label, Painter, Show};
use insight::code::impact::Impact;
use insight::code::neighbours::Neighbour;

impl Show for Impact {
    fn text(&self, out: &mut Painter) {
        if !out.look().is_tty {
            let all: Vec<Neighbour> =
                self.packages.iter().flat_map(|package| package.symbols.clone()).collect();
            rows(&all, &self.standing.repo, out);
            unresolved(self.unresolved, &self.unresolved_sites, "of these names", out);
            if self.truncated {
                out.text("# there is more: -n and --depth show it").end();
            }
            return;
        }
        match self.changed.as_slice() {
            [] => {}
            [only] => super::heading(only, out),
            [first, rest @ ..] => {
                super::heading(first, out);
                let inside = counted(rest.len() as u64, "symbol", "symbols");
                out.label(Label::Faint, &format!("and {inside} inside")).end();
            }
        }
        if self.total == 0 {
            out.label(Label::Faint, "nothing that is indexed depends on it").end();
        }
        for package in &self.packages {
            let name = if package.package.is_empty() { "." } else { &package.package };
            out.gap();
            if package.repo != self.standing.repo {
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
        let summary = [
            counted(self.total, "symbol", "symbols"),
            counted(self.packages.len() as u64, "package", "packages"),
            counted(self.tests.len() as u64, "test", "tests"),
        ];
        out.text(&format!("reaches {}", summary.join(", ")));
        if !self.routes.is_empty() {
            out.text(&format!(", {}", counted(self.routes.len() as u64, "route", "routes")));
        }
        out.end();
        if !self.owners.is_empty() {
            let names: Vec<&str> = self.owners.iter().map(|share| share.owner.as_str()).collect();
            out.text("owners: ").label(Label::Person, &names.join(", ")).end();
        }
        unresolved(self.unresolved, &self.unresolved_sites, "of these names", out);
        if self.truncated {
            out.footer("there is more: -n and --depth show it");
        }
    }
}
