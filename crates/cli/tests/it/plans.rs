//! Every command line that lore's plans name is understood: it works, or says
//! what is missing here, but is never refused as unknown.

use crate::{CONFIG, lore};

/// The command lines of the plans, `gi` written as `lore`. Words in quotation
/// marks are one argument.
const LINES: &str = r#"
auth-test
doctor
doctor --json
health
robot-docs
ingest --type=issues
ingest --type=merge_requests
ingest issues
list issues --limit=10
list issues --project=group/app
list mrs --limit=10
issues
mrs
count issues
count mrs
count discussions
count notes
count events
show issue 123
show mr 123
show dec-00000000
sync
sync --full
sync --force
sync --no-events
sync --no-embed
sync --no-docs
sync-status
generate-docs
generate-docs --full
embed
embed --all
embed --retry-failed
embed --full
stats
stats --json
stats --check
stats --check --repair
search "authentication"
search "authentication" --type=mr
search "authentication" --type=mrs
search "authentication" --type=issues
search "authentication" --type=merge_requests
search "authentication" --type=discussions
search "authentication" --author=johndoe
search "authentication" --after=2024-01-01
search "authentication" --updated-after 2024-01-01
search "authentication" --label=bug --label=critical
search "authentication" --project group/app
search "authentication" --path src/auth
search "redis" --mode=lexical
search "redis" --mode=semantic
search "redis" --mode=hybrid
search "redis" --mode=fts
search "redis" --mode=vector
search "auth" --explain
search "auth" --limit 5
search "auth" --json
search "-DWITH_SSL"
search "C++"
search "authentication" --graph-depth 2
timeline "auth migration"
timeline "auth migration" -p group/app
timeline "auth migration" --since 6m
timeline "auth migration" --since 2024-01-01
timeline "auth migration" --depth 0
timeline "auth migration" --depth 2
timeline "auth migration" --expand-mentions
timeline "auth migration" -n 50
file-history src/auth/oauth.rs
file-history src/auth/oauth.rs -p group/app
file-history src/auth/oauth.rs --discussions
file-history src/auth/oauth.rs --no-follow-renames
file-history src/auth/oauth.rs -n 10
file-history src/auth/oauth.rs --merged
trace src/auth/oauth.rs
trace src/auth/oauth.rs:45
learn "Safe bash arithmetic" --solution "Use x=$((x + 1))"
graph connect dec-00000000 src/a.rs affects
graph disconnect dec-00000000 src/a.rs
graph traverse dec-00000000
"#;

/// Usage errors: the command line itself was not understood.
const NOT_UNDERSTOOD: i32 = 2;

#[test]
fn every_command_line_of_the_plans_is_understood() {
    let env = lore().with_config(CONFIG);
    let mut refused = Vec::new();
    for line in LINES.lines().filter(|line| !line.is_empty()) {
        let args = words(line);
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let output = env.lore(&args);
        let unknown = output.status == Some(NOT_UNDERSTOOD) && !output.stderr.contains("lore ");
        let is_unrecognized = output.stderr.contains("unrecognized subcommand")
            || output.stderr.contains("unexpected argument");
        if unknown || is_unrecognized {
            refused.push(format!("lore {line}\n{}", output.stderr));
        }
    }
    assert!(refused.is_empty(), "{}", refused.join("\n"));
}

fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (index, part) in line.split('"').enumerate() {
        if index % 2 == 1 {
            words.push(part.to_owned());
        } else {
            words.extend(part.split_whitespace().map(str::to_owned));
        }
    }
    words
}
