//! A real git repository with the commits of a scenario.
