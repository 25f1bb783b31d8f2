-- New documents enter the full-text index together, at the end of the
-- transaction that brought them. An insert from a trigger, or a savepoint, has
-- the index write out what it holds: one by one, entering documents took more
-- than twice as long. `documents::enter_waiting` takes them from here.

CREATE TABLE documents_waiting (
  document_id INTEGER PRIMARY KEY
) STRICT;

DROP TRIGGER documents_fts_insert;
DROP TRIGGER documents_fts_delete;
DROP TRIGGER documents_fts_update;

CREATE TRIGGER documents_fts_insert AFTER INSERT ON documents BEGIN
  INSERT INTO documents_waiting (document_id) VALUES (new.id);
END;
-- What still waits is not in the index, and must not be taken from it. One
-- trigger and not two: which of two fires first is not defined.
CREATE TRIGGER documents_fts_delete AFTER DELETE ON documents BEGIN
  INSERT INTO documents_fts (documents_fts, rowid, title, content_text, identifiers)
  SELECT 'delete', old.id, coalesce(old.title, ''), coalesce(old.content_text, ''),
    coalesce(old.identifiers, '')
  WHERE NOT EXISTS (SELECT 1 FROM documents_waiting WHERE document_id = old.id);
  DELETE FROM documents_waiting WHERE document_id = old.id;
END;
CREATE TRIGGER documents_fts_update AFTER UPDATE OF title, content_text, identifiers ON documents
WHEN (old.title IS NOT new.title OR old.content_text IS NOT new.content_text
    OR old.identifiers IS NOT new.identifiers)
  AND NOT EXISTS (SELECT 1 FROM documents_waiting WHERE document_id = old.id) BEGIN
  INSERT INTO documents_fts (documents_fts, rowid, title, content_text, identifiers)
  VALUES ('delete', old.id, coalesce(old.title, ''), coalesce(old.content_text, ''),
    coalesce(old.identifiers, ''));
  INSERT INTO documents_fts (rowid, title, content_text, identifiers)
  VALUES (new.id, coalesce(new.title, ''), coalesce(new.content_text, ''),
    coalesce(new.identifiers, ''));
END;
