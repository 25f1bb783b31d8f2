//! Questions about code: symbols, who uses them, what a change reaches.

use super::{Group, Tool};
use crate::mcp::answer::Format;
use crate::mcp::call::{Call, within};
use crate::payload;
use insight::agent_text;
use insight::code::communities::{self, Communities as Groups};
use insight::code::flow as ways;
use insight::code::impact as reach;
use insight::code::ledger::{self, Staleness};
use insight::code::map::{self, RepoMap};
use insight::code::neighbours::{Neighbours, Question, neighbours};
use insight::code::outline::{self, FileOutline};
use insight::code::overlay::TextFile;
use insight::code::overview::{self, PackageGraph, SnapshotDiff as Difference};
use insight::code::owners as owning;
use insight::code::read::{self, SourceSlice};
use insight::code::routes as arriving;
use insight::code::scope;
use insight::code::symbol::{self as symbols, Symbols};
use insight::code::{Scope, ScopeRequest, TraversalOptions};
use model::code::EdgeKind;
use model::{Error, ErrorCode, Result};
use schemars::JsonSchema;
use serde::Deserialize;
use wire::Payload;

pub struct Symbol;
pub struct Impact;
pub struct Callers;
pub struct Callees;
pub struct Overrides;
pub struct Subtypes;
pub struct Flow;
pub struct Communities;
pub struct Map;
pub struct Outline;
pub struct Read;
pub struct Owners;
pub struct RepoGraph;
pub struct Routes;
pub struct SnapshotDiff;
pub struct Stale;

/// The snapshot that is meant; says when it is not of what is checked out.
pub(super) fn scope(call: &Call, repo: Option<&str>, at: Option<&str>) -> Result<Scope> {
    let reader = call.reader().map_err(to_index)?;
    let mut found = scope::resolve(reader, &ScopeRequest { repo, at, here: Some(&call.dir) })?;
    if at.is_none() {
        found = over_work_tree(call, found)?;
        if found.standing().is_stale {
            call.warn("stale: the work tree differs in too many files; run `lore index`");
        }
    }
    if let Some(head) = &found.newer_head {
        let short = |sha: &str| sha.chars().take(10).collect::<String>();
        call.warn(format!(
            "this is of commit {}; {} is checked out and not indexed; run `lore index`",
            short(&found.snapshot.sha),
            short(head)
        ));
    }
    Ok(found)
}

/// The snapshot with what was edited since, for answers that need no code to be indexed.
pub(super) fn as_edited(call: &Call, repo: Option<&str>) -> Option<Scope> {
    let reader = call.reader().ok()?;
    let asked = ScopeRequest { repo, at: None, here: Some(&call.dir) };
    let found = scope::resolve(reader, &asked).ok()?;
    over_work_tree(call, found).ok()
}

/// The same snapshot with what was edited since.
pub(super) fn over_work_tree(call: &Call, scope: Scope) -> Result<Scope> {
    let reader = call.reader()?;
    let outlines = |files: &[TextFile]| call.around.outlines(files);
    let database = call.around.database(&call.dir)?.path().to_path_buf();
    call.trees.over(scope, database, |scope| scope.over_work_tree(reader, &outlines))
}

fn to_index(error: Error) -> Error {
    match error.code() {
        ErrorCode::NotIndexed => error.suggest("run: lore index"),
        _ => error,
    }
}

