-- The terms of a version of a file, by definition and field, and those of a
-- commit's message: what `lore context` compares a task with. Derived from the
-- content alone; packed, because a question reads all of a snapshot's files.
CREATE TABLE file_terms (
  file_id INTEGER PRIMARY KEY REFERENCES files (id) ON DELETE CASCADE,
  terms BLOB NOT NULL
) STRICT;

CREATE TABLE commit_terms (
  commit_id INTEGER PRIMARY KEY REFERENCES git_commits (id) ON DELETE CASCADE,
  terms BLOB NOT NULL
) STRICT;
