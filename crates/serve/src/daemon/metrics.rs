//! Counters of the daemon, in the text form that Prometheus reads.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use store::runtime::InputRow;

/// What was counted since the start.
#[derive(Debug, Default)]
pub struct Metrics {
    inner: Mutex<Counts>,
}

#[derive(Debug, Default)]
struct Counts {
    /// By kind and how they ended.
    jobs: BTreeMap<(String, &'static str), u64>,
    /// Seconds by kind.
    seconds: BTreeMap<String, f64>,
    /// How long after a change was told of the answer was fresh, in seconds.
    freshness: Histogram,
    events: BTreeMap<&'static str, u64>,
    requests: BTreeMap<&'static str, u64>,
}

const BOUNDS: [f64; 8] = [0.1, 0.25, 0.5, 1.0, 1.5, 2.5, 5.0, 15.0];

#[derive(Debug, Default)]
struct Histogram {
    buckets: [u64; BOUNDS.len()],
    count: u64,
    sum: f64,
}

/// What is true now, beside what was counted.
#[derive(Debug, Default)]
pub struct Gauges {
    pub is_ready: bool,
    pub uptime_seconds: f64,
    pub jobs_waiting: usize,
    pub jobs_running: usize,
    pub clones: usize,
    pub clones_watched: usize,
    pub database_bytes: u64,
    pub fetches_waiting: u64,
    pub documents_waiting: u64,
    /// Since a project was last synced whole, the longest.
    pub sync_age_seconds: Option<f64>,
    /// Spans by the way they came in.
    pub inputs: Vec<InputRow>,
    /// Failures in a row by task.
    pub task_failures: Vec<(String, u32)>,
}

impl Metrics {
    pub fn job(&self, kind: &str, is_ok: bool, took: Duration) {
        self.with(|counts| {
            let result = if is_ok { "ok" } else { "error" };
            *counts.jobs.entry((kind.to_owned(), result)).or_default() += 1;
            *counts.seconds.entry(kind.to_owned()).or_default() += took.as_secs_f64();
        });
    }

    /// A change was seen: by a hook, a watch, a poll, a webhook.
    pub fn event(&self, source: &'static str) {
        self.with(|counts| *counts.events.entry(source).or_default() += 1);
    }

    /// Somebody asked for something over the socket.
    pub fn request(&self, kind: &'static str) {
        self.with(|counts| *counts.requests.entry(kind).or_default() += 1);
    }

    pub fn fresh_after(&self, took: Duration) {
        self.with(|counts| {
            let seconds = took.as_secs_f64();
            for (bucket, bound) in counts.freshness.buckets.iter_mut().zip(BOUNDS) {
                *bucket += u64::from(seconds <= bound);
            }
            counts.freshness.count += 1;
            counts.freshness.sum += seconds;
        });
    }

