//! Reads what happens to an issue or merge request after it was opened.

use super::ast::{Action, Anchor, Event, FollowUp, MergeStyle, Name, Spot, Thread};
use super::commits::{self, Dating};
use super::error::Diagnostic;
use super::outline::Statement;
use super::words::Words;
use model::{EntityKind, Timestamp};

/// Reads the events of one block and knows what `+2h` counts from.
pub struct Reader {
    opened: Option<Timestamp>,
    latest: Option<Timestamp>,
    author: Option<Name>,
}

/// Whether this line is an event rather than a property: some words are both,
/// and the event says `by` whom.
pub fn is_event(keyword: &str, words: &Words) -> bool {
    match keyword {
        "milestone" | "assign" | "draft" => words.has("by"),
        _ => EVENT_WORDS.contains(&keyword),
    }
}

const EVENT_WORDS: [&str; 18] = [
    "comment",
    "diffnote",
    "label",
    "milestone",
    "assign",
    "title",
    "describe",
    "close",
    "reopen",
    "relate",
    "duplicate",
    "move",
    "commit",
    "draft",
    "ready",
    "review",
    "approve",
    "merge",
];

impl Reader {
    pub fn new(opened: Option<Timestamp>) -> Self {
        Reader { opened, latest: opened, author: None }
    }

    pub fn for_merge_request(opened: Timestamp, author: Name) -> Self {
        Reader { opened: Some(opened), latest: Some(opened), author: Some(author) }
    }

    pub fn event(
        &mut self,
        kind: EntityKind,
        keyword: &str,
        mut words: Words,
        line: &Statement,
    ) -> Result<Event, Diagnostic> {
        let place = line.place;
        let event = match keyword {
            "comment" | "diffnote" => {
                let by = words.name("a user")?;
                let anchor =
                    if keyword == "diffnote" { Some(read_anchor(&mut words)?) } else { None };
                let time = self.time(&mut words)?;
                let thread = self.thread(line, anchor, time)?;
                Event { place, time, by, action: Action::Comment(thread) }
            }
            "commit" => {
                let dating = Dating::After(self.latest);
                let commit = commits::read_commit(words, line, self.author.as_ref(), dating)?;
                self.note(commit.time, line)?;
                let (time, by) = (commit.time, commit.author.clone());
                return fits(kind, Event { place, time, by, action: Action::Push(commit) });
            }
            "describe" => {
                line.refuse_children()?;
                let by = words.name("a user")?;
                let time = self.time(&mut words)?;
                Event { place, time, by, action: Action::Describe(line.body()?) }
            }
            "approve" => {
                line.refuse_text()?;
                line.refuse_children()?;
                let by = words.name("a user")?;
                let time = self.time(&mut words)?;
                Event { place, time, by, action: Action::Approve }
            }
            _ => {
                line.refuse_text()?;
                line.refuse_children()?;
                let action = read_plain_action(keyword, &mut words, line)?;
                let by = words.by()?;
                let time = self.time(&mut words)?;
                Event { place, time, by, action }
            }
        };
        words.end()?;
        self.note(event.time, line)?;
        fits(kind, event)
    }

    fn time(&self, words: &mut Words) -> Result<Timestamp, Diagnostic> {
        words.time(self.latest)
    }

    /// Remembers the latest moment and refuses one before the opening.
    fn note(&mut self, time: Timestamp, line: &Statement) -> Result<(), Diagnostic> {
        if self.opened.is_some_and(|opened| time < opened) {
            return Diagnostic::new(line.place, "this would happen before it was opened");
        }
        self.latest = self.latest.max(Some(time));
        Ok(())
    }

    /// Replies and resolutions under a note, each counted from the one above.
    fn thread(
        &mut self,
        line: &Statement,
        anchor: Option<Anchor>,
        start: Timestamp,
    ) -> Result<Thread, Diagnostic> {
        let body = line.body()?;
        if body.trim().is_empty() {
            return Diagnostic::new(line.place, "a note needs text: lines that begin with `|`");
        }
        let mut follow_ups = Vec::new();
        let mut above = start;
        for child in &line.children {
            child.refuse_children()?;
            let mut words = Words::split(child.place, &child.source)?;
            let keyword = words.word("a word")?;
            let by = words.name("a user")?;
            let time = words.time(Some(above))?;
            words.end()?;
            if time < above {
                return Diagnostic::new(child.place, "this would come before the note above it");
            }
            let reply = match keyword.as_str() {
                "reply" => {
                    let body = child.body()?;
                    if body.trim().is_empty() {
                        return Diagnostic::new(
                            child.place,
                            "a reply needs text: lines that begin with `|`",
                        );
                    }
                    Some(body)
                }
                "resolve" => {
                    child.refuse_text()?;
                    None
                }
                other => {
                    return Diagnostic::unknown(child.place, "word", other, ["reply", "resolve"]);
                }
            };
            follow_ups.push(FollowUp { place: child.place, time, by, reply });
            self.note(time, child)?;
            above = time;
        }
        Ok(Thread { body, anchor, follow_ups })
    }
}

