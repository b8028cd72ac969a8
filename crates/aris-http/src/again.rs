//! Asking a service again for one answer: how often, when, and after which answers.

use std::time::{Duration, Instant};

use jiff::Timestamp;

use crate::gate;
use crate::retry;

/// Whether the same may be asked again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Again {
    /// No: this is the answer, or what was asked may have been done.
    No,
    /// Yes, after a pause of our own.
    Soon,
    /// Yes, after this pause.
    After(Duration),
}

impl Again {
    /// What an answer says about it. Too many requests (429, and 403 that names a time) have done nothing, so that anything may be asked
    /// again; after other trouble (408, 425, 5xx) only what is `harmless`, that is, what may be done twice.
    ///
    /// The pause is `Retry-After`, or the time to `X-RateLimit-Reset` when `X-RateLimit-Remaining` is 0. `header` looks a header up by its
    /// name in small letters.
    ///
    /// **Source**: RFC 9110 §10.2.3; GitHub's REST documentation, "Rate limits for the REST API".
    pub(crate) fn after<'a>(
        status: u16,
        header: impl Fn(&str) -> Option<&'a str>,
        harmless: bool,
        now: Timestamp,
    ) -> Self {
        let reset = || {
            header("x-ratelimit-remaining").filter(|left| left.trim() == "0")?;
            let reset = header("x-ratelimit-reset")?.trim().parse().ok()?;
            let reset = Timestamp::from_second(reset).ok()?;
            Some(reset.duration_since(now).try_into().unwrap_or_default())
        };
        let pause = header("retry-after")
            .and_then(|header| retry::pause(header, now))
            .or_else(reset);
        let is_limit = status == 429 || (status == 403 && pause.is_some());
        let may = is_limit || (harmless && retry::is_later(status));
        match pause {
            Some(pause) if may => Self::After(pause),
            None if may => Self::Soon,
            _ => Self::No,
        }
    }
}

/// Attempts something until it works, `most` times at most, as [`Again`] says and until `end`. `attempt` gets the number of the attempt, from 1,
/// and the time that is left; `waits` hears of each pause and its reason before it begins.
///
/// **Errors**: that of the last attempt; a pause that does not fit into the time is not begun.
pub(crate) fn repeat<T, E>(
    most: u32,
    end: Instant,
    waits: impl Fn(Duration, &E),
    mut attempt: impl FnMut(u32, Duration) -> Result<T, (E, Again)>,
) -> Result<T, E> {
    let mut number = 1;
    loop {
        let left = end.saturating_duration_since(Instant::now());
        let (error, again) = match attempt(number, left) {
            Ok(answer) => return Ok(answer),
            Err(missed) => missed,
        };
        let pause = match again {
            Again::No => return Err(error),
            Again::Soon => retry::back_off(number),
            Again::After(pause) => pause,
        };
        if number >= most || Instant::now() + pause >= end {
            return Err(error);
        }
        waits(pause, &error);
        gate::wait(pause);
        number += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_refused_may_be_asked_again_and_what_failed_only_when_it_is_harmless() {
        let now = Timestamp::from_second(1000).expect("a time");
        let in_5 = [("retry-after", "5")];
        let reset = [
            ("x-ratelimit-remaining", "0"),
            ("x-ratelimit-reset", "1007"),
        ];
        let passed = [("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", "7")];
        let plenty = [
            ("x-ratelimit-remaining", "9"),
            ("x-ratelimit-reset", "1007"),
        ];
        let after = |seconds| Again::After(Duration::from_secs(seconds));
        for (status, headers, harmless, other) in [
            (429, &[][..], Again::Soon, Again::Soon),
            (429, &in_5, after(5), after(5)),
            (429, &plenty, Again::Soon, Again::Soon),
            (403, &[], Again::No, Again::No),
            (403, &plenty, Again::No, Again::No),
            (403, &in_5, after(5), after(5)),
            (403, &reset, after(7), after(7)),
            (403, &passed, after(0), after(0)),
            (502, &[], Again::Soon, Again::No),
            (503, &in_5, after(5), Again::No),
            (422, &in_5, Again::No, Again::No),
            (200, &reset, Again::No, Again::No),
        ] {
            for (is_harmless, wanted) in [(true, harmless), (false, other)] {
                let header = |name: &str| {
                    let found = headers.iter().find(|(known, _)| *known == name);
                    found.map(|(_, value)| *value)
                };
                let again = Again::after(status, header, is_harmless, now);
                assert_eq!(again, wanted, "{status} {headers:?} {is_harmless}");
            }
        }
    }

    #[test]
    fn three_attempts_within_the_time_are_all() {
        let within = |time| Instant::now() + Duration::from_secs(time);
        let count = |time, again| {
            let mut count = 0;
            let failed: Result<(), u32> = repeat(
                3,
                within(time),
                |_, _| (),
                |number, _| {
                    count += 1;
                    Err((number, again))
                },
            );
            assert_eq!(failed, Err(count));
            count
        };
        assert_eq!(count(20, Again::After(Duration::ZERO)), 3);
        assert_eq!(count(20, Again::After(Duration::from_secs(20))), 1);
        assert_eq!(count(0, Again::After(Duration::ZERO)), 1);
        assert_eq!(count(20, Again::No), 1);
        let second = repeat(
            3,
            within(20),
            |_, ()| (),
            |number, _| match number {
                2 => Ok(number),
                _ => Err(((), Again::After(Duration::ZERO))),
            },
        );
        assert_eq!(second, Ok(2));
    }

    proptest::proptest! {
        #[test]
        fn no_header_makes_it_panic(value in "\\PC{0,30}|-?[0-9]{0,22}") {
            let header = |name: &str| Some(if name == "x-ratelimit-remaining" { "0" } else { value.as_str() });
            Again::after(403, header, true, Timestamp::UNIX_EPOCH);
        }
    }
}
