//! The pause that a server asks for: a number of seconds, or a date (RFC 9110, sections 10.2.3 and 5.6.7).

use std::time::{Duration, SystemTime};
use tsl_synth_core::base::calendar;

const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// The pause that the value of `Retry-After` asks for; `None` if it is neither. A date that is over asks for none.
pub(super) fn pause(text: &str, now: SystemTime) -> Option<Duration> {
    let text = text.trim();
    if let Ok(seconds) = text.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let until = SystemTime::UNIX_EPOCH + Duration::from_secs(seconds_of(text)?);
    Some(until.duration_since(now).unwrap_or_default())
}

/// The seconds from 1970 to a date such as `Sun, 06 Nov 1994 08:49:37 GMT`.
fn seconds_of(date: &str) -> Option<u64> {
    let mut words = date.split_once(", ")?.1.split(' ');
    let mut next = || words.next();
    let day: i64 = next()?.parse().ok().filter(|day| (1..=31).contains(day))?;
    let month = next()?;
    let month = (1..).zip(MONTHS).find(|&(_, own)| own == month)?.0;
    let year: i64 = next()?.parse().ok().filter(|year| (1970..=9999).contains(year))?;
    let time: Vec<u64> = next()?.split(':').map(|part| part.parse().ok()).collect::<Option<_>>()?;
    let (&[hours, minutes, seconds], Some("GMT"), None) = (time.as_slice(), next(), next()) else {
        return None;
    };
    if hours > 23 || minutes > 59 || seconds > 60 {
        return None;
    }
    let days = u64::try_from(calendar::days(year, month, day)).ok()?;
    Some(days * 86_400 + hours * 3_600 + minutes * 60 + seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_are_seconds_or_dates() {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(784_111_777);
        for (text, seconds) in [
            ("0", Some(0)),
            (" 17 ", Some(17)),
            ("Sun, 06 Nov 1994 08:49:37 GMT", Some(0)),
            ("Sun, 06 Nov 1994 08:49:42 GMT", Some(5)),
            ("Mon, 07 Nov 1994 08:49:37 GMT", Some(86_400)),
            ("Thu, 01 Jan 1970 00:00:00 GMT", Some(0)),
            ("Tue, 29 Feb 2000 00:00:00 GMT", Some(951_782_400 - 784_111_777)),
            ("Mon, 30 Nov 2026 15:10:12 GMT", Some(1_796_051_412 - 784_111_777)),
            ("-3", None),
            ("soon", None),
            ("Sun, 06 Nov 1994 08:49:37", None),
            ("Sun, 32 Nov 1994 08:49:37 GMT", None),
            ("Sun, 06 Nov 1994 24:49:37 GMT", None),
            ("Sun, 06 Nov 99999 08:49:37 GMT", None),
        ] {
            assert_eq!(pause(text, now), seconds.map(Duration::from_secs), "{text}");
        }
    }
}
