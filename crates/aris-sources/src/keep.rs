//! How long answers are cached. A record rarely changes, search results change daily, and an absent paper may appear tomorrow.

use std::time::Duration;

/// A record requested by its identifier: 30 days, as in the reference's verification cache.
pub const RECORD: Duration = Duration::from_hours(30 * 24);

/// The results of a search.
pub const SEARCH: Duration = Duration::from_hours(24);

/// "There is no such thing."
pub const ABSENCE: Duration = Duration::from_hours(24);
