//! Programs that search or read, and those that run others.

use super::pattern::names;
use super::{ShellLook, joined};
use crate::push::LineRange;

/// Options of searchers that take the next word with them.
const GREP_VALUES: &[&str] = &["-f", "-A", "-B", "-C", "-m", "-d", "-D", "--file", "--max-count"];
const RG_VALUES: &[&str] = &[
    "-f",
    "-A",
    "-B",
    "-C",
    "-m",
    "-g",
    "-t",
    "-T",
    "-r",
    "-j",
    "-M",
    "-E",
    "-d",
    "--file",
    "--max-count",
    "--glob",
    "--iglob",
    "--type",
    "--type-not",
    "--replace",
    "--threads",
    "--sort",
    "--max-columns",
    "--encoding",
    "--context",
    "--after-context",
    "--before-context",
    "--color",
    "--colors",
    "--max-depth",
    "--engine",
    "--max-filesize",
    "--sortr",
];
const AG_VALUES: &[&str] =
    &["-A", "-B", "-C", "-m", "-G", "-p", "--ignore", "--ignore-dir", "--type", "--depth"];

/// Without what only runs the program: `env A=b`, `timeout 5`, `sudo`, `A=b`.
pub fn unwrapped(words: Vec<String>) -> Vec<String> {
    let mut words: std::collections::VecDeque<String> = words.into();
    while let Some(first) = words.front() {
        let is_assignment = first.split_once('=').is_some_and(|(name, _)| {
            !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_')
        });
        match program(first) {
            _ if is_assignment => {}
            "env" | "sudo" | "time" | "command" | "nice" | "nohup" | "exec" | "xargs" | "then"
            | "do" | "!" | "stdbuf" => {
                let is_xargs = program(first) == "xargs";
                words.pop_front();
                while words.front().is_some_and(|word| word.starts_with('-')) {
                    let option = words.pop_front().unwrap_or_default();
                    if is_xargs && matches!(option.as_str(), "-n" | "-P" | "-I" | "-L" | "-d") {
                        words.pop_front();
                    }
                }
                continue;
            }
            "timeout" => {
                words.pop_front();
                while words.front().is_some_and(|word| word.starts_with('-')) {
                    words.pop_front();
                }
            }
            _ => break,
        }
        words.pop_front();
    }
    words.into()
}

/// `/usr/bin/rg` is `rg`.
fn program(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or(word)
}

/// What `bash -lc '…'` runs.
pub fn script(words: &[String]) -> Option<String> {
    let (first, rest) = words.split_first()?;
    if !matches!(program(first), "bash" | "sh" | "zsh" | "dash") {
        return None;
    }
    let at = rest.iter().position(|word| word.starts_with('-') && word.ends_with('c'))?;
    rest.get(at + 1).cloned()
}

/// Where `cd` leads.
pub fn folder(words: &[String]) -> Option<&str> {
    match words {
        [cd, rest @ ..] if matches!(cd.as_str(), "cd" | "pushd") => {
            rest.iter().find(|word| !word.starts_with('-')).map(String::as_str)
        }
        _ => None,
    }
}

/// Adds what a simple command looks at.
pub fn look(words: &[String], dir: &str, is_piped: bool, found: &mut Vec<ShellLook>) {
    let Some((first, rest)) = words.split_first() else { return };
    match program(first) {
        "rg" | "ripgrep" => search(rest, RG_VALUES, false, found),
        "grep" | "egrep" | "ugrep" => search(rest, GREP_VALUES, false, found),
        "fgrep" => search(rest, GREP_VALUES, true, found),
        "ag" | "ack" => search(rest, AG_VALUES, false, found),
        "git" => git(rest, found),
        "find" | "fd" | "fdfind" => run_by_find(rest, dir, found),
        "sed" => sed(rest, dir, is_piped, found),
        "awk" | "gawk" => awk(rest, dir, is_piped, found),
        "head" => head(rest, dir, is_piped, found),
        "tail" => tail(rest, dir, found),
        "bat" | "batcat" => bat(rest, dir, found),
        "cat" | "less" | "more" | "nl" | "view" => {
            for path in files(rest, &["-n", "-w", "-s"]) {
                read(dir, path, LineRange::WHOLE, found);
            }
        }
        _ => {}
    }
}

