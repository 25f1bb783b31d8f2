//! A pack for an agent, who pays by the token: symbols under their files, one line
//! each, and no reasons. `--format text` and JSON have those.

use super::pack::{Pack, PackedSymbol, PackedText};
use super::pointers;
use super::render;
use crate::agent_text;
use model::text::one_line;

/// Columns of a signature, and of the first sentence of a documentation.
const SIGNATURE: usize = 160;
const DOC: usize = 110;
/// Columns of what a decision or thread says.
const TEXT: usize = 200;

pub(super) fn whole(pack: &Pack) -> String {
    let commit: String = pack.standing.commit.chars().take(10).collect();
    let mut out =
        format!("{} at {commit}; evidence {}\n", pack.standing.name, render::strength(pack));
    pack.notes.iter().for_each(|note| out.push_str(&format!("note: {note}\n")));
    for (path, symbols) in by_file(&pack.symbols) {
        out.push_str(&format!("{path}\n"));
        for it in symbols {
            out.push_str(&symbol(it));
        }
    }
    let further = pack.further_files();
    if !further.is_empty() {
        let label = if pack.symbols.is_empty() { "files" } else { "also" };
        out.push_str(&format!("{label}: {}\n", further.join(", ")));
    }
    out.push_str(&render::edge_lines(pack, ""));
    pack.texts.iter().for_each(|it| out.push_str(&text(it)));
    if !pack.owners.is_empty() {
        out.push_str(&format!("owners: {}\n", pack.owners.join(", ")));
    }
    if pack.left_out > 0 {
        out.push_str(&format!("{} more ({}); ", pack.left_out, pack.cut_by()));
    }
    out.push_str(&format!("pack {}\n", render::short(&pack.pack_root)));
    out
}

pub(super) fn symbol(symbol: &PackedSymbol) -> String {
    let more: String = symbol.other_lines.iter().map(|line| format!(",{line}")).collect();
    let mut out = format!(" :{}{more} {}", symbol.line, headed(symbol));
    let doc = without_name(first_sentence(&symbol.doc), &symbol.symbol);
    if !doc.is_empty() {
        out.push_str(&format!(" — {}", one_line(doc, DOC)));
    }
    out.push('\n');
    if let Some(body) = &symbol.body {
        body.lines().for_each(|line| out.push_str(&format!(" | {line}\n")));
    }
    out
}

pub(super) fn text(text: &PackedText) -> String {
    let said = one_line(&text.text, TEXT);
    let title = one_line(&text.title, TEXT);
    match text.kind.as_str() {
        pointers::TESTS => return format!("tests: {} {title}\n", text.reference),
        pointers::COMMIT => return format!("like an earlier change: {} {title}\n", text.reference),
        _ => {}
    }
    if said.starts_with(&title) {
        format!("{} {said}\n", text.reference)
    } else {
        format!("{} {title}: {said}\n", text.reference)
    }
}

/// Files in the order of their best symbol.
fn by_file(symbols: &[PackedSymbol]) -> Vec<(&str, Vec<&PackedSymbol>)> {
    let mut files: Vec<(&str, Vec<&PackedSymbol>)> = Vec::new();
    for symbol in symbols {
        match files.iter_mut().find(|(path, _)| *path == symbol.path) {
            Some((_, of_file)) => of_file.push(symbol),
            None => files.push((&symbol.path, vec![symbol])),
        }
    }
    files
}

/// `Replacer.Get(variable string) (any, bool)`, `type Replacer`: the name with its
/// container, once, and what the signature says after it.
fn headed(symbol: &PackedSymbol) -> String {
    let own = within_file(symbol);
    let name = own.rsplit(['.', ':', '#']).next().unwrap_or(own);
    let after = parameters(&symbol.signature, name).unwrap_or_default();
    if after.is_empty() {
        format!("{} {own}", symbol.kind)
    } else {
        one_line(&format!("{own}{after}"), SIGNATURE)
    }
}

