//! Times as artifacts write them: UTC, whole seconds, `2026-11-20T10:41:00Z`.

use jiff::Timestamp;
use jiff::tz::TimeZone;

/// The artifact form of a moment; fractions of a second are cut off.
pub fn stamp(moment: Timestamp) -> String {
    Timestamp::from_second(moment.as_second())
        .unwrap_or(moment)
        .to_string()
}

/// The calendar day of a moment in UTC, `2026-11-20`.
pub fn day(moment: Timestamp) -> String {
    moment.to_zoned(TimeZone::UTC).date().to_string()
}

/// Parses an RFC 3339 time in UTC, written with `Z` or `+00:00`; `None` for anything else.
pub fn parse_utc(text: &str) -> Option<Timestamp> {
    let utc = text.ends_with('Z') || text.ends_with("+00:00");
    let shaped = text.get(10..11) == Some("T") && text.is_ascii();
    if utc && shaped {
        text.parse().ok()
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stamps_are_whole_seconds_in_utc() {
        let moment = Timestamp::from_millisecond(1_763_635_260_999).expect("in range");
        assert_eq!(stamp(moment), "2025-11-20T10:41:00Z");
        assert_eq!(day(moment), "2025-11-20");
    }

    #[test]
    fn only_utc_times_are_read() {
        for good in [
            "2026-04-21T14:23:01Z",
            "2026-04-21T14:23:01.5Z",
            "2026-04-21T14:23:01+00:00",
        ] {
            assert!(parse_utc(good).is_some(), "{good}");
        }
        for bad in [
            "",
            "2026-04-21",
            "2026-02-30T00:00:00Z",
            "2026-04-21T14:23:01",
            "2026-04-21T14:23:01+08:00",
            "yesterday Z",
            "2026-04-21t14:23:01Z",
            "2026-04-21 14:23:01Z",
            "2026-04-21T14:23:01z",
            "2026-04-21T14:23:01-00:00",
            "2026-04-21T24:00:00Z",
            "2026-13-21T14:23:01Z",
            "2026-04-21T14:23:01Z[UTC]\u{e9}Z",
        ] {
            assert!(parse_utc(bad).is_none(), "{bad}");
        }
    }
}
