use super::Run;
use crate::config::token;
use crate::ctx::Ctx;
use crate::interrupt;
use crate::otlp_address;
use crate::run_traces;
use crate::ui::{Painter, Show, Ui};
use model::{Error, Result};
use schemars::JsonSchema;
use serde::Serialize;
use serve::otlp::{SpanQueueLimits, OtlpAddresses, OtlpOptions};
use std::net::SocketAddr;

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
          value_parser = otlp_address::parse)]
    otlp: Option<SocketAddr>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct ServeAnswer {}

impl Show for ServeAnswer {
    fn text(&self, _: &mut Painter) {}
}

impl Run for Args {
    type Answer = ServeAnswer;

    fn run(&self, ctx: &Ctx, ui: &mut Ui) -> Result<ServeAnswer> {
        let Some(grpc) = self.otlp else {
            return Err(Error::usage("nothing to serve").suggest("run: lore serve --otlp"));
        };
        let place = otlp_address::place(grpc)?;
        let token = token::of_mcp(ctx.config(ui)?, &ctx.env)?;
        let options = OtlpOptions {
            grpc: Some(place.grpc),
            http: Some(place.http),
            token: token.map(|token| token.secret),
            limits: SpanQueueLimits::DEFAULT,
        };
        run_traces::follow_settings(ctx, ui)?;
        let sink = run_traces::sink(ctx, ui, "serve --otlp")?;
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
        Ok(ServeAnswer {})
    }
}
