//! What was learned beside the code: feedback on earlier packs, what earlier tasks
//! ended up with, and what this session just looked at.
//!
//! It only ever reorders what the code itself speaks for a little, and without it
//! (`--cold`) answers follow from the repository alone.

use super::pack::Pack;
use super::strength::Strength;
use crate::code::Scope;
use model::text::one_line;
use model::{Error, ErrorCode, Result, Timestamp, terms};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use store::Reader;
use store::feedback::{
    self, FeedbackOutcome, GivenPack, GivenSymbol, PackNote, TASK_MEMORY, Verdict,
};

/// By qualified name; empty when cold.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Experience {
    /// From −1, noise, to 1, useful; 0 is neutral.
    pub feedback: BTreeMap<String, f64>,
    /// From 0 to 1, by how alike, how recent and how well placed.
    pub tasks: BTreeMap<String, f64>,
    /// Half of it goes every three minutes; 1 is the most.
    pub session: BTreeMap<String, f64>,
}

/// What a connection asked about, by qualified name, with the time.
pub type Touches = [(String, Timestamp)];

/// Symbols kept of each task.
const KEPT: usize = 5;
/// Tasks that share less of their words have nothing to do with each other.
const ALIKE: f64 = 0.2;
/// Verdicts that nothing is known of count as so many neutral ones.
const PRIOR: f64 = 2.0;
const HALF_LIFE_MINUTES: f64 = 3.0;
/// What several looks at one symbol add up to at most, before it is divided by it.
const SESSION_CAP: f64 = 2.0;

impl Experience {
    /// What speaks for and against symbols, for a task at this time.
    pub fn load(
        reader: &Reader,
        scope: &Scope,
        text: &str,
        touches: &Touches,
        now: Timestamp,
    ) -> Result<Experience> {
        Ok(Experience {
            feedback: centred(reader, scope)?,
            tasks: earlier(reader, scope, text, now)?,
            session: session(touches, now),
        })
    }
}

fn round(value: f64) -> f64 {
    (value * 1000.0).round() / 1000.0
}

fn centred(reader: &Reader, scope: &Scope) -> Result<BTreeMap<String, f64>> {
    let mut sums: BTreeMap<String, (f64, f64)> = BTreeMap::new();
    for (symbol, verdict) in feedback::verdicts(reader, scope.repo.id, scope.snapshot.seq)? {
        let sum = sums.entry(symbol).or_default();
        *sum = (sum.0 + verdict.value(), sum.1 + 1.0);
    }
    let mean = |(sum, n): (f64, f64)| (sum + 0.5 * PRIOR) / (n + PRIOR);
    Ok(sums.into_iter().map(|(symbol, sum)| (symbol, round(2.0 * (mean(sum) - 0.5)))).collect())
}

fn earlier(
    reader: &Reader,
    scope: &Scope,
    text: &str,
    now: Timestamp,
) -> Result<BTreeMap<String, f64>> {
    let wanted = keywords(text);
    let mut found: BTreeMap<String, f64> = BTreeMap::new();
    for task in feedback::tasks(reader, scope.repo.id, now.minus(TASK_MEMORY))? {
        // What this very task ended up with says nothing new, and an answer must not
        // change because it was given before.
        if task.keywords == wanted {
            continue;
        }
        let alike = jaccard(&wanted, &task.keywords);
        if alike < ALIKE {
            continue;
        }
        let days = (now.since(task.kept_at).as_secs() / 86_400) as f64;
        let fresh = (1.0 - days / 7.0).max(0.0);
        let value = round(alike * fresh * task.score);
        let known = found.entry(task.symbol).or_default();
        *known = known.max(value);
    }
    found.retain(|_, value| *value > 0.0);
    Ok(found)
}

fn session(touches: &Touches, now: Timestamp) -> BTreeMap<String, f64> {
    let mut sums: BTreeMap<String, f64> = BTreeMap::new();
    for (symbol, at) in touches {
        // By whole minutes, so that a question asked twice finds its answer.
        let minutes = (now.since(*at).as_secs() / 60) as f64;
        *sums.entry(symbol.clone()).or_default() += 0.5_f64.powf(minutes / HALF_LIFE_MINUTES);
    }
    sums.retain(|_, sum| *sum > 0.01);
    sums.into_iter().map(|(it, sum)| (it, round(sum.min(SESSION_CAP) / SESSION_CAP))).collect()
}

fn jaccard(a: &[u32], b: &[u32]) -> f64 {
    let (a, b): (BTreeSet<_>, BTreeSet<_>) = (a.iter().collect(), b.iter().collect());
    let shared = a.intersection(&b).count();
    let all = a.len() + b.len() - shared;
    if all == 0 { 0.0 } else { shared as f64 / all as f64 }
}

/// The words of a task as numbers, ascending.
fn keywords(text: &str) -> Vec<u32> {
    const MOST: usize = 200;
    let mut all = BTreeSet::new();
    terms::each(text, |term| {
        if !term.is_compound && all.len() < MOST {
            all.insert(terms::number(term.text));
        }
    });
    all.into_iter().collect()
}

