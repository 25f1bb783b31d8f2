//! Paths as patterns, so that no id ever becomes a node.
//!
//! A path that a known route matches is that route. Of others, segments that look
//! like ids become holes; and where a place has had too many different children
//! already, whatever comes next there is a hole too.

use model::route::{Pattern, path_segments};
use rustc_hash::{FxHashMap, FxHashSet};

/// The routes of one service, as code declares them.
#[derive(Debug, Clone, Default)]
pub struct ServiceRoutes {
    routes: Vec<KnownRoute>,
}

#[derive(Debug, Clone)]
struct KnownRoute {
    /// `ANY` where the code does not say.
    method: String,
    text: String,
    pattern: Pattern,
}

impl ServiceRoutes {
    pub fn add(&mut self, method: &str, pattern: &str) {
        let (method, text) = (method.to_owned(), pattern.to_owned());
        self.routes.push(KnownRoute { method, text, pattern: Pattern::parse(pattern) });
    }

    /// The most literal pattern that a request matches.
    pub fn find(&self, method: &str, path: &str) -> Option<&str> {
        let is_method = |route: &&KnownRoute| {
            let known = route.method.as_str();
            known == method || known == "ANY" || (method == "HEAD" && known == "GET")
        };
        let fitting = self.routes.iter().filter(is_method).filter(|it| it.pattern.matches(path));
        // A pattern of holes alone matches everything that is as long.
        let fitting = fitting
            .filter(|it| it.pattern.n_literals() > 0 || path_segments(path).next().is_none());
        fitting.max_by(|a, b| a.pattern.compare_specificity(&b.pattern)).map(|it| it.text.as_str())
    }
}

/// Children of one place that are told apart; more of them are values.
const MOST_CHILDREN: usize = 24;
const MOST_SEGMENTS: usize = 12;
/// Places that are counted; beyond, everything new is a hole.
const MOST_PLACES: usize = 50_000;

/// Makes patterns of paths that no route matches.
#[derive(Debug, Default)]
pub struct Templates {
    children: FxHashMap<String, FxHashSet<String>>,
}

impl Templates {
    /// The pattern of a path below an owner (a service or a host).
    pub fn pattern(&mut self, owner: &str, path: &str) -> String {
        let mut pattern = String::new();
        let mut place = owner.to_owned();
        for (n, segment) in path_segments(path).enumerate() {
            if n == MOST_SEGMENTS {
                pattern.push_str("/{*}");
                break;
            }
            let segment = match hole_of(segment) {
                Some(hole) => hole,
                None => self.child(&place, segment),
            };
            pattern.push('/');
            pattern.push_str(&segment);
            place.push('/');
            place.push_str(&segment);
        }
        if pattern.is_empty() { "/".to_owned() } else { pattern }
    }

    fn child(&mut self, place: &str, segment: &str) -> String {
        let is_full = self.children.len() >= MOST_PLACES;
        let children = match self.children.get_mut(place) {
            Some(children) => children,
            None if is_full => return "{}".to_owned(),
            None => self.children.entry(place.to_owned()).or_default(),
        };
        if children.contains(segment) {
            return segment.to_owned();
        }
        if children.len() >= MOST_CHILDREN {
            return "{}".to_owned();
        }
        children.insert(segment.to_owned());
        segment.to_owned()
    }
}

/// A segment that is a value, as a hole; what ends it (`.json`) stays.
fn hole_of(segment: &str) -> Option<String> {
    if segment.starts_with('{') && segment.ends_with('}') {
        return Some(segment.to_owned());
    }
    let (stem, ending) = match segment.rsplit_once('.') {
        Some((stem, ending))
            if is_file_ending(ending) && !stem.is_empty() && !stem.contains('@') =>
        {
            (stem, Some(ending))
        }
        _ => (segment, None),
    };
    looks_like_value(stem)
        .then(|| ending.map_or("{}".to_owned(), |ending| format!("{{}}.{ending}")))
}

