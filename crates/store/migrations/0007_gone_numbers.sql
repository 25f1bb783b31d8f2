-- A relation may name an entity that is gone. Without these, looking for its
-- number reads every entity of the project, once for every such relation.
CREATE INDEX issues_gone_by_iid ON issues (project_id, iid)
WHERE gone_at IS NOT NULL;
CREATE INDEX merge_requests_gone_by_iid ON merge_requests (project_id, iid)
WHERE gone_at IS NOT NULL;
