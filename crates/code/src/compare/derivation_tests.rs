//! Code that was taken out of other code, or put into it.

use super::report::Report;
use super::{File, views};
use crate::matching::match_versions;
use model::change::SymbolChange;

fn files(path: &str, text: &str) -> Vec<File> {
    let bytes = text.as_bytes().to_vec();
    vec![File { path: path.to_owned(), facts: crate::extract(path, &bytes), bytes, exported: None }]
}

/// `kind symbol: derivation others` of what is new or gone.
fn told(path: &str, old: &str, new: &str) -> Vec<String> {
    let (old, new) = (files(path, old), files(path, new));
    let matching = match_versions(&views(&old), &views(&new));
    let report = Report::of(&matching, &old, &new);
    let line = |change: &SymbolChange| {
        let derivation = change.derivation.as_ref()?;
        let symbol = change.shown()?;
        Some(format!(
            "{} {}: {} {}",
            change.change.as_str(),
            symbol.symbol,
            derivation.kind,
            derivation.symbols.join(",")
        ))
    };
    report.changes.iter().filter_map(line).collect()
}

const WHOLE: &str = "
class Order:
    def total(self, items):
        amount = sum(item.price * item.count for item in items)
        rebate = lookup_rebate(amount, self.customer)
        self.log.info('total of %s', amount)
        return amount - rebate
";

const PARTS: &str = "
class Order:
    def total(self, items):
        amount = sum(item.price * item.count for item in items)
        return amount - self.rebate_of(amount)

    def rebate_of(self, amount):
        self.log.info('total of %s', amount)
        return lookup_rebate(amount, self.customer)
";

#[test]
fn a_function_made_of_lines_of_its_caller_was_extracted() {
    assert_eq!(told("order.py", WHOLE, PARTS), ["added Order.rebate_of: extracted Order.total"]);
    assert_eq!(told("order.py", PARTS, WHOLE), ["removed Order.rebate_of: inlined Order.total"]);
}

/// From gson: one long condition became functions that return parts of it.
#[test]
fn a_condition_may_be_returned_instead() {
    let old = "class A {\n  boolean skip(F f) {\n    if ((modifiers & f.getModifiers()) != 0) {\n      return true;\n    }\n    if (f.isSynthetic()) {\n      return true;\n    }\n    return false;\n  }\n}\n";
    let new = "class A {\n  boolean skip(F f) {\n    return byModifier(f) || f.isSynthetic();\n  }\n\n  boolean byModifier(F f) {\n    return (modifiers & f.getModifiers()) != 0;\n  }\n}\n";
    assert_eq!(told("A.java", old, new), ["added A.byModifier: extracted A.skip"]);
}

/// From ripgrep: a type whose members went into another one was guessed to have
/// become a third.
#[test]
fn a_type_that_went_into_another_did_not_become_a_third() {
    let old = "class Args:\n    def walker(self):\n        return build_the_walker(self.root, self.depth)\n\n    def matcher(self):\n        return build_the_matcher(self.pattern, self.case)\n\nclass High:\n    def sorter(self):\n        return 1\n";
    let new = "class High:\n    def sorter(self):\n        return 1\n\n    def walker(self):\n        return build_the_walker(self.root, self.depth)\n\n    def matcher(self):\n        return build_the_matcher(self.pattern, self.case)\n";
    assert_eq!(told("args.py", old, new), ["removed Args: merged High"]);
}

#[test]
fn what_only_looks_alike_is_not_derived() {
    let old = "def a():\n    return 1\n";
    let new = "def a():\n    return b()\n\n\ndef b():\n    return 1\n";
    assert_eq!(told("a.py", old, new), Vec::<String>::new());
}

/// The changes of a file, each as `kind symbol: demands`.
fn changes(path: &str, old: &str, new: &str) -> Vec<String> {
    let (old, new) = (files(path, old), files(path, new));
    let matching = match_versions(&views(&old), &views(&new));
    let line = |change: &SymbolChange| {
        let symbol = change.shown().map(|it| it.symbol.clone()).unwrap_or_default();
        format!("{} {symbol}: {}", change.change.as_str(), change.demands.join(", "))
    };
    Report::of(&matching, &old, &new).changes.iter().map(line).collect()
}

/// From redux-toolkit: a call signature that was written twice.
#[test]
fn who_takes_away_a_double_takes_nothing_away() {
    let one = "  (predicate: Predicate<State>, timeout?: number): Promise<boolean>\n";
    let other = "  (predicate: () => boolean, timeout?: number): Promise<boolean>\n";
    let old = format!("export interface Condition<State> {{\n{one}{one}{other}}}\n");
    let new = format!("export interface Condition<State> {{\n{one}{other}}}\n");
    assert_eq!(changes("types.ts", &old, &new), ["changed Condition: "]);
    let none = format!("export interface Condition<State> {{\n{other}}}\n");
    let told = changes("types.ts", &new, &none);
    assert!(told.iter().any(|it| it.starts_with("removed")), "{told:?}");
}

/// From redux-toolkit: a parameter that was taken apart got a name.
#[test]
fn a_parameter_without_a_name_is_known_by_its_place() {
    let old = "export function nameOf({ verb, path }: Operation) {\n  return verb + path\n}\n";
    let named = "export function nameOf(operation: Operation, form = 'camel') {\n  \
        const { verb, path } = operation\n  return verb + path + form\n}\n";
    assert_eq!(changes("names.ts", old, named), ["changed nameOf: "]);
    let more = "export function nameOf({ verb, path }: Operation, form: string) {\n  \
        return verb + path + form\n}\n";
    assert_eq!(changes("names.ts", old, more), ["changed nameOf: required parameter `form` added"]);
}
