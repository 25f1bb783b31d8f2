//! What the text names outright: paths, lines, frames of traces, messages,
//! modules, members.

use crate::context::channel::{Channel, Evidence, Scores, strongest, summed};
use crate::context::corpus::{Corpus, Symbol, is_function, is_unit};
use crate::context::frames::Frame;
use model::Result;
use rustc_hash::{FxHashMap, FxHashSet};
use store::code::nodes;
use store::code::terms::Field;

/// A name without a folder is less sure.
const BARE: f64 = 0.8;
/// So is one of documentation, examples or packaging.
const ASIDE: f64 = 0.4;

/// The files that end in the longest possible ending of a written path, and how
/// many parts of it they share.
fn files_ending(corpus: &Corpus, written: &str) -> (Vec<u32>, usize) {
    let parts: Vec<&str> = written.split('/').filter(|part| !part.is_empty()).collect();
    let (mut best, mut n_best) = (Vec::new(), 0);
    for (at, file) in corpus.files.iter().enumerate() {
        let of_file = file.path.rsplit('/');
        let n_same =
            of_file.zip(parts.iter().rev()).take_while(|(a, b)| a.eq_ignore_ascii_case(b)).count();
        if n_same > n_best {
            (best, n_best) = (Vec::new(), n_same);
        }
        if n_same == n_best && n_same > 0 {
            best.push(at as u32);
        }
    }
    (best, n_best)
}

/// Entrances of packages share their name with each other; alone it says nothing.
fn is_telling(written: &str, n_same: usize) -> bool {
    let name = written.rsplit('/').next().unwrap_or(written);
    n_same > 1
        || !matches!(
            name,
            "__init__.py" | "index.js" | "index.ts" | "mod.rs" | "main.rs" | "lib.rs" | "main.go"
        )
}

/// Paths and links to files.
pub struct Paths;

impl Channel for Paths {
    fn name(&self) -> &'static str {
        "path"
    }

    fn reason(&self) -> &'static str {
        "the task names its file"
    }

    fn scores(&self, evidence: &Evidence<'_, '_>) -> Result<Scores> {
        let mut files = Vec::new();
        for mention in evidence.task.paths.iter().take(200) {
            let (found, n_same) = files_ending(evidence.corpus, &mention.path);
            if found.is_empty() || !is_telling(&mention.path, n_same) {
                continue;
            }
            let bare = if n_same == 1 && !mention.is_link { BARE } else { 1.0 };
            files.extend(found.iter().map(|file| {
                // `setup.py` is named in every other report.
                let is_aside = evidence.corpus.files[*file as usize].is_aside;
                (*file, bare * if is_aside { ASIDE } else { 1.0 } / found.len() as f64)
            }));
        }
        Ok(Scores { files: strongest(files), symbols: Vec::new() })
    }
}

/// The definition around a line the text names.
pub struct Lines;

impl Channel for Lines {
    fn name(&self) -> &'static str {
        "line"
    }

    fn reason(&self) -> &'static str {
        "the task names a line of it"
    }

    fn scores(&self, evidence: &Evidence<'_, '_>) -> Result<Scores> {
        let mut symbols = Vec::new();
        for mention in evidence.task.paths.iter().take(200) {
            let Some(line) = mention.line else { continue };
            let (found, n_same) = files_ending(evidence.corpus, &mention.path);
            if found.len() == 1 && is_telling(&mention.path, n_same) {
                symbols.extend(evidence.corpus.at_line(found[0], line).map(|symbol| (symbol, 1.0)));
            }
        }
        Ok(Scores { files: Vec::new(), symbols: strongest(symbols) })
    }
}

/// Frames of stack traces, innermost first.
pub struct Traces;

impl Channel for Traces {
    fn name(&self) -> &'static str {
        "trace"
    }

    fn reason(&self) -> &'static str {
        "is in the stack trace"
    }

    fn scores(&self, evidence: &Evidence<'_, '_>) -> Result<Scores> {
        let corpus = evidence.corpus;
        let mut scores = Scores::default();
        let mut depth = 0.0;
        let mut seen = FxHashSet::default();
        for frame in evidence.task.frames.iter().take(400) {
            let (found, n_same) = files_ending(corpus, &frame.path);
            // A script of the reporter may share its name with a file of the repository.
            let has_folder = frame.path.trim_start_matches("./").contains('/');
            let is_sure = n_same > 1 || (!has_folder && is_telling(&frame.path, n_same));
            if found.len() != 1 || !is_sure {
                continue;
            }
            let file = found[0];
            if !seen.insert((file, frame.function.clone(), frame.line)) {
                continue;
            }
            let score = 1.0 / (1.0 + depth);
            depth += 1.0;
            scores.files.push((file, score));
            scores.symbols.extend(at_frame(evidence, file, frame)?.map(|symbol| (symbol, score)));
        }
        scores.files = strongest(scores.files);
        scores.symbols = strongest(scores.symbols);
        Ok(scores)
    }
}

