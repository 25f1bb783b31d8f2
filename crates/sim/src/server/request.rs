//! A request taken apart: path segments and parameters, decoded.

use super::reply::Reply;
use model::Timestamp;
use std::fmt::Write as _;

#[derive(Debug, Clone)]
pub struct Request {
    /// Below `/api/v4`, each segment decoded on its own.
    pub segments: Vec<String>,
    /// As they came, for the `Location` of a redirect.
    pub raw_segments: Vec<String>,
    pub raw_query: String,
    pub params: Params,
    pub is_get: bool,
    /// `POST`, `PUT` and so on.
    pub method: String,
    pub body: Vec<u8>,
}

impl Request {
    /// `None`: not below `/api/v4`.
    pub fn parse(method: &str, path_and_query: &str) -> Option<Request> {
        let (path, query) = path_and_query.split_once('?').unwrap_or((path_and_query, ""));
        let below = path.strip_prefix("/api/v4")?.trim_matches('/');
        let raw_segments: Vec<String> = below.split('/').map(ToOwned::to_owned).collect();
        Some(Request {
            segments: raw_segments.iter().map(|segment| decode(segment, false)).collect(),
            raw_segments,
            raw_query: query.to_owned(),
            params: Params::parse(query),
            is_get: matches!(method, "GET" | "HEAD"),
            method: method.to_owned(),
            body: Vec::new(),
        })
    }

    /// The kind of endpoint, for counting: `projects/:id/issues/:iid/notes`.
    pub fn class(&self) -> String {
        let mut class = String::new();
        let mut previous = "";
        for (index, segment) in self.segments.iter().enumerate() {
            if index > 0 {
                class.push('/');
            }
            let is_name = previous != "projects"
                && segment.chars().all(|c| c.is_ascii_lowercase() || c == '_');
            class.push_str(match (is_name, index) {
                (true, _) => segment,
                (false, 1) => ":id",
                (false, 3) => ":iid",
                (false, _) => ":sub_id",
            });
            previous = segment;
        }
        class
    }
}

/// Query parameters in order; GitLab takes the last of repeated ones.
#[derive(Debug, Clone, Default)]
pub struct Params(pub Vec<(String, String)>);

impl Params {
    fn parse(query: &str) -> Params {
        let pairs = query.split('&').filter(|pair| !pair.is_empty()).map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            (decode(name, true), decode(value, true))
        });
        Params(pairs.collect())
    }

    pub fn get(&self, name: &str) -> Option<&str> {
        self.0
            .iter()
            .rev()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value.as_str())
            .filter(|value| !value.is_empty())
    }

    /// `iids[]=1&iids[]=2`.
    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.0
            .iter()
            .filter(move |(key, _)| key.strip_suffix("[]").unwrap_or(key) == name)
            .map(|(_, value)| value.as_str())
    }

    pub fn choice(&self, name: &str, allowed: &[&str]) -> Result<Option<&str>, Reply> {
        match self.get(name) {
            Some(value) if !allowed.contains(&value) => Err(Reply::bad_param(name)),
            value => Ok(value),
        }
    }

    pub fn flag(&self, name: &str) -> Result<bool, Reply> {
        match self.get(name) {
            None | Some("false" | "0" | "f") => Ok(false),
            Some("true" | "1" | "t") => Ok(true),
            Some(_) => Err(Reply::invalid_param(name)),
        }
    }

    pub fn number(&self, name: &str) -> Result<Option<i64>, Reply> {
        let parse = |value: &str| value.parse().map_err(|_| Reply::invalid_param(name));
        self.get(name).map(parse).transpose()
    }

    /// ISO 8601: a time with offset, or a plain date.
    pub fn time(&self, name: &str) -> Result<Option<Timestamp>, Reply> {
        let Some(value) = self.get(name) else { return Ok(None) };
        // A `+` that was not encoded arrives as a space.
        let value = value.replace(' ', "+");
        let with_time = if value.len() == 10 { format!("{value}T00:00:00Z") } else { value };
        Timestamp::parse_rfc3339(&with_time).map(Some).map_err(|_| Reply::invalid_param(name))
    }
}

fn decode(text: &str, plus_is_space: bool) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let escaped = text.get(at + 1..at + 3).and_then(|hex| u8::from_str_radix(hex, 16).ok());
        match (bytes[at], escaped) {
            (b'%', Some(byte)) => {
                out.push(byte);
                at += 3;
                continue;
            }
            (b'+', _) if plus_is_space => out.push(b' '),
            (byte, _) => out.push(byte),
        }
        at += 1;
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// For query strings; also escapes `/`, as GitLab does in `Link`.
pub fn encode(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'~') {
            out.push(byte as char);
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_project_path_is_one_segment() {
        let request = Request::parse(
            "GET",
            "/api/v4/projects/group%2Fsub%2Fproj/issues?iids[]=1&iids%5B%5D=2&x=a+b",
        )
        .unwrap();
        assert_eq!(request.segments, ["projects", "group/sub/proj", "issues"]);
        assert_eq!(request.params.all("iids").collect::<Vec<_>>(), ["1", "2"]);
        assert_eq!(request.params.get("x"), Some("a b"));
        assert_eq!(request.class(), "projects/:id/issues");
        assert!(Request::parse("GET", "/index.html").is_none());
    }

    #[test]
    fn classes_hide_the_numbers() {
        let class = |path: &str| Request::parse("GET", path).unwrap().class();
        assert_eq!(class("/api/v4/user"), "user");
        assert_eq!(class("/api/v4/projects/7"), "projects/:id");
        assert_eq!(
            class("/api/v4/projects/7/merge_requests/3/discussions"),
            "projects/:id/merge_requests/:iid/discussions"
        );
        assert_eq!(
            class("/api/v4/projects/issues/issues/3/notes/9"),
            "projects/:id/issues/:iid/notes/:sub_id"
        );
    }

    #[test]
    fn broken_escapes_do_not_panic() {
        for text in ["%", "%z", "%zz", "%e9", "a%2", "é%2é"] {
            let _ = decode(text, true);
        }
        assert_eq!(encode("a/b c"), "a%2Fb%20c");
    }
}
