//! A timeline for people: one line an event, what belongs to it below.

use super::counted;
use crate::ui::{Cell, Column, Label, Painter, Show, Table};
use insight::timeline::{EventType, NoteDetails, Timeline, TimelineEvent, Via};
use model::EntityKind;
use model::relation::Certainty;
use model::text::{one_line, width, wrap};
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// Where continuation lines begin: under the kind.
const INDENT: usize = 12;
const KIND: usize = 9;
const SNIPPET_LINES: usize = 4;
/// Characters shown of what a commit says below its subject.
const BODY: usize = 240;
/// Names in a list of the footer.
const NAMED: usize = 12;

impl Show for Timeline {
    fn agent(&self) -> Option<String> {
        Some(insight::agent_text::timeline(self))
    }

    fn text(&self, out: &mut Painter) {
        if out.look().is_tty {
            Page::of(self).show(out);
        } else {
            rows(self, out);
        }
    }

    fn meta(&self) -> Map<String, Value> {
        self.meta.fields()
    }
}

fn rows(timeline: &Timeline, out: &mut Painter) {
    let names = ["time", "event", "reference", "summary", "actor", "via", "url"];
    let mut table = Table::new(names.map(Column::new));
    for event in &timeline.events {
        let via = event
            .via
            .as_ref()
            .map(|via| format!("{} {}", via.from.reference(), via.reference_type));
        let also = event.details.commit.as_ref().and_then(|it| search::also_as(&it.also));
        let also = also.map(|also| format!(" ({also})")).unwrap_or_default();
        table.row([
            Cell::date(event.timestamp),
            Cell::text(event.event_type.as_str()),
            Cell::text(event.reference()),
            Cell::text(format!("{}{also}", event.summary)),
            Cell::text(event.actor.as_deref().unwrap_or("")),
            Cell::text(via.unwrap_or_default()),
            Cell::text(&event.url),
        ]);
    }
    out.table(&table);
    if timeline.seed_entities.is_empty() && timeline.seed_commits.is_empty() {
        out.text("# nothing matches").end();
    }
}

struct Page<'a> {
    timeline: &'a Timeline,
    /// Whether references need their project.
    is_mixed: bool,
    reference_width: usize,
}

impl<'a> Page<'a> {
    fn of(timeline: &'a Timeline) -> Self {
        let projects: BTreeSet<&str> =
            timeline.events.iter().map(|event| event.project.as_str()).collect();
        let mut page = Page { timeline, is_mixed: projects.len() > 1, reference_width: 0 };
        let widths = timeline.events.iter().map(|event| width(&page.short(&event.reference())));
        page.reference_width = widths.max().unwrap_or(0);
        page
    }

    /// `#12`; with the last part of its project where there are several.
    fn short(&self, reference: &str) -> String {
        if !reference.contains(['#', '!']) {
            return reference.to_owned();
        }
        let path = reference.trim_end_matches(|c: char| c.is_ascii_digit());
        let start = if self.is_mixed {
            path.rfind('/').map_or(0, |slash| slash + 1)
        } else {
            path.len().saturating_sub(1)
        };
        reference.get(start..).unwrap_or(reference).to_owned()
    }

    fn show(&self, out: &mut Painter) {
        self.head(out);
        let mut seen = BTreeSet::new();
        for event in &self.timeline.events {
            self.event(event, seen.insert(event.reference()), out);
        }
        self.foot(out);
    }

    fn head(&self, out: &mut Painter) {
        let timeline = self.timeline;
        let events = counted(timeline.event_count as u64, "event", "events");
        let n_entities = timeline.meta.total_entities as u64;
        let entities = counted(n_entities, "issue or merge request", "issues and merge requests");
        out.label(Label::Heading, &one_line(&timeline.query, 200));
        let commits = match timeline.seed_commits.len() as u64 {
            0 => String::new(),
            n => counted(n, "commit", "commits"),
        };
        let subjects = match (n_entities, commits.as_str()) {
            (_, "") => entities,
            (0, _) => commits,
            _ => format!("{entities}, {commits}"),
        };
        out.text(&format!(": {events}, {subjects}"));
        if let (Some(first), Some(last)) = (timeline.events.first(), timeline.events.last()) {
            let (first, last) = (day(first), day(last));
            out.text(&format!(", {first} to {last}"));
        }
        out.end();
        if timeline.seed_entities.is_empty() && timeline.seed_commits.is_empty() {
            out.label(Label::Faint, "nothing matches").end();
        } else {
            out.gap();
        }
    }

