//! Symbols, what is around them, and ways between them.

use super::{ByFile, own_name, place, shown_path, stale};
use crate::code::find::{FoundLine, FoundText};
use crate::code::flow::Flow;
use crate::code::indirect::{IndirectKind, IndirectUse};
use crate::code::neighbours::{Neighbour, Neighbourhood, Neighbours, Question, UnresolvedSite};
use crate::code::outline::FileOutline;
use crate::code::symbol::Symbols;
use crate::code::unread::UnreadUses;
use model::code::{EdgeKind, SymbolKind};
use model::text::one_line;
use std::collections::BTreeMap;

/// Below this an edge is a guess.
const SURE: f64 = 0.8;
/// More callers in tests are counted by file.
const MOST_TESTS: usize = 12;
/// Of more users, the folders are told first.
const MANY_PLACES: usize = 60;
/// More files are counted by folder.
const MOST_PLACES: usize = 8;
/// Columns of a signature.
const SIGNATURE: usize = 60;

/// A signature in few columns: parameters by their names where their types do not fit.
fn brief(signature: &str) -> String {
    let whole = one_line(signature, 2 * SIGNATURE);
    if whole.chars().count() <= SIGNATURE {
        return whole;
    }
    let named = one_line(signature, 600);
    named_parameters(&named)
        .map_or_else(|| one_line(signature, SIGNATURE), |short| whole_parameters(&short))
}

/// As many parameters as fit: half a name is none.
fn whole_parameters(signature: &str) -> String {
    if signature.chars().count() <= SIGNATURE {
        return signature.to_owned();
    }
    let cut = one_line(signature, SIGNATURE);
    match (cut.find('('), cut.rfind(',')) {
        (Some(open), Some(last)) if open < last => format!("{}, ...)", &cut[..last]),
        _ => cut,
    }
}

/// A signature with the name of its symbol as its owner has it: some languages write the
/// name beside the signature, or the owner within it.
fn named_signature(name: &str, signature: &str) -> String {
    let (owner, own) = match name.rsplit_once('.') {
        Some((owner, own)) => (Some(owner), own),
        None => (None, name),
    };
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let place_of = |word: &str| {
        let mut found = signature.match_indices(word).map(|(at, _)| at);
        found.find(|at| {
            !signature[..*at].ends_with(is_part)
                && !signature[at + word.len()..].starts_with(is_part)
        })
    };
    let Some(at) = place_of(own) else { return format!("{name} {signature}") };
    match owner {
        Some(owner) if place_of(owner).is_none() => {
            format!("{}{owner}.{}", &signature[..at], &signature[at..])
        }
        _ => signature.to_owned(),
    }
}

/// `def f(a: int, *, b: str = "x") -> None` as `def f(a, *, b)`: only where types
/// follow a colon.
fn named_parameters(signature: &str) -> Option<String> {
    let open = signature.find('(')?;
    let (mut depth, mut begin) = (0_usize, open + 1);
    let mut parameters = Vec::new();
    let mut has_types = false;
    for (at, c) in signature.char_indices().skip_while(|(at, _)| *at < open) {
        match c {
            '(' | '[' | '{' | '<' => depth += 1,
            // Not that of an arrow.
            '>' if signature[..at].ends_with(['-', '=']) => {}
            ')' | ']' | '}' | '>' => depth = depth.saturating_sub(1),
            _ => {}
        }
        let is_end = depth == 0;
        if is_end || (depth == 1 && c == ',') {
            let parameter = signature.get(begin..at)?.trim();
            begin = at + c.len_utf8();
            let name = parameter.split([':', '=']).next().unwrap_or(parameter).trim_end();
            has_types |= parameter.contains(':') || parameter.contains('=');
            if !name.is_empty()
                && !matches!(name, "self" | "cls" | "mcs" | "mcls" | "&self" | "&mut self")
            {
                parameters.push(name);
            }
        }
        if is_end {
            let head = signature[..open].trim_end();
            return has_types.then(|| format!("{head}({})", parameters.join(", ")));
        }
    }
    None
}

