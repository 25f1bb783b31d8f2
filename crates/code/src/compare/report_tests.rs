//! What is told of small changes, and what is not.

use super::report::Report;
use super::{File, views};
use crate::matching::match_versions;
use model::change::{Aspect, SymbolChange};

fn files(all: &[(&str, &str)]) -> Vec<File> {
    let file = |(path, text): &(&str, &str)| {
        let bytes = text.as_bytes().to_vec();
        let facts = crate::extract(path, &bytes);
        File { path: (*path).to_owned(), facts, bytes, exported: None }
    };
    all.iter().map(file).collect()
}

/// `kind symbol aspects demands`, a line each.
fn told(old: &[(&str, &str)], new: &[(&str, &str)]) -> Vec<String> {
    let (old, new) = (files(old), files(new));
    let matching = match_versions(&views(&old), &views(&new));
    let report = Report::of(&matching, &old, &new);
    let line = |change: &SymbolChange| {
        let shown = change.shown().map_or(String::new(), |it| format!("{}:{}", it.path, it.symbol));
        let aspects: Vec<&str> = change.aspects.iter().copied().map(Aspect::as_str).collect();
        let line = [change.change.as_str(), &shown, &aspects.join(","), &change.demands.join(",")]
            .join(" ");
        line.trim_end().to_owned()
    };
    report.changes.iter().map(line).collect()
}

/// `symbol derivation others` of what is not where it was.
fn derived(old: &[(&str, &str)], new: &[(&str, &str)]) -> Vec<String> {
    let (old, new) = (files(old), files(new));
    let matching = match_versions(&views(&old), &views(&new));
    let report = Report::of(&matching, &old, &new);
    let line = |change: &SymbolChange| {
        let derivation = change.derivation.as_ref()?;
        let symbol = &change.old.as_ref()?.symbol;
        Some(format!("{symbol} {} {}", derivation.kind, derivation.symbols.join(",")))
    };
    report.changes.iter().filter_map(line).collect()
}

/// libuv 3813460d5: "moved uv__fs_event from kqueue.c to internal.h" and "changed
/// uv__fs_event in kqueue.c" were said of one function.
#[test]
fn a_prototype_and_its_function_are_one_symbol() {
    let body = "int fs_event(int a) {\n  int b = a * 31;\n  return b + 1;\n}\n";
    let prototype = "int fs_event(int a);\n";
    let before = format!("{prototype}\n{body}");
    let after = body.replace("31", "33");
    let header = "int other(int a);\n";
    assert_eq!(
        told(
            &[("kqueue.c", &before), ("internal.h", header)],
            &[("kqueue.c", &after), ("internal.h", &format!("{header}{prototype}"))],
        ),
        ["changed kqueue.c:fs_event body"]
    );
    let both = format!("{header}{prototype}{prototype}");
    assert_eq!(
        told(&[("internal.h", header)], &[("internal.h", &both)]),
        ["added internal.h:fs_event"],
        "what is written elsewhere is told by its header, once"
    );
}

/// Polly b87f2034: "method RegistryPipelineComponentBuilder removed" and its five
/// parameters "added" as fields.
#[test]
fn a_constructor_that_went_into_the_heading_is_not_gone() {
    let before = "public class Cart\n{\n    private readonly Prices _prices;\n\n    \
        public Cart(Prices prices)\n    {\n        _prices = prices;\n    }\n\n    \
        public int Sum() => _prices.Sum();\n}\n";
    let after = "public class Cart(Prices prices)\n{\n    \
        public int Sum() => prices.Sum();\n}\n";
    let there = told(&[("Cart.cs", before)], &[("Cart.cs", after)]);
    assert!(there.iter().any(|line| line == "changed Cart.cs:Cart signature"), "{there:?}");
    assert!(!there.iter().any(|line| line.contains("Cart.Cart")), "{there:?}");
    assert!(!there.iter().any(|line| line.ends_with("Cart.prices")), "{there:?}");
    let back = told(&[("Cart.cs", after)], &[("Cart.cs", before)]);
    assert!(!back.iter().any(|line| line.contains("Cart.Cart")), "{back:?}");
    let gone =
        told(&[("Cart.cs", before)], &[("Cart.cs", "public class Cart : Basket(1)\n{\n}\n")]);
    assert!(gone.iter().any(|line| line == "removed Cart.cs:Cart.Cart"), "{gone:?}");
}

