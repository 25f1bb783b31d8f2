use super::code::{short_reference, short_repo};
use super::grouped;
use crate::ui::{Cell, Column, Label, Painter, Show, Table};
use model::memory::RecordId;
use model::text::{one_line, width};
use search::memory::RecordNote;
use search::{Explanation, Passage, SearchHit, SearchResults, Span, SymbolNote};

const INDENT: usize = 2;
const SNIPPET_LINES: usize = 2;

impl Show for SearchResults {
    fn agent(&self) -> Option<String> {
        let has_graph =
            |hit: &SearchHit| hit.memory.as_ref().is_some_and(|note| !note.graph.is_empty());
        let is_plain = self
            .items
            .iter()
            .all(|hit| hit.symbol.is_none() && hit.explanation.is_none() && !has_graph(hit));
        is_plain.then(|| insight::agent_text::search(self))
    }

    fn text(&self, out: &mut Painter) {
        if out.look().is_tty {
            blocks(self, out);
        } else {
            rows(self, out);
        }
    }
}

fn rows(results: &SearchResults, out: &mut Painter) {
    if results.items.iter().any(|hit| hit.symbol.is_some()) {
        return symbol_rows(results, out);
    }
    let is_explained = results.items.iter().any(|hit| hit.explanation.is_some());
    let names =
        ["reference", "type", "title", "project", "author", "created", "score", "snippet", "url"];
    let is_noted = results.items.iter().any(|hit| hit.memory.is_some());
    let further = [(is_explained, "ranked by"), (is_noted, "memory")];
    let further = further.iter().filter(|(is_there, _)| *is_there).map(|(_, name)| name);
    let mut table = Table::new(names.iter().chain(further).map(|name| Column::new(name)));
    for hit in &results.items {
        let mut cells = vec![
            Cell::text(&hit.reference),
            Cell::text(super::memory::kind(hit.kind.noun(), hit.foreign)),
            Cell::text(&hit.title),
            Cell::text(hit.project.as_deref().unwrap_or("")),
            Cell::text(hit.author.as_deref().unwrap_or("")),
            hit.created_at.map_or_else(Cell::empty, Cell::date),
            Cell::text(format!("{:.3}", hit.score)),
            Cell::text(passages(hit)),
            Cell::text(&hit.url),
        ];
        if is_explained {
            cells.push(Cell::text(hit.explanation.as_ref().map(explained).unwrap_or_default()));
        }
        if is_noted {
            cells.push(Cell::text(hit.memory.as_ref().map(note_line).unwrap_or_default()));
        }
        table.row(cells);
    }
    out.table(&table);
    remarks(results, out);
}

/// What an empty or a weak answer must not leave unsaid.
fn remarks(results: &SearchResults, out: &mut Painter) {
    if results.is_oldest_first {
        out.text("# oldest first, of what says every word").end();
    }
    if results.is_undecided {
        out.text("# no decision recorded; these speak of it").end();
    }
    if let Some(words) = results.weakness() {
        out.text(&format!("# {words}")).end();
    }
    if results.is_relaxed {
        out.text("# no text has the phrase as it stands; these have its words").end();
    }
    if results.total == 0 {
        let near = match results.suggestions.as_slice() {
            [] => String::new(),
            words => format!("; did you mean: {}", words.join(", ")),
        };
        out.text(&format!("# nothing matches{near}")).end();
    }
}

/// What is shown of an entity in a pipe: its own passage, then its threads.
fn passages(hit: &SearchHit) -> String {
    let mut all = vec![hit.snippet.clone()];
    for passage in hit.passages.iter().filter(|passage| passage.snippet != hit.snippet) {
        let author = passage.author.as_deref().unwrap_or("unknown");
        all.push(format!("@{author}: {}", passage.snippet));
    }
    all.extend(search::also_as(&hit.also));
    all.retain(|passage| !passage.is_empty());
    all.join(" | ")
}

fn symbol_rows(results: &SearchResults, out: &mut Painter) {
    let names = ["reference", "type", "kind", "symbol", "path", "line", "score", "snippet", "url"];
    let is_explained = results.items.iter().any(|hit| hit.explanation.is_some());
    let further = is_explained.then_some("ranked by");
    let mut table = Table::new(names.into_iter().chain(further).map(Column::new));
    for hit in &results.items {
        let Some(symbol) = &hit.symbol else { continue };
        let mut cells = vec![
            Cell::text(short_reference(&hit.reference)),
            Cell::text(hit.kind.noun()),
            Cell::text(&symbol.kind),
            Cell::text(&hit.title),
            Cell::text(&symbol.path),
            Cell::text(symbol.line.to_string()),
            Cell::text(format!("{:.3}", hit.score)),
            Cell::text(&hit.snippet),
            Cell::text(&hit.url),
        ];
        if is_explained {
            cells.push(Cell::text(hit.explanation.as_ref().map(explained).unwrap_or_default()));
        }
        table.row(cells);
    }
    out.table(&table);
}

