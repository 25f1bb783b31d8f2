//! Protocol Buffers: what is on the wire goes by numbers and types, what is called over
//! it by the names of services and calls.

use super::{Breaches, Place, Scope, Source, lines_of, place_in, successor};
use crate::facts::Lines;
use crate::structure::proto::{STYLE, end_of_statement};
use crate::structure::tokens::{Kind, Token, closing, tokens};
use model::breaking::Rule;
use std::collections::{BTreeMap, BTreeSet};

/// Everything the files of one version declare, by package and the names from the file down.
#[derive(Default)]
struct Version {
    messages: BTreeMap<(String, String), Message>,
    enums: BTreeMap<(String, String), Values>,
    services: BTreeMap<(String, String), Service>,
    /// The package of each file.
    packages: BTreeMap<String, (String, Place)>,
}

struct Message {
    place: Place,
    fields: Vec<Field>,
    reserved: Reserved,
    /// Names and types of the fields, to know it again.
    parts: BTreeSet<String>,
}

struct Field {
    name: String,
    number: i64,
    /// As written, a label included: `repeated string`.
    ty: String,
    is_required: bool,
    place: Place,
}

struct Values {
    place: Place,
    values: Vec<(String, i64, Place)>,
    reserved: Reserved,
    parts: BTreeSet<String>,
}

struct Service {
    place: Place,
    rpcs: Vec<Rpc>,
    parts: BTreeSet<String>,
}

struct Rpc {
    name: String,
    request: String,
    response: String,
    place: Place,
}

#[derive(Default)]
struct Reserved {
    numbers: Vec<(i64, i64)>,
}

impl Reserved {
    fn has(&self, number: i64) -> bool {
        self.numbers.iter().any(|(from, to)| (*from..=*to).contains(&number))
    }
}

pub(super) fn compare(old: &[Source<'_>], new: &[Source<'_>], found: &mut Breaches) {
    let (mut old, new) = (Version::of(old), Version::of(new));
    follow_packages(&mut old, &new, found);
    let renamed = renamed_messages(&old, &new);
    for (key, message) in &old.messages {
        found.scope = scope(&key.0);
        if let Some(now) = new.messages.get(renamed.get(key).unwrap_or(key)) {
            if let Some((_, name)) = renamed.get(key) {
                let told = format!("message {} is now {name}", key.1);
                tell_renamed(&key.1, &message.place, &now.place, told, found);
            }
            fields(&key.1, message, now, &renamed, found);
        } else if !is_inside_gone(key, |around| !new.messages.contains_key(around)) {
            let told = format!("message {} is gone", key.1);
            found.add_at(Rule::RemovedContract, &key.1, &message.place, told);
        }
    }
    enums(&old, &new, &renamed, found);
    services(&old, &new, &renamed, found);
}

type Key = (String, String);

fn scope(package: &str) -> Scope {
    Scope { format: "proto", home: package.to_owned(), schema: String::new() }
}

/// A file with another package: everything in it goes by other names on the wire, which is
/// told once.
fn follow_packages(old: &mut Version, new: &Version, found: &mut Breaches) {
    for (path, (package, place)) in &old.packages.clone() {
        let is_left = !new.packages.values().any(|(known, _)| known == package);
        let Some((now, at)) = new.packages.get(path).filter(|(now, _)| now != package && is_left)
        else {
            continue;
        };
        let told = format!("package {package} is now {now}");
        found.scope = scope(package);
        found.add(Rule::RenamedContract, package, [place, at], told);
        rename_package(&mut old.messages, package, now);
        rename_package(&mut old.enums, package, now);
        rename_package(&mut old.services, package, now);
    }
}

fn rename_package<T>(all: &mut BTreeMap<Key, T>, from: &str, to: &str) {
    let known = std::mem::take(all);
    all.extend(known.into_iter().map(|((package, name), it)| {
        let package = if package == from { to.to_owned() } else { package };
        ((package, name), it)
    }));
}

fn is_inside_gone(key: &Key, is_gone: impl Fn(&Key) -> bool) -> bool {
    key.1.rsplit_once('.').is_some_and(|(outer, _)| is_gone(&(key.0.clone(), outer.to_owned())))
}

