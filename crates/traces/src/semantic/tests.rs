//! Spans side by side with what they mean.

use super::*;
use crate::span::Resource;

fn span(kind: SpanKind, name: &str, pairs: &[(&str, &str)]) -> Span {
    let mut span = Span::new(&Arc::new(Resource::of_service("shop")));
    span.kind = kind;
    span.name = name.to_owned();
    for (name, value) in pairs {
        span.attributes.put(name, (*value).into());
    }
    span
}

fn semantics() -> Semantics {
    Semantics::new(Box::new(|service| match service {
        "shop" => vec![("GET".to_owned(), "/users/<int:id>".to_owned())],
        "cart" => vec![("GET".to_owned(), "/items/{sku}".to_owned())],
        _ => Vec::new(),
    }))
}

fn told(kind: SpanKind, name: &str, pairs: &[(&str, &str)]) -> String {
    let meaning = semantics().meaning(&span(kind, name, pairs), "shop");
    let mut lines: Vec<String> = meaning
        .calls
        .iter()
        .map(|(target, kind)| {
            format!("{kind} {} [{}] {}", target.kind, target.service, target.name)
        })
        .collect();
    if let Some(sender) = meaning.sender {
        lines.push(format!("from {}", sender.name));
    }
    if let Some(code) = meaning.code {
        lines.push(format!("in {} {}:{}", code.function, code.file, code.line));
    }
    if meaning.is_error {
        lines.push("error".to_owned());
    }
    lines.join("; ")
}

#[test]
fn requests_of_old_and_new_conventions_mean_the_same() {
    let expected = "runtime_calls route [shop] GET /users/{id}";
    for pairs in [
        &[("http.request.method", "GET"), ("http.route", "/users/{id}"), ("url.path", "/users/7")]
            [..],
        &[("http.method", "GET"), ("http.route", "/users/{id}"), ("http.target", "/users/7?x=1")],
        &[("http.method", "get"), ("http.route", "users/{id}")],
    ] {
        assert_eq!(told(SpanKind::Server, "x", pairs), expected);
    }
    let unnamed = [("http.target", "/users/7"), ("http.route", "/users/{id}")];
    assert_eq!(told(SpanKind::Server, "GET /users/{id}", &unnamed), expected);
}

#[test]
fn the_template_of_all_controllers_is_no_route() {
    let template = "{controller=Home}/{action=Index}/{id?}";
    let pairs = [("http.request.method", "GET"), ("http.route", template)];
    let with_path = [pairs[0], pairs[1], ("url.path", "/Account/Login")];
    let login = "runtime_calls route [shop] GET /Account/Login";
    assert_eq!(told(SpanKind::Server, "GET", &with_path), login);
    let alone = format!("runtime_calls route [shop] GET /{template}");
    assert_eq!(told(SpanKind::Server, "GET", &pairs), alone);
}

#[test]
fn a_path_becomes_a_known_route_a_template_or_nothing() {
    let request = |path: &str, status: &str| {
        let pairs =
            [("http.request.method", "GET"), ("url.path", path), ("http.status_code", status)];
        told(SpanKind::Server, "GET", &pairs)
    };
    assert_eq!(request("/users/7", "200"), "runtime_calls route [shop] GET /users/<int:id>");
    assert_eq!(request("/orders/77?x", "200"), "runtime_calls route [shop] GET /orders/{}");
    assert_eq!(request("/wp-login.php", "404"), "runtime_calls route [shop] GET (no route)");
    assert_eq!(request("/orders/77", "503"), "runtime_calls route [shop] GET /orders/{}; error");
}

#[test]
fn clients_name_whom_they_call() {
    let client = |pairs: &[(&str, &str)]| told(SpanKind::Client, "GET", pairs);
    let method = ("http.method", "GET");
    assert_eq!(
        client(&[
            method,
            ("http.url", "http://cart:8080/items/AB-1?x"),
            ("http.status_code", "404")
        ]),
        "runtime_calls host [cart] GET /items/{sku}; error"
    );
    assert_eq!(
        client(&[method, ("peer.service", "cart"), ("url.full", "http://10.0.0.7/items/AB-1")]),
        "runtime_calls host [cart] GET /items/{sku}"
    );
    assert_eq!(
        client(&[method, ("url.full", "http://user:pass@10.0.0.7:80/x/1")]),
        "runtime_calls host [(address)] GET /x/{}"
    );
    assert_eq!(
        client(&[
            method,
            ("server.address", "127.0.0.1"),
            ("server.port", "5001"),
            ("url.full", "http://127.0.0.1:5001/")
        ]),
        "runtime_calls host [localhost:5001] GET /"
    );
}

#[test]
fn rpc_messages_and_queries_are_told_by_name() {
    assert_eq!(
        told(
            SpanKind::Server,
            "x",
            &[("rpc.system", "grpc"), ("rpc.service", "shop.Cart"), ("rpc.method", "Add")]
        ),
        "runtime_rpc rpc [shop] shop.Cart/Add"
    );
    assert_eq!(
        told(
            SpanKind::Client,
            "x",
            &[
                ("rpc.system.name", "grpc"),
                ("rpc.method", "shop.Cart/Add"),
                ("rpc.grpc.status_code", "14")
            ]
        ),
        "runtime_rpc rpc [] shop.Cart/Add; error"
    );
    assert_eq!(
        told(
            SpanKind::Server,
            "POST",
            &[("http.method", "POST"), ("http.target", "/shop.Cart/Add")]
        ),
        "runtime_rpc rpc [shop] shop.Cart/Add"
    );
    let topic = ("messaging.destination.name", "orders");
    assert_eq!(
        told(SpanKind::Producer, "x", &[("messaging.system", "kafka"), topic]),
        "runtime_produces topic [] orders"
    );
    assert_eq!(
        told(
            SpanKind::Consumer,
            "x",
            &[("messaging.system", "kafka"), ("messaging.destination", "reply-9fceb02d0ae5")]
        ),
        "runtime_consumes topic [] reply-{}"
    );
    assert_eq!(
        told(
            SpanKind::Client,
            "x",
            &[
                ("db.system", "postgresql"),
                ("db.name", "shop"),
                ("db.statement", "select * from users u join carts c on 1")
            ]
        ),
        "runtime_queries table [shop] users; runtime_queries table [shop] carts"
    );
    assert_eq!(
        told(SpanKind::Client, "x", &[("db.system.name", "redis")]),
        "runtime_queries table [] (redis)"
    );
}

#[test]
fn code_is_what_runs_and_for_those_who_send_what_sends() {
    let code = [
        ("code.function.name", "app.views.index"),
        ("code.file.path", "/srv/app/views.py"),
        ("code.line.number", "12"),
    ];
    assert_eq!(
        told(SpanKind::Internal, "x", &code),
        "runtime_calls function [shop] app.views.index; in app.views.index /srv/app/views.py:12"
    );
    let old = [
        ("code.namespace", "app.views"),
        ("code.function", "index"),
        ("code.filepath", "v.py"),
        ("code.lineno", "3"),
        ("db.system", "sqlite"),
        ("db.sql.table", "users"),
    ];
    assert_eq!(
        told(SpanKind::Client, "x", &old),
        "runtime_queries table [] users; from app.views.index"
    );
    assert_eq!(
        told(SpanKind::Internal, "middleware", &[("http.route", "/x"), ("http.method", "GET")]),
        ""
    );
    assert_eq!(
        told(SpanKind::Server, "x", &[("faas.name", "resize"), ("faas.trigger", "pubsub")]),
        "runtime_calls function [shop] resize"
    );
}
