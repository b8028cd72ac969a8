//! When to ask again: what `Retry-After` says, and how long to back off where it says nothing.

use std::time::Duration;

use jiff::Timestamp;
use jiff::fmt::rfc2822::DateTimeParser;

/// Requests that are sent for one answer at most.
pub(crate) const ATTEMPTS: u32 = 5;

/// The first back-off lies between half of this and this; each further one doubles.
const FIRST: Duration = Duration::from_secs(1);

/// No back-off of our own is longer.
const LONGEST: Duration = Duration::from_secs(30);

/// A pause that a host may ask for; a longer one is taken for this long.
pub(crate) const LONGEST_PAUSE: Duration = Duration::from_hours(1);

/// Whether the status says "not now".
pub(crate) fn is_later(status: u16) -> bool {
    matches!(status, 408 | 425 | 429 | 500..=599)
}

/// What a `Retry-After` header asks for: seconds, or a date (RFC 9110 §10.2.3).
pub(crate) fn pause(header: &str, now: Timestamp) -> Option<Duration> {
    let header = header.trim();
    let pause = match header.parse::<u64>() {
        Ok(seconds) => Duration::from_secs(seconds),
        // More digits than a number has still means "much later".
        Err(_) if !header.is_empty() && header.bytes().all(|byte| byte.is_ascii_digit()) => {
            LONGEST_PAUSE
        }
        Err(_) => {
            let then = DateTimeParser::new().parse_timestamp(header).ok()?;
            then.duration_since(now).try_into().unwrap_or_default()
        }
    };
    Some(pause.min(LONGEST_PAUSE))
}

/// How long to wait before attempt `attempt + 1`, with jitter, so that programs that failed together do not come back together.
pub(crate) fn back_off(attempt: u32) -> Duration {
    let whole = FIRST
        .saturating_mul(1 << attempt.saturating_sub(1).min(10))
        .min(LONGEST);
    whole.mul_f64(0.5 + fastrand::f64() / 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retry_after_is_seconds_or_a_date() {
        let now: Timestamp = "2026-11-20T10:00:00Z".parse().expect("time");
        for (header, wanted) in [
            ("0", Some(0)),
            (" 120 ", Some(120)),
            ("999999", Some(3600)),
            ("99999999999999999999999", Some(3600)),
            ("Fri, 20 Nov 2026 10:01:30 GMT", Some(90)),
            ("Fri, 20 Nov 2026 09:00:00 GMT", Some(0)),
            ("Fri, 20 Nov 2099 09:00:00 GMT", Some(3600)),
            ("", None),
            ("soon", None),
            ("-1", None),
            ("1.5", None),
        ] {
            assert_eq!(
                pause(header, now),
                wanted.map(Duration::from_secs),
                "{header}"
            );
        }
    }

    #[test]
    fn the_back_off_grows_and_stays_bounded() {
        for attempt in 1..40 {
            let whole = FIRST
                .saturating_mul(1 << (attempt - 1).min(10))
                .min(LONGEST);
            let wait = back_off(attempt);
            assert!(wait >= whole / 2 && wait <= whole, "{attempt}: {wait:?}");
        }
    }

    proptest::proptest! {
        #[test]
        fn no_header_makes_it_panic(header in "\\PC{0,40}") {
            pause(&header, Timestamp::UNIX_EPOCH);
        }
    }
}
