//! Known answers: calls that linking is sure of. A server that has not loaded the
//! project answers with something plausible or with nothing; it counts when it
//! knows these.

use crate::graph::{Claim, Graph};
use crate::judge::{Judge, Meaning};
use crate::lsp::{ClientError, RequestId, Session};
use crate::servers::Server;
use model::CancelToken;
use model::ids::NodeId;
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::time::Duration;
use tokio::time::Instant;

/// Enough to see a project that is not loaded, few enough to be asked often.
const MOST: usize = 16;
/// How many of them are asked before results are stored.
const CHECKED: usize = 3;
const PAUSE: Duration = Duration::from_millis(300);
/// Rounds with the same right answers after which files are shown.
const SHOWN_AFTER: usize = 3;
/// Rounds with the same right answers after which no more are waited for.
const STABLE_ROUNDS: usize = 6;

/// A call with the symbol it is known to lead to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Probe {
    pub file: usize,
    pub line: u32,
    pub col: u32,
    target: NodeId,
}

/// The known answers of a server's languages, spread over files; into other files
/// where there are such calls.
pub fn choose(graph: &Graph, languages: &[&str]) -> Vec<Probe> {
    choose_from(graph, languages, MOST, &|_, _| true)
}

/// The same of calls from some files into some.
pub fn choose_from(
    graph: &Graph,
    languages: &[&str],
    most: usize,
    is_wanted: &dyn Fn(usize, usize) -> bool,
) -> Vec<Probe> {
    const LEAST_SURE: [(u8, bool); 4] = [(95, true), (85, true), (95, false), (50, false)];
    for (least, is_across) in LEAST_SURE {
        let mut all = Vec::new();
        for (at, file) in graph.files.iter().enumerate() {
            let is_served = languages.contains(&file.language.as_str());
            if !is_served || graph.text(at).is_none() {
                continue;
            }
            let sure = file.sites.iter().find_map(|site| match &site.claim {
                Claim::Bound { targets, confidence } if *confidence >= least => {
                    let [target] = targets.as_slice() else { return None };
                    let home = graph.home(*target)?;
                    let is_one = is_across == (home != at)
                        && is_wanted(at, home)
                        && graph.text(home).is_some();
                    let (file, line, col, target) = (at, site.line, site.col, *target);
                    is_one.then_some(Probe { file, line, col, target })
                }
                _ => None,
            });
            all.extend(sure);
        }
        if !all.is_empty() {
            let step = all.len().div_ceil(most);
            return all.into_iter().step_by(step).collect();
        }
    }
    Vec::new()
}

/// The probes of a session.
pub struct Probes {
    all: Vec<Probe>,
    /// Those that were answered right at the start.
    passed: Vec<Probe>,
    next: usize,
    /// Right ones and all, of every project that was entered.
    total: (usize, usize),
}

impl Probes {
    pub fn new(all: Vec<Probe>) -> Self {
        Probes { all, passed: Vec::new(), next: 0, total: (0, 0) }
    }

    /// Whether the server gives the known answers of another project, now that it is asked
    /// about that one. Where it finds none of them others must vouch for it: parts of a
    /// repository (examples, tools) may lack what they are built with.
    pub fn enter(
        &mut self,
        probes: Vec<Probe>,
        session: &mut Session,
        judge: &Judge<'_>,
        around: &AskingSession<'_>,
        patience: Duration,
    ) -> Result<bool, ClientError> {
        if probes.is_empty() {
            return Ok(true);
        }
        let until = Instant::now() + patience;
        let known: HashSet<usize> = self.all.iter().map(|probe| probe.file).collect();
        for probe in &probes {
            around.keep(session, probe.file);
        }
        let (mut right, mut n_same) = (Vec::new(), 0);
        loop {
            let now = ask(&probes, session, judge, around, patience)?;
            n_same = if now == right { n_same + 1 } else { 0 };
            right = now;
            let is_clear = right.len() * 4 >= probes.len() * 3;
            let is_over = Instant::now() + PAUSE >= until || around.cancel.is_cancelled();
            if is_clear || n_same >= SHOWN_AFTER || is_over {
                break;
            }
            std::thread::sleep(PAUSE);
        }
        self.total.0 += right.len();
        self.total.1 += probes.len();
        let is_found = !right.is_empty();
        let left = if is_found { &self.all } else { &probes };
        let kept: HashSet<usize> =
            if is_found { probes.iter().map(|probe| probe.file).collect() } else { known };
        for probe in left.iter().filter(|probe| !kept.contains(&probe.file)) {
            around.let_go(session, probe.file);
        }
        if is_found {
            (self.all, self.passed, self.next) = (probes, right, 0);
        }
        let (n_right, n_asked) = self.total;
        Ok(is_found || (n_right >= 3 && n_right * 3 >= n_asked))
    }