fn renamed_messages(old: &Version, new: &Version) -> BTreeMap<Key, Key> {
    let mut renamed = BTreeMap::new();
    for (key, gone) in old.messages.iter().filter(|(key, _)| !new.messages.contains_key(*key)) {
        let fresh = new.messages.iter().filter(|(now, _)| {
            !old.messages.contains_key(*now) && !renamed.values().any(|taken| taken == *now)
        });
        let now = successor(&gone.parts, fresh.map(|(now, it)| (now.clone(), &it.parts)));
        // Without fields there is nothing to know it by.
        if let Some(now) = now {
            renamed.insert(key.clone(), now);
        }
    }
    renamed
}

fn tell_renamed(symbol: &str, old: &Place, now: &Place, told: String, found: &mut Breaches) {
    found.add(Rule::RenamedContract, symbol, [old, now], told);
}

/// Whether two types as written are one: qualified or not, renamed or not.
fn is_same_type(old: &str, new: &str, renamed: &BTreeMap<Key, Key>) -> bool {
    let last = |ty: &str| ty.trim_start_matches('.').to_owned();
    let is_end = |long: &str, short: &str| {
        long.strip_suffix(short).is_some_and(|before| before.is_empty() || before.ends_with('.'))
    };
    let words = |ty: &str| ty.split(' ').map(last).collect::<Vec<_>>();
    let (old, new) = (words(old), words(new));
    old.len() == new.len()
        && old.iter().zip(&new).all(|(old, new)| {
            is_end(old, new)
                || is_end(new, old)
                || renamed.iter().any(|((_, was), (_, is))| is_end(old, was) && is_end(new, is))
        })
}

fn fields(
    name: &str,
    old: &Message,
    new: &Message,
    renamed: &BTreeMap<Key, Key>,
    found: &mut Breaches,
) {
    let named = |all: &[Field], name: &str| all.iter().position(|it| it.name == name);
    for was in &old.fields {
        let symbol = format!("{name}.{}", was.name);
        let numbered = new.fields.iter().find(|it| it.number == was.number);
        let by_name = named(&new.fields, &was.name).map(|at| &new.fields[at]);
        match (numbered, by_name) {
            (_, Some(now)) if now.number != was.number => {
                let told = format!("field {symbol} was number {}, is {}", was.number, now.number);
                let places = [&was.place, &now.place];
                found.add(Rule::ChangedFieldNumber, &symbol, places, told);
            }
            (_, Some(now)) => {
                if !is_same_type(&was.ty, &now.ty, renamed) {
                    let told = format!("field {symbol} was {}, is {}", was.ty, now.ty);
                    found.add(Rule::ChangedType, &symbol, [&was.place, &now.place], told);
                }
            }
            (Some(now), None) => {
                let is_known = named(&old.fields, &now.name).is_some();
                if is_same_type(&was.ty, &now.ty, renamed) && !is_known {
                    let told = format!(
                        "field {symbol} is now {}: code and JSON call it by name",
                        now.name
                    );
                    tell_renamed(&symbol, &was.place, &now.place, told, found);
                } else {
                    let told = format!(
                        "number {} was {symbol} ({}), is {} ({})",
                        was.number, was.ty, now.name, now.ty
                    );
                    let places = [&was.place, &now.place];
                    found.add(Rule::ReusedFieldNumber, &symbol, places, told);
                }
            }
            (None, None) if !new.reserved.has(was.number) => {
                let told =
                    format!("field {symbol} is gone and its number {} is not reserved", was.number);
                found.add_at(Rule::RemovedField, &symbol, &was.place, told);
            }
            (None, None) => {}
        }
    }
    for now in new.fields.iter().filter(|now| named(&old.fields, &now.name).is_none()) {
        let symbol = format!("{name}.{}", now.name);
        // A number that another field keeps under its old name was told above.
        let moved_away = old
            .fields
            .iter()
            .find(|it| it.number == now.number && named(&new.fields, &it.name).is_some());
        if let Some(was) = moved_away {
            let told = format!("number {} was {name}.{}, is {symbol}", now.number, was.name);
            found.add(Rule::ReusedFieldNumber, &symbol, [&was.place, &now.place], told);
        } else if old.reserved.has(now.number) {
            let told = format!("number {} of {symbol} was reserved", now.number);
            found.add_at(Rule::ReusedFieldNumber, &symbol, &now.place, told);
        }
        if now.is_required {
            let told = format!("required field {symbol} added");
            found.add_at(Rule::RequiredInput, &symbol, &now.place, told);
        }
    }
}

