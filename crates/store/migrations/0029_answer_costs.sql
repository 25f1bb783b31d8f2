-- What answers to agents cost them, by day: `lore gain`.
CREATE TABLE answer_costs (
  day TEXT NOT NULL, -- 2024-01-31, in UTC
  door TEXT NOT NULL CHECK (door IN ('cli', 'mcp')),
  command TEXT NOT NULL,
  answers INTEGER NOT NULL CHECK (answers > 0),
  tokens INTEGER NOT NULL CHECK (tokens >= 0),
  PRIMARY KEY (day, door, command)
) STRICT, WITHOUT ROWID;