/// starlette 6765502c: a comma behind the only parameter was a change of the signature.
#[test]
fn layout_of_parameters_is_no_change() {
    let before = "def factory(app):\n    return app\n";
    let after = "def factory(\n    app,\n):\n    return app\n";
    assert!(told(&[("a.py", before)], &[("a.py", after)]).is_empty());
    let tuple = "def factory(app):\n    return (app,)\n";
    let value = "def factory(app):\n    return (app)\n";
    assert_eq!(told(&[("a.py", value)], &[("a.py", tuple)]), ["changed a.py:factory body"]);
}

/// starlette TestClient.request: parameters that can only be given by name break calls.
#[test]
fn parameters_only_by_name_are_demanded() {
    let before = "def request(method, url, json=None):\n    return method\n";
    let after = "def request(method, url, *, json=None):\n    return method\n";
    assert_eq!(
        told(&[("a.py", before)], &[("a.py", after)]),
        ["changed a.py:request signature parameter `json` only by name"]
    );
}

/// nest 5e3dc4d0ab: one overloaded method was told three times, and lost users it has.
#[test]
fn an_overloaded_function_is_told_once() {
    let class = |signatures: &str, body: &str| {
        format!(
            "export class Server {{\n{signatures}  connect(a: any): any {{\n    return {body};\n  }}\n}}\n"
        )
    };
    let one = "  connect(a: string): string;\n";
    let two = "  connect(a: string): string;\n  connect(a: number): number;\n";
    assert_eq!(
        told(&[("a.ts", &class(one, "a"))], &[("a.ts", &class(two, "a + 1"))]),
        ["changed a.ts:Server.connect signature,body"]
    );
    assert_eq!(
        told(&[("a.ts", &class(two, "a"))], &[("a.ts", &class(one, "a"))]),
        ["changed a.ts:Server.connect signature"]
    );
}

/// nest 5e3dc4d0ab, a3fbb8816e: private members were told to break others, and `public`
/// where nothing stood before was a change of what can be seen.
#[test]
fn words_of_visibility_are_taken_for_what_they_say() {
    let class = |word: &str| {
        format!("export class A {{\n  {word}create(a: string) {{\n    return a;\n  }}\n}}\n")
    };
    let (open, said, hidden) = (class(""), class("public "), class("private "));
    let said_only = told(&[("a.ts", &open)], &[("a.ts", &said)]);
    assert!(!said_only.iter().any(|line| line.contains("create")), "{said_only:?}");
    assert_eq!(
        told(&[("a.ts", &said)], &[("a.ts", &hidden)]),
        ["changed a.ts:A.create visibility"]
    );
    let is_public = |text: &str| {
        let (old, new) = (files(&[("a.ts", text)]), files(&[]));
        let matching = match_versions(&views(&old), &views(&new));
        let report = Report::of(&matching, &old, &new);
        report.changes[0].old.as_ref().map(|it| (it.symbol.clone(), it.is_public))
    };
    assert_eq!(is_public(&open), Some(("A".to_owned(), true)));
    let changed = hidden.replace("return a", "return a + 1");
    let (old, new) = (files(&[("a.ts", &hidden)]), files(&[("a.ts", &changed)]));
    let matching = match_versions(&views(&old), &views(&new));
    let report = Report::of(&matching, &old, &new);
    assert!(report.changes.iter().all(|it| !it.new.as_ref().unwrap().is_public));
}

/// sqlalchemy aa1a557535: two fields went into a new base class, and were told as gone.
#[test]
fn a_member_that_is_inherited_now_is_not_missed() {
    let class = |name: &str| {
        format!(
            "class {name}(Visitor):\n    def __init__(self, dialect, tables):\n        self.tables = tables\n        self.dialect = dialect\n\n"
        )
    };
    let before = format!("{}{}", class("Generator"), class("Dropper"));
    let after = format!(
        "{}class Generator(Reflector):\n    pass\n\n\nclass Dropper(Reflector):\n    pass\n",
        class("Reflector")
    );
    let derived = derived(&[("ddl.py", &before)], &[("ddl.py", &after)]);
    for gone in ["Generator.tables", "Dropper.tables", "Generator.dialect"] {
        let line = format!("{gone} inherited Reflector");
        assert!(derived.contains(&line), "{line}: {derived:?}");
    }
}

