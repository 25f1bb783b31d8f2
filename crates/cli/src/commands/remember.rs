use super::Run;
use crate::config::repo_trust::FirstMemory;
use crate::ctx::Ctx;
use crate::memory_roots::{self, PlaceArgs};
use crate::ui::{Label, Painter, Show, Ui};
use git::Repo;
use memory::draft::{self, Draft};
use memory::{ConflictPolicy, SaveReport, KeptRecord, Root};
use model::memory::{RecordId, RecordKind};
use model::{Error, Result};
use std::io::{Read as _, Write as _};

/// Record a decision, a pattern or a handoff
///
/// Written to plain files under `.lore/memory/` of the repository, for you and
/// your team to review and commit; with --personal, to your own data directory.
/// Without a text, your editor opens; `-` reads text or JSON from stdin.
#[derive(Debug, clap::Args)]
#[command(visible_alias = "learn")]
#[command(after_help = "Examples:
  lore remember decision 'SQLite in WAL mode, not PostgreSQL' --why 'one writer, nobody to run a server' --link '#3'
  lore remember pattern 'Full jitter' --problem 'all gateways retry at once' --solution 'wait a random time up to the cap' --confidence 0.9
  lore remember handoff 'Two-hour warning: draft works' --next 'ask Olwen about dew' --link '!43'
  lore remember decision - --tag storage
  lore remember pattern 'Claim before sending' --personal --tag alarms")]
pub struct Args {
    #[command(subcommand)]
    what: RememberCommand,
}

#[derive(Debug, clap::Subcommand)]
enum RememberCommand {
    /// What was decided, and why
    Decision(DecisionArgs),
    /// A reusable lesson
    Pattern(PatternArgs),
    /// State of unfinished work, for whoever continues
    Handoff(HandoffArgs),
}

/// What every kind has.
#[derive(Debug, clap::Args)]
struct Common {
    #[command(flatten)]
    place: PlaceArgs,
    /// Record it even if a similar or contradicting record exists
    #[arg(long)]
    force: bool,
    /// Mark this record as superseded by the new one (repeatable)
    #[arg(long, value_name = "ID")]
    supersede: Vec<String>,
}

#[derive(Debug, clap::Args)]
struct DecisionArgs {
    /// What was decided; `-` reads it from stdin
    #[arg(value_name = "DECISION")]
    text: Option<String>,
    /// Rationale
    #[arg(long, alias = "rationale", value_name = "TEXT")]
    why: Option<String>,
    /// Alternative that was considered (repeatable)
    #[arg(long, value_name = "TEXT")]
    alternative: Vec<String>,
    /// Tag (repeatable)
    #[arg(long, value_name = "TAG")]
    tag: Vec<String>,
    /// Project (default: the one of the repository)
    #[arg(short, long, value_name = "PROJECT")]
    project: Option<String>,
    /// Importance, 1 to 5 (default: 3)
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=5))]
    importance: Option<u8>,
    /// Link to #12, !34, path, path:line, symbol or commit (repeatable)
    #[arg(long, value_name = "END")]
    link: Vec<String>,
    /// Author (default: you)
    #[arg(long, value_name = "NAME")]
    author: Option<String>,
    #[command(flatten)]
    common: Common,
}

#[derive(Debug, clap::Args)]
struct PatternArgs {
    /// Name of the pattern; `-` reads it from stdin
    #[arg(value_name = "NAME")]
    text: Option<String>,
    /// When it applies
    #[arg(long, value_name = "TEXT")]
    context: Option<String>,
    /// What goes wrong without it
    #[arg(long, value_name = "TEXT")]
    problem: Option<String>,
    /// What to do
    #[arg(long, value_name = "TEXT")]
    solution: Option<String>,
    /// Confidence, 0 to 1 (default: 0.5)
    #[arg(long, value_name = "N")]
    confidence: Option<f64>,
    /// Tag (repeatable)
    #[arg(long, value_name = "TAG")]
    tag: Vec<String>,
    #[command(flatten)]
    common: Common,
}

