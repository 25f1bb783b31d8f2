//! Reads a paged list to its end, whole or not at all.
//!
//! While pages are read one after the other, items may appear or vanish and
//! shift the rest across a page border. A list that shows signs of that is read
//! again, until it holds still.

use super::convert::Converted;
use super::headers::{self, Next};
use super::transport::{Answer, Call, FailedRequest, Transport};
use crate::api::{Failure, FailureKind, Reservation};
use crate::options::Options;
use model::Timestamp;
use std::borrow::Cow;
use std::collections::BTreeSet;

/// No list lore reads comes near this; a server that pages on is broken.
const MAX_PAGES: usize = 1000;
/// Pages in a row that bring nothing new, though the server promises more.
/// Filtering by permission makes empty pages, but not so many.
const MAX_STALE_PAGES: usize = 100;
/// How often a list that moved under the reader is read again.
const MAX_REREADS: usize = 3;
/// Tries per page size, when a smaller size is still to be tried.
const TRIES_BEFORE_SHRINKING: u32 = 2;

pub(super) const PAGE_SIZE: u32 = 100;

/// How the items of one kind of list are read.
pub(super) struct Items<'a, T> {
    /// None for an item that is no item for lore.
    pub convert: &'a (dyn Fn(&[u8]) -> Converted<Option<T>> + Send + Sync),
    /// What makes an item itself, to notice one that comes twice.
    pub key: fn(&T) -> String,
    /// The bytes to keep of an item.
    pub keep: for<'b> fn(&'b [u8]) -> Cow<'b, [u8]>,
    /// Page sizes to try, largest first.
    pub page_sizes: &'a [u32],
    pub shrinks: Shrinks,
}

/// Which failures a smaller page may cure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shrinks {
    WhenTooLarge,
    /// Lists that are work for the server: it may fail for their size alone.
    OnServerErrors,
}

impl Shrinks {
    fn helps(self, failed: &FailedRequest) -> bool {
        match self {
            Shrinks::WhenTooLarge => failed.is_too_large,
            Shrinks::OnServerErrors => failed.is_about_size,
        }
    }
}

/// A list, read whole.
pub(super) struct Set<T> {
    pub items: Vec<T>,
    /// One JSON array of everything that came.
    pub raw: Vec<u8>,
    pub server_time: Option<Timestamp>,
    pub reservation: Reservation,
}

struct SetReader<T> {
    set: Set<T>,
    keys: Vec<String>,
    seen: BTreeSet<String>,
    n_stale_pages: usize,
    n_pages: usize,
    first_total: Option<u64>,
    last_total: Option<u64>,
}

impl<T> SetReader<T> {
    fn new() -> Self {
        SetReader {
            set: Set {
                items: Vec::new(),
                raw: vec![b'['],
                server_time: None,
                reservation: Reservation::default(),
            },
            keys: Vec::new(),
            seen: BTreeSet::new(),
            n_stale_pages: 0,
            n_pages: 0,
            first_total: None,
            last_total: None,
        }
    }

    fn has_shifted(&self) -> bool {
        let has_repeats = self.seen.len() < self.keys.len();
        let has_new_size = self.first_total.zip(self.last_total).is_some_and(|(a, b)| a != b);
        self.n_pages > 1 && (has_repeats || has_new_size)
    }

    fn push(&mut self, item: &[u8], items: &Items<'_, T>) -> Converted<()> {
        if let Some(record) = (items.convert)(item)? {
            let key = (items.key)(&record);
            self.seen.insert(key.clone());
            self.keys.push(key);
            self.set.items.push(record);
        }
        if self.set.raw.len() > 1 {
            self.set.raw.push(b',');
        }
        self.set.raw.extend_from_slice(&(items.keep)(item));
        Ok(())
    }

    /// The list without repeats.
    fn finish(mut self) -> Set<T> {
        let mut seen = BTreeSet::new();
        let mut keys = self.keys.iter();
        self.set.items.retain(|_| keys.next().is_none_or(|key| seen.insert(key)));
        self.set.raw.push(b']');
        self.set
    }
}

