# Short names for the commands of a working day; `cargo xtask ci` needs no just.

# Format, lint and test
default: fmt lint test

fmt:
    cargo fmt --all

lint:
    cargo clippy --workspace --all-targets -- -D warnings
    cargo xtask tidy

test *args:
    cargo nextest run --workspace {{ args }}

# Everything a change must pass
ci:
    cargo xtask ci

# Write the expected outputs of all tests anew; read the diff before committing
bless:
    UPDATE_EXPECT=1 cargo nextest run --workspace

# API documentation of every crate
docs:
    cargo doc --workspace --no-deps --document-private-items

# Licences, bans and sources of all dependencies
deny:
    cargo deny check bans licenses sources
