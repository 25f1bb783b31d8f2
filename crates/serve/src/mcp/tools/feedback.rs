//! What became of a pack, and what to call for a task.

use super::{Effect, Group, Tool};
use crate::mcp::call::Call;
use insight::context::{FeedbackReport, FeedbackTarget, TurnPlan, plan_turn};
use model::{Error, Result};
use schemars::JsonSchema;
use serde::Deserialize;
use store::feedback::{self, Verdict};

pub struct Feedback;
pub struct PlanTurn;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FeedbackParams {
    /// The pack_root of the context, its beginning, or `last`
    pack: String,
    /// A symbol of it, by name or its end
    symbol: String,
    verdict: Judgement,
}

#[derive(Deserialize, JsonSchema, Clone, Copy)]
#[serde(rename_all = "snake_case")]
enum Judgement {
    Useful,
    Noise,
}

impl Tool for Feedback {
    const NAME: &'static str = "feedback";
    const TITLE: &'static str = "Say what was useful";
    const ABOUT: &'static str = "Say whether a symbol of a context was useful or noise; later contexts \
        rank it accordingly, until its package changes. Answers where it stands now.";
    const GROUPS: &'static [Group] = &[Group::Code];
    const EFFECT: Effect = Effect::Adds;

    type Params = FeedbackParams;
    type Answer = FeedbackReport;

    fn answer(call: &Call, params: FeedbackParams) -> Result<FeedbackReport> {
        let target = match call.session.pack(params.pack.trim()) {
            Some(pack) => FeedbackTarget::of(pack, &params.symbol)?,
            None => FeedbackTarget::find(call.reader()?, &params.pack, &params.symbol, &call.dir)?,
        };
        let verdict = match params.verdict {
            Judgement::Useful => Verdict::Useful,
            Judgement::Noise => Verdict::Noise,
        };
        let database = call.around.database(&call.dir)?;
        if let Some(refusal) = database.refusal() {
            return Err(refusal);
        }
        let outcome = pipeline::notes::write(database.path(), |tx| {
            feedback::judge(tx, &target.pack, &target.symbol, verdict, call.now)
        })?;
        Ok(target.report(verdict, &outcome))
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlanParams {
    /// What is to be done
    task: String,
}

impl Tool for PlanTurn {
    const NAME: &'static str = "plan_turn";
    const TITLE: &'static str = "Which tools help with a task";
    const ABOUT: &'static str = "The few calls that help with a task, in order, with their arguments, \
        from what is indexed here; and what is missing.";
    const GROUPS: &'static [Group] = &[Group::Code, Group::Forge, Group::Memory];

    type Params = PlanParams;
    type Answer = TurnPlan;

    fn answer(call: &Call, params: PlanParams) -> Result<TurnPlan> {
        const LONGEST: usize = 64 * 1024;
        if params.task.len() > LONGEST {
            return Err(Error::usage("the task is longer than 64 KiB").suggest("send its head"));
        }
        plan_turn(call.reader()?, &call.dir, &params.task)
    }
}
