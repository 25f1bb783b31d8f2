//! Instants, the clock, and the ways people write "since when".
//!
//! lore keeps time as whole milliseconds since 1970 in UTC: the precision of
//! GitLab's API, comparable as a plain integer in SQL.

use crate::error::{Error, Result};
use jiff::{ToSpan, Unit, Zoned, civil, tz::TimeZone};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

/// The only source of "now". Everything below `cli` takes it as an argument.
pub trait Clock: Send + Sync {
    fn now(&self) -> Timestamp;
}

/// A clock that stands still, for tests and the demo.
#[derive(Debug, Clone, Copy)]
pub struct FixedClock(pub Timestamp);

impl Clock for FixedClock {
    fn now(&self) -> Timestamp {
        self.0
    }
}

/// Milliseconds since 1970-01-01T00:00:00Z. Written as RFC 3339.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Timestamp(i64);

impl Timestamp {
    pub const EPOCH: Timestamp = Timestamp(0);
    /// 9999-12-30, the last day that still formats with four digits everywhere.
    const MAX_MILLIS: i64 = 253_402_207_200_000;

    /// Milliseconds are clamped to the years 0001–9999, so that a nonsense
    /// date from outside can never make formatting fail.
    pub fn from_millis(millis: i64) -> Self {
        const MIN_MILLIS: i64 = -62_135_510_400_000;
        Timestamp(millis.clamp(MIN_MILLIS, Self::MAX_MILLIS))
    }

    pub const fn as_millis(self) -> i64 {
        self.0
    }

    /// Reads RFC 3339 with any offset and precision; finer than a millisecond
    /// is cut off, as GitLab does.
    pub fn parse_rfc3339(text: &str) -> Result<Self> {
        let instant: jiff::Timestamp = text.trim().parse().map_err(|_| {
            Error::usage(format!("`{}` is not an RFC 3339 time", crate::text::one_line(text, 60)))
                .suggest("write it as 2024-01-31T12:00:00Z")
        })?;
        Ok(Timestamp::from_millis(
            instant.as_second() * 1000 + i64::from(instant.subsec_millisecond()),
        ))
    }

    /// `2024-01-31T12:00:00.123Z`: always UTC, always three decimals.
    pub fn to_rfc3339(self) -> String {
        format!("{:.3}", self.to_jiff())
    }

    /// `2024-01-31`, in UTC.
    pub fn to_date(self) -> String {
        self.to_jiff().to_zoned(TimeZone::UTC).date().to_string()
    }

    /// `2024-01-31 12:00`, in UTC.
    pub fn to_minute(self) -> String {
        self.to_jiff().to_zoned(TimeZone::UTC).strftime("%Y-%m-%d %H:%M").to_string()
    }

    pub fn plus(self, duration: Duration) -> Self {
        Timestamp::from_millis(self.0.saturating_add(duration.as_millis() as i64))
    }

    pub fn minus(self, duration: Duration) -> Self {
        Timestamp::from_millis(self.0.saturating_sub(duration.as_millis() as i64))
    }

    /// Time passed since `earlier`; zero when `earlier` is in the future.
    pub fn since(self, earlier: Timestamp) -> Duration {
        Duration::from_millis(self.0.saturating_sub(earlier.0).max(0) as u64)
    }

    /// "3 days ago", "in 2 hours", "just now".
    pub fn relative_to(self, now: Timestamp) -> String {
        let (distance, is_past) =
            if self.0 <= now.0 { (now.0 - self.0, true) } else { (self.0 - now.0, false) };
        let seconds = distance / 1000;
        const STEPS: [(i64, &str); 6] = [
            (365 * 86_400, "year"),
            (30 * 86_400, "month"),
            (7 * 86_400, "week"),
            (86_400, "day"),
            (3600, "hour"),
            (60, "minute"),
        ];
        for (length, name) in STEPS {
            let count = seconds / length;
            if count >= 1 {
                let plural = if count == 1 { "" } else { "s" };
                return if is_past {
                    format!("{count} {name}{plural} ago")
                } else {
                    format!("in {count} {name}{plural}")
                };
            }
        }
        "just now".to_owned()
    }

    fn to_jiff(self) -> jiff::Timestamp {
        jiff::Timestamp::from_millisecond(self.0).unwrap_or(jiff::Timestamp::UNIX_EPOCH)
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.to_rfc3339())
    }
}

impl fmt::Debug for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.to_rfc3339())
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.to_rfc3339())
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<'de, str>::deserialize(deserializer)?;
        Timestamp::parse_rfc3339(&text).map_err(|error| de::Error::custom(error.message()))
    }
}

impl JsonSchema for Timestamp {
    fn schema_name() -> Cow<'static, str> {
        "Timestamp".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        schemars::json_schema!({
            "type": "string",
            "format": "date-time",
            "description": "RFC 3339 in UTC with milliseconds"
        })
    }
}

/// A point in time as people type it: `7d`, `2w`, `1m` (a month), `1y`,
/// `2024-01-31`, or RFC 3339.
pub fn parse_when(text: &str, now: Timestamp) -> Result<Timestamp> {
    let text = text.trim();
    if let Some(instant) = relative(text, now) {
        return Ok(instant);
    }
    if let Ok(date) = text.parse::<civil::Date>()
        && text.len() == 10
        && let Ok(midnight) = date.to_zoned(TimeZone::UTC)
    {
        return Ok(Timestamp::from_millis(midnight.timestamp().as_millisecond()));
    }
    Timestamp::parse_rfc3339(text).map_err(|_| {
        Error::usage(format!("`{}` is not a time lore knows", crate::text::one_line(text, 40)))
            .suggest("use 7d, 2w, 1m, 1y, 2024-01-31 or 2024-01-31T12:00:00Z")
    })
}

