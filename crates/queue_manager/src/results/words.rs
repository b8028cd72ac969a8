//! Times and numbers in the form for people.

use std::collections::BTreeMap;

use jiff::Timestamp;

/// Seconds between two times; 0 if a clock was set back in between.
pub(super) fn seconds(from: Timestamp, to: Timestamp) -> f64 {
    to.duration_since(from).as_secs_f64().max(0.0)
}

/// A duration in its two largest units: `0.4s`, `42s`, `7m 03s`, `4h 02m`, `2d 05h`.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a duration is at least 0, and a cast to u64 saturates"
)]
pub(super) fn duration(seconds: f64) -> String {
    if seconds < 9.95 {
        return format!("{seconds:.1}s");
    }
    whole(seconds.round() as u64)
}

/// The same for whole seconds: `5s`, `1m 05s`.
pub(crate) fn whole(all: u64) -> String {
    let (days, hours) = (all / 86_400, all / 3_600 % 24);
    let (minutes, seconds) = (all / 60 % 60, all % 60);
    match all {
        0..60 => format!("{seconds}s"),
        60..3_600 => format!("{minutes}m {seconds:02}s"),
        3_600..86_400 => format!("{hours}h {minutes:02}m"),
        _ => format!("{days}d {hours:02}h"),
    }
}

/// Card time: from one hour on in hours, the unit of budgets; `43.2 h`.
pub(super) fn card_time(seconds: f64) -> String {
    if seconds < 3_600.0 {
        return duration(seconds);
    }
    format!("{:.1} h", seconds / 3_600.0)
}

/// A time in the form `2026-04-16 11:36:29 UTC`.
pub(super) fn time(time: Timestamp) -> String {
    time.strftime("%Y-%m-%d %H:%M:%S UTC").to_string()
}

/// ` (and 2 more)`, or nothing for 0; `what` is the word after the number.
pub(crate) fn more(number: usize, what: &str) -> String {
    match number {
        0 => String::new(),
        number => format!(" (and {number} {what})"),
    }
}

/// Counts by kind, such as `3 completed`.
pub(crate) fn tallied<N: std::fmt::Display>(counts: &BTreeMap<&str, N>, between: &str) -> String {
    let counts = counts.iter();
    let counts: Vec<String> = counts
        .map(|(what, count)| format!("{count} {what}"))
        .collect();
    counts.join(between)
}

/// A text on one line: control characters become blanks.
pub(super) fn one_line(text: &str) -> String {
    text.chars()
        .map(|char| if char.is_control() { ' ' } else { char })
        .collect()
}
