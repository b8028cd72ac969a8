//! The subcommands, one file each.

pub(crate) mod backfill;
pub(crate) mod checklist;
pub(crate) mod resolve;
pub(crate) mod run;
pub(crate) mod status;

use aris_contract::helpers::{self, Helper};
use aris_contract::integrations::{self, Integration};
use aris_contract::policy::Policy;

use crate::error::Error;

/// The helper called `name`, canonical or legacy. Only the table's names are ever looked up: a path is none of them.
fn helper(name: &str) -> Result<&'static Helper, Error> {
    helpers::find(name).ok_or_else(|| Error::UnknownHelper {
        name: name.to_owned(),
    })
}

/// The policy that the caller asks for, if the contract allows it; else the helper's own.
fn policy(helper: &'static Helper, asked: Option<Policy>) -> Result<Policy, Error> {
    match asked {
        None => Ok(helper.policy),
        Some(policy) if helper.allows(policy) => Ok(policy),
        Some(policy) => Err(Error::policy(helper, policy)),
    }
}

fn integration(name: &str) -> Result<&'static Integration, Error> {
    integrations::find(name).ok_or_else(|| Error::UnknownIntegration {
        name: name.to_owned(),
    })
}
