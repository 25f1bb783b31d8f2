//! Patterns of routes, in the syntax of any web framework, and the paths that
//! match them.
//!
//! `/users/{id}`, `/users/:id`, `/users/<int:id>` and `^users/(?P<id>\d+)/$` mean
//! the same requests; [`Pattern::canonical`] writes them alike. A number
//! (`<int:id>`, `{id:float}`) or a UUID that a pattern asks for must be one; what else it asks
//! of a parameter (a regular expression) is not checked: a path that has the right
//! shape but the wrong letters matches too, and the more literal pattern wins.

use std::cmp::Ordering;

/// A pattern, as the requests it matches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern {
    segments: Vec<Segment>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Segment {
    Literal(String),
    /// Text around holes: `report-{id}.pdf`.
    Mixed(Vec<Piece>),
    /// Exactly one segment.
    Hole,
    /// Exactly one segment that is such a value.
    Typed(ValueKind),
    /// One segment or none.
    Optional,
    /// Any number of segments.
    Rest,
}

/// What a converter of Flask, Django, Starlette or ASP.NET takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ValueKind {
    Integer,
    Float,
    Uuid,
}

impl ValueKind {
    /// By the name of a converter; none for what takes any text.
    fn of(converter: &str) -> Option<ValueKind> {
        let name = converter.split(['(', ':']).next().unwrap_or(converter).trim();
        match name {
            "int" | "long" => Some(ValueKind::Integer),
            "float" | "double" | "decimal" => Some(ValueKind::Float),
            "uuid" | "guid" => Some(ValueKind::Uuid),
            _ => None,
        }
    }