#[derive(Debug, clap::Args)]
struct HandoffArgs {
    /// What was done; `-` reads it from stdin
    #[arg(value_name = "SUMMARY")]
    text: Option<String>,
    /// Next step (repeatable)
    #[arg(long, value_name = "TEXT")]
    next: Vec<String>,
    /// Open question (repeatable)
    #[arg(long, value_name = "TEXT")]
    question: Vec<String>,
    /// Project (default: the one of the repository)
    #[arg(short, long, value_name = "PROJECT")]
    project: Option<String>,
    /// Link to #12, !34, path, path:line, symbol or commit (repeatable)
    #[arg(long, value_name = "END")]
    link: Vec<String>,
    /// Author (default: you)
    #[arg(long, value_name = "NAME")]
    author: Option<String>,
    #[command(flatten)]
    common: Common,
}

impl Args {
    /// Whether the command line says it all: no editor and no input are needed.
    pub fn is_self_contained(&self) -> bool {
        let text = match &self.what {
            RememberCommand::Decision(it) => &it.text,
            RememberCommand::Pattern(it) => &it.text,
            RememberCommand::Handoff(it) => &it.text,
        };
        text.as_deref().is_some_and(|text| text != "-")
    }
}

impl Run for Args {
    type Answer = SaveReport;

    fn run(&self, ctx: &Ctx, ui: &mut Ui) -> Result<SaveReport> {
        let (kind, common, text) = match &self.what {
            RememberCommand::Decision(it) => (RecordKind::Decision, &it.common, it.text.as_deref()),
            RememberCommand::Pattern(it) => (RecordKind::Pattern, &it.common, it.text.as_deref()),
            RememberCommand::Handoff(it) => (RecordKind::Handoff, &it.common, it.text.as_deref()),
        };
        let root = common.place.root(ctx)?;
        let supersede = common.supersede.iter().map(|id| known_id(ctx, ui, id));
        let choice =
            ConflictPolicy { force: common.force, supersede: supersede.collect::<Result<Vec<_>>>()? };
        let drafts = match text {
            Some("-") => Draft::read(kind, &stdin()?)?,
            Some(text) => vec![plain(kind, text)],
            None if ui.can_ask() => Draft::read(kind, &edited(ctx, draft::template(kind))?)?,
            None => {
                return Err(Error::usage(format!("what is the {kind}?")).suggest(format!(
                    "lore remember {kind} 'text', or `-` to read it from stdin"
                )));
            }
        };
        let mut records = Vec::new();
        for draft in drafts {
            let first = FirstMemory::of(&root);
            match self.keep(ctx, &root, draft, &choice) {
                Ok(kept) => {
                    memory_roots::pin_first(ctx, ui, first);
                    records.push(kept);
                }
                Err(error) => {
                    // What was written before it stays, and must be findable.
                    if !records.is_empty() {
                        memory_roots::follow(ctx, ui, &root);
                    }
                    return Err(error);
                }
            }
        }
        memory_roots::follow(ctx, ui, &root);
        Ok(SaveReport { records })
    }
}

impl Args {
    fn keep(&self, ctx: &Ctx, root: &Root, draft: Draft, choice: &ConflictPolicy) -> Result<KeptRecord> {
        let kept = root.remember(self.completed(ctx, draft), choice, ctx.now())?;
        Ok(KeptRecord::of(root, kept))
    }

