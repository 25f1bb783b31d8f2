//! A session with a server that is ready: questions about files, many in flight, and
//! the answers stored once it has proven to know what it knew.

use crate::evidence::{Counts, FileEvidence, Tier};
use crate::judge::Judge;
use crate::lsp::{ClientError, RequestId, Session};
use crate::probe::{AskingSession, Probes};
use crate::run::{Run, Sink, StopReason, Task, Work};
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::time::Duration;
use tokio::time::Instant;

/// Requests in flight.
const WINDOW: usize = 16;
/// Requests of one file that are sent again because the server was busy, and how long
/// after.
const MOST_AGAIN: usize = 200;
const AGAIN: Duration = Duration::from_millis(20);
/// How often a waiting run looks whether it should stop.
const LOOK: Duration = Duration::from_millis(200);

/// A session that is ready, and what is said in it.
pub(crate) struct ReadySession<'t, 'r> {
    pub run: &'t Run<'r>,
    pub session: &'t mut Session,
    pub judge: &'t Judge<'t>,
    pub around: &'t AskingSession<'t>,
    pub probes: &'t mut Probes,
}

impl ReadySession<'_, '_> {
    /// Stores what is pending, if the server still knows what it knew.
    pub fn commit(
        &mut self,
        work: &mut Work,
        sink: &mut dyn Sink,
        is_last: bool,
    ) -> std::result::Result<(), StopReason> {
        if work.pending().is_empty() {
            return Ok(());
        }
        if !self.probes.still_right(self.session, self.judge, self.around, is_last)? {
            let words = "it no longer gave the known answers".to_owned();
            return Err(StopReason::Lies(words));
        }
        sink.commit(work.pending()).map_err(StopReason::Store)?;
        work.settle();
        Ok(())
    }

    /// Goes on to the project of a task: what came of the one before is stored, and the
    /// server gives known answers of this one. False where it does not: then nothing is asked
    /// about it.
    pub fn enter(
        &mut self,
        work: &mut Work,
        sink: &mut dyn Sink,
        task: &Task,
    ) -> std::result::Result<bool, StopReason> {
        let project = work.projects.of_file(task.file);
        if work.project == Some(project) {
            return Ok(true);
        }
        let put_back = |work: &mut Work, stop| {
            work.tasks.push_front(task.clone());
            Err(stop)
        };
        if let Err(stop) = self.commit(work, sink, true) {
            return put_back(work, stop);
        }
        if let Err(stop) = self.check(work) {
            return put_back(work, stop);
        }
        let own = self.run.probes_of(&work.projects, project);
        let patience = work.patience();
        match self.probes.enter(own, self.session, self.judge, self.around, patience) {
            Ok(true) => {
                work.project = Some(project);
                Ok(true)
            }
            Ok(false) => {
                work.tasks.push_front(task.clone());
                work.put_off(project);
                Ok(false)
            }
            Err(ClientError::Silent) if work.is_late() => put_back(work, StopReason::Budget),
            Err(gone) => put_back(work, StopReason::Client(gone)),
        }
    }

    pub fn check(&self, work: &Work) -> std::result::Result<(), StopReason> {
        if self.run.cancel.is_cancelled() {
            return Err(StopReason::Cancelled);
        }
        if work.is_late() { Err(StopReason::Budget) } else { Ok(()) }
    }

    pub fn open(&mut self, at: usize) {
        if self.run.server.wants_files_open() {
            self.around.show(self.session, at);
        }
    }

    pub fn close(&mut self, at: usize) {
        self.around.hide(self.session, at);
    }

    /// Asks a method at many places, many in flight; what came back for each.
    pub fn ask_places(
        &mut self,
        work: &Work,
        method: &str,
        places: &[(usize, u32, u32)],
    ) -> std::result::Result<Vec<Vec<crate::lsp::Location>>, StopReason> {
        let mut answers = vec![Vec::new(); places.len()];
        let mut in_flight: HashMap<RequestId, (usize, Instant)> = HashMap::new();
        let mut waiting: VecDeque<usize> = (0..places.len()).collect();
        let mut n_again = 0;
        let mut last_sign = Instant::now();
        while !waiting.is_empty() || !in_flight.is_empty() {
            self.check(work)?;
            while in_flight.len() < WINDOW
                && let Some(next) = waiting.pop_front()
            {
                let (file, line, col) = places[next];
                let text = self.run.graph.text(file);
                let place =
                    text.and_then(|text| text.to_server((line, col), self.session.encoding));
                if let Some(place) = place {
                    let path = self.around.top.join(&self.run.graph.files[file].path);
                    let id = self.session.question(method, &path, place);
                    in_flight.insert(id, (next, Instant::now()));
                }
            }
            if in_flight.is_empty() {
                continue;
            }
            match self.session.answer(LOOK) {
                Ok((id, found)) => {
                    last_sign = Instant::now();
                    match (in_flight.remove(&id), found) {
                        (Some((place, _)), None) if n_again < MOST_AGAIN => {
                            n_again += 1;
                            std::thread::sleep(AGAIN);
                            waiting.push_back(place);
                        }
                        (Some((place, _)), found) => {
                            answers[place] = found.unwrap_or_default();
                            self.run.progress.advance(1);
                        }
                        (None, _) => {}
                    }
                }
                Err(ClientError::Silent) => {
                    if last_sign.elapsed() >= self.run.budget.request {
                        return Err(StopReason::Client(ClientError::Silent));
                    }
                    self.give_up_old(&mut in_flight);
                }
                Err(gone) => return Err(StopReason::Client(gone)),
            }
        }
        Ok(answers)
    }

