//! What a tool call is about: an edit, a read or a search of this repository.

use super::client_event::ToolCall;
use super::patch;
use insight::push::shell::{self, ShellLook};
use insight::push::{FileEdit, FileRead, LineRange, Search};
use serde_json::Value;
use std::path::{Component, Path, PathBuf};

/// Larger files are no source.
const LARGEST: u64 = 2 << 20;
/// Files of one call that are spoken of.
const MOST_FILES: usize = 4;

/// Looks and edits of one call.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Activity {
    pub edits: Vec<FileEdit>,
    pub reads: Vec<FileRead>,
    pub search: Option<Search>,
}

/// Where the call happens.
pub struct WorkPlace<'a> {
    /// The folder the client stands in.
    pub dir: &'a Path,
    /// The real top of the repository.
    pub top: &'a Path,
    pub home: Option<&'a Path>,
    /// The tool has run: a file is what the edit made of it.
    pub is_after: bool,
}

impl Activity {
    pub fn of(call: &ToolCall, place: &WorkPlace<'_>) -> Self {
        let name = call.name.to_lowercase().replace(['_', '-'], "");
        let mut activity = Activity::default();
        let text =
            call.input.as_str().or_else(|| field(&call.input, &["command", "patch", "input"]));
        if let Some(text) = text.filter(|text| patch::is_patch(text)) {
            activity.edits = patched(text, place);
            return activity;
        }
        match kind(&name) {
            ToolKind::Edit => activity.edits = edits(&call.input, place),
            ToolKind::Read => activity.reads.extend(read(call, place)),
            ToolKind::Search => {
                let pattern = field(&call.input, &["pattern", "query", "regex", "q"]);
                let names = pattern.map(|it| shell::names(it, false)).unwrap_or_default();
                activity.search = search(names, &call.output);
            }
            ToolKind::Shell => of_shell(call, place, &mut activity),
            ToolKind::Other => {}
        }
        activity.reads.truncate(MOST_FILES);
        activity.edits.truncate(MOST_FILES);
        activity
    }

    /// What it is about, for the log.
    pub fn about(&self) -> String {
        let edits = self.edits.iter().map(|edit| format!("edit {}", edit.path));
        let reads = self.reads.iter().map(|read| format!("read {}", read.path));
        let search = self.search.iter().map(|search| format!("search {}", search.names.join("|")));
        edits.chain(reads).chain(search).collect::<Vec<_>>().join(", ")
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ToolKind {
    Edit,
    Read,
    Search,
    Shell,
    Other,
}

/// Tools by the names clients give them, in small letters and without joints.
fn kind(name: &str) -> ToolKind {
    match name {
        "edit"
        | "multiedit"
        | "write"
        | "notebookedit"
        | "strreplace"
        | "replace"
        | "writefile"
        | "create"
        | "createfile"
        | "editfile"
        | "editfiles"
        | "applypatch"
        | "replacestringinfile"
        | "multireplacestringinfile"
        | "inserteditintofile"
        | "strreplaceeditor"
        | "strreplacebasededittool"
        | "searchreplace" => ToolKind::Edit,
        "read" | "readfile" | "view" | "readmanyfiles" | "openfile" => ToolKind::Read,
        "grep" | "grepsearch" | "searchfilecontent" | "textsearch" | "findtextinfiles" | "rg"
        | "search" | "codesearch" => ToolKind::Search,
        "bash" | "shell" | "runshellcommand" | "runinterminal" | "localshell" | "execcommand"
        | "shellcommand" | "terminal" | "unifiedexec" => ToolKind::Shell,
        _ => ToolKind::Other,
    }
}

fn field<'v>(value: &'v Value, names: &[&str]) -> Option<&'v str> {
    names.iter().find_map(|name| value.get(name)?.as_str())
}

fn number(value: &Value, names: &[&str]) -> Option<u32> {
    names.iter().find_map(|name| u32::try_from(value.get(name)?.as_u64()?).ok())
}

const PATHS: &[&str] =
    &["file_path", "path", "filePath", "target_file", "absolute_path", "notebook_path", "file"];

/// A path of the repository, from its top; none for what lies elsewhere.
fn below_top(typed: &str, place: &WorkPlace<'_>) -> Option<String> {
    let path = match (typed.strip_prefix("~/"), place.home) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => place.dir.join(typed),
    };
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(plain.pop()),
            Component::CurDir => {}
            part => plain.push(part),
        }
    }
    let relative = match plain.strip_prefix(place.top) {
        Ok(relative) => relative.to_path_buf(),
        // The client may name the repository through a link.
        Err(_) => plain.canonicalize().ok()?.strip_prefix(place.top).ok()?.to_path_buf(),
    };
    let text = relative.to_str()?.to_owned();
    (!text.is_empty()).then_some(text)
}

