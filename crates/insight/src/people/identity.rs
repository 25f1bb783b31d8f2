//! Who is who: users of the forge and authors of commits, joined.
//!
//! An author of commits is a user of the forge when the address says so (as the
//! noreply addresses of forges do), when it or the whole name is that of most
//! commits of their merge requests, or when the whole name or the name in the address is theirs.
//! Authors are one person when `.mailmap` says so, when their whole name is the same, or
//! their address, unless it is one that several people use. Programs are nobody.

use super::mailmap::Mailmap;
use model::Result;
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use store::Reader;
use store::activity::{self, Person};
use store::authors::{self, GitAuthor, RequestAuthor};
use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

/// A person among those who are compared; equal keys, one person.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum PersonKey {
    /// By username, in small letters.
    User(String),
    /// By name, or address where the name says nothing; in small letters.
    Author(String),
}

/// Joins users and authors.
#[derive(Debug, Default)]
pub(super) struct Identities {
    users: Vec<Person>,
    by_username: HashMap<String, usize>,
    /// The only user of a whole name, in small letters.
    by_name: HashMap<String, usize>,
    /// The user whose merge requests have the commits of an address.
    by_address: HashMap<String, usize>,
    /// The same of a whole name, in small letters: forges hide addresses.
    by_author_name: HashMap<String, usize>,
    mailmap: Mailmap,
    /// The whole name that most commits of an address have.
    name_of_address: HashMap<String, String>,
    /// The nickname that most commits of an address have, where no name is whole.
    nickname_of_address: HashMap<String, String>,
    /// From a whole name, in small letters, to a more frequent one of the same person.
    other_name: HashMap<String, String>,
}

impl Identities {
    /// Everybody the record knows; `clone` is where the question is about.
    pub(super) fn load(reader: &Reader, clone: Option<&PathBuf>) -> Result<Identities> {
        let users = activity::people(reader)?;
        let mut known = Identities {
            mailmap: clone.map(|dir| Mailmap::of_clone(dir)).unwrap_or_default(),
            ..Identities::default()
        };
        let mut by_id: HashMap<i64, usize> = HashMap::new();
        for (at, user) in users.iter().enumerate() {
            by_id.extend(user.ids.iter().map(|id| (*id, at)));
            known.by_username.entry(user.username.to_lowercase()).or_insert(at);
            if is_whole(&user.name) {
                // Two accounts of one whole name are one person, by the first.
                known.by_name.entry(user.name.to_lowercase()).or_insert(at);
            }
        }
        if !users.is_empty() {
            let (mut addresses, mut names) = (Vec::new(), Vec::new());
            for RequestAuthor { author, user, commits } in authors::of_merge_requests(reader)? {
                if !author.email.is_empty() {
                    addresses.push((author.email.to_lowercase(), user, commits));
                }
                if is_whole(&author.name) {
                    names.push((author.name.to_lowercase(), user, commits));
                }
            }
            known.by_address = owners(addresses, &by_id);
            known.by_author_name = owners(names, &by_id);
        }
        known.users = users;
        Ok(known)
    }