/// The query of the page after `answer`; none after the last.
///
/// The length of a page says nothing as long as the server talks of pages at
/// all: GitLab filters by permission after paging, so that a page in the middle
/// may be short or empty.
pub(super) fn following(answer: &Answer, query: &str, page_size: u32) -> Option<String> {
    let page = headers::page_of(query).unwrap_or(1);
    let by_length =
        || (answer.items.len() >= page_size as usize).then(|| headers::with_page(query, page + 1));
    match headers::next_page(&answer.headers, query) {
        Next::End => None,
        Next::Unsaid => by_length(),
        Next::Query(next) => match headers::page_of(&next) {
            // A page that does not move forward would be read for ever.
            Some(number) if number <= page => by_length(),
            _ => Some(next),
        },
    }
}

impl Transport {
    /// The complete list at `path`.
    pub async fn whole_set<T>(
        &self,
        path: &str,
        items: &Items<'_, T>,
    ) -> Result<Set<T>, FailedRequest> {
        let mut sizes = items.page_sizes.iter().copied().peekable();
        loop {
            let size = sizes.next().unwrap_or(PAGE_SIZE);
            let is_smallest = sizes.peek().is_none();
            match self.settled_set(path, items, size, is_smallest).await {
                Err(failed) if !is_smallest && items.shrinks.helps(&failed) => {}
                outcome => return outcome,
            }
        }
    }

    async fn settled_set<T>(
        &self,
        path: &str,
        items: &Items<'_, T>,
        page_size: u32,
        is_smallest: bool,
    ) -> Result<Set<T>, FailedRequest> {
        let max_tries_at_size = (!is_smallest && items.shrinks == Shrinks::OnServerErrors)
            .then_some(TRIES_BEFORE_SHRINKING);
        let mut previous = None;
        for _ in 0..=MAX_REREADS {
            let reading = self.reading(path, items, page_size, max_tries_at_size).await?;
            if !reading.has_shifted() {
                return Ok(reading.finish());
            }
            let signs = (reading.keys.clone(), reading.first_total, reading.last_total);
            // Twice the same is not movement but how this server lists.
            if previous.as_ref() == Some(&signs) {
                return Ok(reading.finish());
            }
            previous = Some(signs);
        }
        Err(Failure::new(
            FailureKind::Unreachable,
            format!("GET {path} gave no whole answer: the list kept changing while it was read"),
        )
        .suggest("try again later")
        .into())
    }

    async fn reading<T>(
        &self,
        path: &str,
        items: &Items<'_, T>,
        page_size: u32,
        max_tries_at_size: Option<u32>,
    ) -> Result<SetReader<T>, FailedRequest> {
        let mut reading = SetReader::new();
        let mut call = Call::array(path, format!("per_page={page_size}&page=1"));
        call.max_tries_at_size = max_tries_at_size;
        let mut asked = BTreeSet::new();
        loop {
            asked.insert(call.query.clone());
            let answer = self.get(&call, &mut reading.set.reservation).await?;
            reading.n_pages += 1;
            let total = headers::total(&answer.headers);
            if reading.n_pages == 1 {
                reading.first_total = total;
                reading.set.server_time = headers::server_time(&answer.headers);
            }
            reading.last_total = total;
            let n_before = reading.seen.len();
            for item in answer.items() {
                reading
                    .push(item, items)
                    .map_err(|unreadable| unreadable.into_failure(&call.words()))?;
                if reading.set.raw.len() > self.options().max_set_bytes {
                    return Err(too_large(&call, self.options()));
                }
            }
            if reading.set.raw.len() > Options::SMALL_BYTES {
                self.reserve(&mut reading.set.reservation).await;
            }
            let is_stale = reading.seen.len() == n_before;
            reading.n_stale_pages = if is_stale { reading.n_stale_pages + 1 } else { 0 };
            let Some(next) = following(&answer, &call.query, page_size) else {
                return Ok(reading);
            };
            let goes_on = asked.len() < MAX_PAGES && reading.n_stale_pages < MAX_STALE_PAGES;
            if !goes_on || asked.contains(&next) {
                return Err(endless(&call));
            }
            call.query = next;
        }
    }
}

fn endless(call: &Call) -> FailedRequest {
    Failure::new(
        FailureKind::Unreadable,
        format!("{} has no end: the server's pages go on or in circles", call.words()),
    )
    .into()
}

fn too_large(call: &Call, options: &Options) -> FailedRequest {
    let limit = options.max_set_bytes / (1024 * 1024);
    Failure::new(
        FailureKind::Unreadable,
        format!("{} failed: the list is larger than {limit} MiB", call.words()),
    )
    .into()
}
