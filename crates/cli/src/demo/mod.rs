//! `lore demo`: the real commands, run on a simulated GitLab.
//!
//! Each step is parsed and run as if typed, in surroundings of its own, so the
//! tour can show nothing that lore cannot do.

mod place;
mod steps;

use crate::args;
use crate::ctx::Ctx;
use crate::env::Env;
use crate::ui::{CaptureBuffer, Label, Painter, Show, Ui};
use model::{Error, Result};
use place::Place;
use schemars::JsonSchema;
use serde::Serialize;
use std::path::Path;

/// What the tour showed.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Tour {
    pub steps: Vec<DemoStep>,
    /// Where the database and the repositories were kept.
    pub kept: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct DemoStep {
    /// Why one would type this.
    pub about: String,
    pub command: String,
    pub output: String,
}

/// Builds the place, walks the steps, and clears away what is not kept.
pub fn tour(ctx: &Ctx, ui: &Ui, keep: Option<&Path>) -> Result<Tour> {
    let place = Place::prepare(ctx, ui.look().color, keep)?;
    let mut shown = Vec::new();
    for step in steps::STEPS.iter().filter(|step| place.has_clones || !step.needs_clones) {
        shown.push(DemoStep {
            about: step.about.to_owned(),
            command: step.command.to_owned(),
            output: run(place.env(), step.command)?,
        });
    }
    if keep.is_some() {
        // The playground answers by meaning as well, from the folder and from its clones.
        // Where the user has switched embedding off it answers by words.
        let _ = run(place.embedding_env(&ctx.env), "lore embed -q");
    }
    let kept = place.finish(&ctx.env)?;
    Ok(Tour { steps: shown, kept: kept.map(|dir| ctx.env.display(&dir)) })
}

/// Runs one command line in the place and returns what it printed.
fn run(env: Env, line: &str) -> Result<String> {
    let words = crate::help::shell_words(line);
    let cli = args::parse(&words, &env)
        .map_err(|refusal| Error::internal(format!("the tour is wrong: {refusal}")))?;
    let (out, err) = (CaptureBuffer::default(), CaptureBuffer::default());
    let mut ui = Ui::on(&env, &cli.globals, Box::new(out.clone()), Box::new(err.clone()));
    let ctx = Ctx::new(env, cli.globals);
    let result = cli.command.run(&ctx, &mut ui);
    if ui.finish(result) != 0 {
        let said = err.text();
        return Err(Error::internal(format!("the tour stopped at `{line}`: {}", said.trim())));
    }
    Ok(out.text())
}

impl Show for Tour {
    fn text(&self, out: &mut Painter) {
        out.line(
            "A tour of lore on a made-up history: growers, frost warnings, two GitLab projects.\n\
             A simulated GitLab runs on this machine; what you see are real commands.",
        );
        for step in &self.steps {
            out.gap().label(Label::Faint, &format!("# {}", step.about)).end();
            out.label(Label::Heading, &format!("$ {}", step.command)).end();
            // Already cleaned and painted by the command that made it.
            out.verbatim(&step.output);
        }
        out.gap();
        match &self.kept {
            Some(dir) => out.line(&format!("Kept in {dir}. Go on there: cd {dir} && lore issues")),
            None => out.line(
                "That was all of it, and nothing is left behind. To play with this history:\n  \
                 lore demo --keep playground\n\
                 To start with your own project:\n  \
                 lore init",
            ),
        };
    }
}
