//! A choice of rules.

use std::str::FromStr;

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

/// A choice of rules.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Deserialize,
    Serialize,
    ValueEnum,
    strum::IntoStaticStr,
)]
#[strum(serialize_all = "lowercase")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Profile {
    /// For a skill that goes to every host: SR0, SR1, SR4, SR507, SR7, SR9
    Portable,
    /// For any repository; heuristics are warnings at most.
    #[default]
    Recommended,
    /// For this repository: everything that is not off.
    Project,
    /// Everything, with its plain severity.
    All,
}

impl Profile {
    /// Its word on the command line.
    pub fn word(self) -> &'static str {
        self.into()
    }
}

impl FromStr for Profile {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        <Self as ValueEnum>::from_str(text, false).map_err(|_unknown| {
            format!("`{text}` is no profile; choose portable, recommended, project or all")
        })
    }
}
