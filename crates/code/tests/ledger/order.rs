//! Commits may be indexed in any order: parents, events and counters come out right.

use crate::fixture::{Bench, index_at, reader, request};
use model::ids::SnapshotSeq;
use store::code::{causal, routes, snapshots};

#[test]
fn an_older_commit_that_comes_later_takes_its_place_in_the_chain() {
    let mut bench = Bench::new();
    let call = |callee: &str| {
        format!("def f():\n    return {callee}()\n\ndef g():\n    pass\n\ndef h():\n    pass\n")
    };
    let shas: Vec<String> = ["g", "h", "f"]
        .iter()
        .map(|callee| bench.commit("main", &[("a.py", call(callee).as_str())]))
        .collect();
    let repo = bench.clone_as("clone");
    let (forward, backward) = (bench.database("forward"), bench.database("backward"));
    for sha in &shas {
        let _ = index_at(&repo, &forward, &request(Some(sha)));
    }
    for sha in shas.iter().rev() {
        let _ = index_at(&repo, &backward, &request(Some(sha)));
    }
    let told = |db| {
        let reader = reader(db);
        let all: Vec<_> = shas
            .iter()
            .map(|sha| {
                let found = snapshots::list(&reader, model::ids::RepoId(1)).unwrap();
                let snapshot = found.iter().find(|it| it.sha == *sha).unwrap().clone();
                let parent = snapshot.parent.map(|seq| {
                    found.iter().find(|it| it.seq == seq).map(|it| it.sha.clone()).unwrap()
                });
                let events = snapshots::events(&reader, snapshot.seq).unwrap();
                let n_added = events.iter().filter(|event| event.is_added).count();
                (parent, snapshot.root, n_added, events.len() - n_added)
            })
            .collect();
        all
    };
    assert_eq!(told(&backward), told(&forward));
    assert_eq!(told(&forward)[2].0.as_ref(), Some(&shas[1]));
    let reader = reader(&forward);
    let counters: Vec<u64> =
        (1..=3).map(|seq| causal::of(&reader, SnapshotSeq(seq)).unwrap().counter).collect();
    assert_eq!(counters, [1, 2, 3]);
}

#[test]
fn calls_of_contracts_and_topics_are_found_beside_routes() {
    let mut bench = Bench::new();
    let proto = "syntax = \"proto3\";\npackage shop.v1;\nservice Cart {\n  rpc Checkout (Order) returns (Receipt);\n}\nmessage Order {}\nmessage Receipt {}\n";
    let code = "import pika\n\ndef on_order(channel, method, properties, body):\n    pass\n\ndef listen(channel):\n    channel.subscribe(\"orders\", on_order)\n";
    let sha = bench.commit("main", &[("shop.proto", proto), ("listen.py", code)]);
    let repo = bench.clone_as("clone");
    let db = bench.database("lore");
    let _ = index_at(&repo, &db, &request(Some(&sha)));
    let reader = reader(&db);
    let service = routes::services(&reader).unwrap().remove(0);
    let found: Vec<(String, String, &str)> = routes::of_service(&reader, &service)
        .unwrap()
        .into_iter()
        .map(|row| (row.method, row.pattern, row.mapping.as_str()))
        .collect();
    let row =
        |method: &str, pattern: &str, mapping| (method.to_owned(), pattern.to_owned(), mapping);
    assert!(found.contains(&row("GRPC", "/shop.v1.Cart/Checkout", "grpc_method")), "{found:?}");
    assert!(found.contains(&row("TOPIC", "orders", "queue_topic")), "{found:?}");
    assert!(found.contains(&row("TOPIC", "orders", "handler")), "{found:?}");
}
