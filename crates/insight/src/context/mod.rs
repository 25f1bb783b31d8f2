//! `lore context`: what to read for a piece of work.
//!
//! A task's text is taken apart ([`task`]), each channel says what it thinks of
//! the snapshot's files and symbols ([`channel`], [`channels`]), their scores are
//! added ([`rank`]) and the best is packed into a budget of tokens.

mod change_query;
mod channel;
mod channels;
mod corpus;
mod doc_head;
mod experience;
mod for_change;
mod for_task;
mod frames;
mod history;
mod lines;
mod localise;
mod named_values;
pub(crate) mod noise;
mod pack;
mod plan_turn;
mod pointers;
mod rank;
mod render;
mod strength;
mod task;
mod terms;
mod texts;
mod weights;

pub use change_query::ChangeQuery;
pub use experience::{Experience, FeedbackReport, FeedbackTarget, pack_note};
pub use for_change::{ChangeTarget, for_change};
pub use for_task::{TaskRequest, for_task};
pub use localise::{Localisation, localise};
pub(crate) use noise::is_aside;
pub use pack::{
    AGENT_LIMIT, ChannelShare, DEFAULT_BUDGET, DEFAULT_LIMIT, Pack, PackOptions, PackedEdge,
    PackedFile, PackedSymbol, PackedText, TokenCounter,
};
pub use plan_turn::{PlannedCall, TurnPlan, plan_turn};
pub use rank::Share;
pub use render::{Format, whole};
pub use strength::Strength;
pub use texts::Sources;

/// The names of all channels, in their order.
pub fn channel_names() -> Vec<&'static str> {
    channels::ALL.iter().map(|channel| channel.name()).collect()
}
