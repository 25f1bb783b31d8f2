//! Documents: what is searched, and what each is made from. How text is made
//! of a source is not decided here but in `search`.

use crate::dirty::SourceType;
use crate::entities::EntityRow;
use crate::handle::{Read, Tx};
use crate::repos;
use crate::results;
use crate::sql::{self, entity_table};
use model::hash::Hash32;
use model::ids::{ForgeId, Iid, ProjectId};
use model::{EntityKind, EntityState, ForgeKind, Result, Timestamp, vocabulary};
use rusqlite::params;

/// An issue or merge request, as far as its document tells of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntitySource {
    pub forge: ForgeKind,
    pub kind: EntityKind,
    pub project: ProjectId,
    pub project_path: String,
    pub iid: Iid,
    pub title: String,
    pub description: Option<String>,
    pub state: EntityState,
    pub author: Option<String>,
    pub labels: Vec<String>,
    /// From where to where; only of merge requests.
    pub branches: Option<(String, String)>,
    /// Old and new paths of changed files, each once.
    pub paths: Vec<String>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    pub web_url: String,
}

/// What a person wrote in a thread.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoteSource {
    pub forge_id: ForgeId,
    pub author: Option<String>,
    pub body: String,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    pub old_path: Option<String>,
    pub new_path: Option<String>,
}

/// An entity the forge still shows; none when it is gone.
pub fn entity_source(on: &impl Read, entity: EntityRow) -> Result<Option<EntitySource>> {
    let (labels, link, branches) = match entity.kind {
        EntityKind::Issue => {
            ("issue_labels", "issue_id", "NULL AS source_branch, NULL AS target_branch")
        }
        EntityKind::MergeRequest => {
            ("mr_labels", "merge_request_id", "e.source_branch, e.target_branch")
        }
    };
    let found = sql::first(
        on,
        &format!(
            "SELECT e.project_id, projects.forge, projects.path, e.iid, e.title, e.description, e.state,
               e.created_at, e.updated_at, e.web_url, {branches},
               (SELECT username FROM users WHERE id = e.author_id) AS author,
               (SELECT json_group_array(name) FROM (SELECT name FROM {labels}
                  JOIN labels ON labels.id = label_id WHERE {link} = e.id ORDER BY name)) AS labels
             FROM {} AS e
             JOIN projects ON projects.id = e.project_id
             WHERE e.id = ?1 AND e.gone_at IS NULL",
            entity_table(entity.kind)
        ),
        [entity.id],
        |row| {
            let labels: String = row.get("labels")?;
            let source: Option<String> = row.get("source_branch")?;
            let target: Option<String> = row.get("target_branch")?;
            Ok(EntitySource {
                forge: sql::word(row, "forge")?,
                kind: entity.kind,
                project: ProjectId(row.get("project_id")?),
                project_path: row.get("path")?,
                iid: Iid(row.get("iid")?),
                title: row.get("title")?,
                description: row.get("description")?,
                state: sql::word(row, "state")?,
                author: row.get("author")?,
                labels: serde_json::from_str(&labels).unwrap_or_default(),
                branches: source.zip(target),
                paths: Vec::new(),
                created_at: sql::at(row, "created_at")?,
                updated_at: sql::at(row, "updated_at")?,
                web_url: row.get("web_url")?,
            })
        },
    )?;
    let Some(mut found) = found else { return Ok(None) };
    if entity.kind == EntityKind::MergeRequest {
        found.paths = sql::all(
            on,
            "SELECT old_path FROM mr_file_changes WHERE merge_request_id = ?1
             UNION SELECT new_path FROM mr_file_changes WHERE merge_request_id = ?1
             ORDER BY 1",
            [entity.id],
            |row| row.get(0),
        )?;
    }
    Ok(Some(found))
}

/// What a thread hangs on.
pub fn thread_parent(on: &impl Read, discussion: i64) -> Result<Option<EntityRow>> {
    let parent = sql::first(
        on,
        "SELECT issue_id, merge_request_id FROM discussions WHERE id = ?1",
        [discussion],
        |row| {
            let issue: Option<i64> = row.get(0)?;
            let merge_request: Option<i64> = row.get(1)?;
            Ok(issue
                .map(|id| EntityRow { kind: EntityKind::Issue, id })
                .or(merge_request.map(|id| EntityRow { kind: EntityKind::MergeRequest, id })))
        },
    )?;
    Ok(parent.flatten())
}

