//! Whatever is typed into a search is read, and what is made of it can be asked again.
//! Run by the fuzzer and, on fewer inputs, by `crates/search/tests/it/fuzz_smoke.rs`.

use search::query::Query;

pub fn check(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let Ok(query) = Query::parse(&text) else {
        assert!(text.replace('\0', " ").trim().is_empty(), "only nothing at all is refused");
        return;
    };
    let expressions = query.expression().into_iter().chain(query.strict_expression());
    for expression in expressions.chain(query.name_expressions()) {
        // An odd quotation mark would end a string of the index's own language.
        assert!(expression.matches('"').count() % 2 == 0, "{expression}");
    }
    let _ = (query.alternatives(), query.terms(), query.name_words(), query.is_binding());
    let _ = (query.words(), query.relaxed());
    if let Ok(again) = Query::parse(&query.meaning()) {
        let _ = again.expression();
    }
}
