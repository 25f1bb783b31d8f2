//! Ctrl-C, and the runtime for work that waits on the network.

use model::{CancelToken, Error, ErrorCode, Result};
use std::future::Future;
use tokio::signal::unix::{SignalKind, signal};

/// Runs asynchronous work to its end, or until Ctrl-C drops it: the work must
/// leave the database whole at every await, as a crash would have to.
pub fn block_on<T, E: Into<Error>>(
    work: impl Future<Output = std::result::Result<T, E>>,
) -> Result<T> {
    runtime()?.block_on(async {
        tokio::select! {
            // The handler first: work must not begin before Ctrl-C is heard.
            biased;
            () = interrupted() => Err(Error::new(ErrorCode::Interrupted, "interrupted")),
            result = work => result.map_err(Into::into),
        }
    })
}

/// Runs work that knows how to stop: the first Ctrl-C asks it to, so that it
/// ends at a good place; a second one ends it where it stands. Whoever else
/// holds `stop` may ask it too.
pub fn block_on_stoppable<T, Work: Future<Output = Result<T>>>(
    stop: CancelToken,
    work: impl FnOnce(CancelToken) -> Work,
    on_stop: impl Fn(),
) -> Result<T> {
    let signal = stop.clone();
    let runtime = runtime()?;
    let outcome = runtime.block_on(async move {
        let work = work(stop);
        tokio::pin!(work);
        tokio::select! {
            biased;
            () = interrupted() => {}
            result = &mut work => return result,
        }
        on_stop();
        signal.cancel();
        tokio::select! {
            result = &mut work => result,
            () = interrupted() => Err(Error::new(ErrorCode::Interrupted, "interrupted")),
        }
    });
    // Work that was asked twice and still goes on is left behind, as by a crash.
    runtime.shutdown_background();
    outcome
}

/// Runs blocking work to its end; `on_interrupt` is called at each Ctrl-C,
/// which does nothing else meanwhile.
pub fn meanwhile<T: Send>(
    on_interrupt: impl Fn() + Send + Sync,
    work: impl FnOnce() -> Result<T> + Send,
) -> Result<T> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Error::internal("cannot start the runtime").caused_by(error))?;
    let (done, mut ended) = tokio::sync::oneshot::channel();
    std::thread::scope(|scope| {
        scope.spawn(move || done.send(work()));
        runtime.block_on(async {
            loop {
                tokio::select! {
                    biased;
                    outcome = &mut ended => return outcome.unwrap_or_else(|error| {
                        Err(Error::internal("the work crashed").caused_by(error))
                    }),
                    () = interrupted() => on_interrupt(),
                }
            }
        })
    })
}

/// Calls `act` at each Ctrl-C from now on, which does nothing else any more.
pub fn on_each(act: impl Fn() + Send + 'static) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let Ok(runtime) = runtime else { return };
    // Registered before anything is sent.
    let _registered = runtime.enter();
    let Ok(mut signals) = signal(SignalKind::interrupt()) else { return };
    std::thread::spawn(move || {
        runtime.block_on(async {
            while signals.recv().await.is_some() {
                act();
            }
        });
    });
}

/// Runs a daemon until it ends by itself, or is asked to by a signal; SIGHUP is
/// told to `on_reload`.
pub fn daemon(
    stop: CancelToken,
    on_reload: impl Fn() + Clone + Send + 'static,
    work: impl Future<Output = Result<()>>,
) -> Result<()> {
    let cannot =
        |error: std::io::Error| Error::internal("cannot start the runtime").caused_by(error);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .max_blocking_threads(16)
        .enable_all()
        .build()
        .map_err(cannot)?;
    let ended = runtime.block_on(async {
        let mut terminate = signal(SignalKind::terminate()).map_err(cannot)?;
        let mut hangup = signal(SignalKind::hangup()).map_err(cannot)?;
        tokio::spawn(async move {
            loop {
                tokio::select! {
                    () = interrupted() => stop.cancel(),
                    _ = terminate.recv() => stop.cancel(),
                    // It asks the daemon, which answers on this runtime: not from a thread of it.
                    _ = hangup.recv() => drop(tokio::task::spawn_blocking(on_reload.clone())),
                }
            }
        });
        work.await
    });
    runtime.shutdown_timeout(std::time::Duration::from_millis(500));
    ended
}

/// Runs a server to its end. What still works then for nobody is left behind.
pub fn serve(server: impl Future<Output = Result<()>>) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(|error| Error::internal("cannot start the runtime").caused_by(error))?;
    let ended = runtime.block_on(async {
        tokio::select! {
            biased;
            () = interrupted() => Ok(()),
            ended = server => ended,
        }
    });
    runtime.shutdown_timeout(std::time::Duration::from_secs(2));
    ended
}

/// Runs a server that ends by itself when it is interrupted, and what it has still to
/// store with it.
pub fn serve_to_end(server: impl Future<Output = Result<()>>) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(|error| Error::internal("cannot start the runtime").caused_by(error))?;
    let ended = runtime.block_on(server);
    runtime.shutdown_timeout(std::time::Duration::from_secs(2));
    ended
}

/// One thread for the network; the store has its own. More would spend their
/// time waking each other: what is asked of a forge is soon done.
fn runtime() -> Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .map_err(|error| Error::internal("cannot start the runtime").caused_by(error))
}

/// Resolves at Ctrl-C; never, where signals cannot be had.
pub async fn interrupted() {
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}

/// From now on Ctrl-C is for the pager in the foreground, not for lore: dying
/// under it would leave two programs reading the same terminal.
pub fn leave_to_pager() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    if let Ok(runtime) = runtime {
        // Registering a handler replaces the default action for good; being
        // told of the signal is of no interest here.
        runtime.block_on(async {
            let ignored = tokio::time::timeout(std::time::Duration::ZERO, interrupted());
            let _ = ignored.await;
        });
    }
}
