use super::Run;
use crate::ctx::Ctx;
use crate::run_traces;
use crate::ui::Ui;
use model::Result;

/// Read traces or access logs of production from files
///
/// OTLP (protobuf or JSON), spans as JSON lines, Jaeger and Zipkin JSON, access logs in
/// common or combined format, and JSON logs; packed with gzip or zstd or not. The format
/// is seen from the content. What was read before is not counted again.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  lore ingest-traces traces.json spans.jsonl.gz
  lore ingest-traces /var/log/nginx/access.log --service shop --repo group/shop
  lore ingest-traces - < spans.jsonl")]
pub struct Args {
    /// Files; - reads standard input
    #[arg(required_unless_present = "repo")]
    files: Vec<String>,
    /// Service whose requests a log holds that does not say
    #[arg(long, value_name = "NAME")]
    service: Option<String>,
    /// Repository of that service (name or unique suffix); remembered
    #[arg(short, long, value_name = "REPO")]
    repo: Option<String>,
    /// Read files that were read before, too
    #[arg(long)]
    again: bool,
}

impl Args {
    /// Whether all it needs is in its arguments: a daemon cannot read our input.
    pub fn is_self_contained(&self) -> bool {
        !self.files.iter().any(|file| file == "-")
    }
}

impl Run for Args {
    type Answer = run_traces::IngestAnswer;

    fn run(&self, ctx: &Ctx, ui: &mut Ui) -> Result<run_traces::IngestAnswer> {
        let request = run_traces::Request {
            files: &self.files,
            service: self.service.as_deref(),
            repo: self.repo.as_deref(),
            again: self.again,
        };
        run_traces::run(ctx, ui, &request)
    }
}
