-- Index of what people and agents decided to keep; the files are the truth.
-- Everything here but the two logs can be made again from the files.

CREATE TABLE memory_roots (
  id INTEGER PRIMARY KEY,
  path TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL CHECK (kind IN ('project', 'personal', 'other')),
  -- What the records belong to unless they say otherwise.
  project TEXT
) STRICT;

CREATE TABLE memory_files (
  id INTEGER PRIMARY KEY,
  root_id INTEGER NOT NULL REFERENCES memory_roots (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  hash BLOB NOT NULL CHECK (length(hash) = 32),
  -- What the file system said when it was read; empty when the file was so
  -- young that a later change could look the same.
  stamp TEXT NOT NULL,
  UNIQUE (root_id, name)
) STRICT;

CREATE TABLE memory_problems (
  file_id INTEGER NOT NULL REFERENCES memory_files (id) ON DELETE CASCADE,
  line INTEGER NOT NULL,
  message TEXT NOT NULL
) STRICT;
CREATE INDEX memory_problems_by_file ON memory_problems (file_id);

CREATE TABLE decisions (
  id INTEGER PRIMARY KEY,
  file_id INTEGER NOT NULL REFERENCES memory_files (id) ON DELETE CASCADE,
  root_id INTEGER NOT NULL REFERENCES memory_roots (id) ON DELETE CASCADE,
  line INTEGER NOT NULL,
  record_id TEXT NOT NULL,
  decision TEXT NOT NULL,
  rationale TEXT NOT NULL,
  alternatives TEXT NOT NULL CHECK (json_valid(alternatives)),
  tags TEXT NOT NULL CHECK (json_valid(tags)),
  project TEXT,
  importance INTEGER NOT NULL CHECK (importance BETWEEN 1 AND 5),
  status TEXT NOT NULL CHECK (status IN ('active', 'superseded')),
  links TEXT NOT NULL CHECK (json_valid(links)),
  author TEXT,
  created_at INTEGER NOT NULL,
  extra TEXT NOT NULL CHECK (json_valid(extra)),
  hash BLOB NOT NULL CHECK (length(hash) = 32),
  UNIQUE (root_id, record_id)
) STRICT;
CREATE INDEX decisions_by_record ON decisions (record_id);
CREATE INDEX decisions_by_file ON decisions (file_id);
CREATE INDEX decisions_by_age ON decisions (root_id, created_at);

CREATE TABLE patterns (
  id INTEGER PRIMARY KEY,
  file_id INTEGER NOT NULL REFERENCES memory_files (id) ON DELETE CASCADE,
  root_id INTEGER NOT NULL REFERENCES memory_roots (id) ON DELETE CASCADE,
  line INTEGER NOT NULL,
  record_id TEXT NOT NULL,
  name TEXT NOT NULL,
  context TEXT NOT NULL,
  problem TEXT NOT NULL,
  solution TEXT NOT NULL,
  confidence REAL NOT NULL CHECK (confidence BETWEEN 0 AND 1),
  tags TEXT NOT NULL CHECK (json_valid(tags)),
  created_at INTEGER NOT NULL,
  extra TEXT NOT NULL CHECK (json_valid(extra)),
  hash BLOB NOT NULL CHECK (length(hash) = 32),
  UNIQUE (root_id, record_id)
) STRICT;
CREATE INDEX patterns_by_record ON patterns (record_id);
CREATE INDEX patterns_by_file ON patterns (file_id);

CREATE TABLE handoffs (
  id INTEGER PRIMARY KEY,
  file_id INTEGER NOT NULL REFERENCES memory_files (id) ON DELETE CASCADE,
  root_id INTEGER NOT NULL REFERENCES memory_roots (id) ON DELETE CASCADE,
  line INTEGER NOT NULL,
  record_id TEXT NOT NULL,
  project TEXT,
  summary TEXT NOT NULL,
  next_steps TEXT NOT NULL CHECK (json_valid(next_steps)),
  open_questions TEXT NOT NULL CHECK (json_valid(open_questions)),
  links TEXT NOT NULL CHECK (json_valid(links)),
  author TEXT,
  created_at INTEGER NOT NULL,
  extra TEXT NOT NULL CHECK (json_valid(extra)),
  hash BLOB NOT NULL CHECK (length(hash) = 32),
  UNIQUE (root_id, record_id)
) STRICT;
CREATE INDEX handoffs_by_record ON handoffs (record_id);
CREATE INDEX handoffs_by_file ON handoffs (file_id);
CREATE INDEX handoffs_by_age ON handoffs (root_id, created_at);

-- What the three have in common. `key` is unique over all of them and is the
-- row of `memory_fts`.
CREATE VIEW memory_records AS
SELECT d.id * 4 AS key, 'decision' AS kind, d.id AS row_id, d.root_id, d.file_id, d.line,
  d.record_id, d.decision AS title, d.rationale AS body, d.tags,
  coalesce(d.project, r.project) AS project, d.importance,
  NULL AS confidence, d.status, d.author, d.created_at
FROM decisions AS d JOIN memory_roots AS r ON r.id = d.root_id
UNION ALL
SELECT p.id * 4 + 1, 'pattern', p.id, p.root_id, p.file_id, p.line,
  p.record_id, p.name, p.solution, p.tags,
  r.project, max(1, cast(round(p.confidence * 5) AS INTEGER)),
  p.confidence, 'active', NULL, p.created_at
FROM patterns AS p JOIN memory_roots AS r ON r.id = p.root_id
UNION ALL
SELECT h.id * 4 + 2, 'handoff', h.id, h.root_id, h.file_id, h.line,
  h.record_id, h.summary, '', '[]',
  coalesce(h.project, r.project), 3,
  NULL, 'active', h.author, h.created_at
FROM handoffs AS h JOIN memory_roots AS r ON r.id = h.root_id;

-- The words of memory alone: a prompt asks with many common words at once, and
-- among a hundred thousand documents of the forge that takes too long.
CREATE VIRTUAL TABLE memory_fts USING fts5 (
  title,
  body,
  content = '',
  contentless_delete = 1,
  tokenize = 'porter unicode61'
);

CREATE TABLE memory_edges (
  id INTEGER PRIMARY KEY,
  file_id INTEGER NOT NULL REFERENCES memory_files (id) ON DELETE CASCADE,
  root_id INTEGER NOT NULL REFERENCES memory_roots (id) ON DELETE CASCADE,
  line INTEGER NOT NULL,
  -- An edge of its own, or a link written in a record.
  origin TEXT NOT NULL CHECK (origin IN ('graph', 'link')),
  from_kind TEXT NOT NULL,
  from_end TEXT NOT NULL,
  relation TEXT NOT NULL
    CHECK (relation IN ('relates_to', 'depends_on', 'implements', 'learned_from', 'affects',
      'produces', 'contradicts', 'supersedes', 'derived_from', 'part_of', 'summarized_by')),
  to_kind TEXT NOT NULL,
  to_end TEXT NOT NULL,
  -- The file of a path end without its line.
  from_path TEXT,
  to_path TEXT,
  created_at INTEGER,
  extra TEXT NOT NULL CHECK (json_valid(extra))
) STRICT;
CREATE INDEX memory_edges_by_from ON memory_edges (from_end);
CREATE INDEX memory_edges_by_to ON memory_edges (to_end);
CREATE INDEX memory_edges_by_from_path ON memory_edges (from_path) WHERE from_path IS NOT NULL;
CREATE INDEX memory_edges_by_to_path ON memory_edges (to_path) WHERE to_path IS NOT NULL;
CREATE INDEX memory_edges_by_file ON memory_edges (file_id);

-- What was shown to and opened by people. By record id, not by row: a record
-- keeps its history when files move or are read anew.
CREATE TABLE access_log (
  id INTEGER PRIMARY KEY,
  record_id TEXT NOT NULL,
  how TEXT NOT NULL CHECK (how IN ('shown', 'opened')),
  accessed_at INTEGER NOT NULL
) STRICT;
CREATE INDEX access_log_by_record ON access_log (record_id, accessed_at);

CREATE TABLE search_misses (
  id INTEGER PRIMARY KEY,
  query TEXT NOT NULL,
  project TEXT,
  missed_at INTEGER NOT NULL
) STRICT;

-- How often memory was asked, by day: what misses are measured against.
CREATE TABLE recall_days (
  day TEXT PRIMARY KEY,
  n INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
