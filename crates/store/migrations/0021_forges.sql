-- A forge is one of several: what software it runs is kept by project, and a
-- relation names the host of both ends, since two forges may have projects of
-- one path.

ALTER TABLE projects ADD COLUMN forge TEXT NOT NULL DEFAULT 'gitlab';

ALTER TABLE reference_observations RENAME TO old_observations;
DROP INDEX reference_observations_by_observer;
DROP INDEX reference_observations_by_relation;
ALTER TABLE entity_references RENAME TO old_references;
DROP INDEX entity_references_by_source;
DROP INDEX entity_references_by_target;
DROP INDEX entity_references_open;

CREATE TABLE reference_observations (
  id INTEGER PRIMARY KEY,
  observed_kind TEXT NOT NULL CHECK (observed_kind IN ('issue', 'merge_request')),
  observed_id INTEGER NOT NULL,
  source_kind TEXT NOT NULL CHECK (source_kind IN ('issue', 'merge_request')),
  source_host TEXT NOT NULL,
  source_project_path TEXT NOT NULL,
  source_iid INTEGER NOT NULL,
  target_kind TEXT NOT NULL CHECK (target_kind IN ('issue', 'merge_request')),
  target_host TEXT NOT NULL,
  target_project_path TEXT NOT NULL,
  target_iid INTEGER NOT NULL,
  reference_type TEXT NOT NULL
    CHECK (reference_type IN ('closes', 'mentioned', 'related', 'moved', 'duplicate', 'blocks')),
  source_method TEXT NOT NULL
    CHECK (source_method IN ('api_closes_issues', 'api_closed_by', 'api_state_event',
      'api_entity', 'system_note', 'description', 'note', 'commit_message')),
  certainty TEXT NOT NULL CHECK (certainty IN ('stated', 'inferred', 'declared')),
  note_id INTEGER,
  observed_at INTEGER
) STRICT;

CREATE TABLE entity_references (
  id INTEGER PRIMARY KEY,
  source_kind TEXT NOT NULL,
  source_host TEXT NOT NULL,
  source_project_path TEXT NOT NULL,
  source_iid INTEGER NOT NULL,
  source_id INTEGER,
  target_kind TEXT NOT NULL,
  target_host TEXT NOT NULL,
  target_project_path TEXT NOT NULL,
  target_iid INTEGER NOT NULL,
  target_id INTEGER,
  reference_type TEXT NOT NULL,
  source_method TEXT NOT NULL,
  certainty TEXT NOT NULL,
  note_id INTEGER,
  observed_at INTEGER,
  UNIQUE (source_kind, source_host, source_project_path, source_iid, target_kind, target_host,
    target_project_path, target_iid, reference_type)
) STRICT;

-- Until now both ends were taken to be on the host of who spoke of them.
INSERT INTO reference_observations (id, observed_kind, observed_id, source_kind, source_host,
  source_project_path, source_iid, target_kind, target_host, target_project_path, target_iid,
  reference_type, source_method, certainty, note_id, observed_at)
SELECT o.id, observed_kind, observed_id, source_kind, h.host, source_project_path, source_iid,
  target_kind, h.host, target_project_path, target_iid, reference_type, source_method, certainty,
  note_id, observed_at
FROM old_observations AS o
JOIN (
  SELECT 'issue' AS kind, e.id, p.host FROM issues AS e JOIN projects AS p ON p.id = e.project_id
  UNION ALL
  SELECT 'merge_request', e.id, p.host FROM merge_requests AS e
  JOIN projects AS p ON p.id = e.project_id
) AS h ON h.kind = o.observed_kind AND h.id = o.observed_id;

CREATE INDEX reference_observations_by_observer
ON reference_observations (observed_kind, observed_id);
CREATE INDEX reference_observations_by_relation ON reference_observations
  (source_kind, source_project_path, source_iid, target_kind, target_project_path, target_iid,
   reference_type);

INSERT OR IGNORE INTO entity_references (id, source_kind, source_host, source_project_path,
  source_iid, source_id, target_kind, target_host, target_project_path, target_iid, target_id,
  reference_type, source_method, certainty, note_id, observed_at)
SELECT r.id, r.source_kind, o.source_host, r.source_project_path, r.source_iid, r.source_id,
  r.target_kind, o.target_host, r.target_project_path, r.target_iid, r.target_id,
  r.reference_type, r.source_method, r.certainty, r.note_id, r.observed_at
FROM old_references AS r
JOIN reference_observations AS o
  ON o.source_kind = r.source_kind AND o.source_project_path = r.source_project_path
  AND o.source_iid = r.source_iid AND o.target_kind = r.target_kind
  AND o.target_project_path = r.target_project_path AND o.target_iid = r.target_iid
  AND o.reference_type = r.reference_type
ORDER BY r.id, o.id;

DROP TABLE old_observations;
DROP TABLE old_references;

CREATE INDEX entity_references_by_source ON entity_references (source_kind, source_id);
CREATE INDEX entity_references_by_target ON entity_references (target_kind, target_id);
CREATE INDEX entity_references_open ON entity_references (target_project_path)
WHERE target_id IS NULL OR source_id IS NULL;
