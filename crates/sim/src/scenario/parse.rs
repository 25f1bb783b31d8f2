//! Third step of reading: blocks and their properties. Events are read in
//! [`super::events`], commits in [`super::commits`].

use super::ast::{
    Continuation, DirectCommit, Issue, Label, MergeRequest, Milestone, Name, Opening, Project,
    Scenario, Target, User,
};
use super::commits::{self, Dating};
use super::error::{Diagnostic, ScenarioError};
use super::events::{Reader, is_event};
use super::outline::{Statement, outline};
use super::when;
use super::words::Words;
use model::EntityKind;

/// Reads one text. `name` is what errors call it.
pub fn parse(text: &str, name: &str) -> Result<Scenario, ScenarioError> {
    parse_parts(&[(name, text)])
}

/// Reads several named texts as one scenario, in order.
pub fn parse_parts(parts: &[(&str, &str)]) -> Result<Scenario, ScenarioError> {
    let files: Vec<String> = parts.iter().map(|(name, _)| (*name).to_owned()).collect();
    let mut scenario = Scenario { files, ..Scenario::default() };
    for (file, (_, text)) in parts.iter().enumerate() {
        let read = outline(file, text).and_then(|blocks| {
            blocks.iter().try_for_each(|block| read_block(&mut scenario, block))
        });
        if let Err(complaint) = read {
            return Err(complaint.in_files(&scenario.files));
        }
    }
    Ok(scenario)
}

const BLOCKS: [&str; 7] = ["user", "bot", "project", "issue", "mr", "on", "commit"];

fn read_block(scenario: &mut Scenario, block: &Statement) -> Result<(), Diagnostic> {
    let mut words = Words::split(block.place, &block.source)?;
    let kind = words.word("a block")?;
    match kind.as_str() {
        "user" | "bot" => scenario.users.push(read_user(block, words, kind == "bot")?),
        "project" => scenario.projects.push(read_project(block, words)?),
        "issue" => scenario.issues.push(read_issue(block, words)?),
        "mr" => scenario.merge_requests.push(read_merge_request(block, words)?),
        "on" => scenario.continuations.push(read_continuation(block, words)?),
        "commit" => scenario.commits.push(read_direct_commit(block, words)?),
        other => return Diagnostic::unknown(block.place, "block", other, BLOCKS),
    }
    Ok(())
}

fn read_user(block: &Statement, mut words: Words, is_bot: bool) -> Result<User, Diagnostic> {
    block.refuse_text()?;
    block.refuse_children()?;
    let username = words.word("a user name")?;
    let name = words.optional_quoted().unwrap_or_else(|| username.clone());
    let email = words.optional_word(&[]);
    words.end()?;
    Ok(User { place: block.place, username, name, email, is_bot })
}

fn read_project(block: &Statement, mut words: Words) -> Result<Project, Diagnostic> {
    block.refuse_text()?;
    let path = words.word("a project path")?;
    if !path.contains('/') || path.starts_with('/') || path.ends_with('/') {
        return Diagnostic::new(
            block.place,
            format!("`{path}` is not a path such as group/project"),
        );
    }
    let last = path.rsplit('/').next().unwrap_or(&path).to_owned();
    let mut project = Project {
        place: block.place,
        name: words.optional_quoted().unwrap_or(last),
        path,
        branch: "main".to_owned(),
        created: None,
        description: None,
        labels: Vec::new(),
        milestones: Vec::new(),
    };
    words.end()?;
    const KNOWN: [&str; 5] = ["branch", "created", "description", "label", "milestone"];
    for line in &block.children {
        line.refuse_text()?;
        line.refuse_children()?;
        let mut words = Words::split(line.place, &line.source)?;
        match words.word("a property")?.as_str() {
            "branch" => project.branch = words.word("a branch")?,
            "created" => {
                let written = words.word("a time")?;
                let time = when::absolute(&written)
                    .map_err(|message| Diagnostic { place: line.place, message })?;
                project.created = Some(time);
            }
            "description" => {
                let rest = line.source.strip_prefix("description").unwrap_or_default();
                project.description = Some(rest.trim().to_owned());
                continue;
            }
            "label" => project.labels.push(Label {
                place: line.place,
                name: words.word("a label")?,
                color: words.optional_starting('#'),
                description: words.optional_quoted(),
            }),
            "milestone" => project.milestones.push(Milestone {
                place: line.place,
                title: words.word("a milestone")?,
                due: if words.eat("due") { Some(read_date(&mut words)?) } else { None },
                description: words.optional_quoted(),
            }),
            other => return Diagnostic::unknown(line.place, "project property", other, KNOWN),
        }
        words.end()?;
    }
    Ok(project)
}

fn read_date(words: &mut Words) -> Result<String, Diagnostic> {
    let written = words.word("a date after `due`")?;
    match when::absolute(&written) {
        Ok(time) if written.len() == 10 => Ok(time.to_date()),
        _ => Diagnostic::new(words.place, format!("`{written}` is not a date such as 2024-01-31")),
    }
}

/// `#1 "Title" by ada at 2024-01-09T10:15`, of the kind wanted.
fn read_opening(words: &mut Words, kind: EntityKind) -> Result<Opening, Diagnostic> {
    let target = words.target()?;
    if target.kind != kind {
        return Diagnostic::new(
            words.place,
            format!("a number of {} begins with `{}`", kind.plural(), kind.sigil()),
        );
    }
    Ok(Opening {
        target,
        title: words.quoted("a title")?,
        author: words.by()?,
        time: words.absolute_time()?,
        description: String::new(),
        labels: Vec::new(),
        assignees: Vec::new(),
        milestone: None,
    })
}