/// helix 205e7ece7: a type was gone, said the report, that its module takes from a library now.
#[test]
fn a_name_that_its_file_imports_is_still_offered() {
    let derive = |before: (&str, &str), after: &str| derived(&[before], &[(before.0, after)]);
    assert_eq!(
        derive(
            ("diff.rs", "pub struct Hunk {\n    pub from: u32,\n}\n"),
            "pub use imara_diff::Hunk;\n"
        ),
        ["Hunk imported imara_diff"]
    );
    let class = "class Hunk:\n    def run(self):\n        return 1\n";
    assert_eq!(derive(("diff.py", class), "from .hunks import Hunk\n"), ["Hunk imported .hunks"]);
    let private = "use imara_diff::Hunk;\n\npub fn f(_: Hunk) {}\n";
    let gone = derive(("diff.rs", "pub struct Hunk {\n    pub from: u32,\n}\n"), private);
    assert!(gone.is_empty(), "nobody else gets it from there: {gone:?}");
}

/// helix 2338b4490: a variant and the type of its only value were told as two changes.
#[test]
fn a_variant_speaks_for_its_values() {
    let before = "pub enum Event {\n    Key(u32),\n    Data { id: u32 },\n}\n";
    let after = "pub enum Event {\n    Key(u64),\n    Data { id: u64 },\n}\n";
    assert_eq!(
        told(&[("a.rs", before)], &[("a.rs", after)]),
        ["changed a.rs:Event.Data.id signature", "changed a.rs:Event.Key signature"]
    );
    let more = before.replace("Key(u32)", "Key(u32, u8)");
    assert_eq!(told(&[("a.rs", before)], &[("a.rs", &more)]), ["changed a.rs:Event.Key signature"]);
}

/// helix 9bcdf4d79: two methods that only say `Ok(())` were copies of a third.
#[test]
fn a_body_that_says_nothing_is_no_copy() {
    let method = |name: &str, body: &str| {
        format!("    fn {name}(&mut self) -> Result<(), io::Error> {{\n        {body}\n    }}\n")
    };
    let class = |methods: &[String]| {
        format!("pub struct Screen;\n\nimpl Screen {{\n{}}}\n", methods.concat())
    };
    let added = |body: &str| {
        let one = class(&[method("claim", body)]);
        let two = class(&[method("claim", body), method("restore", body)]);
        told(&[("a.rs", &one)], &[("a.rs", &two)])
    };
    assert_eq!(added("Ok(())"), ["added a.rs:Screen.restore"]);
    let body = "self.out.write(flush_of(self.screen, self.area, Mode::Whole))";
    assert_eq!(added(body), ["copied a.rs:Screen.restore"]);
}

/// junit5 0527706eb9: two methods went into another class, and the class they left was told to
/// have another body.
#[test]
fn what_a_member_left_is_not_told_to_have_changed() {
    let body = "        require(classes, \"classes must not be null\");\n        \
        return uniqueStreamOf(classes).map(Selectors::selectClass);\n";
    let method =
        format!("    static Stream<Selector> selectClasses(Class<?>[] classes) {{\n{body}    }}\n");
    let class = |name: &str, members: &str| format!("class {name} {{\n    int n;\n\n{members}}}\n");
    let (full, empty) = (class("More", &method), class("More", ""));
    let (none, one) = (class("Some", ""), class("Some", &method));
    let old = [("More.java", full.as_str()), ("Some.java", none.as_str())];
    let new = [("More.java", empty.as_str()), ("Some.java", one.as_str())];
    assert_eq!(told(&old, &new), ["moved Some.java:Some.selectClasses"]);
}

