//! Members that a type does not define any more and still has: a type it inherits from does.

use super::symbols::Sort;
use super::{State, rules};
use crate::facts::Visibility;

/// Each with the new member of the same name. What a type inherits from is known by name,
/// and as far as it is in a changed file.
pub fn inherited(state: &State<'_>) -> Vec<(u32, u32)> {
    let mut all = Vec::new();
    for (at, old) in state.old.symbols.iter().enumerate() {
        let home = old.parent.and_then(|parent| state.to_new[parent as usize]);
        let Some(home) = home.filter(|_| !old.is_local && !old.is_constructor) else { continue };
        let is_still_there = state.to_new[at]
            .is_some_and(|now| state.new.symbols[now as usize].parent == Some(home));
        if is_still_there {
            continue;
        }
        let named = state.new.by_name.get(&old.name).map(Vec::as_slice).unwrap_or_default();
        let new = named.iter().take(rules::MOST_CANDIDATES).find(|new| {
            let new = &state.new.symbols[**new as usize];
            let above = new.parent.filter(|above| *above != home);
            new.visibility != Visibility::Private
                && above.map(|above| &state.new.symbols[above as usize]).is_some_and(|above| {
                    above.sort == Sort::Type && state.new.is_subtype(home, &above.name)
                })
        });
        all.extend(new.map(|new| (at as u32, *new)));
    }
    all
}