/// Months and years are calendar steps: `1m` before 31 March is 28 or 29 February.
fn relative(text: &str, now: Timestamp) -> Option<Timestamp> {
    let unit = text.chars().last()?;
    let count: i64 = text.strip_suffix(unit)?.parse().ok()?;
    if !(0..=100_000).contains(&count) {
        return None;
    }
    let now: Zoned = now.to_jiff().to_zoned(TimeZone::UTC);
    let span = match unit {
        'h' => count.try_hours(),
        'd' => count.try_days(),
        'w' => count.try_weeks(),
        'm' => count.try_months(),
        'y' => count.try_years(),
        _ => return None,
    }
    .ok()?;
    let then = now.checked_sub(span).ok()?;
    Some(Timestamp::from_millis(then.timestamp().round(Unit::Millisecond).ok()?.as_millisecond()))
}

/// Checked span constructors by unit, so that a huge count is refused, not a panic.
trait TrySpan {
    fn try_hours(self) -> Result<jiff::Span, jiff::Error>;
    fn try_days(self) -> Result<jiff::Span, jiff::Error>;
    fn try_weeks(self) -> Result<jiff::Span, jiff::Error>;
    fn try_months(self) -> Result<jiff::Span, jiff::Error>;
    fn try_years(self) -> Result<jiff::Span, jiff::Error>;
}

impl TrySpan for i64 {
    fn try_hours(self) -> Result<jiff::Span, jiff::Error> {
        0.seconds().try_hours(self)
    }
    fn try_days(self) -> Result<jiff::Span, jiff::Error> {
        0.seconds().try_days(self)
    }
    fn try_weeks(self) -> Result<jiff::Span, jiff::Error> {
        0.seconds().try_weeks(self)
    }
    fn try_months(self) -> Result<jiff::Span, jiff::Error> {
        0.seconds().try_months(self)
    }
    fn try_years(self) -> Result<jiff::Span, jiff::Error> {
        0.seconds().try_years(self)
    }
}

/// "1m 05s", "2h 03m", "850ms": a duration for people.
pub fn human_duration(duration: Duration) -> String {
    let seconds = duration.as_secs();
    match seconds {
        0 => format!("{}ms", duration.as_millis()),
        1..60 => format!("{:.1}s", duration.as_secs_f64()),
        60..3600 => format!("{}m {:02}s", seconds / 60, seconds % 60),
        _ => format!("{}h {:02}m", seconds / 3600, seconds % 3600 / 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn at(text: &str) -> Timestamp {
        Timestamp::parse_rfc3339(text).unwrap()
    }

    #[test]
    fn people_write_time_in_many_ways() {
        let now = at("2024-03-31T12:00:00Z");
        for (typed, meant) in [
            ("7d", "2024-03-24T12:00:00.000Z"),
            ("2w", "2024-03-17T12:00:00.000Z"),
            ("1m", "2024-02-29T12:00:00.000Z"),
            ("6m", "2023-09-30T12:00:00.000Z"),
            ("1y", "2023-03-31T12:00:00.000Z"),
            ("24h", "2024-03-30T12:00:00.000Z"),
            ("2024-01-01", "2024-01-01T00:00:00.000Z"),
            ("2024-01-01T10:00:00+02:00", "2024-01-01T08:00:00.000Z"),
            (" 7d ", "2024-03-24T12:00:00.000Z"),
        ] {
            assert_eq!(parse_when(typed, now).unwrap().to_rfc3339(), meant, "{typed}");
        }
    }

    #[test]
    fn nonsense_is_refused_with_the_forms_that_work() {
        let now = at("2024-03-31T12:00:00Z");
        for typed in
            ["", "d", "-7d", "7x", "yesterday", "2024-13-01", "99999999999999d", "7d\u{1b}"]
        {
            let error = parse_when(typed, now).unwrap_err();
            assert_eq!(error.code(), crate::ErrorCode::Usage, "{typed:?}");
            assert!(error.suggestion().unwrap().contains("2w"), "{typed:?}");
        }
    }

    #[test]
    fn relative_dates_read_naturally() {
        let now = at("2024-03-31T12:00:00Z");
        for (then, words) in [
            ("2024-03-31T11:59:30Z", "just now"),
            ("2024-03-31T11:00:00Z", "1 hour ago"),
            ("2024-03-29T11:00:00Z", "2 days ago"),
            ("2022-03-29T11:00:00Z", "2 years ago"),
            ("2024-04-02T13:00:00Z", "in 2 days"),
        ] {
            assert_eq!(at(then).relative_to(now), words);
        }
    }

    #[test]
    fn finer_than_a_millisecond_is_cut_not_rounded() {
        assert_eq!(at("2019-11-28T08:45:44.987999Z").to_rfc3339(), "2019-11-28T08:45:44.987Z");
    }

    proptest! {
        #[test]
        fn every_instant_survives_writing_and_reading(millis in -60_000_000_000_000i64..250_000_000_000_000) {
            let instant = Timestamp::from_millis(millis);
            prop_assert_eq!(at(&instant.to_rfc3339()), instant);
        }

        #[test]
        fn no_text_makes_the_parser_panic(text in "\\PC*") {
            let _ = parse_when(&text, Timestamp::EPOCH);
        }

        #[test]
        fn any_number_can_be_formatted(millis in any::<i64>()) {
            prop_assert!(!Timestamp::from_millis(millis).to_rfc3339().is_empty());
        }
    }
}
