use super::Run;
use crate::agents::sessions::Sessions;
use crate::ctx::Ctx;
use crate::ui::{Cell, Column, Painter, Show, Table, Ui};
use insight::gain::{Gain, GainRow, PushCost, gain};
use model::Result;
use model::text::grouped;
use model::time::parse_when;
use store::Reader;

/// Show tokens of answers to agents, and an estimate saved
///
/// Counts the tokens of answers in the agent form, over MCP and through hooks, by
/// day and command. Beside it stands an ESTIMATE of what searching and reading
/// would have cost for the same facts, from measured medians.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  lore gain
  lore gain --since 7d --json")]
pub struct Args {
    /// Count from this time on (7d, 2w, 2024-01-31)
    #[arg(long, value_name = "WHEN", default_value = "30d")]
    since: String,
}

impl Run for Args {
    type Answer = Gain;

    fn run(&self, ctx: &Ctx, ui: &mut Ui) -> Result<Gain> {
        let since = parse_when(&self.since, ctx.now())?;
        let log = Sessions::new(ctx.env.state_dir()).log(usize::MAX);
        let hooks: Vec<PushCost> =
            log.iter().map(|it| PushCost { at: it.at, tokens: it.tokens }).collect();
        let reader = Reader::open(&ctx.db_path(ui)?)?;
        gain(&reader, since, &hooks)
    }
}

impl Show for Gain {
    fn text(&self, out: &mut Painter) {
        if self.total.answers == 0 {
            out.footer(&format!("no answers to agents since {}", self.since));
            return;
        }
        for (heading, rows) in [("day", &self.days), ("command", &self.commands)] {
            let mut table = Table::new([
                Column::new(heading),
                Column::right("answers"),
                Column::right("tokens"),
                Column::right("without lore (estimate)"),
            ]);
            for row in rows {
                table.row(cells(row));
            }
            out.table(&table).gap();
        }
        let GainRow { answers, tokens, estimated_without, .. } = &self.total;
        out.line(&format!(
            "{} answers cost {} tokens; without lore about {} (estimate)",
            grouped(*answers),
            grouped(*tokens),
            grouped(*estimated_without)
        ));
        out.footer(self.method);
    }
}

fn cells(row: &GainRow) -> [Cell; 4] {
    let without = match row.estimated_without {
        0 => String::new(),
        n => format!("~{}", grouped(n)),
    };
    [
        Cell::text(&row.name),
        Cell::text(grouped(row.answers)),
        Cell::text(grouped(row.tokens)),
        Cell::text(without),
    ]
}