/// Who is around a symbol.
pub fn neighbours(answer: &Neighbours) -> String {
    let mut out = String::new();
    around(answer.asked.as_str(), &answer.of, stale(&answer.standing), &mut out);
    answer.of.unread.iter().for_each(|uses| unread_uses(uses, &mut out));
    // What overrides or extends another of the name is told there.
    let is_of_types = matches!(answer.asked, Question::Overrides | Question::Subtypes);
    let told = |it: &Neighbourhood| {
        let at = place(&it.symbol);
        let found = std::iter::once(&answer.of).chain(&answer.candidates);
        is_of_types
            && it.found.is_empty()
            && found.flat_map(|of| &of.found).any(|one| place(&one.at) == at)
    };
    for other in answer.candidates.iter().filter(|it| it.has_answer() && !told(it)) {
        let n = other.found.len();
        let name = format!("{} {}", own_name(&other.symbol), place(&other.symbol));
        if n == 0 {
            out.push_str(&format!("also named so: {name} (none direct)\n"));
            other.indirect.iter().for_each(|it| out.push_str(&indirect_use(it)));
        } else {
            out.push_str(&format!("also named so: {name} ({n}):\n"));
            listed(&other.found, &mut out);
        }
    }
    if answer.more_candidates > 0 {
        out.push_str(&format!("{} more have this name\n", answer.more_candidates));
    }
    let n_empty = answer.candidates.iter().filter(|it| !it.has_answer()).count() as u64;
    if answer.empty_candidates + n_empty > 0 {
        let (n, asked) = (answer.empty_candidates + n_empty, answer.asked.as_str());
        out.push_str(&format!("{n} more of this name: no {asked}\n"));
    }
    out
}

/// Where many are: ` in 57 files, 2 in tests`.
fn spread(found: &[Neighbour]) -> String {
    const MANY: usize = 10;
    if found.len() < MANY {
        return String::new();
    }
    let files: std::collections::BTreeSet<&str> =
        found.iter().map(|it| it.at.path.as_str()).collect();
    let tests = match found.iter().filter(|it| it.at.is_test).count() {
        0 => String::new(),
        n => format!(", {n} in tests"),
    };
    let plural = if files.len() == 1 { "" } else { "s" };
    format!(" in {} file{plural}{tests}", files.len())
}

fn around(asked: &str, of: &Neighbourhood, stale: &str, out: &mut String) {
    let n = of.found.len();
    let more = if of.truncated { "+" } else { "" };
    out.push_str(&format!(
        "{asked} of {} {}: {n}{more}{}{stale}\n",
        own_name(&of.symbol),
        place(&of.symbol),
        spread(&of.found)
    ));
    for overload in &of.overloads {
        out.push_str(&format!("overload {}\n", place(overload)));
    }
    for definition in &of.definitions {
        out.push_str(&format!("also defined {}\n", place(definition)));
    }
    for declaration in &of.declarations {
        out.push_str(&format!("declared {}\n", place(declaration)));
    }
    let code: Vec<&str> =
        of.found.iter().filter(|it| !it.at.is_test).map(|it| it.site_path.as_str()).collect();
    if code.len() > MANY_PLACES {
        // A list that is cut shows the first of an alphabet only.
        out.push_str(&format!("most in {}\n", busiest_places(&code)));
    }
    listed(&of.found, out);
    of.indirect.iter().for_each(|it| out.push_str(&indirect_use(it)));
    if of.unresolved > 0 {
        let sites: Vec<&UnresolvedSite> = of.unresolved_sites.iter().collect();
        out.push_str(&unbound(of.unresolved, &sites));
    }
}

/// Calls of a name that nobody could bind, with the first places.
pub(super) fn unbound(n: u64, sites: &[&UnresolvedSite]) -> String {
    const MOST: usize = 5;
    let places: Vec<String> = sites
        .iter()
        .take(MOST)
        .map(|site| format!("{}:{}", shown_path(&site.path), site.line))
        .collect();
    let eg = if places.is_empty() { String::new() } else { format!(": {}", places.join(", ")) };
    let more = n.saturating_sub(places.len() as u64);
    let more = if more > 0 && !places.is_empty() { format!(" +{more}") } else { String::new() };
    format!("{n} calls of the name not bound{eg}{more}\n")
}

