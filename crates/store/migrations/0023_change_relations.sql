-- How changes follow each other. What commits say of other commits, by hash:
-- whole, or as short as it was written.
CREATE TABLE commit_relations (
  commit_id INTEGER NOT NULL REFERENCES git_commits (id) ON DELETE CASCADE,
  relation TEXT NOT NULL,
  target_sha TEXT NOT NULL,
  PRIMARY KEY (commit_id, relation, target_sha)
) STRICT, WITHOUT ROWID;
CREATE INDEX commit_relations_by_target ON commit_relations (target_sha);

-- Of commits read before, as git itself writes it.
INSERT OR IGNORE INTO commit_relations (commit_id, relation, target_sha)
SELECT id,
  CASE WHEN message LIKE 'Reapply "%' OR message LIKE 'Revert "Revert "%'
    THEN 'reapplies' ELSE 'reverts' END,
  substr(message, instr(message, 'This reverts commit ') + 20, 40)
FROM git_commits
WHERE instr(message, 'This reverts commit ') > 0
  AND substr(message, instr(message, 'This reverts commit ') + 20, 40) NOT GLOB '*[^0-9a-f]*';

INSERT OR IGNORE INTO commit_relations (commit_id, relation, target_sha)
SELECT id, 'backports',
  substr(message, instr(message, '(cherry picked from commit ') + 27, 40)
FROM git_commits
WHERE instr(message, '(cherry picked from commit ') > 0
  AND substr(message, instr(message, '(cherry picked from commit ') + 27, 40)
    NOT GLOB '*[^0-9a-f]*';

-- Relations and methods are words of `model`, which grow; the table no longer
-- lists them.
CREATE TABLE observations_next (
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
  reference_type TEXT NOT NULL,
  source_method TEXT NOT NULL,
  certainty TEXT NOT NULL CHECK (certainty IN ('stated', 'inferred', 'declared')),
  note_id INTEGER,
  observed_at INTEGER
) STRICT;
INSERT INTO observations_next (id, observed_kind, observed_id, source_kind, source_host,
  source_project_path, source_iid, target_kind, target_host, target_project_path, target_iid,
  reference_type, source_method, certainty, note_id, observed_at)
SELECT id, observed_kind, observed_id, source_kind, source_host, source_project_path, source_iid,
  target_kind, target_host, target_project_path, target_iid, reference_type, source_method,
  certainty, note_id, observed_at
FROM reference_observations;
DROP TABLE reference_observations;
ALTER TABLE observations_next RENAME TO reference_observations;
CREATE INDEX reference_observations_by_observer
ON reference_observations (observed_kind, observed_id);
CREATE INDEX reference_observations_by_relation ON reference_observations
  (source_kind, source_project_path, source_iid, target_kind, target_project_path, target_iid,
   reference_type);

-- The texts are read again for what they say about changes.
INSERT OR IGNORE INTO dirty_references (entity_kind, entity_id)
SELECT 'issue', id FROM issues UNION ALL SELECT 'merge_request', id FROM merge_requests;
