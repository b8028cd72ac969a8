//! The record of a run.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Schema id of [`Run`].
pub const SCHEMA: &str = aris_contract::schema::id::RUN;

/// What is known of one run: an attempt of a queue's job, or a command that was run to be recorded.
///
/// Paths are relative to the project where they lie in it, else absolute. Times are RFC 3339, UTC.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Run {
    /// `aris.run_record.run/v1`.
    pub schema: String,
    /// Who recorded it: `queue`, `record`, or the name of the tool whose files were read: `mlflow`, `wandb`, `hydra`, `dvc`, `slurm`.
    pub origin: String,
    /// The job.
    pub job: String,
    /// Which attempt it was, from 1; 0 where there are none.
    #[serde(default)]
    pub attempt: u32,
    /// Folder of the queue; empty where there is none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub queue: String,
    /// The command, as a shell reads it; empty where it is not known.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub command: String,
    /// Lines that the shell ran before it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub setup: Vec<String>,
    /// Working directory.
    #[serde(default)]
    pub cwd: String,
    /// Variables that the manifest sets. The value of one whose name looks like that of a secret is `(not recorded)`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    /// Versions: of the interpreter by its name, of the driver as `nvidia` or `amdgpu`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub versions: BTreeMap<String, String>,
    /// Host name.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub host: String,
    /// Cards, as `CUDA_VISIBLE_DEVICES` or its like names them.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub cards: String,
    /// The work tree when the run began; absent outside one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<Source>,
    /// Files that the command names, as they were when it began.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inputs: Vec<FileSeen>,
    /// Further files that it names and nobody hashed: too large, or too many.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub inputs_left_out: u64,
    /// Files of the commit that the command names and somebody changed while it ran.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub edited: Vec<String>,
    /// When the command began.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started: Option<String>,
    /// When it was over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<String>,
    /// How it ended.
    pub end: End,
    /// The same in words: `exit 0`, `exit 1`, `signal 9`, `cancelled`, `time limit`.
    pub how: String,
    /// Files that it wrote, as they were when it was over. Very many are named in lines after this one, and these stay empty.
    #[serde(default)]
    pub(crate) outputs: Vec<FileSeen>,
    /// The blocks of those lines.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) output_blocks: Vec<Block>,
    /// Further files that it wrote and nobody hashed.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub outputs_left_out: u64,
    /// Those of them that could not be read, the first 20, each with why: a FIFO, a link to nothing, a file of somebody else.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outputs_unread: Vec<String>,
}

/// Lines of a record that name files, in the order of their paths.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub(crate) struct Block {
    /// The path of the first.
    pub(crate) first: String,
    /// How many.
    pub(crate) files: u64,
    /// Their length.
    pub(crate) bytes: u64,
    /// Their SHA-256.
    pub(crate) sha256: String,
}

/// How a run ended.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum End {
    /// It exited with 0.
    Completed,
    /// It did not.
    Failed,
    /// The record does not tell.
    #[default]
    Unknown,
}

/// A file and its digest.
#[derive(
    Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema,
)]
pub struct FileSeen {
    /// Where it lay.
    pub path: String,
    /// Its SHA-256, 64 hex digits.
    pub sha256: String,
    /// Its size.
    pub bytes: u64,
}

/// A work tree of git.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Source {
    /// The commit that was checked out; empty before the first commit, or where git did not say.
    pub commit: String,
    /// Tracked files that differed from the commit, and those that git was told not to compare.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changed: Vec<String>,
    /// SHA-256 of those of them that were there, so that a result which a run wrote is told from code.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub changed_sha256: BTreeMap<String, String>,
    /// Files that the command names and that the commit does not hold: untracked, ignored, or changed in a repository within this one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_committed: Vec<String>,
    /// Files that git neither tracks nor ignores.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub untracked: Vec<String>,
    /// SHA-256 of the patch from the commit to the work tree; absent where nothing differed or the patch was too large.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub patch: Option<String>,
    /// Why something of this is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's interface")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl Run {
    /// The files that the run itself names: all that it wrote, unless there are very many; see
    /// [`Record::outputs`](crate::Record::outputs).
    pub fn named_outputs(&self) -> &[FileSeen] {
        &self.outputs
    }

    /// Replaces the named output files.
    pub fn name_outputs(&mut self, files: Vec<FileSeen>) {
        self.outputs = files;
        self.output_blocks.clear();
    }

    /// SHA-256 of the differences between work tree and commit, if they were stored.
    pub fn patch(&self) -> Option<&String> {
        self.source.as_ref()?.patch.as_ref()
    }

    /// A line for people: the job, its attempt, and how it ended.
    pub fn words(&self) -> String {
        let mut text = self.job.clone();
        if self.attempt > 0 {
            text = format!("{text} attempt {}", self.attempt);
        }
        let end = match self.end {
            End::Completed => "completed",
            End::Failed => "failed",
            End::Unknown => "end unknown",
        };
        let when = self.ended.as_deref().map(|when| format!(", {when}"));
        let (origin, how, when) = (&self.origin, &self.how, when.unwrap_or_default());
        format!("{text} ({origin}): {end} ({how}){when}")
    }
}