    /// A hole of another pattern (`{}`, `:id`) may be any value.
    fn takes(self, part: &str) -> bool {
        if part.starts_with(['{', '<', ':']) {
            return true;
        }
        let number = part.strip_prefix('-').unwrap_or(part);
        let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        match self {
            ValueKind::Integer => is_digits(number),
            ValueKind::Float => match number.split_once('.') {
                Some((whole, rest)) => is_digits(whole) && is_digits(rest),
                None => is_digits(number),
            },
            ValueKind::Uuid => {
                let n_digits = part.bytes().filter(u8::is_ascii_hexdigit).count();
                n_digits == 32 && part.bytes().all(|b| b.is_ascii_hexdigit() || b == b'-')
            }
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    Text(String),
    Hole,
    /// Of a segment of its own; beside text it is a hole.
    Typed(ValueKind),
}

/// Longer patterns and paths are cut here.
const MOST_SEGMENTS: usize = 64;

impl Pattern {
    pub fn parse(text: &str) -> Pattern {
        let text = text.trim();
        let text = text.strip_prefix('^').unwrap_or(text);
        let text = text.strip_suffix("\\Z").or(text.strip_suffix('$')).unwrap_or(text);
        let mut parser = Parser { rest: text, pieces: Vec::new(), segments: Vec::new() };
        while parser.step() {}
        parser.end_segment();
        let mut segments = parser.segments;
        segments.truncate(MOST_SEGMENTS);
        // A beginning that code puts in front (`{baseUrl}/cart`) is often empty.
        if text.starts_with('{')
            && let Some(first) = segments.first_mut().filter(|first| **first == Segment::Hole)
        {
            *first = Segment::Optional;
        }
        Pattern { segments }
    }

    /// The same for all patterns that match the same paths: `/users/{}`,
    /// `/files/{*}`.
    pub fn canonical(&self) -> String {
        let mut text = String::new();
        for segment in &self.segments {
            text.push('/');
            match segment {
                Segment::Literal(literal) => text.push_str(literal),
                Segment::Hole | Segment::Typed(_) => text.push_str("{}"),
                Segment::Optional => text.push_str("{?}"),
                Segment::Rest => text.push_str("{*}"),
                Segment::Mixed(pieces) => {
                    for piece in pieces {
                        text.push_str(match piece {
                            Piece::Text(literal) => literal,
                            Piece::Hole | Piece::Typed(_) => "{}",
                        });
                    }
                }
            }
        }
        if text.is_empty() { "/".to_owned() } else { text }
    }

    /// Whether a concrete path matches; what follows `?` or `#` in it, and a slash at
    /// its end, do not count.
    pub fn matches(&self, path: &str) -> bool {
        let parts: Vec<&str> = path_segments(path).take(MOST_SEGMENTS).collect();
        matches(&self.segments, &parts)
    }

    /// How many segments are written out.
    pub fn n_literals(&self) -> usize {
        self.segments.iter().filter(|segment| matches!(segment, Segment::Literal(_))).count()
    }

    /// The more literal of two patterns that match the same path is the greater.
    pub fn compare_specificity(&self, other: &Pattern) -> Ordering {
        let weights = |pattern: &Pattern| -> Vec<u8> {
            pattern.segments.iter().map(Segment::weight).collect()
        };
        let (own, others) = (weights(self), weights(other));
        own.cmp(&others).then(own.len().cmp(&others.len()))
    }

    /// Whether the segments of this pattern are the last ones of another: it was
    /// mounted under a prefix.
    pub fn is_end_of(&self, other: &Pattern) -> bool {
        let Some(before) = other.segments.len().checked_sub(self.segments.len()) else {
            return false;
        };
        let mut pairs = self.segments.iter().zip(&other.segments[before..]);
        self.n_literals() > 0 && pairs.all(|(own, other)| own.plain() == other.plain())
    }
}

impl Segment {
    /// Without what a hole asks for.
    const fn plain(&self) -> &Segment {
        match self {
            Segment::Typed(_) => &Segment::Hole,
            other => other,
        }
    }

    const fn weight(&self) -> u8 {
        match self {
            Segment::Literal(_) => 4,
            Segment::Mixed(_) => 3,
            Segment::Hole | Segment::Typed(_) => 2,
            Segment::Optional => 1,
            Segment::Rest => 0,
        }
    }

    fn takes(&self, part: &str) -> bool {
        match self {
            Segment::Literal(literal) => literal.eq_ignore_ascii_case(part),
            Segment::Mixed(pieces) => fits(pieces, part),
            Segment::Typed(kind) => kind.takes(part),
            Segment::Hole | Segment::Optional | Segment::Rest => !part.is_empty(),
        }
    }
}

/// The segments of a path or pattern as it is written, empty ones left out.
pub fn path_segments(path: &str) -> impl Iterator<Item = &str> {
    let end = path.find(['?', '#']).unwrap_or(path.len());
    path[..end].split('/').filter(|part| !part.is_empty())
}

fn matches(pattern: &[Segment], parts: &[&str]) -> bool {
    // Paths times segments: each pair is decided once.
    let mut reach = vec![false; parts.len() + 1];
    reach[0] = true;
    for segment in pattern {
        let mut next = vec![false; parts.len() + 1];
        for at in 0..=parts.len() {
            if !reach[at] {
                continue;
            }
            match segment {
                Segment::Rest => next[at..].iter_mut().for_each(|slot| *slot = true),
                Segment::Optional => {
                    next[at] = true;
                    if at < parts.len() {
                        next[at + 1] = true;
                    }
                }
                one => {
                    if parts.get(at).is_some_and(|part| one.takes(part)) {
                        next[at + 1] = true;
                    }
                }
            }
        }
        reach = next;
    }
    reach[parts.len()]
}

/// A segment against text and holes, each hole at least one letter.
fn fits(pieces: &[Piece], part: &str) -> bool {
    let mut rest = part;
    let mut is_open = false;
    for (at, piece) in pieces.iter().enumerate() {
        match piece {
            Piece::Hole | Piece::Typed(_) => {
                let Some(first) = rest.chars().next() else { return false };
                rest = &rest[first.len_utf8()..];
                is_open = true;
            }
            Piece::Text(text) if is_open => {
                let is_last = at + 1 == pieces.len();
                let found = if is_last {
                    rest.ends_with(text.as_str()).then(|| rest.len() - text.len())
                } else {
                    rest.find(text.as_str())
                };
                let Some(found) = found else { return false };
                rest = &rest[found + text.len()..];
                is_open = false;
            }
            Piece::Text(text) => match rest.strip_prefix(text.as_str()) {
                Some(after) => rest = after,
                None => return false,
            },
        }
    }
    is_open || rest.is_empty()
}

struct Parser<'t> {
    rest: &'t str,
    /// Of the segment being read.
    pieces: Vec<Piece>,
    segments: Vec<Segment>,
}

impl<'t> Parser<'t> {
    /// Reads one thing; false at the end.
    fn step(&mut self) -> bool {
        let Some(c) = self.rest.chars().next() else { return false };
        let after = &self.rest[c.len_utf8()..];
        match c {
            '/' => {
                self.rest = after;
                self.end_segment();
            }
            '{' => self.braces(),
            '<' => self.angles(),
            '(' => self.group(),
            '[' => self.brackets(),
            '\\' => self.escape(),
            ':' if self.may_begin_name() && starts_name(after) => self.colon(),
            '*' => self.star(),
            '.' if after.starts_with(['*', '+']) => {
                self.rest = &after[1..];
                self.put(Segment::Rest);
            }
            '^' | '$' if after.is_empty() || self.pieces.is_empty() && c == '^' => {
                self.rest = after;
            }
            _ => {
                self.rest = after;
                self.text(c);
            }
        }
        true
    }

