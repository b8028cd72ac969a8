//! The subcommands, one file each.

pub(crate) mod backfill;
pub(crate) mod checklist;
pub(crate) mod resolve;
pub(crate) mod run;
pub(crate) mod status;

use aris_contract::helpers::{self, Helper};
use aris_contract::integrations::{self, Integration};
use aris_contract::policy::Policy;

use crate::cli::HelperArgs;
use crate::error::Error;

/// The helper, by a canonical or legacy name, and the policy: the caller's, if the contract allows it, else the helper's own.
/// Only names in the table are accepted, never paths.
fn asked(args: &HelperArgs) -> Result<(&'static Helper, Policy), Error> {
    let name = &args.helper;
    let helper = helpers::find(name).ok_or_else(|| Error::UnknownHelper(name.clone()))?;
    let policy = args.policy.unwrap_or(helper.policy);
    if helper.allows(policy) {
        return Ok((helper, policy));
    }
    let allowed = std::iter::once(&helper.policy).chain(&helper.other_policies);
    let allowed: Vec<&str> = allowed.map(|policy| policy.letter()).collect();
    Err(Error::PolicyNotAllowed {
        helper: &helper.name,
        policy,
        allowed: allowed.join(", "),
    })
}

fn integration(name: &str) -> Result<&'static Integration, Error> {
    integrations::find(name).ok_or_else(|| Error::UnknownIntegration(name.to_owned()))
}
