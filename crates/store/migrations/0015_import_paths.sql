-- How other repositories import the modules of one: what external nodes are
-- looked up by. Only ever added to; whether a module is in a snapshot is in
-- the packages of that snapshot.
CREATE TABLE import_paths (
  language TEXT NOT NULL,
  path TEXT NOT NULL,
  repo_id INTEGER NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  package_id INTEGER NOT NULL,
  -- The file that is the module; empty where all files of the folder are.
  file TEXT NOT NULL,
  PRIMARY KEY (language, path, repo_id, package_id, file)
) STRICT, WITHOUT ROWID;

-- The packages of a path in any repository, and the external nodes (kind 22)
-- of a package: without these every question across repositories reads all.
CREATE INDEX packages_by_path ON packages (path);
CREATE INDEX nodes_external ON nodes (package_id) WHERE kind = 22;
