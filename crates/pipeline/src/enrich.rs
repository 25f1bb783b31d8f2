//! Evidence of language servers and SCIP indexes, stored beside the linked edges.
//!
//! Servers are asked without the lock; it is taken for each batch of files, for as
//! long as one transaction lasts. Other runs and all answers go on meanwhile.

use crate::carried_evidence::carry;
use crate::run::{Database, RunControl};
use code::layers;
use enrich::graph::Graph;
use enrich::run::{Budget, End, Run, RunOutcome, Sink};
use enrich::servers::{Environment, Execution, Limits, SERVERS, Server, ServerPresence};
use enrich::{Counts, FileEvidence, Tier, scip};
use git::Repo;
use model::code::Provenance;
use model::hash::Hash32;
use model::ids::{FileId, RepoId, SnapshotSeq};
use model::{Error, ErrorCode, Result};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::PathBuf;
use std::time::Duration;
use store::code::enrichment::{self, EnrichedFile, RunRow, SiteCounts};
use store::code::layers::{self as stored, LayerEdge};
use store::code::snapshots;
use store::lock::BriefWork;
use store::{Reader, Tx, WriteQueue};
use tokio::time::Instant;

const PAUSE: Duration = Duration::from_millis(200);
/// For the version of a server, whatever is left of the budget.
const LEAST_VERSION_TIME: Duration = Duration::from_secs(3);
/// How long a batch waits for another run to give up the lock.
const LOCK_PATIENCE: u32 = 5 * 60 * 5;

/// What to ask about.
pub struct EnrichPlan {
    /// In the work tree that servers read.
    pub dir: PathBuf,
    pub seq: SnapshotSeq,
    pub environment: Environment,
    /// Only these languages; empty for all.
    pub languages: Vec<String>,
    /// For all servers together; none asks about every site.
    pub budget: Option<Duration>,
    pub limits: Limits,
    /// Servers that run the build tool of the repository may be used.
    pub may_build: bool,
    /// Say what would be asked, and ask nothing.
    pub is_dry: bool,
}

/// What asking servers brought.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct EnrichReport {
    pub commit: String,
    pub is_dry_run: bool,
    /// Files whose evidence was taken over from an earlier commit.
    pub carried_files: u64,
    pub servers: Vec<ServerReport>,
    /// Languages of the repository that nobody was asked about, and why.
    pub not_asked: Vec<LanguageGap>,
    /// Over what follows from the commit alone.
    pub static_root: String,
    /// The same with all evidence beside it.
    pub root: String,
    /// The run was interrupted; what was stored stays.
    pub is_interrupted: bool,
    /// Nobody waits for it.
    #[serde(skip)]
    pub is_background: bool,
}

