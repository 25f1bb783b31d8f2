//! Symbols as SCIP writes them: `lore git example.com/acme/shop 1f2e…
//! shop/cart/Cart#sum().`
//!
//! Every part of a name carries what it is in its last characters: `/` a place
//! that holds others, `#` a type, `().` something to call, `.` anything else.

use model::code::NodeKind;

/// A part of a symbol's name, and what it is.
#[derive(Debug, Clone, Copy)]
pub struct Part<'a> {
    pub name: &'a str,
    pub kind: NodeKind,
    /// Tells apart what has the same name and kind.
    pub disambiguator: &'a str,
}

/// A whole symbol; `folder` are the names around its parts.
pub fn symbol(
    manager: &str,
    package: &str,
    version: &str,
    folder: &str,
    parts: &[Part<'_>],
) -> String {
    let mut out = String::from("lore");
    for text in [manager, package, version] {
        out.push(' ');
        // An empty part is a dot, and a space inside one is doubled.
        out.push_str(&if text.is_empty() { ".".to_owned() } else { text.replace(' ', "  ") });
    }
    out.push(' ');
    let before = out.len();
    for name in folder.split('/').filter(|name| !name.is_empty()) {
        out.push_str(&identifier(name));
        out.push('/');
    }
    for part in parts.iter().filter(|part| !part.name.is_empty()) {
        descriptor(part, &mut out);
    }
    if out.len() == before {
        // The top of a repository: a symbol has at least one part.
        out.push_str("`.`/");
    }
    out
}

fn descriptor(part: &Part<'_>, out: &mut String) {
    let mark = part.disambiguator;
    let is_called = matches!(part.kind, NodeKind::Function | NodeKind::Method | NodeKind::Rpc);
    if is_called {
        let mark = if mark.is_empty() { String::new() } else { format!("+{mark}") };
        out.push_str(&format!("{}({mark}).", identifier(part.name)));
        return;
    }
    let name = if mark.is_empty() { part.name.to_owned() } else { format!("{}+{mark}", part.name) };
    out.push_str(&identifier(&name));
    out.push(match part.kind {
        NodeKind::Module | NodeKind::Package => '/',
        NodeKind::Type
        | NodeKind::Class
        | NodeKind::Interface
        | NodeKind::Trait
        | NodeKind::Enum
        | NodeKind::Service
        | NodeKind::Table
        | NodeKind::Message => '#',
        _ => '.',
    });
}

/// A name as it is, or in backticks when it has characters of the grammar.
fn identifier(name: &str) -> String {
    let is_simple = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '+' | '-' | '$');
    if !name.is_empty() && name.chars().all(is_simple) {
        return name.to_owned();
    }
    format!("`{}`", name.replace('`', "``"))
}

/// The number SCIP has for a kind.
pub const fn kind_number(kind: NodeKind) -> u64 {
    match kind {
        NodeKind::Class => 7,
        NodeKind::Const => 8,
        NodeKind::Enum => 11,
        NodeKind::Field | NodeKind::Column => 15,
        NodeKind::Function | NodeKind::Rpc => 17,
        NodeKind::Interface => 21,
        NodeKind::Method => 26,
        NodeKind::Message => 28,
        NodeKind::Module => 29,
        NodeKind::Resource | NodeKind::Table | NodeKind::Service | NodeKind::Job => 33,
        NodeKind::Package => 35,
        NodeKind::Trait => 53,
        NodeKind::Type => 54,
        NodeKind::Var => 61,
        NodeKind::RouteHandler | NodeKind::Selector | NodeKind::External => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_follow_the_grammar() {
        let part = |name, kind| Part { name, kind, disambiguator: "" };
        let method = [
            part("cart", NodeKind::Module),
            part("Cart", NodeKind::Class),
            Part { name: "sum", kind: NodeKind::Method, disambiguator: "2" },
        ];
        assert_eq!(
            symbol("git", "example.com/a b", "", "src/my.shop", &method),
            "lore git example.com/a  b . src/`my.shop`/cart/Cart#sum(+2)."
        );
        let route = [part("GET /`x`", NodeKind::RouteHandler)];
        assert_eq!(symbol("", "r", "v", "", &route), "lore . r v `GET /``x```.");
        assert_eq!(symbol("git", "r", "v", "", &[part("", NodeKind::Module)]), "lore git r v `.`/");
    }
}
