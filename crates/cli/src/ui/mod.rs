//! The terminal: the only part of lore that writes to stdout and stderr.
//!
//! stdout carries the answer and nothing else; notes, warnings, progress and
//! errors go to stderr. With `--json` the answer is kept until the end, so
//! that exactly one document leaves, whatever happens on the way.

mod budgets;
mod envelope;
pub mod failure;
pub mod fields;
mod pager;
mod painter;
mod progress;
mod prompt;
mod table;
mod tape;
pub mod terminal;

pub use envelope::{Envelope, ErrorDocument, Meta};
pub use painter::{Label, Painter, TextStyle};
pub use table::{Cell, Column, Table};
pub use tape::CaptureBuffer;
pub use terminal::ColorWhen;

use crate::args::Globals;
use crate::env::Env;
use fields::{FieldSelection, Selection};
use model::text::clean;
use model::{Error, Progress, Result};
use pager::Pager;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};
use std::io::{self, Write};
use std::sync::Arc;
use wire::agent_form;

/// A typed answer: its fields are its JSON form, and this is its one form for
/// people. Nobody else formats it.
pub trait Show: Serialize + JsonSchema {
    fn text(&self, out: &mut Painter);

    /// The same for an agent, where that is shorter than what people read.
    fn agent(&self) -> Option<String> {
        None
    }

    /// What is said about the answer, such as how it was found: part of `meta` in JSON.
    fn meta(&self) -> Map<String, Value> {
        Map::new()
    }

    /// An answer that nevertheless means failure: it is shown in full and the
    /// process ends with this error's exit code.
    fn failure(&self) -> Option<Error> {
        None
    }

    /// What is written instead of the text, where the form is no text.
    fn bytes(&self) -> Option<&[u8]> {
        None
    }
}

/// How the mark of a cut answer goes on.
fn how_to_get_more(all: usize) -> String {
    format!("all of it: --budget {}", all.next_multiple_of(100))
}

/// An answer as an agent reads it: the text that a pipe gets, or lines of `key=value`,
/// whichever has fewer tokens.
fn agent_text<A: Show>(answer: &A, look: &TextStyle) -> Result<String> {
    if let Some(text) = answer.agent() {
        return Ok(model::text::clean_for_prompt(&text));
    }
    let mut painter = Painter::new(TextStyle { absolute_dates: true, ..TextStyle::pipe(look.now) });
    answer.text(&mut painter);
    let text = painter.finish();
    let value = serde_json::to_value(answer).map_err(|error| {
        Error::internal("cannot write the answer for an agent").caused_by(error)
    })?;
    let lines = agent_form::write(&value);
    let shorter = if text.trim().is_empty() { lines } else { agent_form::shorter(text, lines) };
    Ok(model::text::clean_for_prompt(&shorter))
}

/// stdout for the lines of a protocol, in a process that says nothing else.
pub fn protocol() -> Box<dyn Write + Send> {
    Box::new(io::stdout())
}

/// stderr for the log of a daemon in the foreground.
pub fn log_stream() -> Box<dyn Write + Send> {
    Box::new(io::stderr())
}

/// Owns the streams and knows how each may look.
pub struct Ui {
    env: Env,
    look: TextStyle,
    stderr_look: TextStyle,
    stdin_is_tty: bool,
    format: Format,
    is_quiet: bool,
    verbosity: u8,
    pager: Option<Pager>,
    out: Box<dyn Write>,
    err: Box<dyn Write>,
    data: Option<Value>,
    /// What the answer says about itself.
    meta: Map<String, Value>,
    warnings: Vec<String>,
    /// The reader of stdout has left; what is still to be said is of no use.
    is_cut_off: bool,
    /// Who is told of long work instead of a person.
    progress: Option<Arc<dyn Progress>>,
    /// The command that answers.
    command: &'static str,
    /// Tokens the answer may have, where somebody said so.
    budget: Option<usize>,
    /// What an answer in the agent form cost, and of which command.
    cost: Option<(&'static str, u64)>,
}

enum Format {
    Text,
    /// For agents, who pay by the token.
    Agent,
    Json {
        wanted: Option<FieldSelection>,
        selection: Option<Selection>,
        /// `--json` itself was given, not only `--fields`.
        is_explicit: bool,
    },
}

impl Ui {
    pub fn new(env: &Env, globals: &Globals) -> Self {
        Ui::on(env, globals, Box::new(io::stdout()), Box::new(io::stderr()))
    }

