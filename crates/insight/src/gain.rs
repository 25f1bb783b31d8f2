//! `lore gain`: what answers cost agents, and about what the same facts would have
//! cost them by searching and reading.
//!
//! The costs are counted. What was saved cannot be: nobody knows what an agent would
//! have done. The estimate multiplies each command's tokens with how many more the
//! scripted search-and-read baseline of `docs/benchmarks.md` needed for the same
//! kind of question, and is labelled as one wherever it is shown.

use model::{Result, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use store::Reader;
use store::answer_costs::{self, Door};

/// Tokens by day and by command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Gain {
    /// The first day counted.
    pub since: String,
    /// Newest first.
    pub days: Vec<GainRow>,
    /// What cost most first.
    pub commands: Vec<GainRow>,
    pub total: GainRow,
    /// How the estimate is made.
    pub method: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, JsonSchema)]
pub struct GainRow {
    /// The day, the command, or `total`.
    pub name: String,
    pub answers: u64,
    /// Of lore's answers.
    pub tokens: u64,
    /// ESTIMATE of what searching and reading would have cost for the same facts.
    pub estimated_without: u64,
}

impl GainRow {
    fn add(&mut self, answers: u64, tokens: u64, without: u64) {
        self.answers += answers;
        self.tokens += tokens;
        self.estimated_without += without;
    }
}

/// What is counted beside the database: hooks keep their own log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PushCost {
    pub at: Timestamp,
    pub tokens: u64,
}

const METHOD: &str = "estimate: tokens of each command times the median of search-and-read over \
                      lore for its kind of question in docs/benchmarks.md; hooks count as cost only";

/// How many tokens the baseline needed for one of lore's, in hundredths: medians of
/// `xtask eval tokens`. What was not measured counts as no gain.
const FACTORS: &[(&str, u64)] = &[
    ("callers", 700),
    ("callees", 700),
    ("flow", 700),
    ("impact", 500),
    ("tests", 250),
    ("overrides", 115),
    ("subtypes", 115),
    ("why", 190),
];

fn factor(command: &str) -> u64 {
    FACTORS.iter().find(|(name, _)| *name == command).map_or(100, |(_, factor)| *factor)
}

/// The name under which hooks appear.
pub const HOOKS: &str = "hooks";

pub fn gain(reader: &Reader, since: Timestamp, hooks: &[PushCost]) -> Result<Gain> {
    let day = since.to_date();
    let mut days: BTreeMap<String, GainRow> = BTreeMap::new();
    let mut commands: BTreeMap<String, GainRow> = BTreeMap::new();
    let mut total = GainRow { name: "total".to_owned(), ..GainRow::default() };
    let mut add = |day: &str, command: &str, answers: u64, tokens: u64, without: u64| {
        days.entry(day.to_owned()).or_default().add(answers, tokens, without);
        commands.entry(command.to_owned()).or_default().add(answers, tokens, without);
        total.add(answers, tokens, without);
    };
    for row in answer_costs::since(reader, &day)? {
        let name = match row.door {
            Door::Cli => row.command.clone(),
            Door::Mcp => format!("{} (mcp)", row.command),
        };
        let without = row.tokens.saturating_mul(factor(&row.command)) / 100;
        add(&row.day, &name, row.answers, row.tokens, without);
    }
    for cost in hooks.iter().filter(|cost| cost.at.to_date() >= day) {
        add(&cost.at.to_date(), HOOKS, 1, cost.tokens, 0);
    }
    let named = |(name, row): (String, GainRow)| GainRow { name, ..row };
    let days = days.into_iter().rev().map(named).collect();
    let mut commands: Vec<GainRow> = commands.into_iter().map(named).collect();
    commands.sort_by(|a, b| (b.tokens, &a.name).cmp(&(a.tokens, &b.name)));
    Ok(Gain { since: day, days, commands, total, method: METHOD })
}
