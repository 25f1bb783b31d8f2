//! Traces and access logs, from a file or a socket to what people ask.

mod receiver;
mod rpc;
mod sdk;

use crate::BINARY;
use expect_test::expect;
use model::Timestamp;
use sim::git::{History, Signature};
use std::path::{Path, PathBuf};
use testkit::TestEnv;

const VIEWS: &str = "from flask import Flask, Blueprint

app = Flask(__name__)
api = Blueprint(\"api\", __name__)


@app.get(\"/cart/<int:id>\")
def cart(id):
    return total()


@app.post(\"/checkout\")
def checkout():
    return total()


@app.get(\"/old\")
def old():
    return \"\"


@api.get(\"/items/<sku>\")
def item(sku):
    return sku


def total():
    return 1


app.register_blueprint(api, url_prefix=\"/api\")
";

const SCHEMA: &str = "create table orders (id integer primary key, total integer);\n";

/// A clone with routes, called `shop`, that is indexed.
fn shop() -> (TestEnv, PathBuf) {
    let env = TestEnv::new(BINARY);
    let at = Timestamp::parse_rfc3339("2024-05-01T10:00:00Z").unwrap();
    let ada = Signature::new("Ada", "ada@example.com", at);
    let mut history = History::new("main");
    let files = [("shop/views.py", VIEWS), ("db/schema.sql", SCHEMA)];
    history.commit("main", &ada, "Sell things", &sim::git::written(&files)).unwrap();
    let dir = env.dir().join("shop");
    history.write(&dir).unwrap();
    let _ = env.lore_in(&dir, &["index", "-q"], "").success();
    (env, dir)
}

fn line(when: &str, request: &str, status: u16) -> String {
    format!("10.0.0.1 - - [{when}] \"{request} HTTP/1.1\" {status} 10 \"-\" \"-\" 0.020\n")
}

/// Requests of the day before, one line that is none, and a scanner.
fn access_log() -> String {
    let mut log = String::new();
    for n in 0..12 {
        log.push_str(&line("31/May/2024:10:00:00 +0000", &format!("GET /cart/{n}?page=2"), 200));
    }
    log.push_str(&line("31/May/2024:10:00:01 +0000", "POST /checkout", 500));
    log.push_str(&line("31/May/2024:10:00:01 +0000", "GET /api/items/abc-1", 200));
    log.push_str("not a request\n");
    log.push_str(&line("31/May/2024:10:00:02 +0000", "GET /wp-login.php", 404));
    log
}

fn data(env: &TestEnv, dir: &Path, args: &[&str]) -> serde_json::Value {
    let args: Vec<&str> = args.iter().copied().chain(["--json"]).collect();
    let output = env.lore_in(dir, &args, "").success();
    let document: serde_json::Value = serde_json::from_str(&output.stdout).unwrap();
    document["data"].clone()
}

#[test]
fn an_access_log_becomes_traffic_of_routes() {
    let (env, dir) = shop();
    std::fs::write(dir.join("access.log"), access_log()).unwrap();
    let read = env.lore_in(&dir, &["ingest-traces", "access.log", "--service", "shop"], "");
    expect![[r#"
        access.log  access_log: 15 counted, 1 broken lines
          line 15: not an access log in common or combined format  not a request
    "#]]
    .assert_eq(&read.to_string());
    let again =
        env.lore_in(&dir, &["ingest-traces", "access.log", "--again", "--service", "shop"], "");
    assert!(again.to_string().contains("0 counted, 15 known already"), "{again}");
    let known = env.lore_in(&dir, &["ingest-traces", "access.log", "--service", "shop"], "");
    assert!(known.to_string().contains("read before"), "{known}");

    let routes = env.lore_in(&dir, &["routes", "--traffic"], "").success();
    expect![[r#"
        STATE	CALLS	ERRORS	P95 MS	LAST SEEN	METHOD	PATTERN	HANDLER	HANDLED IN
        used	12	0	20	2024-05-31T10:00:00.000Z	GET	/cart/<int:id>	shop.views.cart	shop/views.py:8
        used	1	0	20	2024-05-31T10:00:01.000Z	GET	/api/items/<sku>	shop.views.item	shop/views.py:23
        used	1	1	20	2024-05-31T10:00:01.000Z	POST	/checkout	shop.views.checkout	shop/views.py:13
        dead	0	0			GET	/old	shop.views.old	shop/views.py:18
    "#]]
    .assert_eq(&routes.to_string());
    let dead = data(&env, &dir, &["routes", "--dead", "30"]);
    assert_eq!(dead["total"], 1, "{dead}");
    assert_eq!(dead["routes"][0]["pattern"], "/old");
    assert_eq!(dead["routes"][0]["traffic"]["state"], "dead");

    let callers = env.lore_in(&dir, &["callers", "views.cart"], "").success();
    expect![[r#"
        # function shop.views.cart  shop/views.py:8
        # no direct callers among resolved calls
        # reached by 1 route or contract:
        #   shop.views.GET .cart.<int:id>  shop/views.py:7  handles_route
        # in production 12 calls in 7 days, p95 20 ms, active 0.70
        #   (outside) by GET /cart/<int:id>  12
    "#]]
    .assert_eq(&callers.to_string());
    let unused = env.lore_in(&dir, &["callers", "views.old"], "").success();
    assert!(unused.to_string().contains("GET /old was never seen"), "{unused}");
    let impact = data(&env, &dir, &["impact", "views.total"]);
    assert_eq!(impact["runtime"]["observations"], 13, "{}", impact["runtime"]);
    let why = data(&env, &dir, &["why", "shop/views.py:8"]);
    assert_eq!(why["runtime"]["observations"], 12, "{}", why["runtime"]);
}

#[test]
fn nothing_is_called_dead_whose_service_was_not_observed() {
    let (env, dir) = shop();
    let dead = data(&env, &dir, &["routes", "--dead"]);
    assert_eq!(dead["total"], 4);
    for route in dead["routes"].as_array().unwrap() {
        assert_eq!(route["traffic"]["state"], "not_observed", "{route}");
    }
    let stats = env.lore_in(&dir, &["trace-stats"], "");
    assert!(stats.to_string().contains("no traces were received yet"), "{stats}");
    let traffic = env.lore_in(&dir, &["traffic"], "").success();
    assert!(traffic.to_string().contains("no traffic was observed"), "{traffic}");
}

#[test]
fn traffic_of_somebody_else_says_nothing_of_the_only_repository() {
    let (env, dir) = shop();
    let request = |what: &str| line("31/May/2024:10:00:00 +0000", what, 200);
    let states = || -> Vec<String> {
        let dead = data(&env, &dir, &["routes", "--dead"]);
        let routes = dead["routes"].as_array().unwrap().iter();
        routes.map(|it| it["traffic"]["state"].as_str().unwrap().to_owned()).collect()
    };
    let log = request("GET /invoices/7") + &request("GET /invoices") + &request("GET /health");
    std::fs::write(dir.join("a.log"), log).unwrap();
    let of_others = ["ingest-traces", "a.log", "--service", "billing-of-somebody-else"];
    let _ = env.lore_in(&dir, &of_others, "").success();
    assert_eq!(states(), ["not_observed"; 4]);
    let unused = env.lore_in(&dir, &["callers", "views.old"], "").success();
    assert!(!unused.to_string().contains("never seen"), "{unused}");
    // One that answers for routes here is from here, whatever it is called.
    std::fs::write(dir.join("b.log"), request("GET /cart/7") + &request("POST /checkout")).unwrap();
    let _ = env.lore_in(&dir, &["ingest-traces", "b.log", "--service", "unnamed"], "").success();
    assert_eq!(states(), ["dead"; 2]);
}

#[test]
fn a_service_of_no_known_repository_is_matched_by_what_tells_whose_it_is() {
    let (env, dir) = shop();
    // With a second repository none is the only one.
    let other = env.dir().join("other");
    let at = Timestamp::parse_rfc3339("2024-05-01T10:00:00Z").unwrap();
    let ada = Signature::new("Ada", "ada@example.com", at);
    let mut history = History::new("main");
    let files = [("main.py", "def main():\n    return 1\n")];
    history.commit("main", &ada, "Other", &sim::git::written(&files)).unwrap();
    history.write(&other).unwrap();
    let _ = env.lore_in(&other, &["index", "-q"], "").success();
    let request = |what: &str| line("31/May/2024:10:00:00 +0000", what, 200);
    let log = request("GET /cart/7") + &request("GET /api/items/7") + &request("POST /checkout");
    std::fs::write(dir.join("a.log"), log).unwrap();
    let of_others = ["ingest-traces", "a.log", "--service", "somebody-else"];
    let _ = env.lore_in(&dir, &of_others, "").success();
    let found = data(&env, &dir, &["traffic"]);
    let of = |name: &str| {
        let edges = found["edges"].as_array().unwrap();
        let edge = edges.iter().find(|it| it["target"]["name"] == name).unwrap();
        edge["target"]["symbol"]["symbol"].clone()
    };
    // One word and a hole, or one word, every second service has.
    assert!(of("GET /cart/{}").is_null(), "{found:#}");
    assert!(of("POST /checkout").is_null(), "{found:#}");
    assert_eq!(of("GET /api/items/{}"), "views.item", "{found:#}");
}

#[test]
fn the_busiest_services_are_shown_of_many() {
    let (env, dir) = shop();
    let span = |service: usize, n: usize| {
        format!(
            r#"{{"resource":{{"attributes":[{{"key":"service.name","value":{{"stringValue":"s{service}"}}}}]}},"scopeSpans":[{{"spans":[{{"traceId":"{:032x}","spanId":"{:016x}","name":"x","kind":2,"startTimeUnixNano":"1717149600000000000","endTimeUnixNano":"1717149600000100000","attributes":[{{"key":"http.request.method","value":{{"stringValue":"GET"}}}},{{"key":"url.path","value":{{"stringValue":"/a/{n}"}}}}]}}]}}]}}"#,
            service * 10 + n + 1,
            service * 10 + n + 1,
        )
    };
    let spans: Vec<String> =
        (0..300).map(|service| span(service, 0)).chain((1..5).map(|n| span(299, n))).collect();
    let text = format!(r#"{{"resourceSpans":[{}]}}"#, spans.join(","));
    let _ = env.lore_in(&dir, &["ingest-traces", "-"], &text).success();
    let stats = data(&env, &dir, &["trace-stats"]);
    let shown = stats["services"].as_array().unwrap();
    assert_eq!((shown.len(), &stats["n_services"]), (50, &300.into()));
    assert_eq!((&shown[0]["service"], &shown[0]["spans"]), (&"s299".into(), &5.into()));
    let text = env.lore_in(&dir, &["trace-stats"], "").success();
    assert!(text.stdout.contains("50 of 300 services, busiest first"), "{text}");
    let all = data(&env, &dir, &["trace-stats", "-n", "1000"]);
    assert_eq!(all["services"].as_array().unwrap().len(), 300);
}

#[test]
fn a_log_without_durations_has_no_percentiles() {
    let (env, dir) = shop();
    let log = "1.2.3.4 - - [31/May/2024:10:00:00 +0000] \"GET /cart/7 HTTP/1.1\" 200 10\n";
    std::fs::write(dir.join("a.log"), log).unwrap();
    let _ = env.lore_in(&dir, &["ingest-traces", "a.log", "--service", "shop"], "").success();
    let edge = data(&env, &dir, &["traffic"])["edges"][0].clone();
    assert_eq!(edge["count"], 1, "{edge}");
    assert!(edge["p50_ms"].is_null() && edge["p95_ms"].is_null(), "{edge}");
}

/// A trace of two services: web asks shop, which asks its database.
const SPANS: &str = r#"{"resourceSpans":[
 {"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"web"}}]},"scopeSpans":[{"spans":[
  {"traceId":"0af7651916cd43dd8448eb211c80319c","spanId":"00000000000000a1","name":"GET /","kind":2,"startTimeUnixNano":"1717149600000000000","endTimeUnixNano":"1717149600200000000","attributes":[{"key":"http.request.method","value":{"stringValue":"GET"}},{"key":"http.route","value":{"stringValue":"/"}}]},
  {"traceId":"0af7651916cd43dd8448eb211c80319c","spanId":"00000000000000a2","parentSpanId":"00000000000000a1","name":"POST","kind":3,"startTimeUnixNano":"1717149600000000000","endTimeUnixNano":"1717149600150000000","attributes":[{"key":"http.request.method","value":{"stringValue":"POST"}},{"key":"url.full","value":{"stringValue":"http://shop:8000/checkout"}}]}]}]},
 {"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"shop"}}]},"scopeSpans":[{"spans":[
  {"traceId":"0af7651916cd43dd8448eb211c80319c","spanId":"00000000000000b1","parentSpanId":"00000000000000a2","name":"POST /checkout","kind":2,"startTimeUnixNano":"1717149600000000000","endTimeUnixNano":"1717149600100000000","attributes":[{"key":"http.request.method","value":{"stringValue":"POST"}},{"key":"http.route","value":{"stringValue":"/checkout"}}]},
  {"traceId":"0af7651916cd43dd8448eb211c80319c","spanId":"00000000000000b2","parentSpanId":"00000000000000b1","name":"INSERT","kind":3,"startTimeUnixNano":"1717149600000000000","endTimeUnixNano":"1717149600005000000","attributes":[{"key":"db.system","value":{"stringValue":"postgresql"}},{"key":"db.statement","value":{"stringValue":"INSERT INTO orders VALUES (1)"}}]}]}]}]}"#;

#[test]
fn a_trace_of_two_services_is_counted_once_and_found_in_code() {
    let (env, dir) = shop();
    let _ = env.lore_in(&dir, &["ingest-traces", "-"], SPANS).success();
    let traffic = env.lore_in(&dir, &["traffic"], "").success();
    expect![[r#"
        CALLS	ERRORS	P50 MS	P95 MS	FROM	TO	IN CODE	STATE	LAST SEEN
        1	0	203	203	(outside)	web GET /		active 0.30	2024-05-31T10:00:00.000Z
        1	0	5.0	5.0	shop POST /checkout	table orders	schema.orders db/schema.sql:1	active 0.50	2024-05-31T10:00:00.000Z
        1	0	98	98	web GET /	shop POST /checkout	shop.views.checkout shop/views.py:13	active 0.50	2024-05-31T10:00:00.000Z
    "#]].assert_eq(&traffic.to_string());
    let found = data(&env, &dir, &["traffic", "checkout"]);
    let edge = &found["edges"][0];
    assert_eq!(edge["confidence"], 0.5);
    assert_eq!(edge["samples"][0], "0af7651916cd43dd8448eb211c80319c");
    let stats = env.lore_in(&dir, &["trace-stats"], "").success();
    expect![[r#"
        SERVICE	SPANS IN 7 DAYS	LAST SEEN	REPOSITORY	KNOWN
        shop	2	2024-05-31T10:00:00.000Z	shop	by the name of the repository
        web	2	2024-05-31T10:00:00.000Z	shop	the only repository
        SOURCE	SPANS	DUPLICATES	REJECTED	SHED	CLOCK SKEW	LAST
        otlp_file	4	0	0	0	0	2024-06-01T12:00:00.000Z
    "#]]
    .assert_eq(&stats.to_string());
}

#[test]
fn a_call_over_http_is_held_against_the_addresses_its_caller_has() {
    let (env, _) = shop();
    let at = Timestamp::parse_rfc3339("2024-05-01T10:00:00Z").unwrap();
    let ada = Signature::new("Ada", "ada@example.com", at);
    let mut history = History::new("main");
    let web = "import requests\n\n\ndef pay(base):\n    requests.post(base + \"/checkout\")\n";
    let batch = "import config\n\n\ndef checkout():\n    config.call()\n";
    let files = [("web/client.py", web), ("batch/job.py", batch), ("store/views.py", VIEWS)];
    history.commit("main", &ada, "Three services", &sim::git::written(&files)).unwrap();
    let dir = env.dir().join("mono");
    history.write(&dir).unwrap();
    let _ = env.lore_in(&dir, &["index", "-q"], "").success();
    let call = |from: &str, method: &str, path: &str, n: u32| {
        format!(
            r#"{{"resource":{{"attributes":[{{"key":"service.name","value":{{"stringValue":"{from}"}}}}]}},"scopeSpans":[{{"spans":[{{"traceId":"{n:032x}","spanId":"{n:016x}","name":"x","kind":3,"startTimeUnixNano":"1717149600000000000","endTimeUnixNano":"1717149600150000000","attributes":[{{"key":"http.request.method","value":{{"stringValue":"{method}"}}}},{{"key":"url.full","value":{{"stringValue":"http://store:8000{path}"}}}}]}}]}}]}}"#
        )
    };
    let calls = [
        call("web", "POST", "/checkout", 1),
        call("batch", "POST", "/checkout", 2),
        call("batch", "GET", "/api/items/7", 3),
    ];
    let spans = format!(r#"{{"resourceSpans":[{}]}}"#, calls.join(","));
    let _ = env.lore_in(&dir, &["ingest-traces", "-"], &spans).success();
    let text = env.lore_in(&dir, &["traffic"], "").success().stdout;
    let line = |from: &str, call: &str| {
        let lines = text.lines().filter(|it| it.contains(&format!("\t{from}\t")));
        lines.filter(|it| it.contains(call)).collect::<String>()
    };
    let by_web = line("web", "store POST /checkout");
    assert!(by_web.contains("(address in web/client.py:5)"), "{text}");
    // It is written in the folder of another service: nothing can be said.
    let by_batch = line("batch", "store POST /checkout");
    assert!(by_batch.contains("store/views.py") && !by_batch.contains('('), "{text}");
    assert!(line("batch", "store GET /api/items").contains("(no code leads there)"), "{text}");
}

#[test]
fn time_makes_edges_stale_and_then_removes_them() {
    let (mut env, dir) = shop();
    let _ = env.lore_in(&dir, &["ingest-traces", "-"], SPANS).success();
    env.set_var("LORE_NOW", "2024-07-15T12:00:00Z");
    let stale = env.lore_in(&dir, &["stale", "--runtime"], "").success();
    let stale = stale.to_string();
    assert!(stale.contains("stale\tweb GET /\tshop POST /checkout\t2024-05-31"), "{stale}");
    assert_eq!(stale.matches("stale\t").count(), 3, "{stale}");
    let traffic = data(&env, &dir, &["traffic", "checkout", "--since", "90d"]);
    assert_eq!(
        (&traffic["edges"][0]["state"], &traffic["edges"][0]["confidence"]),
        (&"stale".into(), &0.2.into())
    );
    env.set_var("LORE_NOW", "2024-09-15T12:00:00Z");
    let collected = data(&env, &dir, &["stale", "--runtime", "--gc"]);
    assert_eq!((&collected["removed"], &collected["total"]), (&3.into(), &0.into()));
}

#[test]
fn what_is_not_understood_says_so() {
    let (env, dir) = shop();
    std::fs::write(dir.join("prose.txt"), "dear diary\nnothing happened\n").unwrap();
    let refused = env.lore_in(&dir, &["ingest-traces", "prose.txt"], "");
    assert!(refused.to_string().contains("nothing in `prose.txt` was understood"), "{refused}");
    let missing = env.lore_in(&dir, &["ingest-traces", "gone.log"], "");
    assert!(missing.to_string().contains("no file `gone.log`"), "{missing}");
    let folder = env.lore_in(&dir, &["ingest-traces", "."], "");
    assert!(folder.to_string().contains("is no regular file"), "{folder}");
}

const ADMIN: &str = "from flask import Flask

app = Flask(__name__)


@app.get(\"/admin\")
def admin():
    return \"\"
";

const WORKER: &str = "import nats


async def listen(connection):
    await connection.subscribe(\"orders.*\", cb=on_order)


async def on_order(message):
    return message
";

/// shop sends a message while it answers a request; worker takes it.
const MESSAGES: &str = r#"{"resourceSpans":[
 {"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"shop"}}]},"scopeSpans":[{"spans":[
  {"traceId":"1af7651916cd43dd8448eb211c80319c","spanId":"00000000000000c1","name":"POST /checkout","kind":2,"startTimeUnixNano":"1717149600000000000","endTimeUnixNano":"1717149600100000000","attributes":[{"key":"http.request.method","value":{"stringValue":"POST"}},{"key":"http.route","value":{"stringValue":"/checkout"}}]},
  {"traceId":"1af7651916cd43dd8448eb211c80319c","spanId":"00000000000000c2","parentSpanId":"00000000000000c1","name":"orders.created publish","kind":4,"startTimeUnixNano":"1717149600000000000","endTimeUnixNano":"1717149600005000000","attributes":[{"key":"messaging.system","value":{"stringValue":"nats"}},{"key":"messaging.destination.name","value":{"stringValue":"orders.created"}}]}]}]},
 {"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"worker"}}]},"scopeSpans":[{"spans":[
  {"traceId":"2af7651916cd43dd8448eb211c80319c","spanId":"00000000000000d1","name":"orders.created process","kind":5,"startTimeUnixNano":"1717149600000000000","endTimeUnixNano":"1717149600020000000","attributes":[{"key":"messaging.system","value":{"stringValue":"nats"}},{"key":"messaging.destination.name","value":{"stringValue":"orders.created"}}]}]}]}]}"#;

#[test]
fn a_topic_leads_from_who_sends_to_who_subscribes() {
    let env = TestEnv::new(BINARY);
    let at = Timestamp::parse_rfc3339("2024-05-01T10:00:00Z").unwrap();
    let ada = Signature::new("Ada", "ada@example.com", at);
    let mut history = History::new("main");
    let files = [("shop/views.py", VIEWS), ("worker/orders.py", WORKER), ("admin/views.py", ADMIN)];
    history.commit("main", &ada, "Sell things", &sim::git::written(&files)).unwrap();
    let dir = env.dir().join("market");
    history.write(&dir).unwrap();
    let _ = env.lore_in(&dir, &["index", "-q"], "").success();
    let _ = env.lore_in(&dir, &["ingest-traces", "-"], MESSAGES).success();
    let traffic = env.lore_in(&dir, &["traffic", "orders"], "").success();
    expect![[r#"
        CALLS	ERRORS	P50 MS	P95 MS	FROM	TO	IN CODE	STATE	LAST SEEN
        1	0	5.0	5.0	shop POST /checkout	topic orders.created	worker.orders.on_order worker/orders.py:8	active 0.50	2024-05-31T10:00:00.000Z
        1	0	20	20	worker	topic orders.created	worker.orders.on_order worker/orders.py:8	active 0.50	2024-05-31T10:00:00.000Z
    "#]].assert_eq(&traffic.to_string());
    let callers = env.lore_in(&dir, &["callers", "on_order"], "").success();
    expect![[r#"
        # function worker.orders.on_order  worker/orders.py:8
        # no direct callers among resolved calls
        # passed, stored or named by 1 symbol:
        #   worker.orders.listen.TOPIC orders.*  worker/orders.py:5  references
        # in production 1 call in 7 days, p95 20 ms, active 0.50
        #   shop POST /checkout by orders.created  shop.views.checkout  1
    "#]]
    .assert_eq(&callers.to_string());
    let routes = env.lore_in(&dir, &["routes", "orders", "--traffic"], "").success();
    assert!(routes.stdout.contains("used\t1\t0"), "{routes}");
    // A service that is from nowhere in particular says nothing of the folders of others.
    let _ = env.lore_in(&dir, &["ingest-traces", "-"], SPANS).success();
    let dead = data(&env, &dir, &["routes", "--dead"]);
    let state = |pattern: &str| {
        let all = dead["routes"].as_array().unwrap().clone();
        let route = all.into_iter().find(|route| route["pattern"] == pattern).unwrap();
        route["traffic"]["state"].as_str().unwrap().to_owned()
    };
    assert_eq!((state("/old"), state("/admin")), ("dead".to_owned(), "not_observed".to_owned()));
}

#[test]
fn a_service_is_the_repository_that_the_settings_name() {
    let (env, dir) = shop();
    let other = env.dir().join("unrelated");
    let mut history = History::new("main");
    let at = Timestamp::parse_rfc3339("2024-05-01T10:00:00Z").unwrap();
    let ada = Signature::new("Ada", "ada@example.com", at);
    history.commit("main", &ada, "Begin", &sim::git::written(&[("a.py", "x = 1\n")])).unwrap();
    history.write(&other).unwrap();
    let _ = env.lore_in(&other, &["index", "-q"], "").success();
    let log = line("31/May/2024:10:00:00 +0000", "POST /checkout", 200);
    std::fs::write(dir.join("access.log"), log).unwrap();
    let ingest = ["ingest-traces", "access.log", "--service", "front-9", "--again"];
    let _ = env.lore_in(&dir, &ingest, "").success();
    let of_front = |env: &TestEnv| {
        let stats = data(env, &dir, &["trace-stats"]);
        stats["services"][0]["found"].as_str().unwrap().to_owned()
    };
    assert_ne!(of_front(&env), "by assignment");
    let env = env.with_config("[[services]]\nname = \"front-9\"\nrepo = \"shop\"\n");
    assert_eq!(of_front(&env), "by assignment", "from the next question on");
    let traffic = data(&env, &dir, &["traffic", "checkout"]);
    assert_eq!(traffic["edges"][0]["target"]["symbol"]["symbol"], "views.checkout", "{traffic}");
    let env = env.with_config("[[services]]\nname = \"front-9\"\nrepo = \"nowhere\"\n");
    let stats = env.lore_in(&dir, &["trace-stats"], "").success();
    assert!(stats.stderr.contains("`services`: no repository `nowhere` is indexed"), "{stats}");
}
