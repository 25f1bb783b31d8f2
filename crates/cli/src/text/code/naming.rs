//! Names of symbols as people write them in the language.

use insight::code::SymbolRef;

/// Short in the repository asked about and as it is imported there, with the name
/// of its repository elsewhere. It can be typed back.
pub(crate) fn short_name(symbol: &SymbolRef, home: &str) -> String {
    let Some((repo, local)) = symbol.qualified_name.split_once("://") else {
        return symbol.symbol.clone();
    };
    if repo != home {
        return format!("{}://{local}", short_repo(repo));
    }
    // A module of Python is imported by its path; elsewhere the type says enough.
    let extension = symbol.path.rsplit_once('.').map_or("", |(_, extension)| extension);
    let is_python = matches!(extension, "py" | "pyi");
    if is_python { importable(local).replace('/', ".") } else { symbol.symbol.clone() }
}

/// The path of a package without the folder of sources around it: what is in
/// `src/black` is imported as `black`.
fn importable(local: &str) -> &str {
    const SOURCES: &str = "src/";
    let after = |at: usize| &local[at + SOURCES.len()..];
    let is_folder = |at: &usize| *at == 0 || local[..*at].ends_with('/');
    let starts = local.match_indices(SOURCES).map(|(at, _)| at).filter(is_folder);
    starts.last().map_or(local, after)
}

/// `local/` and the beginning of the hash; other names in full.
pub(crate) fn short_repo(repo: &str) -> &str {
    const DIGITS: usize = 10;
    match repo.strip_prefix("local/") {
        Some(hash) if hash.is_ascii() && hash.len() > DIGITS => &repo["local/".len()..][..DIGITS],
        _ => repo,
    }
}

/// The whole name of a symbol as it can be typed back, without the long hash.
pub(crate) fn short_reference(reference: &str) -> String {
    match reference.split_once("://") {
        Some((repo, local)) => format!("{}://{local}", short_repo(repo)),
        None => reference.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(qualified_name: &str, symbol: &str, path: &str) -> String {
        let symbol = SymbolRef {
            qualified_name: qualified_name.to_owned(),
            symbol: symbol.to_owned(),
            kind: model::code::SymbolKind::Function,
            path: path.to_owned(),
            line: 1,
            is_test: false,
        };
        short_name(&symbol, "h/a/b")
    }

    #[test]
    fn names_are_written_as_they_are_imported() {
        let python =
            named("h/a/b://django/utils.text.slugify", "text.slugify", "django/utils/text.py");
        assert_eq!(python, "django.utils.text.slugify");
        let below_sources =
            named("h/a/b://src/black.linegen.f", "linegen.f", "src/black/linegen.py");
        assert_eq!(below_sources, "black.linegen.f");
        let in_workspace =
            named("h/a/b://libs/core/src/core/x.a.f", "a.f", "libs/core/src/core/x/a.py");
        assert_eq!(in_workspace, "core.x.a.f");
        assert_eq!(named("h/a/b://src.app.f", "app.f", "src/app.py"), "src.app.f");
        let java = named(
            "h/a/b://x/src/main/java/com/g.Gson.toJson",
            "Gson.toJson",
            "x/src/main/java/com/g/Gson.java",
        );
        assert_eq!(java, "Gson.toJson");
        assert_eq!(
            named("h/a/b://src.context.Context", "context.Context", "src/context.ts"),
            "context.Context"
        );
        assert_eq!(named("local/0123456789abcdef://p.f", "f", "p/f.go"), "0123456789://p.f");
        assert_eq!(named("h/x/y://p.f", "f", "p/f.go"), "h/x/y://p.f");
    }
}
