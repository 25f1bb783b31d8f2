//! What the tour shows, in order.

pub(super) struct Step {
    /// One line: why one would type this.
    pub about: &'static str,
    pub command: &'static str,
}

const fn step(about: &'static str, command: &'static str) -> Step {
    Step { about, command }
}

pub(super) const STEPS: &[Step] = &[
    step("Bring everything here: issues, merge requests, threads, events, files.", "lore sync -q"),
    step("What is here now, and how fresh it is.", "lore status"),
    step("The latest issues; filters work as you would guess.", "lore issues -n 6"),
    step(
        "One issue with its threads: what was argued, and what it led to.",
        "lore issues 'orchard/frostline#1'",
    ),
    step(
        "What was merged about security, oldest first.",
        "lore mrs --state merged --label security --ascending -n 6",
    ),
    step(
        "One merge request: why, which files, what reviewers said on which line.",
        "lore mrs 'orchard/frostline!1'",
    ),
    step("Every answer is JSON for programs; choose the fields.", "lore count notes --json"),
    step("Nothing changed meanwhile: the next sync is over at once.", "lore sync -q"),
    step("And whether all of it fits together.", "lore stats --check"),
];
