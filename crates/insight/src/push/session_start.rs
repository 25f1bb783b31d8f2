//! At the start of a session, and of a sub-agent: what is known here, how fresh it
//! is, and how to ask.

use super::{LineKind, PushContext, PushLine};
use model::Result;
use model::text::grouped;
use store::memory::records::{self, RecordFilter};
use store::projects;

/// How an agent asks from its shell.
const DOOR: &str = "Ask: lore \"who calls X\", lore \"why FILE:LINE\", lore map. Text: rg.";

pub fn at_session_start(context: &PushContext<'_>) -> Result<Vec<PushLine>> {
    let Some(scope) = &context.scope else { return Ok(Vec::new()) };
    let mut parts = vec![format!("{} symbols", grouped(scope.snapshot.n_nodes))];
    let is_current = scope.newer_head.is_none();
    let short: String = scope.snapshot.sha.chars().take(7).collect();
    if let Some(symbols) = parts.first_mut() {
        *symbols = format!("{symbols} at {short}{}", if is_current { "" } else { " (stale)" });
    }
    let filter = RecordFilter { roots: context.memory.roots.clone(), ..RecordFilter::default() };
    if !context.memory.roots.is_empty() {
        match records::count(context.reader, &filter)? {
            0 => {}
            n => parts.push(format!("{n} decisions and notes")),
        }
    }
    if let Some(synced) = synced_at(context)? {
        parts.push(format!("forge synced {}", synced.relative_to(context.now)));
    }
    let text = format!("lore: {}. {DOOR}\n", parts.join(", "));
    Ok(vec![PushLine::new(LineKind::Orientation, "index", "session", text)])
}

/// A sub-agent has neither the instructions nor the tools of who started it.
pub fn for_sub_agent(context: &PushContext<'_>) -> Result<Vec<PushLine>> {
    if context.scope.is_none() {
        return Ok(Vec::new());
    }
    let text = format!("lore knows the code graph, history and decisions here. {DOOR}\n");
    Ok(vec![PushLine::new(LineKind::Orientation, "index", "sub-agent", text)])
}

fn synced_at(context: &PushContext<'_>) -> Result<Option<model::Timestamp>> {
    let Some(project) = context.scope.as_ref().and_then(|scope| scope.repo.project) else {
        return Ok(None);
    };
    let all = projects::all(context.reader)?;
    Ok(all.into_iter().find(|it| it.id == project).and_then(|it| it.synced_at))
}
