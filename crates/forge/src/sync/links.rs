//! After fetching: deriving relations for everything that changed.

use super::Engine;
use crate::api::Forge;
use crate::client::read_system_note;
use crate::references;
use model::Result;

/// Entities per transaction: small enough to stop between, large enough that
/// committing costs little.
const BATCH: usize = 500;

impl<F: Forge> Engine<F> {
    pub(super) async fn link(&self) -> Result<()> {
        let waiting = self.db.write(|tx| store::references::count_dirty(tx)).await?;
        self.progress.phase("linking", Some(waiting));
        while !self.cancel.is_cancelled() {
            let done = self.db.write(link_batch).await?;
            self.progress.advance(done as u64);
            if done < BATCH {
                break;
            }
        }
        if waiting > 0 {
            self.db.write(store::references::resolve_open).await?;
        }
        Ok(())
    }
}

fn link_batch(tx: &store::Tx<'_>) -> Result<usize> {
    let mut derived = Vec::with_capacity(BATCH);
    for entity in store::references::next_dirty(tx, BATCH)? {
        let observations = match store::references::inputs(tx, entity)? {
            Some(inputs) => {
                references::derive(&inputs, |body| read_system_note(inputs.forge, body))
            }
            None => Vec::new(),
        };
        derived.push((entity, observations));
    }
    store::references::replace(tx, &derived)?;
    Ok(derived.len())
}
