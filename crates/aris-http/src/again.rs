//! Decides whether a request may be sent again, and when.

use std::time::Duration;

use jiff::Timestamp;
use jiff::fmt::rfc2822::DateTimeParser;

/// The first back-off is between half of this and this; each further one doubles.
const FIRST: Duration = Duration::from_secs(1);

/// Longest back-off of our own.
const LONGEST: Duration = Duration::from_secs(30);

/// Longest pause that a host may ask for; longer ones are shortened to this, because a clock cannot represent every later time.
const LONGEST_PAUSE: Duration = Duration::from_hours(365 * 24);

/// `X-RateLimit-Reset` values from here on are Unix times (September 2001); smaller ones are not, and are ignored.
const FIRST_TIME: i64 = 1_000_000_000;

/// Whether a request may be sent again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Again {
    /// No: the answer is final, or the request may have had its effect.
    No,
    /// Yes, after our own back-off.
    Soon,
    /// Yes, after this pause.
    After(Duration),
}

impl Again {
    /// What an answer says: yes after 408, 425, 429, 5xx, the host's `later` statuses, and 403 with a pause.
    ///
    /// The pause is `Retry-After`, or the time to `X-RateLimit-Reset` when `X-RateLimit-Remaining` is 0. `header` looks up a header by its
    /// lower-case name.
    ///
    /// **Source**: RFC 9110 §10.2.3; GitHub's REST documentation, "Rate limits for the REST API". OpenAlex counts the seconds until
    /// midnight in a header of the same name: see [`Allowance`](crate::Allowance).
    pub(crate) fn after<'a>(
        status: u16,
        header: impl Fn(&str) -> Option<&'a str>,
        later: &[u16],
        now: Timestamp,
    ) -> Self {
        let reset = || {
            header("x-ratelimit-remaining").filter(|left| left.trim() == "0")?;
            let reset = header("x-ratelimit-reset")?.trim().parse().ok()?;
            let reset = (reset >= FIRST_TIME).then(|| Timestamp::from_second(reset).ok())??;
            Some(reset.duration_since(now).try_into().unwrap_or_default())
        };
        let pause = header("retry-after")
            .and_then(|header| pause(header, now))
            .or_else(reset);
        let is_later = matches!(status, 408 | 425 | 429 | 500..=599) || later.contains(&status);
        match pause {
            Some(pause) if is_later || status == 403 => Self::After(pause),
            None if is_later => Self::Soon,
            _ => Self::No,
        }
    }
}

/// The pause of a `Retry-After` header: seconds, or a date (RFC 9110 §10.2.3).
fn pause(header: &str, now: Timestamp) -> Option<Duration> {
    let header = header.trim();
    let pause = match header.parse::<u64>() {
        Ok(seconds) => Duration::from_secs(seconds),
        // A number that is too large to parse still means "much later".
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

/// The back-off after so many attempts, with jitter, so that programs that failed together do not all return together.
pub(crate) fn back_off(attempts: u32) -> Duration {
    let whole = FIRST
        .saturating_mul(1 << attempts.saturating_sub(1).min(10))
        .min(LONGEST);
    whole.mul_f64(0.5 + fastrand::f64() / 2.0)
}

/// Sleeps.
#[expect(
    clippy::disallowed_methods,
    reason = "an outside host asked for the time; there is no event to wait for"
)]
pub(crate) fn wait(time: Duration) {
    std::thread::sleep(time);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_many_requests_and_trouble_may_be_asked_again() {
        let now = Timestamp::from_second(FIRST_TIME + 10).expect("a time");
        let in_5 = [("retry-after", "5")];
        let reset = [
            ("x-ratelimit-remaining", "0"),
            ("x-ratelimit-reset", "1000000017"),
        ];
        let passed = [
            ("x-ratelimit-remaining", "0"),
            ("x-ratelimit-reset", "1000000007"),
        ];
        let plenty = [
            ("x-ratelimit-remaining", "9"),
            ("x-ratelimit-reset", "1000000017"),
        ];
        let until_midnight = [
            ("x-ratelimit-remaining", "0"),
            ("x-ratelimit-reset", "4000"),
        ];
        let after = |seconds| Again::After(Duration::from_secs(seconds));
        for (status, headers, wanted) in [
            (429, &[][..], Again::Soon),
            (429, &in_5, after(5)),
            (429, &plenty, Again::Soon),
            (429, &until_midnight, Again::Soon),
            (403, &[], Again::No),
            (403, &plenty, Again::No),
            (403, &in_5, after(5)),
            (403, &reset, after(7)),
            (403, &passed, after(0)),
            (418, &[], Again::Soon),
            (502, &[], Again::Soon),
            (503, &in_5, after(5)),
            (422, &in_5, Again::No),
            (200, &reset, Again::No),
        ] {
            let header = |name: &str| {
                let found = headers.iter().find(|(known, _)| *known == name);
                found.map(|(_, value)| *value)
            };
            let again = Again::after(status, header, &[418], now);
            assert_eq!(again, wanted, "{status} {headers:?}");
        }
    }

    #[test]
    fn retry_after_is_seconds_or_a_date() {
        let now: Timestamp = "2026-11-20T10:00:00Z".parse().expect("time");
        for (header, wanted) in [
            ("0", Some(0)),
            (" 120 ", Some(120)),
            ("7200", Some(7200)),
            ("999999", Some(999_999)),
            ("99999999999999999999999", Some(365 * 86_400)),
            ("Fri, 20 Nov 2026 10:01:30 GMT", Some(90)),
            ("Fri, 20 Nov 2026 09:00:00 GMT", Some(0)),
            ("Fri, 20 Nov 2099 09:00:00 GMT", Some(365 * 86_400)),
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
        fn no_header_makes_it_panic(value in "\\PC{0,40}|-?[0-9]{0,22}") {
            let header = |name: &str| Some(if name == "x-ratelimit-remaining" { "0" } else { value.as_str() });
            Again::after(403, header, &[], Timestamp::UNIX_EPOCH);
            pause(&value, Timestamp::UNIX_EPOCH);
        }
    }
}
