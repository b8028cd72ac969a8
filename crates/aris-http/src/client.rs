//! The client: cache, pace, exchange, verdict over what came, and whether to ask again.

use std::io::Read as _;
use std::time::{Duration, Instant};

use crate::cache::{Cache, Freshness};
use crate::error::HttpError;
use crate::event::Event;
use crate::gate::{self, Gate, Permit};
use crate::host::{Host, Manners};
use crate::pace::{Pace, Turn};
use crate::request::{Expect, Request};
use crate::response::Response;
use crate::retry;
use crate::secret::Secret;
use crate::settings::{Mode, Settings};
use crate::sweep;
use crate::wire::{Answer, Broken, Wire, io_broken};

/// One exchange may take this long, within the deadline: a host that stalls is asked again rather than waited for.
const EXCHANGE: Duration = Duration::from_secs(30);

/// Something else than an answer is asked for again this often.
const DOUBTS: u32 = 2;

/// Pieces a body is read in.
const PIECE: usize = 64 << 10;

/// Why a body is not the answer that was promised. What a reader returns decides whether it is asked for again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Doubt {
    /// It is no answer at all (an error page, an empty page where results were announced); asking again may help.
    NotAnAnswer(String),
    /// It is an answer, and broken; asking again will not help.
    Malformed(String),
}

/// Asks hosts, within one deadline. Made once by a helper; its threads share it.
pub struct Client {
    settings: Settings,
    wire: Wire,
    cache: Cache,
    pace: Pace,
    gate: Gate,
    end: Instant,
}

impl std::fmt::Debug for Client {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Client")
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}

impl Client {
    /// A client; its deadline begins now.
    ///
    /// **Errors**: [`HttpError::Certificates`]; [`HttpError::NoCache`] where only the cache may answer, and cannot be used.
    pub fn new(settings: Settings) -> Result<Self, HttpError> {
        let folder = match &settings.unusable {
            None => Some(settings.folder.as_path()),
            Some(why) if settings.mode == Mode::Offline => {
                return Err(HttpError::NoCache { why: why.clone() });
            }
            Some(_) => None,
        };
        if let Some(folder) = folder {
            sweep::sweep(folder, settings.limit);
        }
        Ok(Self {
            wire: Wire::new(&settings.user_agent, settings.certificates.as_deref())?,
            cache: Cache::new(folder),
            pace: Pace::new(folder),
            gate: Gate::default(),
            end: Instant::now() + settings.deadline,
            settings,
        })
    }

    /// How it works.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The answer to `request`, as `read` makes it from the response.
    ///
    /// `read` gets 2xx answers and those 4xx that decide something (400, 404, 410, 422 …). Only what it accepts is kept in the cache.
    ///
    /// **Errors**: every [`HttpError`]; those for which [`HttpError::is_silence`] holds say nothing about what was asked for.
    pub fn ask<T>(
        &self,
        request: &Request,
        read: impl Fn(&Response) -> Result<T, Doubt>,
    ) -> Result<T, HttpError> {
        let url = self.url(request);
        let freshness = match self.settings.mode {
            Mode::Live => Some(Freshness::AsAsked),
            Mode::Offline => Some(Freshness::Any),
            Mode::Refresh => None,
        };
        let kept = || {
            let now = (self.settings.clock)();
            let kept = self.cache.get(request, &url, freshness?, now)?;
            // A kept answer was accepted once; if a newer reader refuses it, the network has a better one.
            let value = read(&kept).ok()?;
            self.tell(&Event::Answered {
                host: request.host.name,
                cached: true,
            });
            Some(value)
        };
        if let Some(value) = kept() {
            return Ok(value);
        }
        if self.settings.mode == Mode::Offline {
            return Err(HttpError::Offline { url });
        }
        let _alone = if request.keep.is_zero() {
            None
        } else {
            self.cache.alone(request, &url, self.end)
        };
        // Another process may have asked the same meanwhile.
        if let Some(value) = kept() {
            return Ok(value);
        }
        let (response, value) = self.over_the_network(request, &url, &read)?;
        let keep = if response.is_absence() {
            request.keep_absence
        } else {
            request.keep
        };
        if !keep.is_zero() {
            self.cache.put(request, &url, &response);
        }
        Ok(value)
    }

    /// Where answers come from.
    pub fn mode(&self) -> Mode {
        self.settings.mode
    }

    /// Whether an answer to this request is kept that [`Client::ask`] would give now.
    pub fn is_kept(&self, request: &Request) -> bool {
        let freshness = match self.settings.mode {
            Mode::Live => Freshness::AsAsked,
            Mode::Offline => Freshness::Any,
            Mode::Refresh => return false,
        };
        let now = (self.settings.clock)();
        let kept = self.cache.get(request, &self.url(request), freshness, now);
        kept.is_some()
    }

