//! Skills and tools: contracts, verdicts, texts, registries.

mod contract;
mod text;
mod tool;
mod verdict;

use super::findings::Findings;
use super::scope::Scope;

pub(super) fn check(scope: &Scope<'_>, out: &mut Findings) {
    contract::check(scope, out);
    verdict::check(scope, out);
    text::check(scope, out);
    tool::check(scope, out);
}
