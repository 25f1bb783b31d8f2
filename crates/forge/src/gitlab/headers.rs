//! What GitLab says in the headers of an answer: the time, the next page, and
//! how many more requests it will take.

use crate::budget::Allowance;
use model::Timestamp;
use reqwest::header::{DATE, HeaderMap, LINK, RETRY_AFTER};
use std::time::{Duration, UNIX_EPOCH};

/// Where a paged list goes on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Next {
    /// The server says this was the last page.
    End,
    /// The query string of the next page.
    Query(String),
    /// The server says nothing about paging.
    Unsaid,
}

/// `Link rel="next"` first, then `X-Next-Page`; empty means the end.
///
/// Of a link only the query is taken: its host is the server's own idea of its
/// address, which behind a tunnel or proxy is not where it can be reached.
pub(super) fn next_page(headers: &HeaderMap, current_query: &str) -> Next {
    let links: Vec<&str> =
        headers.get_all(LINK).iter().filter_map(|value| value.to_str().ok()).collect();
    if let Some(query) = links.iter().find_map(|links| next_link_query(links)) {
        return Next::Query(query);
    }
    let next = text(headers, "x-next-page");
    match next.and_then(|page| page.parse::<u32>().ok()) {
        Some(page) => Next::Query(with_page(current_query, page)),
        None if next.is_some() || !links.is_empty() => Next::End,
        None => Next::Unsaid,
    }
}

fn next_link_query(links: &str) -> Option<String> {
    let mut rest = links;
    while let Some((target, after)) =
        rest.split_once('<').and_then(|(_, target)| target.split_once('>'))
    {
        let end = after.find('<').unwrap_or(after.len());
        let is_next = after[..end].split([';', ',']).any(|parameter| {
            parameter.split_once('=').is_some_and(|(name, value)| {
                name.trim().eq_ignore_ascii_case("rel")
                    && value
                        .trim()
                        .trim_matches('"')
                        .split_whitespace()
                        .any(|relation| relation.eq_ignore_ascii_case("next"))
            })
        });
        if is_next {
            let query = target.split_once('?').map_or("", |(_, query)| query);
            return Some(query.split('#').next().unwrap_or_default().to_owned());
        }
        rest = &after[end..];
    }
    None
}

/// The query with another page number.
pub(super) fn with_page(query: &str, page: u32) -> String {
    let mut parts: Vec<String> = query
        .split('&')
        .filter(|part| !part.is_empty() && !part.starts_with("page="))
        .map(str::to_owned)
        .collect();
    parts.push(format!("page={page}"));
    parts.join("&")
}

/// The page number a query asks for.
pub(super) fn page_of(query: &str) -> Option<u32> {
    query.split('&').find_map(|part| part.strip_prefix("page=")).and_then(|page| page.parse().ok())
}

/// How many items the whole list has, on servers and lists that tell.
pub(super) fn total(headers: &HeaderMap) -> Option<u64> {
    text(headers, "x-total")?.parse().ok()
}

/// The server's clock when it answered.
pub(super) fn server_time(headers: &HeaderMap) -> Option<Timestamp> {
    http_date(headers.get(DATE)?.to_str().ok()?)
}

/// What is left of the rate limit, measured by the server's own clock: ours
/// may be wrong.
pub(super) fn allowance(headers: &HeaderMap) -> Option<Allowance> {
    Some(Allowance {
        limit: text(headers, "ratelimit-limit").and_then(|limit| limit.parse().ok()),
        remaining: text(headers, "ratelimit-remaining")?.parse().ok()?,
        resets_in: resets_in(headers)?,
    })
}

/// How long the server wants to be left alone: `Retry-After` as seconds or as
/// a date, else the end of its rate window.
pub(super) fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let asked = headers.get(RETRY_AFTER).and_then(|value| value.to_str().ok()).map(str::trim);
    if let Some(asked) = asked {
        if let Ok(seconds) = asked.parse::<u64>() {
            return Some(Duration::from_secs(seconds));
        }
        if let (Some(until), Some(now)) = (http_date(asked), server_time(headers)) {
            return Some(until.since(now));
        }
    }
    None
}

/// Time until the rate window ends; none when it is over or unknown.
pub(super) fn resets_in(headers: &HeaderMap) -> Option<Duration> {
    let reset: i64 = text(headers, "ratelimit-reset")?.parse().ok()?;
    let reset = Timestamp::from_millis(reset.checked_mul(1000)?);
    Some(reset.since(server_time(headers)?)).filter(|wait| !wait.is_zero())
}

fn text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name)?.to_str().ok().map(str::trim)
}