fn text_of(path: &str, place: &WorkPlace<'_>) -> Option<String> {
    files::read_text_below(place.top, Path::new(path), LARGEST).ok()
}

fn edits(input: &Value, place: &WorkPlace<'_>) -> Vec<FileEdit> {
    let Some(path) = field(input, PATHS).and_then(|typed| below_top(typed, place)) else {
        return Vec::new();
    };
    let text = text_of(&path, place);
    let blocks = |names: &[&str]| -> Vec<String> {
        let own = field(input, names).map(str::to_owned).into_iter();
        let several = ["edits", "replacements"].iter().filter_map(|name| input.get(name));
        let several = several.filter_map(Value::as_array).flatten();
        own.chain(several.filter_map(|it| field(it, names).map(str::to_owned))).collect()
    };
    let old = blocks(&["old_string", "oldString", "old_str", "old_text"]);
    let new = blocks(&["new_string", "newString", "new_str", "new_text"]);
    let ranges = match &text {
        Some(text) if !old.is_empty() || !new.is_empty() => {
            ranges_of(text, if place.is_after { &new } else { &old })
        }
        // The whole file is written: what differs is about to change.
        Some(text) => match field(input, &["content", "contents", "file_text", "fileText"]) {
            Some(new) if !place.is_after => differing(text, new),
            _ => Vec::new(),
        },
        None => Vec::new(),
    };
    if ranges.is_empty() {
        return Vec::new();
    }
    vec![FileEdit { path, text, ranges }]
}

fn patched(text: &str, place: &WorkPlace<'_>) -> Vec<FileEdit> {
    let mut edits = Vec::new();
    for file in patch::files(text) {
        let Some(path) = below_top(&file.path, place) else { continue };
        let Some(text) = text_of(&path, place) else { continue };
        let blocks = if place.is_after { &file.new_blocks } else { &file.old_blocks };
        let ranges = ranges_of(&text, blocks);
        if !ranges.is_empty() {
            edits.push(FileEdit { path, text: Some(text), ranges });
        }
    }
    edits
}

/// The lines on which texts stand.
fn ranges_of(text: &str, blocks: &[String]) -> Vec<LineRange> {
    let mut ranges = Vec::new();
    for block in blocks {
        let wanted = block.trim_matches('\n');
        if wanted.trim().is_empty() {
            continue;
        }
        if let Some(at) = text.find(wanted) {
            let first = text[..at].matches('\n').count() as u32 + 1;
            let last = first + wanted.matches('\n').count() as u32;
            ranges.push(LineRange { first, last });
        }
    }
    ranges
}

/// The lines of a text between what it begins and ends with like another.
fn differing(text: &str, new: &str) -> Vec<LineRange> {
    let (old, new): (Vec<&str>, Vec<&str>) = (text.lines().collect(), new.lines().collect());
    let same = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    if same == old.len() && same == new.len() {
        return Vec::new();
    }
    let rest = old.len().min(new.len()) - same;
    let tail =
        old.iter().rev().zip(new.iter().rev()).take(rest).take_while(|(a, b)| a == b).count();
    let first = same as u32 + 1;
    let last = (old.len() - tail).max(same + 1) as u32;
    vec![LineRange { first, last }]
}

fn read(call: &ToolCall, place: &WorkPlace<'_>) -> Option<FileRead> {
    let input = &call.input;
    let path = below_top(field(input, PATHS)?, place)?;
    let pair = input.get("view_range").and_then(Value::as_array).and_then(|pair| {
        let line = |at: usize| u32::try_from(pair.get(at)?.as_i64()?.max(0)).ok();
        Some((line(0)?, line(1).filter(|last| *last > 0).unwrap_or(u32::MAX)))
    });
    let first = number(input, &["offset", "start_line", "startLine", "line_start"]);
    let last = number(input, &["end_line", "endLine", "line_end"]);
    let limit = number(input, &["limit"]);
    let range = match (pair, first, last, limit) {
        (Some((first, last)), ..) => LineRange { first: first.max(1), last },
        (None, None, None, None) => LineRange::WHOLE,
        (None, first, last, limit) => {
            let first = first.unwrap_or(1).max(1);
            let until = limit.map(|n| first.saturating_add(n).saturating_sub(1));
            LineRange { first, last: last.or(until).unwrap_or(u32::MAX) }
        }
    };
    let text = text_of(&path, place);
    Some(FileRead { path, text, range, shown: call.output.clone() })
}

fn search(names: Vec<String>, output: &str) -> Option<Search> {
    let said = output.trim().to_lowercase();
    let is_empty = said.is_empty()
        || ["no matches found", "no files found", "no results", "found 0 "]
            .iter()
            .any(|none| said.starts_with(none));
    (!names.is_empty()).then(|| Search { names, shown: output.to_owned(), is_empty })
}

