-- What the daemon keeps: questions it asks again by itself, what it told people,
-- and which deliveries of a forge it has seen.

CREATE TABLE standing_queries (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  arguments TEXT NOT NULL CHECK (json_valid(arguments)), -- a list of words
  dir TEXT NOT NULL, -- where it is asked
  cadence TEXT NOT NULL CHECK (cadence IN ('on_snapshot', 'hourly', 'daily')),
  created_at INTEGER NOT NULL,
  asked_at INTEGER
) STRICT;

-- A result that is that of the time before is not kept twice: only `asked_at` of
-- the query moves on.
CREATE TABLE standing_results (
  id INTEGER PRIMARY KEY,
  query_id INTEGER NOT NULL REFERENCES standing_queries (id) ON DELETE CASCADE,
  asked_at INTEGER NOT NULL,
  -- What it was answered from: the roots of the newest snapshots, as JSON.
  roots TEXT NOT NULL CHECK (json_valid(roots)),
  is_error INTEGER NOT NULL CHECK (is_error IN (0, 1)),
  answer TEXT NOT NULL
) STRICT;
CREATE INDEX standing_results_by_query ON standing_results (query_id, id);

-- Each event is told once for each rule, whatever becomes of the daemon.
CREATE TABLE notifications (
  id INTEGER PRIMARY KEY,
  rule TEXT NOT NULL,
  event TEXT NOT NULL, -- names what happened, the same whenever it is found
  title TEXT NOT NULL,
  reference TEXT,
  happened_at INTEGER NOT NULL,
  noticed_at INTEGER NOT NULL,
  told_at INTEGER, -- null while quiet hours or a digest hold it back
  failure TEXT,
  UNIQUE (rule, event)
) STRICT;
CREATE INDEX notifications_untold ON notifications (noticed_at) WHERE told_at IS NULL;

-- Deliveries of webhooks, so that one that comes again is not acted on again.
CREATE TABLE webhook_deliveries (
  key TEXT PRIMARY KEY,
  received_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
