//! A clock that all processes of this machine share and nobody can set.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// The clock since boot. It counts sleep where the system has such a clock.
#[cfg(any(target_os = "linux", target_os = "android"))]
const CLOCK: ClockId = ClockId::Boottime;
#[cfg(not(any(target_os = "linux", target_os = "android")))]
const CLOCK: ClockId = ClockId::Monotonic;

/// Milliseconds since this machine started: the same in every process, never set back.
pub(crate) fn now() -> u64 {
    let time = clock_gettime(CLOCK);
    let seconds = u64::try_from(time.tv_sec).unwrap_or_default();
    let nanoseconds = u64::try_from(time.tv_nsec).unwrap_or_default();
    seconds * 1000 + nanoseconds / 1_000_000
}

/// What identifies this boot, so that a number kept from an earlier one is not taken for a time. Empty where the system does not say.
pub(crate) fn boot() -> String {
    let path = std::path::Path::new("/proc/sys/kernel/random/boot_id");
    let bytes = aris_fs::read_optional(path, 64).unwrap_or_default();
    let text = String::from_utf8(bytes.unwrap_or_default()).unwrap_or_default();
    text.trim().to_owned()
}

/// From now until `then`.
pub(crate) fn until(then: u64) -> Duration {
    Duration::from_millis(then.saturating_sub(now()))
}