    /// Says nothing to anybody: warnings are kept, progress goes to `progress`.
    pub fn silent(env: &Env, globals: &Globals, progress: Arc<dyn Progress>) -> Self {
        let globals = Globals { json: true, fields: Vec::new(), ..globals.clone() };
        let mut ui = Ui::on(env, &globals, Box::new(io::sink()), Box::new(io::sink()));
        ui.stdin_is_tty = false;
        ui.progress = Some(progress);
        ui
    }

    /// On streams of somebody else, who is told of long work too.
    pub fn framed(
        env: &Env,
        globals: &Globals,
        out: Box<dyn Write>,
        err: Box<dyn Write>,
        progress: Arc<dyn Progress>,
    ) -> Self {
        let mut ui = Ui::on(env, globals, out, err);
        ui.progress = Some(progress);
        ui
    }

    /// Leaves stdout to others; errors go to stderr from now on, as text.
    pub fn leave_stdout(&mut self) {
        self.out = Box::new(io::sink());
        self.format = Format::Text;
    }

    /// What was warned about so far.
    pub fn take_warnings(&mut self) -> Vec<String> {
        std::mem::take(&mut self.warnings)
    }

    /// On streams of the caller's choice.
    pub fn on(env: &Env, globals: &Globals, out: Box<dyn Write>, err: Box<dyn Write>) -> Self {
        let wanted = FieldSelection::from_flag(&globals.fields);
        let is_explicit = globals.json || env.flag("LORE_ROBOT");
        let is_json = is_explicit || wanted.is_some();
        let look = TextStyle {
            is_tty: env.stdout_is_tty,
            width: env.width,
            color: terminal::wants_color(env, globals.color, env.stdout_is_tty),
            links: terminal::wants_links(env, globals.color, env.stdout_is_tty),
            absolute_dates: globals.absolute,
            is_verbose: globals.verbose > 0,
            now: env.now(),
        };
        let stderr_look = TextStyle {
            is_tty: env.stderr_is_tty,
            color: terminal::wants_color(env, globals.color, env.stderr_is_tty),
            links: false,
            ..look
        };
        Ui {
            look,
            stderr_look,
            stdin_is_tty: env.stdin_is_tty,
            format: if is_json {
                Format::Json { wanted, selection: None, is_explicit }
            } else if globals.agent || env.is_for_agent() {
                Format::Agent
            } else {
                Format::Text
            },
            is_quiet: globals.quiet,
            verbosity: globals.verbose,
            pager: terminal::pager_command(env, globals.no_pager)
                .map(|command| Pager::new(command, env)),
            out,
            err,
            data: None,
            meta: Map::new(),
            warnings: Vec::new(),
            is_cut_off: false,
            progress: None,
            command: "",
            budget: globals.budget,
            cost: None,
            env: env.clone(),
        }
    }

    pub fn is_json(&self) -> bool {
        matches!(self.format, Format::Json { .. })
    }

    pub fn is_agent(&self) -> bool {
        matches!(self.format, Format::Agent)
    }

    /// The command that answers from here on.
    pub fn begin(&mut self, command: &'static str) {
        self.command = command;
    }

    /// The answer is a text in a form of its own, whoever reads it.
    pub fn write_verbatim(&mut self) {
        self.format = Format::Text;
        self.budget = None;
        self.pager = None;
    }

    /// What the answer cost an agent; once.
    pub fn take_cost(&mut self) -> Option<(&'static str, u64)> {
        self.cost.take()
    }

    pub fn is_verbose(&self) -> bool {
        self.verbosity > 0
    }

    pub fn look(&self) -> &TextStyle {
        &self.look
    }

