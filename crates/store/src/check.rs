//! Looking for damage: what must hold, whether it holds, and how to mend it.
//!
//! What is derived can always be made again from what it derives from; repair
//! does just that. What came from the forge and is damaged is fetched again.

use crate::handle::{Read, Tx};
use crate::sql::{self, At};
use model::record::DependentKind;
use model::{EntityKind, Result, Timestamp};

/// One thing that must hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    pub id: &'static str,
    /// What is counted.
    pub what: &'static str,
    /// How many violate it; zero is sound.
    pub count: u64,
    /// What repair does about it; none when only people can help.
    pub repair: Option<&'static str>,
}

struct Rule {
    id: &'static str,
    what: &'static str,
    count: &'static str,
    repair: Option<(&'static str, &'static str)>,
}

const fn rule(
    id: &'static str,
    what: &'static str,
    count: &'static str,
    repair: Option<(&'static str, &'static str)>,
) -> Rule {
    Rule { id, what, count, repair }
}

/// Documents whose source is not there, and nobody is going to look.
macro_rules! documents_of_nothing {
    () => {
        "FROM documents AS d
         WHERE NOT EXISTS (SELECT 1 FROM dirty_sources AS q
             WHERE q.source_type = d.source_type AND q.source_id = d.source_id)
           AND CASE d.source_type
             WHEN 'issue' THEN NOT EXISTS (SELECT 1 FROM issues
               WHERE id = d.source_id AND gone_at IS NULL)
             WHEN 'merge_request' THEN NOT EXISTS (SELECT 1 FROM merge_requests
               WHERE id = d.source_id AND gone_at IS NULL)
             WHEN 'discussion' THEN NOT EXISTS (SELECT 1 FROM discussions WHERE id = d.source_id)
             WHEN 'commit' THEN NOT EXISTS (SELECT 1 FROM git_commits
               WHERE id = d.source_id AND unreachable_at IS NULL)
             ELSE 0 END"
    };
}

/// Sources that should have a document, have none, and do not wait for one.
macro_rules! undocumented {
    () => {
        "FROM (
           SELECT 'issue' AS source_type, id AS source_id FROM issues WHERE gone_at IS NULL
           UNION ALL
           SELECT 'merge_request', id FROM merge_requests WHERE gone_at IS NULL
           UNION ALL
           SELECT 'discussion', t.id FROM discussions AS t
           WHERE EXISTS (SELECT 1 FROM notes WHERE discussion_id = t.id AND is_system = 0)
             AND (EXISTS (SELECT 1 FROM issues WHERE id = t.issue_id AND gone_at IS NULL)
               OR EXISTS (SELECT 1 FROM merge_requests
                 WHERE id = t.merge_request_id AND gone_at IS NULL))
           UNION ALL
           SELECT 'commit', id FROM git_commits WHERE unreachable_at IS NULL
         ) AS s
         WHERE NOT EXISTS (SELECT 1 FROM documents AS d
             WHERE d.source_type = s.source_type AND d.source_id = s.source_id)
           AND NOT EXISTS (SELECT 1 FROM dirty_sources AS q
             WHERE q.source_type = s.source_type AND q.source_id = s.source_id)"
    };
}

/// Queued sources that are not there and have no document to take away.
macro_rules! queued_for_nothing {
    () => {
        "FROM dirty_sources
         WHERE NOT EXISTS (SELECT 1 FROM documents AS d
             WHERE d.source_type = dirty_sources.source_type
               AND d.source_id = dirty_sources.source_id)
           AND CASE source_type
             WHEN 'issue' THEN NOT EXISTS (SELECT 1 FROM issues WHERE id = source_id)
             WHEN 'merge_request' THEN
               NOT EXISTS (SELECT 1 FROM merge_requests WHERE id = source_id)
             WHEN 'discussion' THEN NOT EXISTS (SELECT 1 FROM discussions WHERE id = source_id)
             WHEN 'commit' THEN NOT EXISTS (SELECT 1 FROM git_commits WHERE id = source_id)
             WHEN 'decision' THEN NOT EXISTS (SELECT 1 FROM decisions WHERE id = source_id)
             WHEN 'pattern' THEN NOT EXISTS (SELECT 1 FROM patterns WHERE id = source_id)
             WHEN 'handoff' THEN NOT EXISTS (SELECT 1 FROM handoffs WHERE id = source_id)
             ELSE 1 END"
    };
}

