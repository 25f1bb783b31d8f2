//! The simulated GitLab on a loopback port.
//!
//! A server runs on a thread and runtime of its own, so that tests and `lore
//! demo` can talk to it from any kind of code. Reading the world is all that
//! clients can do; changes come from whoever holds [`Server::world`].

mod auth;
mod connection;
mod context;
mod endpoints;
mod handler;
mod log;
mod options;
mod paging;
mod reply;
mod request;
mod view;

pub use log::{LoggedRequest, RequestLog};
pub use options::{DateHeader, Options, RateLimit, Release, Sources, Token, TokenStatus};

use crate::World;
use crate::fault::{FaultPlan, FaultState};
use crate::world::NewUser;
use connection::{Connection, FragileListener};
use handler::Shared;
use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;
use tokio::sync::oneshot;

/// A running server; dropping it stops it.
pub struct Server {
    shared: Arc<Shared>,
    base_url: String,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    /// Serves `world` on 127.0.0.1. A world without users gets one, so that
    /// the tokens belong to somebody.
    pub fn start(mut world: World, options: Options) -> io::Result<Server> {
        if world.users().next().is_none() {
            world.add_user(NewUser::named("root")).map_err(io::Error::other)?;
        }
        Server::serve(Arc::new(Mutex::new(world)), options)
    }

    /// Serves a world that others hold too.
    pub fn serve(world: Arc<Mutex<World>>, options: Options) -> io::Result<Server> {
        let listener = TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, options.port)))?;
        listener.set_nonblocking(true)?;
        let base_url = format!("http://{}", listener.local_addr()?);
        let shared = Arc::new(Shared::new(world, options, base_url.clone()));
        let (stop, stopped) = oneshot::channel();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let served = Arc::clone(&shared);
        let thread = std::thread::Builder::new()
            .name("gitlab-sim".to_owned())
            .spawn(move || runtime.block_on(run(listener, served, stopped)))?;
        Ok(Server { shared, base_url, stop: Some(stop), thread: Some(thread) })
    }

    /// `http://127.0.0.1:PORT`, without a slash at the end.
    pub fn base_url(&self) -> &str {
        &self.base_url
    }

    /// The world, locked: no request is answered while this is held.
    pub fn world(&self) -> MutexGuard<'_, World> {
        lock(&self.shared.world)
    }

    pub fn world_handle(&self) -> Arc<Mutex<World>> {
        Arc::clone(&self.shared.world)
    }

    /// What was asked so far.
    pub fn requests(&self) -> RequestLog {
        lock(&self.shared.log).clone()
    }

    pub fn clear_requests(&self) {
        *lock(&self.shared.log) = RequestLog::default();
    }

    /// Replaces the plan and starts counting anew.
    pub fn set_faults(&self, plan: FaultPlan) {
        *lock(&self.shared.faults) = FaultState::new(plan);
    }

    /// Changes how the server presents itself, for the requests that follow.
    pub fn set_options(&self, change: impl FnOnce(&mut Options)) {
        change(Arc::make_mut(&mut lock(&self.shared.options)));
    }

    /// Blocks until the server ends by itself, which it never does; for the
    /// command-line program.
    pub fn wait(mut self) {
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(stop) = self.stop.take() {
            let _ = stop.send(());
        }
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// A poisoned lock only means that another test thread panicked meanwhile; the
/// data behind it is still the truth.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn run(listener: TcpListener, shared: Arc<Shared>, stopped: oneshot::Receiver<()>) {
    /// How long answers under way may take once the server is told to stop.
    const GRACE: Duration = Duration::from_millis(200);
    let Ok(listener) = tokio::net::TcpListener::from_std(listener) else { return };
    let counted = Arc::clone(&shared);
    let listener = FragileListener::new(listener, move || lock(&counted.log).connections += 1);
    let service = axum::Router::new()
        .fallback(handler::handle)
        .with_state(shared)
        .into_make_service_with_connect_info::<Connection>();
    let (drain, draining) = oneshot::channel::<()>();
    let serving = axum::serve(listener, service).with_graceful_shutdown(async move {
        let _ = draining.await;
    });
    let stopping = async move {
        let _ = stopped.await;
        let _ = drain.send(());
        tokio::time::sleep(GRACE).await;
    };
    tokio::select! {
        _ = serving.into_future() => {}
        () = stopping => {}
    }
}
