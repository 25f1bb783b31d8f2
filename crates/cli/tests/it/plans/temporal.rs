//! The plan for temporal answers (000): its acceptance criteria, gate by gate. Each
//! criterion stands above what shows it.

use crate::BINARY;
use serde_json::Value;
use testkit::Site;

const HISTORY: &str = r#"
user ada "Ada Larsen"
user bo "Bo Winther"
project harbor/tide "Tide"
  label auth
  label review
  milestone 1.0
issue #1 "Auth migration to OAuth2" by ada at 2024-03-15T10:00
  labels auth
  milestone 1.0
  | The auth migration replaces the session table.
  comment bo +5h
    | Should the auth migration support SAML too? We decided to stick with OAuth2 because nobody asked for it.
mr !1 "Auth migration: add the provider" by bo at 2024-03-18T09:00 from oauth
  labels review
  | Closes #1
  commit "Add the provider" +5m
    write src/auth.rs
      | pub fn provider() {}
  diffnote ada src/auth.rs:1 +3h
    | Rotate the refresh token, because a stolen one would live for ever.
  merge by ada +1d
mr !2 "Move the provider" by bo at 2024-03-20T09:00 from move
  | Part of #1
  commit "Move it" +5m
    rename src/auth.rs => src/auth/handler.rs
  merge by ada +1h
mr !3 "Rename the handler" by bo at 2024-03-21T09:00 from rename
  commit "Rename it" +5m
    rename src/auth/handler.rs => src/auth/oauth.rs
  merge by ada +1h
issue #2 "Logins fail for SSO users" by bo at 2024-03-28T09:00
  | Seen after !1; see also other/outside#42.
  relate #1 by bo +1m
project harbor/charts "Charts"
"#;

fn site() -> Site {
    let site = Site::scenario(BINARY, HISTORY);
    site.sync();
    site
}

fn json(site: &Site, args: &[&str]) -> Value {
    let output = site.env.lore(&[args, &["--json"]].concat()).success();
    serde_json::from_str(&output.stdout).unwrap()
}

fn texts<'v>(list: &'v Value, field: &str) -> Vec<&'v str> {
    list.as_array().unwrap().iter().filter_map(|it| it[field].as_str()).collect()
}

#[test]
fn gate_1_resource_events() {
    let site = Site::scenario(BINARY, HISTORY);
    // lore sync --no-events skips event fetching
    let _ = site.env.lore(&["sync", "-q", "--no-events"]).success();
    assert_eq!(json(&site, &["count", "events"])["data"]["total"], 0);
    // temporal commands gracefully report "No event data. Run lore sync to populate."
    let warned = site.env.lore(&["timeline", "auth migration"]).success();
    assert!(warned.stderr.contains("no event data"), "{warned}");
    assert!(warned.stderr.contains("lore sync"), "{warned}");
    // lore sync fetches resource events for changed entities when fetchResourceEvents is true
    site.sync();
    let filled = site.env.lore(&["timeline", "auth migration"]).success();
    assert!(!filled.stderr.contains("no event data"), "{filled}");
    // lore count events shows event counts by type
    let counted = json(&site, &["count", "events"])["data"].clone();
    let by = counted["by"].to_string();
    for kind in ["state", "label", "milestone"] {
        assert!(by.contains(kind), "{counted}");
    }
    // lore stats --check validates event table referential integrity
    // lore stats --check validates dependent job queue health (no stuck locks, retryable jobs visible)
    let checked = json(&site, &["stats", "--check"])["data"].clone();
    let checks = texts(&checked["checks"], "id");
    for rule in ["foreign_keys", "stuck_claims", "lost_jobs", "job_attempts", "failed_sources"] {
        assert!(checks.contains(&rule), "{checks:?}");
    }
    assert_eq!((&checked["queue_waiting"], &checked["queue_failed"]), (&0.into(), &0.into()));
}

