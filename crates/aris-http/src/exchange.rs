//! One exchange: a request is sent until an answer comes, or until nothing can come of another attempt. The only loop of this crate
//! that asks again, and the only place that hears what an answer says about the pace; the client adds cache and readers to it, the
//! service takes it as it is.

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

/// Why an attempt failed, and whether there may be another one.
pub(crate) type Missed = (HttpError, Again);

/// A request and how often it may be sent.
pub(crate) struct Exchange<'a> {
    /// The pace that is kept, and who is told about it; `None` where there is none.
    pub(crate) polite: Option<(&'a Pace, &'a Settings)>,
    pub(crate) wire: &'a Wire,
    pub(crate) request: &'a Request,
    pub(crate) url: &'a str,
    pub(crate) key: Option<&'a Secret>,
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
    pub(crate) exchange: &'a Exchange<'a>,
    /// Nobody else asks an exclusive host meanwhile.
    turn: Option<Turn<'a>>,
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

    /// The deadline has passed.
    pub(crate) fn late(&self) -> HttpError {
        self.request.missed(self.url, Why::Deadline(self.deadline))
    }

    fn left(&self) -> Duration {
        self.end.saturating_duration_since(Instant::now())
    }
}

impl Attempt<'_> {
    /// Sends the request with more headers. Gives the answer, and the URL that gave it, without secrets.
    ///
    /// An answer is one that does not say "not now" nor, where a pace is kept, "not you"; what it says about the pace is kept.
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
            // A key raises the limits: where there is none, that is the reason.
            key: variable.filter(|_| is_limit && key.is_none()),
        };
        Err((request.missed(exchange.url, why), again))
    }

    /// What an answer says about asking again.
    fn says(&self, answer: &Answer) -> Again {
        let Exchange { request, now, .. } = self.exchange;
        let header = |name: &str| header(answer, name);
        Again::after(answer.status().as_u16(), header, request.host.later, now())
    }

    /// The answer with all of its body.
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
            // Here, before it is read, kept or quoted.
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

    /// Nothing can come of another attempt.
    pub(crate) fn last(&self, why: Why) -> Missed {
        let Exchange { request, url, .. } = self.exchange;
        (request.missed(url, why), Again::No)
    }

    /// The exchange broke off. What must not be done twice is sent again only when nothing was sent at all.
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
