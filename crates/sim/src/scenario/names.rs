//! Looks every name up: fills in what a short scenario leaves out, gives each
//! number its project, and refuses names that were never declared.

use super::ast::{
    Action, Event, Label, Milestone, Name, Opening, Place, Project, Scenario, Target, Thread, User,
};
use super::error::Diagnostic;
use super::timeline::{Step, events, timeline};
use model::EntityKind;
use std::collections::BTreeMap;

/// What a scenario without a `project` block plays in.
pub const DEFAULT_PROJECT: &str = "group/project";

/// The scenario with every number's project written out and every name known.
///
/// A kind of name that is declared nowhere (no `user` at all, no `label` in a
/// project) is taken as it comes, so that a test can be three lines long. One
/// declaration makes the rest a duty.
pub fn complete(scenario: &Scenario) -> Result<Scenario, Diagnostic> {
    let mut scenario = scenario.clone();
    imply_projects(&mut scenario);
    check_projects(&scenario)?;
    resolve_targets(&mut scenario)?;
    settle_users(&mut scenario)?;
    settle_labels_and_milestones(&mut scenario)?;
    check_numbers(&scenario)?;
    Ok(scenario)
}

fn targets_mut(scenario: &mut Scenario) -> Vec<&mut Target> {
    fn in_events<'a>(events: &'a mut [Event], out: &mut Vec<&'a mut Target>) {
        for event in events {
            if let Action::Relate(other) | Action::Duplicate(other) | Action::Move(other) =
                &mut event.action
            {
                out.push(other);
            }
        }
    }
    let mut targets = Vec::new();
    for issue in &mut scenario.issues {
        targets.push(&mut issue.opening.target);
        in_events(&mut issue.events, &mut targets);
    }
    for mr in &mut scenario.merge_requests {
        targets.push(&mut mr.opening.target);
    }
    for on in &mut scenario.continuations {
        targets.push(&mut on.target);
        in_events(&mut on.events, &mut targets);
    }
    targets
}

fn imply_projects(scenario: &mut Scenario) {
    if !scenario.projects.is_empty() {
        return;
    }
    let mut paths: Vec<String> = vec![DEFAULT_PROJECT.to_owned()];
    let named = targets_mut(scenario).into_iter().filter_map(|target| target.project.clone());
    paths.extend(named);
    paths.extend(scenario.commits.iter().filter_map(|direct| Some(direct.project.clone()?.value)));
    for path in paths {
        if !scenario.projects.iter().any(|project| project.path == path) {
            scenario.projects.push(Project {
                place: Place::default(),
                name: path.rsplit('/').next().unwrap_or(&path).to_owned(),
                path,
                branch: "main".to_owned(),
                created: None,
                description: None,
                labels: Vec::new(),
                milestones: Vec::new(),
            });
        }
    }
}

fn check_projects(scenario: &Scenario) -> Result<(), Diagnostic> {
    let mut seen: BTreeMap<&str, Place> = BTreeMap::new();
    for project in &scenario.projects {
        if let Some(first) = seen.insert(&project.path, project.place) {
            let message =
                format!("project `{}` stands on line {} already", project.path, first.line);
            return Diagnostic::new(project.place, message);
        }
    }
    Ok(())
}

/// The full path for a written one; a bare last part will do where it is clear.
fn project_path(
    projects: &[Project],
    place: Place,
    written: Option<&str>,
) -> Result<String, Diagnostic> {
    let Some(written) = written else {
        return Ok(projects.first().map_or(DEFAULT_PROJECT, |first| &first.path).to_owned());
    };
    if projects.iter().any(|project| project.path == written) {
        return Ok(written.to_owned());
    }
    let mut same_name =
        projects.iter().filter(|project| project.path.rsplit('/').next() == Some(written));
    match (same_name.next(), same_name.next()) {
        (Some(only), None) => Ok(only.path.clone()),
        _ => {
            let known = projects.iter().map(|project| project.path.as_str());
            Diagnostic::unknown(place, "project", written, known)
        }
    }
}

fn resolve_targets(scenario: &mut Scenario) -> Result<(), Diagnostic> {
    let projects = scenario.projects.clone();
    for target in targets_mut(scenario) {
        let path = project_path(&projects, target.place, target.project.as_deref())?;
        target.project = Some(path);
    }
    for direct in &mut scenario.commits {
        let written = direct.project.as_ref().map(|name| name.value.as_str());
        let value = project_path(&projects, direct.commit.place, written)?;
        direct.project = Some(Name { place: direct.commit.place, value });
    }
    Ok(())
}

fn settle_users(scenario: &mut Scenario) -> Result<(), Diagnostic> {
    let mut seen: BTreeMap<&str, Place> = BTreeMap::new();
    for user in &scenario.users {
        if let Some(first) = seen.insert(&user.username, user.place) {
            let message = format!("user `{}` stands on line {} already", user.username, first.line);
            return Diagnostic::new(user.place, message);
        }
    }
    let used = names_of_users(scenario);
    if scenario.users.is_empty() {
        for name in used {
            if !scenario.users.iter().any(|user| user.username == name.value) {
                scenario.users.push(User {
                    place: name.place,
                    name: capitalised(&name.value),
                    username: name.value,
                    email: None,
                    is_bot: false,
                });
            }
        }
        return Ok(());
    }
    for name in used {
        if !scenario.users.iter().any(|user| user.username == name.value) {
            let known = scenario.users.iter().map(|user| user.username.as_str());
            return Diagnostic::unknown(name.place, "user", &name.value, known);
        }
    }
    Ok(())
}

