//! Checks one setting: is this what the key may hold?

use super::keys::{Key, Kind, Value};
use super::tree::Content;
use model::suggest::nearest;
use model::{Error, ErrorCode, Result};

/// A value from a file. Paths are still as written.
pub fn parse_content(key: &Key, content: &Content) -> Result<Value> {
    match (key.kind, content) {
        (Kind::Flag, Content::Flag(flag)) => Ok(Value::Flag(*flag)),
        (Kind::Count { .. } | Kind::Rate { .. }, Content::Integer(number)) => {
            check_number(key, *number as f64)
        }
        (Kind::Count { .. } | Kind::Rate { .. }, Content::Float(number)) => {
            check_number(key, *number)
        }
        (
            Kind::Text | Kind::Url | Kind::Path | Kind::Hours | Kind::Choice(_),
            Content::Text(text),
        ) => check_text(key, text),
        (kind, content) => {
            Err(invalid(key, &format!("must be {}, not {}", noun(kind), content.noun())))
        }
    }
}

/// A value from a variable or a flag, where everything is text.
pub fn parse_text(key: &Key, text: &str) -> Result<Value> {
    let text = text.trim();
    match key.kind {
        Kind::Flag => match text.to_ascii_lowercase().as_str() {
            "true" | "1" | "yes" | "on" => Ok(Value::Flag(true)),
            "false" | "0" | "no" | "off" => Ok(Value::Flag(false)),
            _ => Err(invalid(key, &format!("must be true or false, not `{}`", shown(text)))),
        },
        Kind::Count { .. } | Kind::Rate { .. } => match text.parse::<f64>() {
            Ok(number) => check_number(key, number),
            Err(_) => Err(invalid(key, &format!("must be a number, not `{}`", shown(text)))),
        },
        _ => check_text(key, text),
    }
}

fn check_number(key: &Key, number: f64) -> Result<Value> {
    match key.kind {
        Kind::Count { min, max } => {
            let is_inside = number.fract() == 0.0 && number >= min as f64 && number <= max as f64;
            if is_inside {
                Ok(Value::Count(number as u64))
            } else {
                Err(invalid(
                    key,
                    &format!("must be a whole number from {min} to {max}, not {number}"),
                ))
            }
        }
        Kind::Rate { max } if number > 0.0 && number <= max => Ok(Value::Rate(number)),
        Kind::Rate { max } => {
            Err(invalid(key, &format!("must be more than 0 and at most {max}, not {number}")))
        }
        _ => Err(invalid(key, "is not a number")),
    }
}

fn check_text(key: &Key, text: &str) -> Result<Value> {
    if text.trim().is_empty() {
        return Err(invalid(key, "must not be empty"));
    }
    if text.chars().any(char::is_control) {
        return Err(invalid(key, "must not hold control characters"));
    }
    match key.kind {
        Kind::Choice(choices) => check_choice(key, choices, text),
        Kind::Url => check_url(key, text),
        Kind::Path => Ok(Value::Path(text.into())),
        Kind::Hours if hours(text).is_none() => Err(invalid(
            key,
            &format!("must be two different hours from 0 to 23, not `{}`", shown(text)),
        )
        .suggest("write them as 22-7")),
        _ => Ok(Value::Text(text.to_owned())),
    }
}

/// `22-7` as its two hours.
pub fn hours(text: &str) -> Option<(u8, u8)> {
    let hour = |text: &str| text.trim().parse::<u8>().ok().filter(|hour| *hour < 24);
    let (from, to) = text.split_once('-')?;
    Some((hour(from)?, hour(to)?)).filter(|(from, to)| from != to)
}

