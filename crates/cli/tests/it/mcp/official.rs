//! The official clients list and call everything over both transports: the
//! Python SDK, which checks every answer against its schema, and the
//! Inspector. `cargo xtask ci` installs them and says where; without them
//! these tests say that they were skipped.

use super::http::Server;
use super::{QUESTIONS, harbour};
use std::process::Command;

/// Prints one line per thing that answered.
const SCRIPT: &str = include_str!("official_client.py");

fn questions() -> String {
    let rows: Vec<String> =
        QUESTIONS.iter().map(|(tool, arguments)| format!("[\"{tool}\", {arguments}]")).collect();
    format!("[{}]", rows.join(","))
}

/// Everything that must have answered.
fn expected() -> Vec<String> {
    let mut expected: Vec<String> =
        QUESTIONS.iter().map(|(tool, _)| format!("tool {tool}")).collect();
    for prompt in ["hand_over", "review_mr", "start_task", "why_is_this_so"] {
        expected.push(format!("prompt {prompt}"));
    }
    for resource in [
        "decision",
        "issue/harbor/tide/1",
        "issue/harbor/tide/2",
        "mr/harbor/tide/1",
        "status",
        "symbol/login",
    ] {
        expected.push(format!("resource {resource}"));
    }
    expected.sort();
    expected
}

#[test]
fn the_python_client_calls_everything_over_both_transports() {
    let Some(python) = testkit::outside::program("LORE_TEST_MCP_PYTHON") else { return };
    for over in ["stdio", "http"] {
        let (site, clone) = harbour();
        let args = ["--tools", "all", "--no-index"];
        let server =
            (over == "http").then(|| Server::start(&site.env, &clone, "127.0.0.1:0", &args));
        // The client starts the server in the very surroundings of the test.
        let mut command = Command::new(&python);
        let as_started = site.env.command(&[]);
        command.env_clear();
        for (name, value) in as_started.get_envs() {
            command.env(name, value.unwrap_or_default());
        }
        let where_to = match &server {
            Some(server) => format!("http://{}", server.address),
            None => crate::BINARY.to_owned(),
        };
        let output = command
            .current_dir(&clone)
            .args(["-c", SCRIPT, over, &where_to, &questions()])
            .output()
            .unwrap();
        let stdout = String::from_utf8_lossy(&output.stdout);
        let mut answered: Vec<&str> = stdout.lines().collect();
        answered.sort_unstable();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(answered, expected(), "{over}\n{stderr}");
    }
}

#[test]
fn the_inspector_lists_and_calls_everything_over_both_transports() {
    let Some(inspector) = testkit::outside::program("LORE_TEST_MCP_INSPECTOR") else { return };
    let (site, clone) = harbour();
    let args = ["--tools", "all", "--no-index"];
    let server = Server::start(&site.env, &clone, "127.0.0.1:0", &args);
    let address = format!("http://{}", server.address);
    let inspect = |over: &str, words: &[String]| -> String {
        let mut command = Command::new(&inspector);
        let as_started = site.env.command(&[]);
        command.current_dir(&clone).arg("--cli");
        if over == "stdio" {
            // It hands on to the server only what it is told to.
            for (name, value) in as_started.get_envs() {
                let (name, value) = (name.to_string_lossy(), value.unwrap_or_default());
                command.args(["-e", &format!("{name}={}", value.to_string_lossy())]);
            }
            command.args([crate::BINARY, "mcp"]).args(args);
        } else {
            command.args([address.as_str(), "--transport", "http"]);
        }
        let output = command.args(words).output().unwrap();
        let (stdout, stderr) =
            (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success(), "{over} {words:?}\n{stdout}{stderr}");
        stdout.into_owned()
    };
    let check = |over: &str, (words, known): &Inspection| {
        let answer = inspect(over, words);
        assert!(answer.contains(known), "{over} {words:?}: {answer}");
    };
    for over in ["stdio", "http"] {
        // What changes something has to wait for the others; the rest need not.
        let writers = ["remember", "sync_now", "index_repo", "feedback", "connect", "handoff"];
        let (writing, reading): (Vec<Inspection>, Vec<Inspection>) = inspections(over)
            .into_iter()
            .partition(|(words, _)| words.iter().any(|word| writers.contains(&&**word)));
        std::thread::scope(|scope| {
            for share in 0..AT_ONCE {
                let (reading, check) = (&reading, &check);
                scope.spawn(move || {
                    for inspection in reading.iter().skip(share).step_by(AT_ONCE) {
                        check(over, inspection);
                    }
                });
            }
        });
        for inspection in &writing {
            check(over, inspection);
        }
    }
}