/// Reads a property both kinds have; false when it is none.
fn read_shared_property(
    opening: &mut Opening,
    keyword: &str,
    words: &mut Words,
) -> Result<bool, Diagnostic> {
    match keyword {
        "labels" => opening.labels = words.list("a label", "by")?,
        "assign" => opening.assignees = words.list("a user", "by")?,
        "milestone" => opening.milestone = Some(words.name("a milestone")?),
        _ => return Ok(false),
    }
    Ok(true)
}

const ISSUE_WORDS: [&str; 15] = [
    "labels",
    "assign",
    "milestone",
    "type",
    "confidential",
    "comment",
    "label",
    "title",
    "describe",
    "relate",
    "duplicate",
    "move",
    "close",
    "reopen",
    "resolve",
];

fn read_issue(block: &Statement, mut words: Words) -> Result<Issue, Diagnostic> {
    let mut opening = read_opening(&mut words, EntityKind::Issue)?;
    words.end()?;
    opening.description = block.body()?;
    let mut issue = Issue {
        opening,
        issue_type: "issue".to_owned(),
        is_confidential: false,
        events: Vec::new(),
    };
    let mut reader = Reader::new(Some(issue.opening.time));
    for line in &block.children {
        let mut words = Words::split(line.place, &line.source)?;
        let keyword = words.word("a word")?;
        if is_event(&keyword, &words) {
            issue.events.push(reader.event(EntityKind::Issue, &keyword, words, line)?);
            continue;
        }
        line.refuse_text()?;
        line.refuse_children()?;
        refuse_late_property(&issue.events, &keyword, line)?;
        match keyword.as_str() {
            "type" => issue.issue_type = words.word("a type of issue")?,
            "confidential" => issue.is_confidential = true,
            _ if read_shared_property(&mut issue.opening, &keyword, &mut words)? => {}
            other => return Diagnostic::unknown(line.place, "word", other, ISSUE_WORDS),
        }
        words.end()?;
    }
    Ok(issue)
}

const MERGE_REQUEST_WORDS: [&str; 19] = [
    "into",
    "draft",
    "reviewers",
    "labels",
    "assign",
    "milestone",
    "commit",
    "diffnote",
    "comment",
    "label",
    "title",
    "describe",
    "ready",
    "review",
    "approve",
    "merge",
    "close",
    "reopen",
    "resolve",
];

fn read_merge_request(block: &Statement, mut words: Words) -> Result<MergeRequest, Diagnostic> {
    let mut opening = read_opening(&mut words, EntityKind::MergeRequest)?;
    words.expect("from")?;
    let source_branch = words.word("a branch after `from`")?;
    words.end()?;
    opening.description = block.body()?;
    let mut mr = MergeRequest {
        opening,
        source_branch,
        target_branch: None,
        is_draft: false,
        reviewers: Vec::new(),
        first_commits: Vec::new(),
        events: Vec::new(),
    };
    let author = mr.opening.author.clone();
    let mut reader = Reader::for_merge_request(mr.opening.time, author.clone());
    for line in &block.children {
        let mut words = Words::split(line.place, &line.source)?;
        let keyword = words.word("a word")?;
        if keyword == "commit" && !words.has("at") && !has_step(&words) {
            refuse_late_property(&mr.events, "a commit without a time", line)?;
            let commit = commits::read_commit(words, line, Some(&author), Dating::Before)?;
            mr.first_commits.push(commit);
            continue;
        }
        if is_event(&keyword, &words) {
            mr.events.push(reader.event(EntityKind::MergeRequest, &keyword, words, line)?);
            continue;
        }
        line.refuse_text()?;
        line.refuse_children()?;
        refuse_late_property(&mr.events, &keyword, line)?;
        match keyword.as_str() {
            "into" => mr.target_branch = Some(words.word("a branch")?),
            "draft" => mr.is_draft = true,
            "reviewers" => mr.reviewers = words.list("a user", "by")?,
            _ if read_shared_property(&mut mr.opening, &keyword, &mut words)? => {}
            other => return Diagnostic::unknown(line.place, "word", other, MERGE_REQUEST_WORDS),
        }
        words.end()?;
    }
    commits::date_first_commits(&mut mr.first_commits, mr.opening.time);
    Ok(mr)
}

fn has_step(words: &Words) -> bool {
    let mut words = words.clone();
    while !words.is_empty() {
        if words.optional_starting('+').is_some() {
            return true;
        }
        if words.optional_word(&[]).is_none() {
            break;
        }
    }
    false
}

/// Properties describe the moment of opening, so they come before the events.
fn refuse_late_property(
    events: &[super::ast::Event],
    keyword: &str,
    line: &Statement,
) -> Result<(), Diagnostic> {
    if events.is_empty() {
        return Ok(());
    }
    Diagnostic::new(
        line.place,
        format!(
            "`{keyword}` stands after an event: put it first, or say `by` whom and when it changed"
        ),
    )
}

fn read_continuation(block: &Statement, mut words: Words) -> Result<Continuation, Diagnostic> {
    let target: Target = words.target()?;
    words.end()?;
    block.refuse_text()?;
    let mut reader = Reader::new(None);
    let mut events = Vec::new();
    for line in &block.children {
        let mut words = Words::split(line.place, &line.source)?;
        let keyword = words.word("a word")?;
        events.push(reader.event(target.kind, &keyword, words, line)?);
    }
    Ok(Continuation { target, events })
}

fn read_direct_commit(block: &Statement, words: Words) -> Result<DirectCommit, Diagnostic> {
    let mut project: Option<Name> = None;
    for line in &block.children {
        let mut words = Words::split(line.place, &line.source)?;
        if words.eat("in") {
            project = Some(words.name("a project path after `in`")?);
            words.end()?;
        }
    }
    let commit = commits::read_commit(words, block, None, Dating::After(None))?;
    Ok(DirectCommit { project, commit })
}
