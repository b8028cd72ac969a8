//! Slurm's programs, run so that nothing around them changes what they do.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Duration;

use aris_proc::{End, ProcError};

use crate::wave::Silent;

/// How long one of them may take. **Source**: queue design, measured: they give up by themselves after 10 s without a controller; large
/// clusters answer slowly.
const LIMIT: Duration = Duration::from_mins(1);

/// Bytes of an answer; 100,000 rows are some 15 MB.
const ANSWER: usize = 64 * 1024 * 1024;

/// Prefixes of variables that change what Slurm's programs print or submit.
const FORBIDDEN: [&str; 6] = [
    "SLURM_",
    "SBATCH_",
    "SQUEUE_",
    "SACCT_",
    "SCANCEL_",
    "SCONTROL_",
];

/// The variable that says which cluster, and the token by which auth/jwt knows the user.
const KEPT: [&str; 2] = ["SLURM_CONF", "SLURM_JWT"];

/// How this machine reaches the batch system, and for which run.
#[derive(Clone, Debug, Default)]
pub struct Access {
    /// The folder of its commands; `None`: the `PATH` says.
    pub commands: Option<PathBuf>,
    /// Environment of commands, for Slurm of submissions, too; of its own variables only `SLURM_CONF` and `SLURM_JWT` are passed on.
    pub environment: Vec<(OsString, OsString)>,
    /// First words of a program that runs [`task`](crate::task()) when `slurm-task RUN TOKEN`, or `hq-task RUN TOKEN`, follow; its path is the
    /// same on all nodes.
    pub task_program: Vec<String>,
    /// The run's folder, absolute, on a disk that all nodes share.
    pub run: PathBuf,
}

/// How a program answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// With 0; what it printed, and what it said beside that.
    Good(String, String),
    /// With another code; what it said about it.
    Bad(String),
    /// Not to the end: it was killed here or by somebody else, or said more than can be read. Whatever it was asked may have happened.
    Broken(String),
    /// It was never started.
    Absent(String),
}

impl Answer {
    /// What a program printed that did what it was asked.
    pub fn good(self) -> Result<String, Silent> {
        match self {
            Self::Good(text, _) => Ok(text),
            Self::Bad(said) | Self::Broken(said) | Self::Absent(said) => Err(Silent(said)),
        }
    }
}

impl Access {
    pub(crate) fn call<W: AsRef<OsStr>>(
        &self,
        program: &str,
        words: &[W],
        stdin: Option<&str>,
    ) -> Answer {
        self.call_in(Path::new("/"), program, words, stdin)
    }

    /// Calls a program in a folder, with the environment less what would change its answer.
    pub fn call_in<W: AsRef<OsStr>>(
        &self,
        cwd: &Path,
        program: &str,
        words: &[W],
        stdin: Option<&str>,
    ) -> Answer {
        let kept = |name: &OsString| {
            let name = name.to_string_lossy();
            KEPT.contains(&&*name) || !FORBIDDEN.iter().any(|prefix| name.starts_with(prefix))
        };
        let folder = self.commands.as_ref();
        let path = folder.map_or_else(|| PathBuf::from(program), |folder| folder.join(program));
        let mut command = aris_proc::command(path, cwd)
            .args(words)
            .env_clear()
            .capture_limit(ANSWER);
        for (name, value) in self.environment.iter().filter(|(name, _)| kept(name)) {
            command = command.env(name, value);
        }
        // Words of errors are compared.
        command = command.env("LC_ALL", "C");
        if let Some(stdin) = stdin {
            command = command.stdin(stdin);
        }
        match command.run(LIMIT) {
            Ok(done) => match done.end {
                End::Exited(0) if done.stdout.dropped == 0 => {
                    let text = |captured: &aris_proc::Captured| captured.text().into_owned();
                    Answer::Good(text(&done.stdout), text(&done.stderr))
                }
                End::Exited(0) => Answer::Broken(format!("{program} says more than can be read")),
                End::Exited(_) => {
                    Answer::Bad(said(program, &done.stderr.text(), &done.stdout.text()))
                }
                End::Signalled(signal) => {
                    Answer::Broken(format!("{program} was ended by signal {signal}"))
                }
                End::TimedOut => Answer::Broken(format!(
                    "{program} did not answer within {} s",
                    LIMIT.as_secs()
                )),
            },
            Err(error @ (ProcError::Absent { .. } | ProcError::Start { .. })) => {
                Answer::Absent(error.to_string())
            }
            Err(error) => Answer::Broken(error.to_string()),
        }
    }
}

/// Its own words in one line.
fn said(program: &str, stderr: &str, stdout: &str) -> String {
    let text = if stderr.trim().is_empty() {
        stdout
    } else {
        stderr
    };
    let words: Vec<&str> = text.split_whitespace().collect();
    if words.is_empty() {
        format!("{program} failed without a word")
    } else {
        words.join(" ")
    }
}
