//! Calls of contracts and spans of functions: which routes they show to be used.

use super::{BINARY, VIEWS, data};
use model::Timestamp;
use sim::git::{History, Signature};
use std::fmt::Write as _;
use std::path::PathBuf;
use testkit::TestEnv;

const CURRENCY: &str = "const grpc = require('@grpc/grpc-js');

function convert(call, callback) {}
function check(call, callback) {}

const server = new grpc.Server();
server.addService(shop.CurrencyService.service, { convert, getSupported: shop.find() });
server.addService(health.Health.service, { check });
";

const EMAIL: &str = "class HealthCheck:
    def Check(self, request, context):
        return 1
";

const CHARGE: &str = "from flask import Flask

app = Flask(__name__)


@app.post(\"/charge\")
def charge():
    return 1
";

fn indexed(name: &str, files: &[(&str, &str)]) -> (TestEnv, PathBuf) {
    let env = TestEnv::new(BINARY);
    let at = Timestamp::parse_rfc3339("2024-05-01T10:00:00Z").unwrap();
    let ada = Signature::new("Ada", "ada@example.com", at);
    let mut history = History::new("main");
    history.commit("main", &ada, "Begin", &sim::git::written(files)).unwrap();
    let dir = env.dir().join(name);
    history.write(&dir).unwrap();
    let _ = env.lore_in(&dir, &["index", "-q"], "").success();
    (env, dir)
}

/// A span of a server, or of a function, of a service.
fn span(service: &str, n: u32, kind: u8, attributes: &[(&str, &str)]) -> String {
    let mut all = String::new();
    for (key, value) in attributes {
        let comma = if all.is_empty() { "" } else { "," };
        let _ = write!(all, r#"{comma}{{"key":"{key}","value":{{"stringValue":"{value}"}}}}"#);
    }
    format!(
        r#"{{"resource":{{"attributes":[{{"key":"service.name","value":{{"stringValue":"{service}"}}}}]}},"scopeSpans":[{{"spans":[{{"traceId":"{n:032x}","spanId":"{n:016x}","name":"x","kind":{kind},"startTimeUnixNano":"1717149600000000000","endTimeUnixNano":"1717149600150000000","attributes":[{all}]}}]}}]}}"#
    )
}

fn ingest(env: &TestEnv, dir: &std::path::Path, spans: &[String]) {
    let text = format!(r#"{{"resourceSpans":[{}]}}"#, spans.join(","));
    let _ = env.lore_in(dir, &["ingest-traces", "-"], &text).success();
}

#[test]
fn rpcs_that_are_called_are_used_and_stay_in_their_service() {
    let (env, dir) = indexed(
        "boutique",
        &[
            ("src/currencyservice/server.js", CURRENCY),
            ("src/currencyservice/package.json", "{\"name\": \"currency\"}"),
            ("src/emailservice/email_server.py", EMAIL),
            ("src/adservice/ads.py", "def ads():\n    return 1\n"),
        ],
    );
    let call = |service: &str, n: u32, rpc: &str, method: &str| {
        let named = [("rpc.system", "grpc"), ("rpc.service", rpc), ("rpc.method", method)];
        span(service, n, 2, &named)
    };
    let currency = "hipstershop.CurrencyService";
    let spans = [
        call("currencyservice", 1, currency, "Convert"),
        call("currencyservice", 2, currency, "GetSupported"),
        call("emailservice", 3, "grpc.health.v1.Health", "Check"),
        call("adservice", 4, "grpc.health.v1.Health", "Check"),
    ];
    ingest(&env, &dir, &spans);
    let routes = data(&env, &dir, &["routes", "--traffic"]);
    let mut states: Vec<String> = Vec::new();
    for route in routes["routes"].as_array().unwrap() {
        let state = format!("{} {}", route["pattern"], route["traffic"]["state"]);
        states.push(state.replace('"', ""));
    }
    states.sort();
    let expected = [
        "/CurrencyService/Convert used",
        "/CurrencyService/GetSupported used",
        "/Health/Check dead",
    ];
    assert_eq!(states, expected, "{routes:#}");
    let traffic = data(&env, &dir, &["traffic"]);
    let place = |service: &str, name: &str| {
        let edges = traffic["edges"].as_array().unwrap();
        let is_meant =
            |target: &serde_json::Value| target["service"] == service && target["name"] == name;
        let edge = edges.iter().find(|edge| is_meant(&edge["target"])).unwrap();
        edge["target"]["symbol"]["path"].as_str().map(str::to_owned)
    };
    let health = "grpc.health.v1.Health/Check";
    let email = Some("src/emailservice/email_server.py".to_owned());
    assert_eq!(place("emailservice", health), email, "{traffic:#}");
    assert_eq!(place("adservice", health), None, "{traffic:#}");
}

#[test]
fn a_handler_whose_own_spans_are_seen_is_no_dead_route() {
    let (env, dir) = indexed("shop", &[("shop/views.py", VIEWS)]);
    let function = [("code.function.name", "shop.views.old"), ("code.file.path", "shop/views.py")];
    let request = [("http.request.method", "POST"), ("http.route", "/checkout")];
    ingest(&env, &dir, &[span("shop", 1, 2, &request), span("shop", 2, 1, &function)]);
    let routes = data(&env, &dir, &["routes", "--traffic"]);
    let all = routes["routes"].as_array().unwrap();
    let old = all.iter().find(|route| route["pattern"] == "/old").unwrap();
    assert_eq!(old["traffic"]["state"], "used", "{routes:#}");
    let callers = env.lore_in(&dir, &["callers", "views.old"], "").success();
    assert!(!callers.stdout.contains("was never seen"), "{callers}");
}

#[test]
fn who_asks_from_another_repository_is_named_by_it() {
    let (env, dir) = indexed("charge", &[("api.py", CHARGE)]);
    let at = Timestamp::parse_rfc3339("2024-05-01T10:00:00Z").unwrap();
    let ada = Signature::new("Ada", "ada@example.com", at);
    let mut history = History::new("main");
    history.commit("main", &ada, "Sell", &sim::git::written(&[("shop/views.py", VIEWS)])).unwrap();
    let shop = env.dir().join("shop");
    history.write(&shop).unwrap();
    let _ = env.lore_in(&shop, &["index", "-q"], "").success();
    let ask = [("http.request.method", "POST"), ("http.route", "/checkout")];
    let pay = [("http.request.method", "POST"), ("http.route", "/charge")];
    let call = [("http.request.method", "POST"), ("url.full", "http://charge:80/charge")];
    let nested = |text: String, span: &str, parent: &str| {
        let text = text.replace(&format!("{:032x}", 9), &format!("{:032x}", 7));
        let text = text.replace(r#""spanId":"0000000000000009""#, &format!(r#""spanId":"{span}""#));
        text.replace(r#""name":"x""#, &format!(r#""name":"x","parentSpanId":"{parent}""#))
    };
    let spans = [
        span("shop", 7, 2, &ask),
        nested(span("shop", 9, 3, &call), "00000000000000b1", "0000000000000007"),
        nested(span("charge", 9, 2, &pay), "00000000000000b2", "00000000000000b1"),
    ];
    ingest(&env, &dir, &spans);
    let impact = env.lore_in(&dir, &["impact", "charge"], "").success().stdout;
    assert!(impact.contains("shop: shop.views.checkout"), "{impact}");
    assert!(impact.contains("production does"), "{impact}");
    assert!(!impact.contains("://") && !impact.contains("nothing that is indexed"), "{impact}");
    let dead = env.lore_in(&dir, &["routes", "--dead", "30"], "").success().stdout;
    assert!(dead.contains("the one route was used"), "{dead}");
}

#[test]
fn hints_of_services_can_be_run() {
    let (env, dir) = indexed("shop", &[("shop/views.py", VIEWS)]);
    let other = env.dir().join("other");
    let at = Timestamp::parse_rfc3339("2024-05-01T10:00:00Z").unwrap();
    let ada = Signature::new("Ada", "ada@example.com", at);
    let mut history = History::new("main");
    history.commit("main", &ada, "Begin", &sim::git::written(&[("a.py", "x = 1\n")])).unwrap();
    history.write(&other).unwrap();
    let _ = env.lore_in(&other, &["index", "-q"], "").success();
    let request = [("http.request.method", "GET"), ("url.path", "/x")];
    ingest(&env, &dir, &[span("my shop's api", 1, 2, &request), span("(other)", 2, 2, &request)]);
    let stats = env.lore_in(&dir, &["trace-stats"], "").success().stdout;
    assert!(stats.contains("--service 'my shop'\\''s api' --repo NAME"), "{stats}");
    assert!(!stats.contains("--service (other)"), "{stats}");
}
