//! A command of somebody else in a child of the daemon: it answers as if it ran
//! where it was typed, in frames.

use super::teller::{FrameStream, FrameWriter};
use crate::env::Env;
use crate::{args, run_command, ui};
use model::{CancelToken, Error, Progress};
use serve::daemon::protocol::{CommandRequest, Frame, MAX_LINE};
use std::ffi::OsString;
use std::io::{BufRead as _, BufReader, Read as _};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use ui::Ui;

/// The child: reads what to run, runs it, says how it went.
pub fn main(mut env: Env) -> u8 {
    let mut input = BufReader::new(std::io::stdin());
    let mut line = String::new();
    let read = input.by_ref().take(MAX_LINE).read_line(&mut line).ok();
    let request = read.and_then(|_| serde_json::from_str::<CommandRequest>(&line).ok());
    let teller = Arc::new(FrameWriter::new(ui::protocol()));
    let Some(request) = request else {
        let error = Error::usage("this is no command for people").suggest("lore help");
        return teller.failed(&error);
    };
    if request.niceness > 0 {
        // Only what is waited for by nobody gives way.
        let _ = rustix::process::nice(request.niceness);
    }
    env.stdin_is_tty = false;
    env.stdout_is_tty = request.terminal.stdout_is_tty;
    env.stderr_is_tty = request.terminal.stderr_is_tty;
    (env.width, env.height) = (request.terminal.width, request.terminal.height);
    let stop = super::enter(&env, input);
    let code = run(&request, env, &teller, stop);
    teller.tell(Frame::Exit(code));
    code
}

fn run(request: &CommandRequest, env: Env, teller: &Arc<FrameWriter>, stop: CancelToken) -> u8 {
    let arguments: Vec<OsString> = std::iter::once("lore".into())
        .chain(request.arguments.iter().map(OsString::from))
        .collect();
    let mut cli = match args::parse(&arguments, &env) {
        Ok(cli) => cli,
        Err(refusal) => {
            // Whoever asked has parsed it already, with the same program.
            let error = args::usage_error(&refusal);
            teller.tell(Frame::Err(format!("{error}\n")));
            return error.code().exit_code();
        }
    };
    cli.globals.no_pager = true;
    let stream = |frame| Box::new(FrameStream { teller: Arc::clone(teller), frame });
    let progress: Arc<dyn Progress> = Arc::clone(teller) as _;
    let mut ui = Ui::framed(&env, &cli.globals, stream(Frame::Out), stream(Frame::Err), progress);
    let result = catch_unwind(AssertUnwindSafe(|| run_command(cli, env, &mut ui, stop)))
        .unwrap_or_else(|_| Err(Error::internal("lore crashed over this command")));
    ui.finish(result)
}