impl EnrichReport {
    /// Whether there was something to ask, and nobody to ask it of. In the background that
    /// is no failure: what is not installed is not asked.
    pub fn asked_nobody(&self) -> bool {
        !self.is_dry_run
            && !self.is_background
            && self.servers.is_empty()
            && !self.not_asked.is_empty()
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ServerReport {
    pub server: String,
    pub version: String,
    /// Call sites in files it serves.
    pub sites: u64,
    /// None in a dry run.
    pub outcome: Option<End>,
    /// Why it did not finish.
    pub reason: Option<String>,
    #[serde(flatten)]
    pub counts: Counts,
    /// Relations between types that were found.
    pub relations: u64,
    /// Sites that are not asked yet.
    pub waiting: u64,
    pub requests: u64,
    /// Files left out because their bytes differ from the commit's.
    pub changed_files: u64,
    /// Files left out because the server failed on them.
    pub failed_files: u64,
    pub restarts: u64,
    pub peak_memory_mb: Option<u64>,
    /// Until it gave the known answers.
    pub ready_ms: Option<u64>,
    pub elapsed_ms: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LanguageGap {
    pub language: String,
    pub sites: u64,
    pub reason: String,
    /// How a server is installed.
    pub install: Option<String>,
}

/// Asks the servers of a repository's languages about its calls and stores what they
/// say. Blocks until the budget is spent, everything was asked, or the run is stopped.
pub fn enrich(plan: EnrichPlan, database: &Database, control: &RunControl) -> Result<EnrichReport> {
    let reader = Reader::open(&database.path)?;
    let snapshot = snapshots::get(&reader, plan.seq)?
        .ok_or_else(|| Error::not_found("the snapshot is gone").suggest("run: lore index"))?;
    if snapshot.work_tree.is_some() {
        return Err(Error::usage("evidence is kept for commits, not for a work tree")
            .suggest("commit, then run: lore index && lore enrich"));
    }
    let mut report = EnrichReport {
        commit: snapshot.sha.clone(),
        is_dry_run: plan.is_dry,
        carried_files: 0,
        servers: Vec::new(),
        not_asked: Vec::new(),
        static_root: snapshot.static_root.to_string(),
        root: snapshot.root.to_string(),
        is_interrupted: false,
        is_background: plan.limits.low_priority,
    };
    let store = Store { database, control, seq: plan.seq };
    if !plan.is_dry {
        report.carried_files = store.write(|tx| carry(tx, plan.seq))?;
    }
    let graph = Graph::load(&reader, plan.seq, Repo::open(&plan.dir)?)?;
    graph.top()?;
    // Finding servers takes time, too: each is asked for its version.
    let deadline = plan.budget.map(|budget| Instant::now() + budget);
    let servers = choose(&plan, &graph, deadline, &mut report.not_asked)?;
    let n_servers = servers.len();
    for (at, server) in servers.into_iter().enumerate() {
        if control.cancel.is_cancelled() {
            report.is_interrupted = true;
            break;
        }
        let share = deadline.map(|until| {
            let left = until.saturating_duration_since(Instant::now());
            left / (n_servers - at) as u32
        });
        let one = store.ask(&plan, &graph, server, share)?;
        report.is_interrupted |= one.outcome == Some(End::Interrupted);
        report.servers.push(one);
    }
    let now = snapshots::get(&Reader::open(&database.path)?, plan.seq)?;
    if let Some(now) = now {
        report.root = now.root.to_string();
    }
    Ok(report)
}

/// The servers to ask, one for each language, and why there is none for others.
fn choose(
    plan: &EnrichPlan,
    graph: &Graph,
    deadline: Option<Instant>,
    gaps: &mut Vec<LanguageGap>,
) -> Result<Vec<Server>> {
    let known: BTreeSet<&str> = SERVERS.iter().flat_map(|kind| kind.languages).copied().collect();
    if let Some(unknown) = plan.languages.iter().find(|name| !known.contains(name.as_str())) {
        let names: Vec<&str> = known.into_iter().collect();
        return Err(Error::usage(format!(
            "no language server is known for `{}`",
            model::text::one_line(unknown, 40)
        ))
        .suggest(format!("known languages: {}", names.join(", "))));
    }
    let mut servers: Vec<Server> = Vec::new();
    for (language, n_sites) in graph.languages() {
        if !known.contains(language)
            || (!plan.languages.is_empty() && !plan.languages.iter().any(|it| it == language))
        {
            continue;
        }
        match server_for(plan, graph, language, deadline) {
            Ok(server) => servers.push(server),
            Err((reason, install)) => gaps.push(LanguageGap {
                language: language.to_owned(),
                sites: n_sites as u64,
                reason,
                install,
            }),
        }
    }
    // Where most is open first: it gets its share of the time before others do.
    servers.sort_by_key(|server| {
        let of_server = graph
            .files
            .iter()
            .filter(|file| server.kind.languages.contains(&file.language.as_str()));
        let open = of_server.flat_map(|file| &file.sites).filter(|it| it.tier() == Tier::Open);
        std::cmp::Reverse(open.count())
    });
    Ok(servers)
}

/// The best server of a language that is there, or why there is none.
fn server_for(
    plan: &EnrichPlan,
    graph: &Graph,
    language: &str,
    deadline: Option<Instant>,
) -> std::result::Result<Server, (String, Option<String>)> {
    let mut reason = None;
    for kind in SERVERS.iter().filter(|kind| kind.languages.contains(&language)) {
        let install = Some(kind.install.to_owned());
        if !kind.markers.is_empty() && !graph.has_file_named(kind.markers) {
            let what = format!("{} needs one of: {}", kind.name, kind.markers.join(", "));
            reason.get_or_insert((what, None));
            continue;
        }
        let left =
            deadline.map_or(Duration::MAX, |it| it.saturating_duration_since(Instant::now()));
        match plan.environment.find_within(kind, left.max(LEAST_VERSION_TIME)) {
            Ok(_) if kind.execution == Execution::RunsBuildTool && !plan.may_build => {
                let what = format!(
                    "{} runs the repository's build tool; allow it with --allow-build",
                    kind.name
                );
                reason = Some((what, None));
            }
            Ok(server) => return Ok(server),
            Err(ServerPresence::Unusable { reason: why }) => {
                reason = Some((format!("{}: {why}", kind.name), install));
            }
            Err(_) => {
                reason.get_or_insert((format!("{} is not installed", kind.name), install));
            }
        }
    }
    Err(reason.unwrap_or_else(|| ("no server is known".to_owned(), None)))
}

/// Where evidence goes.
struct Store<'a> {
    database: &'a Database,
    control: &'a RunControl,
    seq: SnapshotSeq,
}

impl Store<'_> {
    /// One transaction under the lock; other runs are waited for.
    fn write<T>(&self, work: impl FnOnce(&Tx<'_>) -> Result<T>) -> Result<T> {
        let queue = self.queue()?;
        let outcome = queue.write(work);
        let closed = queue.close();
        let value = outcome?;
        closed?;
        Ok(value)
    }

    fn queue(&self) -> Result<std::sync::Arc<WriteQueue>> {
        let mut looks = 0;
        loop {
            match self.database.open_for(Some(BriefWork::Enrich), &self.control.clock) {
                Err(error) if error.code() == ErrorCode::Locked && looks < LOCK_PATIENCE => {
                    if self.control.cancel.is_cancelled() {
                        return Err(error);
                    }
                    looks += 1;
                    std::thread::sleep(PAUSE);
                }
                opened => return opened,
            }
        }
    }

    fn ask(
        &self,
        plan: &EnrichPlan,
        graph: &Graph,
        server: Server,
        budget: Option<Duration>,
    ) -> Result<ServerReport> {
        let label = server.label();
        let (name, version) = (server.kind.name, server.version.clone());
        let languages = server.kind.languages;
        let served = graph.files.iter().filter(|it| languages.contains(&it.language.as_str()));
        let n_sites = served.map(|file| file.sites.len() as u64).sum();
        let reader = Reader::open(&self.database.path)?;
        let mut done: HashMap<FileId, Tier> = HashMap::new();
        let mut answered: HashMap<FileId, HashSet<(u32, u32)>> = HashMap::new();
        for row in enrichment::files(&reader, self.seq, Provenance::LspResolved)? {
            let Some(tier) = Tier::from_number(row.tier).filter(|_| row.server == label) else {
                continue;
            };
            done.insert(row.file, tier);
            let edges = stored::of_file(&reader, self.seq, Provenance::LspResolved, row.file)?;
            let sites = edges.iter().map(|edge| (edge.line, edge.col));
            answered.insert(row.file, sites.chain(row.external).collect());
        }
        drop(reader);
        let started_at = self.control.clock.now();
        if plan.is_dry {
            let waiting = waiting(graph, languages, &done);
            let counts = Counts::default();
            return Ok(report(name, version, (n_sites, waiting), None, counts));
        }
        let run = Run {
            graph,
            server,
            environment: &plan.environment,
            limits: plan.limits,
            budget: Budget::of(budget),
            done,
            answered,
            progress: &*self.control.progress,
            cancel: &self.control.cancel,
        };
        let mut sink = Batches { store: self, server: label };
        let outcome = run.run(&mut sink)?;
        let row = RunRow {
            provenance: Provenance::LspResolved,
            server: name.to_owned(),
            version: version.clone(),
            started_at,
            finished_at: self.control.clock.now(),
            outcome: outcome.end.as_str().to_owned(),
            reason: outcome.reason.clone(),
            requests: outcome.n_requests,
            counts: counts_row(&outcome.counts),
            waiting: outcome.n_waiting,
        };
        if outcome.n_requests > 0 || outcome.end != End::Finished {
            self.write(|tx| enrichment::log_run(tx, self.seq, &row))?;
        }
        let (waiting, counts) = (outcome.n_waiting, outcome.counts);
        Ok(report(name, version, (n_sites, waiting), Some(outcome), counts))
    }
}

fn waiting(graph: &Graph, languages: &[&str], done: &HashMap<FileId, Tier>) -> u64 {
    let served = graph.files.iter().filter(|it| languages.contains(&it.language.as_str()));
    served
        .map(|file| {
            let until = done.get(&file.id).map_or(0, |tier| tier.number());
            file.sites.iter().filter(|site| site.tier().number() > until).count() as u64
        })
        .sum()
}

fn report(
    server: &str,
    version: String,
    (sites, waiting): (u64, u64),
    outcome: Option<RunOutcome>,
    counts: Counts,
) -> ServerReport {
    let millis = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
    let of = |pick: fn(&RunOutcome) -> u64| outcome.as_ref().map_or(0, pick);
    ServerReport {
        server: server.to_owned(),
        version,
        sites,
        outcome: outcome.as_ref().map(|it| it.end),
        reason: outcome.as_ref().and_then(|it| it.reason.clone()),
        counts,
        relations: of(|it| it.n_relations),
        waiting,
        requests: of(|it| it.n_requests),
        changed_files: of(|it| it.n_changed_files),
        failed_files: of(|it| it.n_failed_files),
        restarts: of(|it| it.n_restarts),
        peak_memory_mb: outcome.as_ref().and_then(|it| it.peak_memory).map(|bytes| bytes >> 20),
        ready_ms: outcome.as_ref().and_then(|it| it.ready_after).map(millis),
        elapsed_ms: outcome.as_ref().map_or(0, |it| millis(it.elapsed)),
    }
}

fn counts_row(counts: &Counts) -> SiteCounts {
    let Counts { confirmed, corrected, new, external, unanswered } = *counts;
    SiteCounts { confirmed, corrected, new, external, unanswered }
}

/// Stores what a server said, a batch of files in one transaction.
struct Batches<'a> {
    store: &'a Store<'a>,
    server: String,
}

impl Sink for Batches<'_> {
    fn commit(&mut self, evidence: &[FileEvidence]) -> Result<()> {
        let (seq, server) = (self.store.seq, self.server.as_str());
        self.store.write(|tx| put(tx, seq, Provenance::LspResolved, server, evidence)).map(drop)
    }
}

