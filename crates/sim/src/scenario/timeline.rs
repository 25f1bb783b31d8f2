//! Everything a scenario says, in the one order it happened in.

use super::ast::{
    Action, Commit, DirectCommit, Event, FollowUp, Issue, MergeRequest, Place, Scenario, Target,
    Thread,
};
use model::Timestamp;

#[derive(Debug, Clone, Copy)]
pub struct Moment<'a> {
    pub time: Timestamp,
    pub place: Place,
    pub step: Step<'a>,
}

#[derive(Debug, Clone, Copy)]
pub enum Step<'a> {
    OpenIssue(&'a Issue),
    /// A commit on the branch before the merge request was opened.
    FirstCommit {
        mr: &'a MergeRequest,
        commit: &'a Commit,
    },
    OpenMergeRequest(&'a MergeRequest),
    Event {
        target: &'a Target,
        event: &'a Event,
    },
    /// A reply or resolution under the note written at `thread`.
    FollowUp {
        thread: Place,
        follow_up: &'a FollowUp,
    },
    DirectCommit(&'a DirectCommit),
}

/// Sorted by time; what happens at the same moment stays in written order.
pub fn timeline(scenario: &Scenario) -> Vec<Moment<'_>> {
    let mut moments = Vec::new();
    let mut push = |time, place, step| moments.push(Moment { time, place, step });
    for issue in &scenario.issues {
        let opening = &issue.opening;
        push(opening.time, opening.target.place, Step::OpenIssue(issue));
    }
    for mr in &scenario.merge_requests {
        for commit in &mr.first_commits {
            push(commit.time, commit.place, Step::FirstCommit { mr, commit });
        }
        push(mr.opening.time, mr.opening.target.place, Step::OpenMergeRequest(mr));
    }
    for direct in &scenario.commits {
        push(direct.commit.time, direct.commit.place, Step::DirectCommit(direct));
    }
    for (target, event) in events(scenario) {
        push(event.time, event.place, Step::Event { target, event });
        if let Action::Comment(Thread { follow_ups, .. }) = &event.action {
            for follow_up in follow_ups {
                let step = Step::FollowUp { thread: event.place, follow_up };
                push(follow_up.time, follow_up.place, step);
            }
        }
    }
    moments.sort_by_key(|moment| (moment.time, moment.place));
    moments
}

/// Every event of every block with what it happened to.
pub fn events(scenario: &Scenario) -> impl Iterator<Item = (&Target, &Event)> {
    let issues = scenario
        .issues
        .iter()
        .flat_map(|issue| issue.events.iter().map(|event| (&issue.opening.target, event)));
    let merge_requests = scenario
        .merge_requests
        .iter()
        .flat_map(|mr| mr.events.iter().map(|event| (&mr.opening.target, event)));
    let continued = scenario
        .continuations
        .iter()
        .flat_map(|on| on.events.iter().map(|event| (&on.target, event)));
    issues.chain(merge_requests).chain(continued)
}
