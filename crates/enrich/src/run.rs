//! One server asked about the call sites of one snapshot, within a budget.
//!
//! Results are handed over file by file, and only after the server has given known
//! answers once more: what came between two right answers counts. A server that
//! ends, hangs or stops knowing what it knew is started again once; the file it
//! failed on is left out then.

use crate::discover;
use crate::evidence::{Counts, FileEvidence, Tier};
use crate::graph::{Graph, Site};
use crate::judge::{Judge, LSP};
use crate::lsp::{ClientError, Session};
use crate::probe::{self, AskingSession, Probes};
use crate::projects::Projects;
use crate::servers::{Environment, Limits, Server};
use crate::talk::ReadySession;
use model::ids::FileId;
use model::{CancelToken, Progress, Result, vocabulary};
use std::cmp::Reverse;
use std::collections::{HashMap, HashSet, VecDeque};
use std::path::Path;
use std::time::Duration;
use tokio::time::Instant;

/// How long a server may take to say what it can do.
const START: Duration = Duration::from_secs(60);
/// Results are stored when there are this many, or this much time has passed.
const BATCH_SITES: usize = 2000;
const BATCH_TIME: Duration = Duration::from_secs(3);
/// Known answers that one project of several has to give, and how long it may take.
const OF_PROJECT: usize = 8;
const PROJECT_LOADS: Duration = Duration::from_secs(60);

/// How long a run may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// None: until every site was asked.
    pub total: Option<Duration>,
    /// For one answer.
    pub request: Duration,
    /// Until the known answers are given.
    pub ready: Duration,
}

impl Budget {
    pub fn of(total: Option<Duration>) -> Self {
        // Whoever is not ready after most of the time would not use the rest well.
        let most = |total: Duration| (total * 2 / 3).max(Duration::from_secs(20).min(total));
        let ready = total.map_or(Duration::from_secs(300), most);
        Budget { total, request: Duration::from_secs(15), ready }
    }
}

vocabulary! {
    /// How a run of a server ended.
    pub enum End {
        /// Every site was asked.
        Finished = "finished",
        BudgetSpent = "budget_spent",
        Interrupted = "interrupted",
        /// It did not give the known answers; nothing was stored since it last did.
        NotReady = "not_ready",
        /// It could not be started, or ended twice.
        Failed = "failed",
    }
}

/// Takes results that count.
pub trait Sink {
    /// Stores what was learned of some files, each whole or not at all.
    fn commit(&mut self, evidence: &[FileEvidence]) -> Result<()>;
}

/// What a run is to do.
pub struct Run<'a> {
    pub graph: &'a Graph,
    pub server: Server,
    pub environment: &'a Environment,
    pub limits: Limits,
    pub budget: Budget,
    /// Up to which tier files were asked before, by a server of the same label.
    pub done: HashMap<FileId, Tier>,
    /// Lines and columns of the sites of those files that got an answer.
    pub answered: HashMap<FileId, HashSet<(u32, u32)>>,
    pub progress: &'a dyn Progress,
    pub cancel: &'a CancelToken,
}

/// What came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunOutcome {
    pub end: End,
    /// Why it did not finish, in words.
    pub reason: Option<String>,
    pub counts: Counts,
    /// Relations between types that were found beside calls.
    pub n_relations: u64,
    pub n_requests: u64,
    /// Files whose bytes are not those of the commit.
    pub n_changed_files: u64,
    /// Files on which the server failed.
    pub n_failed_files: u64,
    /// Sites that were not asked yet.
    pub n_waiting: u64,
    pub n_restarts: u64,
    pub peak_memory: Option<u64>,
    pub elapsed: Duration,
    pub ready_after: Option<Duration>,
}

/// Sites of one file that are asked together.
#[derive(Debug, Clone)]
pub(crate) struct Task {
    pub file: usize,
    pub tier: Tier,
    /// Numbers of the sites.
    pub sites: Vec<usize>,
}

/// Why work with a session stopped.
pub(crate) enum StopReason {
    Client(ClientError),
    /// It does not give the known answers, in words.
    Lies(String),
    Budget,
    Cancelled,
    Store(model::Error),
}

impl From<ClientError> for StopReason {
    fn from(error: ClientError) -> Self {
        StopReason::Client(error)
    }
}

