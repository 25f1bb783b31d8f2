-- What production showed. Grows with the number of edges and of hours, never with
-- the number of spans. Endpoints are names as production uses them: which symbols
-- they are is worked out when somebody asks, against the code of that moment. No root
-- of a snapshot covers any of this.
CREATE TABLE runtime_services (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  namespace TEXT NOT NULL,
  version TEXT NOT NULL,
  -- JSON: names by which deployments know it.
  deployments TEXT NOT NULL,
  -- Only where a person said so.
  repo_id INTEGER REFERENCES repos (id) ON DELETE SET NULL,
  first_seen INTEGER NOT NULL,
  last_seen INTEGER NOT NULL
) STRICT;

-- Whether a service was observed at all. Hours since 1970.
CREATE TABLE runtime_service_hours (
  service_id INTEGER NOT NULL REFERENCES runtime_services (id) ON DELETE CASCADE,
  hour INTEGER NOT NULL,
  n_spans INTEGER NOT NULL,
  PRIMARY KEY (service_id, hour)
) STRICT, WITHOUT ROWID;

CREATE TABLE runtime_endpoints (
  id INTEGER PRIMARY KEY,
  kind INTEGER NOT NULL,
  service TEXT NOT NULL,
  name TEXT NOT NULL,
  file TEXT NOT NULL,
  -- The function behind it, as instrumentation named it last.
  code_function TEXT NOT NULL DEFAULT '',
  code_file TEXT NOT NULL DEFAULT '',
  code_line INTEGER NOT NULL DEFAULT 0,
  UNIQUE (kind, service, name, file)
) STRICT;

CREATE TABLE runtime_edges (
  id INTEGER PRIMARY KEY,
  source_id INTEGER NOT NULL REFERENCES runtime_endpoints (id) ON DELETE CASCADE,
  target_id INTEGER NOT NULL REFERENCES runtime_endpoints (id) ON DELETE CASCADE,
  kind INTEGER NOT NULL,
  first_seen INTEGER NOT NULL,
  last_seen INTEGER NOT NULL,
  -- A few trace ids, separated by blanks, newest first.
  samples TEXT NOT NULL,
  UNIQUE (source_id, target_id, kind)
) STRICT;
CREATE INDEX runtime_edges_by_target ON runtime_edges (target_id);

-- Observations of an edge by the hour, with a sketch of how long they took.
CREATE TABLE runtime_buckets (
  edge_id INTEGER NOT NULL REFERENCES runtime_edges (id) ON DELETE CASCADE,
  hour INTEGER NOT NULL,
  n INTEGER NOT NULL CHECK (n > 0),
  n_errors INTEGER NOT NULL CHECK (n_errors >= 0),
  durations BLOB NOT NULL,
  PRIMARY KEY (edge_id, hour)
) STRICT, WITHOUT ROWID;

-- Spans that were counted lately, eight bytes each: what is sent twice counts once.
CREATE TABLE runtime_seen (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  -- All there ever were, up to this row.
  total INTEGER NOT NULL,
  ids BLOB NOT NULL
) STRICT;

-- What came in by which way.
CREATE TABLE runtime_inputs (
  input TEXT PRIMARY KEY,
  n_spans INTEGER NOT NULL,
  n_duplicates INTEGER NOT NULL,
  n_rejected INTEGER NOT NULL,
  -- Spans that left the window before their other side came.
  n_shed INTEGER NOT NULL,
  -- Spans whose time was impossible and was set to that of their arrival.
  n_skewed INTEGER NOT NULL,
  last_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Files that were read whole, by the hash of their content.
CREATE TABLE runtime_files (
  digest BLOB PRIMARY KEY CHECK (length(digest) = 32),
  n_spans INTEGER NOT NULL,
  ingested_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
