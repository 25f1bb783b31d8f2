//! From a name that someone typed to one of the things that have names.
//!
//! Projects, repositories and symbols are all written from their end: `api` for
//! `group/api`, `Flask.run` for `src/flask/app.Flask.run`. A name fits exactly,
//! but for upper and lower case, or by whole segments at its end; what fits best
//! is meant. Several that fit alike are candidates, in a fixed order.

use crate::suggest::nearest;
use crate::text::one_line;
use crate::{Error, ErrorCode, Result};

/// How a name fits what was typed, best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fit {
    Exact,
    IgnoringCase,
    /// Whole segments at its end.
    Suffix,
    SuffixIgnoringCase,
}

impl Fit {
    pub const fn is_case_exact(self) -> bool {
        matches!(self, Fit::Exact | Fit::Suffix)
    }
}

/// How `typed` fits `name`, whose segments are parted by any of `joints`.
pub fn fit(typed: &str, name: &str, joints: &[char]) -> Option<Fit> {
    if typed == name {
        return Some(Fit::Exact);
    }
    let segments = |text: &str| -> Vec<String> {
        text.split(joints).filter(|part| !part.is_empty()).map(str::to_owned).collect()
    };
    let (wanted, has) = (segments(typed), segments(name));
    let start = has.len().checked_sub(wanted.len()).filter(|_| !wanted.is_empty())?;
    let end = &has[start..];
    let is_whole = start == 0;
    if end == wanted {
        return Some(if is_whole { Fit::Exact } else { Fit::Suffix });
    }
    let is_same = |(a, b): (&String, &String)| a.to_lowercase() == b.to_lowercase();
    end.iter().zip(&wanted).all(is_same).then_some(if is_whole {
        Fit::IgnoringCase
    } else {
        Fit::SuffixIgnoringCase
    })
}

/// What the things are called in messages.
#[derive(Debug, Clone, Copy)]
pub struct Vocabulary {
    /// `project`
    pub one: &'static str,
    /// `projects`
    pub many: &'static str,
    /// `synced projects`
    pub known: &'static str,
    /// What a name is written after: `-p `.
    pub flag: &'static str,
}

/// Things by the names they have, in the order in which they are preferred.
pub struct Resolver<T> {
    vocabulary: Vocabulary,
    joints: &'static [char],
    items: Vec<(Vec<String>, T)>,
}

/// Names listed in a message.
const MOST_LISTED: usize = 10;

impl<T> Resolver<T> {
    pub fn new(vocabulary: Vocabulary, joints: &'static [char]) -> Self {
        Resolver { vocabulary, joints, items: Vec::new() }
    }

    /// Adds a thing under its name and the other names it answers to.
    pub fn add(&mut self, name: &str, aliases: impl IntoIterator<Item = String>, item: T) {
        let names = std::iter::once(name.to_owned()).chain(aliases).collect();
        self.items.push((names, item));
    }

    /// Every thing that fits, best first, with how it fits.
    pub fn ranked(&self, typed: &str) -> Vec<(Fit, &T)> {
        let fits = self.positions(typed);
        fits.into_iter().map(|(fit, at)| (fit, &self.items[at].1)).collect()
    }

    fn positions(&self, typed: &str) -> Vec<(Fit, usize)> {
        let mut found: Vec<(Fit, usize)> = Vec::new();
        for (at, (names, _)) in self.items.iter().enumerate() {
            let best = names.iter().filter_map(|name| fit(typed, name, self.joints)).min();
            found.extend(best.map(|fit| (fit, at)));
        }
        found.sort_by_key(|(fit, at)| (*fit, *at));
        found
    }

    /// The one that fits best; an error with the candidates where several do,
    /// and with the nearest name where none does.
    pub fn one(&self, typed: &str) -> Result<&T> {
        let found = self.positions(typed);
        let best: Vec<usize> =
            found.iter().filter(|it| it.0 == found[0].0).map(|(_, at)| *at).collect();
        match best.as_slice() {
            [only] => Ok(&self.items[*only].1),
            [] => Err(self.unknown(typed)),
            several => {
                let names: Vec<&str> =
                    several.iter().map(|at| self.items[*at].0[0].as_str()).collect();
                let Vocabulary { many, flag, .. } = self.vocabulary;
                let shown = one_line(typed, 80);
                let message =
                    format!("{} {many} match `{shown}`: {}", names.len(), names.join(", "));
                Err(Error::new(ErrorCode::Ambiguous, message)
                    .suggest(format!("choose one, e.g. {flag}{}", names[0])))
            }
        }
    }

