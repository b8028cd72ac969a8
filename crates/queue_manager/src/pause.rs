//! Waiting.

use std::time::Duration;

use rustix::event::{Timespec, poll};

/// Waits, without a look at what happens meanwhile.
pub(crate) fn pause(time: Duration) {
    let timeout = Timespec::try_from(time).ok();
    // A signal may cut it short: nothing depends on its length.
    poll(&mut [], timeout.as_ref()).map_or_else(drop, drop);
}
