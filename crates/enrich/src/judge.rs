//! From a server's answer to what it says of a call.

use crate::evidence::Counts;
use crate::graph::{Claim, Graph, Membership, Site, SourceFile};
use crate::lsp::{Encoding, Location};
use model::code::{EdgeKind, NodeKind};
use model::ids::NodeId;
use std::path::{Path, PathBuf};
use store::code::layers::LayerEdge;

/// Confidence of what a language server says, in percent.
pub const LSP: u8 = 90;

/// What the places of an answer are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Meaning {
    /// Symbols of the snapshot, each once.
    Symbols(Vec<NodeId>),
    /// Outside of the repository.
    Outside,
    /// In the repository, but no symbol that is called: a variable, a file that
    /// differs from the commit.
    Elsewhere,
    Nothing,
}

/// Reads answers about one work tree.
#[derive(Debug)]
pub struct Judge<'g> {
    graph: &'g Graph,
    /// The top of the work tree, as it is written and as it is.
    tops: Vec<PathBuf>,
    encoding: Encoding,
    confidence: u8,
}

impl<'g> Judge<'g> {
    pub fn new(graph: &'g Graph, top: &Path, encoding: Encoding, confidence: u8) -> Self {
        let mut tops = vec![top.to_path_buf()];
        tops.extend(top.canonicalize().ok().filter(|real| real != top));
        Judge { graph, tops, encoding, confidence }
    }

