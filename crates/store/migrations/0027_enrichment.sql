-- What language servers and indexes of compilers were asked about, file by file,
-- so that a run goes on where the one before stopped. The edges they found are in
-- `layer_edges`.
CREATE TABLE enriched_files (
  seq INTEGER NOT NULL REFERENCES snapshots (seq) ON DELETE CASCADE,
  provenance INTEGER NOT NULL,
  file_id INTEGER NOT NULL,
  -- What linking had made of the file.
  link_id INTEGER NOT NULL,
  -- Name and version of who was asked.
  server TEXT NOT NULL,
  -- Sites up to this tier were asked.
  tier INTEGER NOT NULL,
  -- Sites that lead out of the repository.
  external BLOB NOT NULL,
  confirmed INTEGER NOT NULL,
  corrected INTEGER NOT NULL,
  new INTEGER NOT NULL,
  outside INTEGER NOT NULL,
  unanswered INTEGER NOT NULL,
  PRIMARY KEY (seq, provenance, file_id)
) STRICT, WITHOUT ROWID;

-- Runs of language servers, and indexes that were read: what each brought.
CREATE TABLE lsp_runs (
  id INTEGER PRIMARY KEY,
  seq INTEGER NOT NULL REFERENCES snapshots (seq) ON DELETE CASCADE,
  provenance INTEGER NOT NULL,
  server TEXT NOT NULL,
  version TEXT NOT NULL,
  started_at INTEGER NOT NULL,
  finished_at INTEGER NOT NULL,
  outcome TEXT NOT NULL,
  reason TEXT,
  requests INTEGER NOT NULL,
  confirmed INTEGER NOT NULL,
  corrected INTEGER NOT NULL,
  new INTEGER NOT NULL,
  outside INTEGER NOT NULL,
  unanswered INTEGER NOT NULL,
  waiting INTEGER NOT NULL
) STRICT;
CREATE INDEX lsp_runs_by_snapshot ON lsp_runs (seq);
