-- Vectors of documents, in chunks, with the model that made them; and what
-- searching a million documents needs to stay quick.

-- What people call it inside its project or repository: `#12`, `!7`. For a
-- thread, what it hangs on. A result needs no look at the source's own table.
ALTER TABLE documents ADD COLUMN reference TEXT NOT NULL DEFAULT '';
-- Of documents that come from a local repository; removed through the queue.
ALTER TABLE documents ADD COLUMN repo_id INTEGER;
UPDATE documents SET reference = coalesce(
  CASE source_type
    WHEN 'issue' THEN (SELECT '#' || iid FROM issues WHERE id = source_id)
    WHEN 'merge_request' THEN (SELECT '!' || iid FROM merge_requests WHERE id = source_id)
    ELSE (SELECT coalesce((SELECT '#' || iid FROM issues WHERE id = t.issue_id),
        (SELECT '!' || iid FROM merge_requests WHERE id = t.merge_request_id))
      FROM discussions AS t WHERE t.id = source_id)
  END, '');

-- Rows of documents are long; a filter that had to read them would read the
-- whole file. Each filter has an index that answers it alone.
CREATE INDEX documents_by_author ON documents (author COLLATE NOCASE);
CREATE INDEX documents_by_state ON documents (state);
CREATE INDEX documents_by_creation ON documents (created_at);
-- With the hash, so that what waits for vectors is found here too.
CREATE INDEX documents_by_change ON documents (updated_at, content_hash);
CREATE INDEX documents_by_repo ON documents (repo_id) WHERE repo_id IS NOT NULL;
DROP INDEX document_labels_by_label;
CREATE INDEX document_labels_by_label ON document_labels (label COLLATE NOCASE);

-- Never filled before this step.
DROP TABLE embeddings;
DROP TABLE embedding_metadata;

-- One row per chunk. All chunks of a document are of one model, dimension and
-- chunking; a row without a vector tells of a failure.
CREATE TABLE embedding_metadata (
  -- Also the place of its code: block `id / 1024`, position `id % 1024`.
  id INTEGER PRIMARY KEY,
  document_id INTEGER NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
  chunk_index INTEGER NOT NULL,
  model TEXT NOT NULL,
  dims INTEGER NOT NULL CHECK (dims > 0),
  chunking INTEGER NOT NULL,
  document_hash BLOB NOT NULL CHECK (length(document_hash) = 32),
  chunk_hash BLOB NOT NULL CHECK (length(chunk_hash) = 32),
  -- Where in the document's text the chunk lies, in bytes.
  chunk_start INTEGER NOT NULL,
  chunk_end INTEGER NOT NULL CHECK (chunk_end >= chunk_start),
  created_at INTEGER NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0,
  last_error TEXT,
  UNIQUE (document_id, chunk_index)
) STRICT;
CREATE INDEX embedding_failures ON embedding_metadata (document_id) WHERE last_error IS NOT NULL;

-- A vector of length one: a 32-bit factor, then each component as a 16-bit
-- whole number to be multiplied by it. Half the size of floats, and the error
-- is a hundredth of what the model's own arithmetic makes.
CREATE TABLE embeddings (
  metadata_id INTEGER PRIMARY KEY REFERENCES embedding_metadata (id) ON DELETE CASCADE,
  vector BLOB NOT NULL
) STRICT;

-- What a search reads whole: one bit per component of 1024 vectors in a row,
-- and the documents they belong to (64 bits each; 0 is an empty place).
CREATE TABLE embedding_blocks (
  block INTEGER PRIMARY KEY,
  model TEXT NOT NULL,
  dims INTEGER NOT NULL CHECK (dims > 0),
  chunking INTEGER NOT NULL,
  n_used INTEGER NOT NULL DEFAULT 0 CHECK (n_used BETWEEN 0 AND 1024),
  documents BLOB NOT NULL CHECK (length(documents) = 8192),
  codes BLOB NOT NULL
) STRICT;

-- Whatever removes a chunk, a document or a project empties its place.
CREATE TRIGGER embedding_places_free AFTER DELETE ON embedding_metadata BEGIN
  UPDATE embedding_blocks
  SET documents = CAST(substr(documents, 1, old.id % 1024 * 8) || zeroblob(8)
    || substr(documents, old.id % 1024 * 8 + 9) AS BLOB)
  WHERE block = old.id / 1024;
END;