/// sidekiq 62ac0a84: a method without brackets was told to have another signature, for its
/// declaration ended with the first bracket of its body.
#[test]
fn a_declaration_of_ruby_ends_with_its_line() {
    let method = |name: &str, body: &str| format!("  def {name}\n    {body}\n  end\n");
    let class = |body: &str| format!("module Jobs\n{}end\n", method("refresh", body));
    let (before, after) = (class("@data = load(1)"), class("@data += load(1)"));
    assert_eq!(told(&[("a.rb", &before)], &[("a.rb", &after)]), ["changed a.rb:Jobs.refresh body"]);
    let other = before.replace("def refresh", "def refresh(now)");
    let there = told(&[("a.rb", &before)], &[("a.rb", &other)]);
    assert!(there[0].starts_with("changed a.rb:Jobs.refresh signature"), "{there:?}");
    // sidekiq 0febaf67: so was the module around a new class.
    let around = before.replace("module Jobs\n", "module Jobs\n  SIZE = 1\n");
    assert_eq!(told(&[("a.rb", &before)], &[("a.rb", &around)]), ["added a.rb:Jobs.SIZE"]);
}

/// sidekiq 0febaf67: ten lines "module Sidekiq added, with 1 member" hid ten classes.
#[test]
fn a_namespace_that_was_there_is_told_by_what_is_new_in_it() {
    let class = |name: &str| format!("  class {name}\n    def run\n      1\n    end\n  end\n");
    let file = |class: &str| format!("module Jobs\n{class}end\n");
    let (one, two) = (file(&class("One")), file(&class("Two")));
    let old = [("one.rb", one.as_str())];
    let new = [("one.rb", one.as_str()), ("two.rb", two.as_str())];
    assert_eq!(told(&old, &new), ["added two.rb:Jobs.Two"]);
    assert_eq!(told(&new, &old), ["removed two.rb:Jobs.Two"]);
    assert_eq!(told(&[], &new[1..]), ["added two.rb:Jobs.Two"]);
    let inside = |class: &str| format!("module Jobs\n  class Base\n{class}  end\nend\n");
    let (base, more) = (inside(&class("One")), inside(&class("Two")));
    assert_eq!(
        told(&[("one.rb", &base)], &[("one.rb", &base), ("two.rb", &more)]),
        ["added two.rb:Jobs.Base.Two"],
        "a class is opened again"
    );
    // A module with functions is something by itself.
    let tools = "module Tools\n  def help\n    1\n  end\nend\n";
    assert_eq!(told(&[], &[("tools.rb", tools)]), ["added tools.rb:Tools"]);
    let space = |name: &str| format!("namespace App {{\n{name}}}\n");
    let (a, b) = (space("class A {\n  int n;\n};\n"), space("class B {\n  int n;\n};\n"));
    assert_eq!(told(&[("a.cpp", &a)], &[("a.cpp", &a), ("b.cpp", &b)]), ["added b.cpp:App.B"]);
}

/// celery 3ca1a54e6: a line went out of an `if`, and nothing was told to have changed.
#[test]
fn how_python_is_indented_is_no_layout() {
    let function = |indent: &str, last: &str| {
        format!(
            "def f(a, b):\n{indent}if a:\n{indent}{indent}b = 1\n{last}b = b or a\n{indent}return b\n"
        )
    };
    let inside = function("    ", "        ");
    let outside = function("    ", "    ");
    let changed = ["changed a.py:f body"];
    assert_eq!(told(&[("a.py", &inside)], &[("a.py", &outside)]), changed);
    assert_eq!(told(&[("a.py", &outside)], &[("a.py", &inside)]), changed);
    let narrow = function("  ", "    ");
    assert!(told(&[("a.py", &inside)], &[("a.py", &narrow)]).is_empty());
    let in_class = |text: &str| {
        let body: String = text.lines().map(|line| format!("    {line}\n")).collect();
        format!("class A:\n{body}")
    };
    assert_eq!(
        told(&[("a.py", &in_class(&inside))], &[("a.py", &in_class(&outside))]),
        ["changed a.py:A.f body"]
    );
    let moved = told(&[("a.py", &inside)], &[("a.py", &in_class(&inside))]);
    assert!(moved.iter().all(|line| !line.ends_with("body")), "{moved:?}");
}

/// nest ed714ac784: the default of a type parameter ended the declaration.
#[test]
fn type_parameters_belong_to_the_declaration() {
    let class = |params: &str| {
        format!(
            "export class A {{\n  send<T = any, R = () => void>({params}): (a: T) => R {{\n    return go(1);\n  }}\n}}\n"
        )
    };
    let there = told(&[("a.ts", &class("a: T"))], &[("a.ts", &class("a: T, b: R"))]);
    assert_eq!(there, ["changed a.ts:A.send signature required parameter `b` added"]);
}

