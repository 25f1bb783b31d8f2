//! Sockets that can be told to die.
//!
//! HTTP libraries end a connection politely; real networks do not. The server
//! therefore listens through these sockets, and a handler may order the answer
//! it is about to give to be cut off: by a reset (RST) or by an early close.

use axum::extract::connect_info::Connected;
use axum::serve::{IncomingStream, Listener};
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{Sleep, sleep};

/// How the next answer on a connection ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cut {
    /// RST before the first byte.
    ResetBefore,
    /// RST after so many bytes of the body.
    ResetInBody(usize),
    /// Orderly close after so many bytes of the body.
    CloseInBody(usize),
    /// The body byte by byte, with a pause before each.
    Drip(Duration),
}

/// A handler's hand on its connection.
#[derive(Debug, Clone, Default)]
pub struct Connection {
    cut: Arc<Mutex<Option<Cut>>>,
}

impl Connection {
    pub fn cut(&self, cut: Cut) {
        if let Ok(mut slot) = self.cut.lock() {
            *slot = Some(cut);
        }
    }

    fn ordered(&self) -> Option<Cut> {
        self.cut.lock().ok().and_then(|slot| *slot)
    }
}

pub struct FragileListener {
    inner: TcpListener,
    on_accept: Box<dyn Fn() + Send>,
}

impl FragileListener {
    pub fn new(inner: TcpListener, on_accept: impl Fn() + Send + 'static) -> Self {
        FragileListener { inner, on_accept: Box::new(on_accept) }
    }
}

impl Listener for FragileListener {
    type Io = FragileStream;
    type Addr = Connection;

    async fn accept(&mut self) -> (FragileStream, Connection) {
        let (stream, _) = Listener::accept(&mut self.inner).await;
        // Small answers on kept-alive connections must not wait for each other.
        let _ = stream.set_nodelay(true);
        (self.on_accept)();
        let connection = Connection::default();
        let stream = FragileStream {
            stream,
            connection: connection.clone(),
            progress: Progress::default(),
            pause: None,
        };
        (stream, connection)
    }

    fn local_addr(&self) -> io::Result<Connection> {
        Ok(Connection::default())
    }
}

impl Connected<IncomingStream<'_, FragileListener>> for Connection {
    fn connect_info(stream: IncomingStream<'_, FragileListener>) -> Self {
        stream.remote_addr().clone()
    }
}

/// How far a condemned answer has been written.
#[derive(Debug, Default)]
struct Progress {
    /// Bytes of `\r\n\r\n` seen in a row; 4 once the head is through.
    head_end: usize,
    body_bytes: usize,
}

impl Progress {
    /// How many bytes of `buf` may still go out when `limit` body bytes may.
    fn allowed(&mut self, buf: &[u8], limit: usize) -> usize {
        const HEAD_END: &[u8; 4] = b"\r\n\r\n";
        let mut allowed = 0;
        for byte in buf {
            if self.head_end == 4 {
                if self.body_bytes == limit {
                    break;
                }
                self.body_bytes += 1;
            } else if *byte == HEAD_END[self.head_end] {
                self.head_end += 1;
            } else {
                self.head_end = usize::from(*byte == b'\r');
            }
            allowed += 1;
        }
        allowed
    }
}

pub struct FragileStream {
    stream: TcpStream,
    connection: Connection,
    progress: Progress,
    pause: Option<Pin<Box<Sleep>>>,
}

impl FragileStream {
    /// The head at once, then a byte after each pause.
    fn write_drip(
        &mut self,
        cx: &mut Context<'_>,
        buf: &[u8],
        drip: Duration,
    ) -> Poll<io::Result<usize>> {
        let in_body = self.progress.head_end == 4;
        let limit = self.progress.body_bytes + usize::from(in_body);
        if in_body {
            let pause = self.pause.get_or_insert_with(|| Box::pin(sleep(drip)));
            ready!(pause.as_mut().poll(cx));
            self.pause = None;
        }
        self.write_cut(cx, buf, limit, false)
    }

    fn die(&self, with_reset: bool) -> Poll<io::Result<usize>> {
        if with_reset {
            let _ = self.stream.set_zero_linger();
        }
        Poll::Ready(Err(io::ErrorKind::ConnectionReset.into()))
    }

    fn write_cut(
        &mut self,
        cx: &mut Context<'_>,
        buf: &[u8],
        limit: usize,
        with_reset: bool,
    ) -> Poll<io::Result<usize>> {
        let before = (self.progress.head_end, self.progress.body_bytes);
        let allowed = self.progress.allowed(buf, limit);
        if allowed == 0 {
            return self.die(with_reset);
        }
        match Pin::new(&mut self.stream).poll_write(cx, &buf[..allowed]) {
            // Only part went out: count that part alone.
            Poll::Ready(Ok(written)) => {
                (self.progress.head_end, self.progress.body_bytes) = before;
                self.progress.allowed(&buf[..written], limit);
                Poll::Ready(Ok(written))
            }
            other => {
                (self.progress.head_end, self.progress.body_bytes) = before;
                other
            }
        }
    }
}

impl AsyncRead for FragileStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buf)
    }
}

impl AsyncWrite for FragileStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        match self.connection.ordered() {
            None => Pin::new(&mut self.stream).poll_write(cx, buf),
            Some(Cut::ResetBefore) => self.die(true),
            Some(Cut::ResetInBody(limit)) => self.write_cut(cx, buf, limit, true),
            Some(Cut::CloseInBody(limit)) => self.write_cut(cx, buf, limit, false),
            Some(Cut::Drip(drip)) => self.write_drip(cx, buf, drip),
        }
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
