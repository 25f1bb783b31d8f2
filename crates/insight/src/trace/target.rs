//! `PATH[:LINE[-LINE]]` as people and compilers write it.

use model::{Error, Result};
use schemars::JsonSchema;
use serde::Serialize;

/// First and last line, from one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Lines {
    pub first: u64,
    pub last: u64,
}

/// More lines than this are a file, not lines.
const MOST_LINES: u64 = 10_000;

/// Splits what was typed into path and lines. `a.rs:12:5`, as compilers write
/// it, means line 12; `a.rs:10,20` and `a.rs#L10-L20` are understood too.
pub fn parse(typed: &str) -> Result<(&str, Option<Lines>)> {
    if let Some((path, mark)) = typed.rsplit_once("#L")
        && let Some(lines) = range(&mark.replace('L', ""))?
    {
        return Ok((path, Some(lines)));
    }
    let Some((left, right)) = typed.rsplit_once(':') else { return Ok((typed, None)) };
    let Some(lines) = range(right)? else { return Ok((typed, None)) };
    // A column after the line.
    if lines.first == lines.last
        && let Some((path, line)) = left.rsplit_once(':')
        && let Some(lines) = range(line)?
    {
        return Ok((path, Some(lines)));
    }
    Ok((left, Some(lines)))
}

/// None when it is not made of numbers; an error when the numbers are wrong.
fn range(text: &str) -> Result<Option<Lines>> {
    let (first, last) = text.split_once(['-', ',']).unwrap_or((text, text));
    let number = |digits: &str| -> Option<u64> {
        (!digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()))
            .then(|| digits.parse().unwrap_or(u64::MAX))
    };
    let (Some(first), Some(last)) = (number(first), number(last)) else { return Ok(None) };
    if first == 0 {
        return Err(Error::usage("lines count from 1").suggest("e.g. src/main.rs:1"));
    }
    if last < first {
        return Err(Error::usage(format!("line {last} comes before line {first}"))
            .suggest(format!("turn them round: {last}-{first}")));
    }
    if last - first >= MOST_LINES {
        return Err(Error::usage(format!("more than {MOST_LINES} lines"))
            .suggest("ask for the file, without lines"));
    }
    Ok(Some(Lines { first, last }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn paths_with_and_without_lines() {
        for (typed, path, lines) in [
            ("src/a.rs", "src/a.rs", None),
            ("src/a.rs:12", "src/a.rs", Some((12, 12))),
            ("src/a.rs:12-20", "src/a.rs", Some((12, 20))),
            ("src/a.rs:12,20", "src/a.rs", Some((12, 20))),
            ("src/a.rs:12:5", "src/a.rs", Some((12, 12))),
            ("src/a.rs#L12-L20", "src/a.rs", Some((12, 20))),
            ("src/a.rs#L12", "src/a.rs", Some((12, 12))),
            ("C:thing", "C:thing", None),
            ("a:b-c", "a:b-c", None),
            ("a:", "a:", None),
        ] {
            let (found, range) = parse(typed).unwrap();
            assert_eq!((found, range.map(|r| (r.first, r.last))), (path, lines), "{typed}");
        }
        for typed in ["a:0", "a:9-3", "a:1-99999999", "a:1-99999999999999999999999"] {
            assert!(parse(typed).is_err(), "{typed}");
        }
    }

    proptest! {
        #[test]
        fn anything_typed_is_survived(typed in any::<String>()) {
            if let Ok((path, _)) = parse(&typed) {
                prop_assert!(typed.starts_with(path));
            }
        }
    }
}
