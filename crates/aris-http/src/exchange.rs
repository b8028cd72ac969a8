//! One exchange: a request is sent until an answer comes, or until nothing can come of another attempt. The only loop of this crate
//! that asks again, and the only place that hears what an answer says about the pace; the client adds cache and readers to it, the
//! service takes it as it is.

use std::time::{Duration, Instant};

use jiff::Timestamp;
use jiff::fmt::rfc2822::DateTimeParser;

use crate::allowance::Allowance;
use crate::client::Client;
use crate::error::{HttpError, Why};
use crate::pace::Turn;
use crate::request::Request;
use crate::response::{Response, next_of};
use crate::secret::Secret;
use crate::settings::Event;
use crate::wire::{Answer, Broken, Wire};

/// The first back-off lies between half of this and this; each further one doubles.
const FIRST: Duration = Duration::from_secs(1);

/// No back-off of our own is longer.
const LONGEST: Duration = Duration::from_secs(30);

/// A pause that a host may ask for; a longer one is taken for this long.
const LONGEST_PAUSE: Duration = Duration::from_hours(1);

/// `X-RateLimit-Reset` is a time from this number of seconds on (September 2001); below it, it is none.
const FIRST_TIME: i64 = 1_000_000_000;

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
    /// What an answer says about it. Too many requests (429, 403 that names a time, and what the host says `later` with) have done
    /// nothing, so that anything may be asked again; after other trouble (408, 425, 5xx) only what is `harmless`, that is, what may be
    /// done twice.
    ///
    /// The pause is `Retry-After`, or the time to `X-RateLimit-Reset` when `X-RateLimit-Remaining` is 0. `header` looks a header up by its
    /// name in small letters.
    ///
    /// **Source**: RFC 9110 §10.2.3; GitHub's REST documentation, "Rate limits for the REST API". OpenAlex counts the seconds until
    /// midnight in a header of the same name: see [`Allowance`](crate::Allowance).
    fn after<'a>(
        status: u16,
        header: impl Fn(&str) -> Option<&'a str>,
        harmless: bool,
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
        let is_limit =
            status == 429 || later.contains(&status) || (status == 403 && pause.is_some());
        let is_later = matches!(status, 408 | 425 | 500..=599);
        match pause {
            _ if !(is_limit || harmless && is_later) => Self::No,
            Some(pause) => Self::After(pause),
            None => Self::Soon,
        }
    }
}

/// What a `Retry-After` header asks for: seconds, or a date (RFC 9110 §10.2.3).
fn pause(header: &str, now: Timestamp) -> Option<Duration> {
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

/// How long to wait after so many attempts, with jitter, so that programs that failed together do not come back together.
fn back_off(attempts: u32) -> Duration {
    let whole = FIRST
        .saturating_mul(1 << attempts.saturating_sub(1).min(10))
        .min(LONGEST);
    whole.mul_f64(0.5 + fastrand::f64() / 2.0)
}

/// Lets time pass.
#[expect(
    clippy::disallowed_methods,
    reason = "an outside host asked for the time; there is no event to wait for"
)]
pub(crate) fn wait(time: Duration) {
    std::thread::sleep(time);
}

/// Why an attempt failed, and whether there may be another one.
pub(crate) type Missed = (HttpError, Again);

/// A request and how often it may be sent.
pub(crate) struct Exchange<'a> {
    /// Whose pace is kept; `None` where there is none.
    pub(crate) client: Option<&'a Client>,
    pub(crate) wire: &'a Wire,
    pub(crate) request: &'a Request,
    pub(crate) url: &'a str,
    pub(crate) key: Option<&'a Secret>,
    /// Whether what is asked for may be done twice.
    pub(crate) harmless: bool,
    /// Requests that are sent at most.
    pub(crate) attempts: u32,
    /// One of them may take this long.
    pub(crate) longest: Duration,
    /// When all of it ends, and how long that was from the beginning.
    pub(crate) end: Instant,
    pub(crate) deadline: Duration,
    pub(crate) now: &'a dyn Fn() -> Timestamp,
}

/// One attempt of an exchange.
pub(crate) struct Attempt<'a> {
    exchange: &'a Exchange<'a>,
    /// Nobody else asks an exclusive host meanwhile.
    turn: Option<Turn>,
    number: u32,
    time: Duration,
}

impl Exchange<'_> {
    /// Attempts until it works.
    ///
    /// **Errors**: that of the last attempt; a pause that does not fit into the time is not begun.
    pub(crate) fn run<T>(
        &self,
        mut work: impl FnMut(&Attempt<'_>) -> Result<T, Missed>,
    ) -> Result<T, HttpError> {
        let mut number = 1;
        loop {
            let attempt = Attempt {
                exchange: self,
                number,
                time: self.left().min(self.longest),
                turn: match self.client {
                    Some(client) => Some(client.turn(self.request)?),
                    None => None,
                },
            };
            let (error, again) = match work(&attempt) {
                Ok(answer) => return Ok(answer),
                Err(missed) => missed,
            };
            drop(attempt);
            let pause = match again {
                Again::No => return Err(error),
                Again::Soon => back_off(number),
                Again::After(pause) => pause,
            };
            if number >= self.attempts || Instant::now() + pause >= self.end {
                return Err(error);
            }
            if let Some(client) = self.client {
                let host = self.request.host.name;
                client.tell(&Event::Waiting(host, pause, error.to_string()));
            }
            wait(pause);
            number += 1;
        }
    }

    /// The deadline has passed.
    pub(crate) fn late(&self) -> HttpError {
        self.request.missed(self.url, Why::Deadline(self.deadline))
    }

    fn left(&self) -> Duration {
        self.end.saturating_duration_since(Instant::now())
    }
}