fn check_choice(key: &Key, choices: &[&'static str], text: &str) -> Result<Value> {
    if choices.contains(&text) {
        return Ok(Value::Text(text.to_owned()));
    }
    let error =
        invalid(key, &format!("must be one of {}, not `{}`", choices.join(", "), shown(text)));
    Err(match nearest(text, choices.iter().copied(), 1).first() {
        Some(near) => error.suggest(format!("did you mean `{near}`?")),
        None => error,
    })
}

/// Enough to catch what people get wrong; the client parses it in full.
fn check_url(key: &Key, text: &str) -> Result<Value> {
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    let authority = rest.map(|rest| rest.split(['/', '?', '#']).next().unwrap_or_default());
    match authority {
        Some(authority) if authority.contains('@') => {
            // A password here would end up in the database and in output.
            Err(invalid(key, "must not hold a user name or password")
                .suggest("name the token with gitlab.token_env_var or gitlab.token_file"))
        }
        Some(authority) if !authority.is_empty() && !text.contains(char::is_whitespace) => {
            Ok(Value::Text(text.trim_end_matches('/').to_owned()))
        }
        _ => Err(invalid(
            key,
            &format!("must begin with https:// or http://, not `{}`", shown(text)),
        )
        .suggest(format!("write it as https://{}", shown(text.trim_start_matches('/'))))),
    }
}

fn noun(kind: Kind) -> &'static str {
    match kind {
        Kind::Text | Kind::Url | Kind::Path | Kind::Hours | Kind::Choice(_) => "text",
        Kind::Count { .. } | Kind::Rate { .. } => "a number",
        Kind::Flag => "true or false",
    }
}

fn shown(text: &str) -> String {
    model::text::one_line(text, 60)
}

fn invalid(key: &Key, problem: &str) -> Error {
    Error::new(ErrorCode::ConfigInvalid, format!("`{}` {problem}", key.name))
}

#[cfg(test)]
mod tests {
    use super::super::keys;
    use super::*;

    fn refusal(name: &str, text: &str) -> String {
        parse_text(keys::find(name).unwrap(), text).unwrap_err().message().to_owned()
    }

    #[test]
    fn values_are_held_to_their_kind() {
        assert_eq!(
            refusal("sync.concurrency", "0"),
            "`sync.concurrency` must be a whole number from 1 to 64, not 0"
        );
        assert_eq!(
            refusal("sync.concurrency", "many"),
            "`sync.concurrency` must be a number, not `many`"
        );
        assert_eq!(
            refusal("sync.requests_per_second", "-1"),
            "`sync.requests_per_second` must be more than 0 and at most 1000, not -1"
        );
        assert_eq!(
            refusal("sync.requests_per_second", "NaN"),
            "`sync.requests_per_second` must be more than 0 and at most 1000, not NaN"
        );
        assert_eq!(
            refusal("gitlab.base_url", "gitlab.com"),
            "`gitlab.base_url` must begin with https:// or http://, not `gitlab.com`"
        );
        assert_eq!(
            refusal("gitlab.base_url", "https://me:pw@gitlab.com"),
            "`gitlab.base_url` must not hold a user name or password"
        );
        assert_eq!(
            refusal("embedding.provider", "olama"),
            "`embedding.provider` must be one of builtin, ollama, none, not `olama`"
        );
        assert_eq!(
            refusal("gitlab.token_env_var", " "),
            "`gitlab.token_env_var` must not be empty"
        );
    }

    #[test]
    fn quiet_hours_are_hours_of_a_day() {
        for wrong in ["25-99", "22", "22-", "-1-7", "7-7", "10pm-7am"] {
            assert_eq!(
                refusal("daemon.quiet_hours", wrong),
                format!(
                    "`daemon.quiet_hours` must be two different hours from 0 to 23, not `{wrong}`"
                )
            );
        }
        assert_eq!((hours("22-7"), hours("0 - 23")), (Some((22, 7)), Some((0, 23))));
    }

    #[test]
    fn addresses_lose_their_trailing_slash() {
        let key = keys::find("gitlab.base_url").unwrap();
        assert_eq!(
            parse_text(key, "https://gl.example/sub/").unwrap(),
            Value::Text("https://gl.example/sub".into())
        );
    }
}
