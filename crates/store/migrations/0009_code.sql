-- The code graph. What is found in a file is kept once per version of the
-- file; what linking made of it once per outcome; a snapshot is a list of
-- package versions, written as its difference to the snapshot before.
--
-- Hashes of nodes and edges are not kept: they follow from the rows (see
-- docs/code-graph.md), and `lore fsck` computes them again.

-- Folders of a repository that hold, or held, indexed files.
CREATE TABLE packages (
  id INTEGER PRIMARY KEY,
  repo_id INTEGER NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  path TEXT NOT NULL,
  UNIQUE (repo_id, path)
) STRICT;

-- Versions of files. `blob` is git's name of the content: what is known by it
-- is not read again. `nodes` says which node each entry of `outline` is.
CREATE TABLE files (
  id INTEGER PRIMARY KEY,
  package_id INTEGER NOT NULL REFERENCES packages (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  blob BLOB NOT NULL,
  indexer INTEGER NOT NULL,
  content_hash BLOB NOT NULL CHECK (length(content_hash) = 32),
  language TEXT NOT NULL,
  size INTEGER NOT NULL,
  n_defs INTEGER NOT NULL,
  -- The first thing that was wrong with it, in words.
  trouble TEXT,
  nodes BLOB NOT NULL,
  outline BLOB NOT NULL,
  facts BLOB NOT NULL,
  UNIQUE (package_id, name, blob, indexer)
) STRICT;

-- Symbols by identity. `key` is the first eight bytes of the hash,
-- to find them by; what they are is in the columns.
CREATE TABLE nodes (
  id INTEGER PRIMARY KEY,
  key INTEGER NOT NULL,
  package_id INTEGER NOT NULL,
  kind INTEGER NOT NULL,
  scope TEXT NOT NULL, -- the symbol path without its last part
  name TEXT NOT NULL,
  disambiguator TEXT NOT NULL
) STRICT;
CREATE INDEX nodes_by_key ON nodes (key);
CREATE INDEX nodes_by_name ON nodes (name COLLATE NOCASE);

-- Which versions of files define a node, and as which entry of their outline.
CREATE TABLE node_states (
  node_id INTEGER NOT NULL,
  file_id INTEGER NOT NULL,
  def INTEGER NOT NULL,
  PRIMARY KEY (node_id, file_id, def)
) STRICT, WITHOUT ROWID;

-- What linking made of a version of a file: edges with their sites, calls that
-- could not be bound, and what was read of other files to find out.
CREATE TABLE links (
  id INTEGER PRIMARY KEY,
  file_id INTEGER NOT NULL REFERENCES files (id) ON DELETE CASCADE,
  n_edges INTEGER NOT NULL,
  n_unresolved INTEGER NOT NULL,
  edges BLOB NOT NULL,
  unresolved BLOB NOT NULL,
  reads BLOB NOT NULL
) STRICT;
CREATE INDEX links_by_file ON links (file_id);

-- Every edge there ever was, to be found from its target. Whether it is in a
-- snapshot is in the links of that snapshot.
CREATE TABLE edges (
  target_id INTEGER NOT NULL,
  source_id INTEGER NOT NULL,
  kind INTEGER NOT NULL,
  provenance INTEGER NOT NULL,
  PRIMARY KEY (target_id, source_id, kind, provenance)
) STRICT, WITHOUT ROWID;

-- How many unbound calls of a name a link has.
CREATE TABLE unresolved_names (
  name TEXT NOT NULL,
  link_id INTEGER NOT NULL,
  n_sites INTEGER NOT NULL,
  PRIMARY KEY (name, link_id)
) STRICT, WITHOUT ROWID;

-- A package at one moment: its files and their links, and the root over them.
-- Shared by all snapshots in which it came out the same.
CREATE TABLE package_versions (
  id INTEGER PRIMARY KEY,
  package_id INTEGER NOT NULL REFERENCES packages (id) ON DELETE CASCADE,
  root BLOB NOT NULL CHECK (length(root) = 32),
  n_nodes INTEGER NOT NULL,
  n_edges INTEGER NOT NULL,
  n_unresolved INTEGER NOT NULL,
  members BLOB NOT NULL,
  -- Packages whose files were read to link this one.
  reads BLOB NOT NULL
) STRICT;
CREATE INDEX package_versions_by_root ON package_versions (package_id, root);

CREATE TABLE snapshots (
  -- Never given twice: what is derived from the graph is stamped with it.
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  repo_id INTEGER NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  sha TEXT NOT NULL,
  -- A state of a work tree, outside the chain; replaced by the next of its place.
  work_tree TEXT,
  -- The snapshot it was made from, and the one its list of packages differs from.
  parent_seq INTEGER,
  base_seq INTEGER,
  n_deltas INTEGER NOT NULL,
  static_root BLOB NOT NULL CHECK (length(static_root) = 32),
  root BLOB NOT NULL CHECK (length(root) = 32),
  indexer INTEGER NOT NULL,
  owners BLOB, -- git's name of the CODEOWNERS file
  n_files INTEGER NOT NULL,
  n_packages INTEGER NOT NULL,
  n_nodes INTEGER NOT NULL,
  n_edges INTEGER NOT NULL,
  n_unresolved INTEGER NOT NULL,
  n_troubled INTEGER NOT NULL,
  skipped TEXT NOT NULL, -- JSON: reason to count
  created_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX snapshots_by_commit ON snapshots (repo_id, sha, indexer)
WHERE work_tree IS NULL;
CREATE INDEX snapshots_by_base ON snapshots (base_seq);

-- The packages of a snapshot: all of them, or those that differ from its base.
-- Without a version: no longer there.
CREATE TABLE snapshot_packages (
  seq INTEGER NOT NULL REFERENCES snapshots (seq) ON DELETE CASCADE,
  package_id INTEGER NOT NULL,
  version_id INTEGER,
  PRIMARY KEY (seq, package_id)
) STRICT, WITHOUT ROWID;

-- What each snapshot changed against its parent. Never changed, only added to.
-- A snapshot without a parent added all its edges; they are not listed.
CREATE TABLE edge_events (
  seq INTEGER NOT NULL,
  source_id INTEGER NOT NULL,
  target_id INTEGER NOT NULL,
  kind INTEGER NOT NULL,
  provenance INTEGER NOT NULL,
  is_added INTEGER NOT NULL CHECK (is_added IN (0, 1)),
  PRIMARY KEY (seq, source_id, target_id, kind, provenance)
) STRICT, WITHOUT ROWID;

-- Where requests arrive: which node handles a pattern of a service.
CREATE TABLE route_symbols (
  node_id INTEGER NOT NULL,
  service TEXT NOT NULL,
  method TEXT NOT NULL,
  pattern TEXT NOT NULL,
  mapping TEXT NOT NULL,
  PRIMARY KEY (service, method, pattern, node_id)
) STRICT, WITHOUT ROWID;

-- Rules of a CODEOWNERS file, by the content of that file; the last rule that
-- matches a path counts.
CREATE TABLE owners (
  repo_id INTEGER NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  blob BLOB NOT NULL,
  line INTEGER NOT NULL,
  pattern TEXT NOT NULL,
  owner TEXT NOT NULL,
  section TEXT NOT NULL,
  PRIMARY KEY (repo_id, blob, line, owner)
) STRICT, WITHOUT ROWID;

-- Symbols by words. No text is kept here; the newest state of a node counts.
CREATE VIRTUAL TABLE nodes_fts USING fts5 (
  name,
  parts,
  path,
  doc,
  signature,
  content = '',
  contentless_delete = 1,
  detail = column,
  tokenize = 'porter unicode61'
);

CREATE TRIGGER repos_forget_code BEFORE DELETE ON repos BEGIN
  DELETE FROM edges WHERE source_id IN (SELECT n.id FROM nodes AS n
    JOIN packages AS p ON p.id = n.package_id WHERE p.repo_id = old.id);
  DELETE FROM edge_events WHERE seq IN (SELECT seq FROM snapshots WHERE repo_id = old.id);
  DELETE FROM unresolved_names WHERE link_id IN (SELECT l.id FROM links AS l
    JOIN files AS f ON f.id = l.file_id JOIN packages AS p ON p.id = f.package_id
    WHERE p.repo_id = old.id);
  DELETE FROM node_states WHERE file_id IN (SELECT f.id FROM files AS f
    JOIN packages AS p ON p.id = f.package_id WHERE p.repo_id = old.id);
  DELETE FROM route_symbols WHERE node_id IN (SELECT n.id FROM nodes AS n
    JOIN packages AS p ON p.id = n.package_id WHERE p.repo_id = old.id);
  DELETE FROM nodes_fts WHERE rowid IN (SELECT n.id FROM nodes AS n
    JOIN packages AS p ON p.id = n.package_id WHERE p.repo_id = old.id);
  DELETE FROM nodes WHERE package_id IN (SELECT id FROM packages WHERE repo_id = old.id);
END;