    /// With what the flags say.
    fn completed(&self, ctx: &Ctx, draft: Draft) -> Draft {
        let author = |given: &Option<String>| given.clone().or_else(|| author(ctx));
        match (draft, &self.what) {
            (Draft::Decision(mut it), RememberCommand::Decision(args)) => {
                set(&mut it.rationale, args.why.as_ref());
                it.alternatives.extend(args.alternative.iter().cloned());
                it.tags.extend(args.tag.iter().cloned());
                it.links.extend(args.link.iter().cloned());
                it.project = args.project.clone().or(it.project);
                it.importance = args.importance.or(it.importance);
                it.author = it.author.or_else(|| author(&args.author));
                Draft::Decision(it)
            }
            (Draft::Pattern(mut it), RememberCommand::Pattern(args)) => {
                set(&mut it.context, args.context.as_ref());
                set(&mut it.problem, args.problem.as_ref());
                set(&mut it.solution, args.solution.as_ref());
                it.confidence = args.confidence.or(it.confidence);
                it.tags.extend(args.tag.iter().cloned());
                Draft::Pattern(it)
            }
            (Draft::Handoff(mut it), RememberCommand::Handoff(args)) => {
                it.next_steps.extend(args.next.iter().cloned());
                it.open_questions.extend(args.question.iter().cloned());
                it.links.extend(args.link.iter().cloned());
                it.project = args.project.clone().or(it.project);
                it.author = it.author.or_else(|| author(&args.author));
                Draft::Handoff(it)
            }
            (draft, _) => draft,
        }
    }
}

fn set(field: &mut String, given: Option<&String>) {
    if let Some(given) = given {
        field.clone_from(given);
    }
}

fn plain(kind: RecordKind, text: &str) -> Draft {
    match kind {
        RecordKind::Decision => Draft::Decision(draft::decision(text)),
        RecordKind::Pattern => Draft::Pattern(draft::pattern(text)),
        RecordKind::Handoff => Draft::Handoff(draft::handoff_of(text)),
    }
}

/// An id as typed, or a beginning of one.
pub fn known_id(ctx: &Ctx, ui: &mut Ui, text: &str) -> Result<RecordId> {
    let level = memory_roots::level(ctx, ui, &[])?;
    insight::memory::resolve(&level.reader, text)
}

/// Whoever is at work here.
pub fn author(ctx: &Ctx) -> Option<String> {
    ctx.env
        .var("GIT_AUTHOR_NAME")
        .map(str::to_owned)
        .or_else(|| Repo::open(&ctx.env.cwd).ok()?.user_name())
        .or_else(|| ctx.env.var("USER").map(str::to_owned))
}

/// Everything on stdin, up to what anybody would write.
pub fn stdin() -> Result<String> {
    const MOST: u64 = 16 * 1024 * 1024;
    let mut bytes = Vec::new();
    std::io::stdin()
        .lock()
        .take(MOST)
        .read_to_end(&mut bytes)
        .map_err(|error| {
            Error::usage("cannot read standard input")
                .suggest("give the text on the command line")
                .caused_by(error)
        })?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The text a person makes of a template in their editor.
fn edited(ctx: &Ctx, template: &str) -> Result<String> {
    let editor = ctx.env.var("VISUAL").or_else(|| ctx.env.var("EDITOR")).unwrap_or("vi");
    let failed = |error: std::io::Error| {
        Error::usage(format!("cannot run the editor `{editor}`"))
            .suggest("set EDITOR, or give the text on the command line")
            .caused_by(error)
    };
    let mut file = tempfile::Builder::new().suffix(".md").tempfile().map_err(failed)?;
    file.write_all(template.as_bytes()).map_err(failed)?;
    // Through a shell, because people write `code --wait` there.
    let status = std::process::Command::new("sh")
        .args(["-c", "$0 \"$1\"", editor])
        .arg(file.path())
        .status()
        .map_err(failed)?;
    if !status.success() {
        return Err(Error::usage(format!("the editor `{editor}` failed; nothing was saved"))
            .suggest("set EDITOR, or give the text on the command line"));
    }
    let text = std::fs::read_to_string(file.path()).map_err(failed)?;
    if text.trim() == template.trim() {
        return Err(Error::usage("the template was not changed; nothing was saved")
            .suggest("give the text on the command line"));
    }
    Ok(text)
}

impl Show for SaveReport {
    fn text(&self, out: &mut Painter) {
        for record in &self.records {
            out.label(Label::Id, record.id.as_str()).text("  ").text(&record.title).end();
            for old in &record.superseded {
                out.text("  supersedes ").label(Label::Id, old.as_str()).end();
            }
            for other in &record.despite {
                out.text("  kept beside ").label(Label::Id, other.as_str()).end();
            }
        }
    }
}
