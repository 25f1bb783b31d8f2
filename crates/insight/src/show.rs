//! Whatever a reference means: an issue, a merge request, one note in its
//! thread, a commit, a symbol, a record of memory. By any form people write.

use crate::code::ScopeRequest;
use crate::code::resolve::Match;
use crate::code::symbol::{Symbols, symbols};
use crate::entities::{self, EntityDetail};
use crate::evidence::{self, EvidenceSubject, Explained};
use crate::file_target::FileQuery;
use crate::memory::detail::{self, RecordDetail};
use crate::origin::{self, OriginMethod};
use crate::{memory, projects, repos, revision};
use model::ids::ForgeId;
use model::memory::RecordKind;
use model::text::one_line;
use model::{EntityKind, Error, ErrorCode, Reference, Result};
use schemars::JsonSchema;
use serde::Serialize;
use store::commits::{self, CommitFile, CommitRow};
use store::details::Thread;
use store::{Reader, repos as places};

/// One thing, by what it is.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Referent {
    Issue(Box<EntityDetail>),
    MergeRequest(Box<EntityDetail>),
    Note(Box<NoteDetail>),
    Commit(Box<CommitDetail>),
    /// A decision, a pattern or a handoff.
    Record(Box<RecordDetail>),
    /// Those of the name, where several have it.
    Symbol(Box<Symbols>),
}

/// A note in its thread.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct NoteDetail {
    pub note: ForgeId,
    /// `group/project#12`: what it hangs on.
    pub on: String,
    pub title: String,
    pub url: String,
    pub thread: Thread,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct CommitDetail {
    #[serde(flatten)]
    pub commit: CommitRow,
    pub message: String,
    pub repo: String,
    pub files: Vec<CommitFile>,
    /// What brought it, and how lore knows.
    pub merge_request: Option<Explained>,
    pub method: Option<OriginMethod>,
    /// 0 to 1.
    pub confidence: Option<f64>,
}

/// `typed` may be `12`, `#12`, `issue 12`, `!34`, `group/p!34`, a URL, a URL or
/// reference with `#note_5`, a commit's hash or its beginning, `dec-4k2p9xqa`,
/// or what is left: the name of a symbol, and where none has it a branch, tag or
/// `HEAD~2` of the clone around. `asked` says in which code.
pub fn show(
    reader: &Reader,
    typed: &str,
    project: Option<&str>,
    asked: &ScopeRequest<'_>,
) -> Result<Referent> {
    let typed = typed.trim();
    if let Some((on, note)) = model::forge::split_note(typed) {
        return self::note(reader, on, note, project, asked);
    }
    if RecordKind::ALL.iter().any(|kind| typed.starts_with(kind.prefix())) {
        let id = memory::resolve(reader, typed)?;
        return Ok(Referent::Record(Box::new(detail::detail(reader, &id)?)));
    }
    let (kind, rest) = named_kind(typed);
    if let Some(kind) = kind {
        return entity(reader, kind, rest, project, asked);
    }
    if typed.len() < 7 && !typed.is_empty() && typed.bytes().all(|byte| byte.is_ascii_digit()) {
        return number(reader, typed, project, asked);
    }
    match Reference::parse(typed) {
        Ok(Reference::Entity(found)) => entity(reader, found.kind, typed, project, asked),
        Ok(Reference::Commit { sha, project: of }) => {
            commit(reader, &sha, of.as_deref().or(project))
        }
        Err(_) => named(reader, typed, project, asked),
    }
}

/// A symbol, or a branch, tag or revision where no symbol has the very name.
fn named(
    reader: &Reader,
    typed: &str,
    project: Option<&str>,
    asked: &ScopeRequest<'_>,
) -> Result<Referent> {
    let found =
        if revision::is_head(typed) { Err(unknown(typed)) } else { symbol(reader, typed, asked) };
    let is_answer = match &found {
        Ok(Referent::Symbol(found)) => !matches!(found.matched, Match::Prefix | Match::Words),
        Ok(_) => true,
        Err(error) => error.code() != ErrorCode::NotFound,
    };
    if is_answer {
        return found;
    }
    match place(asked).map(|place| revision::sha(reader, typed, place)).transpose()? {
        Some(Some(sha)) => commit(reader, &sha, project),
        _ => found,
    }
}

fn symbol(reader: &Reader, typed: &str, asked: &ScopeRequest<'_>) -> Result<Referent> {
    const SHOWN: usize = 5;
    let scope = match crate::code::scope::resolve(reader, asked) {
        Ok(scope) => scope,
        Err(error) if error.code() == ErrorCode::NotIndexed => return Err(unknown(typed)),
        Err(error) => return Err(error),
    };
    let found = symbols(reader, &scope, typed, SHOWN)?;
    if !found.symbols.is_empty() {
        return Ok(Referent::Symbol(Box::new(found)));
    }
    Err(match found.suggestions.as_slice() {
        [] => unknown(typed),
        near => unknown(typed).suggest(format!("did you mean {}?", near.join(", "))),
    })
}

fn unknown(typed: &str) -> Error {
    Error::not_found(format!("`{}` is no reference lore knows", one_line(typed, 60)))
        .suggest("e.g. #12, !34, group/project!34, a URL, a commit hash, dec-…; or search for it")
}

