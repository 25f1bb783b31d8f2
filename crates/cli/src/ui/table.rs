//! Lists in their two forms: an aligned table that fits the terminal, and
//! tab-separated rows for a pipe.

use super::painter::{Label, TextStyle};
use model::Timestamp;
use model::text;

/// The flexible column keeps at least this many columns.
const FLEX_MIN: usize = 12;
/// Every other column, when even that is not enough.
const FIXED_MIN: usize = 4;
const GAP: usize = 2;

/// A list of rows under named columns.
#[derive(Debug, Default)]
pub struct Table {
    columns: Vec<Column>,
    rows: Vec<Vec<Cell>>,
}

#[derive(Debug)]
pub struct Column {
    name: &'static str,
    is_flexible: bool,
    is_right: bool,
}

impl Column {
    pub fn new(name: &'static str) -> Self {
        Column { name, is_flexible: false, is_right: false }
    }

    /// The column that shrinks when the terminal is narrow; one per table.
    pub fn flexible(name: &'static str) -> Self {
        Column { is_flexible: true, ..Column::new(name) }
    }

    /// Numbers: aligned on the right.
    pub fn right(name: &'static str) -> Self {
        Column { is_right: true, ..Column::new(name) }
    }
}

/// One cell: text or an instant, what it is, and where it leads.
#[derive(Debug, Clone)]
pub struct Cell {
    content: Content,
    label: Option<Label>,
    url: Option<String>,
}

#[derive(Debug, Clone)]
enum Content {
    Text(String),
    Date(Timestamp),
}

impl Cell {
    pub fn text(text: impl Into<String>) -> Self {
        Cell { content: Content::Text(text.into()), label: None, url: None }
    }

    pub fn date(instant: Timestamp) -> Self {
        Cell { content: Content::Date(instant), label: Some(Label::Faint), url: None }
    }

    /// Nothing known: an empty cell.
    pub fn empty() -> Self {
        Cell::text("")
    }

    pub fn label(mut self, label: Label) -> Self {
        self.label = Some(label);
        self
    }

    pub fn link(mut self, url: impl Into<String>) -> Self {
        self.url = Some(url.into());
        self
    }

    /// One clean line. A pipe gets it whole.
    fn resolve(&self, look: &TextStyle) -> String {
        match &self.content {
            Content::Text(text) => text::one_line(text, usize::MAX / 64),
            Content::Date(instant) => look.date(*instant),
        }
    }
}

impl Table {
    pub fn new(columns: impl IntoIterator<Item = Column>) -> Self {
        Table { columns: columns.into_iter().collect(), rows: Vec::new() }
    }

    pub fn row(&mut self, cells: impl IntoIterator<Item = Cell>) -> &mut Self {
        self.rows.push(cells.into_iter().collect());
        self
    }

    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    pub(super) fn render(&self, look: &TextStyle, out: &mut String) {
        let texts: Vec<Vec<String>> = self
            .rows
            .iter()
            .map(|row| row.iter().map(|cell| cell.resolve(look)).collect())
            .collect();
        if look.is_tty {
            self.render_tty(look, &texts, out);
        } else {
            self.render_pipe(look, &texts, out);
        }
    }

    fn render_tty(&self, look: &TextStyle, texts: &[Vec<String>], out: &mut String) {
        if self.rows.is_empty() {
            return;
        }
        let widths = self.fit(look.width, texts);
        let header: Vec<String> = self.columns.iter().map(|c| c.name.to_uppercase()).collect();
        let faint = vec![Cell::empty().label(Label::Faint); header.len()];
        self.render_line(look, &widths, &header, &faint, out);
        for (cells, texts) in self.rows.iter().zip(texts) {
            self.render_line(look, &widths, texts, cells, out);
        }
    }

    fn render_line(
        &self,
        look: &TextStyle,
        widths: &[usize],
        texts: &[String],
        cells: &[Cell],
        out: &mut String,
    ) {
        let mut line = String::new();
        // Blanks are owed until something follows, so no line ends in them.
        let mut owed = 0;
        for (((column, width), text), cell) in self.columns.iter().zip(widths).zip(texts).zip(cells)
        {
            let shown = text::truncate(text, *width);
            let padding = width.saturating_sub(text::width(&shown));
            let (before, after) = if column.is_right { (padding, 0) } else { (0, padding) };
            owed += before;
            if !shown.is_empty() {
                line.push_str(&" ".repeat(std::mem::take(&mut owed)));
                line.push_str(&look.link(cell.url.as_deref(), &look.paint(cell.label, &shown)));
            }
            owed += after + GAP;
        }
        out.push_str(&line);
        out.push('\n');
    }