    fn text(&mut self, c: char) {
        match self.pieces.last_mut() {
            Some(Piece::Text(text)) => text.push(c),
            _ => self.pieces.push(Piece::Text(c.to_string())),
        }
    }

    fn hole(&mut self) {
        if !matches!(self.pieces.last(), Some(Piece::Hole | Piece::Typed(_))) {
            self.pieces.push(Piece::Hole);
        }
    }

    /// A hole for what a converter takes.
    fn converted(&mut self, converter: &str) {
        match ValueKind::of(converter) {
            Some(kind) if self.pieces.is_empty() => self.pieces.push(Piece::Typed(kind)),
            _ => self.hole(),
        }
    }

    /// A segment of its own, whatever was read of this one.
    fn put(&mut self, segment: Segment) {
        self.end_segment();
        if segment != Segment::Rest || self.segments.last() != Some(&Segment::Rest) {
            self.segments.push(segment);
        }
    }

    fn end_segment(&mut self) {
        let mut pieces = std::mem::take(&mut self.pieces);
        match pieces.as_mut_slice() {
            [] => {}
            [Piece::Hole] => self.segments.push(Segment::Hole),
            [Piece::Typed(kind)] => self.segments.push(Segment::Typed(*kind)),
            [Piece::Text(text)] => self.segments.push(Segment::Literal(std::mem::take(text))),
            _ => self.segments.push(Segment::Mixed(pieces)),
        }
    }

    /// A name after `:` or `*` begins a segment or follows a mark in it.
    fn may_begin_name(&self) -> bool {
        match self.pieces.last() {
            None | Some(Piece::Hole | Piece::Typed(_)) => true,
            Some(Piece::Text(text)) => !text.ends_with(|c: char| c.is_alphanumeric() || c == ':'),
        }
    }

    /// What is inside the brackets that begin here; all there is where they are not closed.
    fn inside(&mut self, open: char, close: char) -> &'t str {
        let mut depth = 0_usize;
        let mut is_escaped = false;
        for (at, c) in self.rest.char_indices() {
            if is_escaped {
                is_escaped = false;
            } else if c == '\\' {
                is_escaped = true;
            } else if c == open {
                depth += 1;
            } else if c == close {
                depth -= 1;
                if depth == 0 {
                    let inside = &self.rest[open.len_utf8()..at];
                    self.rest = &self.rest[at + close.len_utf8()..];
                    return inside;
                }
            }
        }
        let inside = &self.rest[open.len_utf8()..];
        self.rest = "";
        inside
    }

    /// `{id}`, `{id:[0-9]+}`, `{id:int}`, `{id?}`, `{*rest}`, `{rest...}`, `{$}`.
    fn braces(&mut self) {
        let inside = self.inside('{', '}').trim();
        let rule = inside.split_once(':').map_or("", |(_, rule)| rule.trim());
        let is_rest = inside.starts_with('*')
            || inside.ends_with("...")
            || matches!(rule, "path" | ".*" | ".+" | "*" | "**");
        if inside == "$" {
            return;
        }
        if is_rest {
            self.put(Segment::Rest);
        } else if inside.ends_with('?') || inside.split_once('=').is_some_and(|(_, v)| v.is_empty())
        {
            self.optional();
        } else {
            self.converted(rule);
        }
    }

    /// `<id>`, `<int:id>`, `<path:rest>`, `<rest..>`.
    fn angles(&mut self) {
        let inside = self.inside('<', '>').trim();
        let converter = inside.split_once(':').map_or("", |(converter, _)| converter.trim());
        if converter == "path" || inside.ends_with("..") {
            self.put(Segment::Rest);
        } else {
            self.converted(converter);
        }
    }