/// Writes evidence of some files over what is known of the sites that were asked;
/// the new root.
pub(crate) fn put(
    tx: &Tx<'_>,
    seq: SnapshotSeq,
    provenance: Provenance,
    server: &str,
    evidence: &[FileEvidence],
) -> Result<Hash32> {
    // One file may be there twice, from two passes.
    let mut edges: HashMap<FileId, Vec<LayerEdge>> = HashMap::new();
    for one in evidence {
        let before = enrichment::file(tx, seq, provenance, one.file)?;
        let asked: HashSet<(u32, u32)> = one.asked.iter().copied().collect();
        let known = match edges.remove(&one.file) {
            Some(known) => known,
            None => stored::of_file(tx, seq, provenance, one.file)?,
        };
        let mut all: Vec<LayerEdge> =
            known.into_iter().filter(|edge| !asked.contains(&(edge.line, edge.col))).collect();
        all.extend_from_slice(&one.edges);
        all.sort_unstable();
        all.dedup();
        edges.insert(one.file, all);
        enrichment::put_file(tx, seq, provenance, &joined(before, one, server, &asked))?;
    }
    let mut files: Vec<(Option<FileId>, Vec<LayerEdge>)> =
        edges.into_iter().map(|(file, edges)| (Some(file), edges)).collect();
    files.sort_unstable_by_key(|(file, _)| *file);
    layers::replace_files(tx, seq, provenance, &files)
}

