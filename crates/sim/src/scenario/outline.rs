//! First step of reading: lines become a tree by their indentation.
//!
//! Knows nothing of the words of the language, only that `|`, `-`, `+` and `=`
//! begin lines of text that belong to the statement above them.

use super::ast::Place;
use super::error::Diagnostic;

/// One statement with the text and the statements indented under it.
#[derive(Debug)]
pub struct Statement {
    pub place: Place,
    pub source: String,
    pub text: Vec<TextLine>,
    pub children: Vec<Statement>,
    indent: usize,
}

/// A line of text and the mark it began with.
#[derive(Debug)]
pub struct TextLine {
    pub place: Place,
    pub mark: char,
    pub content: String,
}

const MARKS: [char; 4] = ['|', '-', '+', '='];

/// Reads one text into its blocks.
pub fn outline(file: usize, text: &str) -> Result<Vec<Statement>, Diagnostic> {
    let mut blocks: Vec<Statement> = Vec::new();
    // The statements that are still open, outermost first.
    let mut open: Vec<Statement> = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let place = Place { file, line: index + 1 };
        let content = line.trim_start_matches(' ');
        let indent = line.len() - content.len();
        if content.starts_with('\t') {
            return Diagnostic::new(place, "indent with spaces, not with tabs");
        }
        let Some(first) = content.chars().next() else { continue };
        if first == '#' || content.trim().is_empty() {
            continue;
        }
        while open.last().is_some_and(|statement| statement.indent >= indent) {
            fold(&mut blocks, &mut open);
        }
        if MARKS.contains(&first) {
            let Some(owner) = open.last_mut() else {
                return Diagnostic::new(place, "text belongs under a statement, indented");
            };
            let rest = &content[1..];
            let content = rest.strip_prefix(' ').unwrap_or(rest).to_owned();
            owner.text.push(TextLine { place, mark: first, content });
            continue;
        }
        if let Some(sibling) = open.last().and_then(|parent| parent.children.last())
            && sibling.indent != indent
        {
            return Diagnostic::new(
                place,
                format!(
                    "indented by {indent}, but line {} beside it by {}",
                    sibling.place.line, sibling.indent
                ),
            );
        }
        if open.is_empty() && indent > 0 {
            return Diagnostic::new(place, "indented, but there is no block above it");
        }
        open.push(Statement {
            place,
            source: without_comment(content).to_owned(),
            text: Vec::new(),
            children: Vec::new(),
            indent,
        });
    }
    while !open.is_empty() {
        fold(&mut blocks, &mut open);
    }
    Ok(blocks)
}

/// Closes the innermost open statement.
fn fold(blocks: &mut Vec<Statement>, open: &mut Vec<Statement>) {
    if let Some(done) = open.pop() {
        match open.last_mut() {
            Some(parent) => parent.children.push(done),
            None => blocks.push(done),
        }
    }
}

/// Cuts a trailing ` # remark`. A `#` that is followed by something else than a
/// space is part of the statement (`#12`, `#d9534f`), and so is one in quotes.
fn without_comment(line: &str) -> &str {
    let mut is_quoted = false;
    let mut before = ' ';
    let mut letters = line.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '\\' if is_quoted => {
                letters.next();
            }
            '"' => is_quoted = !is_quoted,
            '#' if !is_quoted
                && before == ' '
                && letters.peek().is_none_or(|(_, next)| *next == ' ') =>
            {
                return line[..at].trim_end();
            }
            _ => {}
        }
        before = letter;
    }
    line.trim_end()
}

impl Statement {
    /// The lines under `|`, joined; other marks are refused.
    pub fn body(&self) -> Result<String, Diagnostic> {
        let mut lines = Vec::with_capacity(self.text.len());
        for line in &self.text {
            if line.mark != '|' {
                return Diagnostic::new(
                    line.place,
                    format!("`{}` lines belong to `edit`; text begins with `|`", line.mark),
                );
            }
            lines.push(line.content.as_str());
        }
        Ok(lines.join("\n"))
    }

    pub fn refuse_text(&self) -> Result<(), Diagnostic> {
        match self.text.first() {
            Some(line) => Diagnostic::new(line.place, "no text is expected here"),
            None => Ok(()),
        }
    }

    pub fn refuse_children(&self) -> Result<(), Diagnostic> {
        match self.children.first() {
            Some(child) => Diagnostic::new(child.place, "nothing is expected to be indented here"),
            None => Ok(()),
        }
    }
}