    /// Takes note of which names go with which addresses among these authors.
    pub(super) fn learn<'a>(&mut self, authors: impl Iterator<Item = (&'a GitAuthor, u64)>) {
        let mut counts: BTreeMap<String, BTreeMap<String, u64>> = BTreeMap::new();
        for (author, n) in authors {
            let author = self.mailmap.canonical(author);
            // A program that works under somebody's address is not what they are called.
            if !author.email.is_empty() && !is_bot(&author.name) {
                let names = counts.entry(address_key(&author.email)).or_default();
                *names.entry(author.name).or_default() += n;
            }
        }
        self.learn_names(&counts);
        for (address, names) in counts {
            let has_whole = names.keys().any(|name| is_whole(name));
            let fitting = names.into_iter().filter(|(name, _)| !has_whole || is_whole(name));
            let most = fitting.max_by(|a, b| a.1.cmp(&b.1).then(b.0.cmp(&a.0)));
            let known =
                if has_whole { &mut self.name_of_address } else { &mut self.nickname_of_address };
            known.extend(most.map(|(name, _)| (address, name)));
        }
    }

    /// Whether names and addresses are known already: those of a part would undo it.
    pub(super) fn has_learned(&self) -> bool {
        !self.name_of_address.is_empty() || !self.nickname_of_address.is_empty()
    }

    /// Takes note of whole names that one person goes by: those on their address that have
    /// a word in common, or hardly any commits elsewhere.
    fn learn_names(&mut self, counts: &BTreeMap<String, BTreeMap<String, u64>>) {
        let mut frequency: BTreeMap<&str, u64> = BTreeMap::new();
        for (name, n) in counts.values().flatten() {
            *frequency.entry(name).or_default() += n;
        }
        for (address, names) in counts {
            let mut whole: Vec<&str> =
                names.keys().map(String::as_str).filter(|name| is_whole(name)).collect();
            if whole.len() < 2 || whole.len() > MOST_NAMES || is_shared(address) {
                continue;
            }
            // Always towards the more frequent: no name leads back to itself.
            whole.sort_by_key(|name| (frequency[name], Reverse(*name)));
            // Somebody who commits on the machine of a colleague is not the colleague: of
            // names without a word in common, the address must have most that both wrote.
            let is_at_home = |name: &str| names[name] >= 2 && names[name] * 2 > frequency[name];
            let is_one = |one: &str, other: &str| {
                has_part_of(one, other) || (is_at_home(one) && is_at_home(other))
            };
            for (at, name) in whole.iter().enumerate() {
                let other = whole[at + 1..].iter().rev().find(|other| is_one(name, other));
                if let Some(other) = other {
                    self.other_name.insert(name.to_lowercase(), (*other).to_owned());
                }
            }
        }
    }

    /// What somebody of this name is usually called.
    fn usual_name(&self, name: String) -> String {
        let mut name = name;
        for _ in 0..MOST_NAMES {
            match self.other_name.get(&name.to_lowercase()) {
                Some(other) if *other != name => name.clone_from(other),
                _ => break,
            }
        }
        name
    }

    /// The person behind a user of the forge; none for a program.
    pub(super) fn of_user(&self, username: &str, name: &str) -> Option<PersonKey> {
        if is_bot(username) || is_bot(name) {
            return None;
        }
        let by_name = is_whole(name).then(|| self.by_name.get(&name.to_lowercase())).flatten();
        let username = by_name.map_or(username, |at| &self.users[*at].username);
        Some(PersonKey::User(username.to_lowercase()))
    }

    /// The person behind an author of commits, and what they are called; none for
    /// a program.
    pub(super) fn of_author(&self, author: &GitAuthor) -> Option<(PersonKey, String)> {
        let author = self.mailmap.canonical(author);
        let local = local_part(&author.email);
        if is_bot(&author.name) || is_bot(local.rsplit('+').next().unwrap_or(local)) {
            return None;
        }
        if let Some(at) = self.user_of(&author) {
            let user = &self.users[at];
            return Some((PersonKey::User(user.username.to_lowercase()), user.name.clone()));
        }
        let address = address_key(&author.email);
        let name = match self.name_of_address.get(&address) {
            Some(name) if !is_whole(&author.name) || has_part_of(name, &author.name) => {
                name.clone()
            }
            Some(_) => author.name,
            None => self.nickname_of_address.get(&address).cloned().unwrap_or(author.name),
        };
        let name = self.usual_name(name);
        let key = if is_whole(&name) { name.to_lowercase() } else { format!("{name} {address}") };
        Some((PersonKey::Author(key), name))
    }

    fn user_of(&self, author: &GitAuthor) -> Option<usize> {
        let address = author.email.to_lowercase();
        let local = local_part(&address);
        // `12345+ada@users.noreply.forge.example`
        let noreply = is_noreply(&address).then(|| local.rsplit('+').next().unwrap_or(local));
        let by_noreply = noreply.and_then(|username| self.by_username.get(username));
        by_noreply
            .or_else(|| self.by_address.get(&address))
            .or_else(|| self.by_name.get(&author.name.to_lowercase()))
            .or_else(|| self.by_author_name.get(&author.name.to_lowercase()))
            .or_else(|| self.by_username.get(local).filter(|at| self.has_name(**at, author)))
            .copied()
    }

    /// Whether a user whose username stands in an address can be its owner: where
    /// both have whole names, these must not differ in every part.
    fn has_name(&self, at: usize, author: &GitAuthor) -> bool {
        let (user, author) = (&self.users[at].name, &author.name);
        !is_whole(user) || !is_whole(author) || has_part_of(user, author)
    }

    pub(super) fn user(&self, key: &PersonKey) -> Option<&Person> {
        match key {
            PersonKey::User(username) => self.by_username.get(username).map(|at| &self.users[*at]),
            PersonKey::Author(_) => None,
        }
    }

    /// Every account of a person.
    pub(super) fn accounts(&self, key: &PersonKey) -> Vec<&Person> {
        let is_theirs =
            |user: &&Person| self.of_user(&user.username, &user.name).as_ref() == Some(key);
        self.users.iter().filter(is_theirs).collect()
    }

    pub(super) fn users(&self) -> &[Person] {
        &self.users
    }
}

