//! Times and sizes as they are written on the command line and in `tsl-synth.toml`.

use std::time::Duration;

/// Splits `12.5GiB` into its number and its unit; `such` are examples.
fn split<'t>(text: &'t str, such: &str) -> Result<(f64, &'t str), String> {
    let text = text.trim();
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let number: f64 =
        text[..end].parse().map_err(|_| format!("expected a number with a unit, such as {such}"))?;
    Ok((number, text[end..].trim()))
}

/// `500ms`, `60s`, `5m`, `1h`; a bare number means seconds.
pub(crate) fn time(text: &str) -> Result<Duration, String> {
    let (number, unit) = split(text, "`500ms`, `60s` or `5m`")?;
    let seconds = match unit {
        "ms" => number / 1000.0,
        "" | "s" => number,
        "m" | "min" => number * 60.0,
        "h" => number * 3600.0,
        _ => return Err(format!("`{unit}` is not a unit of time: use ms, s, m or h")),
    };
    match Duration::try_from_secs_f64(seconds) {
        Ok(duration) if seconds <= 1e9 => Ok(duration),
        _ => Err("that is longer than any computation".into()),
    }
}

/// A time as messages show it, to the millisecond: `500 ms`, `5 s`, `2.5 s`.
pub(crate) fn shown(time: Duration) -> String {
    match time.as_secs_f64() {
        seconds if seconds < 1.0 => format!("{} ms", time.as_millis()),
        seconds => format!("{} s", (seconds * 1000.0).round() / 1000.0),
    }
}

/// A sentence about a limit; if it is about the time limit, with its value.
pub(crate) fn with_limit(sentence: &str, limit: Option<Duration>) -> String {
    match limit {
        Some(limit) => sentence.replacen(
            "time limit reached",
            &format!("time limit of {} reached", shown(limit)),
            usize::from(sentence.starts_with("time limit reached")),
        ),
        None => sentence.into(),
    }
}

/// `512MiB`, `2GiB`, `2G`; a bare number means bytes.
pub(crate) fn memory(text: &str) -> Result<u64, String> {
    let (number, unit) = split(text, "`512MiB` or `2GiB`")?;
    let factor = match unit.to_ascii_lowercase().as_str() {
        "" | "b" => 1.0,
        "k" | "kib" => 1024.0,
        "kb" => 1e3,
        "m" | "mib" => 1024.0 * 1024.0,
        "mb" => 1e6,
        "g" | "gib" => 1024.0 * 1024.0 * 1024.0,
        "gb" => 1e9,
        "t" | "tib" => 1024.0 * 1024.0 * 1024.0 * 1024.0,
        _ => return Err(format!("`{unit}` is not a unit of memory: use KiB, MiB or GiB")),
    };
    let bytes = number * factor;
    if (1.0..=1e18).contains(&bytes) {
        #[expect(clippy::cast_sign_loss, reason = "checked to be positive")]
        Ok(bytes as u64)
    } else {
        Err("expected between one byte and 2^59 bytes".into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_shown_as_they_were_given() {
        for (given, expected) in
            [("1961ms", "1.961 s"), ("2.5s", "2.5 s"), ("5s", "5 s"), ("401ms", "401 ms"), ("2m", "120 s")]
        {
            assert_eq!(shown(time(given).expect("a time")), expected);
        }
    }

    #[test]
    fn times_and_sizes() {
        assert_eq!(time("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(time("60"), Ok(Duration::from_mins(1)));
        assert_eq!(time("1.5m"), Ok(Duration::from_secs(90)));
        assert!(time("soon").is_err() && time("3 days").is_err() && time("1e300h").is_err());
        assert_eq!(memory("2GiB"), Ok(2 << 30));
        assert_eq!(memory("1 kb"), Ok(1000));
        assert!(memory("0").is_err() && memory("-1").is_err() && memory("2 apples").is_err());
    }
}
