//! The client: cache, pace, exchange, judgement of the answer, and retries.

use std::path::Path;
use std::time::{Duration, Instant};

use aris_contract::ErrorKind;

use crate::again::Again;
use crate::cache::{self, Cache};
use crate::error::{HttpError, Why};
use crate::exchange::{Attempt, Exchange, Missed};
use crate::gate::Gate;
use crate::pace::Pace;
use crate::request::Request;
use crate::response::Response;
use crate::settings::{Event, Mode, Settings};
use crate::wire::{Broken, Wire};

/// Time limit for one exchange within the deadline: a stalled request is sent again.
const EXCHANGE: Duration = Duration::from_secs(30);

/// Most requests for one answer.
const ATTEMPTS: u32 = 5;

/// Most retries after a body that is not an answer.
const DOUBTS: u32 = 2;

/// Why a reader rejects a body; the variant decides whether the request is sent again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Doubt {
    /// The body is not an answer (an error page, an empty page where results were announced); another attempt may help.
    NotAnAnswer(String),
    /// The body is an answer but broken; another attempt will not help.
    Malformed(String),
}

/// Sends requests to hosts, within one deadline. A helper makes one client, which its threads share.
pub struct Client {
    /// How it works.
    pub settings: Settings,
    wire: Wire,
    cache: Cache,
    pace: Pace,
    gate: Gate,
    /// The deadline.
    pub(crate) end: Instant,
}

impl Client {
    /// Makes a client; its deadline begins now.
    ///
    /// **Errors**: [`HttpError::Setting`], also when only the cache may be used but cannot be.
    pub fn new(settings: Settings) -> Result<Self, HttpError> {
        let folder = match &settings.folder {
            Err(why) if settings.mode == Mode::Offline => {
                return Err(HttpError::Setting {
                    variable: "ARIS_CACHE_DIR",
                    what: format!("the cache cannot be used: {why}"),
                    hint: "let ARIS_CACHE_DIR name a folder of your own that can be written",
                    kind: ErrorKind::Precondition,
                });
            }
            folder => folder.as_deref().ok(),
        };
        if let Some(folder) = folder {
            cache::sweep(folder, settings.limit);
        }
        Ok(Self {
            wire: Wire::new(&settings.user_agent, settings.certificates.as_deref())?,
            cache: Cache(folder.map(Path::to_path_buf)),
            pace: Pace::new(folder),
            gate: Gate::default(),
            end: Instant::now() + settings.deadline,
            settings,
        })
    }

    /// The answer to `request`, as `read` parses it from the response.
    ///
    /// `read` gets 2xx answers and those 4xx that are an answer (400, 404, 410, 422 …). Only answers that it accepts are cached.
    ///
    /// **Errors**: every [`HttpError`]; those of the kind [`ErrorKind::Unavailable`] say nothing about the thing asked for.
    pub fn ask<T>(
        &self,
        request: &Request,
        read: impl Fn(&Response) -> Result<T, Doubt>,
    ) -> Result<T, HttpError> {
        let url = self.url(request);
        let kept = || {
            let kept = self.kept(request, &url)?;
            // A cached answer was accepted once; if a newer reader rejects it, ask the network.
            let value = read(&kept).ok()?;
            (self.settings.listener)(&Event::Answered);
            Some(value)
        };
        if let Some(value) = kept() {
            return Ok(value);
        }
        if self.settings.mode == Mode::Offline {
            return Err(HttpError::Offline { url });
        }
        let _alone = (!request.keep.0.is_zero()).then(|| self.alone(request));
        // Another process may have stored the answer while this one waited.
        if let Some(value) = kept() {
            return Ok(value);
        }
        let mut doubts = 0;
        self.exchange(request, &url, EXCHANGE, |attempt| {
            let response = attempt.whole(attempt.send(&[])?)?;
            if (300..400).contains(&response.status) {
                return Err(attempt.broken(Broken::Refused("a status of no meaning here")));
            }
            if response.body.is_empty() && response.is_success() {
                return Err(attempt.broken(Broken::Trouble(String::from("an empty body"))));
            }
            (self.settings.listener)(&Event::Answered);
            let verdict = if !request.pages && response.is_success() && response.is_html() {
                Err(Doubt::NotAnAnswer(String::from("an HTML page")))
            } else {
                read(&response)
            };
            match verdict {
                Ok(value) => {
                    if !request.keeps(&response).is_zero() {
                        self.cache.put(request, &url, &response);
                    }
                    Ok(value)
                }
                Err(Doubt::Malformed(what)) => Err(attempt.last(Why::Malformed(what))),
                Err(Doubt::NotAnAnswer(what)) => {
                    let (error, last) = attempt.last(Why::NotAnAnswer(what));
                    doubts += 1;
                    Err((error, if doubts > DOUBTS { last } else { Again::Soon }))
                }
            }
        })
    }

    /// Makes other processes and threads with the same request wait until the returned lock is dropped, at most until the deadline.
    pub fn alone(&self, request: &Request) -> Option<aris_fs::Lock> {
        let asks = self.settings.mode != Mode::Offline;
        let lock = || self.cache.alone(request, &self.url(request), self.end);
        asks.then(lock).flatten()
    }

    /// Whether [`Client::ask`] would answer this request from the cache.
    pub fn is_kept(&self, request: &Request) -> bool {
        self.kept(request, &self.url(request)).is_some()
    }

    fn kept(&self, request: &Request, url: &str) -> Option<Response> {
        let kept = match self.settings.mode {
            Mode::Refresh => return None,
            Mode::Live | Mode::Offline => self.cache.get(request, url)?,
        };
        let (now, keep) = ((self.settings.clock)(), request.keeps(&kept));
        let is_fresh = cache::is_fresh(kept.fetched_at, now, keep);
        (is_fresh || self.settings.mode == Mode::Offline).then_some(kept)
    }

    /// Stores an answer to `request` that was part of another answer, so that it need not be requested.
    pub fn keep(&self, request: &Request, part: &Response) {
        self.cache.put(request, &self.url(request), part);
    }

    /// Repeats an exchange until it succeeds, within the host's manners and the deadline; each attempt takes `longest` at most.
    pub(crate) fn exchange<T>(
        &self,
        request: &Request,
        url: &str,
        longest: Duration,
        work: impl FnMut(&Attempt<'_>) -> Result<T, Missed>,
    ) -> Result<T, HttpError> {
        let exchange = Exchange {
            polite: Some((&self.pace, &self.settings)),
            wire: &self.wire,
            request,
            url,
            key: self.settings.key(request.host),
            attempts: ATTEMPTS,
            longest,
            end: self.end,
            deadline: self.settings.deadline,
            now: &*self.settings.clock,
        };
        let limit = self.settings.manners(request.host).connections;
        let permit = self.gate.enter(request.host.name, limit, self.end);
        let _permit = permit.ok_or_else(|| exchange.late())?;
        exchange.run(work)
    }

    /// The URL of a request, without API keys.
    pub(crate) fn url(&self, request: &Request) -> String {
        let host = request.host;
        let own = || format!("{}{}", host.origin, host.prefix);
        let base = self.settings.bases.get(host.name).cloned();
        base.unwrap_or_else(own) + &request.target
    }
}
