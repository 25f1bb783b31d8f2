-- Names from code, found by their parts and as a whole. The tokenizer already
-- divides `retry_budget` and `src/http.rs`; it cannot divide `HttpClient`, nor
-- know that `retryBudget` is `retry_budget`. What it misses stands in a column
-- of its own, so that snippets show the text as it was written.

ALTER TABLE documents ADD COLUMN identifiers TEXT NOT NULL DEFAULT '';

DROP TRIGGER documents_fts_insert;
DROP TRIGGER documents_fts_delete;
DROP TRIGGER documents_fts_update;
DROP TABLE documents_fts;

CREATE VIRTUAL TABLE documents_fts USING fts5 (
  title,
  content_text,
  identifiers,
  content = 'documents',
  content_rowid = 'id',
  tokenize = 'porter unicode61',
  prefix = '2 3 4'
);
INSERT INTO documents_fts (documents_fts) VALUES ('rebuild');

CREATE TRIGGER documents_fts_insert AFTER INSERT ON documents BEGIN
  INSERT INTO documents_fts (rowid, title, content_text, identifiers)
  VALUES (new.id, coalesce(new.title, ''), coalesce(new.content_text, ''),
    coalesce(new.identifiers, ''));
END;
CREATE TRIGGER documents_fts_delete AFTER DELETE ON documents BEGIN
  INSERT INTO documents_fts (documents_fts, rowid, title, content_text, identifiers)
  VALUES ('delete', old.id, coalesce(old.title, ''), coalesce(old.content_text, ''),
    coalesce(old.identifiers, ''));
END;
CREATE TRIGGER documents_fts_update AFTER UPDATE OF title, content_text, identifiers ON documents
WHEN old.title IS NOT new.title OR old.content_text IS NOT new.content_text
  OR old.identifiers IS NOT new.identifiers BEGIN
  INSERT INTO documents_fts (documents_fts, rowid, title, content_text, identifiers)
  VALUES ('delete', old.id, coalesce(old.title, ''), coalesce(old.content_text, ''),
    coalesce(old.identifiers, ''));
  INSERT INTO documents_fts (rowid, title, content_text, identifiers)
  VALUES (new.id, coalesce(new.title, ''), coalesce(new.content_text, ''),
    coalesce(new.identifiers, ''));
END;

-- The words of the index, for "did you mean".
CREATE VIRTUAL TABLE documents_vocab USING fts5vocab (documents_fts, 'row');
