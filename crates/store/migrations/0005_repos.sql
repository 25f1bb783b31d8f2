-- Local git repositories, their commits and the paths these changed.

-- One row per repository, however many clones and work trees of it there are.
CREATE TABLE repos (
  id INTEGER PRIMARY KEY,
  canonical_url TEXT NOT NULL UNIQUE,
  -- The forge project it is a clone of, once that is synced.
  project_id INTEGER REFERENCES projects (id) ON DELETE SET NULL,
  -- The branch that changes land on, and the commit up to which landings are known.
  main_branch TEXT,
  main_sha TEXT,
  scanned_at INTEGER
) STRICT;

-- Where on this machine it lies: the root of a work tree, or a git directory.
CREATE TABLE repo_places (
  id INTEGER PRIMARY KEY,
  repo_id INTEGER NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  dir TEXT NOT NULL UNIQUE,
  is_shallow INTEGER NOT NULL CHECK (is_shallow IN (0, 1)),
  added_at INTEGER NOT NULL
) STRICT;
CREATE INDEX repo_places_by_repo ON repo_places (repo_id);

-- The branches of a place as they stood when its commits were last read.
CREATE TABLE repo_heads (
  place_id INTEGER NOT NULL REFERENCES repo_places (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  sha TEXT NOT NULL,
  PRIMARY KEY (place_id, name)
) STRICT, WITHOUT ROWID;

-- Commits are never deleted while their repository is known. One that no branch
-- reaches any more (a force push) keeps its row and says since when.
CREATE TABLE git_commits (
  id INTEGER PRIMARY KEY,
  repo_id INTEGER NOT NULL REFERENCES repos (id) ON DELETE CASCADE,
  sha TEXT NOT NULL,
  parents TEXT NOT NULL, -- hashes separated by blanks
  author_name TEXT NOT NULL,
  author_email TEXT NOT NULL,
  authored_at INTEGER NOT NULL,
  committed_at INTEGER NOT NULL,
  message TEXT NOT NULL,
  -- The commit of the main branch's first-parent line that brought it: itself,
  -- or the first merge that contains it. Null for what is not on that branch.
  landed_id INTEGER REFERENCES git_commits (id),
  unreachable_at INTEGER,
  UNIQUE (repo_id, sha)
) STRICT;
CREATE INDEX git_commits_by_sha ON git_commits (sha);
CREATE INDEX git_commits_by_landing ON git_commits (landed_id) WHERE landed_id IS NOT NULL;

CREATE TABLE commit_files (
  commit_id INTEGER NOT NULL REFERENCES git_commits (id) ON DELETE CASCADE,
  path TEXT NOT NULL,
  old_path TEXT, -- where a renamed file was before
  kind TEXT NOT NULL CHECK (kind IN ('added', 'modified', 'renamed', 'deleted')),
  PRIMARY KEY (commit_id, path),
  CHECK ((old_path IS NULL) = (kind <> 'renamed'))
) STRICT, WITHOUT ROWID;
CREATE INDEX commit_files_by_path ON commit_files (path);
CREATE INDEX commit_files_by_old_path ON commit_files (old_path) WHERE old_path IS NOT NULL;

-- A commit that was rebased or cherry-picked keeps its author and their time;
-- line trace finds the merge request it was written for by them.
CREATE INDEX mr_commits_by_authored ON mr_commits (authored_at) WHERE authored_at IS NOT NULL;
