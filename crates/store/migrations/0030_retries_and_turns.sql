-- Messages that did not arrive are sent again: how often it failed, and when next. One
-- that was given up has a failure, was told, and is not told again.
ALTER TABLE notifications ADD COLUMN failures INTEGER NOT NULL DEFAULT 0;
ALTER TABLE notifications ADD COLUMN again_at INTEGER; -- null unless it is to be sent again

-- Work that takes the lock for moments at a time, and again: whoever finds it taken by
-- such work waits. Null: a run that holds it from beginning to end.
ALTER TABLE app_locks ADD COLUMN brief TEXT;
