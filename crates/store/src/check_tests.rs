//! Each rule of the check, broken on purpose, found, and mended.

use crate::check::{check, repair};
use crate::entities::{self, Scope};
use crate::payloads::Payload;
use crate::{Tx, Writer, documents, embeddings, projects, sql, vectors};
use model::hash::Hash32;
use model::ids::{ForgeId, Iid};
use model::record::{DependentKind, EntityCore, EntityRecord, IssueRecord, ProjectRecord};
use model::{EntityState, Result, Timestamp};
use tempfile::TempDir;

const NOW: Timestamp = Timestamp::EPOCH;

fn issue(n: i64) -> EntityRecord {
    let core = EntityCore {
        forge_id: ForgeId(n),
        iid: Iid(n),
        title: format!("Issue {n}"),
        description: None,
        state: EntityState::Opened,
        author: None,
        assignees: Vec::new(),
        labels: Vec::new(),
        milestone: None,
        created_at: NOW,
        updated_at: NOW,
        closed_at: None,
        closed_by: None,
        web_url: String::new(),
        discussion_locked: false,
        upvotes: 0,
        downvotes: 0,
        user_notes_count: 0,
    };
    EntityRecord::Issue(Box::new(IssueRecord {
        core,
        issue_type: "issue".to_owned(),
        is_confidential: false,
        due_date: None,
        weight: None,
        moved_to: None,
        duplicate_of: None,
    }))
}

/// A database with two issues that waits for their threads.
fn sound() -> (TempDir, Writer) {
    let dir = TempDir::new().unwrap();
    let mut writer = Writer::open(&dir.path().join("lore.db")).unwrap();
    let project = ProjectRecord {
        forge: model::ForgeKind::GitLab,
        forge_id: ForgeId(1),
        path: "harbor/tide".to_owned(),
        name: "Tide".to_owned(),
        description: None,
        default_branch: None,
        web_url: String::new(),
        visibility: None,
        is_archived: false,
        created_at: None,
        last_activity_at: None,
    };
    writer
        .write(|tx| {
            let payload = crate::payloads::keep(tx, &Payload::of(b"{}")?)?;
            let project = projects::upsert(tx, "gl.test", &project, payload)?;
            let scope = Scope { project, host: "gl.test".to_owned() };
            for n in 1..=2 {
                let payload = Payload::of(n.to_string().as_bytes())?;
                entities::upsert(tx, &scope, &issue(n), &payload, NOW)?;
                let kind = model::EntityKind::Issue;
                crate::queue::enqueue(tx, project, kind, Iid(n), DependentKind::Discussions, NOW)?;
            }
            Ok(())
        })
        .unwrap();
    (dir, writer)
}

/// Breaks the database, expects exactly this rule to notice, repairs, and
/// expects peace.
#[track_caller]
fn check_rule(rule: &str, damage: &str) {
    check_rule_with(|_| Ok(()), rule, damage);
}

/// [`check_rule`], with something more in the database at first.
#[track_caller]
fn check_rule_with(more: fn(&Tx<'_>) -> Result<()>, rule: &str, damage: &str) {
    let expected = [DependentKind::Discussions];
    let (_dir, mut writer) = sound();
    writer.write(more).unwrap();
    let broken = |writer: &Writer| {
        let findings = check(writer, NOW, &expected).unwrap();
        findings.into_iter().filter(|f| f.count > 0).map(|f| f.id).collect::<Vec<_>>()
    };
    assert_eq!(broken(&writer), Vec::<&str>::new(), "sound at first");
    writer.write(|tx| sql::run(tx, damage, [])).unwrap();
    assert_eq!(broken(&writer), [rule]);
    let done = writer.write(|tx| repair(tx, NOW, &expected)).unwrap();
    assert_eq!(done.iter().map(|(id, _)| *id).collect::<Vec<_>>(), [rule]);
    assert_eq!(broken(&writer), Vec::<&str>::new(), "mended");
}

#[test]
fn threads_without_notes() {
    check_rule(
        "empty_threads",
        "INSERT INTO discussions (issue_id, forge_id, is_individual, hash, first_note_at,
           last_note_at) VALUES (1, 'x', 0, zeroblob(32), 0, 0)",
    );
}

#[test]
fn fetch_records_of_nothing() {
    check_rule(
        "orphan_fetches",
        "INSERT INTO entity_fetches (entity_kind, entity_id, job, fetched_at, condition)
         VALUES ('issue', 99, 'discussions', 0, '')",
    );
}

#[test]
fn observations_by_nothing() {
    check_rule(
        "orphan_observations",
        "INSERT INTO reference_observations (observed_kind, observed_id, source_kind,
           source_host, source_project_path, source_iid, target_kind, target_host,
           target_project_path, target_iid, reference_type, source_method, certainty)
         VALUES ('issue', 99, 'issue', 'h', 'a/b', 1, 'issue', 'h', 'a/b', 2, 'mentioned', 'note', 'stated')",
    );
}

