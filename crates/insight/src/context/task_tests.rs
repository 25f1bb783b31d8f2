//! Parts of real issues, and texts that are no issue at all.

use super::*;

const ISSUE: &str = "Reader fails on `open_file`
<!-- please fill in
the template -->
**Describe the bug**
Calling `Reader.open_file()` in pkg/io/reader.py:12 breaks, see https://forge.example/o/n/blob/main/pkg/io/base.py#L40-L42.

- [x] I have searched
```python
from pkg.io import Reader
Reader().open_file('x')
```
Traceback (most recent call last):
  File \"/home/me/run.py\", line 3, in <module>
    Reader().open_file('x')
  File \"/site-packages/pkg/io/reader.py\", line 40, in open_file
    raise ValueError('no such element')
ValueError: no such element
";

#[test]
fn parts_of_an_issue_are_told_apart() {
    let task = Task::read(ISSUE);
    let texts = |part| task.texts(part).collect::<Vec<_>>();
    assert_eq!(texts(Part::Title), ["Reader fails on `open_file`"]);
    assert_eq!(texts(Part::Tick), ["open_file", "Reader.open_file()"]);
    assert_eq!(texts(Part::ErrorLine), ["ValueError: no such element"]);
    assert_eq!(texts(Part::Snippet), ["from pkg.io import Reader", "Reader().open_file('x')"]);
    assert_eq!(texts(Part::Trace).len(), 4);
    let prose = texts(Part::Prose).join(" ");
    assert!(prose.contains("breaks"), "{prose}");
    for noise in ["template", "Describe", "searched", "forge.example"] {
        assert!(!prose.contains(noise), "{noise} is noise: {prose}");
    }
}

#[test]
fn what_the_text_names_is_found() {
    let task = Task::read(ISSUE);
    let paths: Vec<(&str, Option<u32>, bool)> =
        task.paths.iter().map(|it| (it.path.as_str(), it.line, it.is_link)).collect();
    assert!(paths.contains(&("pkg/io/reader.py", Some(12), false)), "{paths:?}");
    assert!(paths.contains(&("pkg/io/base.py", Some(40), true)), "{paths:?}");
    assert_eq!(task.frames[0].function.as_deref(), Some("open_file"), "innermost first");
    assert_eq!(task.names, ["open_file", "Reader.open_file"]);
    assert_eq!(task.in_code, ["pkg.io", "pkg.io.Reader"], "names of code blocks are kept apart");
    assert!(task.dotted.contains(&"Reader.open_file".to_owned()));
}

#[test]
fn any_text_is_read() {
    for text in
        ["", " \n", "x", "日本語のエラー", "\0\u{1}\u{fffd}`", "```", "`a` `", "http://", "a.b:c"]
    {
        let _ = Task::read(text);
    }
    let log = "2024-01-01 ERROR something failed in module_x\n".repeat(25_000);
    let task = Task::read(&log);
    assert!(task.parts.iter().map(|(_, text)| text.len()).sum::<usize>() < 100_000);
}

#[test]
fn names_of_code_are_known_in_prose() {
    let task = Task::read(
        "values_list() of a QuerySet loses order\nSee delete() and McDonald, not this word.",
    );
    assert_eq!(task.names, ["values_list", "QuerySet", "delete", "McDonald"]);
}

#[test]
fn braces_name_several_files() {
    let task = Task::read("Clean up util/coding.{h,cc} and c.h");
    let paths: Vec<&str> = task.paths.iter().map(|it| it.path.as_str()).collect();
    assert_eq!(paths, ["util/coding.h", "util/coding.cc", "c.h"]);
}

#[test]
fn two_back_ticks_are_as_good_as_one() {
    let task = Task::read("``nodes.Module`` has no ``end_lineno`` yet");
    assert_eq!(task.texts(Part::Tick).collect::<Vec<_>>(), ["nodes.Module", "end_lineno"]);
    assert!(task.names.contains(&"nodes.Module".to_owned()), "{:?}", task.names);
}

#[test]
fn the_kind_of_a_change_is_no_word_of_the_task() {
    for (title, said) in [
        ("fix(validation): wrong order", "validation: wrong order"),
        ("feat!: new parser", "new parser"),
        ("docs: tell of it", "tell of it"),
        ("net/http: fix a leak", "net/http: fix a leak"),
        ("Fix: a leak", "Fix: a leak"),
        ("parser: fix a leak", "parser: fix a leak"),
        ("open(path): fails", "path: fails"),
        ("open(a path): fails", "open(a path): fails"),
    ] {
        assert_eq!(Task::read(title).texts(Part::Title).collect::<Vec<_>>(), [said], "{title}");
    }
}
