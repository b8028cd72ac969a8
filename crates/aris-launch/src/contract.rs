//! The parts of a helper's contract that a launcher shows.

use serde::Deserialize;

/// `<helper>.contract.json`, as far as the generators read it; other fields are ignored.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Contract {
    /// Canonical name of the helper.
    pub name: String,
    /// Version of the helper, `1.2.3`.
    pub version: String,
    /// What it does, in one line.
    pub summary: String,
    /// The line of usage.
    pub usage: String,
    /// What it reads.
    pub input: String,
    /// What stdout carries.
    pub output: String,
    /// What stderr carries.
    pub stderr: String,
    /// Every exit code, ascending.
    pub exit: Vec<Exit>,
    /// Schema ids of its JSON.
    pub json_schemas: Vec<String>,
    /// Worked calls.
    pub examples: Vec<String>,
}

/// One exit code and what it means.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Exit {
    /// The code.
    pub code: u8,
    /// Its meaning for this helper.
    pub meaning: String,
}