const AT_ONCE: usize = 4;

/// What the Inspector is asked to do, and what must be in its answer.
type Inspection = (Vec<String>, &'static str);

fn inspections(over: &str) -> Vec<Inspection> {
    let words = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect::<Vec<_>>();
    let mut all = vec![
        (words(&["--method", "tools/list"]), "\"snapshot_diff\""),
        (words(&["--method", "prompts/list"]), "why_is_this_so"),
        (words(&["--method", "resources/list"]), "lore://status"),
        (words(&["--method", "resources/templates/list"]), "lore://symbol/"),
    ];
    for (uri, known) in [
        ("lore://status", "harbor/tide"),
        ("lore://issue/harbor/tide/1", "Safari"),
        ("lore://mr/harbor/tide/1", "harbor/tide"),
        ("lore://symbol/login", "login"),
    ] {
        all.push((words(&["--method", "resources/read", "--uri", uri]), known));
    }
    for (prompt, argument) in [
        ("why_is_this_so", Some("target=src/login.rs:1")),
        ("start_task", Some("task=cookie")),
        ("review_mr", Some("merge_request=!1")),
        ("hand_over", None),
    ] {
        let mut asked = words(&["--method", "prompts/get", "--prompt-name", prompt]);
        asked.extend(argument.into_iter().flat_map(|it| words(&["--prompt-args", it])));
        all.push((asked, "messages"));
    }
    for (tool, arguments) in QUESTIONS {
        let arguments: serde_json::Value = serde_json::from_str(arguments).unwrap();
        let mut asked = words(&["--method", "tools/call", "--tool-name", tool]);
        for (name, value) in arguments.as_object().unwrap() {
            let mut value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            // Nothing is recorded twice.
            match (over, *tool, name.as_str()) {
                ("http", "remember", "text") => {
                    "Write every time of day in UTC".clone_into(&mut value);
                }
                ("http", "handoff", "summary") => {
                    "Timetables are fetched every night".clone_into(&mut value);
                }
                _ => {}
            }
            asked.extend(words(&["--tool-arg", &format!("{name}={value}")]));
        }
        all.push((asked, "\"isError\": false"));
    }
    all
}

/// Questions about the built-in history that have long answers.
const LONG: &[(&str, &str)] = &[
    ("search", r#"{"query": "alarm model sensor", "limit": 100}"#),
    ("timeline", r#"{"query": "alarms", "limit": 1000, "depth": 3}"#),
    ("show", r##"{"reference": "#28", "events": true}"##),
    ("show", r#"{"reference": "!30", "events": true, "commits": true}"#),
    ("file_history", r#"{"path": "README.md", "discussions": true}"#),
    ("status", "{}"),
    ("person", r#"{"user": "olwen"}"#),
];

#[test]
fn answers_stay_under_their_cap_by_a_real_tokenizer() {
    let Some(tokenizer) = testkit::outside::program("LORE_TEST_TOKENIZER") else { return };
    let mut env = crate::lore();
    env.set_var("LORE_NOW", "2024-10-01T09:00:00Z");
    let _ = env.lore(&["demo", "--keep", "playground"]).success();
    let dir = env.dir().join("playground");
    for cap in [1_000, 4_000] {
        let most = cap.to_string();
        let args = ["--tools", "all", "--no-index", "--max-tokens", &most];
        let mut agent = super::Client::greeted(&env, &dir, &args);
        for (tool, arguments) in LONG {
            let arguments: serde_json::Value = serde_json::from_str(arguments).unwrap();
            let result = agent.call(tool, arguments);
            let text = result["content"][0]["text"].as_str().unwrap().to_owned();
            let n_tokens = counted(&tokenizer, &text);
            let estimated = serve::mcp::estimate(&text);
            assert!(n_tokens <= cap, "{tool}: {n_tokens} tokens of {cap}");
            assert!(n_tokens <= estimated, "{tool}: {n_tokens} tokens, estimated {estimated}");
            assert!(estimated <= 2 * n_tokens, "{tool}: {n_tokens} tokens, estimated {estimated}");
        }
    }
}

fn counted(tokenizer: &std::ffi::OsStr, text: &str) -> usize {
    use std::io::Write as _;
    let script = format!(
        "const {{ encode }} = require({}); \
         console.log(encode(require('fs').readFileSync(0, 'utf8')).length)",
        serde_json::json!(tokenizer.to_str().unwrap())
    );
    let mut child = Command::new("node")
        .args(["-e", &script])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    String::from_utf8_lossy(&output.stdout).trim().parse().unwrap()
}