/// By file, tests after the code; what is farther than one step says how far.
fn listed(found: &[Neighbour], out: &mut String) {
    let deepest = found.iter().map(|one| one.depth).max().unwrap_or(1);
    for depth in 1..=deepest {
        let nearby = || found.iter().filter(move |one| one.depth == depth);
        let mut files = ByFile::default();
        for one in nearby().filter(|one| !one.at.is_test) {
            add(one, &mut files);
        }
        if depth > 1 && nearby().next().is_some() {
            out.push_str(&format!("{depth} steps away:\n"));
        }
        let is_only_tests = files.0.is_empty();
        files.write(out);
        let tests: Vec<&Neighbour> = nearby().filter(|one| one.at.is_test).collect();
        list_tests(&tests, is_only_tests, out);
    }
}

fn add(one: &Neighbour, files: &mut ByFile) {
    let doubt = if one.confidence < SURE { "?" } else { "" };
    let name = format!("{}{doubt}", own_name(&one.at));
    files.add_all(&one.site_path, one.site_line, &one.more_lines, name);
}

/// Many tests are places with a number: who wants to run them asks for tests.
fn list_tests(tests: &[&Neighbour], is_only_tests: bool, out: &mut String) {
    if tests.is_empty() {
        return;
    }
    if is_only_tests || tests.len() <= MOST_TESTS {
        let mut files = ByFile::default();
        for one in tests {
            add(one, &mut files);
        }
        out.push_str("in tests:\n");
        files.write(out);
        return;
    }
    let paths: Vec<&str> = tests.iter().map(|one| one.site_path.as_str()).collect();
    out.push_str(&format!("in tests: {}\n", counted_places(&paths)));
}

/// Files with how often each is named; where they are many, their folders.
pub(super) fn counted_places(paths: &[&str]) -> String {
    let folder = |path: &str, parts: usize| -> String {
        let folders = path.rsplit_once('/').map_or("", |(folders, _)| folders);
        let first: Vec<&str> = folders.split('/').take(parts).collect();
        format!("{}/", first.join("/"))
    };
    let whole = |path: &str| path.to_owned();
    let by_folder = |path: &str| folder(path, usize::MAX);
    let by_top = |path: &str| folder(path, 2);
    let ways: [&dyn Fn(&str) -> String; 3] = [&whole, &by_folder, &by_top];
    let mut texts = Vec::new();
    for way in ways {
        let mut places: BTreeMap<String, u64> = BTreeMap::new();
        for path in paths {
            *places.entry(way(path)).or_default() += 1;
        }
        texts = places.iter().map(|(place, n)| format!("{} {n}", shown_path(place))).collect();
        if texts.len() <= MOST_PLACES {
            break;
        }
    }
    texts.join(", ")
}

/// Where most of many are, by folder, and how many are elsewhere.
pub(super) fn busiest_places(paths: &[&str]) -> String {
    let mut folders: BTreeMap<&str, usize> = BTreeMap::new();
    for path in paths {
        *folders.entry(path.rsplit_once('/').map_or("", |(folder, _)| folder)).or_default() += 1;
    }
    let mut folders: Vec<(&str, usize)> = folders.into_iter().collect();
    folders.sort_by_key(|(folder, n)| (std::cmp::Reverse(*n), *folder));
    let rest: usize = folders.iter().skip(MOST_PLACES).map(|(_, n)| n).sum();
    let shown =
        folders.iter().take(MOST_PLACES).map(|(folder, n)| format!("{}/ {n}", shown_path(folder)));
    let mut texts: Vec<String> = shown.collect();
    if rest > 0 {
        texts.push(format!("{rest} in {} other folders", folders.len() - MOST_PLACES));
    }
    texts.join(", ")
}

/// Lines with the name in files that are not read, as a line.
fn unread_uses(uses: &UnreadUses, out: &mut String) {
    let lines = uses.lines.iter().map(|it| format!("{}:{}", it.path, it.line));
    let lines: Vec<String> = lines.collect();
    let more = uses.total.saturating_sub(lines.len() as u64);
    let more = if more > 0 { format!(" +{more}") } else { String::new() };
    out.push_str(&format!("named in languages not read: {}{more}\n", lines.join(", ")));
}

