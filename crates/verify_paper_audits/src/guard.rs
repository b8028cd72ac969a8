//! Checks that may crash.

use std::panic::{self, AssertUnwindSafe};

use crate::finding::{Finding, FindingId};
use crate::text::short;

/// Runs a check; a crash becomes a finding that blocks, never silence.
pub(crate) fn guarded<T>(
    what: &str,
    findings: &mut Vec<Finding>,
    check: impl FnOnce() -> T,
) -> Option<T> {
    match panic::catch_unwind(AssertUnwindSafe(check)) {
        Ok(value) => Some(value),
        Err(payload) => {
            let text = payload.downcast_ref::<String>().cloned();
            let text = text
                .or_else(|| {
                    payload
                        .downcast_ref::<&str>()
                        .map(|text| (*text).to_owned())
                })
                .unwrap_or_default();
            findings.push(Finding::new(
                FindingId::Internal,
                format!(
                    "the check of {what} crashed, so nothing is known about it: {}",
                    short(&text)
                ),
                "report this with the paper that caused it",
            ));
            None
        }
    }
}