/// `Thu, 23 Apr 2026 09:45:00 GMT`, or one of the two older forms.
fn http_date(text: &str) -> Option<Timestamp> {
    let since_epoch = httpdate::parse_http_date(text.trim()).ok()?.duration_since(UNIX_EPOCH);
    Some(Timestamp::EPOCH.plus(since_epoch.ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use reqwest::header::{HeaderName, HeaderValue};

    /// One header per line, as they come over the wire.
    fn headers(text: &str) -> HeaderMap {
        text.lines()
            .filter_map(|line| line.trim().split_once(':'))
            .map(|(name, value)| {
                (
                    HeaderName::from_bytes(name.as_bytes()).unwrap(),
                    HeaderValue::from_str(value.trim()).unwrap(),
                )
            })
            .collect()
    }

    #[test]
    fn each_way_to_name_the_next_page_is_understood() {
        let query = |text: &str| Next::Query(text.to_owned());
        for (said, next) in [
            (
                "Link: <https://elsewhere.test/api/v4/x?id=42&page=2&per_page=100>; rel=\"next\", \
                 <https://elsewhere.test/api/v4/x?page=1>; rel=\"first\"\nX-Next-Page: 7",
                query("id=42&page=2&per_page=100"),
            ),
            (
                "Link: <https://h/x?page=1>; rel=\"first\", <https://h/x?page=3>; rel=\"next\"",
                query("page=3"),
            ),
            ("Link: <https://h/x?cursor=abc,def>; rel=next", query("cursor=abc,def")),
            ("Link: <https://h/x?page=2>; title=\"a\"; rel=\"next last\"", query("page=2")),
            ("X-Next-Page: 4", query("per_page=100&page=4")),
            (
                "Link: <https://h/x?page=1>; rel=\"first\"\nX-Next-Page: 2",
                query("per_page=100&page=2"),
            ),
            ("X-Next-Page:", Next::End),
            ("Link: <https://h/x?page=1>; rel=\"first\"\nX-Next-Page:", Next::End),
            ("Link: <https://h/x?page=1>; rel=\"first\"", Next::End),
            ("X-Next-Page: soon", Next::End),
            ("X-Total: 3", Next::Unsaid),
            ("", Next::Unsaid),
        ] {
            assert_eq!(next_page(&headers(said), "page=1&per_page=100"), next, "{said}");
        }
    }

    #[test]
    fn the_server_may_ask_for_patience_in_several_ways() {
        let date = "Date: Thu, 23 Apr 2026 09:45:00 GMT\n";
        let seconds = |n| Some(Duration::from_secs(n));
        for (said, wait) in [
            ("Retry-After: 30".to_owned(), seconds(30)),
            (format!("{date}Retry-After: Thu, 23 Apr 2026 09:45:20 GMT"), seconds(20)),
            (format!("{date}Retry-After: Thu, 23 Apr 2026 09:44:00 GMT"), seconds(0)),
            ("Retry-After: Thu, 23 Apr 2026 09:45:20 GMT".to_owned(), None),
            ("Retry-After: -1".to_owned(), None),
            ("Retry-After: tomorrow".to_owned(), None),
            (String::new(), None),
        ] {
            assert_eq!(retry_after(&headers(&said)), wait, "{said}");
        }
    }

    #[test]
    fn the_allowance_is_measured_by_the_servers_clock() {
        let said = "Date: Thu, 23 Apr 2026 09:44:20 GMT\nRateLimit-Limit: 2000\n\
                    RateLimit-Remaining: 12\nRateLimit-Reset: 1776937500";
        assert_eq!(
            allowance(&headers(said)),
            Some(Allowance {
                limit: Some(2000),
                remaining: 12,
                resets_in: Duration::from_secs(40)
            })
        );
        assert_eq!(allowance(&headers("RateLimit-Remaining: 12")), None);
        assert_eq!(
            allowance(&headers("RateLimit-Remaining: 1\nRateLimit-Reset: 9223372036854775807")),
            None
        );
    }

    #[test]
    fn queries_change_their_page_and_nothing_else() {
        assert_eq!(with_page("a=1&page=3&per_page=100", 4), "a=1&per_page=100&page=4");
        assert_eq!(with_page("", 2), "page=2");
        assert_eq!(page_of("per_page=100&page=4"), Some(4));
        assert_eq!(page_of("per_page=100"), None);
    }

    proptest! {
        #[test]
        fn no_header_makes_a_reader_panic(value in "[ -~]{0,60}") {
            for name in ["link", "x-next-page", "retry-after", "date", "ratelimit-reset",
                         "ratelimit-remaining", "x-total"] {
                let map = headers(&format!("{name}: {value}\nDate: Thu, 23 Apr 2026 09:44:20 GMT"));
                let _ = (next_page(&map, "page=1"), retry_after(&map), allowance(&map));
                let _ = (server_time(&map), total(&map), resets_in(&map));
            }
        }
    }
}
