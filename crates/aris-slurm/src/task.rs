//! The files of a submission, and the part of it that runs on a node.
//!
//! ```text
//! <run>/slurm/<token>.table   one attempt's folder per line, relative to the run; the line's number, from 0, is the array index
//! <run>/slurm/<token>.log     what a task prints before its runner has taken over
//! ```
//!
//! No text of a user is on a command line: the script is the same for all tasks.

use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};
use std::process::ExitCode;

use aris_contract::{ErrorKind, Failure};
use aris_fs::FsError;

use crate::wave::{Silent, SubmitError};

/// The first argument of a task's program, for each batch system.
pub(crate) const SLURM_TASK: &str = "slurm-task";
pub(crate) const HQ_TASK: &str = "hq-task";

/// The folder of submissions, in the run's folder.
const FOLDER: &str = "slurm";

/// Most bytes of a table: 1,000 attempts with long paths need less than 1 MB.
const TABLE_LIMIT: u64 = 16 * 1024 * 1024;

/// Why a submission's files cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TaskError {
    /// The disk failed or refused.
    #[error(transparent)]
    Fs(#[from] FsError),
    /// A name that would mean something else to Slurm or to the shell: whose name, and the name.
    #[error("{0} {1:?} cannot be used with Slurm")]
    Name(&'static str, String),
    /// The table has no task of this index: the table, and the index as given.
    #[error("{} has no task {:?}", .0.display(), .1)]
    NoTask(PathBuf, String),
    /// This line of the table, counted from 1, is no path within the run.
    #[error("{} line {}: not a folder of the run", .0.display(), .1)]
    Line(PathBuf, usize),
}

impl Failure for TaskError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Fs(error) => error.kind(),
            Self::Name(..) => ErrorKind::Usage,
            Self::NoTask(..) => ErrorKind::NotFound,
            Self::Line(..) => ErrorKind::Validation,
        }
    }
}

impl From<TaskError> for SubmitError {
    fn from(error: TaskError) -> Self {
        match error {
            // The disk failed, not the wave: nothing was submitted, and a later try may work.
            TaskError::Fs(error) => Self::Unavailable(error.to_string()),
            error => Self::Rejected(error.to_string()),
        }
    }
}

impl From<TaskError> for Silent {
    fn from(error: TaskError) -> Self {
        Self(error.to_string())
    }
}

/// Checks that a token is 1 to 64 of `[a-z0-9-]`.
pub(crate) fn check_token(token: &str) -> Result<(), TaskError> {
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    if (1..=64).contains(&token.len()) && token.bytes().all(plain) {
        Ok(())
    } else {
        Err(TaskError::Name("the token", String::from(token)))
    }
}

/// Checks the path of a run: Slurm replaces `%x` in paths, and has quoting rules of its own. **Source**: queue design §10, quoting.
pub(crate) fn check_run(run: &Path) -> Result<&str, TaskError> {
    let name = run.to_str().filter(|name| {
        let odd = |char: char| char.is_control() || "%'\"\\".contains(char);
        run.is_absolute() && !name.contains(odd)
    });
    name.ok_or_else(|| TaskError::Name("the run's folder", run.display().to_string()))
}

/// The table of a submission.
pub(crate) fn table(run: &Path, token: &str) -> PathBuf {
    run.join(FOLDER).join(format!("{token}.table"))
}

/// The log of a submission's tasks.
pub(crate) fn log(run: &Path, token: &str) -> PathBuf {
    run.join(FOLDER).join(format!("{token}.log"))
}

/// The text of that log; empty if it cannot be read.
pub(crate) fn said(run: &Path, token: &str) -> String {
    let bytes = aris_fs::read(&log(run, token), TABLE_LIMIT);
    String::from_utf8_lossy(&bytes.unwrap_or_default()).into_owned()
}

/// The line of a log in which Slurm says that it ended this job, given by its own number, for its memory. A line about another job does not
/// count.
///
/// **Source**: slurmstepd: `slurmstepd-n1: error: StepId=101.batch exceeded memory limit (224665600 > 31457280), being killed` without
/// control groups (measured with 22.05.8), `slurmstepd: error: Detected 1 oom_kill event in StepId=101.batch.` with them, `oom-kill` before 21.08.
pub(crate) fn out_of_memory<'a>(log: &'a str, raw: &str) -> Option<&'a str> {
    const WORDS: [&str; 3] = ["exceeded memory limit", "oom_kill event", "oom-kill event"];
    let step = format!("StepId={raw}.");
    let mut lines = log.lines().map(str::trim);
    lines.find(|line| {
        line.starts_with("slurmstepd")
            && line.contains(&step)
            && WORDS.iter().any(|words| line.contains(words))
    })
}

/// Writes the table. It survives a crash of this machine: tasks read it on other machines, perhaps much later.
pub(crate) fn write_table(run: &Path, token: &str, attempts: &[PathBuf]) -> Result<(), TaskError> {
    let table = table(run, token);
    let mut text = String::new();
    for (number, attempt) in attempts.iter().enumerate() {
        let inside = attempt.strip_prefix(run).unwrap_or(attempt);
        let Some(inside) = inside.to_str().filter(|text| within(text)) else {
            return Err(TaskError::Line(table, number + 1));
        };
        text.push_str(inside);
        text.push('\n');
    }
    aris_fs::create_dir(&run.join(FOLDER))?;
    Ok(aris_fs::write_atomic(&table, text.as_bytes())?)
}

/// Whether a line is a path that stays in the run.
fn within(line: &str) -> bool {
    let normal = |part| matches!(part, Component::Normal(_));
    !line.is_empty() && !line.contains('\n') && Path::new(line).components().all(normal)
}

