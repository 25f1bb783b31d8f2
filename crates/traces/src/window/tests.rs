//! The order in which spans come does not change what is counted.

use super::*;
use proptest::prelude::*;
use std::collections::BTreeMap;

const OUTSIDE: u32 = 0;
const WEB: u32 = 1;
const CART: u32 = 2;
const WEB_CHECKOUT: u32 = 11;
const CART_ADD: u32 = 12;
const HOST_OF_CART: u32 = 21;
const TABLE: u32 = 31;

fn span(key: u64, parent: u64, role: Role, service: u32) -> WindowSpan {
    WindowSpan { key, parent, role, service, operation: None, sender: None, calls: Vec::new() }
}

fn calling(mut span: WindowSpan, target: u32, kind: EdgeKind) -> WindowSpan {
    span.calls = vec![Call { source: 0, target, kind, hour: 1, bin: Some(5), is_error: false }];
    span
}

/// web: checkout → (middleware) → client → cart: add → (internal) → query.
fn trace() -> Vec<WindowSpan> {
    let mut checkout = calling(span(1, 0, Role::Server, WEB), WEB_CHECKOUT, EdgeKind::RuntimeCalls);
    checkout.operation = Some(WEB_CHECKOUT);
    let middleware = span(2, 1, Role::Local, WEB);
    let client = calling(span(3, 2, Role::Client, WEB), HOST_OF_CART, EdgeKind::RuntimeCalls);
    let mut add = calling(span(4, 3, Role::Server, CART), CART_ADD, EdgeKind::RuntimeCalls);
    add.operation = Some(CART_ADD);
    let internal = span(5, 4, Role::Local, CART);
    let query = calling(span(6, 5, Role::Local, CART), TABLE, EdgeKind::RuntimeQueries);
    vec![checkout, middleware, client, add, internal, query]
}

fn counted(window: &mut Window, spans: &[WindowSpan]) -> BTreeMap<(u32, u32), i64> {
    let mut counts: BTreeMap<(u32, u32), i64> = BTreeMap::new();
    for span in spans {
        window.observe(span.clone(), &mut |call, n| {
            *counts.entry((call.source, call.target)).or_default() += n;
        });
    }
    counts.retain(|_, n| *n != 0);
    counts
}

fn expected() -> BTreeMap<(u32, u32), i64> {
    [((OUTSIDE, WEB_CHECKOUT), 1), ((WEB_CHECKOUT, CART_ADD), 1), ((CART_ADD, TABLE), 1)].into()
}

#[test]
fn a_call_is_counted_once_from_the_operation_that_makes_it() {
    assert_eq!(counted(&mut Window::new(100, OUTSIDE), &trace()), expected());
}

#[test]
fn every_order_of_arrival_counts_the_same() {
    fn permute(spans: &mut Vec<WindowSpan>, at: usize, check: &mut impl FnMut(&[WindowSpan])) {
        if at == spans.len() {
            check(spans);
            return;
        }
        for other in at..spans.len() {
            spans.swap(at, other);
            permute(spans, at + 1, check);
            spans.swap(at, other);
        }
    }
    permute(&mut trace(), 0, &mut |spans| {
        let keys: Vec<u64> = spans.iter().map(|span| span.key).collect();
        assert_eq!(counted(&mut Window::new(100, OUTSIDE), spans), expected(), "{keys:?}");
    });
}

#[test]
fn one_side_alone_is_counted_as_far_as_it_knows() {
    let spans = trace();
    let client_only = counted(&mut Window::new(100, OUTSIDE), &spans[..3]);
    let expected = [((OUTSIDE, WEB_CHECKOUT), 1), ((WEB_CHECKOUT, HOST_OF_CART), 1)].into();
    assert_eq!(client_only, expected);
    let server_only = counted(&mut Window::new(100, OUTSIDE), &spans[3..]);
    assert_eq!(server_only, [((OUTSIDE, CART_ADD), 1), ((CART_ADD, TABLE), 1)].into());
    let query_only = counted(&mut Window::new(100, OUTSIDE), &spans[5..]);
    assert_eq!(query_only, [((CART, TABLE), 1)].into());
}

#[test]
fn memory_is_bounded_and_what_is_let_go_is_counted() {
    let mut window = Window::new(1000, OUTSIDE);
    for n in 1..=20_000_u64 {
        let one =
            calling(span(n, n + 1_000_000, Role::Local, WEB), TABLE, EdgeKind::RuntimeQueries);
        window.observe(one, &mut |_, _| {});
    }
    assert!(
        window.entries.len() <= 1000 && window.waiting.len() <= 2001,
        "{}",
        window.waiting.len()
    );
    assert_eq!(window.take_shed(), 19_000);
    assert_eq!(window.take_shed(), 0);
}

#[test]
fn a_span_is_seen_once_until_it_is_forgotten() {
    let mut seen = SeenSpans::new(3);
    assert!([1, 2, 3].into_iter().all(|key| seen.insert(key)));
    assert!(!seen.insert(1));
    assert!(seen.insert(4) && seen.insert(1));
}

proptest! {
    /// Whatever comes, and in circles: each span with a call counts once in all.
    #[test]
    fn sums_hold_for_any_shape(
        shape in prop::collection::vec((1_u64..12, 0_u64..14, 0_u8..3, any::<bool>()), 1..40),
    ) {
        let mut window = Window::new(8, OUTSIDE);
        let (mut total, mut least) = (0_i64, 0_i64);
        let mut counts: BTreeMap<Ends, i64> = BTreeMap::new();
        for (key, parent, role, has_operation) in shape {
            let role = [Role::Server, Role::Client, Role::Local][usize::from(role)];
            let mut one = calling(span(key, parent, role, WEB), TABLE, EdgeKind::RuntimeCalls);
            one.operation = has_operation.then_some(WEB_CHECKOUT);
            window.observe(one, &mut |call, n| {
                total += n;
                *counts.entry((call.source, call.target)).or_default() += n;
            });
            least = least.min(*counts.values().min().unwrap_or(&0));
        }
        prop_assert!(total >= 0 && least >= 0, "{total} {least}");
    }
}

type Ends = (u32, u32);

#[test]
fn spans_whose_ids_follow_from_their_traces_are_not_taken_for_each_other() {
    let mut seen = SeenSpans::new(1000);
    for n in 1..=200_u64 {
        let mut trace_id = [7; 16];
        trace_id[..8].copy_from_slice(&n.to_be_bytes());
        assert!(seen.insert(span_key(trace_id, n)), "{n}: the first half of its trace id");
        assert!(seen.insert(span_key(trace_id, n ^ 0xff00)), "{n}: the same, turned");
    }
}
