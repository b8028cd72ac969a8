//! A helper's contract as the generators read it.

use aris_launch::Contract;

use crate::fault::Fault;

/// Reads the contract that the helper `name` printed.
pub(crate) fn parse(name: &str, text: &str) -> Result<Contract, Fault> {
    serde_json::from_str(text).map_err(|error| Fault::new(format!("contract of {name}: {error}")))
}
