//! The channels' scores, put together.

use super::channel::{Channel, Evidence, Ranking, Scores, best_first};
use super::channels;
use super::corpus::{Corpus, Symbol, is_function, is_unit};
use super::experience::Experience;
use super::history::History;
use super::task::Task;
use super::terms::Query;
use super::weights::{self, Weight};
use crate::code::View;
use model::Result;
use rustc_hash::FxHashMap;

/// What one channel said, ready to be weighed.
pub struct ChannelScores {
    pub channel: &'static dyn Channel,
    pub weight: Weight,
    pub files: FxHashMap<u32, f64>,
    pub symbols: FxHashMap<Symbol, f64>,
}

/// What a channel adds to a score: its own, times its weight.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Share {
    pub channel: &'static str,
    pub score: f64,
    pub weight: f64,
}

/// Everything that was found, best first.
pub struct RankedCandidates {
    pub corpus: Corpus,
    pub history: History,
    pub query: Query,
    pub said: Vec<ChannelScores>,
    /// How many files have each term.
    pub n_with: Vec<usize>,
    pub files: Vec<(u32, f64)>,
    pub symbols: Vec<(Symbol, f64)>,
    /// Tests inside of other files are candidates, too.
    with_tests: bool,
}

/// Symbols of this many of the best files are candidates, whatever they say.
const OPEN_FILES: usize = 20;
/// Words shown as a reason, and what each is worth beside the best of them: `add` and
/// `new` are in every file.
const SHOWN_WORDS: usize = 4;
const TELLING_WORD: f64 = 0.3;
/// The channel of files as wholes, and that of their functions.
const WHOLE: &str = "text";
const FUNCTIONS: &str = "functions";
/// Longer functions hold more of what may need a change; up to a point.
const LENGTH_SCALE: f64 = 6.0;

pub fn rank(
    view: &View<'_>,
    task: &Task,
    with_tests: bool,
    without: &[String],
    experience: &Experience,
) -> Result<RankedCandidates> {
    let query = Query::of(task);
    let corpus = Corpus::load(view, &query, with_tests)?;
    // Reading every commit is the longest part of a question; a hook cannot wait for it.
    let is_needed = |name: &str| !without.iter().any(|it| it == name);
    let history = if is_needed("history") || is_needed("co-change") {
        History::load(view, &query)?
    } else {
        History::default()
    };
    let mut ranked = RankedCandidates {
        n_with: channels::file_frequencies(&corpus, query.terms.len()),
        corpus,
        history,
        query,
        said: Vec::new(),
        files: Vec::new(),
        symbols: Vec::new(),
        with_tests,
    };
    let is_asked = |channel: &&&dyn Channel| !without.iter().any(|name| name == channel.name());
    let mut ranking = Ranking::default();
    for is_second in [false, true] {
        for channel in channels::ALL.iter().filter(is_asked) {
            if channel.is_second_stage() != is_second {
                continue;
            }
            let evidence = Evidence {
                task,
                query: &ranked.query,
                corpus: &ranked.corpus,
                view,
                history: &ranked.history,
                experience,
                ranking: &ranking,
            };
            let scores = channel.scores(&evidence)?;
            ranked.said.push(said(*channel, scores));
        }
        let first_file = ranking.files.first().map(|(file, _)| *file);
        ranked.fuse(first_file);
        ranking = ranked.ranking();
    }
    Ok(ranked)
}

fn said(channel: &'static dyn Channel, scores: Scores) -> ChannelScores {
    let weight = weights::of(channel.name());
    let most = |values: &mut dyn Iterator<Item = f64>| {
        if weight.is_relative { values.fold(f64::MIN_POSITIVE, f64::max) } else { 1.0 }
    };
    let of_files = most(&mut scores.files.iter().map(|one| one.1));
    let of_symbols = most(&mut scores.symbols.iter().map(|one| one.1));
    ChannelScores {
        channel,
        weight,
        files: scores.files.iter().map(|(file, score)| (*file, score / of_files)).collect(),
        symbols: scores.symbols.iter().map(|(it, score)| (*it, score / of_symbols)).collect(),
    }
}