    /// The path of a place below the top; none outside.
    fn relative<'p>(&self, path: &'p Path) -> Option<&'p str> {
        self.tops.iter().find_map(|top| path.strip_prefix(top).ok())?.to_str()
    }

    /// The file and the place in it, in lore's counting.
    pub fn place(&self, location: &Location) -> Option<(usize, (u32, u32))> {
        let at = self.graph.file_by_path(self.relative(&location.path)?)?;
        let text = self.graph.text(at)?;
        Some((at, text.to_lore(location.start, self.encoding)))
    }

    /// `name` is the word at the call, where it is known: a property or a variable is
    /// answered with where it is declared and with what its type can be called as, and
    /// the one that is called so counts.
    pub fn meaning(&self, locations: &[Location], name: Option<&str>) -> Meaning {
        let (mut symbols, mut is_outside, mut is_elsewhere) = (Vec::new(), false, false);
        let namesakes: Vec<&Location> = locations
            .iter()
            .filter(|location| name.is_some_and(|name| self.is_named(location, name)))
            .collect();
        let locations = if namesakes.is_empty() { locations.iter().collect() } else { namesakes };
        for location in locations {
            let membership = match self.relative(&location.path) {
                Some(path) => self.graph.membership(path),
                None => Membership::Outside,
            };
            match membership {
                Membership::Outside => is_outside = true,
                Membership::Tracked => is_elsewhere = true,
                Membership::Indexed(at) => match self.callable(at, location) {
                    Some(node) if !symbols.contains(&node) => symbols.push(node),
                    Some(_) => {}
                    None => is_elsewhere = true,
                },
            }
        }
        // A constant and a type of one name: what is called is the constant.
        let is_type = |node: &NodeId| {
            let kind = self.graph.definition(*node).map(|definition| definition.kind);
            matches!(kind, Some(NodeKind::Interface | NodeKind::Type))
        };
        if is_elsewhere && symbols.iter().all(is_type) {
            return Meaning::Elsewhere;
        }
        match (symbols.is_empty(), is_elsewhere, is_outside) {
            (false, _, _) => Meaning::Symbols(symbols),
            (true, true, _) => Meaning::Elsewhere,
            (true, false, true) => Meaning::Outside,
            (true, false, false) => Meaning::Nothing,
        }
    }

    /// Where the name stands that a constant or a property is given, if that is all an
    /// answer names and no function is written there: `const name = other`. What it
    /// stands for is what is called, in a language that says so.
    pub fn alias(&self, locations: &[Location], name: Option<&str>) -> Option<(usize, (u32, u32))> {
        if self.meaning(locations, name) != Meaning::Elsewhere {
            return None;
        }
        let mut found = None;
        for location in locations {
            if name.is_some_and(|name| !self.is_named(location, name)) && locations.len() > 1 {
                continue;
            }
            let (at, place) = self.place(location)?;
            let file = &self.graph.files[at];
            let kind = file.definition_at(place)?.kind;
            let follows =
                follows_names(&file.language) && matches!(kind, NodeKind::Const | NodeKind::Field);
            let other = self.graph.text(at).filter(|_| follows)?.assigned_name(place)?;
            if found.is_some_and(|found| found != (at, other)) {
                return None;
            }
            found = Some((at, other));
        }
        found
    }

    /// The symbol that is named exactly there, if it is one that calls lead to.
    fn callable(&self, at: usize, location: &Location) -> Option<NodeId> {
        let text = self.graph.text(at)?;
        let place = text.to_lore(location.start, self.encoding);
        let file = &self.graph.files[at];
        let definition = match file.definition_at(place) {
            Some(definition) => definition,
            // The function that a name is given, in the place of the name.
            None => file.definitions.iter().find(|def| {
                let is_around = def.lines.0 <= place.0 && place.0 <= def.lines.1;
                let is_given =
                    matches!(def.kind, NodeKind::Function | NodeKind::Method) || is_value(def.kind);
                is_around
                    && is_given
                    && text.assigned_value((def.name_line, def.name_col)) == Some(place)
            })?,
        };
        let name = (definition.name_line, definition.name_col);
        let is_called = is_callable(definition.kind)
            || (is_value(definition.kind) && text.assigns_function(name));
        is_called.then_some(definition.node)
    }

    fn is_named(&self, location: &Location, name: &str) -> bool {
        let Some((at, place)) = self.place(location) else { return false };
        self.graph.text(at).is_some_and(|text| text.word_at(place) == name)
    }

    /// Whether two symbols are the same to a caller: equal, overloads that share one
    /// body, or a type and what constructs it.
    pub fn agrees(&self, ours: NodeId, theirs: NodeId, language: &str) -> bool {
        if ours == theirs {
            return true;
        }
        let (Some(a), Some(b)) = (self.graph.symbol(ours), self.graph.symbol(theirs)) else {
            return false;
        };
        if self.graph.home(ours) != self.graph.home(theirs) {
            return false;
        }
        let shares_body = matches!(language, "python" | "typescript" | "php" | "ruby");
        (a == b && shares_body) || is_constructor_of(a, b) || is_constructor_of(b, a)
    }

    /// What an answer makes of a site: edges to store, whether it leads outside.
    pub fn verdict(&self, file: &SourceFile, site: &Site, locations: &[Location]) -> Verdict {
        let text = self.graph.file_by_id(file.id).and_then(|at| self.graph.text(at));
        let name = text.as_ref().map(|text| text.word_at((site.line, site.col)));
        let meaning = self.meaning(locations, name);
        let is_silent = meaning == Meaning::Nothing;
        Verdict { is_silent, ..self.decide(file, site, &meaning) }
    }

    /// The same for an answer that is understood.
    pub fn decide(&self, file: &SourceFile, site: &Site, meaning: &Meaning) -> Verdict {
        let mut verdict = Verdict::default();
        match (&site.claim, meaning) {
            (_, Meaning::Nothing | Meaning::Elsewhere) => verdict.counts.unanswered = 1,
            (Claim::External { .. }, Meaning::Outside) => verdict.counts.confirmed = 1,
            (Claim::Open, Meaning::Outside) => {
                verdict.counts.external = 1;
                verdict.is_external = true;
            }
            (Claim::Bound { targets, .. }, Meaning::Outside) => {
                verdict.counts.corrected = 1;
                verdict.is_external = true;
                for target in targets {
                    self.edge(file, site, *target, false, &mut verdict.edges);
                }
            }
            (Claim::Bound { targets, .. }, Meaning::Symbols(theirs)) => {
                let same = targets.iter().copied().find(|ours| {
                    theirs.iter().any(|theirs| self.agrees(*ours, *theirs, &file.language))
                });
                match (same, self.one_of(theirs, &file.language)) {
                    (Some(same), _) => {
                        verdict.counts.confirmed = 1;
                        self.edge(file, site, same, true, &mut verdict.edges);
                    }
                    (None, Some(other)) => {
                        verdict.counts.corrected = 1;
                        for target in targets {
                            self.edge(file, site, *target, false, &mut verdict.edges);
                        }
                        self.edge(file, site, other, true, &mut verdict.edges);
                    }
                    (None, None) => verdict.counts.unanswered = 1,
                }
            }
            (Claim::Open | Claim::External { .. }, Meaning::Symbols(theirs)) => {
                match self.one_of(theirs, &file.language) {
                    Some(target) => {
                        verdict.counts.new = 1;
                        if let Claim::External { targets } = &site.claim {
                            for target in targets {
                                self.edge(file, site, *target, false, &mut verdict.edges);
                            }
                        }
                        self.edge(file, site, target, true, &mut verdict.edges);
                    }
                    None => verdict.counts.unanswered = 1,
                }
            }
        }
        verdict
    }

    /// The one symbol that several places mean; none where they mean different ones.
    fn one_of(&self, symbols: &[NodeId], language: &str) -> Option<NodeId> {
        let (first, rest) = symbols.split_first()?;
        rest.iter().all(|other| self.agrees(*first, *other, language)).then_some(*first)
    }

    /// The call, and that a test tests where that is what it says.
    fn edge(
        &self,
        file: &SourceFile,
        site: &Site,
        target: NodeId,
        holds: bool,
        edges: &mut Vec<LayerEdge>,
    ) {
        let Some(source) = file.definitions.get(site.source as usize) else { return };
        let call = LayerEdge {
            source: source.node,
            target,
            kind: EdgeKind::Calls,
            holds,
            confidence: self.confidence,
            line: site.line,
            col: site.col,
        };
        edges.push(call);
        let is_tested = self.graph.definition(target).is_some_and(|target| !target.is_test);
        if source.is_test && is_tested {
            edges.push(LayerEdge { kind: EdgeKind::Tests, ..call });
        }
    }
}

