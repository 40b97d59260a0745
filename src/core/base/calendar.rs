//! Days and times of the Gregorian calendar, in UTC.

/// Milliseconds of a day.
const DAY: i64 = 86_400_000;

/// Days since 1970-01-01 (H. Hinnant, `days_from_civil`).
pub fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// Year, month and day of a number of days since 1970-01-01 (H. Hinnant, `civil_from_days`).
fn civil(days: i64) -> (i64, i64, i64) {
    let days = days.saturating_add(719_468);
    let era = days.div_euclid(146_097);
    let of_era = days.rem_euclid(146_097);
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let (year, month) = (year + era * 400, if month < 10 { month + 3 } else { month - 9 });
    (if month <= 2 { year + 1 } else { year }, month, day)
}

/// The day of a time in milliseconds since the beginning of 1970: `2026-11-29`.
pub fn date(millis: i64) -> String {
    let (year, month, day) = civil(millis.div_euclid(DAY));
    format!("{year:04}-{month:02}-{day:02}")
}

/// A time in milliseconds since the beginning of 1970, as in RFC 3339: `2026-11-29T21:05:00.250Z`.
pub fn timestamp(millis: i64) -> String {
    let of_day = millis.rem_euclid(DAY);
    let (hour, minute) = (of_day / 3_600_000, of_day / 60_000 % 60);
    let (second, part) = (of_day / 1_000 % 60, of_day % 1_000);
    format!("{}T{hour:02}:{minute:02}:{second:02}.{part:03}Z", date(millis))
}

#[cfg(test)]
mod tests {
    use super::{civil, date, days, timestamp};

    #[test]
    fn days_and_dates_are_inverse() {
        for day in (-1_000_000..1_000_000).step_by(97) {
            let (year, month, own) = civil(day);
            assert!((1..=12).contains(&month) && (1..=31).contains(&own), "{day}");
            assert_eq!(days(year, month, own), day);
        }
    }

    #[test]
    fn times_are_those_of_the_calendar() {
        assert_eq!(date(0), "1970-01-01");
        assert_eq!(date(-1), "1969-12-31");
        assert_eq!(date(951_868_800_500), "2000-03-01");
        assert_eq!(timestamp(1_795_399_069_123), "2026-11-23T01:57:49.123Z");
        assert_eq!(timestamp(-1), "1969-12-31T23:59:59.999Z");
        // No time of a log ends the program.
        assert!(!timestamp(i64::MAX).is_empty() && !timestamp(i64::MIN).is_empty());
    }
}
