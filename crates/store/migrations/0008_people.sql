-- Who asks here, and when they last looked.

-- Whom the token of a host belongs to, so that `lore me` works offline.
CREATE TABLE identities (
  host TEXT PRIMARY KEY,
  username TEXT NOT NULL,
  seen_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The last look of `lore me`: what changed since then is news.
CREATE TABLE looks (
  username TEXT PRIMARY KEY,
  looked_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