/// Addresses, or names, that belong to one user: those whose commits are in the
/// merge requests of nobody else as often. Somebody who takes over the work of others
/// has their commits too.
fn owners(counts: Vec<(String, i64, u64)>, by_id: &HashMap<i64, usize>) -> HashMap<String, usize> {
    let mut by_address: BTreeMap<String, BTreeMap<usize, u64>> = BTreeMap::new();
    let mut of_user: BTreeMap<usize, u64> = BTreeMap::new();
    for (address, user, n) in counts {
        if let Some(at) = by_id.get(&user) {
            *by_address.entry(address).or_default().entry(*at).or_default() += n;
            *of_user.entry(*at).or_default() += n;
        }
    }
    let mut owners = HashMap::new();
    for (address, users) in by_address {
        let total: u64 = users.values().sum();
        let most = users.into_iter().max_by(|a, b| a.1.cmp(&b.1).then(b.0.cmp(&a.0)));
        // A single commit may be anybody's. Others take up the work of who writes
        // much, but who has hardly any commits but these wrote them.
        let is_theirs = |(at, n): &(usize, u64)| {
            let is_all_they_have = n * 2 > total && n * 2 > of_user[at];
            *n >= 2 && (n * 3 > total * 2 || is_all_they_have)
        };
        owners.extend(most.filter(is_theirs).map(|(at, _)| (address, at)));
    }
    owners
}

/// More whole names on one address are several people.
const MOST_NAMES: usize = 4;

/// Addresses that people share, or that git made up where nobody gave one.
fn is_shared(address: &str) -> bool {
    const ROLES: [&str; 19] = [
        "admin",
        "build",
        "builder",
        "ci",
        "contact",
        "dev",
        "developers",
        "devs",
        "git",
        "hello",
        "info",
        "no-reply",
        "nobody",
        "noreply",
        "office",
        "root",
        "support",
        "team",
        "you",
    ];
    let (local, host) = address.split_once('@').unwrap_or((address, ""));
    let is_made_up =
        !host.contains('.') || host.rsplit('.').next() == Some("local") || host == "example.com";
    ROLES.contains(&local) || is_made_up
}

/// First name and surname: alike by chance only rarely.
fn is_whole(name: &str) -> bool {
    name.split_whitespace().count() >= 2
}

