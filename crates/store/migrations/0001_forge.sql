-- What a forge told us. Row ids are local; `forge_id` is the forge's own global
-- id, stable across renames. Times are whole milliseconds since 1970, UTC.
-- Plain dates stay text as the forge writes them (YYYY-MM-DD).

-- Exact bytes of every distinct answer, compressed. Content-addressed: the same
-- body seen a thousand times is one row, and "did it change?" is one comparison.
CREATE TABLE raw_payloads (
  id INTEGER PRIMARY KEY,
  hash BLOB NOT NULL UNIQUE CHECK (length(hash) = 32),
  size INTEGER NOT NULL CHECK (size >= 0),
  body BLOB NOT NULL -- zstd
) STRICT;

CREATE TABLE projects (
  id INTEGER PRIMARY KEY,
  host TEXT NOT NULL,
  forge_id INTEGER NOT NULL,
  path TEXT NOT NULL,
  name TEXT NOT NULL,
  description TEXT,
  default_branch TEXT,
  web_url TEXT NOT NULL,
  visibility TEXT,
  is_archived INTEGER NOT NULL CHECK (is_archived IN (0, 1)),
  created_at INTEGER,
  last_activity_at INTEGER,
  synced_at INTEGER, -- end of the last run that read this project completely
  gone_at INTEGER,
  payload_id INTEGER REFERENCES raw_payloads (id),
  UNIQUE (host, forge_id)
) STRICT;
CREATE INDEX projects_by_path ON projects (path);