fn capitalised(username: &str) -> String {
    let mut letters = username.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

/// Every name of a person, in written order.
fn names_of_users(scenario: &Scenario) -> Vec<Name> {
    let mut names: Vec<Name> = Vec::new();
    let openings = scenario.issues.iter().map(|issue| &issue.opening);
    let openings = openings.chain(scenario.merge_requests.iter().map(|mr| &mr.opening));
    for opening in openings {
        names.push(opening.author.clone());
        names.extend_from_slice(&opening.assignees);
    }
    for mr in &scenario.merge_requests {
        names.extend_from_slice(&mr.reviewers);
        names.extend(mr.first_commits.iter().map(|commit| commit.author.clone()));
    }
    names.extend(scenario.commits.iter().map(|direct| direct.commit.author.clone()));
    for (_, event) in events(scenario) {
        names.push(event.by.clone());
        match &event.action {
            Action::Assign(people) | Action::Review(people) => names.extend_from_slice(people),
            Action::Comment(Thread { follow_ups, .. }) => {
                names.extend(follow_ups.iter().map(|one| one.by.clone()));
            }
            _ => {}
        }
    }
    names.sort_by_key(|name| name.place);
    names
}

/// What labels and milestones a project is asked for.
fn settle_labels_and_milestones(scenario: &mut Scenario) -> Result<(), Diagnostic> {
    let mut labels: Vec<(String, Name)> = Vec::new();
    let mut milestones: Vec<(String, Name)> = Vec::new();
    let path_of = |target: &Target| target.project.clone().unwrap_or_default();
    let openings: Vec<&Opening> = scenario
        .issues
        .iter()
        .map(|issue| &issue.opening)
        .chain(scenario.merge_requests.iter().map(|mr| &mr.opening))
        .collect();
    for opening in openings {
        let path = path_of(&opening.target);
        labels.extend(opening.labels.iter().map(|name| (path.clone(), name.clone())));
        milestones.extend(opening.milestone.iter().map(|name| (path.clone(), name.clone())));
    }
    for (target, event) in events(scenario) {
        let path = path_of(target);
        match &event.action {
            Action::Label { add, remove } => {
                labels.extend(add.iter().chain(remove).map(|name| (path.clone(), name.clone())));
            }
            Action::Milestone(Some(name)) => milestones.push((path, name.clone())),
            _ => {}
        }
    }
    for project in &mut scenario.projects {
        let may_imply_labels = project.labels.is_empty();
        let may_imply_milestones = project.milestones.is_empty();
        for (_, name) in labels.iter().filter(|(path, _)| *path == project.path) {
            if project.labels.iter().any(|label| label.name == name.value) {
                continue;
            }
            if !may_imply_labels {
                let known = project.labels.iter().map(|label| label.name.as_str());
                return Diagnostic::unknown(name.place, "label", &name.value, known);
            }
            project.labels.push(Label {
                place: name.place,
                name: name.value.clone(),
                color: None,
                description: None,
            });
        }
        for (_, name) in milestones.iter().filter(|(path, _)| *path == project.path) {
            if project.milestones.iter().any(|milestone| milestone.title == name.value) {
                continue;
            }
            if !may_imply_milestones {
                let known = project.milestones.iter().map(|milestone| milestone.title.as_str());
                return Diagnostic::unknown(name.place, "milestone", &name.value, known);
            }
            project.milestones.push(Milestone {
                place: name.place,
                title: name.value.clone(),
                due: None,
                description: None,
            });
        }
    }
    Ok(())
}

/// Numbers rise in order of time, and nothing happens to what is not there yet.
fn check_numbers(scenario: &Scenario) -> Result<(), Diagnostic> {
    type Key = (String, EntityKind, i64);
    let key = |target: &Target| -> Key {
        (target.project.clone().unwrap_or_default(), target.kind, target.iid)
    };
    let written = |target: &Target| {
        let path = target.project.as_deref().unwrap_or_default();
        format!("{path}{}{}", target.kind.sigil(), target.iid)
    };
    let mut known: BTreeMap<Key, Place> = BTreeMap::new();
    let mut highest: BTreeMap<(String, EntityKind), i64> = BTreeMap::new();
    let mut open = |target: &Target| -> Result<(), Diagnostic> {
        if known.contains_key(&key(target)) {
            return Diagnostic::new(target.place, format!("{} is there already", written(target)));
        }
        let (path, kind, iid) = key(target);
        let last = highest.entry((path, kind)).or_insert(0);
        if iid < *last {
            return Diagnostic::new(
                target.place,
                format!(
                    "{} is opened after {}{last}: numbers rise in order of time",
                    written(target),
                    kind.sigil()
                ),
            );
        }
        *last = iid;
        known.insert(key(target), target.place);
        Ok(())
    };
    let mut wanted: Vec<Target> = Vec::new();
    for moment in timeline(scenario) {
        match moment.step {
            Step::OpenIssue(issue) => open(&issue.opening.target)?,
            Step::OpenMergeRequest(mr) => open(&mr.opening.target)?,
            Step::Event { target, event } => {
                // Only an `on` block can name what nobody opened.
                wanted.push(Target { place: event.place, ..target.clone() });
                match &event.action {
                    Action::Move(to) => open(to)?,
                    Action::Relate(other) | Action::Duplicate(other) => wanted.push(other.clone()),
                    _ => {}
                }
            }
            Step::FirstCommit { .. } | Step::FollowUp { .. } | Step::DirectCommit(_) => {}
        }
    }
    for target in wanted {
        if !known.contains_key(&key(&target)) {
            return Diagnostic::new(target.place, format!("there is no {}", written(&target)));
        }
    }
    Ok(())
}
