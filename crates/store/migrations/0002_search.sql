-- What is searched. Everything here is derived from the tables of the
-- producers and may be rebuilt from them at any time.

CREATE TABLE documents (
  id INTEGER PRIMARY KEY,
  source_type TEXT NOT NULL
    CHECK (source_type IN ('issue', 'merge_request', 'discussion', 'commit', 'decision',
      'pattern', 'handoff')),
  source_id INTEGER NOT NULL,
  project_id INTEGER REFERENCES projects (id) ON DELETE CASCADE,
  author TEXT,
  state TEXT,
  created_at INTEGER,
  updated_at INTEGER,
  url TEXT,
  title TEXT NOT NULL,
  content_text TEXT NOT NULL,
  content_hash BLOB NOT NULL CHECK (length(content_hash) = 32),
  labels_hash BLOB NOT NULL CHECK (length(labels_hash) = 32),
  paths_hash BLOB NOT NULL CHECK (length(paths_hash) = 32),
  is_truncated INTEGER NOT NULL CHECK (is_truncated IN (0, 1)),
  truncated_reason TEXT
    CHECK (truncated_reason IN ('token_limit_middle_drop', 'single_note_oversized',
      'first_last_oversized', 'hard_cap_oversized')),
  UNIQUE (source_type, source_id),
  CHECK ((truncated_reason IS NULL) = (is_truncated = 0))
) STRICT;
CREATE INDEX documents_by_project ON documents (project_id, updated_at);

CREATE TABLE document_labels (
  document_id INTEGER NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
  label TEXT NOT NULL,
  PRIMARY KEY (document_id, label)
) STRICT, WITHOUT ROWID;
CREATE INDEX document_labels_by_label ON document_labels (label);

CREATE TABLE document_paths (
  document_id INTEGER NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
  path TEXT NOT NULL,
  PRIMARY KEY (document_id, path)
) STRICT, WITHOUT ROWID;
CREATE INDEX document_paths_by_path ON document_paths (path);

CREATE VIRTUAL TABLE documents_fts USING fts5 (
  title,
  content_text,
  content = 'documents',
  content_rowid = 'id',
  tokenize = 'porter unicode61',
  prefix = '2 3 4'
);

CREATE TRIGGER documents_fts_insert AFTER INSERT ON documents BEGIN
  INSERT INTO documents_fts (rowid, title, content_text)
  VALUES (new.id, coalesce(new.title, ''), coalesce(new.content_text, ''));
END;
CREATE TRIGGER documents_fts_delete AFTER DELETE ON documents BEGIN
  INSERT INTO documents_fts (documents_fts, rowid, title, content_text)
  VALUES ('delete', old.id, coalesce(old.title, ''), coalesce(old.content_text, ''));
END;
CREATE TRIGGER documents_fts_update AFTER UPDATE OF title, content_text ON documents
WHEN old.title IS NOT new.title OR old.content_text IS NOT new.content_text BEGIN
  INSERT INTO documents_fts (documents_fts, rowid, title, content_text)
  VALUES ('delete', old.id, coalesce(old.title, ''), coalesce(old.content_text, ''));
  INSERT INTO documents_fts (rowid, title, content_text)
  VALUES (new.id, coalesce(new.title, ''), coalesce(new.content_text, ''));
END;

-- One row per chunk and model; the vector itself lies beside it.
CREATE TABLE embedding_metadata (
  id INTEGER PRIMARY KEY,
  document_id INTEGER NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
  chunk_index INTEGER NOT NULL,
  model TEXT NOT NULL,
  dims INTEGER NOT NULL,
  document_hash BLOB NOT NULL CHECK (length(document_hash) = 32),
  chunk_hash BLOB NOT NULL CHECK (length(chunk_hash) = 32),
  created_at INTEGER NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0,
  last_error TEXT,
  UNIQUE (document_id, chunk_index, model)
) STRICT;

CREATE TABLE embeddings (
  metadata_id INTEGER PRIMARY KEY REFERENCES embedding_metadata (id) ON DELETE CASCADE,
  vector BLOB NOT NULL
) STRICT;