fn enums(old: &Version, new: &Version, renamed: &BTreeMap<Key, Key>, found: &mut Breaches) {
    for (key, was) in &old.enums {
        found.scope = scope(&key.0);
        let name = &key.1;
        let is_fresh = |it: &&Key| !old.enums.contains_key(*it);
        let fresh = new.enums.iter().filter(|(now, _)| is_fresh(now));
        // An enum goes along with the message it is written in.
        let carried = name.rsplit_once('.').and_then(|(outer, own)| {
            let (package, outer) = renamed.get(&(key.0.clone(), outer.to_owned()))?;
            Some((package.clone(), format!("{outer}.{own}")))
        });
        let same = new.enums.get(key).or_else(|| new.enums.get(carried.as_ref()?));
        let Some(now) = same else {
            if is_inside_gone(key, |around| {
                old.messages.contains_key(around) && !new.messages.contains_key(around)
            }) {
                continue;
            }
            match successor(&was.parts, fresh.map(|(now, it)| ((now, it), &it.parts))) {
                Some((now, it)) => {
                    let told = format!("enum {name} is now {}", now.1);
                    tell_renamed(name, &was.place, &it.place, told, found);
                }
                None => {
                    let told = format!("enum {name} is gone");
                    found.add_at(Rule::RemovedContract, name, &was.place, told);
                }
            }
            continue;
        };
        values(name, was, now, found);
    }
}

fn values(name: &str, was: &Values, now: &Values, found: &mut Breaches) {
    for (value, number, place) in &was.values {
        let symbol = format!("{name}.{value}");
        if let Some((_, is, at)) = now.values.iter().find(|(known, ..)| known == value) {
            if is != number {
                let told = format!("value {symbol} was number {number}, is {is}");
                found.add(Rule::ChangedFieldNumber, &symbol, [place, at], told);
            }
            continue;
        }
        let numbered = now.values.iter().find(|(_, known, _)| known == number);
        if let Some((to, _, at)) = numbered {
            let told = format!("value {symbol} is now {to}: code and JSON call it by name");
            tell_renamed(&symbol, place, at, told, found);
        } else if !now.reserved.has(*number) {
            let told = format!("value {symbol} is gone and its number {number} is not reserved");
            found.add_at(Rule::RemovedValue, &symbol, place, told);
        }
    }
}

fn services(old: &Version, new: &Version, renamed: &BTreeMap<Key, Key>, found: &mut Breaches) {
    for (key, was) in &old.services {
        found.scope = scope(&key.0);
        let name = &key.1;
        let Some(now) = new.services.get(key) else {
            let fresh = new.services.iter().filter(|(now, _)| !old.services.contains_key(*now));
            match successor(&was.parts, fresh.map(|(now, it)| ((now, it), &it.parts))) {
                Some((now, it)) => {
                    let told = format!("service {name} is now {}", now.1);
                    tell_renamed(name, &was.place, &it.place, told, found);
                }
                None => {
                    let told = format!("service {name} is gone");
                    found.add_at(Rule::RemovedContract, name, &was.place, told);
                }
            }
            continue;
        };
        let is_fresh = |it: &&Rpc| !was.rpcs.iter().any(|known| known.name == it.name);
        let mut fresh: Vec<&Rpc> = now.rpcs.iter().filter(is_fresh).collect();
        for rpc in &was.rpcs {
            let symbol = format!("{name}.{}", rpc.name);
            let is_same = |now: &Rpc| {
                is_same_type(&rpc.request, &now.request, renamed)
                    && is_same_type(&rpc.response, &now.response, renamed)
            };
            if let Some(it) = now.rpcs.iter().find(|it| it.name == rpc.name) {
                if !is_same(it) {
                    let told = format!(
                        "rpc {symbol} was ({}) → ({}), is ({}) → ({})",
                        rpc.request, rpc.response, it.request, it.response
                    );
                    found.add(Rule::ChangedType, &symbol, [&rpc.place, &it.place], told);
                }
            } else if let Some(at) = fresh.iter().position(|it| is_same(it)) {
                let it = fresh.remove(at);
                let told = format!("rpc {symbol} is now {name}.{}", it.name);
                tell_renamed(&symbol, &rpc.place, &it.place, told, found);
            } else {
                let told = format!("rpc {symbol} is gone");
                found.add_at(Rule::RemovedContract, &symbol, &rpc.place, told);
            }
        }
    }
}