#[test]
fn relations_that_nothing_speaks_for() {
    check_rule(
        "unwitnessed_references",
        "INSERT INTO entity_references (source_kind, source_host, source_project_path,
           source_iid, target_kind, target_host, target_project_path, target_iid, reference_type,
           source_method, certainty)
         VALUES ('issue', 'h', 'a/b', 1, 'issue', 'h', 'a/b', 2, 'mentioned', 'note', 'stated')",
    );
}

#[test]
fn jobs_for_nothing() {
    check_rule(
        "lost_jobs",
        "INSERT INTO pending_fetches (project_id, entity_kind, iid, job, enqueued_at,
           next_attempt_at) VALUES (1, 'issue', 99, 'discussions', 0, 0)",
    );
}

#[test]
fn sources_that_do_not_exist() {
    for (source, id) in [("issue", 99), ("discussion", 99), ("decision", 7), ("banana", 1)] {
        check_rule(
            "lost_sources",
            &format!(
                "INSERT INTO dirty_sources (source_type, source_id, queued_at)
                 VALUES ('{source}', {id}, 0)"
            ),
        );
    }
}

#[test]
fn documents_that_cannot_be_made() {
    check_rule(
        "failed_sources",
        "INSERT INTO dirty_sources (source_type, source_id, queued_at, attempts, last_error)
         VALUES ('issue', 1, 0, 3, 'broken')
         ON CONFLICT DO UPDATE SET attempts = 3, last_error = 'broken'",
    );
}

#[test]
fn less_than_no_attempt() {
    check_rule("job_attempts", "UPDATE pending_fetches SET attempts = -1 WHERE iid = 1");
    check_rule(
        "source_attempts",
        "INSERT INTO dirty_sources (source_type, source_id, queued_at, attempts)
         VALUES ('issue', 1, 0, -1) ON CONFLICT DO UPDATE SET attempts = -1",
    );
}

#[test]
fn claims_of_the_dead() {
    check_rule("stuck_claims", "UPDATE pending_fetches SET locked_at = -1000000 WHERE iid = 1");
}

#[test]
fn sets_nobody_asked_for() {
    check_rule("never_fetched", "DELETE FROM pending_fetches WHERE iid = 2");
}

#[test]
fn sources_without_documents() {
    check_rule("undocumented_sources", "DELETE FROM dirty_sources WHERE source_id = 1");
}

#[test]
fn documents_without_sources() {
    check_rule_with(
        |tx| document(tx, 99).map(|_| ()),
        "documents_of_nothing",
        "DELETE FROM dirty_sources WHERE source_id = 99",
    );
}

/// The document of an issue, embedded; the issue waits in the queue.
fn embedded(tx: &Tx<'_>) -> Result<()> {
    let pending = document(tx, 1)?;
    let vector = vec![0.6, 0.8];
    let chunk = embeddings::Chunk { start: 0, end: 4, hash: pending.hash, vector };
    let space = vectors::EmbeddingSpace { model: "m".to_owned(), dims: 2, chunking: 1 };
    embeddings::replace(tx, &space, &pending, &[chunk], NOW)
}

fn document(tx: &Tx<'_>, issue: i64) -> Result<embeddings::PendingDocument> {
    let hash = Hash32::of(b"text");
    let document = documents::Document {
        source: crate::dirty::SourceType::Issue,
        source_id: issue,
        project: None,
        repo: None,
        reference: "#1".to_owned(),
        author: None,
        state: None,
        created_at: NOW,
        updated_at: NOW,
        url: String::new(),
        title: String::new(),
        text: "text".to_owned(),
        identifiers: String::new(),
        labels: Vec::new(),
        paths: Vec::new(),
        hashes: documents::Hashes { content: hash, labels: hash, paths: hash },
        truncation: None,
    };
    documents::store(tx, &document)?;
    documents::flush_full_text(tx)?;
    crate::dirty::mark(tx, crate::dirty::SourceType::Issue, issue, NOW)?;
    let id = crate::fulltext::highest_id(tx)?;
    Ok(embeddings::PendingDocument { document: id, hash, updated_at: NOW })
}

#[test]
fn texts_that_lost_their_vector() {
    let (_dir, mut writer) = sound();
    writer.write(embedded).unwrap();
    writer.write(|tx| sql::run(tx, "DELETE FROM embeddings", [])).unwrap();
    let broken = |writer: &Writer| {
        let findings = check(writer, NOW, &[]).unwrap();
        findings.into_iter().filter(|f| f.count > 0).map(|f| f.id).collect::<Vec<_>>()
    };
    // The code left behind is noticed too.
    assert_eq!(broken(&writer), ["lost_vectors", "search_codes"]);
    writer.write(|tx| repair(tx, NOW, &[])).unwrap();
    assert_eq!(broken(&writer), Vec::<&str>::new());
    assert!(embeddings::models(&writer).unwrap().is_empty(), "it waits to be embedded again");
}

