//! What can go wrong.

use aris_contract::helpers;
use aris_contract::policy::Policy;
use aris_contract::{ErrorKind, Failure, integrations};
use aris_fs::FsError;
use serde_json::{Map, Value};

/// Errors of `contract_check`.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// No helper of the contract has this name.
    #[error("no helper of the contract is called {0:?}")]
    UnknownHelper(String),
    /// No integration has this name.
    #[error("no integration is called {0:?}")]
    UnknownIntegration(String),
    /// The contract does not allow this policy for the helper.
    #[error("the contract does not allow policy {} for {helper}", policy.letter())]
    PolicyNotAllowed {
        /// The helper.
        helper: &'static str,
        /// The policy.
        policy: Policy,
        /// The policies it allows, as letters.
        allowed: String,
    },
    /// `--set` gives a name that no command of the integration uses.
    #[error("no command of {integration} has a {{{name}}}")]
    UnknownSetting {
        /// The integration.
        integration: &'static str,
        /// The name.
        name: String,
        /// Names that its commands use.
        known: Vec<String>,
    },
    /// Some values of the commands are missing, so they cannot be run.
    #[error("the commands of {integration} need a value for {}", missing.join(", "))]
    MissingSettings {
        /// The integration.
        integration: &'static str,
        /// Names of the missing values.
        missing: Vec<String>,
    },
    /// `--project` is not a folder.
    #[error(transparent)]
    Folder(FsError),
    /// The outcome cannot be recorded. The helper has already run.
    #[error("the outcome cannot be recorded")]
    Record(#[source] FsError),
}

impl Failure for Error {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::UnknownHelper(_)
            | Self::UnknownIntegration(_)
            | Self::PolicyNotAllowed { .. }
            | Self::UnknownSetting { .. }
            | Self::MissingSettings { .. } => ErrorKind::Usage,
            Self::Folder(error) => error.kind(),
            Self::Record(_) => ErrorKind::Precondition,
        }
    }

    fn hint(&self) -> Option<String> {
        Some(match self {
            Self::UnknownHelper(_) => {
                let names = helpers::contract().map(|helper| helper.name.as_str());
                let mut names: Vec<&str> = names.collect();
                names.sort_unstable();
                format!("the helpers are {}", names.join(", "))
            }
            Self::UnknownIntegration(_) => {
                let names = integrations::all().iter().map(|row| row.name.as_str());
                let names: Vec<&str> = names.collect();
                format!("the integrations are {}", names.join(", "))
            }
            Self::PolicyNotAllowed { allowed, .. } => {
                format!("it allows {allowed}; without --policy the first of them is taken")
            }
            Self::UnknownSetting { known, .. } if known.is_empty() => {
                String::from("leave --set out: no command of it needs a value")
            }
            Self::UnknownSetting { known, .. } => {
                format!("its commands have {{{}}}", known.join("}, {"))
            }
            Self::MissingSettings { missing, .. } => {
                format!("add --set {}=VALUE", missing.join("=VALUE --set "))
            }
            Self::Folder(_) => String::from("name an existing folder"),
            Self::Record(error) => return error.hint(),
        })
    }

    fn details(&self) -> Map<String, Value> {
        match self {
            Self::Folder(error) | Self::Record(error) => error.details(),
            _ => Map::new(),
        }
    }
}