/// Without the module, which is said by the file: `Cart.total` of `cart.Cart.total`. A
/// class that its file is named after is no module.
fn within_file(of: &PackedSymbol) -> &str {
    let (symbol, path) = (of.symbol.as_str(), of.path.as_str());
    let (folder, file) = path.rsplit_once('/').unwrap_or(("", path));
    let stem = match file.split('.').next().unwrap_or(file) {
        "__init__" | "index" | "mod" => folder.rsplit('/').next().unwrap_or(folder),
        stem => stem,
    };
    let is_module = !stem.starts_with(char::is_uppercase);
    let rest = symbol.strip_prefix(stem).and_then(|rest| rest.strip_prefix('.'));
    let own = rest.filter(|rest| is_module && !rest.is_empty()).unwrap_or(symbol);
    // Namespaces say what the folders say.
    if own.matches('.').count() > 1 { agent_text::name_of_kind(own, of.kind) } else { own }
}

/// What follows a name that takes parameters.
fn parameters<'a>(signature: &'a str, name: &str) -> Option<&'a str> {
    // `(a, b) =>` of a function that is a value has no name in it.
    let value = signature.strip_prefix("async ").unwrap_or(signature);
    if value.starts_with(['(', '<']) {
        return Some(value.trim_end_matches("=>").trim_end());
    }
    let found = signature.match_indices(name).map(|(at, _)| &signature[at + name.len()..]);
    found.into_iter().find(|after| after.starts_with(['(', '<', '[']))
}

/// `Get gets a value`: the name stands in front of it already.
fn without_name<'a>(doc: &'a str, symbol: &str) -> &'a str {
    let name = symbol.rsplit(['.', ':', '#']).next().unwrap_or(symbol);
    doc.strip_prefix(name).filter(|rest| rest.starts_with(' ')).map_or(doc, str::trim_start)
}

fn first_sentence(doc: &str) -> &str {
    let ends = [". ", ".\n", "\n\n"].iter().filter_map(|end| doc.find(end));
    doc[..ends.min().unwrap_or(doc.len())].trim().trim_end_matches('.')
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::code::SymbolKind;

    fn packed(symbol: &str, path: &str, kind: SymbolKind) -> PackedSymbol {
        PackedSymbol {
            qualified_name: String::new(),
            symbol: symbol.to_owned(),
            kind,
            path: path.to_owned(),
            line: 1,
            end_line: 1,
            other_lines: Vec::new(),
            signature: String::new(),
            doc: String::new(),
            why: Vec::new(),
            score: 1.0,
            body: None,
            shares: Vec::new(),
        }
    }

    #[test]
    fn the_module_is_said_by_the_file() {
        use SymbolKind::{Function, Method};
        for (symbol, path, kind, shown) in [
            ("cart.Cart.total", "shop/cart.py", Method, "Cart.total"),
            ("shop.Cart", "shop/__init__.py", SymbolKind::Class, "Cart"),
            ("hmr.update", "src/hmr.ts", Function, "update"),
            ("Cart.total", "shop/Cart.java", Method, "Cart.total"),
            ("Head.truncate", "tsdb/head.go", Method, "Head.truncate"),
            ("cart", "shop/cart.py", SymbolKind::Module, "cart"),
            ("carton.x", "shop/cart.py", Function, "carton.x"),
            ("Shop.Sales.Cart.total", "shop/sales/cart.rb", Method, "Cart.total"),
            ("cart.shop.total", "shop/cart.cc", Function, "shop.total"),
            // A class in lower case keeps its name.
            ("app.canvas.chunks.apply_async", "celery/canvas.py", Method, "chunks.apply_async"),
        ] {
            assert_eq!(within_file(&packed(symbol, path, kind)), shown, "{symbol} {path}");
        }
    }

    #[test]
    fn functions_that_are_values_show_their_parameters() {
        for (signature, shown) in [
            ("(a: A, b: B) =>", "cart.total(a: A, b: B)"),
            ("async <T>(a: T) =>", "cart.total<T>(a: T)"),
            ("function total(a: A): B", "cart.total(a: A): B"),
            ("a =>", "function cart.total"),
        ] {
            let symbol = PackedSymbol {
                signature: signature.to_owned(),
                ..packed("cart.total", "shop/store.ts", SymbolKind::Function)
            };
            assert_eq!(headed(&symbol), shown, "{signature}");
        }
    }
}
