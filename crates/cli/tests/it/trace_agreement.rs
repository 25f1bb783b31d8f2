//! A generated repository in which every line says which merge request wrote
//! it: what `lore trace` answers is held against that.

use crate::BINARY;
use serde_json::Value;
use std::fmt::Write as _;
use testkit::Site;

const N_FILES: usize = 7;
const STYLES: [&str; 4] = ["merge", "merge squash", "merge ff", "merge rebase"];

/// Numbers that look random and are the same every time.
struct Chance(u64);

impl Chance {
    fn below(&mut self, n: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n
    }
}

/// Merge requests in four styles, each overlapping the next one, which works on
/// another file. A line reads `fn f2_by_31() {}`: file 2, merge request 31.
fn history(n_mrs: usize) -> String {
    let mut chance = Chance(7);
    let mut files: Vec<Vec<String>> = (0..N_FILES).map(|f| vec![format!("// file {f}")]).collect();
    let mut text = String::from("project harbor/tide \"Tide\"\n");
    text.push_str("commit \"Initial import\" by ada at 2010-01-01T09:00\n");
    for file in 0..N_FILES {
        let _ = writeln!(text, "  write src/f{file}.rs\n    | // file {file}");
    }
    for iid in 1..=n_mrs {
        let file = iid % N_FILES;
        let style = STYLES[chance.below(STYLES.len())];
        // A fast-forward needs a main branch that stands still.
        let (hour, end) = if style == "merge ff" { (13, "1h") } else { (9, "1d2h") };
        let (month, day) = (iid / 28 % 12 + 1, iid % 28 + 1);
        let year = 2010 + iid / 336;
        let _ = writeln!(
            text,
            "mr !{iid} \"Change {iid}\" by bo at {year}-{month:02}-{day:02}T{hour:02}:00 from b{iid}"
        );
        for commit in 0..=chance.below(2) {
            let lines = &mut files[file];
            let at = chance.below(lines.len());
            let new = format!("fn f{file}_by_{iid}_{commit}() {{}}");
            let _ = writeln!(
                text,
                "  commit \"Commit {commit} of {iid}\" +5m\n    edit src/f{file}.rs"
            );
            if at > 0 && chance.below(4) == 0 {
                let _ = writeln!(text, "      - {}\n      + {new}", lines[at]);
                lines[at] = new;
            } else {
                let _ = writeln!(text, "      = {}\n      + {new}", lines[at]);
                lines.insert(at + 1, new);
            }
        }
        let _ = writeln!(text, "  {style} by ada +{end}");
    }
    text
}

/// (right, unknown, wrong)
fn agreement(n_mrs: usize) -> (usize, usize, Vec<String>) {
    let site = Site::with_clones(BINARY, &history(n_mrs));
    site.sync();
    let clone = site.env.dir().join("harbor/tide");
    let _added = site.env.lore(&["repo", "add", "harbor/tide"]).success();
    let (mut right, mut unknown, mut wrong) = (0, 0, Vec::new());
    for file in 0..N_FILES {
        let path = format!("src/f{file}.rs");
        let n_lines = std::fs::read_to_string(clone.join(&path)).unwrap().lines().count();
        let args = ["trace", &format!("{path}:1-{n_lines}"), "--json", "--notes", "0"];
        let answer = site.env.lore_in(&clone, &args, "").success();
        let answer: Value = serde_json::from_str(&answer.stdout).unwrap();
        for origin in answer["data"]["origins"].as_array().unwrap() {
            for line in origin["text"].as_array().unwrap() {
                let line = line.as_str().unwrap();
                let iid = line.split("_by_").nth(1).and_then(|rest| rest.split('_').next());
                let truth = iid.map(|iid| format!("harbor/tide!{iid}"));
                match origin["merge_request"].as_str() {
                    said if said == truth.as_deref() => right += 1,
                    None => unknown += 1,
                    Some(said) => wrong.push(format!("{path}: `{line}` is not {said}")),
                }
            }
        }
    }
    (right, unknown, wrong)
}

/// `LORE_TRACE_MRS=500` in the environment of the tests makes it the full one.
#[test]
fn traced_lines_agree_with_who_wrote_them() {
    let n_mrs = std::env::var("LORE_TRACE_MRS").ok().and_then(|n| n.parse().ok()).unwrap_or(40);
    let (right, unknown, wrong) = agreement(n_mrs);
    assert_eq!(wrong, Vec::<String>::new());
    assert!(right > n_mrs / 2, "only {right} lines");
    assert!(unknown * 100 <= right + unknown, "{unknown} of {} unknown", right + unknown);
}