    /// A group of a regular expression, or what may be left out: `(.:format)`, `(/:id)`.
    fn group(&mut self) {
        let inside = self.inside('(', ')');
        let is_optional = self.quantifier();
        if let Some(rest) = inside.strip_prefix('/') {
            if starts_name(rest.trim_start_matches(':')) || rest.starts_with(['<', '{']) {
                self.put(Segment::Optional);
            }
        } else if inside.starts_with(".:") || inside.starts_with("\\.") && is_optional {
            // An ending that says the format.
        } else if inside.contains(".*") || inside.contains(".+") {
            self.put(Segment::Rest);
        } else if is_optional && self.pieces.is_empty() {
            self.optional();
        } else {
            self.hole();
        }
    }

    /// `[id]`, `[...rest]`, `[controller]`, `[^/]+`.
    fn brackets(&mut self) {
        let inside = self.inside('[', ']');
        self.quantifier();
        if inside.trim_start_matches('[').starts_with("...") {
            self.put(Segment::Rest);
        } else {
            self.hole();
        }
    }

    /// `\d+`, `\w+`, `\.`.
    fn escape(&mut self) {
        let mut chars = self.rest.chars();
        chars.next();
        let escaped = chars.next();
        self.rest = chars.as_str();
        match escaped {
            Some('d' | 'w' | 'S' | 'D' | 's' | 'h') => {
                self.quantifier();
                self.hole();
            }
            Some('A' | 'Z' | 'z' | 'b') | None => {}
            Some(c) => self.text(c),
        }
    }

    /// `:id`, `:id?`, `:id(\d+)`, `:rest*`.
    fn colon(&mut self) {
        self.rest = &self.rest[1..];
        self.name();
        if self.rest.starts_with('(') {
            let inside = self.inside('(', ')');
            if inside.contains(".*") {
                self.rest = self.rest.strip_prefix(['*', '+']).unwrap_or(self.rest);
                self.put(Segment::Rest);
                return;
            }
        }
        match self.rest.chars().next() {
            Some('?') => {
                self.rest = &self.rest[1..];
                self.optional();
            }
            Some('*' | '+') => {
                self.rest = &self.rest[1..];
                self.put(Segment::Rest);
            }
            _ => self.hole(),
        }
    }

    /// `*`, `**`, `*rest`.
    fn star(&mut self) {
        let after = self.rest.trim_start_matches('*');
        let is_double = self.rest.len() - after.len() > 1;
        let begins = self.pieces.is_empty();
        self.rest = after;
        let is_named = starts_name(after);
        if is_named {
            self.name();
        }
        let is_last = self.rest.is_empty();
        if begins && (is_double || is_named || is_last) {
            self.put(Segment::Rest);
        } else {
            self.hole();
        }
    }

    fn name(&mut self) {
        let end = self.rest.find(|c: char| !(c.is_alphanumeric() || c == '_'));
        self.rest = &self.rest[end.unwrap_or(self.rest.len())..];
    }

    /// `?`, `*`, `+`, `{2}` after a group; whether it may be left out.
    fn quantifier(&mut self) -> bool {
        let c = self.rest.chars().next();
        match c {
            Some('?' | '*') => {
                self.rest = &self.rest[1..];
                true
            }
            Some('+') => {
                self.rest = &self.rest[1..];
                false
            }
            Some('{') if self.rest[1..].starts_with(|c: char| c.is_ascii_digit()) => {
                self.inside('{', '}');
                false
            }
            _ => false,
        }
    }

    fn optional(&mut self) {
        if self.pieces.is_empty() { self.put(Segment::Optional) } else { self.hole() }
    }
}

