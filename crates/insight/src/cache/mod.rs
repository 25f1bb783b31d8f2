//! Answers that were computed before: [`answer`] is the one way to them.
//!
//! A result is keyed by its question, its parameters and the roots of what it
//! read, so it never goes stale. After a new snapshot a result is carried over
//! where nothing it read has changed ([`carry`]).

mod carry;
pub mod warm;

pub use carry::Reads;

use crate::code::{Scope, SnapshotContext};
use model::Result;
use model::hash::Hash32;
use serde::Serialize;
use serde::de::DeserializeOwned;
use store::Reader;
use store::code::layers;
use store::results::{DerivedResult, Durability};

/// Changes when an answer of the same key would come out differently.
const VERSION: u32 = 3;

/// An answer about one snapshot: where it stands is not part of what is kept.
pub trait SnapshotAnswer: Serialize + DeserializeOwned {
    fn standing_mut(&mut self) -> &mut SnapshotContext;
}

/// What is asked of a snapshot.
pub struct Question<'a, P> {
    /// The kind of question: `impact`.
    pub name: &'static str,
    /// Everything the answer depends on that the caller chose.
    pub parameters: P,
    pub scope: &'a Scope,
    /// What the answer reads beside the graph, as one text: counters, other roots.
    pub inputs: String,
}

/// A computed answer, and how it may be kept.
pub struct CachedAnswer<T> {
    pub value: T,
    /// What of the snapshot it read; none where that was everything.
    pub reads: Option<Reads>,
    pub durability: Durability,
}

/// The answer to a question: from the cache, carried over from an earlier
/// snapshot, or computed. Nothing that goes wrong with the cache reaches the
/// caller.
pub fn answer<T: SnapshotAnswer, P: Serialize>(
    reader: &Reader,
    question: &Question<'_, P>,
    compute: impl FnOnce() -> Result<CachedAnswer<T>>,
) -> Result<T> {
    let Some(keys) = ResultKeys::of(reader, question) else { return compute().map(|it| it.value) };
    let results = reader.results();
    let restored = |data: &[u8]| {
        let mut value: T = serde_json::from_slice(data).ok()?;
        *value.standing_mut() = question.scope.standing();
        Some(value)
    };
    if let Some(value) = results.get(reader, keys.key).and_then(|it| restored(&it.data)) {
        return Ok(value);
    }
    if let Some(before) = results.latest(reader, keys.asked)
        && before.key != keys.key
        && carry::is_untouched(reader, before.seq, question.scope, before.reads.as_deref())
        && let Some(value) = restored(&before.data)
    {
        let snapshot = &question.scope.snapshot;
        let carried = DerivedResult {
            key: keys.key,
            seq: snapshot.seq,
            root: snapshot.root,
            ..DerivedResult::clone(&before)
        };
        results.put(carried, Durability::Table);
        return Ok(value);
    }
    let computed = compute()?;
    if let Ok(data) = serde_json::to_vec(&computed.value) {
        let reads = computed.reads.and_then(|reads| serde_json::to_string(&reads).ok());
        results.put(keys.result(question, data, reads), computed.durability);
    }
    Ok(computed.value)
}

/// What is asked of several versions at once.
pub struct VersionsQuestion<'a> {
    /// The kind of question: `diff`.
    pub name: &'static str,
    /// The indexed versions, the latest last; where one is not indexed, none.
    pub versions: &'a [Option<&'a Scope>],
    /// What the answer reads beside their graphs: trees of git.
    pub inputs: &'a [String],
}

