//! The names of symbols in SCIP: scheme, manager, package, version and descriptors,
//! with a space between them.

/// A symbol of a package, in parts.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct PackageSymbol {
    pub manager: String,
    pub package: String,
    /// `Client.get`; without files and modules of the package.
    pub symbol: String,
}

/// Whether a symbol is of one document only.
pub fn is_local(symbol: &str) -> bool {
    symbol.starts_with("local ")
}

/// The parts of a symbol that another package publishes; none where the package has
/// no name or nothing is named in it.
pub fn parse(symbol: &str) -> Option<PackageSymbol> {
    if is_local(symbol) {
        return None;
    }
    let mut rest = symbol;
    let mut words = Vec::new();
    for _ in 0..4 {
        let (word, after) = word(rest)?;
        words.push(word);
        rest = after;
    }
    let symbol = names(rest)?;
    let package = words[2].clone();
    let is_named = !package.is_empty() && package != ".";
    (is_named && !symbol.is_empty()).then(|| PackageSymbol {
        manager: words[1].clone(),
        package,
        symbol: symbol.join("."),
    })
}

/// Manager and name of the package of a symbol, and what is named in it; none for one
/// without a package. The version is left out: an installed one beside the indexed code is
/// the same package.
pub fn split_package(symbol: &str) -> Option<(&str, &str)> {
    if is_local(symbol) {
        return None;
    }
    let package = word(symbol)?.1;
    let version = word(word(package)?.1)?.1;
    let names = word(version)?.1;
    Some((&package[..package.len() - version.len()], names))
}

/// A symbol by which other versions of its package know it, too.
pub fn identity(symbol: &str) -> String {
    match split_package(symbol) {
        Some((package, names)) => format!("{package}{names}"),
        None => symbol.to_owned(),
    }
}

/// The ways to write what is named in a module of dotted names, from shorter folders:
/// `` `src.shop.cart`/sum(). `` is `` `shop.cart`/sum(). `` to whoever installed it.
pub fn shorter_modules(names: &str) -> Vec<String> {
    let Some((module, rest)) = names.strip_prefix('`').and_then(|text| text.split_once('`')) else {
        return Vec::new();
    };
    let dots = module.match_indices('.').map(|(dot, _)| &module[dot + 1..]);
    let written = |module: &str| {
        if module.contains('.') { format!("`{module}`{rest}") } else { format!("{module}{rest}") }
    };
    dots.map(written).collect()
}

/// Up to the next space that is not doubled.
fn word(text: &str) -> Option<(String, &str)> {
    let mut word = String::new();
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        if c != ' ' {
            word.push(c);
        } else if chars.peek().is_some_and(|(_, next)| *next == ' ') {
            chars.next();
            word.push(' ');
        } else {
            return Some((word, &text[at + 1..]));
        }
    }
    None
}

/// The names of types, methods and terms; namespaces are left out.
pub fn names(mut text: &str) -> Option<Vec<String>> {
    let mut names = Vec::new();
    while !text.is_empty() {
        let (name, rest) = match text.chars().next()? {
            // A parameter or type parameter is no name that others use.
            '(' | '[' => return Some(names),
            '`' => quoted(&text[1..])?,
            _ => {
                let end = text.find(['/', '#', '.', '(', ':', '!', '[']).unwrap_or(text.len());
                (text[..end].to_owned(), &text[end..])
            }
        };
        let mut rest = rest;
        let suffix = rest.chars().next()?;
        rest = &rest[suffix.len_utf8()..];
        match suffix {
            '/' | ':' => {}
            '(' => {
                names.push(name);
                let close = rest.find(").")?;
                rest = &rest[close + 2..];
            }
            '#' | '.' | '!' => names.push(name),
            _ => return None,
        }
        text = rest;
    }
    Some(names)
}

/// To the closing backtick; a doubled one is a backtick.
fn quoted(text: &str) -> Option<(String, &str)> {
    let mut name = String::new();
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        if c != '`' {
            name.push(c);
        } else if chars.peek().is_some_and(|(_, next)| *next == '`') {
            chars.next();
            name.push('`');
        } else {
            return Some((name, &text[at + 1..]));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_and_modules_are_split() {
        let symbol = "scip-python python a  b 1 `src.a.c`/f().";
        let (package, names) = split_package(symbol).unwrap();
        assert_eq!(package, "python a  b ");
        assert_eq!(identity(symbol), identity("scip-python python a  b 2.0 `src.a.c`/f()."));
        assert_ne!(identity(symbol), identity("scip-python python b 1 `src.a.c`/f()."));
        assert_eq!(shorter_modules(names), ["`a.c`/f().", "c/f()."]);
        assert_eq!(shorter_modules("a/f()."), Vec::<String>::new());
        assert_eq!(split_package("local 1"), None);
    }

    #[test]
    fn symbols_are_read_as_tools_write_them() {
        let parts = |symbol| {
            parse(symbol).map(|it| format!("{} | {} | {}", it.manager, it.package, it.symbol))
        };
        for (symbol, expected) in [
            ("scip-python python requests 2.32 `requests.api`/get().", "python | requests | get"),
            (
                "scip-typescript npm zod 4.3.6 `src/types.ts`/ZodType#parse().",
                "npm | zod | ZodType.parse",
            ),
            ("rust-analyzer cargo regex 1.10 bytes/Regex#new().", "cargo | regex | Regex.new"),
            ("scip-typescript npm a  b 1 X#`a``b`.", "npm | a b | X.a`b"),
        ] {
            assert_eq!(parts(symbol).as_deref(), Some(expected), "{symbol}");
        }
        for symbol in
            ["local 3", "", "a b", "s m . v X#", "s m p v `open", "s m p v X(", "s m p v a/"]
        {
            assert_eq!(parts(symbol), None, "{symbol}");
        }
    }
}
