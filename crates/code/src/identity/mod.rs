//! Names that are the same on every machine: what a thing of the graph is,
//! as a hash of what makes it that thing.
//!
//! Pure functions, no store. The byte layout is documented with test vectors
//! in docs/code-graph.md, so that others can compute the same names.

pub mod merkle;
mod naming;

pub use naming::{module_of, package_of, symbol_path};

use model::code::{EdgeKind, NodeKind, Provenance};
use model::hash::{Hash32, ShortText};
use rayon::prelude::*;

/// SHA-256 over fields, each behind its length in eight bytes, big end first.
/// The first field is the tag that says what is hashed: without it an edge
/// could pass for a node, and without lengths `ab|c` for `a|bc`.
pub fn hash(tag: &str, fields: &[&[u8]]) -> Hash32 {
    let length = fields.iter().map(|field| field.len() + 8).sum::<usize>() + tag.len() + 8;
    let fields = std::iter::once(tag.as_bytes()).chain(fields.iter().copied());
    let parts = fields.map(|field| ((field.len() as u64).to_be_bytes(), field));
    // Nearly all are short, and there are millions.
    if length <= ShortText::MOST {
        let mut text = ShortText::new();
        for (size, field) in parts {
            text.push(&size);
            text.push(field);
        }
        return text.hash();
    }
    let mut text = Vec::with_capacity(length);
    for (size, field) in parts {
        text.extend_from_slice(&size);
        text.extend_from_slice(field);
    }
    Hash32::of(&text)
}

/// By canonical URL: `host/group/name`.
pub fn repo(url: &str) -> Hash32 {
    hash("lore/repo/1", &[url.as_bytes()])
}

/// A version of a file; `content` is the SHA-256 of its bytes.
pub fn file(repo: Hash32, path: &str, content: Hash32) -> Hash32 {
    hash("lore/file/1", &[repo.as_bytes(), path.as_bytes(), content.as_bytes()])
}

/// What makes a symbol the same symbol while its body changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NodeName<'a> {
    pub package: &'a str,
    pub symbol: &'a str,
    pub kind: NodeKind,
    /// Empty but where a package has several of this name and kind.
    pub disambiguator: &'a str,
}

pub fn node(repo: Hash32, name: NodeName<'_>) -> Hash32 {
    hash(
        "lore/node/1",
        &[
            repo.as_bytes(),
            name.package.as_bytes(),
            name.symbol.as_bytes(),
            name.kind.as_str().as_bytes(),
            name.disambiguator.as_bytes(),
        ],
    )
}

/// What a symbol is at one moment. A symbol without a body of its own (a
/// module) has no `body`.
pub fn node_state(node: Hash32, signature: &str, body: Option<Hash32>) -> Hash32 {
    let body = body.as_ref().map_or(&[][..], Hash32::as_bytes);
    hash("lore/node-state/1", &[node.as_bytes(), signature.as_bytes(), body])
}

pub fn edge(source: Hash32, target: Hash32, kind: EdgeKind, provenance: Provenance) -> Hash32 {
    hash(
        "lore/edge/1",
        &[
            source.as_bytes(),
            target.as_bytes(),
            kind.as_str().as_bytes(),
            provenance.as_str().as_bytes(),
        ],
    )
}

/// What makes an edge, by the names of its ends.
pub type EdgeName = (Hash32, Hash32, EdgeKind, Provenance);

/// [`edge`] for each of a list.
pub fn edges(names: &[EdgeName]) -> Vec<Hash32> {
    let name =
        |(source, target, kind, provenance): &EdgeName| edge(*source, *target, *kind, *provenance);
    if names.len() < MANY {
        names.iter().map(name).collect()
    } else {
        names.par_iter().map(name).collect()
    }
}

/// Fewer hashes than this are computed sooner than shared among threads.
const MANY: usize = 1024;

/// The root over the node states and out-edges of a package. Order and
/// repetition do not matter.
pub fn package_root(mut members: Vec<Hash32>) -> Hash32 {
    settle(&mut members);
    merkle::root(&members)
}

