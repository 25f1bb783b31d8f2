//! Writes an answer for people.
//!
//! Answers say what a piece of text *is* ([`Label`]), never which colour it
//! has, and hand over instants, never formatted dates. All text passes through
//! `model::text`, so nothing that came from outside can reach the terminal
//! with its control characters.

use super::table::Table;
use model::Timestamp;
use model::text;

/// What a piece of text is. The colours are in [`Label::ansi`] and only there;
/// every answer must read well without them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Label {
    Heading,
    /// An id people can type: `#12`, `!34`, a hash, a command.
    Id,
    /// Opened, passed, added.
    Good,
    /// Needs a look.
    Warning,
    /// Failed, closed, removed.
    Bad,
    /// Merged, done.
    Done,
    Path,
    Person,
    /// A label or a milestone of the forge.
    Tag,
    /// Dates, sources, counts: there when looked for.
    Faint,
    /// The part of a text that matched.
    Match,
}

impl Label {
    const fn ansi(self) -> &'static str {
        match self {
            Label::Heading => "1",
            Label::Id => "36",
            Label::Good => "32",
            Label::Warning | Label::Person => "33",
            Label::Bad => "31",
            Label::Done | Label::Tag => "35",
            Label::Path => "34",
            Label::Faint => "2",
            Label::Match => "1;33",
        }
    }
}

/// How text may look: decided once, by [`super::Ui`].
#[derive(Debug, Clone, Copy)]
pub struct TextStyle {
    /// A terminal gets tables, headings and relative dates; a pipe gets
    /// tab-separated rows and RFC 3339.
    pub is_tty: bool,
    pub width: usize,
    pub color: bool,
    pub links: bool,
    pub absolute_dates: bool,
    /// More is said of each line (`-v`).
    pub is_verbose: bool,
    pub now: Timestamp,
}

impl TextStyle {
    /// A stream nobody looks at: no colour, no links, full dates.
    pub fn pipe(now: Timestamp) -> Self {
        TextStyle {
            is_tty: false,
            width: 100,
            color: false,
            links: false,
            absolute_dates: false,
            is_verbose: false,
            now,
        }
    }

    /// A terminal of a width, without colour.
    pub fn tty(width: usize, now: Timestamp) -> Self {
        TextStyle { is_tty: true, width, ..TextStyle::pipe(now) }
    }

    /// An instant as this stream shows it.
    pub fn date(&self, instant: Timestamp) -> String {
        match (self.is_tty, self.absolute_dates) {
            (false, _) => instant.to_rfc3339(),
            (true, true) => format!("{}Z", instant.to_minute()),
            (true, false) => instant.relative_to(self.now),
        }
    }

    /// Already clean text with its colours.
    pub fn paint(&self, label: Option<Label>, clean: &str) -> String {
        match label {
            Some(label) if self.color && !clean.is_empty() => {
                format!("\u{1b}[{}m{clean}\u{1b}[0m", label.ansi())
            }
            _ => clean.to_owned(),
        }
    }

    /// Already painted text as a link, on terminals that have them.
    pub fn link(&self, url: Option<&str>, painted: &str) -> String {
        match url {
            Some(url) if self.links && is_plain_url(url) => {
                format!("\u{1b}]8;;{url}\u{1b}\\{painted}\u{1b}]8;;\u{1b}\\")
            }
            _ => painted.to_owned(),
        }
    }
}

/// OSC 8 allows printable ASCII only; anything else could end the sequence.
fn is_plain_url(url: &str) -> bool {
    (url.starts_with("https://") || url.starts_with("http://") || url.starts_with("file://"))
        && url.bytes().all(|byte| byte.is_ascii_graphic())
}

/// Collects the text form of one answer.
pub struct Painter {
    look: TextStyle,
    out: String,
}

impl Painter {
    pub fn new(look: TextStyle) -> Self {
        Painter { look, out: String::new() }
    }

    pub fn look(&self) -> &TextStyle {
        &self.look
    }

    /// Text on the current line; line breaks in it are kept.
    pub fn text(&mut self, text: &str) -> &mut Self {
        self.out.push_str(&text::clean(text));
        self
    }

    /// Text on the current line that is something.
    pub fn label(&mut self, label: Label, text: &str) -> &mut Self {
        let painted = self.look.paint(Some(label), &text::clean(text));
        self.out.push_str(&painted);
        self
    }