/// How many tasks a submission has, and how many whole days ago its table was written.
pub(crate) fn count_and_age(run: &Path, token: &str) -> Result<(usize, u64), TaskError> {
    const DAY: u64 = 24 * 60 * 60;
    check_token(token)?;
    let table = aris_fs::open(&table(run, token))?;
    let written = table.metadata().modified().ok();
    let age = written.and_then(|written| written.elapsed().ok());
    let text = table.read_all(TABLE_LIMIT)?;
    let lines = text.iter().filter(|byte| **byte == b'\n').count();
    Ok((lines, age.map_or(0, |age| age.as_secs() / DAY)))
}

/// The attempt's folder of task `index` in submission `token`.
pub fn attempt_of(run: &Path, token: &str, index: &str) -> Result<PathBuf, TaskError> {
    check_token(token)?;
    let table = table(run, token);
    let text = aris_fs::read(&table, TABLE_LIMIT)?;
    let text = String::from_utf8_lossy(&text);
    let number = index.parse::<usize>().ok();
    let line = number.and_then(|number| Some((number, text.lines().nth(number)?)));
    match line {
        None => Err(TaskError::NoTask(table, String::from(index))),
        Some((_, line)) if within(line) => Ok(run.join(line)),
        Some((number, _)) => Err(TaskError::Line(table, number + 1)),
    }
}

/// Runs the attempt of one task to its end, with the runner of single machines, if the arguments are `slurm-task RUN TOKEN` or `hq-task RUN
/// TOKEN`. `None`: the arguments ask for something else.
///
/// The process that calls it must do nothing else.
pub fn task(arguments: &[OsString]) -> Option<ExitCode> {
    use std::io::Write as _;

    let [word, run, token] = arguments else {
        return None;
    };
    let variable = match word.to_str()? {
        SLURM_TASK => "SLURM_ARRAY_TASK_ID",
        HQ_TASK => "HQ_TASK_ID",
        _ => return None,
    };
    let index = std::env::vars_os().find(|(name, _)| name == variable);
    let index = index.map(|(_, index)| index).unwrap_or_default();
    let (index, token, run) = (
        index.to_string_lossy(),
        token.to_string_lossy(),
        Path::new(run),
    );
    Some(match attempt_of(run, &token, &index) {
        Ok(folder) => aris_attempt::runner::run(&folder),
        Err(error) => {
            let said = format!("task {index}: {error}");
            if word == HQ_TASK && check_token(&token).is_ok() {
                // For tasks of Slurm, stderr is this file already.
                aris_fs::append_line(&log(run, &token), &said).unwrap_or_default();
            }
            writeln!(std::io::stderr(), "{said}").unwrap_or_default();
            ExitCode::from(error.kind().exit().code())
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_finds_its_attempt() {
        let run = tempfile::tempdir().expect("temp");
        let attempts = ["a/00/x-1/1", "a/ff/y z-2/3"].map(|name| run.path().join(name));
        write_table(run.path(), "aq-r-1", &attempts).expect("written");
        let of = |index| attempt_of(run.path(), "aq-r-1", index);
        assert_eq!(of("0").expect("there"), attempts[0]);
        assert_eq!(of("1").expect("there"), attempts[1]);
        for index in ["2", "-1", "", "x", "4294967296"] {
            assert!(
                matches!(of(index), Err(TaskError::NoTask { .. })),
                "{index}"
            );
        }
        assert!(matches!(
            attempt_of(run.path(), "../x", "0"),
            Err(TaskError::Name { .. })
        ));
        for outside in ["/etc", "../x", "a/../../x", "a\nb", "."] {
            let error = write_table(run.path(), "aq-r-2", &[PathBuf::from(outside)]);
            assert!(matches!(error, Err(TaskError::Line(_, 1))), "{outside}");
        }
    }

    #[test]
    fn a_table_that_somebody_changed_leads_nowhere_else() {
        let run = tempfile::tempdir().expect("temp");
        write_table(run.path(), "aq", &[]).expect("written");
        aris_fs::write_atomic(&table(run.path(), "aq"), b"../../etc\n\n").expect("changed");
        for (index, line) in [("0", 1), ("1", 2)] {
            let error = attempt_of(run.path(), "aq", index).expect_err("outside");
            assert!(matches!(error, TaskError::Line(_, found) if found == line));
        }
    }

    #[test]
    fn a_log_tells_whose_memory_ran_out() {
        let killed = "slurmstepd-n1: error: StepId=101.batch exceeded memory limit (224665600 > 31457280), being killed";
        let counted = "slurmstepd: error: Detected 1 oom_kill event in StepId=102.batch. Some of the step tasks have been OOM Killed.";
        let log = format!(
            "task 3: StepId=103.batch exceeded memory limit\n{killed}\n{counted}\nslurmstepd: error: *** JOB 104 StepId=104.batch CANCELLED ***\n"
        );
        for (raw, expected) in [
            ("101", Some(killed)),
            ("102", Some(counted)),
            ("1", None),
            ("01", None),
            ("1011", None),
            ("103", None),
            ("104", None),
            ("", None),
        ] {
            assert_eq!(out_of_memory(&log, raw), expected, "{raw}");
        }
    }

    #[test]
    fn odd_names_are_refused() {
        for run in ["/a/%x", "/a'b", "/a\"b", "/a\nb", "/a\\b", "relative"] {
            assert!(check_run(Path::new(run)).is_err(), "{run}");
        }
        assert!(check_run(Path::new("/a b/ü,$(x);y")).is_ok());
        for token in ["", "A", "a_b", "a b", "a,b", &"a".repeat(65)] {
            assert!(check_token(token).is_err(), "{token}");
        }
    }
}