/// What is known of a file, with what was learned now.
fn joined(
    before: Option<EnrichedFile>,
    now: &FileEvidence,
    server: &str,
    asked: &HashSet<(u32, u32)>,
) -> EnrichedFile {
    let before = before.filter(|before| before.server == server && before.link == now.link);
    let mut external = now.external.clone();
    let mut counts = counts_row(&now.counts);
    let mut tier = now.tier.map_or(0, Tier::number);
    if let Some(before) = before {
        external.extend(before.external.iter().filter(|site| !asked.contains(*site)));
        counts.confirmed += before.counts.confirmed;
        counts.corrected += before.counts.corrected;
        counts.new += before.counts.new;
        counts.external += before.counts.external;
        counts.unanswered += before.counts.unanswered;
        tier = tier.max(before.tier);
    }
    external.sort_unstable();
    external.dedup();
    let server = server.to_owned();
    EnrichedFile { file: now.file, link: now.link, server, tier, external, counts }
}

/// What forgetting removed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ForgetReport {
    /// Snapshots that had such evidence.
    pub snapshots: u64,
    pub edges: u64,
}

/// Removes the evidence of servers, or of indexes, from every snapshot of a
/// repository: what linking found remains.
pub fn forget(
    repo: RepoId,
    provenance: Provenance,
    database: &Database,
    control: &RunControl,
) -> Result<ForgetReport> {
    let mut report = ForgetReport { snapshots: 0, edges: 0 };
    let store = Store { database, control, seq: SnapshotSeq(0) };
    store.write(|tx| {
        for snapshot in snapshots::list(tx, repo)? {
            let layers = stored::list(tx, snapshot.seq)?;
            let layer = layers.iter().find(|layer| layer.provenance == provenance);
            let n_files = enrichment::files(tx, snapshot.seq, provenance)?.len();
            if layer.is_none() && n_files == 0 {
                continue;
            }
            report.snapshots += 1;
            report.edges += layer.map_or(0, |layer| layer.n_edges);
            layers::remove(tx, snapshot.seq, provenance)?;
            enrichment::forget(tx, snapshot.seq, provenance)?;
        }
        Ok(())
    })?;
    Ok(report)
}