    /// Keeps an answer to `request` that came as part of another one, `whole`: it is then known, and not asked for alone.
    pub fn keep(&self, request: &Request, body: Vec<u8>, whole: &Response) {
        let url = self.url(request);
        let part = Response {
            body,
            ..whole.clone()
        };
        self.cache.put(request, &url, &part);
    }

    fn over_the_network<T>(
        &self,
        request: &Request,
        url: &str,
        read: &impl Fn(&Response) -> Result<T, Doubt>,
    ) -> Result<(Response, T), HttpError> {
        let host = request.host;
        let late = || self.late(host, url);
        let manners = self.manners(host);
        let _permit = self.enter(host, manners, url)?;
        let mut doubts = 0;
        for attempt in 1.. {
            let turn = self.turn(request, manners)?;
            let time = self.left().min(EXCHANGE);
            if time.is_zero() {
                return Err(late());
            }
            self.tell(&Event::Asking { host: host.name });
            let outcome = self
                .wire
                .send(request, url, self.key(host), &[], time)
                .map_err(Trouble::from)
                .and_then(|answer| self.collect(request, answer, &turn));
            let (error, pause) = match outcome {
                Err(Trouble::TooLarge) => {
                    return Err(HttpError::TooLarge {
                        host: host.name,
                        url: url.to_owned(),
                        limit: request.limit,
                    });
                }
                Err(Trouble::Broken(Broken::Refused(what))) => {
                    return Err(HttpError::NotAnAnswer {
                        host: host.name,
                        url: url.to_owned(),
                        what: what.to_owned(),
                    });
                }
                Err(Trouble::Broken(Broken::Late)) if self.left().is_zero() => return Err(late()),
                Err(Trouble::Broken(broken)) => {
                    let what = match broken {
                        Broken::Unreached(what) | Broken::Trouble(what) => what,
                        Broken::Late | Broken::Refused(_) => {
                            format!("nothing within {:.1} s", time.as_secs_f64())
                        }
                    };
                    let error = HttpError::NoAnswer {
                        host: host.name,
                        url: url.to_owned(),
                        what,
                        attempts: attempt,
                    };
                    (error, None)
                }
                Ok(Got::Later { status, pause }) => {
                    if status == 429 || host.later.contains(&status) || pause.is_some() {
                        self.pace.refused(host, &turn, pause);
                    }
                    let error = HttpError::Busy {
                        host: host.name,
                        url: url.to_owned(),
                        status,
                        retry_after: pause,
                        attempts: attempt,
                        // A key raises the limits: where there is none, that is the reason.
                        key: host
                            .key
                            .filter(|_| self.key(host).is_none())
                            .map(|place| place.variable),
                    };
                    (error, pause)
                }
                Ok(Got::Refused(status)) => {
                    return Err(HttpError::Refused {
                        host: host.name,
                        url: url.to_owned(),
                        status,
                        variable: host.key.map(|place| place.variable),
                    });
                }
                Ok(Got::Response(response)) => {
                    self.pace.answered(host, &turn);
                    self.tell(&Event::Answered {
                        host: host.name,
                        cached: false,
                    });
                    let verdict = if request.expect != Expect::Page
                        && response.is_success()
                        && response.is_html()
                    {
                        Err(Doubt::NotAnAnswer(String::from("an HTML page")))
                    } else {
                        read(&response)
                    };
                    match verdict {
                        Ok(value) => return Ok((response, value)),
                        Err(Doubt::Malformed(what)) => {
                            return Err(HttpError::Malformed {
                                host: host.name,
                                url: url.to_owned(),
                                what,
                            });
                        }
                        Err(Doubt::NotAnAnswer(what)) => {
                            doubts += 1;
                            let error = HttpError::NotAnAnswer {
                                host: host.name,
                                url: url.to_owned(),
                                what,
                            };
                            if doubts > DOUBTS {
                                return Err(error);
                            }
                            (error, None)
                        }
                    }
                }
            };
            drop(turn);
            let wait = pause.unwrap_or_else(|| retry::back_off(attempt, url));
            if attempt >= retry::ATTEMPTS || wait >= self.left() {
                return Err(error);
            }
            self.tell(&Event::Waiting {
                host: host.name,
                time: wait,
                why: error.to_string(),
            });
            gate::wait(wait);
        }
        Err(late())
    }

