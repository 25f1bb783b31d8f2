//! A set of documents as bits, and the set a filter leaves.

use crate::dirty::SourceType;
use crate::error::db;
use crate::handle::Read;
use model::ids::ProjectId;
use model::{EntityState, Result, Timestamp};
use rusqlite::Params;

/// Row ids beyond this are in no database that lore wrote; a bit for each up to
/// them would take more memory than there is.
const MAX_DOCUMENT: i64 = 1 << 30;

fn place(document: i64) -> Option<usize> {
    usize::try_from(document).ok().filter(|_| document <= MAX_DOCUMENT)
}

/// Documents by their row ids, which are small and dense.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DocumentSet {
    bits: Vec<u64>,
}

impl DocumentSet {
    pub fn insert(&mut self, document: i64) {
        let Some(place) = place(document) else { return };
        if place / 64 >= self.bits.len() {
            self.bits.resize(place / 64 + 1, 0);
        }
        self.bits[place / 64] |= 1 << (place % 64);
    }

    pub fn remove(&mut self, document: i64) {
        let Ok(place) = usize::try_from(document) else { return };
        if let Some(word) = self.bits.get_mut(place / 64) {
            *word &= !(1 << (place % 64));
        }
    }

    /// All from the first to this one, whether they exist or not.
    pub fn up_to(last: i64) -> DocumentSet {
        let n_words = place(last.min(MAX_DOCUMENT)).map_or(0, |last| last / 64 + 1);
        DocumentSet { bits: vec![u64::MAX; n_words] }
    }

    pub fn contains(&self, document: i64) -> bool {
        let Ok(place) = usize::try_from(document) else { return false };
        self.bits.get(place / 64).is_some_and(|word| word & (1 << (place % 64)) != 0)
    }

    pub fn len(&self) -> usize {
        self.bits.iter().map(|word| word.count_ones() as usize).sum()
    }

    pub fn is_empty(&self) -> bool {
        self.bits.iter().all(|word| *word == 0)
    }

    /// Keeps what both have.
    pub fn intersect(&mut self, other: &DocumentSet) {
        self.bits.truncate(other.bits.len());
        for (word, other) in self.bits.iter_mut().zip(&other.bits) {
            *word &= other;
        }
    }

    /// In the order of their ids.
    pub fn iter(&self) -> impl Iterator<Item = i64> + '_ {
        self.bits.iter().enumerate().flat_map(|(index, word)| {
            (0..64)
                .filter(move |bit| word & (1 << bit) != 0)
                .map(move |bit| index as i64 * 64 + bit)
        })
    }
}

impl FromIterator<i64> for DocumentSet {
    fn from_iter<I: IntoIterator<Item = i64>>(documents: I) -> Self {
        let mut set = DocumentSet::default();
        documents.into_iter().for_each(|document| set.insert(document));
        set
    }
}

/// What a hit must be. Applied while searching, never to a cut list.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DocumentFilter {
    /// Any of them; empty means all.
    pub sources: Vec<SourceType>,
    pub project: Option<ProjectId>,
    /// A local repository.
    pub repo: Option<i64>,
    /// Everything but commits of other local repositories than this one.
    pub around: Option<i64>,
    pub author: Option<String>,
    /// All of them.
    pub labels: Vec<String>,
    /// A file, or with a `/` at the end everything below a folder.
    pub path: Option<String>,
    pub state: Option<EntityState>,
    pub created_since: Option<Timestamp>,
    pub created_until: Option<Timestamp>,
    pub updated_since: Option<Timestamp>,
}

/// The documents a filter leaves; none when it is no filter at all.
///
/// Each condition is answered by its own index and the answers are put
/// together here: the rows of documents hold whole texts and are not touched.
pub fn allowed(on: &impl Read, filter: &DocumentFilter) -> Result<Option<DocumentSet>> {
    if *filter == DocumentFilter::default() {
        return Ok(None);
    }
    let mut sets = Vec::new();
    if !filter.sources.is_empty() {
        sets.extend(of_sources(on, &filter.sources)?);
    }
    if let Some(project) = filter.project {
        sets.push(one(on, "SELECT id FROM documents WHERE project_id = ?1", [project.0])?);
    }
    if let Some(repo) = filter.repo {
        sets.push(one(on, "SELECT id FROM documents WHERE repo_id = ?1", [repo])?);
    }
    if let Some(around) = filter.around {
        sets.extend(without_others(on, around)?);
    }
    if let Some(author) = &filter.author {
        let sql = "SELECT id FROM documents WHERE author = ?1 COLLATE NOCASE";
        sets.push(one(on, sql, [author])?);
    }
    for label in &filter.labels {
        let sql = "SELECT document_id FROM document_labels WHERE label = ?1 COLLATE NOCASE";
        sets.push(one(on, sql, [label])?);
    }
    if let Some(path) = &filter.path {
        sets.push(below(on, path)?);
    }
    if let Some(state) = filter.state {
        sets.push(one(on, "SELECT id FROM documents WHERE state = ?1", [state.as_str()])?);
    }
    let (since, until) = (filter.created_since, filter.created_until);
    if since.is_some() || until.is_some() {
        let range = (
            since.map_or(i64::MIN, Timestamp::as_millis),
            until.map_or(i64::MAX, Timestamp::as_millis),
        );
        let sql = "SELECT id FROM documents WHERE created_at BETWEEN ?1 AND ?2";
        sets.push(one(on, sql, range)?);
    }
    if let Some(since) = filter.updated_since {
        let sql = "SELECT id FROM documents WHERE updated_at >= ?1";
        sets.push(one(on, sql, [since.as_millis()])?);
    }
    let mut sets = sets.into_iter();
    let Some(mut left) = sets.next() else { return Ok(None) };
    sets.for_each(|set| left.intersect(&set));
    Ok(Some(left))
}