/// A name in small letters, Latin ones without their marks: many write theirs either way.
fn folded(name: &str) -> String {
    let letters = name.nfd().filter(|c| !is_combining_mark(*c)).flat_map(char::to_lowercase);
    // These have no mark that could be taken off.
    letters
        .map(|c| match c {
            'ł' => 'l',
            'ø' => 'o',
            'đ' | 'ð' => 'd',
            'ı' => 'i',
            other => other,
        })
        .collect()
}

/// Whether two names have a word in common.
fn has_part_of(one: &str, other: &str) -> bool {
    let (one, other) = (folded(one), folded(other));
    one.split_whitespace().any(|part| other.split_whitespace().any(|it| it == part))
}

/// Addresses under which forges hide their users': `12345+ada@users.noreply.forge.example`.
fn is_noreply(address: &str) -> bool {
    let host = address.split('@').nth(1).unwrap_or_default();
    host.split('.').any(|part| part == "noreply")
}

/// What tells an address from others, in small letters. Of one that hides a user only
/// the number: it stays when the user takes another name.
fn address_key(address: &str) -> String {
    let address = address.to_lowercase();
    let number = local_part(&address).split(['+', '-']).next().unwrap_or_default();
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    match address.split_once('@') {
        Some((_, host)) if is_number && is_noreply(&address) => format!("{number}@{host}"),
        _ => address,
    }
}

fn local_part(address: &str) -> &str {
    address.split('@').next().unwrap_or_default()
}

