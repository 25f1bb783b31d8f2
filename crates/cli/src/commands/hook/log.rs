//! `lore hook log`: what was said to agents, for a person to judge.

use crate::agents::sessions::{PushRecord, Sessions};
use crate::ctx::Ctx;
use crate::ui::{Label, Painter};
use schemars::JsonSchema;
use serde::Serialize;

#[derive(Debug, clap::Args)]
pub struct LogArgs {
    /// Maximum number of entries, newest first
    #[arg(short = 'n', long, value_name = "N", default_value_t = 20,
          value_parser = clap::value_parser!(u32).range(1..=10_000))]
    limit: u32,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct HookLog {
    /// Newest first.
    pub items: Vec<PushRecord>,
    /// Of those shown, about.
    pub tokens: u64,
}

impl LogArgs {
    pub fn log(&self, ctx: &Ctx) -> HookLog {
        let items = Sessions::new(ctx.env.state_dir()).log(self.limit as usize);
        let tokens = items.iter().map(|item| item.tokens).sum();
        HookLog { items, tokens }
    }
}

impl HookLog {
    pub fn text(&self, out: &mut Painter) {
        for item in &self.items {
            out.date(item.at);
            out.text(&format!("  {} {} {}  ", item.agent, item.session, item.event.as_str()));
            out.label(Label::Path, &item.about);
            out.text(&format!("  {} tokens, {} ms", item.tokens, item.millis)).end();
            for line in &item.lines {
                for text in line.text.lines() {
                    out.text("    ").text(text).end();
                }
            }
        }
        let n = self.items.len();
        if n == 0 {
            out.footer("nothing was said yet");
        } else {
            out.footer(&format!("{n} entries, about {} tokens", self.tokens));
        }
    }
}
