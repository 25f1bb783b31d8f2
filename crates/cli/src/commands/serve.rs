use super::Run;
use crate::config::token;
use crate::ctx::Ctx;
use crate::run_traces;
use crate::interrupt;
use crate::ui::{Painter, Show, Ui};
use model::{Error, Result};
use schemars::JsonSchema;
use serde::Serialize;
use serve::otlp::{IntakeLimits, OtlpAddresses, OtlpOptions};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

/// Receive traces of production (OTLP) until interrupted
///
/// gRPC on port 4317 and HTTP (protobuf, JSON) on port 4318 of this machine, where
/// OpenTelemetry SDKs and collectors send by default. A request is acknowledged once it
/// is stored. Other addresses need a token (LORE_MCP_TOKEN), sent as
/// `authorization: Bearer …`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  lore serve --otlp
  lore serve --otlp 127.0.0.1:14317")]
pub struct Args {
    /// Receive OTLP traces; HTTP takes the port after that of gRPC
    #[arg(long, value_name = "ADDR", num_args = 0..=1, default_missing_value = "127.0.0.1",
          value_parser = parse_address)]
    otlp: Option<SocketAddr>,
}

const GRPC_PORT: u16 = 4317;

#[derive(Debug, Serialize, JsonSchema)]
pub struct Served {}

impl Show for Served {
    fn text(&self, _: &mut Painter) {}
}

fn parse_address(text: &str) -> std::result::Result<SocketAddr, String> {
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
fn http_address(grpc: SocketAddr) -> Result<SocketAddr> {
    let port = match grpc.port() {
        0 => 0,
        port => port.checked_add(1).ok_or_else(|| Error::usage("there is no port after 65535"))?,
    };
    Ok(SocketAddr::new(grpc.ip(), port))
}

impl Run for Args {
    type Answer = Served;

    fn run(&self, ctx: &Ctx, ui: &mut Ui) -> Result<Served> {
        let Some(grpc) = self.otlp else {
            return Err(Error::usage("nothing to serve").suggest("run: lore serve --otlp"));
        };
        let token = token::of_mcp(ctx.config(ui)?, &ctx.env)?;
        let options = OtlpOptions {
            grpc: Some(grpc),
            http: Some(http_address(grpc)?),
            token: token.map(|token| token.secret),
            limits: IntakeLimits::DEFAULT,
        };
        let sink = run_traces::sink(ctx, ui)?;
        let listening = |addresses: OtlpAddresses| {
            let shown = |address: Option<SocketAddr>| {
                address.map_or_else(|| "-".to_owned(), |address| address.to_string())
            };
            ui.note(&format!(
                "receiving traces: gRPC on {}, HTTP on http://{}/v1/traces",
                shown(addresses.grpc),
                shown(addresses.http)
            ));
        };
        interrupt::serve_to_end(serve::otlp::serve(options, sink, listening, interrupt::interrupted()))?;
        Ok(Served {})
    }
}