fn search(words: &[String], values: &[&str], is_fixed: bool, found: &mut Vec<ShellLook>) {
    let mut is_fixed = is_fixed;
    let mut patterns: Vec<&str> = Vec::new();
    let mut plain: Option<&str> = None;
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        match word.as_str() {
            "--files" | "--type-list" | "-v" | "--invert-match" => return,
            "-F" | "--fixed-strings" | "-Q" | "--literal" => is_fixed = true,
            "-e" | "--regexp" => patterns.extend(rest.next().map(String::as_str)),
            "--" => {
                plain = plain.or_else(|| rest.next().map(String::as_str));
                break;
            }
            word if values.contains(&word) => drop(rest.next()),
            word if word.starts_with("--regexp=") => patterns.push(&word["--regexp=".len()..]),
            word if word.starts_with("--") => {}
            word if word.starts_with('-') && word.len() > 1 => {
                let letters = &word[1..];
                if letters.contains('v') && letters.bytes().all(|it| it.is_ascii_alphabetic()) {
                    return;
                }
                is_fixed |= letters.contains('F');
                // `-rne pattern`
                if letters.ends_with('e') && letters.len() > 1 {
                    patterns.extend(rest.next().map(String::as_str));
                }
            }
            word => plain = plain.or(Some(word)),
        }
    }
    if patterns.is_empty() {
        patterns.extend(plain);
    }
    let mut all: Vec<String> = Vec::new();
    for name in patterns.into_iter().flat_map(|pattern| names(pattern, is_fixed)) {
        if !all.contains(&name) {
            all.push(name);
        }
    }
    if !all.is_empty() {
        found.push(ShellLook::Search { names: all });
    }
}

fn git(words: &[String], found: &mut Vec<ShellLook>) {
    let mut rest = words;
    while let [first, tail @ ..] = rest {
        match first.as_str() {
            "-C" | "-c" => rest = tail.get(1..).unwrap_or_default(),
            "grep" => return search(tail, GREP_VALUES, false, found),
            word if word.starts_with('-') => rest = tail,
            _ => return,
        }
    }
}

/// `find … -exec grep … {} +`
fn run_by_find(words: &[String], dir: &str, found: &mut Vec<ShellLook>) {
    let starts = ["-exec", "-execdir", "-x", "-X", "--exec"];
    let Some(at) = words.iter().position(|word| starts.contains(&word.as_str())) else { return };
    let run: Vec<String> = words[at + 1..]
        .iter()
        .take_while(|word| !matches!(word.as_str(), ";" | "+"))
        .filter(|word| *word != "{}")
        .cloned()
        .collect();
    look(&run, dir, true, found);
}

fn read(dir: &str, path: &str, range: LineRange, found: &mut Vec<ShellLook>) {
    // A pattern of the shell is many files, and none that can be named here.
    if !path.is_empty() && path != "-" && !path.contains(['*', '?', '$']) {
        found.push(ShellLook::Read { path: joined(dir, path), range });
    }
}

/// Words that are no options; `values` take the next word with them.
fn files<'w>(words: &'w [String], values: &[&str]) -> Vec<&'w str> {
    let mut found = Vec::new();
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        if values.contains(&word.as_str()) && rest.clone().next().is_some_and(|it| is_number(it)) {
            rest.next();
        } else if !word.starts_with(['-', '+']) {
            found.push(word.as_str());
        }
    }
    found
}

fn is_number(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit())
}

/// Lines of what the command before it reads.
fn narrow(range: LineRange, found: &mut [ShellLook]) {
    if let Some(ShellLook::Read { range: whole, .. }) = found.last_mut() {
        let first = whole.first.saturating_add(range.first - 1);
        let last = whole.first.saturating_add(range.last - 1).min(whole.last);
        *whole = LineRange { first, last };
    }
}