/// What reading an index brought.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ScipReport {
    pub commit: String,
    /// Who made the index.
    pub tool: String,
    pub version: String,
    pub documents: u64,
    /// Documents that are files of the commit.
    pub matched: u64,
    /// Documents left out because their text is not the commit's.
    pub changed: u64,
    /// Definitions that stand where the index has them.
    pub definitions: u64,
    #[serde(flatten)]
    pub counts: Counts,
    /// Relations between types and between methods.
    pub relations: u64,
    /// Symbols of other packages that are called.
    pub external_symbols: u64,
    pub static_root: String,
    pub root: String,
}

/// Reads a SCIP index of the commit of a snapshot and stores what it knows of calls.
/// What an earlier index said of the same files is replaced.
pub fn ingest_scip(
    dir: &std::path::Path,
    seq: SnapshotSeq,
    index: &std::path::Path,
    database: &Database,
    control: &RunControl,
) -> Result<ScipReport> {
    let reader = Reader::open(&database.path)?;
    let gone = || Error::not_found("the snapshot is gone").suggest("run: lore index");
    let snapshot = snapshots::get(&reader, seq)?.ok_or_else(gone)?;
    if snapshot.work_tree.is_some() {
        return Err(Error::usage("evidence is kept for commits, not for a work tree")
            .suggest("commit, then run: lore index"));
    }
    let repo = store::repos::get(&reader, snapshot.repo)?.ok_or_else(gone)?;
    let graph = Graph::load(&reader, seq, Repo::open(dir)?)?;
    let started_at = control.clock.now();
    let watch = scip::Watch { progress: &*control.progress, cancel: &control.cancel };
    let mut evidence = scip::read(index, &graph, &watch)?;
    let label = format!("{} {}", evidence.metadata.tool, evidence.metadata.version);
    let label = model::text::one_line(label.trim(), 80);
    let store = Store { database, control, seq };
    let outside = std::mem::take(&mut evidence.outside);
    let external: BTreeSet<_> = outside.iter().map(|(_, _, symbol)| symbol.clone()).collect();
    let row = RunRow {
        provenance: Provenance::ScipResolved,
        server: model::text::one_line(&evidence.metadata.tool, 60),
        version: model::text::one_line(&evidence.metadata.version, 40),
        started_at,
        finished_at: control.clock.now(),
        outcome: End::Finished.as_str().to_owned(),
        reason: None,
        requests: 0,
        counts: counts_row(&evidence.counts),
        waiting: 0,
    };
    let root = store.write(|tx| {
        for (file, site, symbol) in &outside {
            let one = &mut evidence.files[*file];
            let Some(at) = graph.file_by_id(one.file) else { continue };
            let source = &graph.files[at];
            let Some(caller) = source.definitions.get(site.source as usize) else { continue };
            // The language is the file's: that is how linking names such packages too.
            let package = (source.language.as_str(), symbol.package.as_str());
            let target = layers::external_node(tx, &repo, package, &symbol.symbol)?;
            one.edges.push(LayerEdge {
                source: caller.node,
                target,
                kind: model::code::EdgeKind::Calls,
                holds: true,
                confidence: scip::SCIP,
                line: site.line,
                col: site.col,
            });
        }
        layers::remove(tx, seq, Provenance::ScipResolved)?;
        enrichment::forget(tx, seq, Provenance::ScipResolved)?;
        let root = put(tx, seq, Provenance::ScipResolved, &label, &evidence.files)?;
        enrichment::log_run(tx, seq, &row)?;
        Ok(root)
    })?;
    Ok(ScipReport {
        commit: snapshot.sha,
        tool: row.server,
        version: row.version,
        documents: evidence.n_documents,
        matched: evidence.n_matched,
        changed: evidence.n_changed,
        definitions: evidence.n_found,
        counts: evidence.counts,
        relations: evidence.n_relations,
        external_symbols: external.len() as u64,
        static_root: snapshot.static_root.to_string(),
        root: root.to_string(),
    })
}