fn is_file_ending(text: &str) -> bool {
    (1..=5).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && text.bytes().any(|byte| byte.is_ascii_alphabetic())
}

fn looks_like_value(text: &str) -> bool {
    let n_digits = text.bytes().filter(u8::is_ascii_digit).count();
    let is_number = n_digits > 0
        && text.bytes().all(|byte| byte.is_ascii_digit() || b"-_.:,T+Z".contains(&byte));
    let is_hex = text.len() >= 8
        && n_digits > 0
        && text.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
    let is_token = n_digits > 2 && text.len() >= 16;
    // `user-1234`, `INV2024001`: a word and a number.
    let ends_in_number =
        text.len() - text.trim_end_matches(|c: char| c.is_ascii_digit()).len() >= 3;
    is_number
        || is_hex
        || is_token
        || ends_in_number
        || text.len() > 40
        || text.contains(['@', '%', '=', '~', '"', '<', '\\'])
        || !text.is_ascii()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn ids_become_holes_and_words_stay() {
        let mut templates = Templates::default();
        for (path, expected) in [
            ("/users/42", "/users/{}"),
            ("/users/42/posts?page=2", "/users/{}/posts"),
            ("/o/3f2504e0-4f89-11d3-9a0c-0305e82c3301", "/o/{}"),
            ("/commit/9fceb02d0ae5", "/commit/{}"),
            ("/report/2024-01-31.pdf", "/report/{}.pdf"),
            ("/api/v1/items", "/api/v1/items"),
            ("/product/OLJCESPC7Z", "/product/OLJCESPC7Z"),
            ("/product/sku-10023", "/product/{}"),
            ("/u/anna@example.com", "/u/{}"),
            ("/static/app.js", "/static/app.js"),
            ("/a//b/", "/a/b"),
            ("", "/"),
        ] {
            assert_eq!(templates.pattern("s", path), expected, "{path}");
        }
    }

    #[test]
    fn names_become_a_hole_once_there_are_many() {
        let mut templates = Templates::default();
        let patterns: std::collections::BTreeSet<String> =
            (0..10_000).map(|n| templates.pattern("s", &format!("/people/{}", word(n)))).collect();
        assert!(patterns.len() <= MOST_CHILDREN + 1, "{}", patterns.len());
        assert_eq!(templates.pattern("s", "/people/somebody-else/posts"), "/people/{}/posts");
    }

    fn word(mut n: u32) -> String {
        let mut word = String::new();
        for _ in 0..5 {
            word.push(char::from(b'a' + (n % 26) as u8));
            n /= 26;
        }
        word
    }

    #[test]
    fn the_most_literal_known_route_is_taken() {
        let mut routes = ServiceRoutes::default();
        for (method, pattern) in [
            ("GET", "/users/<int:id>"),
            ("GET", "/users/me"),
            ("ANY", "/files/{*rest}"),
            ("GET", "/{a}"),
        ] {
            routes.add(method, pattern);
        }
        assert_eq!(routes.find("GET", "/users/7"), Some("/users/<int:id>"));
        assert_eq!(routes.find("GET", "/users/me"), Some("/users/me"));
        assert_eq!(routes.find("HEAD", "/users/me"), Some("/users/me"));
        assert_eq!(routes.find("POST", "/users/me"), None);
        assert_eq!(routes.find("PUT", "/files/a/b"), Some("/files/{*rest}"));
        assert_eq!(routes.find("GET", "/anything"), None);
    }

    proptest! {
        #[test]
        fn any_path_has_a_short_pattern(path in "\\PC{0,200}") {
            let mut templates = Templates::default();
            let pattern = templates.pattern("s", &path);
            prop_assert!(pattern.starts_with('/'));
            prop_assert!(path_segments(&pattern).count() <= MOST_SEGMENTS + 1);
        }
    }
}
