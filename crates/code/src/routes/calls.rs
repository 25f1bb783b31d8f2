//! Routes said by calls: a router is given a pattern and a function.

use super::joined;
use super::text::{CallText, pattern};
use crate::facts::{Builder, DefId, Expr, ExprId, ImportedName};

pub(crate) const METHODS: [&str; 9] =
    ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "CONNECT", "TRACE"];

/// The n-th argument of a call as the facts have it.
pub(crate) fn argument(b: &Builder<'_>, call: &CallText<'_>, nth: usize) -> Option<ExprId> {
    let expr = b.facts.calls.get(call.index)?.expr;
    match &b.facts.exprs[expr.ix()] {
        Expr::Call(_, args) | Expr::New(_, args) => args.get(nth).copied(),
        _ => None,
    }
}

/// The function behind an argument: through a wrapper's last argument, through
/// `View.as_view()` to the class, and through `f.bind(this)` to what is bound.
pub(crate) fn answering(b: &Builder<'_>, id: Option<ExprId>) -> Option<ExprId> {
    let mut id = id.filter(|id| *id != Builder::OPAQUE)?;
    for _ in 0..4 {
        match &b.facts.exprs[id.ix()] {
            Expr::Call(callee, args) => match (args.last(), &b.facts.exprs[callee.ix()]) {
                (_, Expr::Member(base, name)) if b.facts.text(*name) == "bind" => id = *base,
                (Some(last), _) => id = *last,
                (None, Expr::Member(base, _)) => id = *base,
                _ => return None,
            },
            _ => return Some(id),
        }
    }
    None
}

pub(crate) fn imports(b: &Builder<'_>, words: &[&str]) -> bool {
    let mut imports = b.facts.imports.iter().filter(|it| it.what != ImportedName::Documented);
    imports.any(|import| {
        import.path.iter().any(|name| {
            let text = b.facts.text(*name);
            words.iter().any(|word| text.contains(word))
        })
    })
}

/// The text before a call on its line: the variable it is assigned to.
pub(crate) fn assigned<'s>(b: &Builder<'s>, call: &CallText<'_>) -> &'s str {
    let source: &'s [u8] = b.source;
    let line = source[..call.span.start].rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
    let line = std::str::from_utf8(line).unwrap_or_default();
    let name = line.split(['=', ':']).next().unwrap_or_default().trim();
    name.rsplit(' ').next().unwrap_or(name)
}

/// Routers of a file that stand for a prefix, by the name of their variable and
/// where that is known.
#[derive(Default)]
pub(crate) struct Groups {
    all: Vec<(DefId, String, String)>,
}

impl Groups {
    /// Says that routes of a variable are below a prefix.
    pub fn add(&mut self, b: &Builder<'_>, call: &CallText<'_>, name: &str, prefix: String) {
        let within = b.facts.calls.get(call.index).map_or(DefId::FILE, |call| call.within);
        self.all.push((within, name.to_owned(), prefix));
    }

    /// The patterns of the calls a call stands in, behind that of its receiver.
    pub fn prefix(&self, b: &Builder<'_>, call: &CallText<'_>, nests: &[CallText<'_>]) -> String {
        let within = b.facts.calls.get(call.index).map_or(DefId::FILE, |call| call.within);
        let of_receiver =
            self.all.iter().rev().find(|(around, name, _)| {
                *name == call.receiver && b.facts.is_within(within, *around)
            });
        let mut prefix = of_receiver.map_or(String::new(), |(.., prefix)| prefix.clone());
        for nest in nests {
            let is_inside = nest.span.start < call.span.start && call.span.end <= nest.span.end;
            if is_inside && let Some(pattern) = nest.args.first().and_then(|arg| pattern(arg)) {
                prefix = joined(&prefix, &pattern);
            }
        }
        prefix
    }
}