/// The answer to a question about several versions: from the cache, or computed.
/// It is kept where at least one version is indexed.
pub fn answer_of_versions<T: Serialize + DeserializeOwned>(
    reader: &Reader,
    question: &VersionsQuestion<'_>,
    compute: impl FnOnce() -> Result<T>,
) -> Result<T> {
    let Some((key, last)) = key_of_versions(reader, question) else { return compute() };
    let results = reader.results();
    let kept = results.get(reader, key).and_then(|it| serde_json::from_slice(&it.data).ok());
    if let Some(value) = kept {
        return Ok(value);
    }
    let value = compute()?;
    if let (Ok(data), Ok(parameters)) =
        (serde_json::to_vec(&value), serde_json::to_string(question.inputs))
    {
        let result = DerivedResult {
            key,
            asked: key,
            question: question.name.to_owned(),
            parameters,
            seq: last.snapshot.seq,
            root: last.snapshot.root,
            reads: None,
            data,
        };
        results.put(result, Durability::Table);
    }
    Ok(value)
}

fn key_of_versions<'a>(
    reader: &Reader,
    question: &VersionsQuestion<'a>,
) -> Option<(Hash32, &'a Scope)> {
    let mut parts: Vec<String> = vec![
        "versions".to_owned(),
        VERSION.to_string(),
        env!("CARGO_PKG_VERSION").to_owned(),
        question.name.to_owned(),
    ];
    let mut last = None;
    for version in question.versions {
        let Some(scope) = version else {
            parts.push(String::new());
            continue;
        };
        if scope.overlay.is_some() {
            return None;
        }
        let snapshot = &scope.snapshot;
        parts.push(snapshot.indexer.to_string());
        parts.push(scope.repo.canonical_url.clone());
        parts.push(snapshot.root.to_string());
        parts.push(surroundings(reader, scope).ok()?);
        last = Some(*scope);
    }
    parts.extend(question.inputs.iter().cloned());
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    Some((hash(&parts), last?))
}

struct ResultKeys {
    key: Hash32,
    asked: Hash32,
    parameters: String,
}

impl ResultKeys {
    /// None where something that belongs to the key cannot be read, or where edits of
    /// the work tree count, which no root covers.
    fn of<P: Serialize>(reader: &Reader, question: &Question<'_, P>) -> Option<ResultKeys> {
        if question.scope.overlay.is_some() {
            return None;
        }
        let parameters = serde_json::to_string(&question.parameters).ok()?;
        let scope = question.scope;
        let asked = hash(&[
            "asked",
            &VERSION.to_string(),
            env!("CARGO_PKG_VERSION"),
            &scope.snapshot.indexer.to_string(),
            question.name,
            &parameters,
            &scope.repo.canonical_url,
            &question.inputs,
            &surroundings(reader, scope).ok()?,
        ]);
        let key = hash(&["key", &asked.to_string(), &scope.snapshot.root.to_string()]);
        Some(ResultKeys { key, asked, parameters })
    }

    fn result<P>(
        self,
        question: &Question<'_, P>,
        data: Vec<u8>,
        reads: Option<String>,
    ) -> DerivedResult {
        DerivedResult {
            key: self.key,
            asked: self.asked,
            question: question.name.to_owned(),
            parameters: self.parameters,
            seq: question.scope.snapshot.seq,
            root: question.scope.snapshot.root,
            reads,
            data,
        }
    }
}

/// What an answer of the graph reads beside the packages of its snapshot: rules of
/// ownership, layers, and what other repositories are indexed at.
fn surroundings(reader: &Reader, scope: &Scope) -> Result<String> {
    let snapshot = &scope.snapshot;
    let owners = snapshot.owners.as_deref().map(Hash32::of);
    let mut text = format!("{owners:?}");
    if snapshot.root != snapshot.static_root {
        text.push_str(&format!(" {}", snapshot.root));
    }
    if let Some(stamp) = layers::unrooted_stamp(reader, snapshot.seq)? {
        text.push_str(&format!(" {stamp}"));
    }
    for (name, root) in crate::code::other_roots(reader, scope.repo.id)? {
        text.push_str(&format!(" {name} {root}"));
    }
    Ok(text)
}

/// Over texts of any content: each is preceded by its length.
fn hash(parts: &[&str]) -> Hash32 {
    let mut bytes = Vec::new();
    for part in parts {
        bytes.extend((part.len() as u64).to_le_bytes());
        bytes.extend(part.as_bytes());
    }
    Hash32::of(&bytes)
}
