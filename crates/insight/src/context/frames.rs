//! Lines of stack traces, in the forms the common languages print.

/// One line of a stack trace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    /// As written; of any machine.
    pub path: String,
    pub line: Option<u32>,
    pub function: Option<String>,
    /// Python prints the innermost frame last, the others first.
    pub is_innermost_last: bool,
}

/// The frame a line tells of, if it is one.
pub fn parse(line: &str) -> Option<Frame> {
    let line = line.trim().trim_start_matches(['>', '|']).trim();
    // No frame is longer; a minified bundle on one line is.
    if line.len() > 1000 {
        return None;
    }
    python(line)
        .or_else(|| php(line))
        .or_else(|| ruby(line))
        .or_else(|| panic_of_rust(line))
        .or_else(|| debugger(line))
        .or_else(|| at(line))
        .or_else(|| go(line))
}

fn frame(path: &str, line: Option<u32>, function: Option<&str>) -> Frame {
    let path = path.trim_start_matches("file://").replace('\\', "/");
    let function =
        function.map(str::trim).filter(|name| !name.is_empty() && !name.starts_with('<'));
    Frame { path, line, function: function.map(str::to_owned), is_innermost_last: false }
}

/// `File "x.py", line 12, in run`
fn python(line: &str) -> Option<Frame> {
    let rest = line.strip_prefix("File \"")?;
    let (path, rest) = rest.split_once('"')?;
    let rest = rest.trim_start_matches([',', ' ']).strip_prefix("line ")?;
    let number = leading_number(rest);
    let function = rest.split_once(", in ").map(|(_, name)| name);
    Some(Frame { is_innermost_last: true, ..frame(path, number, function) })
}

/// `#0 /app/a.php(12): Door->open()`
fn php(line: &str) -> Option<Frame> {
    let rest =
        line.strip_prefix('#')?.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start();
    let (path, rest) = rest.split_once(".php(")?;
    let function = rest.split_once("): ").map(|(_, call)| call.split('(').next().unwrap_or(call));
    let function = function.map(|name| name.replace("->", ".").replace("::", "."));
    Some(frame(&format!("{path}.php"), leading_number(rest), function.as_deref()))
}

/// ``app/a.rb:12:in `open'``
fn ruby(line: &str) -> Option<Frame> {
    let line = line.strip_prefix("from ").unwrap_or(line);
    let (place, name) = line.split_once(":in ")?;
    let (path, number) = place.rsplit_once(':')?;
    let number = number.parse().ok()?;
    let name = name.trim_matches(['`', '\'', '"']);
    Some(frame(path, Some(number), Some(name.rsplit(' ').next().unwrap_or(name))))
}

/// `thread 'main' panicked at src/a.rs:12:5:` and, before 2023, with the message first.
fn panic_of_rust(line: &str) -> Option<Frame> {
    let (_, rest) = line.split_once("panicked at ")?;
    let place = if rest.starts_with('\'') { rest.rsplit(", ").next()? } else { rest };
    let (path, number) = place_of(place.trim_end_matches(':'))?;
    Some(frame(path, Some(number), None))
}

/// `#1 0x00 in Door::open (this=0x1) at src/door.cc:12`
fn debugger(line: &str) -> Option<Frame> {
    let rest = line.strip_prefix('#')?.trim_start_matches(|c: char| c.is_ascii_digit());
    let (call, place) = rest.rsplit_once(" at ")?;
    let (path, number) = place_of(place.trim())?;
    let call = call.split_once(" in ").map_or(call, |(_, call)| call).trim();
    let function = call.split(['(', ' ']).next().map(|name| name.replace("::", "."));
    Some(frame(path, Some(number), function.as_deref()))
}

