//! Global ids as newtypes. Each kind of thing counts from 1 in order of creation.

use model::EntityKind;
use model::ids::Iid;
use serde::Serialize;
use std::fmt;

macro_rules! id {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
        #[serde(transparent)]
        pub struct $name(pub i64);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    )*};
}

id! {
    UserId;
    ProjectId;
    LabelId;
    MilestoneId;
    /// Of an issue or of a merge request; the two count separately.
    EntityId;
    NoteId;
    /// Of a resource event; state, label and milestone events count separately.
    EventId;
    /// Of one version of a merge request's diff.
    DiffId;
}

/// A thread. GitLab shows it as 40 hexadecimal digits, and so does `Display`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DiscussionId(pub i64);

impl fmt::Display for DiscussionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let first = mix(self.0 as u64);
        let second = mix(first);
        let third = mix(second) as u32;
        write!(f, "{first:016x}{second:016x}{third:08x}")
    }
}

impl Serialize for DiscussionId {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// One round of SplitMix64; a bijection, so different inputs stay different.
pub(crate) fn mix(seed: u64) -> u64 {
    let mut z = seed.wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// Where an issue or merge request stands: the address people write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EntityKey {
    pub project: ProjectId,
    pub kind: EntityKind,
    pub iid: Iid,
}

impl EntityKey {
    pub fn issue(project: ProjectId, iid: i64) -> Self {
        EntityKey { project, kind: EntityKind::Issue, iid: Iid(iid) }
    }

    pub fn mr(project: ProjectId, iid: i64) -> Self {
        EntityKey { project, kind: EntityKind::MergeRequest, iid: Iid(iid) }
    }
}

impl fmt::Display for EntityKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "project {}{}{}", self.project, self.kind.sigil(), self.iid)
    }
}