impl Attempt<'_> {
    /// Sends the request with more headers. An answer is one that does not say "not now" nor, where a pace is kept, "not you"; what it
    /// says about the pace is kept.
    pub(crate) fn send(&self, more: &[(&'static str, String)]) -> Result<Answer, Missed> {
        let Exchange {
            client,
            request,
            url,
            key,
            ..
        } = *self.exchange;
        let host = request.host;
        let time = self.time.min(self.exchange.left());
        if time.is_zero() {
            return Err((self.exchange.late(), Again::No));
        }
        let answer = self.exchange.wire.send(request, url, key, more, time);
        let answer = answer.map_err(|broken| self.broken(broken))?;
        let status = answer.status;
        let again = if request.once {
            Again::No
        } else {
            let now = (self.exchange.now)();
            let header = |name: &str| answer.header(name);
            Again::after(status, header, self.exchange.harmless, host.later, now)
        };
        let is_limit = matches!(status, 403 | 429) || host.later.contains(&status);
        if let (Some(client), Some(turn)) = (client, &self.turn) {
            client.pace.heard(host, turn, &answer, again, is_limit);
        }
        let variable = host.key.map(|place| place.variable);
        let retry_after = match again {
            Again::No if client.is_some() && matches!(status, 401 | 403) => {
                return Err(self.last(Why::Refused { status, variable }));
            }
            Again::No => return Ok(answer),
            Again::Soon => None,
            Again::After(pause) => Some(pause),
        };
        let why = Why::Busy {
            status,
            retry_after,
            attempts: self.number,
            // A key raises the limits: where there is none, that is the reason.
            key: variable.filter(|_| is_limit && key.is_none()),
        };
        Err((request.missed(url, why), again))
    }

    /// The answer with all of its body.
    pub(crate) fn whole(&self, mut answer: Answer) -> Result<Response, Missed> {
        let fetched_at = (self.exchange.now)();
        let limit = self.exchange.request.limit;
        let body = answer.whole(limit).map_err(|broken| self.broken(broken))?;
        let body = body.ok_or_else(|| self.last(Why::TooLarge(limit)))?;
        // Here, before it is read, kept or quoted.
        let body = match self.exchange.key {
            Some(key) => key.masked(body),
            None => body,
        };
        Ok(Response {
            status: answer.status,
            media_type: answer.media_type(),
            body,
            fetched_at,
            cached: false,
            allowance: Allowance::of(|name| answer.header(name)),
            next: answer.header("link").and_then(next_of),
            url: answer.url,
        })
    }

    /// Nothing can come of another attempt.
    pub(crate) fn last(&self, why: Why) -> Missed {
        let Exchange { request, url, .. } = self.exchange;
        (request.missed(url, why), Again::No)
    }

    /// The exchange broke off. Only what is harmless is sent again, unless nothing was sent at all.
    pub(crate) fn broken(&self, broken: Broken) -> Missed {
        let (what, again) = match broken {
            Broken::Refused(what) => return self.last(Why::NotAnAnswer(what.to_owned())),
            Broken::Late if self.exchange.left().is_zero() => {
                return (self.exchange.late(), Again::No);
            }
            Broken::Unreached(what) => (what.to_owned(), Again::Soon),
            broken => {
                let may = self.exchange.harmless;
                let again = if may { Again::Soon } else { Again::No };
                (broken.words(self.time), again)
            }
        };
        let attempts = self.number;
        (self.last(Why::NoAnswer { what, attempts }).0, again)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_refused_may_be_asked_again_and_what_failed_only_when_it_is_harmless() {
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
        for (status, headers, harmless, other) in [
            (429, &[][..], Again::Soon, Again::Soon),
            (429, &in_5, after(5), after(5)),
            (429, &plenty, Again::Soon, Again::Soon),
            (429, &until_midnight, Again::Soon, Again::Soon),
            (403, &[], Again::No, Again::No),
            (403, &plenty, Again::No, Again::No),
            (403, &in_5, after(5), after(5)),
            (403, &reset, after(7), after(7)),
            (403, &passed, after(0), after(0)),
            (418, &[], Again::Soon, Again::Soon),
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
                let again = Again::after(status, header, is_harmless, &[418], now);
                assert_eq!(again, wanted, "{status} {headers:?} {is_harmless}");
            }
        }
    }

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
        fn no_header_makes_it_panic(value in "\\PC{0,40}|-?[0-9]{0,22}") {
            let header = |name: &str| Some(if name == "x-ratelimit-remaining" { "0" } else { value.as_str() });
            Again::after(403, header, true, &[], Timestamp::UNIX_EPOCH);
            pause(&value, Timestamp::UNIX_EPOCH);
        }
    }
}