/// How far to go from a symbol.
fn walk(
    depth: Option<u32>,
    default: u32,
    limit: usize,
    min_confidence: Option<f64>,
    kinds: &[EdgeKind],
) -> Result<TraversalOptions> {
    let sure = min_confidence.unwrap_or(0.0);
    if !(0.0..=1.0).contains(&sure) {
        return Err(Error::usage("`min_confidence` must be between 0 and 1"));
    }
    Ok(TraversalOptions {
        max_depth: within("depth", depth, default, 50)? as u32,
        max_results: limit,
        min_confidence: (sure * 100.0).round() as u8,
        kinds: kinds.to_vec(),
        through_bases: false,
    })
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SymbolParams {
    /// Its name, an ending of its qualified name, or words
    name: String,
    repo: Option<String>,
    at: Option<String>,
    /// 1 to 200 (default 5)
    limit: Option<u32>,
}

impl Tool for Symbol {
    const NAME: &'static str = "symbol";
    const TITLE: &'static str = "Find a symbol";
    const ABOUT: &'static str = "Find a function, type or method by name, ending of its name or \
        words: file and line, signature, documentation, how many call it, name it, and what it \
        calls.";
    const GROUPS: &'static [Group] = &[Group::Code];
    const LISTS: &'static [&'static str] = &["/symbols"];

    type Params = SymbolParams;
    type Answer = Symbols;

    fn text(answer: &Self::Answer, format: Format) -> Option<String> {
        (format != Format::Json).then(|| agent_text::symbols(answer))
    }

    fn payload(answer: &Self::Answer) -> Option<Payload> {
        Some(payload::of_symbols(answer))
    }

    fn answer(call: &Call, params: SymbolParams) -> Result<Symbols> {
        let limit = within("limit", params.limit, 5, 200)?;
        let scope = scope(call, params.repo.as_deref(), params.at.as_deref())?;
        symbols::symbols(call.reader()?, &scope, &params.name, limit)
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ImpactParams {
    /// A symbol, or the path of a file
    target: String,
    repo: Option<String>,
    at: Option<String>,
    /// Steps, 1 to 50 (default 3)
    depth: Option<u32>,
    /// 0 to 1 (default 0)
    min_confidence: Option<f64>,
    /// 1 to 5000 (default 100)
    limit: Option<u32>,
}

impl Tool for Impact {
    const NAME: &'static str = "impact";
    const TITLE: &'static str = "What a change can reach";
    const ABOUT: &'static str = "Show what a change of a symbol or file can break: callers, references, \
        subtypes and tests by package, owners to ask, and unresolved calls.";
    const GROUPS: &'static [Group] = &[Group::Core, Group::Code];
    const LISTS: &'static [&'static str] = &["/packages"];

    type Params = ImpactParams;
    type Answer = reach::Impact;

    fn text(answer: &Self::Answer, format: Format) -> Option<String> {
        (format != Format::Json).then(|| agent_text::impact(answer))
    }

    fn payload(answer: &Self::Answer) -> Option<Payload> {
        Some(payload::of_impact(answer))
    }

    fn answer(call: &Call, params: ImpactParams) -> Result<reach::Impact> {
        let limit = within("limit", params.limit, 100, 5_000)?;
        let options = walk(params.depth, 3, limit, params.min_confidence, reach::KINDS)?;
        let scope = scope(call, params.repo.as_deref(), params.at.as_deref())?;
        reach::impact(call.reader()?, &scope, &params.target, &options)?
            .with_runtime(call.reader()?, call.now)
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NeighbourParams {
    /// Name or its end, name(parameters), path:line
    symbol: String,
    /// Each overload by itself (default false)
    split: Option<bool>,
    repo: Option<String>,
    at: Option<String>,
    /// Steps, 1 to 50 (default 1, of a hierarchy all)
    depth: Option<u32>,
    /// 0 to 1 (default 0)
    min_confidence: Option<f64>,
    /// 1 to 5000 (default 50)
    limit: Option<u32>,
}

fn around(call: &Call, params: &NeighbourParams, asked: Question) -> Result<Neighbours> {
    let limit = within("limit", params.limit, 50, 5_000)?;
    let sure = params.min_confidence;
    let options = walk(params.depth, asked.depth(), limit, sure, asked.kinds())?;
    let scope = scope(call, params.repo.as_deref(), params.at.as_deref())?;
    let is_split = params.split.unwrap_or_default();
    neighbours(call.reader()?, &scope, &params.symbol, asked, &options, is_split)?
        .with_runtime(call.reader()?, call.now)
}

impl Tool for Callers {
    const NAME: &'static str = "callers";
    const TITLE: &'static str = "Who calls a symbol";
    const ABOUT: &'static str = "List callers of a symbol; depth follows theirs. Unresolved calls of \
        its name are counted apart from no calls at all.";
    const GROUPS: &'static [Group] = &[Group::Code];
    const LISTS: &'static [&'static str] = &["/found"];

    type Params = NeighbourParams;
    type Answer = Neighbours;

    fn text(answer: &Self::Answer, format: Format) -> Option<String> {
        (format != Format::Json).then(|| agent_text::neighbours(answer))
    }

    fn payload(answer: &Self::Answer) -> Option<Payload> {
        Some(payload::of_neighbours(answer))
    }

    fn answer(call: &Call, params: NeighbourParams) -> Result<Neighbours> {
        around(call, &params, Question::Callers)
    }
}

impl Tool for Callees {
    const NAME: &'static str = "callees";
    const TITLE: &'static str = "What a symbol calls";
    const ABOUT: &'static str = "List what a symbol calls, or with a depth what those call too, and \
        the calls in it that could not be resolved.";
    const GROUPS: &'static [Group] = &[Group::Code];
    const LISTS: &'static [&'static str] = &["/found"];

    type Params = NeighbourParams;
    type Answer = Neighbours;

    fn text(answer: &Self::Answer, format: Format) -> Option<String> {
        (format != Format::Json).then(|| agent_text::neighbours(answer))
    }

    fn payload(answer: &Self::Answer) -> Option<Payload> {
        Some(payload::of_neighbours(answer))
    }

    fn answer(call: &Call, params: NeighbourParams) -> Result<Neighbours> {
        around(call, &params, Question::Callees)
    }
}

impl Tool for Overrides {
    const NAME: &'static str = "overrides";
    const TITLE: &'static str = "What overrides a method";
    const ABOUT: &'static str = "List the methods that override or implement a method, and what \
        it overrides itself.";
    const GROUPS: &'static [Group] = &[Group::Code];
    const LISTS: &'static [&'static str] = &["/found"];

    type Params = NeighbourParams;
    type Answer = Neighbours;

    fn text(answer: &Self::Answer, format: Format) -> Option<String> {
        (format != Format::Json).then(|| agent_text::neighbours(answer))
    }

    fn payload(answer: &Self::Answer) -> Option<Payload> {
        Some(payload::of_neighbours(answer))
    }

    fn answer(call: &Call, params: NeighbourParams) -> Result<Neighbours> {
        around(call, &params, Question::Overrides)
    }
}

