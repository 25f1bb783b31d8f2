//! What callers of a function must change, from its parameters.

use crate::facts::{DefId, FileFacts, Flags, ParamKind};
use crate::lang::{self, Notation};

/// The parameters of one version.
pub struct Parameters<'a> {
    plain: Vec<Parameter<'a>>,
    /// Takes arguments that no parameter names.
    takes_any: bool,
}

#[derive(Clone)]
struct Parameter<'a> {
    name: &'a str,
    is_optional: bool,
    passing: Passing,
}

/// How an argument can be given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Passing {
    Either,
    PlaceOnly,
    NameOnly,
}

impl<'a> Parameters<'a> {
    /// Of a function and its text.
    pub fn of(facts: &'a FileFacts, id: DefId, text: &'a str) -> Self {
        let def = facts.def(id);
        let signature = def.signature.map_or("", |name| facts.text(name));
        let language = lang::by_name(&facts.language);
        let foreign = language.and_then(|it| it.foreign_signature(text));
        let given = foreign.map(|(given, _)| given);
        let separators = match foreign {
            Some((given, notation)) => Separators::of(given, notation),
            None => Separators::of(signature, lang::notation(&facts.language)),
        };
        let has_default = |name: &str| {
            given.is_some_and(|given| {
                let defaults = items(given).into_iter().filter_map(|item| item.split_once('='));
                defaults.map(|(item, _)| item.trim()).any(|item| item == name)
            })
        };
        let plain = def.params.iter().filter(|param| param.kind == ParamKind::Plain);
        let plain = plain.map(|param| {
            let name = facts.text(param.name);
            Parameter {
                name,
                is_optional: param.default.is_some()
                    || is_marked_optional(signature, name)
                    || has_default(name),
                passing: separators.passing(name),
            }
        });
        let is_any = |kind| matches!(kind, ParamKind::Variadic | ParamKind::Keywords);
        Parameters {
            plain: plain.collect(),
            takes_any: def.flags.has(Flags::ANY_ARGS)
                || def.params.iter().any(|param| is_any(param.kind)),
        }
    }

    fn named(&self, name: &str) -> Option<&Parameter<'a>> {
        self.plain.iter().find(|it| it.name == name)
    }

    /// Parameters that are taken apart where they are declared have no name: one is taken
    /// for what stands in its place on the other side.
    fn name_by_place(&mut self, others: &Parameters<'a>) {
        for at in 0..self.plain.len() {
            let other = others.plain.get(at).filter(|_| self.plain[at].name.is_empty());
            if let Some(other) = other
                && self.named(other.name).is_none()
            {
                self.plain[at].name = other.name;
            }
        }
    }
}

/// What callers of the one must change for the other.
pub fn demands<'a>(mut before: Parameters<'a>, mut after: Parameters<'a>) -> Vec<String> {
    before.name_by_place(&after);
    after.name_by_place(&before);
    let gone: Vec<&str> =
        before.plain.iter().map(|it| it.name).filter(|name| after.named(name).is_none()).collect();
    let fresh: Vec<&Parameter<'_>> =
        after.plain.iter().filter(|it| before.named(it.name).is_none()).collect();
    let mut demands = Vec::new();
    // As many as before: names changed, which only keyword arguments notice.
    if gone.len() != fresh.len() || before.plain.len() != after.plain.len() {
        if !after.takes_any {
            demands.extend(gone.iter().map(|name| format!("{} removed", called(name))));
        }
        let required = fresh.iter().filter(|it| !it.is_optional);
        demands.extend(required.map(|it| format!("required {} added", called(it.name))));
    }
    for now in &after.plain {
        let Some(was) = before.named(now.name) else { continue };
        if was.is_optional && !now.is_optional {
            demands.push(format!("{} lost its default", called(now.name)));
        }
        if was.passing == now.passing
            || was.passing == Passing::NameOnly && now.passing == Passing::Either
        {
            continue;
        }
        match now.passing {
            Passing::NameOnly => demands.push(format!("{} only by name", called(now.name))),
            Passing::PlaceOnly => demands.push(format!("{} not by name", called(now.name))),
            Passing::Either => {}
        }
    }
    demands
}

fn called(name: &str) -> String {
    if name.is_empty() { "unnamed parameter".to_owned() } else { format!("parameter `{name}`") }
}

/// `name?: string`
fn is_marked_optional(signature: &str, name: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    !name.is_empty()
        && signature.match_indices(name).any(|(at, _)| {
            let rest = signature[at + name.len()..].trim_start();
            let marked = rest.strip_prefix('?').map(str::trim_start);
            !signature[..at].ends_with(is_word)
                && marked.is_some_and(|it| it.starts_with([':', ',', ')']))
        })
}

