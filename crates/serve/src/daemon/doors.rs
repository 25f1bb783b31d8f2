//! What the daemon opens on the network: HTTP and the receiver of traces. Opened at the
//! start, and anew when settings that were read again say something else.

use super::{Daemon, routes};
use crate::otlp::{self, OtlpAddresses, OtlpOptions, SpanQueueLimits};
use model::hash::Hash32;
use model::{CancelToken, Result};
use secrecy::{ExposeSecret as _, SecretString};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinHandle;

/// Where OTLP is received.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OtlpPlace {
    pub grpc: SocketAddr,
    pub http: SocketAddr,
}

/// Those that are open.
#[derive(Default)]
pub struct Doors {
    http: Option<Door>,
    otlp: Option<Door>,
}

struct Door {
    asked: DoorRequest,
    close: CancelToken,
    task: JoinHandle<()>,
}

/// What the settings ask for; a door stays as it is while this does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct DoorRequest {
    what: DoorKind,
    /// Of the token clients must show.
    token: Option<Hash32>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DoorKind {
    Http(SocketAddr),
    Otlp(OtlpPlace),
}

impl Doors {
    /// Opens, closes and moves doors until they are as the settings say.
    pub fn follow(&mut self, daemon: &Arc<Daemon>) {
        let settings = daemon.settings();
        let token = settings.http_token.as_ref().map(hash);
        let asked = |what| DoorRequest { what, token };
        turn(&mut self.http, settings.http.map(DoorKind::Http).map(asked), daemon);
        turn(&mut self.otlp, settings.otlp.map(DoorKind::Otlp).map(asked), daemon);
    }

    /// Closes all of them; what was taken in is stored before this returns, if that
    /// does not take too long.
    pub async fn close(&mut self, patience: Duration) {
        for door in [self.http.take(), self.otlp.take()].into_iter().flatten() {
            door.close.cancel();
            let _ = tokio::time::timeout(patience, door.task).await;
        }
    }
}

fn hash(token: &SecretString) -> Hash32 {
    Hash32::of(token.expose_secret().trim().as_bytes())
}

fn turn(door: &mut Option<Door>, asked: Option<DoorRequest>, daemon: &Arc<Daemon>) {
    // One that could not be opened is tried again.
    let is_open = |door: &&Door| !door.task.is_finished();
    if door.as_ref().filter(is_open).map(|door| door.asked) == asked {
        return;
    }
    let old = door.take();
    if let Some(old) = &old {
        old.close.cancel();
        old.asked.what.closed(daemon);
    }
    let Some(asked) = asked else { return };
    let close = CancelToken::default();
    let (daemon, closing) = (Arc::clone(daemon), close.clone());
    let task = tokio::spawn(async move {
        // The same port may be wanted again.
        if let Some(old) = old {
            let _ = old.task.await;
        }
        // A port that is taken is no reason not to keep the record current.
        let outcome = asked.what.serve(&daemon, &closing).await;
        if let Err(error) = outcome {
            daemon.log.error("not listening", &[("error", &error.to_string())]);
            daemon.set_problem(asked.what.name(), Some(error.to_string()));
        }
    });
    *door = Some(Door { asked, close, task });
}

impl DoorKind {
    const fn name(self) -> &'static str {
        match self {
            DoorKind::Http(_) => "http",
            DoorKind::Otlp(_) => "otlp",
        }
    }

    async fn serve(self, daemon: &Arc<Daemon>, close: &CancelToken) -> Result<()> {
        match self {
            DoorKind::Http(address) => routes::serve(Arc::clone(daemon), address, close).await,
            DoorKind::Otlp(place) => receive(daemon, place, close).await,
        }
    }

    fn closed(self, daemon: &Daemon) {
        daemon.set_problem(self.name(), None);
        match self {
            DoorKind::Http(_) => daemon.shared().http = None,
            DoorKind::Otlp(_) => daemon.shared().otlp = None,
        }
    }
}

async fn receive(daemon: &Arc<Daemon>, place: OtlpPlace, close: &CancelToken) -> Result<()> {
    let options = OtlpOptions {
        grpc: Some(place.grpc),
        http: Some(place.http),
        token: daemon.settings().http_token.clone(),
        limits: SpanQueueLimits::DEFAULT,
    };
    let listening = |addresses: OtlpAddresses| {
        let shown =
            |address: Option<SocketAddr>| address.map(|it| it.to_string()).unwrap_or_default();
        let (grpc, http) = (shown(addresses.grpc), shown(addresses.http));
        daemon.log.info("receiving traces", &[("grpc", &grpc), ("http", &http)]);
        daemon.shared().otlp = Some(addresses);
    };
    otlp::serve(options, daemon.host.traces(), listening, daemon.ended(close)).await
}