impl Tool for Subtypes {
    const NAME: &'static str = "subtypes";
    const TITLE: &'static str = "What inherits from a type";
    const ABOUT: &'static str = "List the types that inherit from a class or implement an \
        interface, at any depth, and the type's own bases.";
    const GROUPS: &'static [Group] = &[Group::Code];
    const LISTS: &'static [&'static str] = &["/found"];

    type Params = NeighbourParams;
    type Answer = Neighbours;

    fn text(answer: &Self::Answer, format: Format) -> Option<String> {
        (format != Format::Json).then(|| agent_text::neighbours(answer))
    }

    fn payload(answer: &Self::Answer) -> Option<Payload> {
        Some(payload::of_neighbours(answer))
    }

    fn answer(call: &Call, params: NeighbourParams) -> Result<Neighbours> {
        around(call, &params, Question::Subtypes)
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FlowParams {
    /// Where the way begins: a symbol
    from: String,
    /// Where it ends: a symbol
    to: String,
    repo: Option<String>,
    at: Option<String>,
    /// Steps, 1 to 50 (default 10)
    depth: Option<u32>,
}

impl Tool for Flow {
    const NAME: &'static str = "flow";
    const TITLE: &'static str = "How one symbol comes to call another";
    const ABOUT: &'static str = "Find the shortest call paths from one symbol to another, with file \
        and line of each step.";
    const GROUPS: &'static [Group] = &[Group::Code];
    const LISTS: &'static [&'static str] = &["/paths"];

    type Params = FlowParams;
    type Answer = ways::Flow;

    fn text(answer: &Self::Answer, format: Format) -> Option<String> {
        if format == Format::Json { None } else { agent_text::flow(answer) }
    }

    fn answer(call: &Call, params: FlowParams) -> Result<ways::Flow> {
        let options = walk(params.depth, 10, 500, None, &[EdgeKind::Calls])?;
        let scope = scope(call, params.repo.as_deref(), params.at.as_deref())?;
        ways::flow(call.reader()?, &scope, (&params.from, &params.to), &options)
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OverviewParams {
    repo: Option<String>,
    at: Option<String>,
    /// 1 to 1000 (default 20)
    limit: Option<u32>,
}

impl Tool for Communities {
    const NAME: &'static str = "communities";
    const TITLE: &'static str = "Parts of the code that belong together";
    const ABOUT: &'static str = "Show groups of symbols that belong together by their calls and \
        imports, largest first, with where they lie and what is at their centre. For finding one's \
        way in code one does not know.";
    const GROUPS: &'static [Group] = &[Group::Code];
    const LISTS: &'static [&'static str] = &["/communities"];

    type Params = OverviewParams;
    type Answer = Groups;

    fn answer(call: &Call, params: OverviewParams) -> Result<Groups> {
        let limit = within("limit", params.limit, 20, 1_000)?;
        let scope = scope(call, params.repo.as_deref(), params.at.as_deref())?;
        communities::communities(call.reader()?, &scope, limit)
    }
}

impl Tool for RepoGraph {
    const NAME: &'static str = "repo_graph";
    const TITLE: &'static str = "Which packages use which";
    const ABOUT: &'static str = "Show the packages of a repository with their size, and which of \
        them use which others, strongest first.";
    const GROUPS: &'static [Group] = &[Group::Code];
    const LISTS: &'static [&'static str] = &["/uses"];

    type Params = OverviewParams;
    type Answer = PackageGraph;

    fn answer(call: &Call, params: OverviewParams) -> Result<PackageGraph> {
        let limit = within("limit", params.limit, 20, 1_000)?;
        let scope = scope(call, params.repo.as_deref(), params.at.as_deref())?;
        overview::packages(call.reader()?, &scope, limit)
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RoutesParams {
    /// Only routes with this in their method, pattern, file or handler
    #[serde(default)]
    pattern: String,
    repo: Option<String>,
    at: Option<String>,
    /// 1 to 1000 (default 50)
    limit: Option<u32>,
}

impl Tool for Routes {
    const NAME: &'static str = "routes";
    const TITLE: &'static str = "Where requests arrive";
    const ABOUT: &'static str = "List the HTTP routes of a repository: method, pattern, and the \
        function that answers, with file and line.";
    const GROUPS: &'static [Group] = &[Group::Code];
    const LISTS: &'static [&'static str] = &["/routes"];

    type Params = RoutesParams;
    type Answer = arriving::Routes;

    fn answer(call: &Call, params: RoutesParams) -> Result<arriving::Routes> {
        let limit = within("limit", params.limit, 50, 1_000)?;
        let scope = scope(call, params.repo.as_deref(), params.at.as_deref())?;
        arriving::routes(call.reader()?, &scope, &params.pattern, limit)
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OwnersParams {
    /// Path from the root of the repository
    path: String,
    repo: Option<String>,
    at: Option<String>,
}

impl Tool for Owners {
    const NAME: &'static str = "owners";
    const TITLE: &'static str = "Who owns a file";
    const ABOUT: &'static str = "Show who owns a path by the CODEOWNERS of the indexed commit, and by \
        which rule.";
    const GROUPS: &'static [Group] = &[Group::Code];
    const LISTS: &'static [&'static str] = &["/owners"];

    type Params = OwnersParams;
    type Answer = owning::Owners;

    fn answer(call: &Call, params: OwnersParams) -> Result<owning::Owners> {
        let scope = scope(call, params.repo.as_deref(), params.at.as_deref())?;
        owning::owners(call.reader()?, &scope, &params.path)
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DiffParams {
    /// An indexed commit, branch, tag or snapshot (@12) to compare with
    base: String,
    /// The other one (default: what is checked out)
    head: Option<String>,
    repo: Option<String>,
}

impl Tool for SnapshotDiff {
    const NAME: &'static str = "snapshot_diff";
    const TITLE: &'static str = "What changed between two snapshots";
    const ABOUT: &'static str = "Compare two indexed states of the code: symbols that came, went or \
        moved to another file, and relations that came or went.";
    const GROUPS: &'static [Group] = &[Group::Code];
    const LISTS: &'static [&'static str] = &["/changes", "/edges"];

    type Params = DiffParams;
    type Answer = Difference;

    fn answer(call: &Call, params: DiffParams) -> Result<Difference> {
        let base = scope(call, params.repo.as_deref(), Some(&params.base))?;
        let head = scope(call, params.repo.as_deref(), params.head.as_deref())?;
        overview::difference(call.reader()?, &base, &head)
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StaleParams {
    /// Also snapshots at least so many days old
    days: Option<u64>,
}

impl Tool for Stale {
    const NAME: &'static str = "stale";
    const TITLE: &'static str = "What is ahead of the index";
    const ABOUT: &'static str = "Show which local clones are ahead of what is indexed of their code, \
        which edges that outdates, and what to index first.";
    const GROUPS: &'static [Group] = &[Group::Code];
    const LISTS: &'static [&'static str] = &["/places"];

    type Params = StaleParams;
    type Answer = Staleness;

    fn answer(call: &Call, params: StaleParams) -> Result<Staleness> {
        ledger::staleness(call.reader()?, params.days, call.now)
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MapParams {
    /// A folder or a type to look into (default: the whole repository)
    target: Option<String>,
    repo: Option<String>,
    at: Option<String>,
}

impl Tool for Map {
    const NAME: &'static str = "map";
    const TITLE: &'static str = "A repository at a glance";
    const ABOUT: &'static str = "Show a repository, a folder or a class at a glance: languages, \
        folders and what they hold, entry points, routes, what is called, extended and changed most, \
        with file and line. The first thing to read in code one does not know.";
    const GROUPS: &'static [Group] = &[Group::Code];

    type Params = MapParams;
    type Answer = RepoMap;

    fn answer(call: &Call, params: MapParams) -> Result<RepoMap> {
        let scope = scope(call, params.repo.as_deref(), params.at.as_deref())?;
        map::map(call.reader()?, &scope, params.target.as_deref(), &[])
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OutlineParams {
    /// Path of a file, or the end of it, or a type
    path: String,
    /// Fields, variables and inner functions too (default false)
    all: Option<bool>,
    repo: Option<String>,
    at: Option<String>,
}

impl Tool for Outline {
    const NAME: &'static str = "outline";
    const TITLE: &'static str = "What a file defines";
    const ABOUT: &'static str = "List the types, functions and methods of a file, or the members of a type, with \
        their lines and signatures, without the bodies.";
    const GROUPS: &'static [Group] = &[Group::Code];
    const LISTS: &'static [&'static str] = &["/symbols"];

    type Params = OutlineParams;
    type Answer = FileOutline;

    fn text(answer: &Self::Answer, format: Format) -> Option<String> {
        (format != Format::Json).then(|| agent_text::outline(answer))
    }

    fn answer(call: &Call, params: OutlineParams) -> Result<FileOutline> {
        let scope = scope(call, params.repo.as_deref(), params.at.as_deref())?;
        let is_full = params.all.unwrap_or_default();
        outline::outline(call.reader()?, &scope, &params.path, is_full)
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReadParams {
    /// A symbol, or a path with lines: `app.py:10-40`
    target: String,
    /// Lines, 1 to 5000 (default 200)
    limit: Option<u32>,
    repo: Option<String>,
    at: Option<String>,
}

impl Tool for Read {
    const NAME: &'static str = "read";
    const TITLE: &'static str = "The source of a symbol";
    const ABOUT: &'static str = "Print exactly one function, class or range of lines as it is in the \
        work tree, with the last commit that changed the file.";
    const GROUPS: &'static [Group] = &[Group::Code];

    type Params = ReadParams;
    type Answer = SourceSlice;

    fn answer(call: &Call, params: ReadParams) -> Result<SourceSlice> {
        let most_lines = within("limit", params.limit, 200, 5_000)? as u32;
        let scope = scope(call, params.repo.as_deref(), params.at.as_deref())?;
        read::read(call.reader()?, &scope, &params.target, most_lines)
    }
}