    fn unknown(&self, typed: &str) -> Error {
        let names = || self.items.iter().map(|(names, _)| names[0].as_str());
        let last = |name: &'_ str| name.rsplit(self.joints).next().unwrap_or_default().to_owned();
        let shown = one_line(typed, 80);
        let error = Error::not_found(format!("no {} matches `{shown}`", self.vocabulary.one));
        // People type the whole name or only its end.
        let by_end = || {
            let ends: Vec<String> = names().map(last).collect();
            let near = nearest(typed, ends.iter().map(String::as_str), 1).first().copied()?;
            names().nth(ends.iter().position(|end| end == near)?)
        };
        match nearest(typed, names(), 1).first().copied().or_else(by_end) {
            Some(near) => error.suggest(format!("did you mean {near}?")),
            None => {
                let known: Vec<&str> = names().take(MOST_LISTED).collect();
                error.suggest(format!("{}: {}", self.vocabulary.known, known.join(", ")))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROJECTS: Vocabulary =
        Vocabulary { one: "project", many: "projects", known: "synced projects", flag: "-p " };

    fn projects(paths: &[&str]) -> Resolver<usize> {
        let mut resolver = Resolver::new(PROJECTS, &['/']);
        for (at, path) in paths.iter().enumerate() {
            resolver.add(path, [], at);
        }
        resolver
    }

    #[test]
    fn exact_beats_case_beats_ending() {
        let all = projects(&["a/api", "A/API", "b/web", "c/api-docs"]);
        assert_eq!(*all.one("a/api").unwrap(), 0);
        assert_eq!(*all.one("A/API").unwrap(), 1);
        assert_eq!(*all.one("WEB").unwrap(), 2);
        assert_eq!(*all.one("api-docs").unwrap(), 3);
        assert_eq!(*all.one("/b/web/").unwrap(), 2);
    }

    #[test]
    fn an_ambiguous_ending_lists_the_candidates() {
        let error = projects(&["a/api", "b/api"]).one("api").unwrap_err();
        assert_eq!(error.code(), ErrorCode::Ambiguous);
        assert_eq!(error.message(), "2 projects match `api`: a/api, b/api");
        assert_eq!(error.suggestion(), Some("choose one, e.g. -p a/api"));
    }

    #[test]
    fn an_unknown_name_gets_the_nearest_or_all() {
        let all = projects(&["group/backend", "group/frontend"]);
        let error = all.one("group/bakend").unwrap_err();
        assert_eq!(error.suggestion(), Some("did you mean group/backend?"));
        let error = all.one("fontend").unwrap_err();
        assert_eq!(error.suggestion(), Some("did you mean group/frontend?"));
        let error = all.one("zzz").unwrap_err();
        assert_eq!(error.code(), ErrorCode::NotFound);
        assert_eq!(error.suggestion(), Some("synced projects: group/backend, group/frontend"));
    }

    #[test]
    fn an_alias_fits_as_well_as_the_name() {
        let mut all = projects(&["local/4f2a", "host/group/web"]);
        all.add("local/77aa", ["flask".to_owned()], 2);
        assert_eq!(*all.one("flask").unwrap(), 2);
        let ranked: Vec<(Fit, usize)> =
            all.ranked("web").into_iter().map(|(fit, at)| (fit, *at)).collect();
        assert_eq!(ranked, [(Fit::Suffix, 1)]);
    }

    #[test]
    fn nothing_typed_fits_nothing() {
        assert_eq!(fit("", "a/b", &['/']), None);
        assert_eq!(fit("//", "a/b", &['/']), None);
        assert_eq!(fit("A.run", "a/A.run", &['/', '.']), Some(Fit::Suffix));
        assert_eq!(fit("a.run", "A.run", &['.']), Some(Fit::IgnoringCase));
    }
}