/// What is kept of a pack for later; `task` is none for packs that are about a change.
pub fn pack_note(scope: &Scope, pack: &Pack, task: Option<&str>) -> PackNote {
    let symbols = pack.symbols.iter().map(|symbol| GivenSymbol {
        name: symbol.qualified_name.clone(),
        path: symbol.path.clone(),
    });
    let given = GivenPack {
        pack_root: pack.pack_root.clone(),
        repo: scope.repo.id,
        seq: scope.snapshot.seq,
        task: pack.task.clone(),
        symbols: symbols.collect(),
    };
    // What is hardly about the repository is nothing to learn from.
    let is_kept = pack.strength >= Strength::Fair;
    let best = pack.symbols.iter().take(if is_kept { KEPT } else { 0 });
    PackNote {
        given,
        keywords: task.map(keywords).unwrap_or_default(),
        best: best.map(|symbol| (symbol.qualified_name.clone(), symbol.score)).collect(),
    }
}

/// What feedback is about.
#[derive(Debug, Clone)]
pub struct FeedbackTarget {
    pub pack: GivenPack,
    pub symbol: GivenSymbol,
}

impl FeedbackTarget {
    /// Finds a pack by the beginning of its root, and a symbol of it by name, end of
    /// its name or path. The last one is that of the repository around `here`.
    pub fn find(reader: &Reader, pack: &str, symbol: &str, here: &Path) -> Result<FeedbackTarget> {
        let shown = one_line(pack, 80);
        let places = store::repos::places(reader)?;
        let around = crate::repos::place_around(&places, here).map(|place| place.repo);
        let mut packs = feedback::packs(reader, pack.trim(), around)?;
        if packs.is_empty() {
            return Err(Error::not_found(format!("no pack `{shown}` was given here")).suggest(
                "use the pack_root of a pack of `lore context` or its beginning, or `last`",
            ));
        }
        if packs.len() > 1 {
            let all: Vec<String> =
                packs.iter().map(|pack| pack.pack_root.chars().take(12).collect()).collect();
            return Err(Error::new(
                ErrorCode::Ambiguous,
                format!("{} packs begin with `{shown}`: {}", packs.len(), all.join(", ")),
            )
            .suggest("write more of it"));
        }
        FeedbackTarget::of(packs.remove(0), symbol)
    }

    /// A symbol of a pack that is at hand.
    pub fn of(pack: GivenPack, symbol: &str) -> Result<FeedbackTarget> {
        let symbol = symbol_of(&pack, symbol.trim())?;
        Ok(FeedbackTarget { pack, symbol })
    }

    /// What was recorded, in words.
    pub fn report(&self, verdict: Verdict, outcome: &FeedbackOutcome) -> FeedbackReport {
        let sum: f64 = outcome.verdicts.iter().map(|verdict| verdict.value()).sum();
        let n = outcome.verdicts.len() as f64;
        FeedbackReport {
            pack: self.pack.pack_root.clone(),
            task: self.pack.task.clone(),
            symbol: self.symbol.name.clone(),
            verdict: verdict.as_str().to_owned(),
            recorded: outcome.is_recorded,
            verdicts: outcome.verdicts.len() as u64,
            score: round((sum + 0.5 * PRIOR) / (n + PRIOR)),
        }
    }
}

fn symbol_of(pack: &GivenPack, typed: &str) -> Result<GivenSymbol> {
    let fits = |symbol: &&GivenSymbol| {
        let name = symbol.name.as_str();
        name == typed
            || name
                .strip_suffix(typed)
                .is_some_and(|before| before.ends_with(['.', '/', ':']) && !typed.is_empty())
    };
    let exact = pack.symbols.iter().find(|symbol| symbol.name == typed);
    let found: Vec<&GivenSymbol> = pack.symbols.iter().filter(fits).collect();
    match (exact, found.as_slice()) {
        (Some(one), _) => Ok(one.clone()),
        (None, [one]) => Ok((*one).clone()),
        (None, []) => {
            let shown = one_line(typed, 80);
            let local = |symbol: &GivenSymbol| {
                let name = symbol.name.rsplit("://").next().unwrap_or(&symbol.name);
                one_line(name, 120)
            };
            let first: Vec<String> = pack.symbols.iter().take(5).map(local).collect();
            Err(Error::not_found(format!("the pack has no symbol `{shown}`"))
                .suggest(format!("it has: {}", first.join(", "))))
        }
        (None, several) => {
            let names: Vec<&str> = several.iter().map(|symbol| symbol.name.as_str()).collect();
            Err(Error::new(
                ErrorCode::Ambiguous,
                format!("{} symbols of the pack end so: {}", names.len(), names.join(", ")),
            )
            .suggest("write the whole name"))
        }
    }
}

/// What was recorded, and where the symbol stands now.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct FeedbackReport {
    pub pack: String,
    /// What the pack was for.
    pub task: String,
    pub symbol: String,
    pub verdict: String,
    /// False when the package of the symbol changed since, or is gone.
    pub recorded: bool,
    /// Verdicts that count today, implicit ones included.
    pub verdicts: u64,
    /// From 0 to 1; 0.5 is neutral.
    pub score: f64,
}
