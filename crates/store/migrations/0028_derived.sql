-- What answers leave behind. Derived or volunteered: all of it can be deleted at
-- any time, and no answer depends on it but in speed and order.

-- Results by what was asked of what: `key` covers the question, its parameters
-- and every root and counter that it read, so a row is valid for ever; rows only
-- go for want of space. `asked` is the same without the root of the snapshot: by
-- it the result of an earlier snapshot is found, and carried over where nothing
-- that it read has changed (`reads`, JSON; NULL where it read everything).
CREATE TABLE derived_results (
  key BLOB PRIMARY KEY CHECK (length(key) = 32),
  asked BLOB NOT NULL CHECK (length(asked) = 32),
  question TEXT NOT NULL,
  parameters TEXT NOT NULL CHECK (json_valid(parameters)),
  seq INTEGER NOT NULL,
  root BLOB NOT NULL CHECK (length(root) = 32),
  reads TEXT,
  size INTEGER NOT NULL,
  data BLOB NOT NULL, -- JSON, compressed
  computed_at INTEGER NOT NULL,
  computed_by TEXT NOT NULL,
  used_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX derived_results_by_asked ON derived_results (asked, seq);
CREATE INDEX derived_results_by_use ON derived_results (used_at, size);

-- How often a part of the record changed: what results that read it are keyed by.
CREATE TABLE change_counters (
  name TEXT PRIMARY KEY,
  n INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Packs of `lore context` that were given, to know what feedback is about.
CREATE TABLE packs (
  pack_root TEXT PRIMARY KEY,
  repo_id INTEGER NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  task TEXT NOT NULL,
  symbols TEXT NOT NULL CHECK (json_valid(symbols)),
  given_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX packs_by_age ON packs (given_at);

-- What was said of a symbol of a pack, or done with it. Counts as long as the
-- package of the symbol has the root it had then.
CREATE TABLE feedback (
  repo_id INTEGER NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  symbol TEXT NOT NULL,
  pack_root TEXT NOT NULL,
  verdict TEXT NOT NULL CHECK (verdict IN ('useful', 'noise', 'used', 'ignored')),
  package TEXT NOT NULL,
  package_root BLOB NOT NULL CHECK (length(package_root) = 32),
  given_at INTEGER NOT NULL,
  PRIMARY KEY (repo_id, symbol, pack_root)
) STRICT, WITHOUT ROWID;

-- The best symbols of earlier tasks, by the words of the task.
CREATE TABLE task_memory (
  repo_id INTEGER NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  pack_root TEXT NOT NULL,
  symbol TEXT NOT NULL,
  keywords TEXT NOT NULL CHECK (json_valid(keywords)),
  score REAL NOT NULL,
  kept_at INTEGER NOT NULL,
  PRIMARY KEY (repo_id, pack_root, symbol)
) STRICT, WITHOUT ROWID;

-- Causal order across repositories: a snapshot's counter is one more than its
-- repository had, and than those of the repositories it was linked against.
ALTER TABLE snapshots ADD COLUMN counter INTEGER NOT NULL DEFAULT 0;
UPDATE snapshots SET counter = (
  SELECT count(*) FROM snapshots AS before
  WHERE before.repo_id = snapshots.repo_id AND before.seq <= snapshots.seq
);
CREATE TABLE snapshot_sees (
  seq INTEGER NOT NULL REFERENCES snapshots (seq) ON DELETE CASCADE,
  repo_id INTEGER NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  counter INTEGER NOT NULL,
  PRIMARY KEY (seq, repo_id)
) STRICT, WITHOUT ROWID;

-- The log of edges with the commit, the indexer and the time of each event.
CREATE VIEW edge_log AS
SELECT e.seq, s.repo_id, s.parent_seq, s.sha, s.indexer, s.created_at,
  e.source_id, e.target_id, e.kind, e.provenance, e.is_added
FROM edge_events AS e JOIN snapshots AS s ON s.seq = e.seq;

-- Why a search counts as missed.
ALTER TABLE search_misses
  ADD COLUMN kind TEXT NOT NULL DEFAULT 'semantic_miss'
    CHECK (kind IN ('semantic_miss', 'not_recorded', 'outdated', 'ranked_low'));
