//! The parts of a helper's contract that the generators need.

use serde::Deserialize;

use crate::fault::Fault;

/// `<helper>.contract.json`, as far as xtask reads it.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Contract {
    pub(crate) version: String,
    pub(crate) summary: String,
    pub(crate) usage: String,
    pub(crate) input: String,
    pub(crate) output: String,
    pub(crate) stderr: String,
    pub(crate) exit: Vec<Exit>,
    pub(crate) json_schemas: Vec<String>,
    pub(crate) examples: Vec<String>,
}

/// One exit code and what it means.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Exit {
    pub(crate) code: u8,
    pub(crate) meaning: String,
}

/// Reads the contract that the helper `name` printed.
pub(crate) fn parse(name: &str, text: &str) -> Result<Contract, Fault> {
    serde_json::from_str(text).map_err(|error| Fault::new(format!("contract of {name}: {error}")))
}
