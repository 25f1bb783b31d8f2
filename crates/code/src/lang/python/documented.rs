//! Types that documentation names: `:rtype: requests.Response`, as Sphinx reads it.
//!
//! Older code has no annotations, and a checker then knows nothing of what comes through
//! a dictionary or a call that it cannot follow. The names mean what they mean in the
//! module, else modules by their full names.

use super::Lower;
use super::definitions::docstring_of;
use crate::facts::{DefId, Expr, ExprId, Import, ImportedName, Name, Space, TypeId, TypeRef};
use tree_sitter::Node;

/// First parts of dotted names that are looked for, of one file.
const MOST_MODULES: usize = 64;

/// What the first part of a dotted name in documentation means.
#[derive(Clone, Copy)]
pub(super) enum NameRoot {
    /// A name of the module it stands in.
    Here,
    /// A module by its full name.
    Module(ExprId),
}

impl Lower<'_, '_> {
    /// What the documentation of a function says that it returns, where that is a class.
    pub(super) fn documented_result(&mut self, body: Node<'_>) -> Option<TypeId> {
        let content = docstring_of(body)?;
        let class = returned_class(self.text(content))?;
        let mut parts = class.split('.').map(str::to_owned);
        let first = parts.next()?;
        let at = content.start_byte();
        let rest: Vec<String> = parts.collect();
        let name = self.b.name(&first);
        let root = if rest.is_empty() { NameRoot::Here } else { self.documented_root(name, at)? };
        let mut path = match root {
            NameRoot::Module(module) => module,
            NameRoot::Here => self.b.lookup_unwritten(name, Space::Type, at),
        };
        for part in rest {
            let part = self.b.name(&part);
            path = self.b.expr(Expr::Member(path, part));
        }
        Some(self.b.type_ref(TypeRef::Named(path, Box::default())))
    }

    /// Whether the module has given a name a meaning so far; imports stand at its top.
    fn is_known(&self, name: Name) -> bool {
        let binds = &self.b.facts.binds;
        binds.iter().any(|bind| bind.name == name && bind.home == Some(DefId::FILE))
    }

    /// What the first part of a dotted name means; none where too many were looked for.
    fn documented_root(&mut self, name: Name, at: usize) -> Option<NameRoot> {
        if let Some(known) = self.documented.get(&name) {
            return Some(*known);
        }
        if self.documented.len() >= MOST_MODULES {
            return None;
        }
        let root = if self.is_known(name) {
            NameRoot::Here
        } else {
            let (line, _) = self.b.position(at);
            let import = Import {
                path: [name].into(),
                what: ImportedName::Documented,
                level: 0,
                is_reexport: false,
                is_type_only: true,
                home: DefId::FILE,
                line,
            };
            NameRoot::Module(self.b.documented(name, import))
        };
        self.documented.insert(name, root);
        Some(root)
    }
}

/// `requests.Response` of a line `:rtype: requests.Response` or `` :rtype: :class:`~requests.Response` ``.
/// Only what is written like a class; of `X or None` the class.
fn returned_class(doc: &str) -> Option<&str> {
    let mut lines = doc.lines().filter_map(|line| line.trim().strip_prefix(":rtype:"));
    let said = lines.next()?.trim();
    let said = said.strip_suffix(" or None").unwrap_or(said).trim_end_matches('.').trim();
    let path = match said.split_once('`') {
        Some(("" | ":class:" | ":py:class:" | ":obj:", quoted)) => {
            let text = quoted.strip_suffix('`')?;
            // `text <path>` names another path than it shows.
            let path = text.split_once('<').map_or(text, |(_, path)| path.trim_end_matches('>'));
            path.trim_matches(['`', '~', '.', ' '])
        }
        Some(_) => return None,
        None => said,
    };
    let is_name = |part: &str| {
        let is_start = |c: char| c.is_alphabetic() || c == '_';
        part.starts_with(is_start) && part.chars().all(|c| c.is_alphanumeric() || c == '_')
    };
    let class = path.rsplit('.').next().unwrap_or(path).trim_start_matches('_');
    let is_class =
        class.starts_with(char::is_uppercase) && !matches!(class, "None" | "True" | "False");
    (is_class && path.split('.').all(is_name)).then_some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_read_in_every_form_that_is_in_use() {
        for (doc, class) in [
            ("Sends.\n\n    :rtype: requests.Response\n", Some("requests.Response")),
            (":rtype: Session", Some("Session")),
            (":rtype: :class:`Response`", Some("Response")),
            (":rtype: :py:class:`~app.Response`", Some("app.Response")),
            (":rtype: :class:`Response <app.Response>`", Some("app.Response")),
            (":rtype: ``Response``", Some("Response")),
            (":rtype: Response or None", Some("Response")),
            (":rtype: str", None),
            (":rtype: None", None),
            (":rtype: list of Response", None),
            (":rtype: Response | int", None),
            (":rtype:\n    Response", None),
            (":rtype: :func:`Response`", None),
            (":returns: Response", None),
        ] {
            assert_eq!(returned_class(doc), class, "{doc:?}");
        }
    }
}
