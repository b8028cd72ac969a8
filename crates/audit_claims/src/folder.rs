//! The output folder: the only place that is written to.

use std::path::{Path, PathBuf};

use aris_cli::Context;
use aris_contract::json::{self, Limits};
use aris_review::{Claim, Gate};
use serde::Serialize;

use crate::error::Error;

/// Flag of commands that keep files.
#[derive(Debug, clap::Args)]
pub(crate) struct FolderArgs {
    /// Keep files there; default: .aris/temp/audit-claims, for the other gate .aris/temp/review-research-pr
    #[arg(long, value_name = "DIR")]
    out_dir: Option<PathBuf>,
    /// Which of the two gates
    #[arg(long, default_value = "claims", value_name = "claims|review", value_parser = |text: &str| text.parse::<Gate>())]
    pub(crate) gate: Gate,
}

impl FolderArgs {
    pub(crate) fn folder(&self, context: &Context) -> Folder {
        let default = || PathBuf::from(".aris/temp").join(self.gate.profile().marker);
        let path = self.out_dir.clone().unwrap_or_else(default);
        Folder {
            path: context.absolute(&path),
        }
    }
}

/// The output folder.
#[derive(Debug)]
pub(crate) struct Folder {
    path: PathBuf,
}

impl Folder {
    pub(crate) fn at(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Writes a file, whole or not at all; one that says the same already stays untouched.
    pub(crate) fn write(&self, name: &str, bytes: &[u8]) -> Result<PathBuf, Error> {
        let path = self.at(name);
        aris_fs::write_changed(&path, bytes)?;
        Ok(path)
    }

    pub(crate) fn write_json(&self, name: &str, value: &impl Serialize) -> Result<PathBuf, Error> {
        let mut text = serde_json::to_string_pretty(value).map_err(Error::Written)?;
        text.push('\n');
        self.write(name, text.as_bytes())
    }

    /// The claims of an earlier step; none when there was none.
    pub(crate) fn claims(&self, number: u64) -> Result<Vec<Claim>, Error> {
        let path = self.at(&format!("claims_{number}.json"));
        match aris_fs::read_optional(&path, aris_fs::READ_LIMIT)? {
            None => Ok(Vec::new()),
            Some(bytes) => {
                json::typed(&bytes, Limits::ARTIFACT).map_err(|source| Error::Json { path, source })
            }
        }
    }

    /// The diff of an earlier step, or of a file.
    pub(crate) fn diff(
        &self,
        given: Option<&Path>,
        number: u64,
        context: &Context,
    ) -> Result<Option<Vec<u8>>, Error> {
        match given {
            Some(path) => {
                let path = context.absolute(path);
                Ok(Some(aris_fs::read(&path, aris_fs::READ_LIMIT)?))
            }
            None => Ok(aris_fs::read_optional(
                &self.at(&format!("diff_{number}.txt")),
                aris_fs::READ_LIMIT,
            )?),
        }
    }
}
