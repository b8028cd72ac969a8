//! How long answers are kept. A record changes rarely, a search every day, and what is absent today may be there tomorrow.

use std::time::Duration;

/// A record that was asked for by its identifier: 30 days, as the reference's verification cache.
pub const RECORD: Duration = Duration::from_hours(30 * 24);

/// The results of a search.
pub const SEARCH: Duration = Duration::from_hours(24);

/// "There is no such thing."
pub const ABSENCE: Duration = Duration::from_hours(24);