const RULES: &[Rule] = &[
    rule(
        "foreign_keys",
        "rows that point at nothing",
        "SELECT count(*) FROM pragma_foreign_key_check",
        None,
    ),
    rule(
        "empty_threads",
        "discussions without notes",
        "SELECT count(*) FROM discussions AS d
         WHERE NOT EXISTS (SELECT 1 FROM notes WHERE discussion_id = d.id)",
        Some((
            "removed; the next sync brings back what exists",
            "DELETE FROM discussions
             WHERE NOT EXISTS (SELECT 1 FROM notes WHERE discussion_id = discussions.id)",
        )),
    ),
    rule(
        "orphan_fetches",
        "fetch records of entities that do not exist",
        "SELECT count(*) FROM entity_fetches AS f
         WHERE NOT EXISTS (SELECT 1 FROM issues WHERE f.entity_kind = 'issue' AND id = f.entity_id)
           AND NOT EXISTS (SELECT 1 FROM merge_requests
             WHERE f.entity_kind = 'merge_request' AND id = f.entity_id)",
        Some((
            "removed",
            "DELETE FROM entity_fetches
             WHERE NOT EXISTS (SELECT 1 FROM issues
                 WHERE entity_fetches.entity_kind = 'issue' AND id = entity_fetches.entity_id)
               AND NOT EXISTS (SELECT 1 FROM merge_requests
                 WHERE entity_fetches.entity_kind = 'merge_request'
                   AND id = entity_fetches.entity_id)",
        )),
    ),
    rule(
        "orphan_observations",
        "relations observed on entities that do not exist",
        "SELECT count(*) FROM reference_observations AS o
         WHERE NOT EXISTS (SELECT 1 FROM issues
             WHERE o.observed_kind = 'issue' AND id = o.observed_id)
           AND NOT EXISTS (SELECT 1 FROM merge_requests
             WHERE o.observed_kind = 'merge_request' AND id = o.observed_id)",
        Some((
            "removed",
            "DELETE FROM reference_observations
             WHERE NOT EXISTS (SELECT 1 FROM issues
                 WHERE reference_observations.observed_kind = 'issue'
                   AND id = reference_observations.observed_id)
               AND NOT EXISTS (SELECT 1 FROM merge_requests
                 WHERE reference_observations.observed_kind = 'merge_request'
                   AND id = reference_observations.observed_id)",
        )),
    ),
    rule(
        "unwitnessed_references",
        "relations that nothing speaks for",
        "SELECT count(*) FROM entity_references AS r
         WHERE NOT EXISTS (SELECT 1 FROM reference_observations AS o
           WHERE o.source_kind = r.source_kind AND o.source_host = r.source_host
             AND o.target_host = r.target_host AND o.source_project_path = r.source_project_path
             AND o.source_iid = r.source_iid AND o.target_kind = r.target_kind
             AND o.target_project_path = r.target_project_path AND o.target_iid = r.target_iid
             AND o.reference_type = r.reference_type)",
        Some((
            "removed",
            "DELETE FROM entity_references
             WHERE NOT EXISTS (SELECT 1 FROM reference_observations AS o
               WHERE o.source_kind = entity_references.source_kind
                 AND o.source_host = entity_references.source_host
                 AND o.target_host = entity_references.target_host
                 AND o.source_project_path = entity_references.source_project_path
                 AND o.source_iid = entity_references.source_iid
                 AND o.target_kind = entity_references.target_kind
                 AND o.target_project_path = entity_references.target_project_path
                 AND o.target_iid = entity_references.target_iid
                 AND o.reference_type = entity_references.reference_type)",
        )),
    ),
    rule(
        "dangling_references",
        "relations that point at rows that do not exist",
        "SELECT count(*) FROM entity_references AS r
         WHERE (r.source_id IS NOT NULL AND NOT EXISTS (
             SELECT 1 FROM issues WHERE r.source_kind = 'issue' AND id = r.source_id
             UNION ALL SELECT 1 FROM merge_requests
             WHERE r.source_kind = 'merge_request' AND id = r.source_id))
           OR (r.target_id IS NOT NULL AND NOT EXISTS (
             SELECT 1 FROM issues WHERE r.target_kind = 'issue' AND id = r.target_id
             UNION ALL SELECT 1 FROM merge_requests
             WHERE r.target_kind = 'merge_request' AND id = r.target_id))",
        Some((
            "looked up again",
            "UPDATE entity_references SET source_id = NULL, target_id = NULL
             WHERE id IN (SELECT r.id FROM entity_references AS r
               WHERE (r.source_id IS NOT NULL AND NOT EXISTS (
                   SELECT 1 FROM issues WHERE r.source_kind = 'issue' AND id = r.source_id
                   UNION ALL SELECT 1 FROM merge_requests
                   WHERE r.source_kind = 'merge_request' AND id = r.source_id))
                 OR (r.target_id IS NOT NULL AND NOT EXISTS (
                   SELECT 1 FROM issues WHERE r.target_kind = 'issue' AND id = r.target_id
                   UNION ALL SELECT 1 FROM merge_requests
                   WHERE r.target_kind = 'merge_request' AND id = r.target_id)))",
        )),
    ),
    rule(
        "lost_jobs",
        "queued fetches of entities that do not exist",
        "SELECT count(*) FROM pending_fetches AS q
         WHERE NOT EXISTS (SELECT 1 FROM issues
             WHERE q.entity_kind = 'issue' AND project_id = q.project_id AND iid = q.iid)
           AND NOT EXISTS (SELECT 1 FROM merge_requests
             WHERE q.entity_kind = 'merge_request' AND project_id = q.project_id AND iid = q.iid)",
        Some((
            "removed",
            "DELETE FROM pending_fetches
             WHERE NOT EXISTS (SELECT 1 FROM issues
                 WHERE pending_fetches.entity_kind = 'issue'
                   AND project_id = pending_fetches.project_id AND iid = pending_fetches.iid)
               AND NOT EXISTS (SELECT 1 FROM merge_requests
                 WHERE pending_fetches.entity_kind = 'merge_request'
                   AND project_id = pending_fetches.project_id AND iid = pending_fetches.iid)",
        )),
    ),
    rule(
        "lost_sources",
        "sources queued for a document that do not exist",
        concat!("SELECT count(*) ", queued_for_nothing!()),
        Some(("removed", concat!("DELETE ", queued_for_nothing!()))),
    ),
    rule(
        "failed_sources",
        "sources whose document could not be made",
        "SELECT count(*) FROM dirty_sources WHERE attempts > 0",
        Some((
            "queued anew for the next sync",
            "UPDATE dirty_sources SET attempts = 0, next_attempt_at = 0, last_error = NULL
             WHERE attempts > 0",
        )),
    ),
    rule(
        "job_attempts",
        "queued fetches with a negative number of attempts",
        "SELECT count(*) FROM pending_fetches WHERE attempts < 0",
        Some(("set to none", "UPDATE pending_fetches SET attempts = 0 WHERE attempts < 0")),
    ),
    rule(
        "source_attempts",
        "queued sources with a negative number of attempts",
        "SELECT count(*) FROM dirty_sources WHERE attempts < 0",
        Some(("set to none", "UPDATE dirty_sources SET attempts = 0 WHERE attempts < 0")),
    ),
    rule(
        "full_text_index",
        "documents missing from the full-text index, or the reverse",
        "SELECT abs((SELECT count(*) FROM documents) - (SELECT count(*) FROM documents_fts_docsize))",
        Some(("built anew", "INSERT INTO documents_fts (documents_fts) VALUES ('rebuild')")),
    ),
    rule(
        "documents_of_nothing",
        "documents whose source is gone",
        concat!("SELECT count(*) ", documents_of_nothing!()),
        Some((
            "queued; the next sync removes them",
            concat!(
                "INSERT OR IGNORE INTO dirty_sources (source_type, source_id, queued_at)
                 SELECT d.source_type, d.source_id, 0 ",
                documents_of_nothing!()
            ),
        )),
    ),
    rule(
        "undocumented_sources",
        "issues, merge requests, threads and commits that search cannot find",
        concat!("SELECT count(*) ", undocumented!()),
        Some((
            "queued; the next sync makes their documents",
            concat!(
                "INSERT OR IGNORE INTO dirty_sources (source_type, source_id, queued_at)
                 SELECT s.source_type, s.source_id, 0 ",
                undocumented!()
            ),
        )),
    ),
    rule(
        "lost_vectors",
        "embedded texts without a vector",
        "SELECT count(*) FROM embedding_metadata AS m
         WHERE m.last_error IS NULL
           AND NOT EXISTS (SELECT 1 FROM embeddings WHERE metadata_id = m.id)",
        Some((
            "removed; `lore embed` makes them again",
            "DELETE FROM embedding_metadata
             WHERE document_id IN (SELECT m.document_id FROM embedding_metadata AS m
               WHERE m.last_error IS NULL
                 AND NOT EXISTS (SELECT 1 FROM embeddings WHERE metadata_id = m.id))",
        )),
    ),
];