/// Names that programs go by.
fn is_bot(name: &str) -> bool {
    crate::decisions::is_bot(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(users: &[(&str, &str)], addresses: &[(&str, usize)]) -> Identities {
        let mut known = Identities::default();
        for (at, (username, name)) in users.iter().enumerate() {
            known.users.push(Person {
                ids: vec![at as i64],
                username: (*username).to_owned(),
                name: (*name).to_owned(),
            });
            known.by_username.insert((*username).to_owned(), at);
            if is_whole(name) {
                known.by_name.entry(name.to_lowercase()).or_insert(at);
            }
        }
        known.by_address = addresses.iter().map(|(it, at)| ((*it).to_owned(), *at)).collect();
        known
    }

    fn author(name: &str, email: &str) -> GitAuthor {
        GitAuthor { name: name.to_owned(), email: email.to_owned() }
    }

    #[test]
    fn authors_are_joined_with_users_by_address_and_name() {
        let mut known = known(
            &[("sipa", "Pieter Wuille"), ("ada", "Ada Larsen"), ("jo", "jo")],
            &[("bo@corp.example", 1)],
        );
        known.by_author_name.insert("johan berg".to_owned(), 2);
        for (name, email, user) in [
            ("Pieter Wuille", "anything@example.com", Some("sipa")),
            ("x", "548488+sipa@users.noreply.example.com", Some("sipa")),
            ("Somebody", "bo@corp.example", Some("ada")),
            ("jo", "jo@home", Some("jo")),
            // The forge showed no address, but whose merge requests he wrote in.
            ("Johan Berg", "johan@home", Some("jo")),
            // The address begins like a username, and the name is another's.
            ("Adam Novak", "ada@else.where", None),
            ("Someone Else", "se@example.com", None),
        ] {
            let (key, _) = known.of_author(&author(name, email)).unwrap();
            let found = known.user(&key).map(|user| user.username.as_str());
            assert_eq!(found, user, "{name} <{email}>");
        }
        for (name, email) in [
            ("dependabot[bot]", "x@y"),
            ("merge-script", "maintainer@home.example.org"),
            ("GitHub Merge Button", "merge-button@forge.example"),
            ("Agent", "198982749+Copilot@users.noreply.forge.example"),
        ] {
            assert_eq!(known.of_author(&author(name, email)), None, "{name}");
        }
        assert_eq!(known.of_user("renovate-bot", "Renovate"), None);
    }

    #[test]
    fn authors_are_one_person_by_name_or_by_address() {
        let mut known = known(&[], &[]);
        let all = [
            author("David Lord", "d@one"),
            author("davidism", "d@one"),
            author("David Lord", "d@two"),
            author("root", "root@a"),
            author("root", "root@b"),
            author("cobalt", "613+cobalt7@users.noreply.github.com"),
            author("cobalt", "613+redguy@users.noreply.github.com"),
            author("cobalt", "614+cobalt@users.noreply.github.com"),
            author("Yilei Yang", "y@one"),
            author("Yilei Dolee Yang", "y@one"),
            author("Jane Roe", "team@corp.example.org"),
            author("John Doe", "team@corp.example.org"),
            author("daiwei", "ed@one"),
            author("edison", "ed@one"),
            author("Pawel Boguslawski", "pawel@home.example.org"),
            author("Paweł Bogusławski", "pawel@home.example.org"),
            author("Paweł Bogusławski", "pb@corp.example.org"),
        ];
        known.learn(all.iter().map(|author| (author, 2)));
        let key = |at: usize| known.of_author(&all[at]).unwrap().0;
        assert_eq!(key(5), key(6), "the number in the address stays");
        assert_ne!(key(5), key(7));
        assert_eq!(key(8), key(9), "one address and a part of the name");
        assert_ne!(key(10), key(11), "an address that people share");
        assert_eq!(key(12), key(13), "one address, two nicknames");
        assert_eq!(key(14), key(15), "one address, a name in two spellings");
        assert_eq!(key(14), key(16), "and so it is everywhere");
        assert_eq!(key(0), key(1));
        assert_eq!(key(0), key(2));
        assert_ne!(key(3), key(4));
    }

    #[test]
    fn names_on_one_address_are_one_person_where_most_of_both_is_there() {
        let join = |counts: &[(&str, &str, u64)]| {
            let mut known = known(&[], &[]);
            let all: Vec<(GitAuthor, u64)> =
                counts.iter().map(|(name, email, n)| (author(name, email), *n)).collect();
            known.learn(all.iter().map(|(author, n)| (author, *n)));
            known.of_author(&all[0].0).unwrap().0 == known.of_author(&all[1].0).unwrap().0
        };
        let (home, other) = ("ada@corp.example.org", "bo@corp.example.org");
        let ada = ("Ada Larsen", home, 90);
        // Made on the machine of a colleague.
        assert!(!join(&[ada, ("Bo Winther", home, 1), ("Bo Winther", other, 40)]));
        assert!(!join(&[ada, ("Bo Winther", home, 1)]), "a single commit may be anybody's");
        assert!(!join(&[ada, ("Bo Winther", home, 20), ("Bo Winther", other, 40)]));
        // Another name of the same person, and one in another alphabet.
        assert!(join(&[ada, ("Ada Winther", home, 1)]));
        assert!(join(&[ada, ("Ада Ларсен", home, 20)]));
        for role in ["info", "support", "contact", "hello", "office", "git", "ci", "team"] {
            let address = format!("{role}@corp.example.org");
            assert!(!join(&[("Jane Roe", &address, 9), ("John Doe", &address, 9)]), "{role}");
        }
    }

    #[test]
    fn an_address_is_owned_by_whose_merge_requests_have_most_of_it() {
        let by_id = HashMap::from([(7, 0), (8, 1)]);
        let counts = vec![
            ("a@x".to_owned(), 7, 9),
            ("a@x".to_owned(), 8, 2),
            ("b@x".to_owned(), 7, 1),
            ("c@x".to_owned(), 7, 3),
            ("c@x".to_owned(), 8, 3),
            // Most of what the second one has, though the first took much of it up.
            ("d@x".to_owned(), 8, 9),
            ("d@x".to_owned(), 7, 6),
        ];
        let owners = owners(counts, &by_id);
        assert_eq!(owners, HashMap::from([("a@x".to_owned(), 0), ("d@x".to_owned(), 1)]));
    }
}