/// The members of a package as the tree has them: sorted, each once.
pub fn settle(members: &mut Vec<Hash32>) {
    if members.len() < MANY {
        members.sort_unstable();
    } else {
        members.par_sort_unstable();
    }
    members.dedup();
}

/// A package as a leaf of the snapshot's tree.
pub fn package_leaf(path: &str, root: Hash32) -> Hash32 {
    hash("lore/package/1", &[path.as_bytes(), root.as_bytes()])
}

/// The root over packages and their roots, sorted by the bytes of the path.
pub fn snapshot_root<'a>(packages: impl IntoIterator<Item = (&'a str, Hash32)>) -> Hash32 {
    let mut packages: Vec<(&str, Hash32)> = packages.into_iter().collect();
    packages.sort_unstable();
    let leaves: Vec<Hash32> =
        packages.into_iter().map(|(path, root)| package_leaf(path, root)).collect();
    merkle::root(&leaves)
}

/// An edge that a layer takes away at a line of its source.
pub fn withdrawn(edge: Hash32, line: u32) -> Hash32 {
    hash("lore/withdrawn-edge/1", &[edge.as_bytes(), &u64::from(line).to_be_bytes()])
}

/// The root over a snapshot and the edges of its layers, as a set. Without any
/// it is the static root.
pub fn layered_root(static_root: Hash32, edges: Vec<Hash32>) -> Hash32 {
    if edges.is_empty() {
        return static_root;
    }
    hash("lore/layered/1", &[static_root.as_bytes(), package_root(edges).as_bytes()])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const NODE: NodeName<'_> = NodeName {
        package: "src/flask",
        symbol: "app.Flask.run",
        kind: NodeKind::Method,
        disambiguator: "",
    };

    /// The vectors of docs/code-graph.md.
    #[test]
    fn known_vectors() {
        let repo = repo("example.com/group/name");
        let file = file(repo, "src/a.py", Hash32::of(b"x = 1\n"));
        let node = node(repo, NODE);
        let state = node_state(node, "def run(self)", Some(Hash32::of(b"body")));
        let edge = edge(node, node, EdgeKind::Calls, Provenance::AstInferred);
        let package = package_root(vec![state, edge]);
        let snapshot = snapshot_root([("src/flask", package), ("", merkle::root(&[]))]);
        let documented = include_str!("../../../../docs/code-graph.md");
        for (name, hash) in [
            ("repo", repo),
            ("file", file),
            ("node", node),
            ("node state", state),
            ("edge", edge),
            ("empty root", merkle::root(&[])),
            ("package root", package),
            ("snapshot root", snapshot),
        ] {
            let line = format!("| {name} | `{hash}` |");
            assert!(documented.contains(&line), "docs/code-graph.md lacks\n{line}");
        }
    }

    proptest! {
        #[test]
        fn fields_do_not_run_into_each_other(a in ".{0,8}", b in ".{0,8}", c in ".{0,8}") {
            let joined = format!("{a}{b}");
            let apart = hash("t", &[a.as_bytes(), b.as_bytes(), c.as_bytes()]);
            prop_assert_ne!(apart, hash("t", &[joined.as_bytes(), c.as_bytes()]));
            if !b.is_empty() {
                prop_assert_ne!(apart, hash("t", &[joined.as_bytes(), b"", c.as_bytes()]));
            }
            prop_assert_ne!(apart, hash("u", &[a.as_bytes(), b.as_bytes(), c.as_bytes()]));
        }

        #[test]
        fn a_package_root_is_of_a_set(mut members in prop::collection::vec(any::<[u8; 32]>(), 0..20)) {
            let of = |members: &[[u8; 32]]| package_root(members.iter().map(|m| Hash32(*m)).collect());
            let root = of(&members);
            members.reverse();
            if let Some(first) = members.first().copied() {
                members.push(first);
            }
            prop_assert_eq!(of(&members), root);
        }

        #[test]
        fn another_member_is_another_root(members in prop::collection::btree_set(any::<[u8; 32]>(), 1..20)) {
            let all: Vec<Hash32> = members.iter().map(|m| Hash32(*m)).collect();
            prop_assert_ne!(package_root(all[1..].to_vec()), package_root(all));
        }
    }
}