    /// Shows the answer of a command: at once as text, at the end as JSON.
    pub fn show<A: Show>(&mut self, answer: &A) -> Result<()> {
        match &self.format {
            Format::Text => {
                if let Some(bytes) = answer.bytes() {
                    return self.bytes_to_stdout(bytes);
                }
                let mut painter = Painter::new(self.look);
                answer.text(&mut painter);
                let text = painter.finish();
                let text = match self.budget {
                    Some(most) => agent_form::within(text, most, how_to_get_more),
                    None => text,
                };
                self.page(&text)
            }
            Format::Agent => {
                if let Some(bytes) = answer.bytes() {
                    return self.bytes_to_stdout(bytes);
                }
                let most = self.budget.unwrap_or_else(|| budgets::of(self.command));
                let text = agent_text(answer, &self.look)?;
                let text = agent_form::within(text, most, how_to_get_more);
                let tokens = wire::tokens::estimate(&text) as u64;
                self.cost = Some((self.command, tokens));
                self.to_stdout(&text)
            }
            Format::Json { selection, .. } => {
                let value = serde_json::to_value(answer).map_err(|error| {
                    Error::internal("cannot write the answer as JSON").caused_by(error)
                })?;
                let value = match selection {
                    Some(selection) => selection.apply(value),
                    None => value,
                };
                self.data = Some(match self.budget {
                    Some(most) => self.fitted(value, most),
                    None => value,
                });
                self.meta = answer.meta();
                Ok(())
            }
        }
    }

    /// The data within a budget; what was cut is warned about.
    fn fitted(&mut self, value: Value, most: usize) -> Value {
        let fitted = wire::fit::fit(value, None, 0, most);
        if fitted.cut != wire::fit::Cut::default() {
            let lists: Vec<String> = fitted
                .cut
                .lists
                .iter()
                .map(|it| format!("{} ({} of {})", it.list, it.shown, it.of))
                .collect();
            let what = if lists.is_empty() { "texts".to_owned() } else { lists.join(", ") };
            self.warn(&format!("cut to fit --budget {most}: {what}; a larger one shows more"));
        }
        fitted.data
    }

    /// Settles `--fields` against what the command will answer. True when
    /// only the list of fields was wanted and the command need not run.
    pub fn settle_fields<A: Show>(&mut self) -> Result<bool> {
        let Format::Json { wanted: Some(wanted), selection, is_explicit } = &mut self.format else {
            return Ok(false);
        };
        let known = fields::paths(schemars::schema_for!(A).as_value());
        match wanted {
            FieldSelection::Paths(paths) => {
                *selection = Some(Selection::new(paths, &known)?);
                Ok(false)
            }
            FieldSelection::List if *is_explicit => {
                self.data = Some(serde_json::json!({ "fields": known }));
                Ok(true)
            }
            FieldSelection::List => {
                let mut text = known.into_iter().collect::<Vec<_>>().join("\n");
                text.push('\n');
                self.to_stdout(&text)?;
                self.format = Format::Text;
                Ok(true)
            }
        }
    }

    /// Something worth knowing that is not the answer.
    pub fn note(&mut self, message: &str) {
        if !self.is_quiet {
            self.to_stderr(&format!("{}\n", clean(message)));
        }
    }

    /// Something only `-v` wants to know.
    pub fn detail(&mut self, message: &str) {
        if self.is_verbose() {
            let line = self.stderr_look.paint(Some(Label::Faint), &clean(message));
            self.to_stderr(&format!("{line}\n"));
        }
    }

    /// The answer is not the whole truth. Part of `meta` in JSON.
    pub fn warn(&mut self, message: &str) {
        if self.warnings.iter().any(|known| known == message) {
            return;
        }
        self.warnings.push(message.to_owned());
        if !self.is_json() {
            self.print_warning(message);
        }
    }

    fn print_warning(&mut self, message: &str) {
        if !self.is_quiet {
            let word = self.stderr_look.paint(Some(Label::Warning), "warning:");
            self.to_stderr(&format!("{word} {}\n", clean(message)));
        }
    }

