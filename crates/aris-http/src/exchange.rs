//! One exchange: a request is sent until an answer comes or another attempt cannot help. This is the only loop in this crate that
//! retries, and the only place that evaluates what answers say about the pace. The client adds cache and readers to it; the service
//! uses it directly.

use std::time::{Duration, Instant};

use jiff::Timestamp;

use crate::again::{Again, back_off, wait};
use crate::error::{HttpError, Why};
use crate::pace::{Pace, Turn};
use crate::request::Request;
use crate::response::{Allowance, Response, next_of};
use crate::secret::Secret;
use crate::settings::{Event, Settings};
use crate::wire::{Answer, Broken, Wire, broken, header, media_type};

/// Why an attempt failed, and whether another one may follow.
pub(crate) type Missed = (HttpError, Again);

/// A request and the limits of its attempts.
pub(crate) struct Exchange<'a> {
    /// The pace to keep, and the settings with the listener; `None` if no pace is kept.
    pub(crate) polite: Option<(&'a Pace, &'a Settings)>,
    pub(crate) wire: &'a Wire,
    pub(crate) request: &'a Request,
    pub(crate) url: &'a str,
    pub(crate) key: Option<&'a Secret>,
    /// Most requests sent.
    pub(crate) attempts: u32,
    /// Time limit of one attempt.
    pub(crate) longest: Duration,
    /// The end of the whole exchange. `deadline` is the time that it was given.
    pub(crate) end: Instant,
    pub(crate) deadline: Duration,
    pub(crate) now: &'a dyn Fn() -> Timestamp,
}

/// One attempt of an exchange.
pub(crate) struct Attempt<'a> {
    pub(crate) exchange: &'a Exchange<'a>,
    /// For an exclusive host, keeps others from asking during the attempt.
    turn: Option<Turn<'a>>,
    number: u32,
    time: Duration,
}

impl Exchange<'_> {
    /// Repeats attempts until one succeeds.
    ///
    /// **Errors**: that of the last attempt. A pause that would exceed the deadline is not begun.
    pub(crate) fn run<T>(
        &self,
        mut work: impl FnMut(&Attempt<'_>) -> Result<T, Missed>,
    ) -> Result<T, HttpError> {
        let mut number = 1;
        loop {
            let turn = self
                .polite
                .map(|(pace, settings)| pace.turn(self.request, settings, self.end));
            let attempt = Attempt {
                exchange: self,
                turn: turn.transpose()?,
                number,
                time: self.left().min(self.longest),
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
            if let Some((_, settings)) = self.polite {
                let host = self.request.host.name;
                (settings.listener)(&Event::Waiting(host, pause, error.to_string()));
            }
            wait(pause);
            number += 1;
        }
    }

    /// The error for a passed deadline.
    pub(crate) fn late(&self) -> HttpError {
        self.request.missed(self.url, Why::Deadline(self.deadline))
    }

    fn left(&self) -> Duration {
        self.end.saturating_duration_since(Instant::now())
    }
}

impl Attempt<'_> {
    /// Sends the request with the additional headers `more`. Returns the answer and the URL that gave it, without secrets.
    ///
    /// An answer that says "not now", or with a pace 401 and 403, is an error. What the answer says about the pace is stored.
    pub(crate) fn send(&self, more: &[(&'static str, String)]) -> Result<(Answer, String), Missed> {
        let exchange = self.exchange;
        let (request, key) = (exchange.request, exchange.key);
        if self.time.is_zero() {
            return Err((exchange.late(), Again::No));
        }
        let wire = exchange.wire;
        let sent = wire.send(request, exchange.url, key, more, self.time);
        let (answer, url) = sent.map_err(|broken| self.broken(broken))?;
        let (status, host) = (answer.status().as_u16(), request.host);
        let again = if request.once {
            Again::No
        } else {
            self.says(&answer)
        };
        let is_limit = matches!(status, 403 | 429) || host.later.contains(&status);
        if let Some(turn) = &self.turn {
            turn.heard(&answer, again, is_limit);
        }
        let variable = host.key.map(|(variable, _)| variable);
        let retry_after = match again {
            Again::No if self.turn.is_some() && matches!(status, 401 | 403) => {
                return Err(self.last(Why::Refused { status, variable }));
            }
            Again::No => return Ok((answer, url)),
            Again::Soon => None,
            Again::After(pause) => Some(pause),
        };
        let why = Why::Busy {
            status,
            retry_after,
            attempts: self.number,
            // Without a key the host's limits are low: name the missing key.
            key: variable.filter(|_| is_limit && key.is_none()),
        };
        Err((request.missed(exchange.url, why), again))
    }

    /// What an answer says about another attempt.
    fn says(&self, answer: &Answer) -> Again {
        let Exchange { request, now, .. } = self.exchange;
        let header = |name: &str| header(answer, name);
        Again::after(answer.status().as_u16(), header, request.host.later, now())
    }

    /// Reads the whole body of an answer.
    pub(crate) fn whole(&self, (mut answer, url): (Answer, String)) -> Result<Response, Missed> {
        let fetched_at = (self.exchange.now)();
        let later = self.says(&answer) != Again::No;
        let limit = self.exchange.request.limit;
        let body = answer.body_mut().with_config().limit(limit + 1);
        let body = body.read_to_vec().map_err(|error| match error {
            ureq::Error::BodyExceedsLimit(_) => self.last(Why::TooLarge(limit)),
            error => self.broken(broken(error)),
        })?;
        Ok(Response {
            status: answer.status().as_u16(),
            media_type: media_type(&answer),
            // Mask the key before the body is parsed, stored or quoted.
            body: match self.exchange.key {
                Some(key) => key.masked(body),
                None => body,
            },
            fetched_at,
            later,
            allowance: Allowance::of(|name| header(&answer, name)),
            next: header(&answer, "link").and_then(next_of),
            url,
        })
    }

    /// An error after which another attempt cannot help.
    pub(crate) fn last(&self, why: Why) -> Missed {
        let Exchange { request, url, .. } = self.exchange;
        (request.missed(url, why), Again::No)
    }

    /// The error for a broken exchange. A request that must not be repeated is sent again only if nothing was sent at all.
    pub(crate) fn broken(&self, broken: Broken) -> Missed {
        let once = self.exchange.request.once;
        let again = if once { Again::No } else { Again::Soon };
        let (what, again) = match broken {
            Broken::Refused(what) => return self.last(Why::NotAnAnswer(what.to_owned())),
            Broken::Late if self.exchange.left().is_zero() => {
                return (self.exchange.late(), Again::No);
            }
            Broken::Late => {
                let time = self.time.as_secs_f64();
                (format!("nothing within {time:.1} s"), again)
            }
            Broken::Unreached(what) => (what.to_owned(), Again::Soon),
            Broken::Trouble(what) => (what, again),
        };
        let attempts = self.number;
        (self.last(Why::NoAnswer { what, attempts }).0, again)
    }
}
