//! The pace of a host over all processes, and the breaker that keeps everybody from asking a host that has had enough.
//!
//! One small file for each host says when the next request may begin and until when the host asked to be left alone. It is read and
//! written under a lock that the system frees when its holder dies. Times are counted since boot, so that a clock that is set changes
//! nothing; a file from an earlier boot is nothing.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use aris_fs::{FsError, Lock};
use serde::{Deserialize, Serialize};

use crate::allowance::Allowance;
use crate::error::HttpError;
use crate::exchange::{self, Again};
use crate::host::{Host, Manners};
use crate::moment;
use crate::request::Request;
use crate::wire::Answer;

/// After so many refusals (429) in a row nobody asks for a while, even where the host names no time.
const REFUSALS: u32 = 3;

/// The first of these pauses; it doubles with each further refusal.
const FIRST_PAUSE: Duration = Duration::from_secs(30);

/// The longest of these pauses.
const LONGEST_PAUSE: Duration = Duration::from_mins(15);

/// A slot further ahead than this is a damaged file, not a queue.
const FURTHEST: Duration = Duration::from_hours(2);

/// No allowance is for longer.
const DAY: Duration = Duration::from_hours(24);

/// What the processes of this machine know about a host together. Times in milliseconds since boot.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
struct State {
    boot: String,
    next: u64,
    refusals: u32,
    closed_until: u64,
    /// The allowance is used up until then; what costs nothing may still be asked.
    spent_until: u64,
}

/// The pace of all hosts.
#[derive(Debug)]
pub(crate) struct Pace {
    /// `None` where nothing can be kept.
    folder: Option<PathBuf>,
    boot: String,
    /// What this process knows where the folder does not serve.
    here: Mutex<BTreeMap<&'static str, State>>,
}

/// Leave to send one request, now. For an exclusive host nobody else has it until this is dropped.
#[derive(Debug)]
pub(crate) struct Turn {
    lock: Option<Lock>,
}

impl Pace {
    pub(crate) fn new(folder: Option<&Path>) -> Self {
        Self {
            folder: folder.map(|folder| folder.join("pace")),
            boot: moment::boot(),
            here: Mutex::default(),
        }
    }

    /// Waits for the moment when `request` may be sent, telling `waits` about each wait before it begins.
    ///
    /// **Errors**: [`HttpError::TooLate`] when that moment lies behind the deadline; nothing is reserved then.
    pub(crate) fn turn(
        &self,
        request: &Request,
        manners: Manners,
        deadline: Instant,
        waits: &dyn Fn(Duration, &str),
    ) -> Result<Turn, HttpError> {
        let host = request.host;
        let too_late = |wait: Duration, why: String| HttpError::TooLate {
            host: host.name,
            wait,
            why,
        };
        loop {
            let lock = self.lock(host, deadline).map_err(|_late| {
                let why = String::from("other processes are asking it");
                too_late(manners.interval, why)
            })?;
            let mut state = self.read(host);
            let refused = moment::until(state.closed_until);
            let spent = moment::until(state.spent_until);
            let spent = spent.saturating_mul(u32::from(request.metered));
            let slot = state.next.max(moment::now());
            let (time, why) = if spent > refused {
                (spent, String::from("its allowance for today is used up"))
            } else if !refused.is_zero() {
                let why = format!("it refused {} times in a row", state.refusals);
                (refused, why)
            } else {
                (moment::until(slot), String::from("its pace"))
            };
            if time > deadline.saturating_duration_since(Instant::now()) {
                return Err(too_late(time, why));
            }
            if !time.is_zero() {
                waits(time, &why);
            }
            if !refused.max(spent).is_zero() {
                drop(lock);
                exchange::wait(time);
                continue;
            }
            let interval = manners.interval.saturating_mul(request.slots);
            state.next = slot.saturating_add(milliseconds(interval));
            self.write(host, &state);
            let lock = lock.filter(|_| manners.exclusive);
            exchange::wait(time);
            return Ok(Turn { lock });
        }
    }

    /// Keeps what an answer says: an allowance that is used up; a refusal for the sake of the pace, with its pause; or else that the
    /// host answers again, and whatever it refused before is forgotten.
    pub(crate) fn heard(
        &self,
        host: &'static Host,
        turn: &Turn,
        answer: &Answer,
        again: Again,
        is_limit: bool,
    ) {
        let _lock = match (&turn.lock, self.path(host, "lock")) {
            (None, Some(path)) => Lock::acquire(&path).ok(),
            _ => None,
        };
        let old = self.read(host);
        let mut state = old.clone();
        let now = moment::now();
        let after = |time: Duration| now.saturating_add(milliseconds(time));
        let allowance = Allowance::of(|name| answer.header(name));
        if let Some(spent) = allowance.filter(|allowance| allowance.is_spent()) {
            state.spent_until = after(spent.reset.min(DAY));
        }
        match again {
            // An answer that was under way says nothing about a pause that the host has asked for since.
            Again::No if is_limit || state.closed_until > now => {}
            Again::No => {
                state.refusals = 0;
                state.closed_until = 0;
            }
            Again::Soon if !is_limit => {}
            Again::Soon | Again::After(_) => {
                state.refusals = state.refusals.saturating_add(1);
                let own = |over: u32| FIRST_PAUSE.saturating_mul(1 << over.min(10));
                let over = state.refusals.checked_sub(REFUSALS);
                let pause = match again {
                    Again::After(pause) => pause,
                    _ => over.map_or(Duration::ZERO, own).min(LONGEST_PAUSE),
                };
                state.closed_until = state.closed_until.max(after(pause));
            }
        }
        if state != old {
            self.write(host, &state);
        }
    }

    /// The host's lock, where there can be one.
    ///
    /// **Errors**: [`FsError::Locked`] when the deadline comes first.
    fn lock(&self, host: &'static Host, deadline: Instant) -> Result<Option<Lock>, FsError> {
        let path = self.path(host, "lock");
        match path.map(|path| Lock::acquire_before(&path, deadline)) {
            Some(Err(late @ FsError::Locked { .. })) => Err(late),
            lock => Ok(lock.and_then(Result::ok)),
        }
    }

    fn read(&self, host: &'static Host) -> State {
        let path = self.path(host, "json");
        let bytes = path.and_then(|path| aris_fs::read_optional(&path, 64 << 10).ok());
        let state: State = match bytes {
            Some(bytes) => serde_json::from_slice(&bytes.unwrap_or_default()).unwrap_or_default(),
            None => self.here().get(host.name).cloned().unwrap_or_default(),
        };
        let furthest = moment::now().saturating_add(milliseconds(FURTHEST));
        let sane = state.next <= furthest
            && state.closed_until <= furthest
            && state.spent_until <= moment::now().saturating_add(milliseconds(DAY));
        if state.boot == self.boot && sane {
            return state;
        }
        State {
            boot: self.boot.clone(),
            ..State::default()
        }
    }

    fn write(&self, host: &'static Host, state: &State) {
        let text = serde_json::to_vec(state).unwrap_or_default();
        let path = self.path(host, "json");
        let written = path.is_some_and(|path| aris_fs::replace_unsynced(&path, &text).is_ok());
        if !written {
            self.here().insert(host.name, state.clone());
        }
    }

    fn here(&self) -> MutexGuard<'_, BTreeMap<&'static str, State>> {
        self.here.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn path(&self, host: &Host, what: &str) -> Option<PathBuf> {
        let folder = self.folder.as_ref()?;
        Some(folder.join(format!("{}.{what}", host.name)))
    }
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
