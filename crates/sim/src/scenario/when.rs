//! The two ways a scenario writes time: a moment in UTC, or a step after the
//! event before.

use model::Timestamp;
use std::time::Duration;

/// `2024-01-09`, `2024-01-09T10:15`, `2024-01-09T10:15:30`; always UTC.
pub fn absolute(written: &str) -> Result<Timestamp, String> {
    let plain = written.strip_suffix('Z').unwrap_or(written);
    let padded = match plain.len() {
        10 => format!("{plain}T00:00:00Z"),
        16 => format!("{plain}:00Z"),
        _ => format!("{plain}Z"),
    };
    let is_in_range = plain.starts_with(|c: char| c.is_ascii_digit());
    Timestamp::parse_rfc3339(&padded).ok().filter(|_| is_in_range).ok_or_else(|| {
        format!(
            "`{}` is not a time, write it as 2024-01-31 or 2024-01-31T12:00",
            model::text::one_line(written, 40)
        )
    })
}

/// `+5m`, `+2h`, `+3d`, `+1w`, and several together: `+1d2h`.
pub fn step(written: &str) -> Result<Duration, String> {
    let wrong = || {
        format!(
            "`{}` is not a step in time, write it as +5m, +2h, +3d, +1w or +1d2h",
            model::text::one_line(written, 40)
        )
    };
    let mut rest = written.strip_prefix('+').ok_or_else(wrong)?;
    if rest.is_empty() {
        return Err(wrong());
    }
    let mut seconds: u64 = 0;
    while !rest.is_empty() {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let count: u64 = rest[..digits].parse().map_err(|_| wrong())?;
        let mut letters = rest[digits..].chars();
        let unit = match letters.next() {
            Some('s') => 1,
            Some('m') => 60,
            Some('h') => 3600,
            Some('d') => 86_400,
            Some('w') => 7 * 86_400,
            _ => return Err(wrong()),
        };
        // A century is enough for anyone, and keeps sums far from overflow.
        if count > 100 * 366 * 86_400 / unit {
            return Err(wrong());
        }
        seconds += count * unit;
        rest = letters.as_str();
    }
    Ok(Duration::from_secs(seconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_utc() {
        for (written, meant) in [
            ("2024-01-09", "2024-01-09T00:00:00.000Z"),
            ("2024-01-09T10:15", "2024-01-09T10:15:00.000Z"),
            ("2024-01-09T10:15:30", "2024-01-09T10:15:30.000Z"),
            ("2024-01-09T10:15Z", "2024-01-09T10:15:00.000Z"),
        ] {
            assert_eq!(absolute(written).unwrap().to_rfc3339(), meant);
        }
        for wrong in ["", "yesterday", "2024-13-01", "2024-01-09T25:00", "+1d", "2024-1-9"] {
            assert!(absolute(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn steps_add_up() {
        for (written, seconds) in
            [("+5m", 300), ("+2h", 7200), ("+3d", 259_200), ("+1w", 604_800), ("+1d2h30m", 95_400)]
        {
            assert_eq!(step(written).unwrap().as_secs(), seconds);
        }
        for wrong in ["", "+", "5m", "+m", "+5", "+5x", "+99999999999999999999h", "+5m-"] {
            assert!(step(wrong).is_err(), "{wrong:?}");
        }
    }
}
