//! GitLab's REST API v4 as a [`crate::Forge`].
