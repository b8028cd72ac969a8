//! Rules for skills and tools: contracts, verdicts, registries.

use crate::rules::{Findings, Scope};
mod contract;
mod gate;
mod tool;
mod verdict;

pub(super) fn check(scope: &Scope<'_>, out: &mut Findings) {
    contract::check(scope, out);
    verdict::check(scope, out);
    tool::check(scope, out);
}