    fn give_up_old(&mut self, in_flight: &mut HashMap<RequestId, (usize, Instant)>) {
        let patience = self.run.budget.request;
        let client = self.session.client();
        in_flight.retain(|id, (_, since)| {
            let is_old = since.elapsed() >= patience;
            if is_old {
                client.cancel(id);
            }
            !is_old
        });
    }

    /// Asks on where an answer is a constant that stands for another name.
    fn follow_names(
        &mut self,
        work: &Work,
        file: usize,
        places: &[(usize, u32, u32)],
        answers: &mut [Vec<crate::lsp::Location>],
    ) -> std::result::Result<(), StopReason> {
        /// `a = b`, `b = c`: longer chains nobody writes.
        const MOST_STEPS: usize = 3;
        let graph = self.run.graph;
        let mut names: Vec<(usize, u32, u32)> = places.to_vec();
        for _ in 0..MOST_STEPS {
            let mut wanted: BTreeMap<(usize, u32, u32), Vec<usize>> = BTreeMap::new();
            for (number, answer) in answers.iter().enumerate() {
                let (at, line, col) = names[number];
                let text = graph.text(at);
                let name = text.as_ref().map(|text| text.word_at((line, col)));
                if let Some((home, (line, col))) = self.judge.alias(answer, name) {
                    wanted.entry((home, line, col)).or_default().push(number);
                }
            }
            if wanted.is_empty() {
                return Ok(());
            }
            let asked: Vec<(usize, u32, u32)> = wanted.keys().copied().collect();
            let homes: BTreeSet<usize> = asked.iter().map(|(home, _, _)| *home).collect();
            for home in &homes {
                self.open(*home);
            }
            let found = self.ask_places(work, "textDocument/definition", &asked);
            for home in homes.iter().filter(|home| **home != file) {
                self.close(*home);
            }
            for ((place, numbers), found) in wanted.iter().zip(found?) {
                for number in numbers {
                    names[*number] = *place;
                    answers[*number].clone_from(&found);
                }
            }
        }
        Ok(())
    }

    pub fn ask_file(
        &mut self,
        work: &mut Work,
        task: &Task,
    ) -> std::result::Result<FileEvidence, StopReason> {
        let graph = self.run.graph;
        let file = &graph.files[task.file];
        let places: Vec<(usize, u32, u32)> = task
            .sites
            .iter()
            .map(|site| (task.file, file.sites[*site].line, file.sites[*site].col))
            .collect();
        self.open(task.file);
        let mut answers = self.ask_places(work, "textDocument/definition", &places);
        let is_silent = matches!(&answers, Ok(all) if all.iter().all(Vec::is_empty));
        if is_silent && !self.run.server.wants_files_open() {
            // Not one of the files that the server reads by itself.
            self.around.show(self.session, task.file);
            answers = self.ask_places(work, "textDocument/definition", &places);
        }
        if let Ok(answers) = &mut answers {
            self.follow_names(work, task.file, &places, answers)?;
        }
        self.close(task.file);
        let mut evidence = FileEvidence {
            file: file.id,
            link: file.link,
            tier: Some(task.tier),
            asked: places.iter().map(|(_, line, col)| (*line, *col)).collect(),
            edges: Vec::new(),
            external: Vec::new(),
            counts: Counts::default(),
        };
        for (number, answer) in task.sites.iter().zip(&answers?) {
            let site = &file.sites[*number];
            let verdict = self.judge.verdict(file, site, answer);
            if verdict.is_silent && site.tier() == Tier::Open {
                work.silent.push((task.file, *number));
            }
            evidence.counts.add(&verdict.counts);
            evidence.edges.extend(verdict.edges);
            if verdict.is_external {
                evidence.external.push((site.line, site.col));
            }
        }
        Ok(evidence)
    }
}