impl Version {
    fn of(files: &[Source<'_>]) -> Version {
        let mut version = Version::default();
        for file in files {
            let all = tokens(file.bytes, STYLE);
            let lines = lines_of(file);
            let package = all
                .windows(2)
                .find(|pair| pair[0].is("package") && pair[1].kind == Kind::Word)
                .map(|pair| (pair[1].text.to_owned(), place_in(file, &lines, pair[0].start)));
            let name = package.as_ref().map_or(String::new(), |(name, _)| name.clone());
            if let Some(package) = package {
                version.packages.insert(file.path.to_owned(), package);
            }
            let mut reader = Reader { file, lines: &lines, package: name, version: &mut version };
            reader.block("", &all, 0);
        }
        for message in version.messages.values_mut() {
            let parts = message.fields.iter();
            message.parts = parts.map(|it| format!("{} {}", it.ty, it.name)).collect();
        }
        version
    }
}

struct Reader<'v, 'f> {
    file: &'f Source<'f>,
    lines: &'f Lines,
    package: String,
    version: &'v mut Version,
}

impl Reader<'_, '_> {
    fn place(&self, token: &Token<'_>) -> Place {
        place_in(self.file, self.lines, token.start)
    }

    fn key(&self, name: &str) -> Key {
        (self.package.clone(), name.to_owned())
    }

