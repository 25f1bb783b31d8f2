//! What people kept, for a prompt: [`crate::memory::inject`] as a line.

use super::{LineKind, PushContext, PushLine};
use crate::memory::inject::inject;
use model::Result;

/// The records that fit a prompt and were not told in this session.
pub(super) fn for_prompt(
    context: &PushContext<'_>,
    prompt: &str,
    is_said: &dyn Fn(&str) -> bool,
) -> Result<Vec<PushLine>> {
    let memory = &context.memory;
    let fresh = |id: &str| !is_said(&key(id));
    let found = inject(context.reader, prompt, &memory.roots, &memory.from, context.now, &fresh)?;
    if found.text.is_empty() {
        return Ok(Vec::new());
    }
    let ids: Vec<String> = found.records.iter().map(ToString::to_string).collect();
    let source = ids.join(" ");
    let mut line = PushLine::new(LineKind::Memory, source, "", found.text);
    line.key = ids.iter().map(|id| key(id)).collect::<Vec<_>>().join(" ");
    Ok(vec![line])
}

/// As a decision that is told before an edit: whichever came first is not repeated.
fn key(id: &str) -> String {
    format!("{}:{id}:", LineKind::Decision.as_str())
}