/// What people wrote in a thread, in order; what the forge wrote itself is left
/// out.
pub fn thread_notes(on: &impl Read, discussion: i64) -> Result<Vec<NoteSource>> {
    sql::all(
        on,
        "SELECT forge_id, body, created_at, updated_at, old_path, new_path,
           (SELECT username FROM users WHERE id = author_id) AS author
         FROM notes WHERE discussion_id = ?1 AND is_system = 0 ORDER BY position",
        [discussion],
        |row| {
            Ok(NoteSource {
                forge_id: ForgeId(row.get("forge_id")?),
                author: row.get("author")?,
                body: row.get("body")?,
                created_at: sql::at(row, "created_at")?,
                updated_at: sql::at(row, "updated_at")?,
                old_path: row.get("old_path")?,
                new_path: row.get("new_path")?,
            })
        },
    )
}

/// The synced forge project that a repository is a clone of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitProject {
    pub id: ProjectId,
    pub forge: ForgeKind,
    pub path: String,
    pub web_url: String,
}

/// A commit of a registered repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitSource {
    pub repo: i64,
    /// `host/group/name`, or the folder of a clone without a remote.
    pub repo_name: String,
    pub project: Option<CommitProject>,
    pub sha: String,
    pub message: String,
    pub author: String,
    pub authored_at: Timestamp,
    pub committed_at: Timestamp,
    /// Old and new paths of changed files, each once.
    pub paths: Vec<String>,
}

/// A hash says nothing to people who search; the folder does.
fn spoken_name(name: String, dir: Option<&str>) -> String {
    let folder = dir.and_then(|dir| dir.rsplit('/').next()).unwrap_or_default();
    if name.starts_with(repos::LOCAL) && !folder.is_empty() { folder.to_owned() } else { name }
}

/// A commit that some branch still has.
pub fn commit_source(on: &impl Read, commit: i64) -> Result<Option<CommitSource>> {
    let found = sql::first(
        on,
        "SELECT c.repo_id, r.canonical_url,
           (SELECT dir FROM repo_places WHERE repo_id = r.id ORDER BY id LIMIT 1) AS dir,
           p.id AS project_id, p.path, p.web_url, p.forge, c.sha, c.message,
           c.author_name, c.authored_at, c.committed_at
         FROM git_commits AS c
         JOIN repos AS r ON r.id = c.repo_id
         LEFT JOIN projects AS p ON p.id = r.project_id
         WHERE c.id = ?1 AND c.unreachable_at IS NULL",
        [commit],
        |row| {
            let project: Option<i64> = row.get("project_id")?;
            let project = match project {
                Some(id) => Some(CommitProject {
                    id: ProjectId(id),
                    forge: sql::word(row, "forge")?,
                    path: row.get("path")?,
                    web_url: row.get("web_url")?,
                }),
                None => None,
            };
            Ok(CommitSource {
                repo: row.get("repo_id")?,
                repo_name: spoken_name(
                    row.get("canonical_url")?,
                    row.get::<_, Option<String>>("dir")?.as_deref(),
                ),
                project,
                sha: row.get("sha")?,
                message: row.get("message")?,
                author: row.get("author_name")?,
                authored_at: sql::at(row, "authored_at")?,
                committed_at: sql::at(row, "committed_at")?,
                paths: Vec::new(),
            })
        },
    )?;
    let Some(mut found) = found else { return Ok(None) };
    found.paths = sql::all(
        on,
        "SELECT path FROM commit_files WHERE commit_id = ?1
         UNION SELECT old_path FROM commit_files WHERE commit_id = ?1 AND old_path IS NOT NULL
         ORDER BY 1",
        [commit],
        |row| row.get(0),
    )?;
    Ok(Some(found))
}

vocabulary! {
    /// Why a document does not hold the whole text of its source.
    pub enum Truncation {
        /// Notes in the middle of a long thread were left out.
        MiddleDropped = "token_limit_middle_drop",
        /// The thread is one note, and too long.
        SingleNote = "single_note_oversized",
        /// The first and last notes alone are too long.
        FirstAndLast = "first_last_oversized",
        /// Longer than any document may be.
        HardCap = "hard_cap_oversized",
    }
}