/// `issue 12` and `MR 34` as people say it.
fn named_kind(typed: &str) -> (Option<EntityKind>, &str) {
    const WORDS: [(&str, EntityKind); 4] = [
        ("issue", EntityKind::Issue),
        ("mr", EntityKind::MergeRequest),
        ("merge request", EntityKind::MergeRequest),
        ("merge_request", EntityKind::MergeRequest),
    ];
    for (word, kind) in WORDS {
        let Some((head, rest)) = typed.split_at_checked(word.len()) else { continue };
        let rest_is_apart = rest.starts_with([' ', '#', '!']);
        if head.eq_ignore_ascii_case(word) && rest_is_apart {
            return (Some(kind), rest.trim_start());
        }
    }
    (None, typed)
}

/// Whose project is meant when several have a number.
fn place<'a>(asked: &ScopeRequest<'a>) -> Option<FileQuery<'a>> {
    asked.here.map(|dir| FileQuery::place(dir, asked.repo))
}

fn entity(
    reader: &Reader,
    kind: EntityKind,
    typed: &str,
    project: Option<&str>,
    asked: &ScopeRequest<'_>,
) -> Result<Referent> {
    let here = place(asked);
    let detail = Box::new(entities::show_near(reader, kind, typed, project, here)?);
    Ok(match kind {
        EntityKind::Issue => Referent::Issue(detail),
        EntityKind::MergeRequest => Referent::MergeRequest(detail),
    })
}

/// A bare number is an issue or a merge request; where it is both, nobody guesses.
fn number(
    reader: &Reader,
    typed: &str,
    project: Option<&str>,
    asked: &ScopeRequest<'_>,
) -> Result<Referent> {
    let issue = entity(reader, EntityKind::Issue, typed, project, asked);
    let merge_request = entity(reader, EntityKind::MergeRequest, typed, project, asked);
    match (issue, merge_request) {
        (Ok(_), Ok(_)) => Err(Error::new(
            ErrorCode::Ambiguous,
            format!("there is an issue #{typed} and a merge request !{typed}"),
        )
        .suggest(format!("say which: #{typed} or !{typed}"))),
        (Ok(found), Err(_)) | (Err(_), Ok(found)) => Ok(found),
        (Err(error), Err(other)) => {
            Err(if other.code() == ErrorCode::Ambiguous { other } else { error })
        }
    }
}

fn note(
    reader: &Reader,
    on: &str,
    note: ForgeId,
    project: Option<&str>,
    asked: &ScopeRequest<'_>,
) -> Result<Referent> {
    let Reference::Entity(found) = Reference::parse(on)? else { return Err(unknown(on)) };
    let detail = entities::show_near(reader, found.kind, on, project, place(asked))?;
    let is_in = |thread: &Thread| thread.notes.iter().any(|it| it.id == note);
    let on = format!("{}{}", detail.summary.project, detail.summary.reference());
    let Some(thread) = detail.threads.into_iter().find(is_in) else {
        return Err(Error::not_found(format!("{on} has no note {note}"))
            .suggest(format!("show {on} has all its threads")));
    };
    Ok(Referent::Note(Box::new(NoteDetail {
        note,
        on,
        title: detail.summary.title,
        url: detail.summary.forge.dialect().note_url(&detail.summary.web_url, note),
        thread,
    })))
}

fn commit(reader: &Reader, sha: &str, project: Option<&str>) -> Result<Referent> {
    const SHOWN: usize = 5;
    let found = commits::with_prefix(reader, None, sha, SHOWN + 1)?;
    let mut hashes: Vec<&str> = found.iter().map(|it| it.sha.as_str()).collect();
    hashes.dedup();
    match hashes.as_slice() {
        [] => return Err(no_commit(reader, sha)?),
        [_] => {}
        several => {
            return Err(Error::new(
                ErrorCode::Ambiguous,
                format!("`{sha}` could be any of {}", several.join(", ")),
            )
            .suggest("type more of the hash"));
        }
    }
    let Some(row) = found.into_iter().next() else { return Err(unknown(sha)) };
    let repo = places::get(reader, commits::repo_of(reader, row.id)?)?;
    let known = projects::resolve_maybe(reader, project)?.map(|project| project.id);
    let of = known.or(repo.as_ref().and_then(|repo| repo.project));
    let origin = origin::origin(reader, of, None, &row.clone().into())?;
    let ids: Vec<i64> = origin.iter().map(|it| it.merge_request.id).collect();
    let about = EvidenceSubject { most_notes: 3, ..EvidenceSubject::default() };
    Ok(Referent::Commit(Box::new(CommitDetail {
        files: commits::files(reader, row.id)?,
        message: row.message.clone(),
        repo: match repo {
            Some(repo) => repos::label(&repo, &places::places(reader)?),
            None => String::new(),
        },
        merge_request: evidence::explain_merge_requests(reader, &ids, about)?.into_iter().next(),
        method: origin.as_ref().map(|it| it.method),
        confidence: origin.as_ref().map(|it| it.confidence),
        commit: row,
    })))
}

fn no_commit(reader: &Reader, sha: &str) -> Result<Error> {
    if repos::list(reader)?.items.is_empty() {
        return Ok(Error::new(ErrorCode::NotIndexed, "no commits are known yet")
            .suggest("run: lore repo add ."));
    }
    Ok(Error::not_found(format!("no commit begins with {sha}"))
        .suggest("check the hash, or run `lore index` in the clone if it is new"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_name_the_kind_in_words() {
        for (typed, kind, rest) in [
            ("issue 12", Some(EntityKind::Issue), "12"),
            ("Issue #12", Some(EntityKind::Issue), "#12"),
            ("MR!34", Some(EntityKind::MergeRequest), "!34"),
            ("merge request 7", Some(EntityKind::MergeRequest), "7"),
            ("mrs/group!7", None, "mrs/group!7"),
            ("issues", None, "issues"),
        ] {
            assert_eq!(named_kind(typed), (kind, rest), "{typed}");
        }
    }
}
