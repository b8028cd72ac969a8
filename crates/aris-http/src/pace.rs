//! The pace of a host over all processes, and the breaker that keeps everybody from asking a host that has had enough.
//!
//! One small file for each host says when the next request may begin and until when the host asked to be left alone. It is read and
//! written under a lock that the system frees when its holder dies. Times are counted since boot, so that a clock that is set changes
//! nothing; a file from an earlier boot is nothing.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use aris_contract::text::counted;
use aris_fs::{FsError, Lock};
use rustix::time::{ClockId, clock_gettime};
use serde::{Deserialize, Serialize};

use crate::again::{Again, wait};
use crate::error::HttpError;
use crate::host::Host;
use crate::request::Request;
use crate::response::Allowance;
use crate::settings::{Event, Settings};
use crate::wire::{Answer, header};

/// After so many refusals (429) in a row nobody asks for a while, even where the host names no time.
const REFUSALS: u32 = 3;

/// The first of these pauses; it doubles with each further refusal.
const FIRST_PAUSE: Duration = Duration::from_secs(30);

/// The longest of these pauses.
const LONGEST_PAUSE: Duration = Duration::from_mins(15);

/// A slot further ahead than this is a damaged file, not a queue.
const FURTHEST: Duration = Duration::from_hours(2);

/// No allowance is for longer, and for no longer does a host that asks for a pause stay unasked.
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
pub(crate) struct Turn<'a> {
    pace: &'a Pace,
    host: &'static Host,
    lock: Option<Lock>,
}

impl Pace {
    pub(crate) fn new(folder: Option<&Path>) -> Self {
        Self {
            folder: folder.map(|folder| folder.join("pace")),
            boot: boot(),
            here: Mutex::default(),
        }
    }

    /// Waits for the moment when `request` may be sent, and tells of each wait before it begins.
    ///
    /// **Errors**: [`HttpError::TooLate`] when that moment lies behind the deadline; nothing is reserved then.
    pub(crate) fn turn(
        &self,
        request: &Request,
        settings: &Settings,
        deadline: Instant,
    ) -> Result<Turn<'_>, HttpError> {
        let host = request.host;
        let manners = settings.manners(host);
        let too_late = |wait: Duration, mut why: String| {
            if let (Some((key, _)), None) = (host.key, settings.key(host)) {
                why = format!("{why}; {key} is not set");
            }
            let host = host.name;
            HttpError::TooLate { host, wait, why }
        };
        loop {
            let path = self.path(host, "lock");
            let lock = match path.map(|path| Lock::acquire_before(&path, deadline)) {
                Some(Err(FsError::Locked { .. })) => {
                    let why = String::from("other processes are asking it");
                    return Err(too_late(manners.interval, why));
                }
                // Where there can be no lock, the pace is kept without it.
                lock => lock.and_then(Result::ok),
            };
            let mut state = self.read(host);
            let refused = until(state.closed_until);
            let spent = until(state.spent_until);
            let spent = spent.saturating_mul(u32::from(request.metered));
            let slot = state.next.max(now());
            let (time, why) = if spent > refused {
                (spent, String::from("its allowance for today is used up"))
            } else if !refused.is_zero() {
                let why = format!("it refused {} in a row", counted(state.refusals, "time"));
                (refused, why)
            } else {
                (until(slot), String::from("its pace"))
            };
            if time > deadline.saturating_duration_since(Instant::now()) {
                return Err(too_late(time, why));
            }
            if !time.is_zero() {
                (settings.listener)(&Event::Waiting(host.name, time, why));
            }
            if !refused.max(spent).is_zero() {
                drop(lock);
                wait(time);
                continue;
            }
            let interval = manners.interval.saturating_mul(request.slots);
            state.next = slot.saturating_add(milliseconds(interval));
            self.write(host, state);
            let lock = lock.filter(|_| manners.exclusive);
            wait(time);
            (settings.listener)(&Event::Asking(host.name));
            let pace = self;
            return Ok(Turn { pace, host, lock });
        }
    }

    fn read(&self, host: &'static Host) -> State {
        let path = self.path(host, "json");
        let bytes = path.and_then(|path| aris_fs::read_optional(&path, 64 << 10).ok());
        let state: State = match bytes {
            Some(bytes) => serde_json::from_slice(&bytes.unwrap_or_default()).unwrap_or_default(),
            None => self.here().get(host.name).cloned().unwrap_or_default(),
        };
        let furthest = now().saturating_add(milliseconds(FURTHEST));
        let sane = state.next <= furthest
            && state.closed_until <= now().saturating_add(milliseconds(DAY))
            && state.spent_until <= now().saturating_add(milliseconds(DAY));
        Some(state)
            .filter(|state| state.boot == self.boot && sane)
            .unwrap_or_default()
    }

    fn write(&self, host: &'static Host, mut state: State) {
        state.boot.clone_from(&self.boot);
        let text = serde_json::to_vec(&state).unwrap_or_default();
        let path = self.path(host, "json");
        let written = path.is_some_and(|path| aris_fs::replace_unsynced(&path, &text).is_ok());
        if !written {
            self.here().insert(host.name, state);
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

impl Turn<'_> {
    /// Keeps what an answer says: an allowance that is used up; a refusal for the sake of the pace, with its pause; or else that the
    /// host answers again, and whatever it refused before is forgotten.
    pub(crate) fn heard(&self, answer: &Answer, again: Again, is_limit: bool) {
        let (pace, host) = (self.pace, self.host);
        let path = pace.path(host, "lock").filter(|_| self.lock.is_none());
        let _lock = path.and_then(|path| Lock::acquire(&path).ok());
        let old = pace.read(host);
        let mut state = old.clone();
        let now = now();
        let after = |time: Duration| now.saturating_add(milliseconds(time));
        let allowance = Allowance::of(|name| header(answer, name));
        if let Some(spent) = allowance.filter(|allowance| allowance.is_spent()) {
            state.spent_until = after(spent.reset.min(DAY));
        }
        // An answer that was under way says nothing about a pause that the host has asked for since.
        if again == Again::No && !is_limit && state.closed_until <= now {
            state.refusals = 0;
        }
        if matches!(again, Again::After(_)) || again == Again::Soon && is_limit {
            state.refusals = state.refusals.saturating_add(1);
            let over = state.refusals.checked_sub(REFUSALS);
            let own = |over: u32| FIRST_PAUSE.saturating_mul(1 << over.min(10));
            let pause = match again {
                Again::After(pause) => pause.min(DAY),
                _ => over.map_or(Duration::ZERO, own).min(LONGEST_PAUSE),
            };
            state.closed_until = state.closed_until.max(after(pause));
        }
        if state != old {
            pace.write(host, state);
        }
    }
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// The clock since boot. It counts sleep where the system has such a clock.
#[cfg(any(target_os = "linux", target_os = "android"))]
const CLOCK: ClockId = ClockId::Boottime;
#[cfg(not(any(target_os = "linux", target_os = "android")))]
const CLOCK: ClockId = ClockId::Monotonic;

/// Milliseconds since this machine started: the same in every process, never set back.
fn now() -> u64 {
    milliseconds(clock_gettime(CLOCK).try_into().unwrap_or_default())
}

/// What identifies this boot, so that a number kept from an earlier one is not taken for a time. Empty where the system does not say.
fn boot() -> String {
    let text = aris_fs::read_text(Path::new("/proc/sys/kernel/random/boot_id"));
    text.unwrap_or_default().trim().to_owned()
}

/// From now until `then`.
fn until(then: u64) -> Duration {
    Duration::from_millis(then.saturating_sub(now()))
}
