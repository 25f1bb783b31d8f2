//! A command line cut into words and pipes, as a shell would.

/// A word, or what ends a simple command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    Word(String),
    /// Its output goes on.
    Pipe,
    End,
}

/// What is redirected is neither read nor searched by name; here-documents end the
/// reading: what follows is text.
pub fn pieces(command: &str) -> Vec<Piece> {
    let mut found = Vec::new();
    let mut word: Option<String> = None;
    let mut is_target = false;
    let mut rest = command.chars().peekable();
    let flush = |word: &mut Option<String>, is_target: &mut bool, found: &mut Vec<Piece>| {
        if let Some(word) = word.take()
            && !std::mem::take(is_target)
        {
            found.push(Piece::Word(word));
        }
    };
    while let Some(c) = rest.next() {
        match c {
            '\'' => {
                let text = word.get_or_insert_default();
                text.extend(rest.by_ref().take_while(|c| *c != '\''));
            }
            '"' => {
                let text = word.get_or_insert_default();
                while let Some(c) = rest.next() {
                    match c {
                        '"' => break,
                        '\\' => match rest.next() {
                            Some(next @ ('"' | '\\' | '$' | '`')) => text.push(next),
                            Some(next) => text.extend(['\\', next]),
                            None => {}
                        },
                        c => text.push(c),
                    }
                }
            }
            '\\' => word.get_or_insert_default().extend(rest.next().filter(|c| *c != '\n')),
            ' ' | '\t' => flush(&mut word, &mut is_target, &mut found),
            '|' if rest.peek() == Some(&'|') => {
                rest.next();
                flush(&mut word, &mut is_target, &mut found);
                found.push(Piece::End);
            }
            '|' => {
                if rest.peek() == Some(&'&') {
                    rest.next();
                }
                flush(&mut word, &mut is_target, &mut found);
                found.push(Piece::Pipe);
            }
            ';' | '&' | '\n' | '(' | ')' => {
                flush(&mut word, &mut is_target, &mut found);
                if c != '&' || rest.peek() != Some(&'>') {
                    found.push(Piece::End);
                }
            }
            '<' if rest.peek() == Some(&'<') => break,
            '>' | '<' => {
                // `2>` is no word of its own.
                if word.as_ref().is_some_and(|word| word.bytes().all(|it| it.is_ascii_digit())) {
                    word = None;
                }
                flush(&mut word, &mut is_target, &mut found);
                while matches!(rest.peek(), Some('>' | '&' | '|')) {
                    rest.next();
                }
                is_target = true;
            }
            c => word.get_or_insert_default().push(c),
        }
    }
    flush(&mut word, &mut is_target, &mut found);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_operators_are_told_apart() {
        let told = |text: &str| -> Vec<String> {
            pieces(text)
                .into_iter()
                .map(|piece| match piece {
                    Piece::Word(word) => word,
                    Piece::Pipe => "|".to_owned(),
                    Piece::End => ";".to_owned(),
                })
                .collect()
        };
        assert_eq!(told(r#"a 'b c' "d \"e" f\ g"#), ["a", "b c", "d \"e", "f g"]);
        assert_eq!(told("a|b && c;d"), ["a", "|", "b", ";", ";", "c", ";", "d"]);
        assert_eq!(told("a 2>/dev/null >x b"), ["a", "b"]);
        assert_eq!(told("a 2>&1 | b"), ["a", "|", "b"]);
        assert_eq!(told(r#""a\|b""#), [r"a\|b"]);
    }
}