/// `at Door.open (src/door.ts:12:3)`, `at a.b.Door.open(Door.java:12)`,
/// `at N.Door.Open(Int32 x) in /app/Door.cs:line 12`, `at ./src/door.rs:12:5`
fn at(line: &str) -> Option<Frame> {
    let rest = line.strip_prefix("at ")?.trim();
    let rest = rest.strip_prefix("async ").unwrap_or(rest);
    if let Some((call, place)) = rest.rsplit_once(" in ")
        && let Some((path, number)) = place.rsplit_once(":line ")
    {
        let function = call.split('(').next();
        return Some(frame(path, leading_number(number), function));
    }
    if let Some((call, place)) = rest.strip_suffix(')').and_then(|rest| rest.rsplit_once('(')) {
        let (path, number) = place_of(place)?;
        let call = call.trim();
        let call = call.strip_prefix("new ").unwrap_or(call);
        // Java names the file without its folder; the package is in the call.
        let is_java = !path.contains('/') && rest.contains('(') && !rest.contains(" (");
        let folder = call.rsplitn(3, '.').nth(2).filter(|_| is_java);
        let path = match folder {
            Some(package) => format!("{}/{path}", package.replace('.', "/")),
            None => path.to_owned(),
        };
        return Some(frame(&path, Some(number), Some(call)));
    }
    let (path, number) = place_of(rest)?;
    Some(frame(path, Some(number), None))
}

/// `/app/door.go:12 +0x1d`
fn go(line: &str) -> Option<Frame> {
    let (place, rest) = line.split_once(' ')?;
    let (path, number) = place_of(place)?;
    (path.rsplit('.').next() == Some("go") && rest.starts_with("+0x"))
        .then(|| frame(path, Some(number), None))
}

/// `src/a.ts:12:3` or `src/a.ts:12`, the path with a file ending.
pub fn place_of(text: &str) -> Option<(&str, u32)> {
    let mut head = text;
    let mut numbers = [None, None];
    for number in &mut numbers {
        let Some((before, after)) = head.rsplit_once(':') else { break };
        let Ok(value) = after.parse::<u32>() else { break };
        *number = Some(value);
        head = before;
    }
    let line = numbers[1].or(numbers[0])?;
    let name = head.rsplit(['/', '\\']).next()?;
    let (stem, ending) = name.rsplit_once('.')?;
    let is_file = !stem.is_empty() && !ending.is_empty() && ending.len() <= 6;
    (is_file && ending.chars().all(char::is_alphanumeric)).then_some((head, line))
}

fn leading_number(text: &str) -> Option<u32> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    text[..end].parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(line: &str) -> String {
        parse(line).map_or_else(String::new, |frame| {
            let number = frame.line.map_or(String::new(), |line| line.to_string());
            format!("{} {number} {}", frame.path, frame.function.unwrap_or_default())
        })
    }

    #[test]
    fn frames_of_every_language_are_read() {
        for (line, expected) in [
            ("  File \"/site/pkg/a.py\", line 12, in run", "/site/pkg/a.py 12 run"),
            ("  File \"a.py\", line 3, in <module>", "a.py 3 "),
            ("    at Door.open (/app/src/door.ts:12:3)", "/app/src/door.ts 12 Door.open"),
            ("    at async file:///app/door.mjs:12:3", "/app/door.mjs 12 "),
            ("\tat org.x.Door.open(Door.java:12)", "org/x/Door.java 12 org.x.Door.open"),
            (
                "   at N.Door.Open(Int32 x) in C:\\app\\Door.cs:line 12",
                "C:/app/Door.cs 12 N.Door.Open",
            ),
            ("\t/app/door.go:12 +0x1d", "/app/door.go 12 "),
            ("             at ./src/door.rs:12:5", "./src/door.rs 12 "),
            ("thread 'main' panicked at src/door.rs:12:5:", "src/door.rs 12 "),
            ("thread 'main' panicked at 'oh, no', src/door.rs:12:5", "src/door.rs 12 "),
            ("\tfrom app/door.rb:12:in `open'", "app/door.rb 12 open"),
            ("app/door.rb:12:in 'Door#open'", "app/door.rb 12 Door#open"),
            ("#0 /app/Door.php(12): Door->open()", "/app/Door.php 12 Door.open"),
            ("#1  0x0000 in Door::open (this=0x1) at src/door.cc:12", "src/door.cc 12 Door.open"),
        ] {
            assert_eq!(told(line), expected, "{line}");
        }
    }

    #[test]
    fn prose_is_no_frame() {
        for line in
            ["at noon we meet (at 12:30)", "see http://x.org:80", "a: b", "File it", "#1 at"]
        {
            assert_eq!(parse(line), None, "{line}");
        }
    }
}