impl Run<'_> {
    pub fn run(mut self, sink: &mut dyn Sink) -> Result<RunOutcome> {
        let started = Instant::now();
        let deadline = self.budget.total.map(|total| started + total);
        let projects = Projects::of(self.graph, self.server.kind.projects);
        let mut work = Work {
            tasks: self.tasks(&projects),
            project: (!projects.are_many()).then_some(0),
            projects,
            n_put_off: 0,
            pending: Vec::new(),
            unsettled: Vec::new(),
            silent: Vec::new(),
            last_commit: started,
            current: None,
            deadline,
            outcome: RunOutcome {
                end: End::Finished,
                reason: None,
                counts: Counts::default(),
                n_relations: 0,
                n_requests: 0,
                n_changed_files: 0,
                n_failed_files: 0,
                n_waiting: 0,
                n_restarts: 0,
                peak_memory: None,
                elapsed: Duration::ZERO,
                ready_after: None,
            },
        };
        self.leave_out_changed(&mut work);
        let n_sites: usize = work.tasks.iter().map(|task| task.sites.len()).sum();
        if n_sites > 0 {
            let phase = format!("asking {}", self.server.kind.name);
            self.progress.phase(&phase, Some(n_sites as u64));
            let ended = self.sessions(&mut work, sink, started);
            self.progress.finish();
            ended?;
        }
        let mut outcome = work.outcome;
        let n_left: u64 = work.tasks.iter().map(|task| task.sites.len() as u64).sum();
        outcome.n_waiting = n_left + work.n_put_off;
        if work.n_put_off > 0 && outcome.reason.is_none() {
            let name = self.server.kind.name;
            let n = work.n_put_off;
            outcome.reason =
                Some(format!("{name}: {n} calls are of projects it gave no known answer of"));
        }
        outcome.elapsed = started.elapsed();
        Ok(outcome)
    }

    /// What is to be asked, most valuable first: with a budget by tier, without one
    /// file by file.
    fn tasks(&self, projects: &Projects) -> VecDeque<Task> {
        let tiers: &[&[Tier]] = match self.budget.total {
            Some(_) => &[&[Tier::Open], &[Tier::Unsure], &[Tier::Sure], &[Tier::External]],
            None => &[&[Tier::Open, Tier::Unsure, Tier::Sure, Tier::External]],
        };
        let mut tasks = VecDeque::new();
        for group in tiers {
            let mut of_group = Vec::new();
            for (at, file) in self.graph.files.iter().enumerate() {
                if !self.server.kind.languages.contains(&file.language.as_str()) {
                    continue;
                }
                let done = self.done.get(&file.id).map_or(0, |tier| tier.number());
                let is_asked =
                    |site: &Site| group.contains(&site.tier()) && site.tier().number() > done;
                let sites: Vec<usize> =
                    (0..file.sites.len()).filter(|site| is_asked(&file.sites[*site])).collect();
                let Some(tier) = group.last().copied() else { continue };
                if !sites.is_empty() {
                    of_group.push(Task { file: at, tier, sites });
                }
            }
            // What programs do before what tests do of them; one project after the other, as
            // each is loaded for itself; then much for one opened file; equal ones in the
            // order of paths.
            let mut n_sites: HashMap<(bool, usize), usize> = HashMap::new();
            let mut keyed = Vec::new();
            for task in of_group {
                let part = (self.is_of_tests(&task), projects.of_file(task.file));
                *n_sites.entry(part).or_default() += task.sites.len();
                keyed.push((part, task));
            }
            keyed.sort_by_key(|((is_of_tests, project), task)| {
                let n_of_project = n_sites.get(&(*is_of_tests, *project)).copied().unwrap_or(0);
                let most_first = (Reverse(n_of_project), *project, Reverse(task.sites.len()));
                (*is_of_tests, most_first, task.file)
            });
            let of_group = keyed.into_iter().map(|(_, task)| task);
            tasks.extend(of_group);
        }
        tasks
    }

    /// Whether nothing but tests would gain from the answers.
    fn is_of_tests(&self, task: &Task) -> bool {
        let file = &self.graph.files[task.file];
        let is_test = |site: &Site| {
            file.definitions.get(site.source as usize).is_some_and(|source| source.is_test)
        };
        task.sites.iter().all(|site| is_test(&file.sites[*site]))
    }

    /// Open sites that an earlier run asked about without an answer that counts.
    pub(crate) fn left_open(&self) -> Vec<(usize, usize)> {
        let mut left = Vec::new();
        for (at, file) in self.graph.files.iter().enumerate() {
            if !self.done.contains_key(&file.id) || self.graph.text(at).is_none() {
                continue;
            }
            let answered = self.answered.get(&file.id);
            let is_left = |site: &Site| {
                let is_answered = answered.is_some_and(|it| it.contains(&(site.line, site.col)));
                site.tier() == Tier::Open && !is_answered
            };
            let sites = (0..file.sites.len()).filter(|site| is_left(&file.sites[*site]));
            left.extend(sites.map(|site| (at, site)));
        }
        left
    }

    fn leave_out_changed(&self, work: &mut Work) {
        let mut changed = HashSet::new();
        work.tasks.retain(|task| {
            let is_same = self.graph.text(task.file).is_some();
            if !is_same {
                changed.insert(task.file);
            }
            is_same
        });
        work.outcome.n_changed_files = changed.len() as u64;
    }

    /// Sessions with the server until the work is done: one, or a second.
    fn sessions(&mut self, work: &mut Work, sink: &mut dyn Sink, started: Instant) -> Result<()> {
        let top = self.graph.top()?.to_path_buf();
        let _prepared = self.server.prepare(self.graph)?;
        let probes = probe::choose(self.graph, self.server.kind.languages);
        if probes.is_empty() {
            let reason = "no call is known well enough to test the server with";
            work.outcome.end = End::NotReady;
            work.outcome.reason = Some(reason.to_owned());
            return Ok(());
        }
        loop {
            let process = self.environment.process(&self.server, &top, self.limits);
            let session = Session::start(
                &process,
                &top,
                (self.server.options(), self.server.settings()),
                self.budget.ready.min(START),
            );
            let stop = match session {
                Ok(mut session) => {
                    let mut probes = Probes::new(probes.clone());
                    let stop = self.session(&mut session, work, sink, &mut probes, (&top, started));
                    work.outcome.n_requests += session.client().n_requests();
                    let peak = session.client().process().peak_memory();
                    work.outcome.peak_memory = work.outcome.peak_memory.max(peak);
                    if !matches!(stop, Err(StopReason::Client(_))) {
                        session.finish();
                    }
                    stop
                }
                Err(error) => {
                    let why = match std::error::Error::source(&error) {
                        Some(cause) => format!("{error}: {cause}"),
                        None => error.to_string(),
                    };
                    Err(StopReason::Client(ClientError::Gone(why)))
                }
            };
            let (end, reason) = match stop {
                Ok(()) => {
                    work.outcome.reason = None;
                    return Ok(());
                }
                Err(StopReason::Store(error)) => return Err(error),
                Err(StopReason::Budget) => (End::BudgetSpent, None),
                Err(StopReason::Cancelled) => (End::Interrupted, None),
                Err(StopReason::Lies(words)) => (End::NotReady, Some(words)),
                Err(StopReason::Client(error)) => (End::Failed, Some(crate::lsp::words(&error))),
            };
            let is_over = matches!(end, End::BudgetSpent | End::Interrupted)
                || work.outcome.n_restarts > 0
                || (end == End::NotReady && work.outcome.ready_after.is_none())
                || work.is_late();
            work.pending.clear();
            work.project = (!work.projects.are_many()).then_some(0);
            for task in work.unsettled.drain(..).rev() {
                work.tasks.push_front(task);
            }
            if let Some(task) = work.current.take() {
                // What it failed on once it may fail on again.
                if matches!(end, End::Failed | End::NotReady) && !is_over {
                    work.outcome.n_failed_files += 1;
                    work.tasks.retain(|other| other.file != task.file);
                } else {
                    work.tasks.push_front(task);
                }
            }
            if let Some(reason) = reason {
                work.outcome.reason = Some(format!("{}: {reason}", self.server.kind.name));
            }
            if is_over {
                work.outcome.end = end;
                return Ok(());
            }
            work.outcome.n_restarts += 1;
        }
    }

    /// Of several projects the first is asked for its own known answers: loading all of them
    /// only to see that the server is ready would take the time in which it could answer.
    /// How long is left to ask for those of all, where that is needed.
    fn first_project(
        &self,
        work: &mut Work,
        (session, judge, around): (&mut Session, &Judge<'_>, &AskingSession<'_>),
        probes: &mut Probes,
    ) -> std::result::Result<Option<Duration>, StopReason> {
        let started = Instant::now();
        let Some(first) = work.tasks.front().filter(|_| work.projects.are_many()) else {
            return Ok(Some(self.budget.ready));
        };
        let project = work.projects.of_file(first.file);
        let own = self.probes_of(&work.projects, project);
        if !own.is_empty() {
            let mut of_first = Probes::new(own);
            match of_first.wait_until_ready(session, judge, around, self.budget.ready / 2) {
                Ok(Ok(())) => {
                    *probes = of_first;
                    work.project = Some(project);
                    return Ok(None);
                }
                Ok(Err(_)) | Err(ClientError::Silent) => {}
                Err(gone) => return Err(StopReason::Client(gone)),
            }
        }
        Ok(Some(self.budget.ready.saturating_sub(started.elapsed())))
    }

    pub(crate) fn probes_of(&self, projects: &Projects, project: usize) -> Vec<probe::Probe> {
        // What another project defines may only be found where this one was installed.
        let is_within = |file: usize, home: usize| {
            projects.of_file(file) == project && projects.of_file(home) == project
        };
        probe::choose_from(self.graph, self.server.kind.languages, OF_PROJECT, &is_within)
    }

    fn session(
        &self,
        session: &mut Session,
        work: &mut Work,
        sink: &mut dyn Sink,
        probes: &mut Probes,
        (top, started): (&Path, Instant),
    ) -> std::result::Result<(), StopReason> {
        let judge = Judge::new(self.graph, top, session.encoding, LSP);
        let limits = (self.cancel, self.budget.request);
        let around = AskingSession::new(self.graph, &self.server, top, limits);
        let patience = self.first_project(work, (session, &judge, &around), probes)?;
        let ready = match patience {
            Some(patience) => probes.wait_until_ready(session, &judge, &around, patience),
            None => Ok(Ok(())),
        };
        match ready {
            Ok(Ok(())) => {}
            Ok(Err(_)) if self.cancel.is_cancelled() => return Err(StopReason::Cancelled),
            Err(ClientError::Silent) => {
                return Err(StopReason::Lies("it does not answer".to_owned()));
            }
            Err(gone) => return Err(StopReason::Client(gone)),
            Ok(Err((right, all))) => {
                let words = format!("only {right} of {all} known answers were right");
                return Err(StopReason::Lies(words));
            }
        }
        work.outcome.ready_after.get_or_insert_with(|| started.elapsed());
        let mut talk = ReadySession { run: self, session, judge: &judge, around: &around, probes };
        while let Some(task) = work.tasks.pop_front() {
            if !talk.enter(work, sink, &task)? {
                continue;
            }
            work.current = Some(task.clone());
            match talk.ask_file(work, &task) {
                Ok(evidence) => {
                    work.current = None;
                    work.unsettled.push(task);
                    work.pending.push(evidence);
                }
                Err(stop @ (StopReason::Budget | StopReason::Cancelled)) => {
                    talk.commit(work, sink, true)?;
                    return Err(stop);
                }
                Err(stop) => return Err(stop),
            }
            // The last files are stored together with what is discovered beside calls: as
            // long as that is missing something is left to ask, and the next run does it.
            if work.is_due() && !work.tasks.is_empty() {
                talk.commit(work, sink, false)?;
            }
        }
        discover::run(&mut talk, work, sink)
    }
}