/// Lines move between versions: the function of the frame's name that is nearest to
/// its line is meant, and what stands at the line only where none has that name.
fn at_frame(evidence: &Evidence<'_, '_>, file: u32, frame: &Frame) -> Result<Option<Symbol>> {
    let (corpus, view) = (evidence.corpus, evidence.view);
    let at_line = frame.line.and_then(|line| corpus.at_line(file, line));
    let Some(function) = &frame.function else { return Ok(at_line) };
    let wanted = function.rsplit(['.', ':', '#', '>']).next().unwrap_or(function);
    let wanted = wanted.trim_end_matches("()");
    let nodes = view.nodes_of(corpus.files[file as usize].id)?;
    let mut nearest: Option<(u32, Symbol)> = None;
    for (at, def) in corpus.files[file as usize].defs.iter().enumerate().skip(1) {
        let Some(node) = nodes.get(at).filter(|_| is_function(def.kind)) else { continue };
        if view.node(*node)?.is_none_or(|row| row.name != wanted) {
            continue;
        }
        let line = frame.line.unwrap_or(def.start_line);
        let far = def.start_line.saturating_sub(line) + line.saturating_sub(def.end_line);
        if nearest.is_none_or(|(least, _)| far < least) {
            nearest = Some((far, Symbol { file, def: at as u32 }));
        }
    }
    Ok(nearest.map(|(_, symbol)| symbol).or(at_line))
}

/// Error messages found as texts of the code.
pub struct Messages;

impl Channel for Messages {
    fn name(&self) -> &'static str {
        "message"
    }

    fn reason(&self) -> &'static str {
        "has a message the task quotes"
    }

    fn scores(&self, evidence: &Evidence<'_, '_>) -> Result<Scores> {
        let (corpus, query) = (evidence.corpus, evidence.query);
        let mut n_files: FxHashMap<usize, u32> = FxHashMap::default();
        let mut places: Vec<(usize, Symbol)> = Vec::new();
        for (at, file) in corpus.files.iter().enumerate() {
            let mut of_file = FxHashSet::default();
            for (slot, hit) in file.hits.iter().filter(|(_, hit)| hit.field == Field::Phrase) {
                let Some(phrase) = query.phrase_of(*slot) else { continue };
                if of_file.insert(phrase) {
                    *n_files.entry(phrase).or_default() += 1;
                }
                places.push((phrase, Symbol { file: at as u32, def: hit.def }));
            }
        }
        let worth = |phrase: usize| {
            let length = f64::from(query.phrases.get(phrase).copied().unwrap_or(0));
            (length / 30.0).min(1.0) / f64::from(n_files.get(&phrase).copied().unwrap_or(1))
        };
        places.sort_unstable();
        places.dedup();
        let mut files: Vec<((u32, usize), f64)> = Vec::new();
        let mut symbols = Vec::new();
        for (phrase, symbol) in places {
            files.push(((symbol.file, phrase), worth(phrase)));
            if is_unit(corpus.def(symbol).kind) {
                symbols.push((symbol, worth(phrase)));
            }
        }
        let files = strongest(files).into_iter().map(|((file, _), worth)| (file, worth)).collect();
        let saturated = |(key, sum): (u32, f64)| (key, 2.0 * sum / (1.0 + sum));
        Ok(Scores {
            files: summed(files).into_iter().map(saturated).collect(),
            symbols: summed(symbols)
                .into_iter()
                .map(|(key, sum)| (key, 2.0 * sum / (1.0 + sum)))
                .collect(),
        })
    }
}

/// Modules: `pkg.mod` is `pkg/mod.py`.
pub struct Modules;

impl Channel for Modules {
    fn name(&self) -> &'static str {
        "module"
    }

    fn reason(&self) -> &'static str {
        "the task names its module"
    }

    fn scores(&self, evidence: &Evidence<'_, '_>) -> Result<Scores> {
        let corpus = evidence.corpus;
        let stems: Vec<Vec<String>> = corpus
            .files
            .iter()
            .map(|file| module_parts(&file.path).into_iter().map(spelt).collect())
            .collect();
        let mut files = Vec::new();
        let mut asked = FxHashSet::default();
        for dotted in evidence.task.dotted.iter().chain(&evidence.task.in_code).take(400) {
            let parts: Vec<String> = dotted.split('.').map(spelt).collect();
            for length in (2..=parts.len()).rev() {
                let prefix = &parts[..length];
                let found: Vec<u32> = (0..stems.len())
                    .filter(|at| stems[*at].ends_with(prefix))
                    .map(|at| at as u32)
                    .collect();
                if found.is_empty() {
                    continue;
                }
                if asked.insert(prefix.join(".")) {
                    files.extend(found.iter().map(|file| (*file, 1.0 / found.len() as f64)));
                }
                break;
            }
        }
        Ok(Scores { files: strongest(files), symbols: Vec::new() })
    }
}