#[test]
fn codes_that_are_not_those_of_the_vectors() {
    check_rule_with(embedded, "search_codes", "UPDATE embedding_blocks SET codes = zeroblob(8192)");
    check_rule_with(
        embedded,
        "search_codes",
        "UPDATE embedding_blocks SET documents = zeroblob(8192)",
    );
}

/// As in a database of before there were centres: its codes are right around
/// zero, and right again around the centre once that is found.
#[test]
fn codes_around_a_centre_that_moves() {
    let (_dir, mut writer) = sound();
    let space = vectors::EmbeddingSpace { model: "m".to_owned(), dims: 2, chunking: 1 };
    let n_wrong = |writer: &Writer| crate::binary_codes::misplaced(writer).unwrap();
    let codes = |writer: &Writer| {
        let sql = "SELECT codes FROM embedding_blocks";
        sql::one(writer, sql, [], |row| row.get::<_, Vec<u8>>(0)).unwrap()
    };
    let many = |tx: &Tx<'_>| {
        let pending = document(tx, 1)?;
        let chunk = |n: u16| {
            let vector = vec![0.9 + f32::from(n % 2) / 100.0, 0.3 + f32::from(n % 3) / 100.0];
            embeddings::Chunk { start: 0, end: 4, hash: pending.hash, vector }
        };
        let chunks: Vec<_> = (0..300).map(chunk).collect();
        embeddings::replace(tx, &space, &pending, &chunks, NOW)
    };
    writer.write(many).unwrap();
    assert!(crate::binary_codes::is_unsettled(&writer, &space).unwrap());
    let around_zero = codes(&writer);
    writer.write(|tx| crate::binary_codes::recompute_centroid(tx, &space)).unwrap();
    assert!(!crate::binary_codes::is_unsettled(&writer, &space).unwrap());
    assert_eq!(n_wrong(&writer), 0);
    assert_ne!(codes(&writer), around_zero, "around zero all of these are alike");
    // New ones are coded around the same centre.
    writer.write(many).unwrap();
    assert_eq!(n_wrong(&writer), 0);
    writer.write(|tx| sql::run(tx, "DELETE FROM embedding_centres", [])).unwrap();
    assert!(n_wrong(&writer) > 0);
    writer.write(|tx| repair(tx, NOW, &[])).unwrap();
    assert_eq!((n_wrong(&writer), codes(&writer)), (0, around_zero));
}

/// New documents enter the index at the end of their transaction; what happens
/// to them until then must not confuse it.
#[test]
fn documents_that_change_before_they_are_in_the_index() {
    let (_dir, mut writer) = sound();
    let found = |writer: &Writer, word: &str| {
        let ids: Vec<i64> = crate::fulltext::matching(writer, word).unwrap().iter().collect();
        ids.len()
    };
    let text = |tx: &Tx<'_>, id: i64, text: &str| {
        sql::run(tx, "UPDATE documents SET content_text = ?2 WHERE id = ?1", (id, text))
    };
    writer
        .write(|tx| {
            let first = document(tx, 1)?.document;
            text(tx, first, "apples")?;
            let second = document(tx, 2)?.document;
            let undone = tx.attempt(|| {
                document(tx, 3)?;
                Err::<(), _>(model::Error::internal("no"))
            })?;
            assert!(undone.is_err());
            sql::run(tx, "DELETE FROM documents WHERE id = ?1", [second])?;
            Ok(())
        })
        .unwrap();
    assert_eq!((found(&writer, "apples"), found(&writer, "text")), (1, 0));
    writer
        .write(|tx| {
            let id = crate::fulltext::highest_id(tx)?;
            text(tx, id, "pears")?;
            document(tx, 4)?;
            Ok(())
        })
        .unwrap();
    assert_eq!((found(&writer, "apples"), found(&writer, "pears")), (0, 1));
    assert_eq!(found(&writer, "text"), 1);
    // The last one goes, and a new one takes its id before the index was told.
    writer
        .write(|tx| {
            let id = crate::fulltext::highest_id(tx)?;
            sql::run(tx, "DELETE FROM documents WHERE id = ?1", [id])?;
            let again = document(tx, 5)?.document;
            assert_eq!(again, id);
            text(tx, again, "plums")?;
            Ok(())
        })
        .unwrap();
    assert_eq!((found(&writer, "text"), found(&writer, "plums")), (0, 1));
    let whole = "INSERT INTO documents_fts (documents_fts, rank) VALUES ('integrity-check', 1)";
    writer.write(|tx| sql::run(tx, whole, [])).unwrap();
}

#[test]
fn an_index_that_misses_documents() {
    check_rule_with(
        |tx| {
            document(tx, 1)?;
            document(tx, 2)?;
            Ok(())
        },
        "full_text_index",
        "INSERT INTO documents_fts (documents_fts, rowid, title, content_text, identifiers)
         VALUES ('delete', 1, '', 'text', '')",
    );
}
