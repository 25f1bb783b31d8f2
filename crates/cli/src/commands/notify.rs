use super::Run;
use crate::ctx::Ctx;
use crate::notifications;
use crate::ui::{Cell, Column, Label, Painter, Show, Table, Ui};
use insight::alerts::Alert;
use model::time::parse_when;
use model::{Error, ErrorCode, Result, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;
use store::Reader;
use store::notifications::newest;

/// List notifications, or try rules on history
///
/// Rules are `[[notifications]]` of the config: what to look for (paths, labels,
/// people, watch, contradicted, my_code, decision_touched) and how to tell (inbox,
/// desktop, command, webhook). The daemon tells of each event once. --dry-run shows
/// what the rules would have told of, and tells nobody.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  lore notify
  lore notify --dry-run --since 30d
  lore notify --since 2024-01-31 --json")]
pub struct Args {
    /// Show what the rules match in the past; tell nobody
    #[arg(long)]
    dry_run: bool,
    /// How far back: 7d, 2w, 2024-01-31
    #[arg(long, value_name = "WHEN", default_value = "7d")]
    since: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Notifications {
    pub is_dry_run: bool,
    pub items: Vec<NotificationItem>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct NotificationItem {
    #[serde(flatten)]
    pub alert: Alert,
    /// None for what waits for the end of quiet hours or a digest.
    pub told_at: Option<Timestamp>,
    /// Why telling failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
    /// When it is tried again; a failure without it was given up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub again_at: Option<Timestamp>,
}

/// The most that are listed.
const MOST: u32 = 200;

impl Run for Args {
    type Answer = Notifications;

    fn run(&self, ctx: &Ctx, ui: &mut Ui) -> Result<Notifications> {
        let since = parse_when(&self.since, ctx.now())?;
        let rules = ctx.config(ui)?.notify_rules().to_vec();
        let reader = Reader::open(&ctx.db_path(ui)?)?;
        if !self.dry_run {
            let items = newest(&reader, since, MOST)?.into_iter().map(|it| NotificationItem {
                alert: Alert {
                    rule: it.rule,
                    event: it.event,
                    title: it.title,
                    reference: it.reference,
                    happened_at: it.happened_at,
                },
                told_at: it.told_at,
                failure: it.failure,
                again_at: it.again_at,
            });
            return Ok(Notifications { is_dry_run: false, items: items.collect() });
        }
        if rules.is_empty() {
            return Err(Error::new(ErrorCode::ConfigInvalid, "the config has no notifications")
                .suggest("add [[notifications]] to it; see `lore help config`"));
        }
        let found = notifications::dry_run(&reader, &rules, since)?;
        let items = found
            .into_iter()
            .map(|alert| NotificationItem { alert, told_at: None, failure: None, again_at: None })
            .collect();
        Ok(Notifications { is_dry_run: true, items })
    }
}

impl Show for Notifications {
    fn text(&self, out: &mut Painter) {
        let has_failures = self.items.iter().any(|item| item.failure.is_some());
        let mut columns = vec![
            Column::new("when"),
            Column::new("rule"),
            Column::flexible("what"),
            Column::new("reference"),
        ];
        columns.extend(has_failures.then(|| Column::flexible("not told")));
        let mut table = Table::new(columns);
        for item in &self.items {
            let mut cells = vec![
                Cell::date(item.alert.happened_at),
                Cell::text(&item.alert.rule).label(Label::Id),
                Cell::text(&item.alert.title),
                Cell::text(item.alert.reference.as_deref().unwrap_or_default()),
            ];
            cells.extend(has_failures.then(|| match (&item.failure, item.again_at) {
                (Some(why), Some(at)) => {
                    Cell::text(format!("{why}; again after {}", at.to_rfc3339()))
                }
                (Some(why), None) => Cell::text(format!("{why}; given up")).label(Label::Bad),
                (None, _) => Cell::empty(),
            }));
            table.row(cells);
        }
        out.table(&table);
        if self.items.is_empty() {
            out.label(Label::Faint, "nothing").end();
        }
    }
}
