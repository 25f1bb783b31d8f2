//! How the addresses of the OTLP receiver are written: gRPC first, HTTP on the port after.

use model::{Error, Result};
use serve::daemon::OtlpPlace;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

const GRPC_PORT: u16 = 4317;

/// An IP address or `localhost`, with the port of gRPC or without.
pub fn parse(text: &str) -> std::result::Result<SocketAddr, String> {
    let text = if text == "localhost" { "127.0.0.1" } else { text };
    if let Ok(ip) = text.parse::<IpAddr>() {
        return Ok(SocketAddr::new(ip, GRPC_PORT));
    }
    if let Some(port) = text.strip_prefix("localhost:").and_then(|port| port.parse().ok()) {
        return Ok(SocketAddr::new(Ipv4Addr::LOCALHOST.into(), port));
    }
    text.parse().map_err(|_| "expected an IP address, with a port or without".to_owned())
}

/// HTTP on the next port; any free one where any is wanted.
pub fn place(grpc: SocketAddr) -> Result<OtlpPlace> {
    let port = match grpc.port() {
        0 => 0,
        port => port.checked_add(1).ok_or_else(|| Error::usage("there is no port after 65535"))?,
    };
    Ok(OtlpPlace { grpc, http: SocketAddr::new(grpc.ip(), port) })
}
