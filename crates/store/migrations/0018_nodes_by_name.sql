-- One index finds symbols by name and by identity: name, and four bytes of the
-- hash behind it. Eight bytes and an index of their own cost as much again.
DROP INDEX nodes_by_key;
DROP INDEX nodes_by_name;
UPDATE nodes SET key = key >> 32;
CREATE INDEX nodes_by_name ON nodes (name COLLATE NOCASE, key);

-- Words of symbols are gathered in memory up to so many bytes before they are
-- written: a large repository is then one run of the index, not dozens that
-- must be merged.
INSERT INTO nodes_fts (nodes_fts, rank) VALUES ('hashsize', 16777216);