    /// A reporter for long work; hand it to whoever does the work.
    pub fn progress(&self) -> Arc<dyn Progress> {
        if let Some(progress) = &self.progress {
            return Arc::clone(progress);
        }
        let is_live = self.env.stderr_is_tty
            && self.env.var("TERM") != Some("dumb")
            && !self.env.flag("LORE_NO_PROGRESS");
        match (self.is_quiet, is_live) {
            (true, _) => Arc::new(model::progress::NoProgress),
            (false, true) => Arc::new(progress::LiveProgress::new(true)),
            (false, false) => Arc::new(progress::PlainProgress::default()),
        }
    }

    /// Ends the conversation: the JSON document or the error. Returns the
    /// exit status.
    pub fn finish(&mut self, result: Result<()>) -> u8 {
        let (error, is_told) = match (self.is_json(), result) {
            (false, result) => (result.err(), false),
            (true, result) => {
                let error = result.err();
                match self.write_document(error.as_ref()) {
                    Ok(()) => (error, true),
                    Err(unwritten) => (Some(unwritten), false),
                }
            }
        };
        match error {
            _ if self.is_cut_off => 0,
            None => 0,
            Some(error) => {
                if !is_told {
                    let text = failure::render(&error, &self.stderr_look);
                    self.to_stderr(&text);
                }
                error.code().exit_code()
            }
        }
    }

    /// Ends with plain text whatever the format: help and the version.
    pub fn finish_with_text(&mut self, text: &str) -> u8 {
        self.format = Format::Text;
        let result = self.page(text);
        self.finish(result)
    }

    fn write_document(&mut self, error: Option<&Error>) -> Result<()> {
        let warnings = std::mem::take(&mut self.warnings);
        let data = match (self.data.take(), error) {
            (None, None) => Some(Value::Null),
            (data, _) => data,
        };
        if data.is_none() {
            for warning in &warnings {
                self.print_warning(warning);
            }
        }
        let meta = std::mem::take(&mut self.meta);
        let document = Envelope::new(data, error, self.env.elapsed(), warnings, meta);
        let mut text = document.render(self.look.is_tty);
        text.push('\n');
        self.to_stdout(&text)
    }

    fn page(&mut self, text: &str) -> Result<()> {
        if let Some(pager) = self.pager.as_ref().filter(|pager| pager.is_worth_it(text)) {
            let is_shown = pager
                .show(text)
                .map_err(|error| Error::internal("cannot write to the pager").caused_by(error))?;
            if is_shown {
                return Ok(());
            }
        }
        self.to_stdout(text)
    }

    /// Hands on a document that another process has made.
    pub fn pass_on(&mut self, document: &[u8]) -> Result<()> {
        self.bytes_to_stdout(document)
    }

    /// Writes to stdout. A reader that stops reading (`lore … | head`) is no
    /// error.
    pub fn to_stdout(&mut self, text: &str) -> Result<()> {
        self.bytes_to_stdout(text.as_bytes())
    }

    fn bytes_to_stdout(&mut self, bytes: &[u8]) -> Result<()> {
        if self.is_cut_off {
            return Ok(());
        }
        let written = self.out.write_all(bytes).and_then(|()| self.out.flush());
        match written {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                self.is_cut_off = true;
                Ok(())
            }
            Err(error) => Err(Error::internal("cannot write to standard output").caused_by(error)),
            Ok(()) => Ok(()),
        }
    }

    pub fn to_stderr(&mut self, text: &str) {
        // When even stderr fails there is nobody left to tell.
        let _ = self.err.write_all(text.as_bytes()).and_then(|()| self.err.flush());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};
    use model::ErrorCode;
    use std::collections::BTreeMap;

    struct Broken(io::ErrorKind);

    impl Write for Broken {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(self.0.into())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[derive(Serialize, JsonSchema)]
    struct Greeting {
        hello: String,
        n: u32,
    }

    impl Show for Greeting {
        fn text(&self, out: &mut Painter) {
            out.line(&self.hello);
        }
    }

    fn env() -> Env {
        let vars = BTreeMap::from([("LORE_NOW".to_owned(), "2024-05-01T00:00:00Z".to_owned())]);
        Env::from_vars(vars, "/".into())
    }

