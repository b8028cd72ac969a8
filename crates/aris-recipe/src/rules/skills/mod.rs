//! Skills and tools: contracts, verdicts, registries.

mod contract;
mod gate;
mod tool;
mod verdict;

use super::findings::Findings;
use super::scope::Scope;

pub(super) fn check(scope: &Scope<'_>, out: &mut Findings) {
    contract::check(scope, out);
    verdict::check(scope, out);
    tool::check(scope, out);
}