/// Refuses what cannot happen to this kind of thing.
fn fits(kind: EntityKind, event: Event) -> Result<Event, Diagnostic> {
    let is_diff_note = matches!(&event.action, Action::Comment(thread) if thread.anchor.is_some());
    let is_wrong = match kind {
        EntityKind::Issue => event.action.is_for_merge_requests() || is_diff_note,
        EntityKind::MergeRequest => event.action.is_for_issues(),
    };
    if is_wrong {
        return Diagnostic::new(event.place, format!("this does not happen to {}", kind.plural()));
    }
    Ok(event)
}

/// Actions that are one line: what, `by` whom, when.
fn read_plain_action(
    keyword: &str,
    words: &mut Words,
    line: &Statement,
) -> Result<Action, Diagnostic> {
    Ok(match keyword {
        "label" => read_label_change(words, line)?,
        "milestone" if words.eat("none") => Action::Milestone(None),
        "milestone" => Action::Milestone(Some(words.name("a milestone or `none`")?)),
        "assign" if words.eat("none") => Action::Assign(Vec::new()),
        "assign" => Action::Assign(words.list("a user or `none`", "by")?),
        "review" if words.eat("none") => Action::Review(Vec::new()),
        "review" => Action::Review(words.list("a user or `none`", "by")?),
        "title" => Action::Title(words.quoted("a title")?),
        "relate" => Action::Relate(words.target()?),
        "duplicate" => Action::Duplicate(words.target()?),
        "move" => Action::Move(words.target()?),
        "close" => Action::Close,
        "reopen" => Action::Reopen,
        "draft" => Action::Draft,
        "ready" => Action::Ready,
        "merge" => Action::Merge(match () {
            () if words.eat("squash") => MergeStyle::Squash,
            () if words.eat("ff") => MergeStyle::FastForward,
            () if words.eat("rebase") => MergeStyle::Rebase,
            () => MergeStyle::Merge,
        }),
        other => return Diagnostic::unknown(line.place, "word", other, EVENT_WORDS),
    })
}

/// `+auth -bug`.
fn read_label_change(words: &mut Words, line: &Statement) -> Result<Action, Diagnostic> {
    let (mut add, mut remove) = (Vec::new(), Vec::new());
    while !words.next_is("by") && !words.is_empty() {
        let change = words.name("a label")?;
        if let Some(name) = change.value.strip_prefix('+') {
            add.push(Name { place: line.place, value: name.to_owned() });
        } else if let Some(name) = change.value.strip_prefix('-') {
            remove.push(Name { place: line.place, value: name.to_owned() });
        } else {
            return Diagnostic::new(
                line.place,
                format!("write +{0} to add the label or -{0} to remove it", change.value),
            );
        }
    }
    if add.is_empty() && remove.is_empty() {
        return Diagnostic::new(line.place, "a label is missing: +name or -name");
    }
    Ok(Action::Label { add, remove })
}

/// `src/a.rs:12`, `src/a.rs:"some text"`, `src/a.rs:old:12`.
fn read_anchor(words: &mut Words) -> Result<Anchor, Diagnostic> {
    let place = words.place;
    let written = words.word("a path and line such as src/a.rs:12")?;
    let Some((path, spot)) = written.split_once(':').filter(|(path, _)| !path.is_empty()) else {
        return Diagnostic::new(
            place,
            format!("`{written}` names no line, write it as src/a.rs:12 or src/a.rs:\"some text\""),
        );
    };
    let (is_old_side, spot) = match spot.strip_prefix("old:") {
        Some(rest) => (true, rest),
        None => (false, spot),
    };
    let spot = match spot.parse::<usize>() {
        Ok(0) => return Diagnostic::new(place, "lines are counted from 1"),
        Ok(line) => Spot::Line(line),
        Err(_) if spot.is_empty() => return Diagnostic::new(place, "a line is missing after `:`"),
        Err(_) => Spot::Containing(spot.to_owned()),
    };
    Ok(Anchor { path: path.to_owned(), is_old_side, spot })
}
