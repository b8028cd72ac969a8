//! Two clocks: a monotonic one for limits, and the time of day for people.

use std::time::Duration;

use jiff::Timestamp;
use rustix::time::{ClockId, Timespec, clock_gettime};

/// Time since some moment of this boot. It is monotonic, and counts while the machine sleeps, so that limits are in real time.
pub(crate) fn steady() -> Duration {
    Duration::try_from(clock_gettime(ClockId::Boottime)).unwrap_or_default()
}

/// The time of day, for records that people read. No decision depends on it.
pub(crate) fn wall() -> Timestamp {
    let Timespec { tv_sec, tv_nsec } = clock_gettime(ClockId::Realtime);
    Timestamp::new(tv_sec, i32::try_from(tv_nsec).unwrap_or(0)).unwrap_or(Timestamp::UNIX_EPOCH)
}

/// The whole milliseconds of a duration.
pub(crate) fn milliseconds(span: Duration) -> u64 {
    u64::try_from(span.as_millis()).unwrap_or(u64::MAX)
}
