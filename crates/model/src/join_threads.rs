//! Two things at once.

/// Both at once: the first on a thread of its own, where nothing can be that
/// holds a connection. A panic of either goes on in the caller.
pub fn join_threads<A: Send, B>(
    first: impl FnOnce() -> A + Send,
    second: impl FnOnce() -> B,
) -> (A, B) {
    std::thread::scope(|scope| {
        let running = scope.spawn(first);
        let second = second();
        let first = running.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        (first, second)
    })
}

#[cfg(test)]
mod tests {
    use super::join_threads;
    use std::sync::Barrier;

    #[test]
    fn both_run_at_once_and_both_answers_come_back() {
        let met = Barrier::new(2);
        let first = || (met.wait(), 1).1;
        assert_eq!(join_threads(first, || (met.wait(), "two").1), (1, "two"));
    }

    #[test]
    #[should_panic(expected = "on the other thread")]
    fn a_panic_is_not_swallowed() {
        join_threads(|| panic!("on the other thread"), || ());
    }
}
