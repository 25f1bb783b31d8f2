//! Access logs in the common and combined formats of Apache and nginx, with or
//! without a virtual host before them and a duration after them.

use crate::attributes::cleaned;
use crate::span::{Resource, Span, SpanKind};
use model::Timestamp;
use std::sync::Arc;

/// The request of one line; none where it is no such line.
pub fn read(line: &str, resource: &Arc<Resource>) -> Option<Span> {
    let open = line.find('[')?;
    let (when, rest) = line[open + 1..].split_once(']')?;
    let rest = rest.trim_start().strip_prefix('"')?;
    let (request, rest) = quoted(rest)?;
    let mut words = rest.split_whitespace();
    let status: u16 = words.next()?.parse().ok().filter(|status| (100..600).contains(status))?;
    let mut parts = request.split_ascii_whitespace();
    let (method, target) = (parts.next()?, parts.next()?);
    let is_method = !method.is_empty() && method.bytes().all(|byte| byte.is_ascii_uppercase());
    // What is no request was answered all the same: bytes of another protocol.
    if !is_method || !(target.starts_with('/') || target.starts_with("http") || target == "*") {
        return None;
    }
    let mut span = Span::new(resource);
    span.kind = SpanKind::Server;
    span.name = cleaned(method, 20);
    span.start_ms = time(when)?.as_millis();
    span.duration_us = duration(rest);
    span.is_error = status >= 500;
    span.attributes.put("http.request.method", method.into());
    let target = if target.starts_with("http") { path_of(target) } else { target };
    span.attributes.put("url.path", target.into());
    span.attributes.put("http.response.status_code", status.to_string().into());
    Some(span)
}

/// Text up to the quote that ends it, and what follows.
fn quoted(text: &str) -> Option<(&str, &str)> {
    let mut is_escaped = false;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'\\' if !is_escaped => is_escaped = true,
            b'"' if !is_escaped => return Some((&text[..at], &text[at + 1..])),
            _ => is_escaped = false,
        }
    }
    None
}

/// The path of an address.
pub fn path_of(url: &str) -> &str {
    let after = url.split_once("://").map_or(url, |(_, after)| after);
    after.find('/').map_or("/", |at| &after[at..])
}

/// `10/Oct/2000:13:55:36 -0700`; ISO too, which some configure.
pub fn time(text: &str) -> Option<Timestamp> {
    const MONTHS: [&str; 12] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let text = text.trim();
    let mut parts = text.splitn(3, '/');
    let (Some(day), Some(month), Some(rest)) = (parts.next(), parts.next(), parts.next()) else {
        return Timestamp::parse_rfc3339(text).ok();
    };
    let month = MONTHS.iter().position(|known| *known == month)? + 1;
    let (year, rest) = rest.split_once(':')?;
    let (clock, zone) = rest.split_once(' ').unwrap_or((rest, "+0000"));
    let zone = match zone.trim() {
        "Z" => "Z".to_owned(),
        zone if zone.len() == 5 && zone.is_ascii() => format!("{}:{}", &zone[..3], &zone[3..]),
        _ => return None,
    };
    Timestamp::parse_rfc3339(&format!("{year}-{month:02}-{day}T{clock}{zone}")).ok()
}

/// Seconds after the other fields, in microseconds: `rt=0.012`, or a number with a
/// point at the end. Whole numbers may be of any unit, and are not read.
fn duration(rest: &str) -> Option<u64> {
    let named = rest
        .split_whitespace()
        .find_map(|word| word.strip_prefix("rt=").or_else(|| word.strip_prefix("request_time=")));
    let last = rest.split_whitespace().next_back().filter(|word| word.contains('.'));
    let seconds =
        named.or(last).map(|word| word.trim_matches('"')).and_then(|it| it.parse::<f64>().ok());
    seconds.filter(|it| (0.0..86_400.0).contains(it)).map(|it| (it * 1e6) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn told(line: &str) -> Option<String> {
        let span = read(line, &Arc::new(Resource::default()))?;
        let at = |name: &str| span.attributes.get(name).unwrap_or("-").to_owned();
        Some(format!(
            "{} {} {} {} {}",
            Timestamp::from_millis(span.start_ms),
            at("http.request.method"),
            at("url.path"),
            at("http.response.status_code"),
            span.duration_us.map_or("-".to_owned(), |it| format!("{it}us"))
        ))
    }

    #[test]
    fn the_common_formats_are_read() {
        for (line, expected) in [
            (
                r#"127.0.0.1 - frank [10/Oct/2000:13:55:36 -0700] "GET /a.gif HTTP/1.0" 200 2326"#,
                "2000-10-10T20:55:36.000Z GET /a.gif 200 -",
            ),
            (
                r#"shop.example:443 10.0.0.1 - - [01/Nov/2026:00:00:00 +0000] "POST /cart?x=1 HTTP/1.1" 503 17 "-" "curl \"8\"" 0.125"#,
                "2026-11-01T00:00:00.000Z POST /cart?x=1 503 125000us",
            ),
            (
                r#"::1 - - [2026-11-01T00:00:00Z] "GET http://x.example/y HTTP/1.1" 304 0 "-" "-" rt=0.001 uct=0"#,
                "2026-11-01T00:00:00.000Z GET /y 304 1000us",
            ),
        ] {
            assert_eq!(told(line).as_deref(), Some(expected), "{line}");
        }
    }

    #[test]
    fn broken_lines_are_none() {
        for line in [
            "",
            "hello",
            r#"1.2.3.4 - - [10/Oct/2000:13:55:36 -0700] "\x16\x03\x01" 400 0"#,
            r#"1.2.3.4 - - [32/Oct/2000:13:55:36 -0700] "GET / HTTP/1.1" 200 0"#,
            r#"1.2.3.4 - - [10/Oct/2000:13:55:36 -0700] "GET / HTTP/1.1 200 0"#,
            r#"1.2.3.4 - - [10/Oct/2000:13:55:36 -0700] "GET / HTTP/1.1" 999 0"#,
        ] {
            assert_eq!(told(line), None, "{line}");
        }
    }

    proptest! {
        #[test]
        fn any_line_is_read_or_not(line in "\\PC{0,200}") {
            let _ = told(&line);
        }

        #[test]
        fn nearly_right_lines_are_survived(
            when in "[0-9A-Za-z/: +-]{0,30}", request in "[ -~]{0,40}", rest in "[ -~]{0,40}",
        ) {
            let _ = told(&format!("1.1.1.1 - - [{when}] \"{request}\" {rest}"));
        }
    }
}