    fn with<T>(&self, change: impl FnOnce(&mut Counts) -> T) -> T {
        change(&mut self.inner.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub fn render(&self, gauges: &Gauges) -> String {
        let mut out = Page::default();
        self.with(|counts| {
            out.head("lore_jobs_total", "counter", "Jobs done, by kind and result");
            for ((kind, result), n) in &counts.jobs {
                out.line("lore_jobs_total", &[("kind", kind), ("result", result)], *n as f64);
            }
            out.head("lore_job_seconds_total", "counter", "Time spent on jobs, by kind");
            for (kind, seconds) in &counts.seconds {
                out.line("lore_job_seconds_total", &[("kind", kind)], *seconds);
            }
            out.head("lore_events_total", "counter", "Changes seen, by who told of them");
            for (source, n) in &counts.events {
                out.line("lore_events_total", &[("source", source)], *n as f64);
            }
            out.head("lore_requests_total", "counter", "Requests over the socket, by kind");
            for (kind, n) in &counts.requests {
                out.line("lore_requests_total", &[("kind", kind)], *n as f64);
            }
            let name = "lore_freshness_seconds";
            out.head(name, "histogram", "From a change to an index that has it");
            let Histogram { buckets, count, sum } = &counts.freshness;
            for (bucket, bound) in buckets.iter().zip(BOUNDS) {
                let bound = bound.to_string();
                out.line(&format!("{name}_bucket"), &[("le", &bound)], *bucket as f64);
            }
            out.line(&format!("{name}_bucket"), &[("le", "+Inf")], *count as f64);
            out.line(&format!("{name}_sum"), &[], *sum);
            out.line(&format!("{name}_count"), &[], *count as f64);
        });
        gauges.render(&mut out);
        out.0
    }
}

impl Gauges {
    fn render(&self, out: &mut Page) {
        out.gauge("lore_ready", "Whether the daemon can do its work", f64::from(self.is_ready));
        out.gauge("lore_uptime_seconds", "Since the daemon started", self.uptime_seconds);
        out.gauge("lore_jobs_waiting", "Jobs that wait for their turn", self.jobs_waiting as f64);
        out.gauge("lore_jobs_running", "Jobs that run", self.jobs_running as f64);
        out.gauge("lore_clones", "Registered clones", self.clones as f64);
        let watched = self.clones_watched as f64;
        out.gauge("lore_clones_watched", "Clones the system tells of changes", watched);
        out.gauge("lore_database_bytes", "Size of the database", self.database_bytes as f64);
        let waiting = self.fetches_waiting as f64;
        out.gauge("lore_fetches_waiting", "Fetches that wait for the next sync", waiting);
        let waiting = self.documents_waiting as f64;
        out.gauge("lore_documents_waiting", "Sources without current document", waiting);
        if let Some(age) = self.sync_age_seconds {
            out.gauge("lore_sync_age_seconds", "Since the oldest complete sync", age);
        }
        out.head(
            "lore_spans_total",
            "counter",
            "Spans of production, by way in and what became of them",
        );
        for row in &self.inputs {
            let counts = row.counts;
            for (result, n) in [
                ("counted", counts.n_spans),
                ("duplicate", counts.n_duplicates),
                ("rejected", counts.n_rejected),
                ("shed", counts.n_shed),
            ] {
                let labels = [("input", row.input.as_str()), ("result", result)];
                out.line("lore_spans_total", &labels, n as f64);
            }
        }
        out.head("lore_task_failures", "gauge", "Failures in a row, by task");
        for (task, n) in &self.task_failures {
            out.line("lore_task_failures", &[("task", task)], f64::from(*n));
        }
    }
}

/// Text in the exposition format.
#[derive(Default)]
struct Page(String);

impl Page {
    fn head(&mut self, name: &str, kind: &str, help: &str) {
        let _ = writeln!(self.0, "# HELP {name} {help}\n# TYPE {name} {kind}");
    }

    fn gauge(&mut self, name: &str, help: &str, value: f64) {
        self.head(name, "gauge", help);
        self.line(name, &[], value);
    }

    fn line(&mut self, name: &str, labels: &[(&str, &str)], value: f64) {
        let escaped =
            |text: &str| text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
        let labels: Vec<String> =
            labels.iter().map(|(name, value)| format!("{name}=\"{}\"", escaped(value))).collect();
        let labels =
            if labels.is_empty() { String::new() } else { format!("{{{}}}", labels.join(",")) };
        let _ = writeln!(self.0, "{name}{labels} {value}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_a_comment_or_a_name_with_a_number() {
        let metrics = Metrics::default();
        metrics.job("index", true, Duration::from_millis(120));
        metrics.job("sync\n\"x\"", false, Duration::from_secs(2));
        metrics.event("hook");
        metrics.request("command");
        metrics.fresh_after(Duration::from_millis(300));
        let page = metrics.render(&Gauges { is_ready: true, ..Gauges::default() });
        for line in page.lines().filter(|line| !line.starts_with("# ")) {
            let (name, value) = line.rsplit_once(' ').unwrap();
            assert!(name.starts_with("lore_"), "{line}");
            value.parse::<f64>().unwrap();
        }
        assert!(page.contains("lore_freshness_seconds_bucket{le=\"0.5\"} 1\n"), "{page}");
        assert!(page.contains("lore_freshness_seconds_bucket{le=\"0.25\"} 0\n"), "{page}");
        assert!(page.contains("lore_ready 1\n"), "{page}");
    }
}
