-- The full-text index without three more of the first two, three and four
-- letters of each word. They made entering documents three times as slow and
-- the index three times as large, and did not make a search for `con*` any
-- faster: nearly all of its time is ranking what was found, and words with the
-- same beginning lie side by side in the index of whole words as well
-- (docs/benchmarks.md).
--
-- The triggers are on `documents` and stay as they are.

DROP TABLE documents_vocab;
DROP TABLE documents_fts;

CREATE VIRTUAL TABLE documents_fts USING fts5 (
  title,
  content_text,
  identifiers,
  content = 'documents',
  content_rowid = 'id',
  tokenize = 'porter unicode61'
);
INSERT INTO documents_fts (documents_fts, rank) VALUES ('hashsize', 16777216);
INSERT INTO documents_fts (documents_fts) VALUES ('rebuild');
-- All of them were entered just now.
DELETE FROM documents_waiting;

CREATE VIRTUAL TABLE documents_vocab USING fts5vocab (documents_fts, 'row');