/// `23 results (hybrid search, 0.34s)`
fn head(results: &SearchResults, out: &mut Painter) {
    let Some(took) = results.took.filter(|_| results.total > 0) else { return };
    let least = if results.is_total_exact { "" } else { "at least " };
    let found = super::counted(results.total, "result", "results");
    let words =
        format!("{least}{found} ({} search, {:.2}s)", results.mode.as_str(), took.as_secs_f64());
    out.label(Label::Faint, &words).end();
    out.gap();
}

fn blocks(results: &SearchResults, out: &mut Painter) {
    head(results, out);
    if results.is_relaxed {
        out.label(Label::Warning, "no text has the phrase as it stands; these have its words");
        out.end();
    }
    weakness(results, out);
    for hit in &results.items {
        block(hit, out);
    }
    let shown = results.items.len() as u64;
    if results.total == 0 || !results.suggestions.is_empty() {
        let words = if results.total == 0 { "nothing matches" } else { "no text has these words" };
        out.gap().label(Label::Faint, words);
        if !results.suggestions.is_empty() {
            out.label(Label::Faint, "; did you mean: ");
            out.label(Label::Id, &results.suggestions.join(", "));
        }
        out.end();
    } else if shown == 0 {
        out.footer(&format!("no more than {}", grouped(results.total)));
    } else if shown < results.total {
        let total = grouped(results.total);
        let least = if results.is_total_exact { "" } else { "at least " };
        out.footer(&format!("{} of {least}{total}; -n and --offset show more", grouped(shown)));
    }
}

fn weakness(results: &SearchResults, out: &mut Painter) {
    if let Some(words) = results.weakness() {
        out.label(Label::Warning, &words).end();
    }
}

fn block(hit: &SearchHit, out: &mut Painter) {
    match &hit.symbol {
        Some(symbol) => symbol_head(hit, symbol, out),
        None => text_head(hit, out),
    }
    let columns = out.look().width;
    let lines = wrapped(&hit.snippet, columns.saturating_sub(INDENT));
    for line in lines {
        out.text("  ");
        painted(&hit.snippet, line, &hit.matches, out);
        out.end();
    }
    for passage in hit.passages.iter().filter(|passage| passage.snippet != hit.snippet) {
        said(passage, out);
    }
    if let Some(also) = search::also_as(&hit.also) {
        out.text("  ").label(Label::Faint, &also).end();
    }
    if let Some(explanation) = &hit.explanation {
        out.text("  ").label(Label::Faint, &explained(explanation)).end();
    }
    if let Some(note) = &hit.memory {
        noted(note, out);
    }
}

/// One line of a thread: who, when, what.
fn said(passage: &Passage, out: &mut Painter) {
    let author = format!("@{}", passage.author.as_deref().unwrap_or("unknown"));
    out.text("  └ ").link(Label::Person, &author, &passage.url).text(" ");
    out.date(passage.created_at).text("  ");
    let room = out.look().width.saturating_sub(width(&author) + 18);
    let line = wrapped(&passage.snippet, room).first().copied();
    painted(&passage.snippet, line.unwrap_or(Span { start: 0, end: 0 }), &passage.matches, out);
    out.end();
}

/// `method Cart.sum  shop/cart.py:14`, and of which repository.
fn symbol_head(hit: &SearchHit, symbol: &SymbolNote, out: &mut Painter) {
    out.gap().label(Label::Faint, &symbol.kind).text(" ");
    out.label(Label::Heading, &one_line(&hit.title, out.look().width)).text("  ");
    out.link(Label::Path, &format!("{}:{}", symbol.path, symbol.line), &hit.url).end();
    out.text("  ").label(Label::Faint, "in ").label(Label::Path, short_repo(&symbol.repo)).end();
}

fn text_head(hit: &SearchHit, out: &mut Painter) {
    let columns = out.look().width;
    let project = hit.project.as_deref().unwrap_or("");
    let short = hit.reference.strip_prefix(project).unwrap_or(&hit.reference);
    out.gap().link(Label::Id, short, &hit.url).text("  ");
    let room = columns.saturating_sub(width(short) + INDENT);
    out.label(Label::Heading, &one_line(&hit.title, room)).end();
    out.text("  ").label(Label::Faint, hit.kind.noun());
    if hit.foreign {
        out.text(" ").label(Label::Warning, "(foreign)");
    }
    if let Some(project) = &hit.project {
        out.label(Label::Faint, " in ").label(Label::Path, project);
    }
    if let Some(author) = &hit.author {
        out.label(Label::Faint, " · ").label(Label::Person, &format!("@{author}"));
    }
    if let Some(created_at) = hit.created_at {
        out.label(Label::Faint, " · ").date(created_at);
    }
    out.end();
}

