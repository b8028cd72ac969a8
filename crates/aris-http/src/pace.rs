//! The pace of a host across all processes, and a circuit breaker: after repeated refusals, nobody asks the host for a while.
//!
//! One small file per host says when the next request may start and until when the host must not be asked. It is read and written
//! under a lock that the system releases when its holder dies. Times are counted since boot, so that changes of the clock do not
//! matter; a file from an earlier boot is ignored.

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

/// After this number of refusals (429) in a row nobody asks for a while, even if the host names no time.
const REFUSALS: u32 = 3;

/// The first of these pauses; it doubles with each further refusal.
const FIRST_PAUSE: Duration = Duration::from_secs(30);

/// The longest of these pauses.
const LONGEST_PAUSE: Duration = Duration::from_mins(15);

/// A start time further ahead than this comes from a damaged file, not from a queue.
const FURTHEST: Duration = Duration::from_hours(2);

/// Longest pause: allowances last a day, and longer pauses that a host asks for are shortened to this.
const DAY: Duration = Duration::from_hours(24);

/// What the processes of this machine know about a host. Times are in milliseconds since boot.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
struct State {
    boot: String,
    next: u64,
    refusals: u32,
    closed_until: u64,
    /// Until then the allowance is used up; only requests that cost nothing are sent.
    spent_until: u64,
}

/// The pace of all hosts.
#[derive(Debug)]
pub(crate) struct Pace {
    /// `None` where nothing can be stored.
    folder: Option<PathBuf>,
    boot: String,
    /// The state in this process, used when the folder cannot be used.
    here: Mutex<BTreeMap<&'static str, State>>,
}

/// Permission to send one request now. For an exclusive host, nobody else gets one until this is dropped.
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

    /// Waits until `request` may be sent, and reports each wait to the listener first.
    ///
    /// **Errors**: [`HttpError::TooLate`] when that would be after the deadline; then nothing is reserved.
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
                // If locking is impossible, the pace is kept without a lock.
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
    /// Stores what an answer says: that the allowance is used up; that the host refused because of the pace, with its pause; or that
    /// it answers again, which resets the count of refusals.
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
        // An answer to an earlier request says nothing about a pause that the host has asked for since.
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

/// The clock since boot, including sleep where the system has such a clock.
#[cfg(any(target_os = "linux", target_os = "android"))]
const CLOCK: ClockId = ClockId::Boottime;
#[cfg(not(any(target_os = "linux", target_os = "android")))]
const CLOCK: ClockId = ClockId::Monotonic;

/// Milliseconds since boot: the same in every process, and never set back.
fn now() -> u64 {
    milliseconds(clock_gettime(CLOCK).try_into().unwrap_or_default())
}

/// Identifies this boot, so that times stored in an earlier one are ignored. Empty where the system has no such identifier.
fn boot() -> String {
    let text = aris_fs::read_text(Path::new("/proc/sys/kernel/random/boot_id"));
    text.unwrap_or_default().trim().to_owned()
}

/// The time from now until `then`.
fn until(then: u64) -> Duration {
    Duration::from_millis(then.saturating_sub(now()))
}
