//! `.aris/config.yaml`, as far as it is about this.

use std::path::Path;

use aris_gates::{Kept, Part, kept, own};
use aris_review::Gate;
use serde::Deserialize;

use crate::error::{self, Error};

/// The file, below the project.
const FILE: &str = ".aris/config.yaml";

/// Bytes of a configuration.
const LIMIT: u64 = 1 << 20;

/// What is configured for one gate.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Config {
    /// What says whether a report stands.
    pub(crate) validation_command: Option<String>,
    /// Seconds it may take.
    pub(crate) validation_timeout: Option<u64>,
}

/// The file: sections of others are not looked at.
#[derive(Debug, Default, Deserialize)]
struct File {
    claims_review: Option<Config>,
    research_review: Option<Config>,
}

impl Config {
    /// Reads the section of `gate` below `project`; without a file or a section everything has its default. A file that git knows is read from
    /// the branch `base` that the pull request goes to: what the pull request itself says is not to be run. No part of the way to it may be a link or a submodule.
    pub(crate) fn read(project: &Path, gate: Gate, base: Option<&str>) -> Result<Self, Error> {
        let path = project.join(FILE);
        own(project, &path, Part::File)?;
        let Some(bytes) = aris_fs::read_optional(&path, LIMIT)? else {
            return Ok(Self::default());
        };
        let bytes = match kept(project, FILE, base)? {
            Kept::Untracked => bytes,
            Kept::In(None) => return Ok(Self::default()),
            Kept::In(Some(bytes)) => bytes,
            Kept::NoBase => return Err(error::no_base(&path)),
        };
        let wrong = |what: &str| error::config(&path, what);
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