impl RankedCandidates {
    /// Adds everything said so far. What led before the graph was asked stays
    /// first: neighbours lift what follows, they do not know better.
    fn fuse(&mut self, first: Option<u32>) {
        let mut of_files = vec![0.0; self.corpus.files.len()];
        for said in &self.said {
            for (file, score) in &said.files {
                of_files[*file as usize] += said.weight.file * score;
            }
        }
        for (file, sum) in of_files.iter_mut().enumerate() {
            *sum += self.whole_of(file as u32).map_or(0.0, |whole| whole.score * whole.weight);
        }
        for (score, file) in of_files.iter_mut().zip(&self.corpus.files) {
            *score += if file.is_aside && *score > 0.0 { weights::ASIDE } else { 0.0 };
        }
        let mut files: Vec<(u32, f64)> = of_files
            .iter()
            .enumerate()
            .filter(|(_, score)| **score > 0.0)
            .map(|(file, score)| (file as u32, *score))
            .collect();
        best_first(&mut files);
        if let Some(at) = first.and_then(|first| files.iter().position(|(file, _)| *file == first))
        {
            let (file, _) = files.remove(at);
            let most = files.first().map_or(1.0, |(_, score)| *score);
            files.insert(0, (file, most.max(of_files[file as usize])));
        }
        self.files = files;
        self.fuse_symbols();
    }

    /// Of a file of code whose functions say nothing (constants, types, what runs when it
    /// is loaded), what it says as a whole stands for what they would.
    fn whole_of(&self, file: u32) -> Option<Share> {
        // Examples and templates of issues say every word, and are no code that was meant.
        if self.corpus.files[file as usize].is_aside {
            return None;
        }
        let said = |name: &str| self.said.iter().find(|said| said.channel.name() == name);
        let (text, functions) = (said(WHOLE)?, said(FUNCTIONS)?);
        let score = *text.files.get(&file)?;
        let is_silent = !functions.files.contains_key(&file);
        is_silent.then_some(Share { channel: "whole", score, weight: functions.weight.file })
    }

    fn fuse_symbols(&mut self) {
        let most = self.files.first().map_or(1.0, |(_, score)| *score);
        let of_file: FxHashMap<u32, f64> =
            self.files.iter().map(|(file, score)| (*file, score / most)).collect();
        let mut sums: FxHashMap<Symbol, f64> = FxHashMap::default();
        for (file, _) in self.files.iter().take(OPEN_FILES) {
            for def in 1..self.corpus.files[*file as usize].defs.len() as u32 {
                sums.insert(Symbol { file: *file, def }, 0.0);
            }
        }
        for said in &self.said {
            for (symbol, score) in &said.symbols {
                *sums.entry(*symbol).or_default() += said.weight.symbol * score;
            }
        }
        let mut symbols: Vec<(Symbol, f64)> = sums
            .into_iter()
            .filter(|(symbol, _)| {
                let def = self.corpus.def(*symbol);
                is_unit(def.kind) && (self.with_tests || !def.is_test)
            })
            .map(|(symbol, sum)| {
                let file = of_file.get(&symbol.file).copied().unwrap_or(0.0);
                let length = weights::LENGTH * self.length(symbol);
                (symbol, sum + weights::FILE_OF_SYMBOL * file + length + self.of_kind(symbol))
            })
            .collect();
        best_first(&mut symbols);
        self.symbols = symbols;
    }

    /// What a symbol has less for what it is.
    fn of_kind(&self, symbol: Symbol) -> f64 {
        let def = self.corpus.def(symbol);
        let around = Symbol { file: symbol.file, def: def.parent };
        if !is_function(def.kind) {
            weights::TYPE
        } else if def.parent != 0 && is_function(self.corpus.def(around).kind) {
            weights::NESTED
        } else {
            0.0
        }
    }

    /// Of a function: a type is as long as all it holds, which says nothing.
    fn length(&self, symbol: Symbol) -> f64 {
        let def = self.corpus.def(symbol);
        if !is_function(def.kind) {
            return 0.0;
        }
        f64::from(def.end_line - def.start_line + 1).ln_1p() / LENGTH_SCALE
    }