fn starts_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn canonical(text: &str) -> String {
        Pattern::parse(text).canonical()
    }

    #[test]
    fn frameworks_write_the_same_pattern_differently() {
        for text in [
            "/users/{id}",
            "/users/:id",
            "/users/<int:id>",
            "/users/<id>/",
            "users/<int:id>/",
            "^users/(?P<id>\\d+)/$",
            "^/users/([^/]+)$",
            "/users/{id:[0-9]+}",
            "/users/{id:int}",
            "/users/[id]",
            "/users/:id(\\d+)",
            "/users/:id(.:format)",
            "users/{id:regex(^\\d{{3}}$)}",
            "/users/\\d+",
        ] {
            assert_eq!(canonical(text), "/users/{}", "{text}");
        }
        for text in [
            "/files/{*path}",
            "/files/{path...}",
            "/files/*path",
            "/files/*",
            "/files/**",
            "/files/<path:name>",
            "/files/{name:path}",
            "/files/{name:.*}",
            "/files/[...slug]",
            "/files/:rest*",
            "/files/<rest..>",
            "^files/(.*)$",
            "/files/(.*)",
        ] {
            assert_eq!(canonical(text), "/files/{*}", "{text}");
        }
        assert_eq!(canonical("/posts/{id?}"), "/posts/{?}");
        assert_eq!(canonical("/posts/:id?"), "/posts/{?}");
        assert_eq!(canonical("/posts(/:id)"), "/posts/{?}");
        assert_eq!(canonical("/reports/report-{id}.pdf"), "/reports/report-{}.pdf");
        assert_eq!(canonical("/v1/things:batchGet"), "/v1/things:batchGet");
        assert_eq!(canonical("{baseUrl}/product/{id}"), "/{?}/product/{}");
        assert_eq!(canonical("/{$}"), "/");
        assert_eq!(canonical(""), "/");
    }

    #[test]
    fn paths_match_by_shape_and_the_literal_pattern_wins() {
        let me = Pattern::parse("/users/me");
        let one = Pattern::parse("/users/<id>");
        let rest = Pattern::parse("/users/*");
        assert!(me.matches("/users/me?x=1") && one.matches("/users/me") && rest.matches("/users"));
        assert!(one.matches("/users/12/") && !one.matches("/users/12/posts"));
        assert_eq!(me.compare_specificity(&one), Ordering::Greater);
        assert_eq!(one.compare_specificity(&rest), Ordering::Greater);
        let file = Pattern::parse("/reports/report-{id}.pdf");
        assert!(file.matches("/reports/report-7.pdf") && !file.matches("/reports/report-.pdf"));
        assert!(Pattern::parse("/posts/{id?}").matches("/posts"));
        assert!(Pattern::parse("{baseUrl}/").matches("/"));
        assert!(Pattern::parse("{baseUrl}/cart").matches("/shop/cart"));
        assert!(Pattern::parse("/").matches("/") && !Pattern::parse("/").matches("/x"));
        assert!(Pattern::parse("/items/{id}").is_end_of(&Pattern::parse("/api/v1/items/:id")));
        assert!(!Pattern::parse("/{id}").is_end_of(&Pattern::parse("/api/v1/items/:id")));
    }

    #[test]
    fn converters_take_their_values_alone() {
        for (pattern, path, expected) in [
            ("/orders/<int:order_id>", "/orders/12", true),
            ("/orders/<int:order_id>", "/orders/notanint", false),
            ("/orders/<int(signed=True):id>", "/orders/-12", true),
            ("/orders/{id:int}", "/orders/x", false),
            ("/orders/{id:int:min(1)}", "/orders/7", true),
            ("/prices/<float:at>", "/prices/1.25", true),
            ("/prices/<float:at>", "/prices/one", false),
            ("/users/<uuid:id>", "/users/0b9c1d7e-8c3f-4f57-9a55-0f3c0f0e9a11", true),
            ("/users/{id:uuid}", "/users/me", false),
            ("/files/<path:name>", "/files/a/b", true),
            ("/tags/<string:tag>", "/tags/x", true),
            ("/tags/<slug:tag>", "/tags/x-y", true),
            // What a path was made a pattern of may be any value.
            ("/orders/<int:order_id>", "/orders/{}", true),
            ("/orders/o-<int:id>.pdf", "/orders/o-7.pdf", true),
        ] {
            assert_eq!(Pattern::parse(pattern).matches(path), expected, "{pattern} {path}");
        }
        assert!(Pattern::parse("/items/<int:id>").is_end_of(&Pattern::parse("/api/items/:id")));
        assert!(Pattern::parse("/items/:id").is_end_of(&Pattern::parse("/api/items/<int:id>")));
    }

    proptest! {
        #[test]
        fn any_text_is_a_pattern_and_a_path(text in "\\PC{0,60}", path in "\\PC{0,60}") {
            let pattern = Pattern::parse(&text);
            pattern.matches(&path);
            pattern.matches(&text);
        }

        #[test]
        fn brackets_of_all_kinds_are_survived(text in "[/{}<>()\\[\\]:*?+.\\\\^$a1]{0,40}") {
            Pattern::parse(&text).matches("/a/1");
        }

        #[test]
        fn a_canonical_pattern_stays_as_it_is(text in "(/[a-z]{1,5}|/\\{[a-z]\\}|/:[a-z]){0,6}") {
            let once = canonical(&text);
            prop_assert_eq!(canonical(&once), once);
        }
    }
}
