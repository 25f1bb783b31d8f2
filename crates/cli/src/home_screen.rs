//! Bare `lore` in a clone: where it stands, or an offer to start.

use crate::args::Globals;
use crate::ctx::Ctx;
use crate::env::Env;
use crate::ui::Ui;
use crate::{next_step, run_index, run_pipeline};
use code::index::Request;
use insight::status::{NextStep, RepoStatus, Status};
use model::{ErrorCode, Result};
use schemars::JsonSchema;
use serde::Serialize;
use std::path::Path;
use store::{Reader, repos};

/// What lore knows of the clone somebody stands in.
#[derive(Debug, Serialize, JsonSchema)]
pub struct HomeScreen {
    /// None when nothing of it is read yet.
    pub repo: Option<RepoStatus>,
    /// The forge project it is a clone of.
    pub project: Option<String>,
    pub folder: String,
    pub issues: u64,
    pub merge_requests: u64,
    pub records: u64,
    pub next: Vec<NextStep>,
}

pub fn run(env: &Env) -> u8 {
    let globals = Globals::default();
    let mut ui = Ui::new(env, &globals);
    let ctx = Ctx::new(env.clone(), globals);
    let result = show(&ctx, &mut ui);
    ui.finish(result)
}

fn show(ctx: &Ctx, ui: &mut Ui) -> Result<()> {
    let mut screen = look(ctx, ui)?;
    let is_unread = screen.repo.as_ref().is_none_or(|repo| repo.code.is_none());
    if is_unread && ui.can_ask() {
        let question = format!("Read the code and history of {} now? (y/n)", screen.folder);
        if ui.ask(&question, Some("y"))?.to_lowercase().starts_with('y') {
            let request = Request {
                url: None,
                rev: None,
                work_tree: false,
                full: false,
                n_threads: run_pipeline::n_threads(),
            };
            let answer = run_index::run(ctx, ui, &ctx.env.cwd.clone(), request)?;
            ui.show(&answer)?;
            screen = look(ctx, ui)?;
        }
    }
    ui.show(&screen)
}

fn look(ctx: &Ctx, ui: &mut Ui) -> Result<HomeScreen> {
    let here = insight::file_target::real(&ctx.env.cwd);
    let root = here.ancestors().find(|dir| dir.join(".git").exists()).unwrap_or(&here);
    let folder = root.file_name().map(|name| name.to_string_lossy().into_owned());
    let mut screen = HomeScreen {
        repo: None,
        project: None,
        folder: folder.unwrap_or_else(|| root.display().to_string()),
        issues: 0,
        merge_requests: 0,
        records: 0,
        next: Vec::new(),
    };
    let reader = match Reader::open(&ctx.db_path(ui)?) {
        Err(error) if error.code() == ErrorCode::NotIndexed => return Ok(screen),
        opened => opened?,
    };
    fill(&mut screen, &reader, &here)?;
    let status = insight::status::status(&reader, ctx.now(), next_step::possible(ctx, ui))?;
    let project = screen.project.as_deref();
    if let Some(project) = status.projects.iter().find(|it| Some(it.path.as_str()) == project) {
        screen.issues = project.issues;
        screen.merge_requests = project.merge_requests;
    }
    screen.next = steps_here(status, &screen);
    Ok(screen)
}

fn fill(screen: &mut HomeScreen, reader: &Reader, here: &Path) -> Result<()> {
    let places = repos::places(reader)?;
    let Some(place) = insight::repos::place_around(&places, here) else { return Ok(()) };
    let Some(repo) = repos::get(reader, place.repo)? else { return Ok(()) };
    screen.repo = Some(insight::status::repo_status(reader, &repo, &places)?);
    screen.project = repo.project_path;
    let counts = store::memory::counts(reader)?;
    screen.records = counts.into_iter().map(|(_, n)| n).sum();
    Ok(())
}

/// The steps that are about this repository, or about all of them.
fn steps_here(status: Status, screen: &HomeScreen) -> Vec<NextStep> {
    let others: Vec<&RepoStatus> =
        status.repos.iter().filter(|repo| screen.repo.as_ref() != Some(repo)).collect();
    let is_of_another = |step: &NextStep| {
        let dirs = others.iter().flat_map(|repo| &repo.dirs);
        dirs.into_iter().any(|dir| step.command.ends_with(dir.as_str()))
    };
    let mut next = status.next;
    next.retain(|step| !is_of_another(step));
    for step in &mut next {
        // One stands in it.
        if step.command.starts_with("lore index ") {
            "lore index".clone_into(&mut step.command);
        }
    }
    next
}