    /// Waits until the server gives the known answers; how many of how many it gave
    /// last when it does not.
    pub fn wait_until_ready(
        &mut self,
        session: &mut Session,
        judge: &Judge<'_>,
        around: &AskingSession<'_>,
        patience: Duration,
    ) -> Result<Result<(), (usize, usize)>, ClientError> {
        let until = Instant::now() + patience;
        let (mut before, mut n_same, mut are_shown) = (Vec::new(), 0, false);
        loop {
            // A server that reads files by itself does not read all of them.
            if !are_shown && (around.server.wants_files_open() || n_same >= SHOWN_AFTER) {
                for probe in &self.all {
                    around.keep(session, probe.file);
                }
                (are_shown, n_same) = (true, 0);
            }
            let right = ask(&self.all, session, judge, around, patience)?;
            n_same = if right == before { n_same + 1 } else { 0 };
            // Linking may be wrong about one; not about most. Parts of a repository that
            // are projects of their own (examples, tools) a server may never find: then a
            // third must be right, and nothing more come for a while.
            let is_clear = right.len() * 4 >= self.all.len() * 3;
            let is_settled = are_shown
                && right.len() >= 3
                && right.len() * 3 >= self.all.len()
                && n_same >= STABLE_ROUNDS;
            if !right.is_empty() && (is_clear || is_settled) {
                self.total = (right.len(), self.all.len());
                self.passed = right;
                return Ok(Ok(()));
            }
            before.clone_from(&right);
            if Instant::now() + PAUSE >= until || around.cancel.is_cancelled() {
                return Ok(Err((right.len(), self.all.len())));
            }
            std::thread::sleep(PAUSE);
        }
    }

    /// Whether the server still gives known answers, a few of them in turn.
    pub fn still_right(
        &mut self,
        session: &mut Session,
        judge: &Judge<'_>,
        around: &AskingSession<'_>,
        is_last: bool,
    ) -> Result<bool, ClientError> {
        const TRIES: usize = 4;
        let n_asked = if is_last { self.passed.len() } else { CHECKED.min(self.passed.len()) };
        let asked: Vec<Probe> =
            (0..n_asked).map(|at| self.passed[(self.next + at) % self.passed.len()]).collect();
        self.next += n_asked;
        for _ in 0..TRIES {
            let right = ask(&asked, session, judge, around, around.patience)?;
            if right.len() == asked.len() {
                return Ok(true);
            }
            std::thread::sleep(PAUSE);
        }
        Ok(false)
    }
}

/// Those of the probes that are answered right.
fn ask(
    probes: &[Probe],
    session: &mut Session,
    judge: &Judge<'_>,
    around: &AskingSession<'_>,
    patience: Duration,
) -> Result<Vec<Probe>, ClientError> {
    let mut asked: HashMap<RequestId, Probe> = HashMap::new();
    for probe in probes {
        let file = &around.graph.files[probe.file];
        let Some(text) = around.graph.text(probe.file) else { continue };
        let Some(place) = text.to_server((probe.line, probe.col), session.encoding) else {
            continue;
        };
        let path = around.top.join(&file.path);
        asked.insert(session.question("textDocument/definition", &path, place), *probe);
    }
    let mut right = Vec::new();
    while !asked.is_empty() {
        let (id, places) = session.answer(patience)?;
        let Some(probe) = asked.remove(&id) else { continue };
        let places = places.unwrap_or_default();
        let language = &around.graph.files[probe.file].language;
        if let Meaning::Symbols(found) = judge.meaning(&places, None)
            && found.iter().any(|node| judge.agrees(probe.target, *node, language))
        {
            right.push(probe);
        }
    }
    right.sort_by_key(|probe| (probe.file, probe.line, probe.col));
    Ok(right)
}

/// What asking needs to know, and which files the server was shown.
pub struct AskingSession<'a> {
    pub graph: &'a Graph,
    pub server: &'a Server,
    pub top: &'a Path,
    pub cancel: &'a CancelToken,
    /// For one answer.
    pub patience: Duration,
    shown: RefCell<HashSet<usize>>,
    /// Shown until the end: the files of known answers.
    kept: RefCell<HashSet<usize>>,
}

impl<'a> AskingSession<'a> {
    pub fn new(
        graph: &'a Graph,
        server: &'a Server,
        top: &'a Path,
        (cancel, patience): (&'a CancelToken, Duration),
    ) -> Self {
        let (shown, kept) = (RefCell::default(), RefCell::default());
        AskingSession { graph, server, top, cancel, patience, shown, kept }
    }

    /// Shows a file to the server, once.
    pub fn show(&self, session: &Session, at: usize) {
        let file = &self.graph.files[at];
        if let Some(text) = self.graph.text(at)
            && self.shown.borrow_mut().insert(at)
        {
            let path = self.top.join(&file.path);
            session.open(&path, self.server.language_id(&file.path), text.text());
        }
    }

    fn keep(&self, session: &Session, at: usize) {
        self.show(session, at);
        self.kept.borrow_mut().insert(at);
    }

    /// No longer keeps a file, and takes it back.
    fn let_go(&self, session: &Session, at: usize) {
        self.kept.borrow_mut().remove(&at);
        self.hide(session, at);
    }

    /// Takes a file back, unless it is kept.
    pub fn hide(&self, session: &Session, at: usize) {
        if !self.kept.borrow().contains(&at) && self.shown.borrow_mut().remove(&at) {
            session.close(&self.top.join(&self.graph.files[at].path));
        }
    }
}