/// What divides parameters into those given by place and those given by name.
#[derive(Default)]
struct Separators<'a> {
    place_only: Vec<&'a str>,
    name_only: Vec<&'a str>,
}

impl<'a> Separators<'a> {
    fn of(signature: &'a str, notation: Notation) -> Self {
        let mut found = Separators::default();
        if !notation.divides_parameters {
            return found;
        }
        let mut is_by_name = false;
        let mut so_far = Vec::new();
        for item in items(signature) {
            if item == "/" {
                found.place_only = std::mem::take(&mut so_far);
            } else if item.starts_with('*') {
                is_by_name = true;
            } else {
                let name = item.split([':', '=']).next().unwrap_or(item).trim();
                if is_by_name { found.name_only.push(name) } else { so_far.push(name) }
            }
        }
        found
    }

    fn passing(&self, name: &str) -> Passing {
        if self.name_only.contains(&name) {
            Passing::NameOnly
        } else if self.place_only.contains(&name) {
            Passing::PlaceOnly
        } else {
            Passing::Either
        }
    }
}

/// The parts between the commas of the first brackets.
fn items(signature: &str) -> Vec<&str> {
    let mut items = Vec::new();
    let (mut depth, mut begin) = (0_i32, 0);
    let mut quote = None;
    for (at, c) in signature.char_indices() {
        if let Some(open) = quote {
            if c == open {
                quote = None;
            }
            continue;
        }
        match c {
            '"' | '\'' => quote = Some(c),
            '(' | '[' | '{' => {
                depth += 1;
                if depth == 1 {
                    begin = at + 1;
                }
            }
            ',' if depth == 1 => {
                items.push(signature[begin..at].trim());
                begin = at + 1;
            }
            ')' | ']' | '}' => {
                depth -= 1;
                if depth == 0 {
                    items.push(signature[begin..at].trim());
                    break;
                }
            }
            _ => {}
        }
    }
    items.retain(|item| !item.is_empty());
    items
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(path: &str, before: &str, after: &str) -> Vec<String> {
        let (old, new) =
            (lang::extract(path, before.as_bytes()), lang::extract(path, after.as_bytes()));
        let function = |facts: &FileFacts| {
            let is_named = |def: &crate::facts::Def| facts.text(def.name) == "load";
            DefId(facts.defs.iter().position(is_named).unwrap() as u32)
        };
        demands(
            Parameters::of(&old, function(&old), before),
            Parameters::of(&new, function(&new), after),
        )
    }

    /// pydantic c41a25880: a parameter with a default was told to break callers in Python.
    #[test]
    fn what_an_attribute_gives_a_default_need_not_be_given() {
        let function = |attribute: &str, more: &str| {
            format!("#[pyfunction]\n{attribute}\npub fn load(a: u8{more}) -> u8 {{\n    a\n}}\n")
        };
        let old = function("#[pyo3(signature = (a))]", "");
        let told =
            |attribute: &str| told("a.rs", &old, &function(attribute, ", poly: Option<bool>"));
        assert!(told("#[pyo3(signature = (a, *, poly = None))]").is_empty());
        assert_eq!(told("#[pyo3(signature = (a, poly))]"), ["required parameter `poly` added"]);
        assert_eq!(told("#[inline]"), ["required parameter `poly` added"]);
    }

    #[test]
    fn what_can_be_given_in_fewer_ways_is_demanded() {
        let python = |before: &str, after: &str| {
            let function = |params: &str| format!("def load({params}):\n    pass\n");
            told("a.py", &function(before), &function(after))
        };
        assert_eq!(python("a, b=2", "a, *, b=2"), ["parameter `b` only by name"]);
        assert_eq!(python("a, b=2", "a, /, b=2"), ["parameter `a` not by name"]);
        assert_eq!(python("a, b=2", "a, b"), ["parameter `b` lost its default"]);
        assert_eq!(python("a, b=2", "a, *args, b=2"), ["parameter `b` only by name"]);
        assert!(python("a, *, b=2", "a, b=2").is_empty());
        assert!(python("a, *, b: t = (1, 2), c", "a, *, c, b: t = (1, 2)").is_empty());
        assert_eq!(python("a", "a, *, b"), ["required parameter `b` added"]);
    }

    #[test]
    fn a_parameter_with_a_question_mark_need_not_be_given() {
        let function = |params: &str| format!("export function load({params}) {{}}\n");
        let typescript =
            |before: &str, after: &str| told("a.ts", &function(before), &function(after));
        assert!(typescript("a: A", "a: A, b?: string").is_empty());
        assert_eq!(typescript("a: A", "a: A, ab: A"), ["required parameter `ab` added"]);
        assert_eq!(typescript("a?: A", "a: A"), ["parameter `a` lost its default"]);
    }
}
