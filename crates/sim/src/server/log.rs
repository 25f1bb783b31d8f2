//! What was asked, for tests that count requests.

use crate::fault::Fault;
use std::collections::BTreeMap;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoggedRequest {
    pub path_and_query: String,
    /// As in [`RequestLog::by_class`].
    pub class: String,
    pub status: u16,
    pub fault: Option<Fault>,
}

#[derive(Debug, Clone, Default)]
pub struct RequestLog {
    pub total: u64,
    /// By kind of endpoint: `projects/:id/issues/:iid/discussions`.
    pub by_class: BTreeMap<String, u64>,
    pub by_status: BTreeMap<u16, u64>,
    /// Requests that met a fault.
    pub by_fault: BTreeMap<Fault, u64>,
    pub connections: u64,
    pub max_in_flight: u64,
    /// The newest [`RequestLog::KEPT`] in order of arrival of the answers.
    pub entries: Vec<LoggedRequest>,
}

impl RequestLog {
    pub const KEPT: usize = 200_000;

    pub fn count(&self, class: &str) -> u64 {
        self.by_class.get(class).copied().unwrap_or(0)
    }

    pub(super) fn add(&mut self, entry: LoggedRequest) {
        self.total += 1;
        *self.by_class.entry(entry.class.clone()).or_default() += 1;
        *self.by_status.entry(entry.status).or_default() += 1;
        if let Some(fault) = entry.fault {
            *self.by_fault.entry(fault).or_default() += 1;
        }
        if self.entries.len() == Self::KEPT {
            self.entries.drain(..Self::KEPT / 2);
        }
        self.entries.push(entry);
    }
}