/// Checks every rule, and that each set of every living entity was fetched or
/// waits in the queue.
pub fn check(on: &impl Read, now: Timestamp, expected: &[DependentKind]) -> Result<Vec<Finding>> {
    let mut findings = vec![storage(on)?];
    for rule in RULES {
        findings.push(Finding {
            id: rule.id,
            what: rule.what,
            count: sql::one(on, rule.count, [], |row| row.get(0))?,
            repair: rule.repair.map(|(words, _)| words),
        });
    }
    findings.push(Finding {
        id: "stuck_claims",
        what: "queued fetches claimed by a run that died",
        count: sql::one(
            on,
            "SELECT count(*) FROM pending_fetches WHERE locked_at < ?1",
            [At(now.minus(crate::queue::CLAIM_EXPIRY))],
            |row| row.get(0),
        )?,
        repair: Some("freed"),
    });
    findings.push(Finding {
        id: "search_codes",
        what: "codes that differ from the vectors they are made of",
        count: crate::binary_codes::misplaced(on)?,
        repair: Some("made anew"),
    });
    findings.push(Finding {
        id: "never_fetched",
        what: "sets that were neither fetched nor queued",
        count: missing_sets(on, expected)?.len() as u64,
        repair: Some("queued for the next sync"),
    });
    Ok(findings)
}

