//! What is held to be one symbol, told by small versions of a code base.

use super::*;
use crate::facts::FileFacts;

struct Version(Vec<(&'static str, &'static str, FileFacts)>);

impl Version {
    fn of(files: &[(&'static str, &'static str)]) -> Self {
        let extract = |path: &str, text: &str| crate::extract(path, text.as_bytes());
        Version(files.iter().map(|(path, text)| (*path, *text, extract(path, text))).collect())
    }

    fn files(&self) -> Vec<SourceFile<'_>> {
        let file = |(path, text, facts)| SourceFile { path, bytes: str::as_bytes(text), facts };
        self.0.iter().map(|(path, text, facts)| file((*path, *text, facts))).collect()
    }
}

/// `a.py:f -> b.py:g` for what changed its place or name, `- a.py:f` for what
/// is gone, `? a.py:f -> …` for guesses.
fn changes(
    old: &[(&'static str, &'static str)],
    new: &[(&'static str, &'static str)],
) -> Vec<String> {
    let (old, new) = (Version::of(old), Version::of(new));
    let (old_files, new_files) = (old.files(), new.files());
    let matching = match_versions(&old_files, &new_files);
    let show = |files: &[SourceFile<'_>], symbol: &Symbol| {
        format!("{}:{}", files[symbol.file as usize].path, symbol.path)
    };
    let old_name = |at: u32| show(&old_files, &matching.old[at as usize]);
    let new_name = |at: u32| show(&new_files, &matching.new[at as usize]);
    let mut lines: Vec<String> = matching
        .pairs
        .iter()
        .map(|pair| (old_name(pair.old), new_name(pair.new)))
        .filter(|(from, to)| from != to)
        .map(|(from, to)| format!("{from} -> {to}"))
        .collect();
    let guessed: Vec<u32> = matching.guesses.iter().map(|guess| guess.old).collect();
    lines.extend(
        matching.guesses.iter().map(|it| format!("? {} -> {}", old_name(it.old), new_name(it.new))),
    );
    for (at, pair) in matching.by_old().iter().enumerate() {
        if pair.is_none() && !guessed.contains(&(at as u32)) {
            lines.push(format!("- {}", old_name(at as u32)));
        }
    }
    lines
}

const PRICES: &str = "
def total_price(items, rate):
    amount = sum(item.price * item.count for item in items)
    discount = lookup_discount(amount)
    return (amount - discount) * (1 + rate)

def lookup_discount(amount):
    if amount > 1000:
        return amount / 10
    return 0
";

#[test]
fn a_renamed_function_is_no_removal() {
    let renamed = "
def grand_total(items, rate):
    amount = sum(item.price * item.count for item in items)
    discount = lookup_discount(amount)
    return (amount - discount) * (1 + rate)

def lookup_discount(amount):
    if amount > 1000:
        return amount / 10
    return 0
";
    assert_eq!(
        changes(&[("shop.py", PRICES)], &[("shop.py", renamed)]),
        ["shop.py:total_price -> shop.py:grand_total"]
    );
}

#[test]
fn a_moved_file_takes_its_functions_along() {
    assert_eq!(
        changes(&[("shop.py", PRICES)], &[("billing/prices.py", PRICES)]),
        [
            "shop.py:total_price -> billing/prices.py:total_price",
            "shop.py:lookup_discount -> billing/prices.py:lookup_discount"
        ]
    );
}

#[test]
fn members_follow_their_class_by_name() {
    let old = "class Cart:\n    def __init__(self):\n        self.lines = []\n    def add(self, line):\n        self.lines.append(line)\n    def is_empty(self):\n        return not self.lines\n";
    let new = "class Basket:\n    def __init__(self):\n        self.lines = []\n    def add(self, line):\n        self.lines.append(line)\n    def is_empty(self):\n        return len(self.lines) == 0\n";
    assert_eq!(
        changes(&[("cart.py", old)], &[("cart.py", new)]),
        [
            "cart.py:Cart -> cart.py:Basket",
            "cart.py:Cart.__init__ -> cart.py:Basket.__init__",
            "cart.py:Cart.lines -> cart.py:Basket.lines",
            "cart.py:Cart.add -> cart.py:Basket.add",
            "cart.py:Cart.is_empty -> cart.py:Basket.is_empty"
        ]
    );
}

#[test]
fn a_copy_is_no_move() {
    let old = Version::of(&[("shop.py", PRICES)]);
    let new = Version::of(&[("shop.py", PRICES), ("copy.py", PRICES)]);
    let matching = match_versions(&old.files(), &new.files());
    assert!(matching.pairs.iter().all(|pair| pair.evidence == Evidence::Identity));
    let copied: Vec<&str> =
        matching.copies.iter().map(|copy| &*matching.new[copy.new as usize].name).collect();
    assert_eq!(copied, ["total_price"]);
}