/// fastify f376f6082: 67 keys of objects in an object were paired by their order.
#[test]
fn keys_of_objects_in_objects_are_told_by_what_holds_them() {
    let schema = |first: &str| {
        format!(
            "const schema = {{\n  type: 'object',\n  properties: {{\n{first}    b: {{ type: 'string', default: 'c' }},\n    d: {{ type: 'integer', default: 4 }}\n  }}\n}}\n"
        )
    };
    let (before, after) = (schema(""), schema("    a: { type: 'integer', default: 1 },\n"));
    let there = told(&[("a.js", &before)], &[("a.js", &after)]);
    assert_eq!(there, ["changed a.js:schema.properties body"]);
    // fastify 75d74e1af: what is passed to a call has no name either.
    let call = "const A = create({\n  name: 'a',\n  code: 'b'\n})\n";
    assert_eq!(told(&[("a.js", "")], &[("a.js", call)]), ["added a.js:A"]);
    let setup =
        |port: u32| format!("app.listen({{\n  port: {port},\n  ready () {{\n    go()\n  }}\n}})\n");
    assert_eq!(told(&[("a.js", &setup(1))], &[("a.js", &setup(2))]), ["changed a.js:a body"]);
    // A function in an object can be looked for by name.
    let with_function = |body: &str| {
        format!(
            "const tools = {{\n  text: {{\n    trim (a) {{\n      return {body}\n    }}\n  }}\n}}\n"
        )
    };
    let there = told(&[("a.js", &with_function("a"))], &[("a.js", &with_function("a + 1"))]);
    assert!(there.iter().any(|line| line.ends_with("trim body")), "{there:?}");
}

/// mockito d000e6307: functions without a body and fields were told to be renamed for their
/// parameters and users alone.
#[test]
fn functions_without_a_body_need_more_than_their_parameters_in_common() {
    let interface = |methods: &[&str]| {
        let methods: String = methods.iter().map(|it| format!("    {it};\n")).collect();
        format!("interface Handler {{\n{methods}}}\n")
    };
    let there = |old: &str, new: &str| {
        let (old, new) = (interface(&["int size()", old]), interface(&["int size()", new]));
        told(&[("Handler.java", &old)], &[("Handler.java", &new)])
    };
    let exported = "boolean isExported(Class<?> source, Class<?> target)";
    let told_so = |lines: &[String]| lines.iter().any(|line| line.starts_with("renamed"));
    assert!(!told_so(&there(exported, "boolean readFromTo(Class<?> source, Class<?> target)")));
    assert!(!told_so(&there(exported, "String exportedName(Class<?> source, Class<?> target)")));
    assert!(told_so(&there(exported, "boolean isExportedTo(Class<?> source, Class<?> target)")));
}

/// mockito d000e6307: `byteBuddy → addOpens`.
#[test]
fn fields_of_other_types_are_other_fields() {
    let class = |field: &str, name: &str| {
        format!(
            "class Handler {{\n    int n;\n    private {field} {name};\n\n    void run(int a) {{\n        go(a, {name});\n    }}\n}}\n"
        )
    };
    let there = |new: (&str, &str)| {
        let (old, new) = (class("Buddy", "buddy"), class(new.0, new.1));
        told(&[("Handler.java", &old)], &[("Handler.java", &new)])
    };
    let is_renamed = |lines: &[String]| lines.iter().any(|line| line.starts_with("renamed"));
    assert!(!is_renamed(&there(("Method", "addOpens"))));
    assert!(is_renamed(&there(("Buddy", "friend"))));
}

/// django 0f581cd29d: `fail_silently` was `alias`, for both are assigned what is called like
/// them.
#[test]
fn a_text_of_the_own_name_is_no_evidence() {
    let class = |params: &str, body: &str| {
        format!("class Backend:\n    def __init__(self, {params}):\n        {body}\n")
    };
    let before = class("fail_silently", "self.fail_silently = fail_silently");
    let after = class("alias, fail_silently", "go(fail_silently)\n        self.alias = alias");
    let there = told(&[("a.py", &before)], &[("a.py", &after)]);
    assert!(!there.iter().any(|line| line.starts_with("renamed")), "{there:?}");
}