    fn render_pipe(&self, look: &TextStyle, texts: &[Vec<String>], out: &mut String) {
        if self.rows.is_empty() {
            return;
        }
        // Rows of bare numbers mean nothing to who did not write the command.
        let header: Vec<String> = self.columns.iter().map(|c| c.name.to_uppercase()).collect();
        out.push_str(&header.join("\t"));
        out.push('\n');
        for (cells, texts) in self.rows.iter().zip(texts) {
            let painted: Vec<String> = cells
                .iter()
                .zip(texts)
                .map(|(cell, text)| look.link(cell.url.as_deref(), &look.paint(cell.label, text)))
                .collect();
            out.push_str(&painted.join("\t"));
            out.push('\n');
        }
    }

    /// Natural widths, then the flexible column gives, then the widest others.
    fn fit(&self, total: usize, texts: &[Vec<String>]) -> Vec<usize> {
        let mut widths: Vec<usize> = self
            .columns
            .iter()
            .enumerate()
            .map(|(index, column)| {
                texts
                    .iter()
                    .filter_map(|row| row.get(index))
                    .map(|text| text::width(text))
                    .chain([text::width(column.name)])
                    .max()
                    .unwrap_or_default()
            })
            .collect();
        let gaps = GAP * widths.len().saturating_sub(1);
        let mut excess = (widths.iter().sum::<usize>() + gaps).saturating_sub(total);
        if let Some(flexible) = self.columns.iter().position(|column| column.is_flexible) {
            let give = widths[flexible].saturating_sub(FLEX_MIN).min(excess);
            widths[flexible] -= give;
            excess -= give;
        }
        while excess > 0 {
            let Some(widest) = widths.iter_mut().filter(|width| **width > FIXED_MIN).max() else {
                break;
            };
            *widest -= 1;
            excess -= 1;
        }
        widths
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;
    use proptest::prelude::*;

    fn now() -> Timestamp {
        Timestamp::parse_rfc3339("2024-05-01T12:00:00Z").unwrap()
    }

    fn sample() -> Table {
        let mut table = Table::new([
            Column::new("id"),
            Column::flexible("title"),
            Column::right("notes"),
            Column::new("updated"),
        ]);
        let day = std::time::Duration::from_secs(86_400);
        table.row([
            Cell::text("#7").label(Label::Id),
            Cell::text("Token refresh races with logout on slow networks\nsecond line"),
            Cell::text("12"),
            Cell::date(now().minus(day)),
        ]);
        table.row([
            Cell::text("#1234").label(Label::Id),
            Cell::text("漢字 tab\there"),
            Cell::text("3"),
            Cell::date(now().minus(day * 40)),
        ]);
        table
    }

    fn render(look: TextStyle) -> String {
        let mut out = String::new();
        sample().render(&look, &mut out);
        out
    }

    #[test]
    fn a_terminal_gets_an_aligned_table_that_fits() {
        expect![[r"
            ID     TITLE                                                         NOTES  UPDATED
            #7     Token refresh races with logout on slow networks second line     12  1 day ago
            #1234  漢字 tab here                                                     3  1 month ago
        "]]
        .assert_eq(&render(TextStyle::tty(100, now())));
        expect![[r"
            ID     TITLE              NOTES  UPDATED
            #7     Token refresh ra…     12  1 day ago
            #1234  漢字 tab here          3  1 month ago
        "]]
        .assert_eq(&render(TextStyle::tty(44, now())));
    }

    #[test]
    fn a_pipe_gets_tabs_and_full_dates() {
        expect![[r#"
            ID	TITLE	NOTES	UPDATED
            #7	Token refresh races with logout on slow networks second line	12	2024-04-30T12:00:00.000Z
            #1234	漢字 tab here	3	2024-03-22T12:00:00.000Z
        "#]]
        .assert_eq(&render(TextStyle::pipe(now())));
    }

    #[test]
    fn an_empty_list_prints_nothing() {
        let mut out = String::new();
        Table::new([Column::new("id")]).render(&TextStyle::tty(80, now()), &mut out);
        assert_eq!(out, "");
    }

    #[test]
    fn colours_do_not_disturb_the_alignment() {
        let painted = render(TextStyle { color: true, ..TextStyle::tty(60, now()) });
        let mut plain = painted.replace("\u{1b}[0m", "");
        for code in ["2", "36"] {
            plain = plain.replace(&format!("\u{1b}[{code}m"), "");
        }
        assert_eq!(plain, render(TextStyle::tty(60, now())));
        assert_ne!(plain, painted);
    }

    proptest! {
        #[test]
        fn no_line_is_wider_than_the_terminal(
            titles in proptest::collection::vec(any::<String>(), 1..6),
            width in 40usize..120,
        ) {
            let mut table = Table::new([Column::new("id"), Column::flexible("title"), Column::right("n")]);
            for (index, title) in titles.iter().enumerate() {
                table.row([Cell::text(format!("#{index}")), Cell::text(title.clone()), Cell::text("1")]);
            }
            let mut out = String::new();
            table.render(&TextStyle::tty(width, now()), &mut out);
            prop_assert_eq!(out.lines().count(), titles.len() + 1);
            for line in out.lines() {
                prop_assert!(text::width(line) <= width, "{:?}", line);
            }
        }
    }
}