/// A document ready to be stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    pub source: SourceType,
    pub source_id: i64,
    pub project: Option<ProjectId>,
    /// The local repository it comes from.
    pub repo: Option<i64>,
    /// As people write it inside its project: `#12`, `!7`.
    pub reference: String,
    pub author: Option<String>,
    pub state: Option<String>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    pub url: String,
    pub title: String,
    pub text: String,
    /// What the tokenizer would not find in title and text.
    pub identifiers: String,
    /// Sorted, each once.
    pub labels: Vec<String>,
    /// Sorted, each once.
    pub paths: Vec<String>,
    pub hashes: Hashes,
    pub truncation: Option<Truncation>,
}

/// Tell whether a document differs from the one that is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hashes {
    pub content: Hash32,
    pub labels: Hash32,
    pub paths: Hash32,
}

/// What storing a document did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UpsertOutcome {
    New,
    Changed,
    Unchanged,
}

/// The columns of a document's row, in the order of both statements below. By
/// number: seventeen names would be looked up for each document.
macro_rules! columns {
    ($document:ident) => {
        params![
            $document.source.as_str(),
            $document.source_id,
            $document.project.map(|project| project.0),
            $document.repo,
            $document.reference,
            $document.author,
            $document.state,
            $document.created_at.as_millis(),
            $document.updated_at.as_millis(),
            $document.url,
            $document.title,
            $document.text,
            $document.identifiers,
            $document.hashes.content.as_bytes(),
            $document.hashes.labels.as_bytes(),
            $document.hashes.paths.as_bytes(),
            $document.truncation.map(Truncation::as_str),
        ]
    };
}

/// Stores a document. The same hashes as before write nothing. Found by its words
/// after [`flush_full_text`].
pub fn store(tx: &Tx<'_>, document: &Document) -> Result<UpsertOutcome> {
    let known = if is_beyond_all(tx, document)? { None } else { stored(tx, document)? };
    if known.is_some_and(|(_, hashes)| hashes == document.hashes) {
        return Ok(UpsertOutcome::Unchanged);
    }
    results::count_change(tx, results::DOCUMENTS)?;
    let Some((id, before)) = known else {
        let id = insert(tx, document)?;
        add_to_set(tx, "document_labels", "label", id, &document.labels)?;
        add_to_set(tx, "document_paths", "path", id, &document.paths)?;
        return Ok(UpsertOutcome::New);
    };
    update(tx, document)?;
    if before.labels != document.hashes.labels {
        replace_set(tx, "document_labels", "label", id, &document.labels)?;
    }
    if before.paths != document.hashes.paths {
        replace_set(tx, "document_paths", "path", id, &document.paths)?;
    }
    Ok(UpsertOutcome::Changed)
}

/// Whether a document comes from a source behind all that have one, as most do
/// that are new: then there is nothing to look up.
fn is_beyond_all(tx: &Tx<'_>, document: &Document) -> Result<bool> {
    let last = match tx.memo.last_source(document.source) {
        Some(last) => last,
        None => sql::one(
            tx,
            "SELECT coalesce(max(source_id), -1) FROM documents WHERE source_type = ?1",
            [document.source.as_str()],
            |row| row.get(0),
        )?,
    };
    tx.memo.keep_last_source(document.source, last.max(document.source_id));
    Ok(document.source_id > last)
}

/// The row and the hashes of what is stored of a document's source.
fn stored(tx: &Tx<'_>, document: &Document) -> Result<Option<(i64, Hashes)>> {
    sql::first(
        tx,
        "SELECT id, content_hash, labels_hash, paths_hash FROM documents
         WHERE source_type = ?1 AND source_id = ?2",
        (document.source.as_str(), document.source_id),
        |row| {
            let hash = |column: &str| row.get::<_, [u8; 32]>(column);
            let hashes = Hashes {
                content: Hash32(hash("content_hash")?),
                labels: Hash32(hash("labels_hash")?),
                paths: Hash32(hash("paths_hash")?),
            };
            Ok((row.get::<_, i64>("id")?, hashes))
        },
    )
}

/// The row of a document that is not there yet.
fn insert(tx: &Tx<'_>, document: &Document) -> Result<i64> {
    sql::insert(
        tx,
        "INSERT INTO documents (source_type, source_id, project_id, repo_id, reference, author,
           state, created_at, updated_at, url, title, content_text, identifiers,
           content_hash, labels_hash, paths_hash, is_truncated, truncated_reason)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16,
           ?17 IS NOT NULL, ?17)",
        columns!(document),
    )
}

