-- Whether somebody gave a clone the name of its repository (`lore repo add --url`,
-- the config): then its remotes do not change it any more.
ALTER TABLE repo_places
  ADD COLUMN is_named INTEGER NOT NULL DEFAULT 0 CHECK (is_named IN (0, 1));

-- Who committed: people are found and joined by name and address.
CREATE INDEX git_commits_by_author ON git_commits (author_email, author_name);