/// What is to be done, and what was.
pub(crate) struct Work {
    pub tasks: VecDeque<Task>,
    pub projects: Projects,
    /// The one whose known answers the server gave last; none before the first.
    pub project: Option<usize>,
    /// Sites of projects of which it gave none.
    pub n_put_off: u64,
    pending: Vec<FileEvidence>,
    /// What was asked for it, to be asked again should it not count.
    unsettled: Vec<Task>,
    /// Open sites that got no answer, for the pass that asks from the other end.
    pub silent: Vec<(usize, usize)>,
    last_commit: Instant,
    current: Option<Task>,
    deadline: Option<Instant>,
    pub outcome: RunOutcome,
}

impl Work {
    /// Leaves out what is to be asked of a project.
    pub fn put_off(&mut self, project: usize) {
        let projects = &self.projects;
        let n_put_off = &mut self.n_put_off;
        self.tasks.retain(|task| {
            let is_kept = projects.of_file(task.file) != project;
            if !is_kept {
                *n_put_off += task.sites.len() as u64;
            }
            is_kept
        });
    }

    /// How long a project may take to load.
    pub fn patience(&self) -> Duration {
        let left = self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        left.map_or(PROJECT_LOADS, |left| left.min(PROJECT_LOADS))
    }

    pub fn is_late(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    fn is_due(&self) -> bool {
        let n_sites: usize = self.pending.iter().map(|evidence| evidence.asked.len()).sum();
        n_sites >= BATCH_SITES || self.last_commit.elapsed() >= BATCH_TIME
    }

    pub fn hand_in(&mut self, evidence: FileEvidence) {
        self.pending.push(evidence);
    }

    pub fn pending(&self) -> &[FileEvidence] {
        &self.pending
    }

    /// What was pending is stored.
    pub fn settle(&mut self) {
        for evidence in self.pending.drain(..) {
            self.outcome.counts.add(&evidence.counts);
        }
        self.unsettled.clear();
        self.last_commit = Instant::now();
    }
}