/// What an answer makes of one site.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    pub edges: Vec<LayerEdge>,
    pub is_external: bool,
    /// The answer names no place at all.
    pub is_silent: bool,
    pub counts: Counts,
}

/// What a call leads to; a variable that holds a function is not it.
pub const fn is_callable(kind: NodeKind) -> bool {
    matches!(
        kind,
        NodeKind::Function
            | NodeKind::Method
            | NodeKind::Type
            | NodeKind::Class
            | NodeKind::Interface
            | NodeKind::Trait
            | NodeKind::Enum
            | NodeKind::Rpc
    )
}

/// Whether a constant that is given a function by its name is that function.
fn follows_names(language: &str) -> bool {
    language == "typescript"
}

/// What may hold a function.
const fn is_value(kind: NodeKind) -> bool {
    matches!(kind, NodeKind::Field | NodeKind::Var | NodeKind::Const)
}

/// `app.Flask.__init__` of `app.Flask`.
fn is_constructor_of(member: &str, owner: &str) -> bool {
    let Some(name) = member.strip_prefix(owner).and_then(|rest| rest.strip_prefix('.')) else {
        return false;
    };
    let own_name = owner.rsplit('.').next().unwrap_or(owner);
    name == own_name
        || matches!(name, "__init__" | "__new__" | "constructor" | "new" | "__construct")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constructors_are_known_by_name() {
        assert!(is_constructor_of("app.Flask.__init__", "app.Flask"));
        assert!(is_constructor_of("Cart.Cart", "Cart"));
        assert!(!is_constructor_of("app.Flask.run", "app.Flask"));
        assert!(!is_constructor_of("app.Flasky.__init__", "app.Flask"));
    }
}