    /// Reads the body, or says what the status means.
    fn collect(&self, request: &Request, mut answer: Answer, turn: &Turn) -> Result<Got, Trouble> {
        let now = (self.settings.clock)();
        if let Some(time) = spent(&answer) {
            self.pace.spent(request.host, turn, time);
        }
        if retry::is_later(answer.status) || request.host.later.contains(&answer.status) {
            let pause = answer
                .header("retry-after")
                .and_then(|header| retry::pause(header, now));
            return Ok(Got::Later {
                status: answer.status,
                pause,
            });
        }
        if matches!(answer.status, 401 | 403) {
            return Ok(Got::Refused(answer.status));
        }
        let mut body = Vec::new();
        let mut piece = vec![0; PIECE];
        loop {
            match answer.body.read(&mut piece) {
                Ok(0) => break,
                Ok(count) => body.extend_from_slice(piece.get(..count).unwrap_or_default()),
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => return Err(Trouble::Broken(io_broken(&error))),
            }
            if body.len() as u64 > request.limit {
                return Err(Trouble::TooLarge);
            }
        }
        if answer.status >= 300 && answer.status < 400 {
            return Err(Trouble::Broken(Broken::Refused(
                "a status of no meaning here",
            )));
        }
        if body.is_empty() && (200..300).contains(&answer.status) && request.expect != Expect::File
        {
            return Err(Trouble::Broken(Broken::Trouble(String::from(
                "an empty body",
            ))));
        }
        Ok(Got::Response(Response {
            status: answer.status,
            media_type: answer.media_type(),
            body,
            fetched_at: now,
            cached: false,
            url: answer.url,
        }))
    }

    /// Waits until this process has a connection to spare for the host.
    pub(crate) fn enter(
        &self,
        host: &'static Host,
        manners: Manners,
        url: &str,
    ) -> Result<Permit<'_>, HttpError> {
        self.gate
            .enter(host.name, manners.connections, self.end)
            .ok_or_else(|| self.late(host, url))
    }

    /// The deadline has passed before `host` answered `url`.
    pub(crate) fn late(&self, host: &Host, url: &str) -> HttpError {
        HttpError::Deadline {
            host: host.name,
            url: url.to_owned(),
            time: self.settings.deadline,
        }
    }

    pub(crate) fn answered(&self, host: &'static Host, turn: &Turn) {
        self.pace.answered(host, turn);
    }

    pub(crate) fn refused(&self, host: &'static Host, turn: &Turn, pause: Option<Duration>) {
        self.pace.refused(host, turn, pause);
    }

    /// Waits for leave to send a request.
    pub(crate) fn turn(&self, request: &Request, manners: Manners) -> Result<Turn, HttpError> {
        let host = request.host;
        let turn = self.pace.turn(request, manners, self.end, &|wait| {
            self.tell(&Event::Waiting {
                host: host.name,
                time: wait.time,
                why: wait.why,
            });
        });
        turn.map_err(|error| match (error, host.key) {
            (
                HttpError::TooLate {
                    host: name,
                    wait,
                    why,
                },
                Some(key),
            ) if self.key(host).is_none() => HttpError::TooLate {
                host: name,
                wait,
                why: format!("{why}; {} is not set", key.variable),
            },
            (error, _) => error,
        })
    }

    /// The URL of a request, without secrets.
    pub(crate) fn url(&self, request: &Request) -> String {
        let host = request.host;
        match self.settings.bases.get(host.name) {
            Some(base) => format!("{base}{}", request.target),
            None => format!("{}{}{}", host.origin, host.prefix, request.target),
        }
    }

    pub(crate) fn manners(&self, host: &Host) -> Manners {
        let known = match host.key {
            Some(_) => self.settings.has_key(host),
            None => self.settings.has_contact(),
        };
        if known {
            host.manners_known
        } else {
            host.manners
        }
    }

    pub(crate) fn key(&self, host: &Host) -> Option<&Secret> {
        self.settings.keys.get(host.name)
    }

    /// When it gives up.
    pub(crate) fn end(&self) -> Instant {
        self.end
    }

    pub(crate) fn left(&self) -> Duration {
        self.end.saturating_duration_since(Instant::now())
    }

    pub(crate) fn wire(&self) -> &Wire {
        &self.wire
    }

    pub(crate) fn tell(&self, event: &Event) {
        (self.settings.listener)(event);
    }
}

/// How long an allowance stays used up, when an answer says that what is left of it does not pay for another request like this one.
///
/// **Source**: OpenAlex, "Authentication & Pricing": dollars that are left of the day's and of those paid for, the cost of this request, and
/// the seconds to midnight UTC.
fn spent(answer: &Answer) -> Option<Duration> {
    let number = |name| -> Option<f64> { answer.header(name)?.trim().parse().ok() };
    let paid = number("x-ratelimit-prepaid-remaining-usd").unwrap_or_default();
    let left = number("x-ratelimit-remaining-usd")? + paid;
    let cost = number("x-ratelimit-cost-usd")
        .or_else(|| number("x-ratelimit-cost-required-usd"))
        .unwrap_or_default();
    let reset: u32 = answer.header("x-ratelimit-reset")?.trim().parse().ok()?;
    (left <= 0.0 || left < cost).then(|| Duration::from_secs(reset.into()))
}

/// What an exchange gave.
enum Got {
    Response(Response),
    Later {
        status: u16,
        pause: Option<Duration>,
    },
    Refused(u16),
}

/// Why it gave nothing.
enum Trouble {
    Broken(Broken),
    TooLarge,
}

impl From<Broken> for Trouble {
    fn from(broken: Broken) -> Self {
        Self::Broken(broken)
    }
}