fn place(paths: &[&str], dir: &str, range: LineRange, is_piped: bool, found: &mut Vec<ShellLook>) {
    if paths.is_empty() && is_piped {
        narrow(range, found);
    }
    for path in paths {
        read(dir, path, range, found);
    }
}

/// `sed -n '10,40p' file`
fn sed(words: &[String], dir: &str, is_piped: bool, found: &mut Vec<ShellLook>) {
    let plain = files(words, &[]);
    let [script, paths @ ..] = plain.as_slice() else { return };
    let is_quiet = words.iter().any(|word| word == "-n" || word == "--quiet");
    let Some(lines) = script.strip_suffix('p').filter(|_| is_quiet) else { return };
    let (first, last) = lines.split_once(',').unwrap_or((lines, lines));
    let Ok(first) = first.trim().parse::<u32>() else { return };
    let last = match last.trim() {
        "$" => u32::MAX,
        last => match last.strip_prefix('+') {
            Some(more) => first.saturating_add(more.parse().unwrap_or(0)),
            None => last.parse().unwrap_or(first),
        },
    };
    if first > 0 && last >= first {
        place(paths, dir, LineRange { first, last }, is_piped, found);
    }
}

/// `awk 'NR>=10 && NR<=20' file`
fn awk(words: &[String], dir: &str, is_piped: bool, found: &mut Vec<ShellLook>) {
    let plain = files(words, &[]);
    let [script, paths @ ..] = plain.as_slice() else { return };
    if !script.contains("NR") {
        return;
    }
    let numbers: Vec<u32> =
        script.split(|c: char| !c.is_ascii_digit()).filter_map(|text| text.parse().ok()).collect();
    if let [first, last] = numbers[..]
        && 0 < first
        && first <= last
    {
        place(paths, dir, LineRange { first, last }, is_piped, found);
    }
}

/// How many lines `-n 50`, `-n50`, `-50` or `--lines=50` mean.
fn count(words: &[String]) -> Option<String> {
    let at = |word: &str| words.iter().position(|it| it == word);
    if let Some(place) = at("-n").or_else(|| at("--lines")) {
        return words.get(place + 1).cloned();
    }
    words.iter().find_map(|word| {
        let value = word
            .strip_prefix("--lines=")
            .or_else(|| word.strip_prefix("-n"))
            .or_else(|| word.strip_prefix('-').filter(|rest| is_number(rest)))?;
        Some(value.to_owned())
    })
}

fn head(words: &[String], dir: &str, is_piped: bool, found: &mut Vec<ShellLook>) {
    let n_lines = match count(words) {
        Some(value) => value.parse::<u32>().ok().filter(|n| *n > 0),
        None => Some(10),
    };
    let Some(last) = n_lines else { return };
    let paths = files(words, &["-n", "-c", "--lines"]);
    place(&paths, dir, LineRange { first: 1, last }, is_piped, found);
}

fn tail(words: &[String], dir: &str, found: &mut Vec<ShellLook>) {
    let first = count(words).and_then(|value| value.strip_prefix('+')?.parse::<u32>().ok());
    let mut paths = files(words, &["-n", "-c", "--lines"]);
    paths.retain(|path| !is_number(path));
    // From the end: how long the file is, is not known here.
    let first = first.unwrap_or(1).max(1);
    for path in paths {
        read(dir, path, LineRange { first, last: u32::MAX }, found);
    }
}

/// `bat -r 3:8 file`
fn bat(words: &[String], dir: &str, found: &mut Vec<ShellLook>) {
    let at = words.iter().position(|word| matches!(word.as_str(), "-r" | "--line-range"));
    let value = match at {
        Some(at) => words.get(at + 1).map(String::as_str),
        None => words.iter().find_map(|word| word.strip_prefix("--line-range=")),
    };
    let range = value.and_then(|value| {
        let (first, last) = value.split_once(':')?;
        let first = first.parse().unwrap_or(1_u32).max(1);
        Some(LineRange { first, last: last.parse().unwrap_or(u32::MAX) })
    });
    for path in files(words, &[]) {
        if Some(path) != value {
            read(dir, path, range.unwrap_or(LineRange::WHOLE), found);
        }
    }
}
