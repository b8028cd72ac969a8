//! Runs checks that may panic.

use std::panic::{self, AssertUnwindSafe};

use crate::finding::{Finding, FindingId};
use crate::text::short;

/// Runs a check; a panic becomes a blocking finding.
pub(crate) fn guarded<T>(
    what: &str,
    findings: &mut Vec<Finding>,
    check: impl FnOnce() -> T,
) -> Option<T> {
    match panic::catch_unwind(AssertUnwindSafe(check)) {
        Ok(value) => Some(value),
        Err(payload) => {
            let text = payload.downcast_ref::<String>().map(String::as_str);
            let text = text.or(payload.downcast_ref::<&str>().copied());
            let text = short(text.unwrap_or_default());
            let message =
                format!("the check of {what} crashed, so nothing is known about it: {text}");
            let fix = "report this with the paper that caused it";
            findings.push(Finding::new(FindingId::Internal, message, fix));
            None
        }
    }
}