/// django 0f581cd29d: a method of the program "perhaps became" one of a test.
#[test]
fn a_test_is_never_what_a_program_was() {
    let method = "    def get_connection(self, fail_silently=False):\n        connect(fail_silently)\n        return self.connection\n";
    let class = |name: &str, method: &str| {
        format!("class {name}:\n    def other(self):\n        go(1, 2)\n\n{method}")
    };
    let (before, after) = (class("Message", method), class("Message", ""));
    let (no_test, test) = (class("MessageTests", ""), class("MessageTests", method));
    let there = told(
        &[("mail/message.py", &before), ("tests/mail/tests.py", &no_test)],
        &[("mail/message.py", &after), ("tests/mail/tests.py", &test)],
    );
    assert!(
        there.contains(&"removed mail/message.py:Message.get_connection".to_owned()),
        "{there:?}"
    );
    // A file that became one of tests takes its symbols along.
    let there = told(&[("mail/message.py", &before)], &[("tests/mail/message.py", &before)]);
    assert!(!there.iter().any(|line| line.starts_with("removed")), "{there:?}");
}

/// django 0f581cd29d: a field that became a property broke callers, said the report.
#[test]
fn a_property_is_read_like_a_field() {
    let class =
        |text: &str| format!("class Message:\n    def __init__(self):\n        self.n = 1\n{text}");
    let field = class("        self.connection = None\n");
    let property = class(
        "\n    @property\n    def connection(self):\n        return self.n\n\n    @connection.setter\n    def connection(self, value):\n        self.n = value\n",
    );
    let there = told(&[("a.py", &field)], &[("a.py", &property)]);
    assert!(there.contains(&"changed a.py:Message.connection signature".to_owned()), "{there:?}");
    assert!(!there.iter().any(|line| line.starts_with("added")), "{there:?}");
    let method = class("\n    def connection(self):\n        return self.n\n");
    let there = told(&[("a.py", &field)], &[("a.py", &method)]);
    let is_broken = |line: &String| line.ends_with("was a field, is a method");
    assert!(there.iter().any(is_broken), "{there:?}");
}

/// nlohmann/json bbe337c3a: members that the parser lost behind a macro were told to be gone
/// from what is public.
#[test]
fn what_was_read_in_part_is_not_surely_gone() {
    let before = "struct json {\n  int size;\n  int m_value;\n};\n";
    let broken = "struct json {\n  int size;\n  SECRET(:: m_value\n};\n";
    let gone = |new: &str| {
        let (old, new) = (files(&[("a.hpp", before)]), files(&[("a.hpp", new)]));
        let matching = match_versions(&views(&old), &views(&new));
        let report = Report::of(&matching, &old, &new);
        let of =
            |it: &&SymbolChange| it.old.as_ref().is_some_and(|it| it.symbol.ends_with("m_value"));
        report.changes.iter().find(of).map(|it| it.old.as_ref().unwrap().is_public)
    };
    let whole = before.replace("  int m_value;\n", "");
    assert_eq!(gone(&whole), Some(true));
    assert_eq!(gone(broken), Some(false));
}

/// helix 20151a559: the type that an iterator gives was told to have moved, beside the
/// iterator that moved.
#[test]
fn members_paired_by_their_text_go_along_with_their_container() {
    let iterator = |name: &str, step: &str| {
        format!(
            "pub struct {name}<'a> {{\n    text: RopeSlice<'a>,\n    cursor: usize,\n}}\n\n\
             impl<'a> Iterator for {name}<'a> {{\n    type Item = RopeSlice<'a>;\n\n    \
             fn next(&mut self) -> Option<RopeSlice<'a>> {{\n        self.cursor {step} 1;\n        \
             self.text.get(self.cursor)\n    }}\n}}\n"
        )
    };
    let both = format!("{}\n{}", iterator("Forward", "+="), iterator("Backward", "-="));
    let stays = "pub fn width(text: &str) -> usize {\n    text.len()\n}\n";
    let there = told(
        &[("a.rs", &format!("{stays}\n{both}")), ("b.rs", "pub fn other() {}\n")],
        &[("a.rs", stays), ("b.rs", &format!("pub fn other() {{}}\n\n{both}"))],
    );
    assert_eq!(there, ["moved b.rs:Forward", "moved b.rs:Backward"]);
}