    fn ranking(&self) -> Ranking {
        let relative = |best: f64| if best > 0.0 { best } else { 1.0 };
        let of_files = relative(self.files.first().map_or(1.0, |one| one.1));
        let of_symbols = relative(self.symbols.first().map_or(1.0, |one| one.1));
        let is_callable = |one: &&(Symbol, f64)| is_function(self.corpus.def(one.0).kind);
        let functions = self.symbols.iter().filter(is_callable);
        let types = self.symbols.iter().filter(|one| !is_callable(one));
        Ranking {
            files: self.files.iter().map(|(file, score)| (*file, score / of_files)).collect(),
            symbols: functions.take(200).map(|(it, score)| (*it, score / of_symbols)).collect(),
            types: types.take(100).map(|(it, score)| (*it, score / of_symbols)).collect(),
        }
    }

    /// What each channel said of a file.
    pub fn parts_of_file(&self, file: u32) -> Vec<Share> {
        let share = |said: &ChannelScores| {
            let score = said.files.get(&file).copied()?;
            Some(Share { channel: said.channel.name(), score, weight: said.weight.file })
        };
        let mut shares: Vec<Share> = self.said.iter().filter_map(share).collect();
        shares.extend(self.whole_of(file));
        shares
    }

    /// What each channel said of a symbol, and what its file and length add.
    pub fn parts_of_symbol(&self, symbol: Symbol) -> Vec<Share> {
        let share = |said: &ChannelScores| {
            let score = said.symbols.get(&symbol).copied()?;
            Some(Share { channel: said.channel.name(), score, weight: said.weight.symbol })
        };
        let mut shares: Vec<Share> = self.said.iter().filter_map(share).collect();
        let most = self.files.first().map_or(1.0, |(_, score)| *score);
        if let Some((_, score)) = self.files.iter().find(|(file, _)| *file == symbol.file) {
            let weight = weights::FILE_OF_SYMBOL;
            shares.push(Share { channel: "file", score: score / most, weight });
        }
        let score = self.length(symbol);
        shares.push(Share { channel: "length", score, weight: weights::LENGTH });
        shares.push(Share { channel: "kind", score: 1.0, weight: self.of_kind(symbol) });
        shares
    }

    /// The words of the task that speak most for a file, or for one definition
    /// of it.
    pub fn words_of(&self, file: u32, def: Option<u32>) -> Vec<&str> {
        let n_files = self.corpus.files.len();
        let n_terms = self.query.terms.len();
        let mut slots: Vec<usize> = self.corpus.files[file as usize]
            .hits
            .iter()
            .filter(|(_, hit)| def.is_none_or(|def| hit.def == def))
            .map(|(slot, _)| *slot as usize)
            .filter(|slot| *slot < n_terms && self.query.terms[*slot].file_weight > 0.0)
            .collect();
        slots.sort_unstable();
        slots.dedup();
        let worth = |slot: usize| {
            self.query.terms[slot].file_weight * channels::rarity(n_files, self.n_with[slot])
        };
        slots.sort_by(|a, b| worth(*b).total_cmp(&worth(*a)).then(a.cmp(b)));
        let least = slots.first().map_or(0.0, |slot| worth(*slot) * TELLING_WORD);
        let mut words: Vec<&str> = Vec::new();
        for slot in slots.into_iter().take_while(|slot| worth(*slot) >= least) {
            let word = self.query.terms[slot].shown.as_str();
            // A name and its parts are one word to a reader.
            let is_same = |known: &&str| {
                let (a, b) = (known.to_lowercase(), word.to_lowercase());
                a.contains(&b) || b.contains(&a)
            };
            if !words.iter().any(is_same) {
                words.push(word);
            }
            if words.len() == SHOWN_WORDS {
                break;
            }
        }
        words
    }

    /// `Class.method`, without the module.
    pub fn name_in_file(&self, view: &View<'_>, symbol: Symbol) -> Result<String> {
        let mut parts = Vec::new();
        let mut at = symbol;
        while at.def != 0 {
            let Some(node) = self.corpus.node_of(view, at)? else { break };
            let Some(row) = view.node(node)? else { break };
            parts.push(row.name.clone());
            at.def = self.corpus.def(at).parent.min(at.def - 1);
        }
        parts.reverse();
        Ok(parts.join("."))
    }
}
