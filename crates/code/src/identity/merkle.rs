//! Trees of hashes: one root over a list, and short paths that show that
//! something is in it, or that nothing stands between two neighbours.
//!
//! Leaves and inner nodes carry different tags, so that a part of the tree
//! cannot pass for a leaf. An odd node moves up as it is; it is not doubled.

use super::{MANY, hash};
use model::hash::Hash32;

/// The other child on the way up, and on which side it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    pub sibling: Hash32,
    pub is_left: bool,
}

fn leaf(item: Hash32) -> Hash32 {
    hash("lore/leaf/1", &[item.as_bytes()])
}

fn inner(left: Hash32, right: Hash32) -> Hash32 {
    hash("lore/inner/1", &[left.as_bytes(), right.as_bytes()])
}

pub fn root(items: &[Hash32]) -> Hash32 {
    if items.is_empty() { hash("lore/empty/1", &[]) } else { subtree(items) }
}

/// The node above these items; at least one.
fn subtree(items: &[Hash32]) -> Hash32 {
    if let [item] = items {
        return leaf(*item);
    }
    let (left, right) = halves(items);
    let (left, right) = if items.len() < MANY {
        (subtree(left), subtree(right))
    } else {
        rayon::join(|| subtree(left), || subtree(right))
    };
    inner(left, right)
}

/// What stands below the two children of a node. The left one is full: that
/// comes to the same as pairing neighbours level by level, where the odd one
/// moves up.
fn halves(items: &[Hash32]) -> (&[Hash32], &[Hash32]) {
    items.split_at(items.len().next_power_of_two() / 2)
}

/// The way from an item to the root; none when there is no such item.
pub fn path(items: &[Hash32], index: usize) -> Option<Vec<Step>> {
    let mut steps = Vec::new();
    (index < items.len()).then(|| climb(items, index, &mut steps)).map(|()| steps)
}

fn climb(items: &[Hash32], index: usize, steps: &mut Vec<Step>) {
    if items.len() < 2 {
        return;
    }
    let (left, right) = halves(items);
    let is_left = index >= left.len();
    let sibling = if is_left {
        climb(right, index - left.len(), steps);
        subtree(left)
    } else {
        climb(left, index, steps);
        subtree(right)
    };
    steps.push(Step { sibling, is_left });
}

/// The root an item and its way lead to.
pub fn root_of_path(item: Hash32, steps: &[Step]) -> Hash32 {
    steps.iter().fold(leaf(item), |at, step| {
        if step.is_left { inner(step.sibling, at) } else { inner(at, step.sibling) }
    })
}

/// Whether a way belongs to the first item of its tree.
pub fn is_first(steps: &[Step]) -> bool {
    steps.iter().all(|step| !step.is_left)
}

/// Whether a way belongs to the last item of its tree.
pub fn is_last(steps: &[Step]) -> bool {
    steps.iter().all(|step| step.is_left)
}

/// Whether two ways of one tree belong to neighbours, the left one first: they
/// part at one node, below which the first keeps to the right and the second
/// to the left. Both must lead to the same root; the caller has checked that.
pub fn are_neighbours(first: &[Step], second: &[Step]) -> bool {
    let shared = first.iter().rev().zip(second.iter().rev());
    let n_shared = shared.take_while(|(a, b)| a == b).count();
    let (first, second) = (&first[..first.len() - n_shared], &second[..second.len() - n_shared]);
    match (first.split_last(), second.split_last()) {
        (Some((a, below_a)), Some((b, below_b))) => {
            !a.is_left && b.is_left && is_last(below_a) && is_first(below_b)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn items(n: usize) -> Vec<Hash32> {
        (0..n).map(|i| Hash32::of(&i.to_be_bytes())).collect()
    }

    #[test]
    fn an_odd_item_is_not_the_same_as_two() {
        let (two, mut three) = (items(2), items(3));
        three.push(three[2]);
        assert_ne!(root(&items(3)), root(&three));
        assert_ne!(root(&two), root(&[two[0], two[1], two[1]]));
        let inner_as_item = root(&two);
        assert_ne!(root(&[inner_as_item]), inner_as_item);
    }

    /// Level by level, as it is documented. Large ones are shared among threads.
    fn check_root(n: usize) {
        let items = items(n);
        let mut level: Vec<Hash32> = items.iter().map(|item| leaf(*item)).collect();
        while level.len() > 1 {
            let pairs = level.chunks(2);
            level = pairs
                .map(|pair| pair.get(1).map_or(pair[0], |right| inner(pair[0], *right)))
                .collect();
        }
        assert_eq!(root(&items), level[0], "{n} items");
    }

    #[test]
    fn a_tree_is_made_of_pairs_and_the_odd_one_moves_up() {
        (1..70).for_each(check_root);
        for n in [MANY - 1, MANY, MANY + 1, 4 * MANY, 4 * MANY + 3] {
            check_root(n);
        }
    }

    proptest! {
        #[test]
        fn every_item_has_a_way_to_the_root(n in 1usize..70) {
            let items = items(n);
            let root = root(&items);
            for (index, item) in items.iter().enumerate() {
                let steps = path(&items, index).unwrap();
                prop_assert_eq!(root_of_path(*item, &steps), root);
                prop_assert_ne!(root_of_path(Hash32::of(b"other"), &steps), root);
                prop_assert_eq!(is_first(&steps), index == 0);
                prop_assert_eq!(is_last(&steps), index + 1 == n);
            }
            prop_assert!(path(&items, n).is_none());
        }

        #[test]
        fn neighbours_are_those_side_by_side(n in 2usize..40, a in 0usize..40, b in 0usize..40) {
            let items = items(n);
            let (a, b) = (a % n, b % n);
            let (first, second) = (path(&items, a).unwrap(), path(&items, b).unwrap());
            prop_assert_eq!(are_neighbours(&first, &second), a + 1 == b);
        }
    }
}
