//! The `lore` command line: arguments in, text for people or JSON out.
//!
//! The only crate that prints, reads the environment or touches the home
//! directory. It holds no rules of its own: a command reads its arguments,
//! calls a library, and hands a typed answer to [`ui::Ui`].

mod agents;
pub mod args;
mod checks;
mod code_args;
pub mod commands;
pub mod config;
pub mod ctx;
mod daemon;
mod demo;
mod entity_args;
pub mod env;
mod file_args;
pub mod forge_client;
mod git_hooks;
pub mod help;
mod home_screen;
pub mod interrupt;
mod isolation;
mod lineage_args;
mod manual_edges;
mod mcp;
mod memory_roots;
mod next_step;
mod notifications;
mod old_names;
mod otlp_address;
mod run_commits;
mod run_embed;
mod run_enrich;
mod run_index;
mod run_pipeline;
mod run_sync;
mod run_traces;
mod test_runners;
mod text;
pub mod ui;
mod work_tree_overlay;

use args::Cli;
use ctx::Ctx;
use env::Env;
use model::CancelToken;
use model::{Error, Result};
use std::ffi::OsString;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use ui::Ui;

/// Runs lore with the process's own arguments and surroundings.
pub fn run() -> ExitCode {
    ExitCode::from(run_with(env::arguments(), Env::from_process()))
}

fn run_with(mut arguments: Vec<OsString>, env: Env) -> u8 {
    let role = isolation::role(&mut arguments);
    if role == Some(isolation::JOB) {
        return isolation::job::main(&env);
    }
    if role == Some(isolation::COMMAND) {
        return isolation::command::main(env);
    }
    if role == Some(isolation::OUTLINE) {
        return isolation::outline::main(&env);
    }
    if arguments.len() < 2 && insight::repos::clone_around(&env.cwd).is_some() {
        return home_screen::run(&env);
    }
    let cli = match args::parse(&arguments, &env) {
        Ok(cli) => cli,
        // A hook of another version: an agent takes exit status 2 for a refusal.
        Err(_) if is_hook_run(&arguments) => return 0,
        Err(refusal) => return refuse(&refusal, &arguments, &env),
    };
    let mut ui = Ui::new(&env, &cli.globals);
    let mut stop = CancelToken::default();
    if role.is_some() {
        stop = isolation::supervised::enter(&env);
    } else if let Some(code) = daemon::client::forward(&arguments, &env, &cli, &mut ui) {
        return code;
    } else if ui.is_json()
        && cli.command.reads_foreign_code()
        && let Some(code) = isolation::supervised::run(&arguments, &env, &cli.globals)
    {
        return code;
    }
    // A bug must still leave one document on stdout and a documented status.
    let result = catch_unwind(AssertUnwindSafe(|| run_command(cli, env, &mut ui, stop)))
        .unwrap_or_else(|_| {
            Err(Error::internal("lore crashed; the lines above say where")
                .suggest("please report it together with those lines"))
        });
    ui.finish(result)
}

fn is_hook_run(arguments: &[OsString]) -> bool {
    let words: Vec<_> = arguments.iter().skip(1).take(2).collect();
    matches!(words.as_slice(), [hook, run] if *hook == "hook" && *run == "run")
}

fn run_command(cli: Cli, env: Env, ui: &mut Ui, stop: CancelToken) -> Result<()> {
    let ctx = Ctx::new(env, cli.globals).stopped_by(stop);
    let done = match &cli.command {
        // A question is answered by another command, in that command's form.
        commands::Command::Ask(question) => question.answer(&ctx, ui),
        commands::Command::Why(args) => args.answer(&ctx, ui),
        command => command.run(&ctx, ui),
    };
    done.map_err(|error| next_step::adapt(error, &ctx, ui))
}

/// Help, the version, or a command line that was not understood.
fn refuse(refusal: &clap::Error, arguments: &[OsString], env: &Env) -> u8 {
    let globals = args::early_globals(arguments, env);
    let mut ui = Ui::new(env, &globals);
    let is_asked_for = !refusal.use_stderr() || arguments.len() < 2;
    if ui.is_json() && !is_asked_for {
        return ui.finish(Err(args::usage_error(refusal)));
    }
    let stream_is_tty = if is_asked_for { env.stdout_is_tty } else { env.stderr_is_tty };
    let rendered = refusal.render();
    let text = if ui::terminal::wants_color(env, globals.color, stream_is_tty) {
        rendered.ansi().to_string()
    } else {
        rendered.to_string()
    };
    if !is_asked_for {
        ui.to_stderr(&text);
        return model::ErrorCode::Usage.exit_code();
    }
    ui.finish_with_text(&text)
}