/// SQLite's own opinion of the file.
fn storage(on: &impl Read) -> Result<Finding> {
    let verdicts: Vec<String> = sql::all(on, "PRAGMA quick_check", [], |row| row.get(0))?;
    let damaged = verdicts.iter().filter(|verdict| verdict.as_str() != "ok").count();
    Ok(Finding {
        id: "storage",
        what: "damaged pages or rows",
        count: damaged as u64,
        repair: None,
    })
}

/// Mends what can be mended; returns what each repair changed.
pub fn repair(
    tx: &Tx<'_>,
    now: Timestamp,
    expected: &[DependentKind],
) -> Result<Vec<(&'static str, u64)>> {
    let mut done = Vec::new();
    for rule in RULES {
        let broken: u64 = sql::one(tx, rule.count, [], |row| row.get(0))?;
        if let (Some((_, mend)), true) = (rule.repair, broken > 0) {
            sql::run(tx, mend, [])?;
            done.push((rule.id, broken));
        }
    }
    crate::references::resolve_open(tx)?;
    let misplaced = crate::binary_codes::misplaced(tx)?;
    if misplaced > 0 {
        crate::binary_codes::rebuild(tx)?;
        done.push(("search_codes", misplaced));
    }
    let freed = sql::run(
        tx,
        "UPDATE pending_fetches SET locked_at = NULL WHERE locked_at < ?1",
        [At(now.minus(crate::queue::CLAIM_EXPIRY))],
    )?;
    if freed > 0 {
        done.push(("stuck_claims", freed as u64));
    }
    let missing = missing_sets(tx, expected)?;
    for (project, kind, iid, what) in &missing {
        crate::queue::enqueue(tx, *project, *kind, *iid, *what, now)?;
    }
    if !missing.is_empty() {
        done.push(("never_fetched", missing.len() as u64));
    }
    Ok(done)
}

type MissingSet = (model::ids::ProjectId, EntityKind, model::ids::Iid, DependentKind);

fn missing_sets(on: &impl Read, expected: &[DependentKind]) -> Result<Vec<MissingSet>> {
    let mut missing = Vec::new();
    for kind in EntityKind::ALL {
        for what in expected.iter().filter(|what| what.applies_to(kind)) {
            let rows = crate::entities::without(on, None, kind, *what)?;
            missing.extend(rows.into_iter().map(|(project, iid)| (project, kind, iid, *what)));
        }
    }
    Ok(missing)
}
