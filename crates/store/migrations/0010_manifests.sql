-- What linking a file needs beside the files themselves: the manifests of the
-- commit, together and by their hash, so that a later commit that leaves them
-- alone need not look for them.
CREATE TABLE manifests (
  hash BLOB PRIMARY KEY CHECK (length(hash) = 32),
  texts BLOB NOT NULL
) STRICT, WITHOUT ROWID;

ALTER TABLE snapshots ADD COLUMN manifests BLOB;
