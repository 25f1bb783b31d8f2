-- Edges that did not come from the files of a commit: language servers, indexes
-- of compilers, people, production. A layer is all edges of one provenance
-- beside one snapshot; it is written, replaced and removed by itself, and in it
-- the edges of each file.
CREATE TABLE layer_edges (
  seq INTEGER NOT NULL REFERENCES snapshots (seq) ON DELETE CASCADE,
  provenance INTEGER NOT NULL,
  -- The version of the file the sites are in; 0 where they are in none.
  file_id INTEGER NOT NULL,
  n_edges INTEGER NOT NULL,
  edges BLOB NOT NULL,
  PRIMARY KEY (seq, provenance, file_id)
) STRICT, WITHOUT ROWID;
