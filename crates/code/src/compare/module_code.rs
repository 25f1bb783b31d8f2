//! Code of a file that is in no symbol: what runs when a module is loaded.

use super::File;
use crate::facts::{Def, DefId};
use crate::lang;
use crate::matching::data_records;
use crate::terms::lexer::{PieceKind, code_words, pieces};
use model::change::{Aspect, SymbolChange, SymbolChangeKind, SymbolVersion};
use model::code::is_test_path;

/// A statement at the top of a file.
#[derive(Debug, PartialEq, Eq)]
struct Statement {
    line: u32,
    words: Vec<String>,
}

/// The file as a changed symbol, where statements outside of its symbols differ.
/// Imports are left out: edges tell of them.
pub fn module_change(old: &File, new: &File) -> Option<SymbolChange> {
    if !lang::notation(&new.facts.language).runs_at_top || old.bytes == new.bytes {
        return None;
    }
    let (before, after) = (statements(old)?, statements(new)?);
    let is_same = |pair: (&Statement, &Statement)| pair.0.words == pair.1.words;
    let n_same = before.iter().zip(&after).take_while(|pair| is_same(*pair)).count();
    if n_same == before.len() && n_same == after.len() {
        return None;
    }
    let line =
        |all: &[Statement]| all.get(n_same).or(all.last()).map_or(1, |statement| statement.line);
    Some(SymbolChange {
        change: SymbolChangeKind::Changed,
        new: Some(version(new, line(&after))),
        old: Some(version(old, line(&before))),
        aspects: vec![Aspect::Body],
        similarity: None,
        evidence: None,
        members: 0,
        is_test: is_test_path(&new.path),
        demands: Vec::new(),
        derivation: None,
    })
}

fn version(file: &File, line: u32) -> SymbolVersion {
    let name = file.path.rsplit('/').next().unwrap_or(&file.path);
    SymbolVersion {
        symbol: name.split('.').next().unwrap_or(name).to_owned(),
        kind: "module".to_owned(),
        path: file.path.clone(),
        line,
        signature: None,
        is_public: true,
    }
}

/// The statements that are in no definition.
fn statements(file: &File) -> Option<Vec<Statement>> {
    let mut bytes = file.bytes.clone();
    // What is passed to a call at the top is no symbol, but for functions in it.
    let data = data_records(&file.source());
    let is_symbol = |at: usize, def: &Def| {
        !data.contains(&DefId(at as u32))
            && (def.parent == DefId::FILE || (data.contains(&def.parent) && def.kind.is_callable()))
    };
    let all = file.facts.defs.iter().enumerate().skip(1);
    for (_, def) in all.filter(|(at, def)| is_symbol(*at, def)) {
        let span = def.span.start_byte as usize..def.span.end_byte as usize;
        for byte in bytes.get_mut(span)?.iter_mut().filter(|byte| **byte != b'\n') {
            *byte = b' ';
        }
    }
    let text = String::from_utf8(bytes).ok()?;
    let mut all: Vec<Statement> = Vec::new();
    let mut depth = 0_i32;
    let mut last_line = 0;
    for piece in pieces(&text, &file.facts.language) {
        let is_text = match piece.kind {
            PieceKind::Code => false,
            PieceKind::Quoted => true,
            PieceKind::Comment | PieceKind::Doc => continue,
        };
        if piece.text.trim().is_empty() {
            continue;
        }
        if all.is_empty() || (piece.line != last_line && depth <= 0) {
            all.push(Statement { line: piece.line, words: Vec::new() });
            depth = 0;
        }
        last_line = piece.line;
        let Some(statement) = all.last_mut() else { continue };
        if is_text {
            statement.words.push(piece.text.to_owned());
            continue;
        }
        for c in piece.text.chars() {
            depth += match c {
                '(' | '[' | '{' => 1,
                ')' | ']' | '}' => -1,
                _ => 0,
            };
        }
        statement.words.extend(code_words(piece.text).map(|(_, word)| word.to_owned()));
    }
    all.retain(|statement| !is_import(statement) && has_word(statement));
    Some(all)
}

/// Punctuation that a definition left behind is no statement.
fn has_word(statement: &Statement) -> bool {
    let is_left_over = |word: &String| {
        matches!(
            word.as_str(),
            "export" | "default" | "async" | "declare" | "const" | "let" | "var"
        ) || !word.chars().any(char::is_alphanumeric)
    };
    !statement.words.iter().all(is_left_over)
}

fn is_import(statement: &Statement) -> bool {
    let first = statement.words.first().map(String::as_str);
    let has = |wanted: &str| statement.words.iter().any(|word| word == wanted);
    match first {
        Some("import" | "from" | "use" | "namespace" | "require" | "require_relative") => true,
        // `export { a } from './b'`, and the list of what is exported.
        Some("export") => has("from") || statement.words.get(1).is_some_and(|it| it == "{"),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, text: &str) -> File {
        let facts = lang::extract(path, text.as_bytes());
        File { path: path.to_owned(), bytes: text.as_bytes().to_vec(), facts, exported: None }
    }

    fn changed(path: &str, before: &str, after: &str) -> Option<u32> {
        module_change(&file(path, before), &file(path, after))?.new.map(|it| it.line)
    }

    #[test]
    fn statements_beside_symbols_are_compared() {
        let before = "import a\n\n\ndef f():\n    return 1\n\n\nf.allowed = (\n    1,\n)\n";
        let after = before.replace("    1,\n)", "    1,\n    2,\n)");
        assert_eq!(changed("m.py", before, &after), Some(8));
        let other = before.replace("return 1", "return 2").replace("import a", "import b");
        assert_eq!(
            changed("m.py", before, &other),
            None,
            "symbols and imports speak for themselves"
        );
        let laid_out = before.replace("(\n    1,\n)", "(1,)");
        assert_eq!(changed("m.py", before, &laid_out), None);
        assert_eq!(changed("m.py", before, &format!("# hi\n{before}")), None);
    }

    #[test]
    fn a_call_at_the_top_of_a_script_counts() {
        let before = "import { app } from './app'\nfunction f() { return 1 }\napp.use(f)\n";
        let after =
            "import { app } from './app'\nfunction f() { return 2 }\napp.use(f)\napp.listen(1)\n";
        assert_eq!(changed("m.ts", before, after), Some(4));
        assert_eq!(changed("m.go", "package a\n", "package b\n"), None);
    }
}
