//! The output folder, and the files that one step leaves for the next.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use aris_cli::Context;
use aris_contract::json::{self, Limits};
use aris_contract::time::stamp;
use aris_fs::FsError;
use aris_review::{AgentAnswer, Gate, Profile};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::error::GateError;
use crate::own::{Part, own};

/// Flags of commands that keep files.
#[derive(Debug, clap::Args)]
pub struct FolderArgs {
    /// Folder for the files [default: a folder below .aris/temp, named after the gate and the helper]
    #[arg(long, alias = "out-dir", value_name = "DIR")]
    output: Option<PathBuf>,
    /// claims: are the claims of the report supported; review: is the research itself sound
    #[arg(long, default_value = "claims", value_name = "claims|review", value_parser = |text: &str| text.parse::<Gate>())]
    pub gate: Gate,
}

impl FolderArgs {
    /// The default output folder in `place`, whatever `--output` says, to read what an earlier call left there. `usual` names it below
    /// `.aris/temp`.
    ///
    /// **Errors**: see [`own`].
    pub fn usual(&self, place: &Path, usual: fn(&Profile) -> &str) -> Result<Folder, GateError> {
        let path = place.join(".aris/temp").join(usual(self.gate.profile()));
        own(place, &path, Part::Folder)?;
        Ok(Folder {
            path,
            stamp: String::new(),
        })
    }

    /// The output folder: `--output`, else the folder below `.aris/temp` that `usual` names.
    ///
    /// **Errors**: see [`own`].
    pub fn folder(
        &self,
        context: &Context,
        usual: fn(&Profile) -> &str,
    ) -> Result<Folder, GateError> {
        let default = || PathBuf::from(".aris/temp").join(usual(self.gate.profile()));
        let path = self.output.clone().unwrap_or_else(default);
        Ok(Folder {
            path: own_folder(context, &path)?,
            stamp: stamp(context.now()).replace(['-', ':'], ""),
        })
    }
}

/// The absolute path of a folder that the caller names. The branch under review must not be able to provide its content.
///
/// **Errors**: see [`own`].
pub fn own_folder(context: &Context, path: &Path) -> Result<PathBuf, GateError> {
    let path = context.absolute(path);
    // `.aris` itself may be a submodule, so look for the worktree above it.
    let above = || path.ancestors().filter(|folder| folder.ends_with(".aris"));
    let base = if path.starts_with(context.cwd()) {
        context.cwd()
    } else {
        above().last().and_then(Path::parent).unwrap_or(&path)
    };
    own(base, &path, Part::Folder)?;
    Ok(path)
}

/// The output folder of a gate.
#[derive(Debug)]
pub struct Folder {
    /// Its path.
    pub path: PathBuf,
    /// Time of the call for file names: UTC, `YYYYMMDDTHHMMSSZ`. Empty where the folder is only read.
    pub stamp: String,
}

impl Folder {
    /// The path of a file in it.
    pub fn at(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Writes a file, whole or not at all; a file that already has these bytes stays untouched.
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<PathBuf, GateError> {
        let path = self.at(name);
        aris_fs::write_changed(&path, bytes)?;
        Ok(path)
    }

    /// Writes a value as JSON.
    pub fn write_json(&self, name: &str, value: &impl Serialize) -> Result<PathBuf, GateError> {
        self.write(name, &pretty(value)?)
    }

    /// Writes `{before}_{pr}_{stamp}.{ending}`, unless an earlier file of this kind has the same bytes. Returns the path of the file with
    /// these bytes.
    pub fn write_dated(
        &self,
        before: &str,
        pr: u64,
        ending: &str,
        bytes: &[u8],
    ) -> Result<PathBuf, GateError> {
        let mut earlier = self.dated(before, pr)?.into_iter();
        if let Some(there) = earlier.find(|path| aris_fs::holds(path, bytes)) {
            return Ok(there);
        }
        self.write(&format!("{before}_{pr}_{}.{ending}", self.stamp), bytes)
    }

    /// Files of earlier calls whose names begin with `{before}_{pr}_`.
    pub fn dated(&self, before: &str, pr: u64) -> Result<Vec<PathBuf>, GateError> {
        let before = format!("{before}_{pr}_");
        let mut names = self.names()?;
        names.retain(|name| name.starts_with(&before));
        Ok(names.iter().map(|name| self.at(name)).collect())
    }

    /// Names of the files in it, sorted; empty where the folder does not exist.
    pub fn names(&self) -> Result<Vec<String>, GateError> {
        let entries = match aris_fs::list_sorted(&self.path) {
            Err(error) if error.is_not_found() => return Ok(Vec::new()),
            entries => entries?,
        };
        let names = entries.iter().map(|entry| entry.name.to_string_lossy());
        Ok(names.map(Cow::into_owned).collect())
    }
}

/// Reads a JSON file strictly; `hint` tells the user what to give when the file is invalid.
pub fn read<T: DeserializeOwned>(path: &Path, hint: &'static str) -> Result<T, GateError> {
    let bytes = aris_fs::read(path, aris_fs::READ_LIMIT)?;
    let value = json::typed(&bytes, Limits::ARTIFACT);
    value.map_err(|wrong| GateError::json(path, &wrong, hint))
}

/// Like [`read`]; `None` where the file is absent.
pub fn read_if_there<T: DeserializeOwned>(
    path: &Path,
    hint: &'static str,
) -> Result<Option<T>, GateError> {
    path.exists().then(|| read(path, hint)).transpose()
}

/// Largest answer of an agent, in bytes; a model writes a few hundred kilobytes.
const ANSWER_LIMIT: u64 = 16 << 20;

/// The folder of the answers that the caller names: see [`own_folder`].
///
/// **Errors**: also where it is not there, or no folder.
pub fn answers_folder(context: &Context, path: &Path) -> Result<PathBuf, GateError> {
    let path = own_folder(context, path)?;
    aris_fs::list_sorted(&path)?;
    Ok(path)
}

/// The output of an agent's answer to the request `id`, read from `{id}.json`. `None` where there is no answer; the inner error says why
/// the answer is invalid.
pub fn answer(answers: &Path, id: &str) -> Result<Option<Result<Value, String>>, GateError> {
    let path = answers.join(format!("{id}.json"));
    Ok(match aris_fs::read_optional(&path, ANSWER_LIMIT) {
        Ok(None) => None,
        Ok(Some(bytes)) => Some(AgentAnswer::read(&bytes, id).map(|answer| answer.output)),
        // The agent's fault, not the caller's: it makes an invalid answer, and the call goes on.
        Err(error @ (FsError::TooLarge { .. } | FsError::NotRegular { .. })) => {
            Some(Err(error.to_string()))
        }
        Err(error) => return Err(error.into()),
    })
}

/// A value as JSON, indented, with a line break at the end.
pub fn pretty(value: &impl Serialize) -> Result<Vec<u8>, GateError> {
    json::pretty(value).map_err(GateError::written)
}