fn of_shell(call: &ToolCall, place: &WorkPlace<'_>, activity: &mut Activity) {
    let command = match call.input.get("command").or_else(|| call.input.get("cmd")) {
        Some(Value::String(text)) => text.clone(),
        // `["bash", "-lc", "rg x"]`: the last word is what runs.
        Some(Value::Array(words)) => {
            words.last().and_then(Value::as_str).unwrap_or_default().to_owned()
        }
        _ => call.input.as_str().unwrap_or_default().to_owned(),
    };
    let dir = field(&call.input, &["workdir", "cwd", "directory", "dir_path"]);
    let dir = dir.map_or_else(|| place.dir.to_path_buf(), |dir| place.dir.join(dir));
    let place = WorkPlace { dir: &dir, ..*place };
    let mut names: Vec<String> = Vec::new();
    for look in shell::looks(&command) {
        match look {
            ShellLook::Search { names: found } => {
                names.extend(
                    found.into_iter().filter(|name| !names.contains(name)).collect::<Vec<_>>(),
                );
            }
            ShellLook::Read { path, range } => {
                if let Some(path) = below_top(&path, &place) {
                    let text = text_of(&path, &place);
                    let shown = call.output.clone();
                    activity.reads.push(FileRead { path, text, range, shown });
                }
            }
        }
    }
    activity.search = search(names, &call.output);
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn call(name: &str, input: Value, output: &str) -> ToolCall {
        ToolCall { name: name.to_owned(), input, output: output.to_owned() }
    }

    fn of(call: &ToolCall) -> (tempfile::TempDir, Activity) {
        let dir = tempfile::tempdir().unwrap();
        let top = dir.path().canonicalize().unwrap();
        std::fs::create_dir_all(top.join("src")).unwrap();
        std::fs::write(top.join("src/a.py"), "one\ntwo\nthree\nfour\n").unwrap();
        let place = WorkPlace { dir: &top, top: &top, home: None, is_after: false };
        let activity = Activity::of(call, &place);
        (dir, activity)
    }

    fn ranges(activity: &Activity) -> Vec<(u32, u32)> {
        activity.edits.iter().flat_map(|it| &it.ranges).map(|it| (it.first, it.last)).collect()
    }

    #[test]
    fn edits_are_found_by_what_they_replace() {
        let edit = json!({"file_path": "src/a.py", "old_string": "two\nthree", "new_string": "x"});
        assert_eq!(ranges(&of(&call("Edit", edit, "")).1), [(2, 3)]);
        let several = json!({"path": "src/a.py", "edits": [
            {"old_string": "one", "new_string": ""}, {"old_string": "four", "new_string": ""}]});
        assert_eq!(ranges(&of(&call("MultiEdit", several, "")).1), [(1, 1), (4, 4)]);
        let write = json!({"file_path": "src/a.py", "content": "one\nTWO\nthree\nfour\n"});
        assert_eq!(ranges(&of(&call("Write", write, "")).1), [(2, 2)]);
        let same = json!({"file_path": "src/a.py", "content": "one\ntwo\nthree\nfour\n"});
        assert!(of(&call("Write", same, "")).1.edits.is_empty());
        let new = json!({"file_path": "src/new.py", "content": "x"});
        assert!(of(&call("Write", new, "")).1.edits.is_empty());
        let patch = "*** Begin Patch\n*** Update File: src/a.py\n@@\n-three\n+3\n*** End Patch";
        assert_eq!(ranges(&of(&call("apply_patch", json!({"command": patch}), "")).1), [(3, 3)]);
        let outside = json!({"file_path": "/etc/passwd", "old_string": "root", "new_string": ""});
        assert!(of(&call("Edit", outside, "")).1.edits.is_empty());
    }

    #[test]
    fn reads_and_searches_are_found_in_tools_and_shells() {
        let read = json!({"file_path": "src/a.py", "offset": 2, "limit": 2});
        let (_dir, activity) = of(&call("Read", read, "two"));
        assert_eq!(activity.reads[0].range, LineRange { first: 2, last: 3 });
        let view = json!({"path": "src/a.py", "view_range": [2, -1]});
        let (_dir, activity) = of(&call("view", view, ""));
        assert_eq!(activity.reads[0].range, LineRange { first: 2, last: u32::MAX });
        let shell = json!({"command": ["bash", "-lc", "cd src && sed -n 1,2p a.py; rg 'a_b|c_d'"]});
        let (_dir, activity) = of(&call("shell", shell, ""));
        assert_eq!(activity.reads[0].path, "src/a.py");
        let search = activity.search.unwrap();
        assert_eq!(search.names, ["a_b", "c_d"]);
        assert!(search.is_empty);
        let grep = json!({"pattern": "class Cart", "path": "src"});
        let (_dir, activity) = of(&call("Grep", grep, "No matches found"));
        assert!(activity.search.unwrap().is_empty);
        assert_eq!(of(&call("WebFetch", json!({"url": "x"}), "")).1, Activity::default());
    }
}