/// The name of a member without that of its type.
fn own_part(symbol: &str) -> &str {
    symbol.rsplit('.').next().unwrap_or(symbol)
}

/// A use that is no direct call, as a line.
pub fn indirect_use(found: &IndirectUse) -> String {
    let how = match found.how {
        IndirectKind::ThroughBase => "through",
        IndirectKind::OverriddenBy => "may reach overrides",
        IndirectKind::ByContract => "by contract",
        IndirectKind::ByClient => "called by clients of its contract",
        IndirectKind::AsValue => "named, not called, in",
        IndirectKind::AsType => "as a type in",
        IndirectKind::Bases => "itself extends",
    };
    let via = found.via.as_ref().map(|via| format!(" {} {}", own_name(via), place(via)));
    let uses: Vec<String> = found
        .uses
        .iter()
        .map(|one| {
            format!("{} {}:{}", own_name(&one.at), shown_path(&one.site_path), one.site_line)
        })
        .collect();
    let shown = uses.len() as u64;
    let more = found.total.saturating_sub(shown);
    let more = if more > 0 { format!(" +{more}") } else { String::new() };
    format!("{how}{}: {}{more}\n", via.unwrap_or_default(), uses.join(", "))
}

/// What a name stands for: place, signature, how much it is used.
pub fn symbols(answer: &Symbols) -> String {
    let mut out = String::new();
    for symbol in &answer.symbols {
        let signature = match symbol.signature.as_str() {
            "" => format!("{} {}", symbol.at.kind, own_name(&symbol.at)),
            // A function inside another one is no member of it.
            signature if symbol.at.kind == SymbolKind::Function => {
                let name = symbol.at.symbol.rsplit('.').next().unwrap_or_default();
                named_signature(name, &brief(signature))
            }
            signature => named_signature(own_name(&symbol.at), &brief(signature)),
        };
        let used = match (symbol.callers, symbol.references) {
            (0, 0) => String::new(),
            (0, n) => format!(" references={n}"),
            (n, _) => format!(" callers={n}"),
        };
        out.push_str(&format!(
            "{}:{} {signature}{used}{}\n",
            shown_path(&symbol.at.path),
            symbol.at.line,
            stale(&answer.standing)
        ));
    }
    let more = answer.total.saturating_sub(answer.symbols.len() as u64);
    if more > 0 {
        out.push_str(&format!("{more} more; -n {}\n", answer.total));
    }
    if answer.symbols.is_empty() {
        out.push_str(&format!("nothing is called {}", one_line(&answer.query, 80)));
        match answer.suggestions.as_slice() {
            [] => out.push('\n'),
            near => out.push_str(&format!("; near: {}\n", near.join(", "))),
        }
    }
    out
}

/// What a file defines: a line each, inner ones indented.
pub fn outline(answer: &FileOutline) -> String {
    let of = answer.of.as_ref().map(|of| format!(":{} {}", of.line, own_name(of)));
    let of = of.unwrap_or_default();
    let mut out = format!("{}{of}{}\n", shown_path(&answer.path), stale(&answer.standing));
    let mut path = None;
    for symbol in &answer.symbols {
        if symbol.path != path {
            path.clone_from(&symbol.path);
            out.push_str(&format!("{}\n", shown_path(symbol.path.as_deref().unwrap_or_default())));
        }
        let indent = " ".repeat(symbol.depth.min(8) as usize);
        let signature = match symbol.signature.as_str() {
            "" => format!("{} {}", symbol.kind, symbol.name),
            signature => named_signature(&symbol.name, &brief(signature)),
        };
        out.push_str(&format!("{indent}{} {signature}\n", symbol.line));
    }
    if answer.left_out > 0 {
        out.push_str(&format!("{} inner; --all\n", answer.left_out));
    }
    if let Some(trouble) = &answer.trouble {
        out.push_str(&format!("not read to the end: {}\n", one_line(trouble, 120)));
    }
    if !answer.others.is_empty() {
        out.push_str(&format!("also named so: {}\n", answer.others.join(", ")));
    }
    out
}