    /// Runs `act` and shows stdout, stderr and the exit status.
    fn check(globals: &Globals, act: impl FnOnce(&mut Ui) -> Result<()>, expected: Expect) {
        let (out, err) = (CaptureBuffer::default(), CaptureBuffer::default());
        let mut ui = Ui::on(&env(), globals, Box::new(out.clone()), Box::new(err.clone()));
        let result = act(&mut ui);
        let status = ui.finish(result);
        expected.assert_eq(&format!("{}--\n{}[{status}]\n", out.text(), err.text()));
    }

    fn greet(ui: &mut Ui) -> Result<()> {
        ui.warn("half of it is missing");
        ui.note("a note");
        if !ui.settle_fields::<Greeting>()? {
            ui.show(&Greeting { hello: "world".into(), n: 1 })?;
        }
        Ok(())
    }

    #[test]
    fn text_goes_to_stdout_and_the_rest_to_stderr() {
        check(
            &Globals::default(),
            greet,
            expect![[r"
                world
                --
                warning: half of it is missing
                a note
                [0]
            "]],
        );
    }

    #[test]
    fn json_is_one_document_with_the_warnings_inside() {
        check(
            &Globals { json: true, ..Globals::default() },
            greet,
            expect![[r#"
                {"ok":true,"data":{"hello":"world","n":1},"meta":{"elapsed_ms":0,"warnings":["half of it is missing"]}}
                --
                a note
                [0]
            "#]],
        );
    }

    #[test]
    fn failure_is_one_document_too() {
        check(
            &Globals { json: true, ..Globals::default() },
            |_| Err(Error::new(ErrorCode::Locked, "another run is at work").suggest("wait")),
            expect![[r#"
                {"ok":false,"error":{"code":"LOCKED","message":"another run is at work","suggestion":"wait","retryable":true}}
                --
                [10]
            "#]],
        );
    }

    #[test]
    fn an_answer_that_failed_carries_both() {
        check(
            &Globals { json: true, quiet: true, ..Globals::default() },
            |ui| greet(ui).and(Err(Error::new(ErrorCode::Partial, "1 of 2 projects failed"))),
            expect![[r#"
                {"ok":false,"data":{"hello":"world","n":1},"error":{"code":"PARTIAL","message":"1 of 2 projects failed","suggestion":null,"retryable":true},"meta":{"elapsed_ms":0,"warnings":["half of it is missing"]}}
                --
                [21]
            "#]],
        );
    }

    #[test]
    fn fields_choose_and_list() {
        let fields = |fields: &str| Globals {
            fields: vec![fields.into()],
            quiet: true,
            ..Globals::default()
        };
        check(
            &fields("n"),
            greet,
            expect![[r#"
                {"ok":true,"data":{"n":1},"meta":{"elapsed_ms":0,"warnings":["half of it is missing"]}}
                --
                [0]
            "#]],
        );
        check(
            &fields("?"),
            greet,
            expect![[r"
                hello
                n
                --
                [0]
            "]],
        );
    }

    #[test]
    fn a_reader_that_left_is_no_error() {
        for json in [false, true] {
            let globals = Globals { json, ..Globals::default() };
            let err = CaptureBuffer::default();
            let broken = Box::new(Broken(io::ErrorKind::BrokenPipe));
            let mut ui = Ui::on(&env(), &globals, broken, Box::new(err.clone()));
            let result = ui.show(&Greeting { hello: "x".into(), n: 0 });
            assert_eq!(ui.finish(result), 0);
            assert!(err.text().is_empty());
        }
    }

    #[test]
    fn a_full_disk_under_stdout_is_an_error() {
        let broken = Box::new(Broken(io::ErrorKind::StorageFull));
        let mut ui =
            Ui::on(&env(), &Globals::default(), broken, Box::new(CaptureBuffer::default()));
        let result = ui.show(&Greeting { hello: "x".into(), n: 0 });
        assert_eq!(ui.finish(result), 1);
        let globals = Globals { json: true, ..Globals::default() };
        let broken = Box::new(Broken(io::ErrorKind::StorageFull));
        let mut ui = Ui::on(&env(), &globals, broken, Box::new(CaptureBuffer::default()));
        assert_eq!(ui.finish(Ok(())), 1);
    }
}