/// `FirstArgument` is at home in `first_argument.rb`, `file-watcher` in `fileWatcher.ts`.
fn spelt(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, '_' | '-')).flat_map(char::to_lowercase).collect()
}

fn module_parts(path: &str) -> Vec<&str> {
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    let stem = name.split('.').next().unwrap_or(name);
    let mut parts: Vec<&str> = folders.split('/').filter(|part| !part.is_empty()).collect();
    if !matches!(stem, "__init__" | "index" | "mod") {
        parts.push(stem);
    }
    parts
}

/// Names in back-ticks and `Class.member`, as definitions.
pub struct Members;

/// A name that so many definitions share says which one only with its class.
const MOST_DEFINITIONS: usize = 3;
/// Code blocks name what they need to come to the point, and one name in five is what is
/// changed; of names in prose it is every other.
const IN_CODE: f64 = 0.5;
/// `frame.to_table()` names a member of something that only a run of the program knows.
const UNSURE: f64 = 0.4;

/// Whether a name is hardly one of another library: of several parts, or a type's.
fn is_peculiar(name: &str) -> bool {
    let mut letters = name.chars().skip_while(|c| *c == '_');
    let is_type = letters.next().is_some_and(char::is_uppercase);
    is_type || name.trim_matches('_').contains('_') || letters.any(char::is_uppercase)
}

/// What is called so, in the type the name says and in any.
fn defined(evidence: &Evidence<'_, '_>, name: &str) -> Result<(Vec<Symbol>, Vec<Symbol>)> {
    let (corpus, view) = (evidence.corpus, evidence.view);
    let (around, last) = name.rsplit_once('.').unwrap_or(("", name));
    let class = around.rsplit('.').next().unwrap_or("");
    let (mut of_class, mut of_any) = (Vec::new(), Vec::new());
    for node in nodes::named(view.reader, last)?.into_iter().filter(|node| node.name == last) {
        let Some(symbol) = corpus.symbol_of(view, node.id)? else { continue };
        if class.is_empty() || node.scope.rsplit('.').next() == Some(class) {
            of_class.push(symbol);
        }
        of_any.push(symbol);
    }
    Ok((of_class, of_any))
}

impl Channel for Members {
    fn name(&self) -> &'static str {
        "member"
    }

    fn reason(&self) -> &'static str {
        "the task names it"
    }

    fn scores(&self, evidence: &Evidence<'_, '_>) -> Result<Scores> {
        let corpus = evidence.corpus;
        let mut scores = Scores::default();
        let mut asked = FxHashSet::default();
        let in_prose = evidence.task.names.iter().chain(&evidence.task.dotted).map(|it| (it, 1.0));
        let in_code = evidence.task.in_code.iter().map(|it| (it, IN_CODE));
        for (name, place) in in_prose.chain(in_code).take(300) {
            if !asked.insert(name.as_str()) {
                continue;
            }
            let (mut of_class, mut of_any) = defined(evidence, name)?;
            let (around, mut last) = name.rsplit_once('.').unwrap_or(("", name));
            let class = around.rsplit('.').next().unwrap_or("");
            // `Cart.refund` means Cart, where there is no refund (yet).
            if of_any.is_empty() && is_peculiar(class) && asked.insert(around) {
                last = class;
                (of_class, of_any) = defined(evidence, around)?;
            }
            let (mut found, sure) = if of_class.is_empty() && is_peculiar(last) {
                (of_any, UNSURE)
            } else {
                (of_class, 1.0)
            };
            found.sort_unstable();
            found.dedup();
            if found.is_empty() || found.len() > MOST_DEFINITIONS {
                continue;
            }
            for symbol in &found {
                let share = f64::min(place, sure) / found.len() as f64;
                scores.files.push((symbol.file, share));
                if is_unit(corpus.def(*symbol).kind) {
                    scores.symbols.push((*symbol, share));
                }
            }
        }
        scores.files = strongest(scores.files);
        scores.symbols = strongest(scores.symbols);
        Ok(scores)
    }
}
