use super::{Command, Run};
use crate::args;
use crate::ctx::Ctx;
use crate::work_tree_overlay;
use crate::ui::{Painter, Show, Ui};
use insight::ask::{IndexLookup, Intent, Route, route};
use model::{Error, ErrorCode, Result};
use schemars::JsonSchema;
use serde::Serialize;
use std::ffi::OsString;
use store::Reader;

/// Ask a question in plain words
///
/// Reads what the question is about (a reference, a line, a file, the name of a
/// symbol) and what it asks for, and runs the command that answers it: why,
/// callers, impact, tests, symbol, find, flow, experts, owners, history, timeline, context
/// or search.
/// `lore "QUESTION"` does the same.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  lore ask 'who calls Session.get'
  lore ask 'what breaks if I change slugify'
  lore ask 'why is src/auth/oauth.rs:45 so'
  lore ask --explain 'what happened with dark mode'")]
pub struct Args {
    /// The question
    #[arg(required = true, num_args = 1.., allow_hyphen_values = true)]
    question: Vec<String>,
    /// Only print the command that would answer
    #[arg(long)]
    explain: bool,
}

/// The command a question stands for.
#[derive(Debug, Serialize, JsonSchema)]
pub struct AskAnswer {
    pub command: Vec<String>,
}

impl Show for AskAnswer {
    fn text(&self, out: &mut Painter) {
        let words = self.command.iter().map(|word| model::text::shell_quoted(word));
        out.line(&words.collect::<Vec<_>>().join(" "));
    }
}

impl Run for Args {
    type Answer = AskAnswer;

    fn run(&self, ctx: &Ctx, ui: &mut Ui) -> Result<AskAnswer> {
        Ok(AskAnswer { command: command_line(&self.meant(ctx, ui)?) })
    }
}

impl Args {
    pub fn of(question: String) -> Self {
        Args { question: vec![question], explain: false }
    }

    /// Answers where a command that was typed could not; its error where the question
    /// leads to the same again.
    pub fn answer_instead(&self, error: Error, ctx: &Ctx, ui: &mut Ui) -> Result<()> {
        let meant = self.meant(ctx, ui)?;
        if meant.intent == Intent::Why && meant.subject.contains(char::is_whitespace) {
            return Err(error);
        }
        self.answer(ctx, ui)
    }

    /// Runs the command that answers; a name that is not found is searched for.
    pub fn answer(&self, ctx: &Ctx, ui: &mut Ui) -> Result<()> {
        if self.explain {
            return super::present(self, ctx, ui);
        }
        let meant = self.meant(ctx, ui)?;
        let answered = parsed(ctx, &meant)?.run(ctx, ui);
        match answered {
            Err(error) if is_no_name(&error) && meant.as_text().is_some() => {
                // No symbol has the name, but files may say it.
                let route = meant.as_text().unwrap_or_else(|| meant.clone());
                match parsed(ctx, &route)?.run(ctx, ui) {
                    Ok(()) => ui.warn(error.message()),
                    Err(_) => return Err(error),
                }
                Ok(())
            }
            Err(error) if error.code() == ErrorCode::NotIndexed => {
                // Without a forge commits may still name the number.
                let Some(route) = meant.as_mention().filter(|_| is_indexed(ctx, ui)) else {
                    return Err(error);
                };
                ui.warn(error.message());
                parsed(ctx, &route)?.run(ctx, ui)
            }
            Err(error)
                if meant.may_be_searched()
                    && matches!(error.code(), ErrorCode::NotFound | ErrorCode::Ambiguous) =>
            {
                ui.warn(error.message());
                let question = self.question.join(" ");
                parsed(ctx, &Route::search(&question))?.run(ctx, ui)
            }
            answered => answered,
        }
    }

    fn meant(&self, ctx: &Ctx, ui: &mut Ui) -> Result<Route> {
        let question = self.question.join(" ");
        if args::says_nothing(&question) {
            return Err(Error::usage("the question is empty").suggest("lore help ask"));
        }
        let reader = Reader::open(&ctx.db_path(ui)?)?;
        let known = IndexLookup::new(&reader, &ctx.env.cwd)
            .over_work_tree(|scope| work_tree_overlay::over_work_tree(&reader, scope));
        let meant = route(&question, &known);
        if matches!(meant.intent, Intent::Search | Intent::Decided | Intent::Origin)
            && let Some(missing) = known.into_missing(&ctx.env.cwd)
        {
            return Err(missing);
        }
        ui.detail(&format!("asked as: {}", command_line(&meant).join(" ")));
        Ok(meant)
    }
}

/// Whether the clone around is indexed: what others hold is about something else.
fn is_indexed(ctx: &Ctx, ui: &mut Ui) -> bool {
    let reader = ctx.db_path(ui).and_then(|file| Reader::open(&file));
    reader.is_ok_and(|reader| {
        IndexLookup::new(&reader, &ctx.env.cwd).into_missing(&ctx.env.cwd).is_none()
    })
}

fn is_no_name(error: &Error) -> bool {
    error.code() == ErrorCode::NotFound
}

fn parsed(ctx: &Ctx, route: &Route) -> Result<Command> {
    let words: Vec<OsString> = command_line(route).into_iter().map(OsString::from).collect();
    let cli = args::parse(&words, &ctx.env)
        .map_err(|refusal| Error::internal("a question led to no command").caused_by(refusal))?;
    Ok(cli.command)
}

/// Symbols in the answer to a question.
const FEW: usize = 10;

/// As it could be typed.
fn command_line(route: &Route) -> Vec<String> {
    let name = match route.intent {
        Intent::FileHistory => "file-history",
        intent => intent.as_str(),
    };
    let mut words = vec!["lore".to_owned(), name.to_owned()];
    if route.intent == Intent::Routes && !route.subject.starts_with('/') {
        return words;
    }
    if route.intent == Intent::Context {
        // A question wants the place to look at, not all there is to read.
        words.extend(["-n".to_owned(), FEW.to_string()]);
    }
    if matches!(route.intent, Intent::Search | Intent::Decided | Intent::Origin) {
        // What others did in other repositories answers no question that is asked here.
        words.push("--here".to_owned());
    }
    match route.intent {
        Intent::Decided => words.push("--decided".to_owned()),
        Intent::Origin => words.push("--oldest".to_owned()),
        _ => {}
    }
    if let Some(about) = &route.about {
        words.push(format!("--about={about}"));
    }
    // What people ask is no flag, whatever it begins with.
    words.push("--".to_owned());
    words.push(route.subject.clone());
    words.extend(route.to.clone());
    words
}
