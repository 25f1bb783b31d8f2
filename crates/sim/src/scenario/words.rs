//! Second step of reading: the words of one statement.

use super::ast::{At, Name, Place, Target};
use super::error::Diagnostic;
use super::when;
use model::{EntityKind, Timestamp};

#[derive(Debug, Clone)]
struct Word {
    text: String,
    is_quoted: bool,
}

/// The words of a statement, taken from the front.
#[derive(Debug, Clone)]
pub struct Words {
    pub place: Place,
    words: std::vec::IntoIter<Word>,
}

impl Words {
    /// Words are split at spaces; `"…"` keeps spaces together anywhere in a
    /// word, with `\"` and `\\` inside.
    pub fn split(place: Place, source: &str) -> Result<Words, Diagnostic> {
        let mut words = Vec::new();
        let mut letters = source.chars().peekable();
        loop {
            while letters.next_if(|letter| *letter == ' ').is_some() {}
            let Some(first) = letters.peek() else { break };
            let mut word = Word { text: String::new(), is_quoted: *first == '"' };
            let mut in_quotes = false;
            while let Some(letter) = letters.next_if(|letter| in_quotes || *letter != ' ') {
                match letter {
                    '"' => in_quotes = !in_quotes,
                    '\\' if in_quotes => match letters.next() {
                        Some(escaped @ ('"' | '\\')) => word.text.push(escaped),
                        _ => return Diagnostic::new(place, r#"after `\` comes `"` or `\`"#),
                    },
                    letter => word.text.push(letter),
                }
            }
            if in_quotes {
                return Diagnostic::new(place, "a quote is opened and never closed");
            }
            words.push(word);
        }
        Ok(Words { place, words: words.into_iter() })
    }

    fn peek(&self) -> Option<&Word> {
        self.words.as_slice().first()
    }

    pub fn is_empty(&self) -> bool {
        self.peek().is_none()
    }

    pub fn next_is(&self, text: &str) -> bool {
        self.peek().is_some_and(|word| !word.is_quoted && word.text == text)
    }

    pub fn has(&self, text: &str) -> bool {
        self.words.as_slice().iter().any(|word| !word.is_quoted && word.text == text)
    }

    /// Takes the next word if it is this one.
    pub fn eat(&mut self, text: &str) -> bool {
        let is_it = self.next_is(text);
        if is_it {
            self.words.next();
        }
        is_it
    }

    pub fn expect(&mut self, text: &str) -> Result<(), Diagnostic> {
        if self.eat(text) {
            return Ok(());
        }
        match self.peek() {
            Some(word) => Diagnostic::new(
                self.place,
                format!("expected `{text}`, found `{}`", model::text::one_line(&word.text, 60)),
            ),
            None => Diagnostic::new(self.place, format!("expected `{text}` at the end")),
        }
    }

    /// The next word, whatever it is.
    pub fn word(&mut self, what: &str) -> Result<String, Diagnostic> {
        match self.words.next() {
            Some(word) if !word.text.is_empty() => Ok(word.text),
            _ => Diagnostic::new(self.place, format!("{what} is missing")),
        }
    }

    pub fn name(&mut self, what: &str) -> Result<Name, Diagnostic> {
        Ok(At { place: self.place, value: self.word(what)? })
    }

    pub fn quoted(&mut self, what: &str) -> Result<String, Diagnostic> {
        match self.peek() {
            Some(word) if word.is_quoted && !word.text.is_empty() => self.word(what),
            _ => Diagnostic::new(self.place, format!("{what} is missing: write it in quotes")),
        }
    }

    /// A last word in quotes, where one may stand.
    pub fn optional_quoted(&mut self) -> Option<String> {
        self.peek().is_some_and(|word| word.is_quoted).then(|| self.words.next())?.map(|w| w.text)
    }

    /// An unquoted word that begins with this letter.
    pub fn optional_starting(&mut self, first: char) -> Option<String> {
        self.peek()
            .is_some_and(|word| !word.is_quoted && word.text.starts_with(first))
            .then(|| self.words.next())?
            .map(|word| word.text)
    }

    /// Any further word that no keyword claims.
    pub fn optional_word(&mut self, unless: &[&str]) -> Option<String> {
        let word = self.peek()?;
        if !word.is_quoted && unless.contains(&word.text.as_str()) {
            return None;
        }
        self.words.next().map(|word| word.text)
    }

    /// `bo, cem`: names up to `stop` or the end.
    pub fn list(&mut self, what: &str, stop: &str) -> Result<Vec<Name>, Diagnostic> {
        let mut names = Vec::new();
        while !self.is_empty() && !self.next_is(stop) {
            let word = self.words.next().map(|word| word.text).unwrap_or_default();
            // The comma sticks to the word before it.
            for part in word.split(',').map(str::trim).filter(|part| !part.is_empty()) {
                names.push(At { place: self.place, value: part.to_owned() });
            }
        }
        if names.is_empty() {
            return Diagnostic::new(self.place, format!("{what} is missing"));
        }
        Ok(names)
    }

    /// `by ada`.
    pub fn by(&mut self) -> Result<Name, Diagnostic> {
        self.expect("by")?;
        self.name("a user after `by`")
    }

    /// `#12`, `!3` or `group/project#12`.
    pub fn target(&mut self) -> Result<Target, Diagnostic> {
        let written = self.word("a number such as `#12` or `!3`")?;
        let place = self.place;
        let wrong = || {
            Diagnostic::new(
                place,
                format!(
                    "`{}` is not a number such as `#12`, `!3` or `group/project#12`",
                    model::text::one_line(&written, 60)
                ),
            )
        };
        let Some(at) = written.rfind(['#', '!']) else { return wrong() };
        let (project, number) = written.split_at(at);
        let kind =
            if number.starts_with('#') { EntityKind::Issue } else { EntityKind::MergeRequest };
        match number[1..].parse::<i64>() {
            Ok(iid) if iid > 0 => Ok(Target {
                place,
                kind,
                project: (!project.is_empty()).then(|| project.to_owned()),
                iid,
            }),
            _ => wrong(),
        }
    }

    /// `at 2024-01-09T10:15`.
    pub fn absolute_time(&mut self) -> Result<Timestamp, Diagnostic> {
        self.expect("at")?;
        let written = self.word("a time after `at`")?;
        when::absolute(&written).map_err(|message| Diagnostic { place: self.place, message })
    }

    /// `at …`, or `+2h` counted from `base`. `None` where neither stands.
    pub fn optional_time(
        &mut self,
        base: Option<Timestamp>,
    ) -> Result<Option<Timestamp>, Diagnostic> {
        if self.next_is("at") {
            return self.absolute_time().map(Some);
        }
        let Some(written) = self.optional_starting('+') else { return Ok(None) };
        let Some(base) = base else {
            return Diagnostic::new(
                self.place,
                "there is nothing to count from yet, write `at` and a time",
            );
        };
        let step =
            when::step(&written).map_err(|message| Diagnostic { place: self.place, message })?;
        Ok(Some(base.plus(step)))
    }

    pub fn time(&mut self, base: Option<Timestamp>) -> Result<Timestamp, Diagnostic> {
        match self.optional_time(base)? {
            Some(time) => Ok(time),
            None => Diagnostic::new(
                self.place,
                "a time is missing: `+2h` after the event before, or `at 2024-01-31T12:00`",
            ),
        }
    }

    /// Refuses words that nobody asked for.
    pub fn end(self) -> Result<(), Diagnostic> {
        match self.peek() {
            Some(word) => Diagnostic::new(
                self.place,
                format!("`{}` is not expected here", model::text::one_line(&word.text, 60)),
            ),
            None => Ok(()),
        }
    }
}