    /// Declarations among the tokens of a body; `around` is the message it belongs to.
    fn block(&mut self, around: &str, all: &[Token<'_>], depth: u32) {
        let mut at = 0;
        while at < all.len() {
            let word = all[at];
            let is_block = matches!(word.text, "message" | "service" | "enum" | "oneof" | "extend")
                && word.kind == Kind::Word
                && all.get(at + 2).is_some_and(|open| open.is("{"));
            if !is_block {
                at = self.statement(around, all, at);
                continue;
            }
            let end = closing(all, at + 2);
            let inner = &all[at + 3..end.saturating_sub(1).max(at + 3)];
            let name = match around {
                "" => all[at + 1].text.to_owned(),
                _ => format!("{around}.{}", all[at + 1].text),
            };
            let place = self.place(&word);
            match word.text {
                "message" => {
                    let message = Message {
                        place,
                        fields: Vec::new(),
                        reserved: Reserved::default(),
                        parts: BTreeSet::new(),
                    };
                    self.version.messages.insert(self.key(&name), message);
                    if depth < 32 {
                        self.block(&name, inner, depth + 1);
                    }
                }
                "enum" => {
                    let values = self.values(place, inner);
                    self.version.enums.insert(self.key(&name), values);
                }
                "service" => {
                    let service = self.service(place, inner);
                    self.version.services.insert(self.key(&name), service);
                }
                "oneof" if depth < 32 => self.block(around, inner, depth + 1),
                // Fields of somebody else's message.
                _ => {}
            }
            at = end;
        }
    }

    /// A field or what is reserved; the place after it.
    fn statement(&mut self, around: &str, all: &[Token<'_>], at: usize) -> usize {
        let end = end_of_statement(all, at);
        let words = &all[at..end.min(all.len())];
        let key = self.key(around);
        let field = field_of(words).map(|(name, number, ty, is_required, token)| Field {
            name,
            number,
            ty,
            is_required,
            place: self.place(&token),
        });
        if let Some(message) = self.version.messages.get_mut(&key) {
            match words.first() {
                Some(first) if first.is("reserved") => message.reserved.add(words),
                _ => message.fields.extend(field),
            }
        }
        end + 1
    }

    fn values(&self, place: Place, all: &[Token<'_>]) -> Values {
        let mut values = Vec::new();
        let mut reserved = Reserved::default();
        let mut at = 0;
        while at < all.len() {
            let end = end_of_statement(all, at);
            let words = &all[at..end.min(all.len())];
            if let Some(first) = words.first() {
                if first.is("reserved") {
                    reserved.add(words);
                } else if !first.is("option")
                    && words.get(1).is_some_and(|it| it.is("="))
                    && let Some((number, _)) = number_at(words, 2)
                {
                    values.push((first.text.to_owned(), number, self.place(first)));
                }
            }
            at = end + 1;
        }
        let parts = values.iter().map(|(name, number, _)| format!("{name} {number}")).collect();
        Values { place, values, reserved, parts }
    }

    fn service(&self, place: Place, all: &[Token<'_>]) -> Service {
        let mut rpcs = Vec::new();
        for (at, token) in all.iter().enumerate() {
            let Some(name) = all.get(at + 1).filter(|_| token.is("rpc")) else { continue };
            if let Some((request, next)) = bracket(all, at + 2)
                && let Some((response, _)) = bracket(all, next + 1)
                && name.kind == Kind::Word
            {
                let place = self.place(token);
                rpcs.push(Rpc { name: name.text.to_owned(), request, response, place });
            }
        }
        let parts = rpcs.iter().map(|it| it.name.clone()).collect();
        Service { place, rpcs, parts }
    }
}

/// The type between the brackets that open here, and the place after them.
fn bracket(all: &[Token<'_>], at: usize) -> Option<(String, usize)> {
    all.get(at).filter(|open| open.is("("))?;
    let inner = all[at + 1..].iter().take_while(|it| it.kind == Kind::Word);
    let words: Vec<&str> = inner.map(|it| it.text).collect();
    let end = at + 1 + words.len();
    all.get(end).filter(|it| it.is(")"))?;
    Some((words.join(" "), end + 1))
}

fn number_at(words: &[Token<'_>], at: usize) -> Option<(i64, usize)> {
    let is_negative = words.get(at)?.is("-");
    let at = at + usize::from(is_negative);
    let text = words.get(at)?.text;
    let number = match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(digits) => i64::from_str_radix(digits, 16).ok()?,
        None => text.parse().ok()?,
    };
    Some((if is_negative { -number } else { number }, at + 1))
}

/// `repeated string tags = 4 [deprecated = true]`, `map<string, int32> counts = 5`.
fn field_of<'t>(words: &[Token<'t>]) -> Option<(String, i64, String, bool, Token<'t>)> {
    let equals = words.iter().position(|token| token.is("="))?;
    let is_other = words.first().is_some_and(|first| {
        ["option", "extensions", "import", "package", "syntax", "edition", "rpc"]
            .iter()
            .any(|word| first.is(word))
    });
    if is_other || equals < 2 {
        return None;
    }
    let (number, _) = number_at(words, equals + 1)?;
    let name = words[equals - 1];
    let mut ty = String::new();
    for token in &words[..equals - 1] {
        // Whether presence is kept is not on the wire.
        if token.is("optional") {
            continue;
        }
        let is_mark = token.kind == Kind::Mark;
        if !ty.is_empty() && !is_mark && !ty.ends_with('<') {
            ty.push(' ');
        }
        ty.push_str(token.text);
    }
    let is_required = words[0].is("required");
    Some((name.text.to_owned(), number, ty, is_required, words[0]))
}

impl Reserved {
    /// `reserved 2, 9 to 11, 40 to max;` and names, which say nothing of numbers.
    fn add(&mut self, words: &[Token<'_>]) {
        let mut at = 1;
        while at < words.len() {
            let Some((from, next)) = number_at(words, at) else {
                at += 1;
                continue;
            };
            let to = match words.get(next).filter(|it| it.is("to")) {
                Some(_) if words.get(next + 1).is_some_and(|it| it.is("max")) => i64::MAX,
                Some(_) => number_at(words, next + 1).map_or(from, |(to, _)| to),
                None => from,
            };
            self.numbers.push((from, to));
            at = next + if to == from { 0 } else { 2 };
        }
    }
}