-- Every path a project ever had here: old notes keep naming it by them.
CREATE TABLE project_paths (
  path TEXT NOT NULL,
  project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  PRIMARY KEY (path, project_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE users (
  id INTEGER PRIMARY KEY,
  host TEXT NOT NULL,
  forge_id INTEGER NOT NULL,
  username TEXT NOT NULL,
  name TEXT NOT NULL,
  UNIQUE (host, forge_id)
) STRICT;
CREATE INDEX users_by_username ON users (username);

-- `forge_id` is null for labels known by name only (old servers).
CREATE TABLE labels (
  id INTEGER PRIMARY KEY,
  project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  forge_id INTEGER,
  name TEXT NOT NULL,
  description TEXT,
  color TEXT,
  UNIQUE (project_id, name)
) STRICT;

CREATE TABLE milestones (
  id INTEGER PRIMARY KEY,
  project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  forge_id INTEGER NOT NULL,
  iid INTEGER,
  title TEXT NOT NULL,
  description TEXT,
  state TEXT NOT NULL,
  due_date TEXT,
  start_date TEXT,
  web_url TEXT,
  UNIQUE (project_id, forge_id)
) STRICT;

CREATE TABLE issues (
  id INTEGER PRIMARY KEY,
  project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  forge_id INTEGER NOT NULL,
  iid INTEGER NOT NULL,
  title TEXT NOT NULL,
  description TEXT,
  state TEXT NOT NULL CHECK (state IN ('opened', 'closed')),
  issue_type TEXT NOT NULL,
  author_id INTEGER REFERENCES users (id),
  milestone_id INTEGER REFERENCES milestones (id),
  is_confidential INTEGER NOT NULL CHECK (is_confidential IN (0, 1)),
  discussion_locked INTEGER NOT NULL CHECK (discussion_locked IN (0, 1)),
  due_date TEXT,
  weight INTEGER,
  upvotes INTEGER NOT NULL,
  downvotes INTEGER NOT NULL,
  user_notes_count INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  closed_at INTEGER,
  closed_by_id INTEGER REFERENCES users (id),
  moved_to_forge_id INTEGER,
  duplicate_of_project_forge_id INTEGER,
  duplicate_of_iid INTEGER,
  web_url TEXT NOT NULL,
  gone_at INTEGER, -- no longer listed by the forge: deleted or hidden
  seen_run INTEGER, -- the last full listing that contained it
  payload_id INTEGER REFERENCES raw_payloads (id),
  UNIQUE (project_id, forge_id)
) STRICT;
-- An iid is unique among what exists; a gone row may share it with its successor.
CREATE UNIQUE INDEX issues_by_iid ON issues (project_id, iid) WHERE gone_at IS NULL;
CREATE INDEX issues_by_update ON issues (project_id, updated_at);
CREATE INDEX issues_by_forge_id ON issues (forge_id);
CREATE INDEX issues_by_moved_to ON issues (moved_to_forge_id)
WHERE moved_to_forge_id IS NOT NULL;

CREATE TABLE merge_requests (
  id INTEGER PRIMARY KEY,
  project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  forge_id INTEGER NOT NULL,
  iid INTEGER NOT NULL,
  title TEXT NOT NULL,
  description TEXT,
  state TEXT NOT NULL CHECK (state IN ('opened', 'closed', 'merged')),
  is_draft INTEGER NOT NULL CHECK (is_draft IN (0, 1)),
  author_id INTEGER REFERENCES users (id),
  milestone_id INTEGER REFERENCES milestones (id),
  discussion_locked INTEGER NOT NULL CHECK (discussion_locked IN (0, 1)),
  source_branch TEXT NOT NULL,
  target_branch TEXT NOT NULL,
  source_project_forge_id INTEGER,
  target_project_forge_id INTEGER,
  head_sha TEXT,
  merge_commit_sha TEXT,
  squash_commit_sha TEXT,
  upvotes INTEGER NOT NULL,
  downvotes INTEGER NOT NULL,
  user_notes_count INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  closed_at INTEGER,
  closed_by_id INTEGER REFERENCES users (id),
  merged_at INTEGER,
  merged_by_id INTEGER REFERENCES users (id),
  web_url TEXT NOT NULL,
  gone_at INTEGER,
  seen_run INTEGER,
  payload_id INTEGER REFERENCES raw_payloads (id),
  UNIQUE (project_id, forge_id)
) STRICT;
CREATE UNIQUE INDEX merge_requests_by_iid ON merge_requests (project_id, iid)
WHERE gone_at IS NULL;
CREATE INDEX merge_requests_by_update ON merge_requests (project_id, updated_at);
CREATE INDEX merge_requests_by_forge_id ON merge_requests (forge_id);
-- Line trace asks "which merge request is this commit?" by all three.
CREATE INDEX merge_requests_by_merge_sha ON merge_requests (merge_commit_sha)
WHERE merge_commit_sha IS NOT NULL;
CREATE INDEX merge_requests_by_squash_sha ON merge_requests (squash_commit_sha)
WHERE squash_commit_sha IS NOT NULL;
CREATE INDEX merge_requests_by_head_sha ON merge_requests (head_sha)
WHERE head_sha IS NOT NULL;

CREATE TABLE issue_labels (
  issue_id INTEGER NOT NULL REFERENCES issues (id) ON DELETE CASCADE,
  label_id INTEGER NOT NULL REFERENCES labels (id) ON DELETE CASCADE,
  PRIMARY KEY (issue_id, label_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX issue_labels_by_label ON issue_labels (label_id);

CREATE TABLE mr_labels (
  merge_request_id INTEGER NOT NULL REFERENCES merge_requests (id) ON DELETE CASCADE,
  label_id INTEGER NOT NULL REFERENCES labels (id) ON DELETE CASCADE,
  PRIMARY KEY (merge_request_id, label_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX mr_labels_by_label ON mr_labels (label_id);

CREATE TABLE issue_assignees (
  issue_id INTEGER NOT NULL REFERENCES issues (id) ON DELETE CASCADE,
  user_id INTEGER NOT NULL REFERENCES users (id),
  PRIMARY KEY (issue_id, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX issue_assignees_by_user ON issue_assignees (user_id);

CREATE TABLE mr_assignees (
  merge_request_id INTEGER NOT NULL REFERENCES merge_requests (id) ON DELETE CASCADE,
  user_id INTEGER NOT NULL REFERENCES users (id),
  PRIMARY KEY (merge_request_id, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX mr_assignees_by_user ON mr_assignees (user_id);

CREATE TABLE mr_reviewers (
  merge_request_id INTEGER NOT NULL REFERENCES merge_requests (id) ON DELETE CASCADE,
  user_id INTEGER NOT NULL REFERENCES users (id),
  PRIMARY KEY (merge_request_id, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX mr_reviewers_by_user ON mr_reviewers (user_id);

-- Exactly one of issue_id and merge_request_id: two real foreign keys instead
-- of one (kind, id) pair that nothing would check.
CREATE TABLE discussions (
  id INTEGER PRIMARY KEY,
  issue_id INTEGER REFERENCES issues (id) ON DELETE CASCADE,
  merge_request_id INTEGER REFERENCES merge_requests (id) ON DELETE CASCADE,
  forge_id TEXT NOT NULL,
  is_individual INTEGER NOT NULL CHECK (is_individual IN (0, 1)),
  hash BLOB NOT NULL CHECK (length(hash) = 32), -- of all its notes: unchanged threads cost nothing
  first_note_at INTEGER NOT NULL,
  last_note_at INTEGER NOT NULL,
  CHECK ((issue_id IS NULL) <> (merge_request_id IS NULL))
) STRICT;
CREATE UNIQUE INDEX discussions_by_issue ON discussions (issue_id, forge_id)
WHERE issue_id IS NOT NULL;
CREATE UNIQUE INDEX discussions_by_mr ON discussions (merge_request_id, forge_id)
WHERE merge_request_id IS NOT NULL;

CREATE TABLE notes (
  id INTEGER PRIMARY KEY,
  discussion_id INTEGER NOT NULL REFERENCES discussions (id) ON DELETE CASCADE,
  forge_id INTEGER NOT NULL,
  position INTEGER NOT NULL, -- order inside the discussion
  note_type TEXT,
  body TEXT NOT NULL,
  author_id INTEGER REFERENCES users (id),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  is_system INTEGER NOT NULL CHECK (is_system IN (0, 1)),
  -- What a system note says happened; 'unknown' when its wording is not known.
  system_action TEXT CHECK ((system_action IS NULL) = (is_system = 0)),
  is_internal INTEGER NOT NULL CHECK (is_internal IN (0, 1)),
  is_resolvable INTEGER NOT NULL CHECK (is_resolvable IN (0, 1)),
  is_resolved INTEGER NOT NULL CHECK (is_resolved IN (0, 1)),
  resolved_by_id INTEGER REFERENCES users (id),
  resolved_at INTEGER,
  position_type TEXT,
  old_path TEXT,
  new_path TEXT,
  old_line INTEGER,
  new_line INTEGER,
  range_start INTEGER,
  range_end INTEGER,
  base_sha TEXT,
  start_sha TEXT,
  head_sha TEXT,
  UNIQUE (discussion_id, forge_id)
) STRICT;
CREATE INDEX notes_by_author ON notes (author_id, created_at);
CREATE INDEX notes_by_new_path ON notes (new_path) WHERE new_path IS NOT NULL;
CREATE INDEX notes_by_old_path ON notes (old_path) WHERE old_path IS NOT NULL;
CREATE INDEX notes_unknown ON notes (system_action) WHERE system_action = 'unknown';

CREATE TABLE resource_state_events (
  id INTEGER PRIMARY KEY,
  issue_id INTEGER REFERENCES issues (id) ON DELETE CASCADE,
  merge_request_id INTEGER REFERENCES merge_requests (id) ON DELETE CASCADE,
  forge_id INTEGER NOT NULL,
  user_id INTEGER REFERENCES users (id),
  created_at INTEGER NOT NULL,
  state TEXT NOT NULL,
  source_merge_request_forge_id INTEGER,
  source_commit TEXT,
  CHECK ((issue_id IS NULL) <> (merge_request_id IS NULL))
) STRICT;
CREATE UNIQUE INDEX state_events_by_issue ON resource_state_events (issue_id, forge_id)
WHERE issue_id IS NOT NULL;
CREATE UNIQUE INDEX state_events_by_mr ON resource_state_events (merge_request_id, forge_id)
WHERE merge_request_id IS NOT NULL;
CREATE INDEX state_events_by_source ON resource_state_events (source_merge_request_forge_id)
WHERE source_merge_request_forge_id IS NOT NULL;

-- The label's name at the time of fetching; null when it was deleted since.
CREATE TABLE resource_label_events (
  id INTEGER PRIMARY KEY,
  issue_id INTEGER REFERENCES issues (id) ON DELETE CASCADE,
  merge_request_id INTEGER REFERENCES merge_requests (id) ON DELETE CASCADE,
  forge_id INTEGER NOT NULL,
  user_id INTEGER REFERENCES users (id),
  created_at INTEGER NOT NULL,
  action TEXT NOT NULL CHECK (action IN ('add', 'remove')),
  label_name TEXT,
  label_forge_id INTEGER,
  CHECK ((issue_id IS NULL) <> (merge_request_id IS NULL))
) STRICT;
CREATE UNIQUE INDEX label_events_by_issue ON resource_label_events (issue_id, forge_id)
WHERE issue_id IS NOT NULL;
CREATE UNIQUE INDEX label_events_by_mr ON resource_label_events (merge_request_id, forge_id)
WHERE merge_request_id IS NOT NULL;

CREATE TABLE resource_milestone_events (
  id INTEGER PRIMARY KEY,
  issue_id INTEGER REFERENCES issues (id) ON DELETE CASCADE,
  merge_request_id INTEGER REFERENCES merge_requests (id) ON DELETE CASCADE,
  forge_id INTEGER NOT NULL,
  user_id INTEGER REFERENCES users (id),
  created_at INTEGER NOT NULL,
  action TEXT NOT NULL CHECK (action IN ('add', 'remove')),
  milestone_title TEXT,
  milestone_forge_id INTEGER,
  CHECK ((issue_id IS NULL) <> (merge_request_id IS NULL))
) STRICT;
CREATE UNIQUE INDEX milestone_events_by_issue ON resource_milestone_events (issue_id, forge_id)
WHERE issue_id IS NOT NULL;
CREATE UNIQUE INDEX milestone_events_by_mr
ON resource_milestone_events (merge_request_id, forge_id)
WHERE merge_request_id IS NOT NULL;

CREATE TABLE mr_file_changes (
  merge_request_id INTEGER NOT NULL REFERENCES merge_requests (id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  old_path TEXT NOT NULL,
  new_path TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('added', 'modified', 'renamed', 'deleted')),
  PRIMARY KEY (merge_request_id, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX mr_file_changes_by_new_path ON mr_file_changes (new_path);
CREATE INDEX mr_file_changes_by_old_path ON mr_file_changes (old_path);

CREATE TABLE mr_commits (
  merge_request_id INTEGER NOT NULL REFERENCES merge_requests (id) ON DELETE CASCADE,
  position INTEGER NOT NULL, -- newest first, as the forge lists them
  sha TEXT NOT NULL,
  title TEXT NOT NULL,
  message TEXT NOT NULL,
  author_name TEXT NOT NULL,
  author_email TEXT NOT NULL,
  authored_at INTEGER,
  committed_at INTEGER,
  PRIMARY KEY (merge_request_id, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX mr_commits_by_sha ON mr_commits (sha);

-- The issues a merge request declares to close, as the forge answers it.
CREATE TABLE mr_closes_issues (
  merge_request_id INTEGER NOT NULL REFERENCES merge_requests (id) ON DELETE CASCADE,
  project_forge_id INTEGER NOT NULL,
  iid INTEGER NOT NULL,
  project_path TEXT,
  PRIMARY KEY (merge_request_id, project_forge_id, iid)
) STRICT, WITHOUT ROWID;
CREATE INDEX mr_closes_issues_by_issue ON mr_closes_issues (project_forge_id, iid);

-- What was observed, where: one row per observing entity, relation and method.
-- An entity's observations are replaced as a set whenever its data changed.
CREATE TABLE reference_observations (
  id INTEGER PRIMARY KEY,
  observed_kind TEXT NOT NULL CHECK (observed_kind IN ('issue', 'merge_request')),
  observed_id INTEGER NOT NULL,
  source_kind TEXT NOT NULL CHECK (source_kind IN ('issue', 'merge_request')),
  source_project_path TEXT NOT NULL,
  source_iid INTEGER NOT NULL,
  target_kind TEXT NOT NULL CHECK (target_kind IN ('issue', 'merge_request')),
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
CREATE INDEX reference_observations_by_observer
ON reference_observations (observed_kind, observed_id);
CREATE INDEX reference_observations_by_relation ON reference_observations
  (source_kind, source_project_path, source_iid, target_kind, target_project_path, target_iid,
   reference_type);

-- Each relation once, with the best method that saw it; derived from the table
-- above. `*_id` stays null while that end is not synced here.
CREATE TABLE entity_references (
  id INTEGER PRIMARY KEY,
  source_kind TEXT NOT NULL,
  source_project_path TEXT NOT NULL,
  source_iid INTEGER NOT NULL,
  source_id INTEGER,
  target_kind TEXT NOT NULL,
  target_project_path TEXT NOT NULL,
  target_iid INTEGER NOT NULL,
  target_id INTEGER,
  reference_type TEXT NOT NULL,
  source_method TEXT NOT NULL,
  certainty TEXT NOT NULL,
  note_id INTEGER,
  observed_at INTEGER,
  UNIQUE (source_kind, source_project_path, source_iid, target_kind, target_project_path,
    target_iid, reference_type)
) STRICT;
CREATE INDEX entity_references_by_source ON entity_references (source_kind, source_id);
CREATE INDEX entity_references_by_target ON entity_references (target_kind, target_id);
CREATE INDEX entity_references_open ON entity_references (target_project_path)
WHERE target_id IS NULL OR source_id IS NULL;

-- Entities whose observations must be derived again.
CREATE TABLE dirty_references (
  entity_kind TEXT NOT NULL CHECK (entity_kind IN ('issue', 'merge_request')),
  entity_id INTEGER NOT NULL,
  PRIMARY KEY (entity_kind, entity_id)
) STRICT, WITHOUT ROWID;

-- The last complete fetch of each dependent set of each entity.
CREATE TABLE entity_fetches (
  entity_kind TEXT NOT NULL CHECK (entity_kind IN ('issue', 'merge_request')),
  entity_id INTEGER NOT NULL,
  job TEXT NOT NULL,
  fetched_at INTEGER NOT NULL, -- by the server's clock
  condition TEXT NOT NULL, -- what the set depended on, such as the head commit
  payload_id INTEGER REFERENCES raw_payloads (id),
  PRIMARY KEY (entity_kind, entity_id, job)
) STRICT, WITHOUT ROWID;
-- Which entity was looked at longest ago?
CREATE INDEX entity_fetches_by_age ON entity_fetches (entity_kind, job, fetched_at);

CREATE TABLE sync_runs (
  id INTEGER PRIMARY KEY,
  command TEXT NOT NULL,
  owner TEXT NOT NULL,
  started_at INTEGER NOT NULL,
  finished_at INTEGER,
  status TEXT NOT NULL
    CHECK (status IN ('running', 'succeeded', 'partial', 'failed', 'interrupted', 'abandoned')),
  counts TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(counts)),
  error TEXT
) STRICT;

-- (updated_at, id) of the last item of the last committed page.
CREATE TABLE sync_cursors (
  project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  resource TEXT NOT NULL CHECK (resource IN ('issue', 'merge_request')),
  updated_at INTEGER NOT NULL,
  forge_id INTEGER NOT NULL,
  PRIMARY KEY (project_id, resource)
) STRICT, WITHOUT ROWID;

-- Dependent sets still to be fetched. A row is deleted in the transaction that
-- stores its result, so nothing is lost and nothing is done twice.
CREATE TABLE pending_fetches (
  id INTEGER PRIMARY KEY,
  project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  entity_kind TEXT NOT NULL CHECK (entity_kind IN ('issue', 'merge_request')),
  iid INTEGER NOT NULL,
  job TEXT NOT NULL,
  -- Counts enqueues. A job that was asked for again while it was being fetched
  -- must run once more, so finishing only removes the generation it claimed.
  generation INTEGER NOT NULL DEFAULT 0,
  enqueued_at INTEGER NOT NULL,
  next_attempt_at INTEGER NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0,
  locked_at INTEGER,
  last_error TEXT,
  UNIQUE (project_id, entity_kind, iid, job)
) STRICT;
CREATE INDEX pending_fetches_ready ON pending_fetches (project_id, id) WHERE locked_at IS NULL;
-- Claims of the dead are looked for before every claim; few rows are claimed
-- at a time, and without this the whole queue would be read each time.
CREATE INDEX pending_fetches_claimed ON pending_fetches (project_id, locked_at)
WHERE locked_at IS NOT NULL;

-- What producers changed and documents must follow.
CREATE TABLE dirty_sources (
  source_type TEXT NOT NULL,
  source_id INTEGER NOT NULL,
  queued_at INTEGER NOT NULL,
  next_attempt_at INTEGER NOT NULL DEFAULT 0,
  attempts INTEGER NOT NULL DEFAULT 0,
  last_error TEXT,
  PRIMARY KEY (source_type, source_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX dirty_sources_ready ON dirty_sources (next_attempt_at);

-- Who is writing. The heartbeat tells a live holder from a dead one.
CREATE TABLE app_locks (
  name TEXT PRIMARY KEY,
  owner TEXT NOT NULL,
  acquired_at INTEGER NOT NULL,
  heartbeat_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
