//! The sections of the gates in `.aris/config.yaml`.

use std::path::Path;

use aris_contract::ErrorKind::{Precondition, Validation};
use aris_gates::{Kept, Part, kept, own};
use aris_review::Gate;
use serde::Deserialize;

use crate::Error;

/// The file, below the project.
const FILE: &str = ".aris/config.yaml";

/// Largest configuration file, in bytes.
const LIMIT: u64 = 1 << 20;

/// An example of a section, for the hint of an error.
const EXAMPLE: &str =
    "for example claims_review: {validation_command: make check, validation_timeout: 120}";

/// What is configured for one gate.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Config {
    /// The shell command that checks a report.
    pub(crate) validation_command: Option<String>,
    /// Longest run of the command, in seconds.
    pub(crate) validation_timeout: Option<u64>,
}

/// The file; sections of other programs are ignored.
#[derive(Debug, Default, Deserialize)]
struct File {
    claims_review: Option<Config>,
    research_review: Option<Config>,
}

impl Config {
    /// Reads the section of `gate` in the file below `project`; without a file or a section everything has its default. A file that git
    /// tracks is read from `base`, the branch that the pull request goes to, even where the branch under review has deleted it: a pull
    /// request must not choose the command that checks it. No part of the path may be a link or a submodule.
    pub(crate) fn read(project: &Path, gate: Gate, base: Option<&str>) -> Result<Self, Error> {
        let path = project.join(FILE);
        own(project, &path, Part::File)?;
        let bytes = match kept(project, FILE, base)? {
            Kept::Untracked => aris_fs::read_optional(&path, LIMIT)?,
            Kept::In(bytes) => bytes,
            Kept::NoBase => {
                let message = format!(
                    "{} is part of the repository, and the branch that the pull request goes to is not known here",
                    path.display()
                );
                let hint = "run fetch of this helper first, which keeps the name of that branch, or git fetch the branch; or give what is to be run with --command and --command-timeout";
                return Err(Error::refused_at(&path, Precondition, message, hint));
            }
        };
        let Some(bytes) = bytes else {
            return Ok(Self::default());
        };
        let wrong = |what: &str| {
            let message = format!("{}: {what}", path.display());
            Error::refused_at(&path, Validation, message, EXAMPLE)
        };
        let text = String::from_utf8(bytes).map_err(|error| wrong(&error.to_string()))?;
        if text.trim().is_empty() {
            return Ok(Self::default());
        }
        let file: Option<File> = serde_saphyr::from_str(&text)
            .map_err(|error| wrong(&aris_review::one_line(&error.to_string(), 300)))?;
        let file = file.unwrap_or_default();
        let section = match gate {
            Gate::Claims => file.claims_review,
            Gate::Review => file.research_review,
        };
        let section = section.unwrap_or_default();
        if section.validation_timeout == Some(0) {
            return Err(wrong("validation_timeout is 0"));
        }
        Ok(section)
    }
}