#[test]
fn what_has_nothing_in_common_is_removed() {
    let new = "def send_mail(address, subject):\n    server.connect()\n    server.send(address, subject)\n";
    assert_eq!(
        changes(&[("shop.py", PRICES)], &[("mail.py", new)]),
        ["- shop.py:total_price", "- shop.py:lookup_discount"]
    );
}

const LOAD: &str = "def load(path):
    with open(path) as file:
        text = file.read()
    rows = parse_rows(text, strict=True)
    return [Row(row) for row in rows if row.valid]
";

#[test]
fn a_function_whose_name_was_given_to_another_is_followed() {
    let new = "def load(address):
    return fetch(address, cached=False)

def load_file(path):
    with open(path) as file:
        text = file.read()
    rows = parse_rows(text, strict=True)
    return [Row(row) for row in rows if row.valid]
";
    assert_eq!(
        changes(&[("rows.py", LOAD)], &[("rows.py", new)]),
        ["rows.py:load -> rows.py:load_file"]
    );
}

#[test]
fn a_function_that_calls_what_was_taken_out_of_it_is_itself() {
    let new = "def load(path):
    return load_file(path)

def load_file(path):
    with open(path) as file:
        text = file.read()
    rows = parse_rows(text, strict=True)
    return [Row(row) for row in rows if row.valid]
";
    assert!(changes(&[("rows.py", LOAD)], &[("rows.py", new)]).is_empty());
}

#[test]
fn thousands_of_equal_functions_are_compared_within_bounds() {
    use std::fmt::Write;
    let side = |prefix: &str| {
        (0..3000).fold(String::new(), |mut text, nth| {
            let _ = writeln!(text, "def {prefix}{nth}(a):\n    return a + step(a)\n");
            text
        })
    };
    let (old, new) = (side("f"), side("g"));
    let (old_facts, new_facts) =
        (crate::extract("a.py", old.as_bytes()), crate::extract("a.py", new.as_bytes()));
    let matching = match_versions(
        &[SourceFile { path: "a.py", bytes: old.as_bytes(), facts: &old_facts }],
        &[SourceFile { path: "a.py", bytes: new.as_bytes(), facts: &new_facts }],
    );
    assert_eq!(matching.old.len(), 3000);
}

/// A field is known by who uses it, or by what it is declared as and a name much like it;
/// what has neither in common is another field.
#[test]
fn a_renamed_field_is_the_same_field() {
    let old = "class Cart {\n    private int count = 0;\n    private String note;\n    \
        private String user_name = \"\";\n    int size() { return count + count * 2; }\n    \
        boolean isFull() { return count > 9; }\n}\n";
    let new = old
        .replace("int count = 0", "long total = 1")
        .replace("count", "total")
        .replace("String note", "Map marks")
        .replace("user_name = \"\"", "full_user_name = \"none\"");
    let new: &'static str = Box::leak(new.into_boxed_str());
    assert_eq!(
        changes(&[("Cart.java", old)], &[("Cart.java", new)]),
        [
            "Cart.java:Cart.count -> Cart.java:Cart.total",
            "Cart.java:Cart.user_name -> Cart.java:Cart.full_user_name",
            "- Cart.java:Cart.note",
        ]
    );
}

/// pydantic 91f962e53: `values` was told to be copied, for the warning that was left under the
/// old name is long.
#[test]
fn what_only_warns_and_calls_was_renamed() {
    let body = "        return {\n            k: v for k, v in self\n            if k not in exclude and (not include or k in include)\n        }\n";
    let method = |name: &str| {
        format!("    def {name}(self, *, include: Set[str]=None, exclude: Set[str]=set()):\n{body}")
    };
    let wrapper = |call: &str| {
        format!(
            "    def values(self, **kwargs):\n        warnings.warn('.values(...) is deprecated and will be removed in future, '\n                      'it has been replaced by .dict(...)', DeprecationWarning)\n        return {call}\n"
        )
    };
    let aliases = |left: &str| {
        let old = format!("class Model:\n{}", method("values"));
        let new = format!("class Model:\n{}\n{left}", method("dict"));
        let facts = |text: &str| crate::extract("main.py", text.as_bytes());
        let (a, b) = (facts(&old), facts(&new));
        let source =
            |text, facts| SourceFile { path: "main.py", bytes: str::as_bytes(text), facts };
        let matching = match_versions(&[source(&old, &a)], &[source(&new, &b)]);
        let name = |pair: &Pair| matching.new[pair.new as usize].path.to_string();
        matching.aliases.iter().map(name).collect::<Vec<_>>()
    };
    assert_eq!(aliases(&wrapper("self.dict(**kwargs)")), ["Model.dict"]);
    let other = wrapper("kwargs").replace(".dict(...)", "another one");
    assert!(aliases(&other).is_empty(), "it does not name the new one");
}