/// All but what other repositories brought; none when there is no other.
fn without_others(on: &impl Read, repo: i64) -> Result<Option<DocumentSet>> {
    let mut all = DocumentSet::up_to(crate::fulltext::highest_id(on)?);
    let mut has_others = false;
    for sql in [
        "SELECT id FROM documents WHERE repo_id < ?1",
        "SELECT id FROM documents WHERE repo_id > ?1",
    ] {
        collect(on, sql, [repo], |id| {
            has_others = true;
            all.remove(id);
        })?;
    }
    Ok(has_others.then_some(all))
}

/// None when these are all the sources there are. Threads are the bulk of the
/// documents: where they are wanted, it is quicker to take away what is not.
fn of_sources(on: &impl Read, wanted: &[SourceType]) -> Result<Option<DocumentSet>> {
    const OF_SOURCE: &str = "SELECT id FROM documents WHERE source_type = ?1";
    let mut others = Vec::new();
    for source in SourceType::ALL.iter().filter(|source| !wanted.contains(source)) {
        let sql = "SELECT EXISTS (SELECT 1 FROM documents WHERE source_type = ?1)";
        if crate::sql::one(on, sql, (source.as_str(),), |row| row.get(0))? {
            others.push(*source);
        }
    }
    if others.is_empty() {
        return Ok(None);
    }
    if !wanted.contains(&SourceType::Discussion) {
        let mut any = DocumentSet::default();
        for source in wanted {
            collect(on, OF_SOURCE, (source.as_str(),), |id| any.insert(id))?;
        }
        return Ok(Some(any));
    }
    let mut all = DocumentSet::up_to(crate::fulltext::highest_id(on)?);
    for source in &others {
        collect(on, OF_SOURCE, (source.as_str(),), |id| all.remove(id))?;
    }
    Ok(Some(all))
}

/// A file, or everything below a folder.
fn below(on: &impl Read, path: &str) -> Result<DocumentSet> {
    match path.strip_suffix('/') {
        None => one(on, "SELECT document_id FROM document_paths WHERE path = ?1", [path]),
        // `0` is what comes after `/`, so this is every path that begins so.
        Some(folder) => one(
            on,
            "SELECT document_id FROM document_paths WHERE path >= ?1 || '/' AND path < ?1 || '0'",
            [folder],
        ),
    }
}

fn one(on: &impl Read, sql: &str, params: impl Params) -> Result<DocumentSet> {
    let mut set = DocumentSet::default();
    collect(on, sql, params, |id| set.insert(id))?;
    Ok(set)
}

fn collect(
    on: &impl Read,
    sql: &str,
    params: impl Params,
    mut each: impl FnMut(i64),
) -> Result<()> {
    let mut statement = on.connection().prepare_cached(sql).map_err(db)?;
    let mut rows = statement.query(params).map_err(db)?;
    while let Some(row) = rows.next().map_err(db)? {
        each(row.get(0).map_err(db)?);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn behaves_like_a_set(left in prop::collection::btree_set(0i64..500, 0..40),
                              right in prop::collection::btree_set(0i64..500, 0..40)) {
            let mut set: DocumentSet = left.iter().copied().collect();
            prop_assert_eq!(set.len(), left.len());
            prop_assert_eq!(set.iter().collect::<BTreeSet<_>>(), left.clone());
            set.intersect(&right.iter().copied().collect());
            let both: Vec<i64> = left.intersection(&right).copied().collect();
            prop_assert_eq!(set.iter().collect::<Vec<_>>(), both.clone());
            prop_assert_eq!(set.is_empty(), both.is_empty());
            prop_assert!(!set.contains(-1) && !set.contains(100_000));
        }
    }

    #[test]
    fn an_id_that_no_database_gives_takes_no_memory() {
        let set: DocumentSet = [3, MAX_DOCUMENT + 1, i64::MAX, -1].into_iter().collect();
        assert_eq!(set.iter().collect::<Vec<_>>(), [3]);
        assert!(!set.contains(i64::MAX));
        assert_eq!(DocumentSet::up_to(i64::MAX).bits.len(), MAX_DOCUMENT as usize / 64 + 1);
    }

    #[test]
    fn no_filter_reads_the_rows_of_documents() {
        let dir = tempfile::TempDir::new().unwrap();
        let writer = crate::Writer::open(&dir.path().join("lore.db")).unwrap();
        for condition in [
            "source_type = 'issue'",
            "project_id = 1",
            "repo_id = 1",
            "repo_id < 1",
            "repo_id > 1",
            "author = 'a' COLLATE NOCASE",
            "state = 'opened'",
            "created_at BETWEEN 1 AND 2",
            "updated_at >= 1",
        ] {
            let sql = format!("EXPLAIN QUERY PLAN SELECT id FROM documents WHERE {condition}");
            let plan: String = crate::sql::one(&writer, &sql, [], |row| row.get("detail")).unwrap();
            assert!(plan.contains("USING COVERING INDEX"), "{condition}: {plan}");
        }
    }
}
