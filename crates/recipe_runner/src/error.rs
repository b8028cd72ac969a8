//! Why there is no answer.

use std::path::PathBuf;

use aris_contract::{ErrorKind, Failure};
use aris_fs::FsError;
use aris_recipe::Finding;
use aris_recipe::rules::data::DataError;
use serde_json::{Map, Value};

/// Errors of `recipe_runner`. What is wrong with a recipe that can be loaded is in its report, never here.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is no such file.
    #[error("{} is no file", path.display())]
    NoFile {
        /// The path.
        path: PathBuf,
    },
    /// The disk refused.
    #[error(transparent)]
    Fs(#[from] FsError),
    /// The file is no recipe, or its sub-recipes cannot be put into it.
    #[error("{}: {}", at(path, findings), first(findings))]
    Recipe {
        /// The path.
        path: PathBuf,
        /// What is wrong; not empty.
        findings: Vec<Finding>,
    },
    /// A file that a recipe is checked against is malformed.
    #[error("{}:{}: {error}", path.display(), error.line)]
    Data {
        /// The path.
        path: PathBuf,
        /// What is wrong.
        error: DataError,
    },
}

fn at(path: &std::path::Path, findings: &[Finding]) -> String {
    match findings.first().and_then(|finding| finding.line) {
        Some(line) => format!("{}:{line}", path.display()),
        None => path.display().to_string(),
    }
}

fn first(findings: &[Finding]) -> String {
    let Some(finding) = findings.first() else {
        return String::from("the recipe is invalid");
    };
    let step = if finding.step.is_empty() {
        String::new()
    } else {
        format!("step {}: ", finding.step)
    };
    let more = match findings.len() {
        0 | 1 => String::new(),
        count => format!(" (and {} more)", count - 1),
    };
    format!("{step}{} ({}){more}", finding.message, finding.rule)
}

impl Failure for Error {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::NoFile { .. } => ErrorKind::NotFound,
            Self::Fs(error) => error.kind(),
            Self::Recipe { .. } | Self::Data { .. } => ErrorKind::Validation,
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::NoFile { .. } => Some(String::from("name a recipe: a YAML file")),
            Self::Fs(error) => error.hint(),
            Self::Data { .. } => Some(String::from("mend that line of the file")),
            Self::Recipe { .. } => Some(String::from(
                "mend the recipe; recipe_runner validate lists everything that is wrong with it",
            )),
        }
    }

    fn details(&self) -> Map<String, Value> {
        let mut details = Map::new();
        match self {
            Self::NoFile { path } => {
                details.insert(
                    String::from("path"),
                    Value::from(path.display().to_string()),
                );
            }
            Self::Fs(error) => details = error.details(),
            Self::Data { path, error } => {
                details.insert(
                    String::from("path"),
                    Value::from(path.display().to_string()),
                );
                details.insert(String::from("line"), Value::from(error.line));
            }
            Self::Recipe { path, findings } => {
                details.insert(
                    String::from("path"),
                    Value::from(path.display().to_string()),
                );
                details.insert(
                    String::from("findings"),
                    serde_json::to_value(findings).unwrap_or_default(),
                );
            }
        }
        details
    }
}