    fn event(&self, event: &TimelineEvent, is_first: bool, out: &mut Painter) {
        let columns = out.look().width;
        let (kind, label) = kind(event);
        let date = if out.look().absolute_dates { event.timestamp.to_minute() } else { day(event) };
        let short = self.short(&event.reference());
        let padding = " ".repeat(self.reference_width.saturating_sub(width(&short)));
        // An author of commits is called by name, a user of the forge by login.
        let sign = if event.event_type == EventType::Committed { "" } else { "@" };
        let actor = event.actor.as_ref().map(|actor| format!("{sign}{}", one_line(actor, 30)));
        let actor_width = actor.as_ref().map_or(0, |actor| width(actor) + 2);
        let used = date.len() + 2 + KIND + 2 + self.reference_width + 2 + actor_width;
        let room = columns.saturating_sub(used).max(10);
        out.label(Label::Faint, &date).text("  ");
        out.label(label, &format!("{kind:<KIND$}")).text("  ");
        out.link(Label::Id, &short, &event.url).text(&padding).text("  ");
        let is_note = event.event_type == EventType::Note;
        let what = if is_note { place(event.details.note.as_ref()) } else { event.summary.clone() };
        out.text(&one_line(&what, room));
        if let Some(actor) = actor {
            let gap = if what.is_empty() { "" } else { "  " };
            out.text(gap).label(Label::Person, &actor);
        }
        out.end();
        if let Some(note) = &event.details.note {
            snippet(note, columns, out);
        }
        if let Some(decision) = &event.details.decision {
            let mark = if decision.is_superseded { "superseded since; " } else { "" };
            let why = one_line(&decision.rationale, 300);
            let text = format!("{mark}{why} ({})", decision.record);
            for line in wrap(&text, columns.saturating_sub(INDENT)) {
                out.text(&" ".repeat(INDENT)).text(&line).end();
            }
        }
        if let Some(body) = event.details.commit.as_ref().and_then(|it| it.body.as_ref()) {
            for line in wrap(&one_line(body, BODY), columns.saturating_sub(INDENT)) {
                out.text(&" ".repeat(INDENT)).text(&line).end();
            }
        }
        let along = event.details.along.join(" · ");
        for line in wrap(&along, columns.saturating_sub(INDENT)) {
            out.text(&" ".repeat(INDENT)).label(Label::Faint, &line).end();
        }
        if let Some(via) = event.via.as_ref().filter(|_| is_first) {
            out.text(&" ".repeat(INDENT));
            out.label(Label::Faint, &format!("[expanded] ({})", self.via(via))).end();
        }
    }

    fn via(&self, via: &Via) -> String {
        format!("via {}, {}", self.short(&via.from.reference()), direction(via))
    }

    fn foot(&self, out: &mut Painter) {
        let timeline = self.timeline;
        if timeline.seed_entities.is_empty() && timeline.seed_commits.is_empty() {
            return;
        }
        out.gap();
        let seeds = timeline.seed_entities.iter().map(|entity| self.short(&entity.reference));
        list("seeds", seeds, out);
        let expanded = timeline.expanded_entities.iter().map(|expanded| {
            format!("{} ({})", self.short(&expanded.entity.reference), self.via(&expanded.via))
        });
        list("expanded", expanded, out);
        let outside = timeline.unresolved_references.iter();
        let outside = outside.map(|it| {
            let source = self.short(&it.source.reference());
            format!("{source} → {}", it.target().reference())
        });
        list("not synced", outside, out);
        for hint in hints(timeline) {
            out.label(Label::Faint, &hint).end();
        }
    }
}

