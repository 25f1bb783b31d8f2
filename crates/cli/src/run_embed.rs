//! Making vectors under the application lock: shared by `lore sync` and
//! `lore embed`.

use crate::config::{Config, EmbeddingProvider};
use crate::ctx::Ctx;
use crate::interrupt::block_on_stoppable;
use crate::ui::Ui;
use model::{Error, Result};
use search::embedding::{self, EmbedOptions, EmbedReport, Embedding, Provider, Settings};
use std::sync::Arc;
use store::Writer;
use store::lock::AppLock;

/// Texts a sync embeds before it leaves the rest to `lore embed`: what changes
/// in a day or two is done at once, and a first sync does not keep anybody
/// waiting.
pub const SYNC_SHARE: usize = 512;

/// Who makes vectors here; none when the config wants none.
pub fn provider(ctx: &Ctx, ui: &mut Ui) -> Result<Option<Box<dyn Provider>>> {
    open(ctx.config(ui)?)
}

pub fn open(config: &Config) -> Result<Option<Box<dyn Provider>>> {
    let settings = config.embedding();
    embedding::open(&Settings {
        kind: match settings.provider {
            EmbeddingProvider::Builtin => embedding::Kind::Builtin,
            EmbeddingProvider::Ollama => embedding::Kind::Ollama,
            EmbeddingProvider::None => embedding::Kind::None,
        },
        model: settings.model,
        base_url: settings.base_url,
    })
}

pub fn run(
    ctx: &Ctx,
    ui: &mut Ui,
    command: &str,
    provider: Box<dyn Provider>,
    options: EmbedOptions,
) -> Result<EmbedReport> {
    let path = ctx.writable_db(ui)?;
    let owner = format!("{} (lore {command})", ctx.env.process_name());
    let clock = ctx.clock();
    let progress = ui.progress();
    let told = Arc::clone(&progress);
    block_on_stoppable(
        ctx.stop(),
        |stop| async move {
            let work = tokio::task::spawn_blocking(move || {
                let mut writer = Writer::open(&path)?;
                let lock = AppLock::acquire(&mut writer, &path, &owner, &*clock, false)?;
                let report = Embedding {
                    writer: &mut writer,
                    lock: &lock,
                    clock: &*clock,
                    progress: &*progress,
                    provider: &*provider,
                    is_stopped: &|| stop.is_set(),
                }
                .run(options);
                lock.release(&mut writer)?;
                report
            });
            work.await.map_err(|error| Error::internal("embedding ended early").caused_by(error))?
        },
        || told.note("stopping after the texts in hand"),
    )
}
