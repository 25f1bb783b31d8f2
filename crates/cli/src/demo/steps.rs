//! What the tour shows, in order.

pub(super) struct Step {
    /// One line: why one would type this.
    pub about: &'static str,
    pub command: &'static str,
    pub needs_clones: bool,
}

const fn step(about: &'static str, command: &'static str) -> Step {
    Step { about, command, needs_clones: false }
}

/// Something that only a local clone can answer.
const fn in_clones(about: &'static str, command: &'static str) -> Step {
    Step { about, command, needs_clones: true }
}

pub(super) const STEPS: &[Step] = &[
    step("Bring everything here: issues, merge requests, threads, events, files.", "lore sync -q"),
    step("What is here now, and how fresh it is.", "lore status"),
    step(
        "Ask in words; the best answers come first.",
        "lore search 'why no mTLS for gateways' -n 3",
    ),
    step("The latest issues that needed a decision.", "lore issues --label discussion -n 6"),
    step(
        "One of them: a choice that was taken back, with the arguments.",
        "lore issues 'frostline#21'",
    ),
    step(
        "What was merged for security, oldest first, in both projects.",
        "lore mrs --state merged --label security --ascending -n 8",
    ),
    step(
        "One merge request: why, which files, what was said on which line.",
        "lore mrs 'frostline!36' --events",
    ),
    step(
        "What happened with it, across issues and merge requests.",
        "lore timeline 'frostline!36' --evidence 2",
    ),
    in_clones(
        "A clone on this machine: now lines can be traced.",
        "lore repo add orchard/frostline",
    ),
    in_clones("Why is this line so?", "lore why orchard/frostline/src/model/frost.rs:17"),
    step(
        "Every answer is JSON for programs; choose the fields.",
        "lore issues --fields iid,title -n 3",
    ),
    step("Nothing changed meanwhile: the next sync is over at once.", "lore sync -q"),
    step("And whether all of it fits together.", "lore stats --check"),
];