#[test]
fn gate_2_cross_references() {
    let site = site();
    let answer = json(&site, &["timeline", "#1", "-p", "tide", "--expand-mentions"]);
    // entity_references populated from closes_issues API for all synced MRs, and from
    // resource_state_events where source_merge_request_id is present; source_method column
    // tracks provenance; references are deduplicated
    let expanded = answer["data"]["expanded_entities"].as_array().unwrap();
    let first = expanded.iter().find(|it| it["reference"] == "harbor/tide!1").unwrap();
    let method = first["via"]["source_method"].as_str().unwrap();
    assert!(method.starts_with("api_"), "{first}");
    assert_eq!(first["via"]["reference_type"], "closes");
    assert_eq!(expanded.iter().filter(|it| it["reference"] == "harbor/tide!1").count(), 1);
    // System notes parsed for cross-reference patterns (English instances)
    let related = expanded.iter().find(|it| it["reference"] == "harbor/tide#2").unwrap();
    assert_eq!(related["via"]["reference_type"], "related");
    // Cross-project references stored as unresolved when target project is not synced
    let answer = json(&site, &["timeline", "#2", "-p", "tide", "--expand-mentions"]);
    let outside = &answer["data"]["unresolved_references"][0];
    assert_eq!(outside["target_project"], "other/outside");
    assert_eq!((&outside["target_type"], &outside["target_iid"]), (&"issue".into(), &42.into()));
    assert_eq!(outside["source"]["iid"], 2);
    // Timeline JSON includes expansion provenance (via) for all expanded entities
    for entity in expanded {
        let from = &entity["via"]["from"];
        assert!(from["type"].is_string() && from["iid"].is_u64(), "{entity}");
        assert_eq!(from["project"], "harbor/tide", "{entity}");
    }
}

#[test]
fn gate_3_decision_timeline() {
    let site = site();
    let answer = json(&site, &["timeline", "auth migration"]);
    let events = answer["data"]["events"].as_array().unwrap();
    // lore timeline <query> returns chronologically ordered events
    let times: Vec<&str> = events.iter().filter_map(|it| it["timestamp"].as_str()).collect();
    assert!(times.is_sorted() && !times.is_empty(), "{times:?}");
    // Seed entities found via FTS5 keyword search (issues, MRs, and notes)
    let seeds = texts(&answer["data"]["seed_entities"], "reference");
    assert!(seeds.contains(&"harbor/tide#1") && seeds.contains(&"harbor/tide!1"), "{seeds:?}");
    // State, label, and milestone events interleaved; entity creation and merge events included
    // Evidence-bearing notes included as note_evidence events
    let kinds: Vec<&str> = events.iter().filter_map(|it| it["event_type"].as_str()).collect();
    for kind in ["created", "merged", "note_evidence"] {
        assert!(kinds.contains(&kind), "{kind}: {kinds:?}");
    }
    let everything = json(&site, &["timeline", "auth migration", "--all"]);
    let kinds = texts(&everything["data"]["events"], "event_type");
    for kind in ["closed", "labels", "milestone"] {
        assert!(kinds.contains(&kind), "{kind}: {kinds:?}");
    }
    let note = events.iter().find(|it| it["event_type"] == "note_evidence").unwrap();
    assert!(note["details"]["note_id"].is_i64(), "{note}");
    assert!(note["details"]["snippet"].as_str().unwrap().contains("OAuth2"), "{note}");
    // 3.5 Robot mode JSON: what is said of the answer is beside the data
    let meta = &answer["meta"];
    for field in [
        "search_mode",
        "expansion_depth",
        "expand_mentions",
        "total_entities",
        "total_events",
        "evidence_notes_included",
        "unresolved_references",
    ] {
        assert!(!meta[field].is_null(), "meta.{field}: {meta}");
    }
    assert_eq!(answer["data"]["event_count"], events.len() as u64);
    // At least 1 evidence note for queries matching discussion-bearing entities, under -n too
    for limit in ["1", "2", "3", "5"] {
        let cut = json(&site, &["timeline", "auth migration", "-n", limit]);
        let kinds = texts(&cut["data"]["events"], "event_type");
        assert!(kinds.contains(&"note_evidence"), "-n {limit}: {kinds:?}");
        assert_eq!(kinds.len().to_string(), limit);
    }
    // --depth 0 disables expansion
    let alone = json(&site, &["timeline", "#1", "-p", "tide", "--depth", "0"]);
    assert_eq!(alone["data"]["expanded_entities"], Value::Array(Vec::new()));
    // Default expansion follows closes + related edges; --expand-mentions adds mentioned edges
    let default = json(&site, &["timeline", "#1", "-p", "tide"]);
    let reached = texts(&default["data"]["expanded_entities"], "reference");
    assert!(!reached.contains(&"harbor/tide!2"), "{reached:?}");
    let wider = json(&site, &["timeline", "#1", "-p", "tide", "--expand-mentions"]);
    assert!(texts(&wider["data"]["expanded_entities"], "reference").contains(&"harbor/tide!2"));
    // --since filters by event timestamp
    let since = json(&site, &["timeline", "auth migration", "--since", "2024-03-19"]);
    assert!(texts(&since["data"]["events"], "timestamp").iter().all(|at| *at >= "2024-03-19"));
    // -p scopes to project
    let elsewhere = json(&site, &["timeline", "auth migration", "-p", "charts"]);
    assert_eq!(elsewhere["data"]["event_count"], 0);
    // nonsense returns nothing
    let nothing = json(&site, &["timeline", "xyznonexistent123"]);
    assert_eq!(nothing["data"]["event_count"], 0);
}

