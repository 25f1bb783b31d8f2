-- What linking a package asked about which files there are, found or not: when
-- files come or go, only packages that asked for them are looked at.
ALTER TABLE package_versions ADD COLUMN asked BLOB NOT NULL DEFAULT x'';