fn update(tx: &Tx<'_>, document: &Document) -> Result<usize> {
    sql::run(
        tx,
        "UPDATE documents SET
           project_id = ?3, repo_id = ?4, reference = ?5, author = ?6, state = ?7,
           created_at = ?8, updated_at = ?9, url = ?10, title = ?11, content_text = ?12,
           identifiers = ?13, content_hash = ?14, labels_hash = ?15, paths_hash = ?16,
           is_truncated = ?17 IS NOT NULL, truncated_reason = ?17
         WHERE source_type = ?1 AND source_id = ?2",
        columns!(document),
    )
}

fn replace_set(
    tx: &Tx<'_>,
    table: &str,
    column: &str,
    document: i64,
    values: &[String],
) -> Result<()> {
    sql::run(tx, &format!("DELETE FROM {table} WHERE document_id = ?1"), [document])?;
    add_to_set(tx, table, column, document, values)
}

fn add_to_set(
    tx: &Tx<'_>,
    table: &str,
    column: &str,
    document: i64,
    values: &[String],
) -> Result<()> {
    for value in values {
        sql::run(
            tx,
            &format!("INSERT OR IGNORE INTO {table} (document_id, {column}) VALUES (?1, ?2)"),
            (document, value),
        )?;
    }
    Ok(())
}

/// Enters new documents into the full-text index; until then they are not found.
/// Called once by every transaction that stores documents: one at a time would cost
/// a quarter more. A new document has a larger id than all others, so those are new
/// that come behind the last one of the index, and what a transaction left out is
/// entered by the next one that flushes.
pub fn flush_full_text(tx: &Tx<'_>) -> Result<()> {
    let (last, last_entered): (i64, i64) = sql::one(
        tx,
        "SELECT coalesce((SELECT max(id) FROM documents), 0),
           coalesce((SELECT max(id) FROM documents_fts_docsize), 0)",
        [],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )?;
    if last > last_entered {
        sql::run(
            tx,
            "INSERT INTO documents_fts (rowid, title, content_text, identifiers)
             SELECT id, title, content_text, identifiers FROM documents WHERE id > ?1 ORDER BY id",
            [last_entered],
        )?;
    }
    Ok(())
}

/// Takes away the document of a source; false when there was none.
pub fn remove(tx: &Tx<'_>, source: SourceType, id: i64) -> Result<bool> {
    let n_removed = sql::run(
        tx,
        "DELETE FROM documents WHERE source_type = ?1 AND source_id = ?2",
        (source.as_str(), id),
    )?;
    if n_removed > 0 {
        results::count_change(tx, results::DOCUMENTS)?;
    }
    Ok(n_removed > 0)
}

/// What ranking may want to know of a document besides its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentSummary {
    pub document: i64,
    pub source: SourceType,
    pub source_id: i64,
    pub project: Option<ProjectId>,
    /// The local repository it comes from.
    pub repo: Option<i64>,
    pub title: String,
    pub updated_at: Timestamp,
}

/// In the order of their ids.
pub fn cards(on: &impl Read, documents: &[i64]) -> Result<Vec<DocumentSummary>> {
    sql::all(
        on,
        "SELECT id, source_type, source_id, project_id, repo_id, title, updated_at FROM documents
         WHERE id IN (SELECT value FROM json_each(?1)) ORDER BY id",
        [sql::json_ids(documents)],
        |row| {
            let source: String = row.get("source_type")?;
            Ok(DocumentSummary {
                document: row.get("id")?,
                source: SourceType::parse(&source).ok_or(rusqlite::Error::InvalidQuery)?,
                source_id: row.get("source_id")?,
                project: row.get::<_, Option<i64>>("project_id")?.map(ProjectId),
                repo: row.get("repo_id")?,
                title: row.get("title")?,
                updated_at: sql::at(row, "updated_at")?,
            })
        },
    )
}

/// Whether there is anything to search; cheaper than counting it.
pub fn exist(on: &impl Read) -> Result<bool> {
    sql::one(on, "SELECT EXISTS (SELECT 1 FROM documents)", [], |row| row.get(0))
}

pub fn count(on: &impl Read) -> Result<u64> {
    sql::one(on, "SELECT count(*) FROM documents", [], |row| row.get(0))
}

/// Documents that the full-text index has.
pub fn count_indexed(on: &impl Read) -> Result<u64> {
    sql::one(on, "SELECT count(*) FROM documents_fts_docsize", [], |row| row.get(0))
}

/// How many documents do not hold the whole text of their source.
pub fn count_truncated(on: &impl Read) -> Result<u64> {
    sql::one(on, "SELECT count(*) FROM documents WHERE is_truncated", [], |row| row.get(0))
}