fn hints(timeline: &Timeline) -> Vec<String> {
    let meta = &timeline.meta;
    let mut hints = Vec::new();
    if meta.seeds_are_cut {
        let n_seeds = timeline.seed_entities.len() + timeline.seed_commits.len();
        let matches = counted(meta.matches, "text matches", "texts match");
        hints.push(format!("{matches}; the best {n_seeds} are seeds, --seeds takes more"));
    }
    if !meta.fan_out_cut.is_empty() {
        let names = meta.fan_out_cut.join(", ");
        hints.push(format!("more relations than were followed: {names}"));
    }
    if meta.events_left_out > 0 {
        let n_events = counted(meta.events_left_out as u64, "event", "events");
        hints.push(format!("{n_events} left out, the least telling; -n shows more"));
    }
    let is_folded = |event: &TimelineEvent| event.details.folded.is_some();
    if timeline.events.iter().any(is_folded) {
        hints.push("small changes are folded; --all tells each".to_owned());
    }
    hints
}

/// `name:  a, b, c and 4 more`, wrapped.
fn list(name: &str, items: impl ExactSizeIterator<Item = String>, out: &mut Painter) {
    let total = items.len();
    if total == 0 {
        return;
    }
    let mut text = items.take(NAMED).collect::<Vec<_>>().join(", ");
    if total > NAMED {
        text.push_str(&format!(" and {} more", total - NAMED));
    }
    let room = out.look().width.saturating_sub(INDENT);
    for (index, line) in wrap(&text, room).iter().enumerate() {
        let head = if index == 0 { format!("{name}:") } else { String::new() };
        out.label(Label::Faint, &format!("{head:<INDENT$}")).text(line).end();
    }
}

fn day(event: &TimelineEvent) -> String {
    event.timestamp.to_minute().chars().take(10).collect()
}

fn direction(via: &Via) -> String {
    // Where it was reached from may be of either kind; only its name is shown.
    let phrase = via.reference_type.phrase(!via.is_forward, Certainty::Stated, EntityKind::Issue);
    format!("{phrase} it")
}

/// The word of the second column, and what it is.
fn kind(event: &TimelineEvent) -> (&'static str, Label) {
    let is_decision = event.details.note.as_ref().is_some_and(|note| note.is_decision_bearing);
    match event.event_type {
        EventType::Created => ("created", Label::Good),
        EventType::Committed => ("committed", Label::Done),
        EventType::Reopened => ("reopened", Label::Good),
        EventType::Closed => ("closed", Label::Bad),
        EventType::Merged => ("merged", Label::Done),
        EventType::Note if is_decision => ("argued", Label::Heading),
        EventType::Note => ("note", Label::Heading),
        EventType::Decision => ("decision", Label::Heading),
        EventType::Reference => ("reference", Label::Faint),
        EventType::Review => ("review", Label::Good),
        EventType::ReviewRequested => ("reviewer", Label::Faint),
        EventType::Labels => ("labels", Label::Tag),
        EventType::Milestone => ("milestone", Label::Tag),
        EventType::Renamed => ("renamed", Label::Faint),
        EventType::Draft => ("draft", Label::Faint),
        EventType::Assigned => ("assigned", Label::Faint),
        EventType::Activity => ("activity", Label::Faint),
    }
}

/// `[src/main.rs:12]` of a note on a diff.
fn place(note: Option<&NoteDetails>) -> String {
    let Some(path) = note.and_then(|note| note.path.as_ref()) else { return String::new() };
    match note.and_then(|note| note.line) {
        Some(line) => format!("[{path}:{line}]"),
        None => format!("[{path}]"),
    }
}

fn snippet(note: &NoteDetails, columns: usize, out: &mut Painter) {
    let margin = " ".repeat(INDENT);
    let room = columns.saturating_sub(INDENT);
    for line in wrap(&note.snippet, room).iter().take(SNIPPET_LINES) {
        out.text(&margin).text(line).end();
    }
    if note.signals.is_empty() {
        return;
    }
    let tenths = |points: i32| f64::from(points) / 10.0;
    let signals: Vec<String> = note
        .signals
        .iter()
        .map(|signal| {
            let phrases = if signal.phrases.is_empty() {
                String::new()
            } else {
                format!(" ({})", signal.phrases.join(", "))
            };
            let name = signal.signal.replace('_', " ");
            format!("{:+.1} {name}{phrases}", tenths(signal.points))
        })
        .collect();
    let why = format!("{:.1} = {}", tenths(note.decision_points), signals.join(", "));
    for line in wrap(&why, room) {
        out.text(&margin).label(Label::Faint, &line).end();
    }
}