/// Where a text stands: code with the symbol around it, then data, documents and tests.
pub fn found(answer: &FoundText) -> String {
    let mut out = String::new();
    if let Some(part) = &answer.part {
        out.push_str(&format!("found by its part {}\n", one_line(part, 80)));
    }
    let mut listed = |lines: &[FoundLine], n: u64, what: &str| {
        for line in lines {
            // The line of its definition names it.
            let mut words = line.text.split(|c: char| !c.is_alphanumeric() && c != '_');
            let symbol = line.symbol.as_deref();
            let symbol = symbol.filter(|it| !words.any(|word| word == own_part(it)));
            let symbol = symbol.map(|it| format!(" {it}")).unwrap_or_default();
            out.push_str(&format!(
                "{}:{}{symbol}: {}\n",
                shown_path(&line.path),
                line.line,
                line.text
            ));
        }
        let more = n.saturating_sub(lines.len() as u64);
        if more > 0 {
            out.push_str(&format!("+{more} lines of {what}\n"));
        }
    };
    listed(&answer.code, answer.n_code, "code");
    listed(&answer.data, answer.n_data, "data");
    listed(&answer.documents, answer.n_documents, "documents");
    if !answer.tests.is_empty() {
        let paths = answer.tests.iter();
        let paths: Vec<&str> = paths
            .flat_map(|it| std::iter::repeat_n(it.path.as_str(), it.n_lines as usize))
            .collect();
        out.push_str(&format!("in tests: {}\n", counted_places(&paths)));
    }
    out
}

/// Ways from one symbol to another.
pub fn flow(answer: &Flow) -> Option<String> {
    // Where no way was found, the whole answer says where the search ended.
    if answer.paths.is_empty() {
        return None;
    }
    let mut out = String::new();
    for path in &answer.paths {
        out.push_str(&format!("{} {}", own_name(&path.start), place(&path.start)));
        for step in &path.steps {
            let edge = if step.edge == EdgeKind::Calls {
                String::new()
            } else {
                format!(" {}", step.edge)
            };
            let doubt = if step.confidence < SURE { "?" } else { "" };
            out.push_str(&format!(
                "\n -{edge}{doubt} {}:{} > {} {}",
                shown_path(&step.site_path),
                step.site_line,
                own_name(&step.at),
                place(&step.at)
            ));
        }
        out.push('\n');
    }
    if answer.truncated {
        out.push_str("more ways exist\n");
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signature_tells_the_name_and_its_owner_once() {
        for (name, signature, told) in [
            ("Cart.total", "def total(self)", "def Cart.total(self)"),
            ("Mux.Handle", "func (mx *Mux) Handle(h Handler)", "func (mx *Mux) Handle(h Handler)"),
            ("nonce", "() =>", "nonce () =>"),
            ("Timer.idle", "(ms: number) =>", "Timer.idle (ms: number) =>"),
            ("run", "fn run() -> Result", "fn run() -> Result"),
        ] {
            assert_eq!(named_signature(name, signature), told);
        }
    }

    #[test]
    fn long_signatures_tell_the_names_of_their_parameters() {
        for (signature, short) in [
            (
                "def from_prefixed_env( self, prefix: str = \"FLASK\", *, loads: t.Callable[[str], t.Any] = json.loads ) -> bool",
                "def from_prefixed_env(prefix, *, loads)",
            ),
            (
                "pub fn new<'a>(ws: &Workspace<'a>, requested_profile: InternedString) -> CargoResult<Profiles>",
                "pub fn new<'a>(ws, requested_profile)",
            ),
            ("def add(self, item)", "def add(self, item)"),
            (
                "def get_declared_fields( mcs, klass: type, cls_fields: list, inherited_fields: list, dict_cls: type )",
                "def get_declared_fields(klass, cls_fields, ...)",
            ),
        ] {
            assert_eq!(brief(signature), short);
        }
        // Without a colon the type comes first or last; what is a name is not known.
        let java = "public static <T> List<T> copyOfEverything(Collection<? extends T> elements, int most)";
        assert!(brief(java).starts_with("public static <T> List<T> copyOfEverything(Coll"));
    }
}
