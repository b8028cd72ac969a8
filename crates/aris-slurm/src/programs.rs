//! Calls of the batch system's programs, in an environment that does not change what they do.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Duration;

use aris_proc::{End, ProcError};

use crate::wave::Silent;

/// Deadline of one call. **Source**: queue design, measured: the programs give up after 10 s without a controller; large clusters answer
/// slowly.
const LIMIT: Duration = Duration::from_mins(1);

/// Most bytes of an answer; 100,000 rows are about 15 MB.
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

/// Exceptions: the variable that selects the cluster, and the token of auth/jwt.
const KEPT: [&str; 2] = ["SLURM_CONF", "SLURM_JWT"];

/// How this machine reaches the batch system, and for which run.
#[derive(Clone, Debug, Default)]
pub struct Access {
    /// The folder of its commands; `None`: they are looked for on the `PATH`.
    pub commands: Option<PathBuf>,
    /// Environment of the commands; Slurm passes it on to the jobs. Of Slurm's own variables only `SLURM_CONF` and `SLURM_JWT` are kept.
    pub environment: Vec<(OsString, OsString)>,
    /// First words of the command that runs [`task`](crate::task()); `slurm-task RUN TOKEN` or `hq-task RUN TOKEN` is appended. The program
    /// has the same path on all nodes.
    pub task_program: Vec<String>,
    /// The run's folder, absolute, on a disk that all nodes share.
    pub run: PathBuf,
}

/// How a program answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// It exited with 0: its stdout, and its stderr.
    Good(String, String),
    /// It exited with another code: its message in one line.
    Bad(String),
    /// It was killed, by the deadline or by somebody else, or it printed too much. What it was asked to do may have happened.
    Broken(String),
    /// It could not be started.
    Absent(String),
}

impl Answer {
    /// What the program printed, if it exited with 0.
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

    /// Calls a program in a folder, without the variables that would change its answer.
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
        // Error messages are compared with English texts.
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

/// A program's stderr, or its stdout if that is empty, in one line.
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