    /// The same, as a link to `url` where the terminal has links.
    pub fn link(&mut self, label: Label, text: &str, url: &str) -> &mut Self {
        let painted = self.look.paint(Some(label), &text::clean(text));
        self.out.push_str(&self.look.link(Some(url), &painted));
        self
    }

    pub fn date(&mut self, instant: Timestamp) -> &mut Self {
        let date = self.look.date(instant);
        self.label(Label::Faint, &date)
    }

    /// Ends the current line.
    pub fn end(&mut self) -> &mut Self {
        self.out.push('\n');
        self
    }

    /// A whole line.
    pub fn line(&mut self, text: &str) -> &mut Self {
        self.text(text).end()
    }

    /// A line of its own over what follows.
    pub fn heading(&mut self, text: &str) -> &mut Self {
        self.label(Label::Heading, text).end()
    }

    /// An empty line between parts; never at the beginning, never two.
    pub fn gap(&mut self) -> &mut Self {
        if !self.out.is_empty() && !self.out.ends_with("\n\n") {
            self.out.push('\n');
        }
        self
    }

    /// `name:   value`, with values of several such lines below one another.
    pub fn field(&mut self, name: &str, value: &str) -> &mut Self {
        let padded = format!("{:<12} ", format!("{name}:"));
        self.label(Label::Faint, &padded).text(&text::one_line(value, 2000)).end()
    }

    /// Running text, wrapped to the width on a terminal and indented.
    pub fn paragraph(&mut self, indent: usize, text: &str) -> &mut Self {
        let margin = " ".repeat(indent);
        let width = if self.look.is_tty { self.look.width.saturating_sub(indent) } else { 2000 };
        for line in text::wrap(text, width) {
            if !line.is_empty() {
                self.out.push_str(&margin);
                self.out.push_str(&line);
            }
            self.out.push('\n');
        }
        self
    }

    pub fn table(&mut self, table: &Table) -> &mut Self {
        table.render(&self.look, &mut self.out);
        self
    }

    /// A closing line for people only: "12 more; use --limit 50".
    pub fn footer(&mut self, text: &str) -> &mut Self {
        if self.look.is_tty {
            self.gap().label(Label::Faint, text).end();
        }
        self
    }

    /// Text lore made itself, which may hold anything (shell code, man pages).
    pub fn verbatim(&mut self, text: &str) -> &mut Self {
        self.out.push_str(text);
        self
    }

    pub fn finish(self) -> String {
        self.out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn now() -> Timestamp {
        Timestamp::parse_rfc3339("2024-05-01T12:00:00Z").unwrap()
    }

    #[test]
    fn dates_have_three_forms() {
        let then = Timestamp::parse_rfc3339("2024-04-29T12:00:00Z").unwrap();
        let mut look = TextStyle::tty(80, now());
        assert_eq!(look.date(then), "2 days ago");
        look.absolute_dates = true;
        assert_eq!(look.date(then), "2024-04-29 12:00Z");
        assert_eq!(TextStyle::pipe(now()).date(then), "2024-04-29T12:00:00.000Z");
    }

    #[test]
    fn escapes_from_outside_never_pass() {
        let mut out = Painter::new(TextStyle { color: true, ..TextStyle::tty(80, now()) });
        out.label(Label::Id, "#1\u{1b}[2J").text(" a\u{7}b\u{202e}c").end();
        assert_eq!(out.finish(), "\u{1b}[36m#1[2J\u{1b}[0m abc\n");
    }

    #[test]
    fn links_take_only_plain_addresses() {
        let look = TextStyle { links: true, ..TextStyle::tty(80, now()) };
        assert_eq!(
            look.link(Some("https://x.example/1"), "t"),
            "\u{1b}]8;;https://x.example/1\u{1b}\\t\u{1b}]8;;\u{1b}\\"
        );
        assert_eq!(look.link(Some("https://x/\u{1b}\\"), "t"), "t");
        assert_eq!(look.link(Some("javascript:1"), "t"), "t");
    }

    #[test]
    fn gaps_do_not_pile_up() {
        let mut out = Painter::new(TextStyle::tty(80, now()));
        out.gap().line("a").gap().gap().line("b");
        assert_eq!(out.finish(), "a\n\nb\n");
    }
}