#[test]
fn gate_4_file_decision_history() {
    let site = site();
    let path = "src/auth/oauth.rs";
    let answer = json(&site, &["file-history", path, "-p", "tide"])["data"].clone();
    // lore file-history <path> returns MRs ordered by merge/creation date
    let items = answer["items"].as_array().unwrap();
    let merged: Vec<&str> = items.iter().filter_map(|it| it["merged_at"].as_str()).collect();
    assert!(merged.is_sorted_by(|a, b| a >= b) && merged.len() == 3, "{answer}");
    // Output includes: MR title, state, author, change type, discussion count; merge_commit_sha
    for field in ["title", "state", "author", "change", "discussions", "merge_commit_sha"] {
        assert!(!items[0][field].is_null(), "{field}: {answer}");
    }
    // Robot mode JSON includes rename_chain when renames are detected; chains resolved
    let chain = answer["rename_chain"].to_string();
    for name in ["src/auth.rs", "src/auth/handler.rs", path] {
        assert!(chain.contains(name), "{chain}");
    }
    // --no-follow-renames disables chain resolution
    let plain = json(&site, &["file-history", path, "-p", "tide", "--no-follow-renames"]);
    assert_eq!(plain["data"]["items"].as_array().unwrap().len(), 1);
    // --discussions shows inline discussion snippets from DiffNotes on the file
    let talked = json(&site, &["file-history", path, "-p", "tide", "--discussions"]);
    assert!(talked["data"].to_string().contains("Rotate the refresh token"), "{talked}");
    // -p required when path exists in multiple projects (Ambiguous error): asked with it above
    // Graceful handling when no MR data found ("Run lore sync with fetchMrFileChanges: true")
    let without = Site::scenario(BINARY, HISTORY);
    let mut env = without.another_machine(BINARY);
    env.set_var("LORE_SYNC_FETCH_MR_FILE_CHANGES", "false");
    let _ = env.lore(&["sync", "-q"]).success();
    let told = env.lore(&["trace", path, "-p", "tide"]);
    let told = format!("{told}");
    assert!(told.contains("fetch_mr_file_changes"), "{told}");
    // ... and switching it on fills in what is missing
    env.set_var("LORE_SYNC_FETCH_MR_FILE_CHANGES", "true");
    let _ = env.lore(&["sync", "-q"]).success();
    let filled = env.lore(&["file-history", path, "-p", "tide"]).success();
    assert!(filled.stdout.contains("Rename the handler"), "{filled}");
}

#[test]
fn gate_5_code_trace() {
    let site = site();
    // lore trace <file> shows MRs that touched the file with linked issues and discussion context
    // Output includes the MR → issue → discussion chain; snippets show DiffNote content
    let output = site.env.lore(&["trace", "src/auth/oauth.rs", "-p", "tide"]).success();
    for said in [
        "Auth migration: add the provider",
        "closes #1",
        "stick with OAuth2",
        "Rotate the refresh token",
        "renamed src/auth.rs",
    ] {
        assert!(output.stdout.contains(said), "{said}: {output}");
    }
    // → 12 discussion comments, 4 on this file
    assert!(output.stdout.contains("on this file"), "{output}");
    // Robot mode JSON output
    let answer = json(&site, &["trace", "src/auth/oauth.rs", "-p", "tide"]);
    assert_eq!(answer["ok"], true);
}