/// What a record of memory says of itself and of others.
fn noted(note: &RecordNote, out: &mut Painter) {
    for (word, ids) in
        [("superseded by ", &note.superseded_by), ("contradicts ", &note.contradicts)]
    {
        for id in ids {
            out.text("  ").label(Label::Warning, word).label(Label::Id, id.as_str()).end();
        }
    }
    if let Some(factors) = &note.factors {
        let text = super::memory::factors(factors);
        if !text.is_empty() {
            out.text("  ").label(Label::Faint, &format!("memory: {text}")).end();
        }
    }
    super::memory::edges(&note.graph, out);
}

/// The same in one line: `superseded by dec-…; [decision] A → relates_to → #12`.
fn note_line(note: &RecordNote) -> String {
    let ids = |word: &str, ids: &[RecordId]| -> Vec<String> {
        ids.iter().map(|id| format!("{word} {}", id.as_str())).collect()
    };
    let mut parts = ids("superseded by", &note.superseded_by);
    parts.extend(ids("contradicts", &note.contradicts));
    let factors = note.factors.as_ref().map(super::memory::factors);
    parts.extend(factors.filter(|it| !it.is_empty()).map(|it| format!("memory: {it}")));
    parts.extend(note.graph.iter().map(super::memory::edge_line));
    parts.join("; ")
}

/// `words 3 (8.123) · meaning 1 (0.842) · fused 0.912 · title +0.05`
fn explained(explanation: &Explanation) -> String {
    let part = |name: &str, rank: Option<usize>, score: Option<f64>| {
        let rank = rank.map_or_else(|| "–".to_owned(), |rank| rank.to_string());
        score.map(|score| format!("{name} {rank} ({score:.3})"))
    };
    let mut parts: Vec<String> = Vec::new();
    parts.extend(part("words", explanation.lexical_rank, explanation.lexical_score));
    parts.extend(part("meaning", explanation.semantic_rank, explanation.similarity));
    parts.push(format!("fused {:.3}", explanation.fused));
    let share = |share: f64| format!("has {:.0} % of the query", 100.0 * share);
    parts.extend(explanation.coverage.map(share));
    parts.extend(explanation.nearness.map(|nearness| format!("nearness {nearness:.2}")));
    let signals = explanation.signals.iter().filter(|(_, gain)| **gain != 0.0);
    parts.extend(signals.map(|(name, gain)| format!("{name} {gain:+.3}")));
    parts.join(" · ")
}

/// The first lines of a one-line text, as ranges of its characters.
fn wrapped(text: &str, columns: usize) -> Vec<Span> {
    let chars: Vec<char> = text.chars().collect();
    let mut lines = Vec::new();
    let mut start = 0;
    while start < chars.len() && lines.len() < SNIPPET_LINES {
        let mut end = start;
        let mut used = 0;
        let mut last_blank = None;
        while end < chars.len() {
            used += width(chars[end].encode_utf8(&mut [0; 4]));
            if used > columns.max(1) {
                break;
            }
            if chars[end] == ' ' {
                last_blank = Some(end);
            }
            end += 1;
        }
        // A word longer than a line is cut; a character wider than it is not.
        let end = match last_blank {
            Some(blank) if end < chars.len() && chars[end] != ' ' => blank,
            _ => end.max(start + 1),
        };
        lines.push(Span { start, end });
        start = end;
        while chars.get(start) == Some(&' ') {
            start += 1;
        }
    }
    lines
}

/// One line of a text with what matched in it.
fn painted(text: &str, line: Span, matches: &[Span], out: &mut Painter) {
    let part = |start: usize, end: usize| -> String {
        text.chars().skip(start).take(end.saturating_sub(start)).collect()
    };
    let mut at = line.start;
    for found in matches {
        let (start, end) = (found.start.max(at), found.end.min(line.end));
        if start < end {
            out.text(&part(at, start)).label(Label::Match, &part(start, end));
            at = end;
        }
    }
    out.text(&part(at, line.end));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str, columns: usize) -> Vec<String> {
        wrapped(text, columns)
            .into_iter()
            .map(|line| text.chars().skip(line.start).take(line.end - line.start).collect())
            .collect()
    }

    #[test]
    fn two_lines_broken_between_words() {
        assert_eq!(lines("one two three four five", 9), ["one two", "three"]);
        assert_eq!(lines("one two three", 7), ["one two", "three"]);
        assert_eq!(lines("abcdefgh", 3), ["abc", "def"]);
        assert_eq!(lines("漢字漢字", 4), ["漢字", "漢字"]);
        assert_eq!(lines("x", 0), ["x"]);
        assert_eq!(lines("", 10), Vec::<String>::new());
    }
}
