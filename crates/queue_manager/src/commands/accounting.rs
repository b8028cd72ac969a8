//! Records of jobs that ran on Slurm without a queue, from Slurm's accounting.
//!
//! **Source**: sacct(1), "Job Accounting Fields" and "JOB STATE CODES". Accounting does not know which files a job wrote. The user names
//! them, and a file counts if it was last changed while the job ran.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use aris_contract::ErrorKind;
use aris_runs::{End, Ledger, Look};
use aris_slurm::{Access, Answer};
use jiff::Timestamp;

use crate::error::Error;

/// Fields asked of `sacct`. The last two may contain any characters.
const FIELDS: &str = "JobID,State,ExitCode,NodeList,Start,End,JobName,WorkDir,SubmitLine";
const COUNT: usize = 9;

/// Checks the number of a job, or of one task of an array, such as `12_3`.
pub(crate) fn job_number(text: &str) -> Result<String, String> {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let (job, task) = text.split_once('_').unwrap_or((text, "0"));
    if digits(job) && digits(task) {
        return Ok(text.to_owned());
    }
    Err(String::from(
        "not the number of a job, 12, or of a task, 12_3",
    ))
}

/// The record of a job that has ended, and which files were left out and why.
///
/// **Errors**: `sacct` is not installed, fails, or does not know the job; the job has not ended; the number is that of several tasks.
pub(crate) fn run(
    job: &str,
    patterns: &[String],
    ledger: Ledger,
    cwd: &Path,
) -> Result<(Look, Vec<String>), Error> {
    let text = sacct(job, cwd)?;
    let fields = |line| str::splitn(line, COUNT, '|').collect::<Vec<&str>>();
    let mut rows = text.lines().map(fields);
    let behind = || {
        // slurmdbd is told about the start and the end of a job later than the controller.
        let what = format!("accounting does not have the whole of job {job} yet");
        Error::silent(what + "; ask again in some seconds")
    };
    let Some(row) = rows.next() else {
        if controller(job, cwd).is_some() {
            return Err(behind());
        }
        let message = format!("Slurm's accounting has no job {job}");
        let hint = "sacct -u $USER -S now-7days lists the jobs of a week";
        return Err(Error::told(ErrorKind::NotFound, message, hint));
    };
    if rows.next().is_some() {
        let why = format!("Slurm job {job} is an array; name one task of it, as {job}_0");
        return Err(Error::unclear(why));
    }
    let [_, state, exit, nodes, from, to, name, folder, line] = row.as_slice() else {
        let why = format!("sacct answered something else than was asked: {text:?}");
        return Err(Error::precondition(why));
    };
    let (Some((from, started)), Some((to, ended))) = (moment(from), moment(to)) else {
        if controller(job, cwd).is_some_and(|word| aris_slurm::is_over(&word)) {
            return Err(behind());
        }
        let why = format!("Slurm job {job} is {state}: it has not run, or is not over");
        return Err(Error::precondition(why));
    };
    if folder.is_empty() {
        // slurmdbd may be told about the end before it is told about the job.
        return Err(behind());
    }
    let folder = Path::new(folder);
    let mut look = Look::empty(ledger, folder);
    let mut refused = Vec::new();
    let mut wrote: Vec<PathBuf> = Vec::new();
    for pattern in patterns {
        let found = aris_attempt::output_files(folder, pattern);
        if found.is_empty() {
            refused.push(format!("{pattern}: {} has no such file", folder.display()));
        }
        for path in found {
            if changed(&path).is_some_and(|changed| from <= changed) && !changed_after(&path, to) {
                wrote.push(path);
            } else {
                refused.push(format!(
                    "{}: it was not changed last while the job ran, from {started} to {ended}",
                    path.display()
                ));
            }
        }
    }
    look.outputs(&wrote, || {});
    look.command(line);
    let run = &mut look.run;
    (run.origin, run.job) = (String::from("slurm"), format!("{name} {job}"));
    run.host = String::from(*nodes);
    (run.started, run.ended) = (Some(started), Some(ended));
    // Only the first word of "CANCELLED by 0".
    let word = state.split(' ').next().unwrap_or_default();
    let failed = exit.split_once(':').is_some_and(|code| code != ("0", "0"));
    run.end = if word == "COMPLETED" && !failed {
        End::Completed
    } else {
        End::Failed
    };
    run.how = match exit.split_once(':') {
        Some((code, "0")) => format!("{word}, exit {code}"),
        Some((_, signal)) => format!("{word}, signal {signal}"),
        None => word.to_owned(),
    };
    Ok((look, refused))
}

fn changed(path: &Path) -> Option<SystemTime> {
    path.metadata().and_then(|data| data.modified()).ok()
}

/// Whether a file was changed after a run had ended; other tools record times in whole seconds.
pub(super) fn changed_after(path: &Path, end: SystemTime) -> bool {
    changed(path).is_none_or(|changed| changed >= end + Duration::from_secs(1))
}

/// Calls a program of Slurm from the `PATH`; times are in UTC.
fn call(program: &str, words: &[&str], cwd: &Path) -> Answer {
    let utc = ("TZ".into(), "UTC0".into());
    let slurm = Access {
        environment: std::env::vars_os().chain([utc]).collect(),
        ..Access::default()
    };
    slurm.call_in(cwd, program, words, None)
}

fn sacct(job: &str, cwd: &Path) -> Result<String, Error> {
    let words = ["-X", "-n", "-P", "-j", job, "-o", FIELDS];
    match call("sacct", &words, cwd) {
        Answer::Good(text, _) => Ok(text),
        Answer::Absent(why) => {
            let hint = "call this where Slurm's programs are installed and on the PATH";
            Err(Error::told(ErrorKind::Precondition, why, hint))
        }
        Answer::Bad(why) => Err(Error::silent(format!("sacct: {why}"))),
        Answer::Broken(why) => Err(Error::silent(why)),
    }
}

/// The state of a job that the controller still knows. It forgets jobs some minutes after their end (`MinJobAge` in slurm.conf(5)).
fn controller(job: &str, cwd: &Path) -> Option<String> {
    let words = ["-h", "-t", "all", "-o", "%T", "-j", job];
    let text = call("squeue", &words, cwd).good().ok()?;
    text.lines().next().map(str::to_owned)
}

/// A time as `sacct` prints it; `None` for the texts `Unknown` and `None`.
fn moment(text: &str) -> Option<(SystemTime, String)> {
    let text = format!("{text}Z");
    let moment: Timestamp = text.parse().ok()?;
    let seconds = u64::try_from(moment.as_second()).ok()?;
    Some((UNIX_EPOCH + Duration::from_secs(seconds), text))
}
