//! `start`: starts a manager in the background, which continues when the terminal closes.

use std::ffi::OsString;
use std::io::Read as _;
use std::process::Stdio;
use std::thread::park_timeout;
use std::time::Duration;

use aris_cli::{Context, Outcome};
use rustix::fs::{Mode, OFlags};
use schemars::JsonSchema;
use serde::Serialize;

use crate::cli::RunArgs;
use crate::commands::{CommandResult, run};
use crate::error::Error;
use crate::explain;
use crate::load;
use crate::lock;
use crate::manager::{self, Options, Stage};
use crate::report;

/// How long the manager may take to start.
const PATIENCE: Duration = Duration::from_secs(30);
const LOOK_AGAIN: Duration = Duration::from_millis(10);

/// A manager that was started.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Started {
    /// Its process id.
    pub(crate) pid: u32,
    /// The state file.
    pub(crate) state: String,
    /// The file with its messages.
    pub(crate) log: String,
    /// How the manifest differs from the one that the queue had.
    pub(crate) changes: Vec<String>,
    /// Why nothing starts until a person says so: the queue is paused, or all that is left waits for held jobs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) kept_back: Option<String>,
}

pub(crate) fn start(args: RunArgs, context: &Context) -> CommandResult {
    let options = run::options(args.manifest, args.rest, context)?;
    let started = detached(&options, context)?;
    Ok(Outcome::done(started).shown(report::id::STARTED, report::started))
}

/// Starts a manager in the background.
pub(crate) fn detached(options: &Options, context: &Context) -> Result<Started, Error> {
    let (place, flags) = (&options.place, &options.flags);
    // Checked here, because here the user reads the errors.
    let current = manager::current(options, Stage::Beginning(context), context)?;
    manager::cluster::installed(current.manifest.engine, context)?;
    lock::free(place, context.now())?;
    let log = || place.beside("queue_manager.log");
    let log = flags.log.clone().unwrap_or_else(log);
    aris_fs::create_dir(&place.queue)?;
    let mut arguments: Vec<OsString> = vec!["run".into(), "--detached".into()];
    let seconds = |time: Duration| OsString::from(time.as_secs_f64().to_string());
    for (flag, value) in [
        ("--state", Some(OsString::from(&place.state))),
        ("--log-dir", Some(OsString::from(&place.logs))),
        ("--manifest", options.manifest.as_ref().map(OsString::from)),
        ("--engine", flags.engine.map(|engine| engine.word().into())),
        ("--poll", flags.poll.map(seconds)),
        ("--deadline", flags.max_wait.map(seconds)),
    ] {
        arguments.extend(value.into_iter().flat_map(|value| [flag.into(), value]));
    }
    arguments.extend(flags.takeover.then(|| "--takeover".into()));
    arguments.extend(flags.strict.then(|| "--strict".into()));
    let (program, words) = manager::this_program(context)?;
    let failed = Error::system("start the manager");
    // The log gets all messages, and the error or panic that ends the manager.
    let how = OFlags::WRONLY | OFlags::APPEND | OFlags::CREATE | OFlags::CLOEXEC;
    let lines = rustix::fs::open(&log, how, Mode::from_raw_mode(0o644));
    let lines = lines.map_err(Error::system("open the manager's log"))?;
    #[expect(
        clippy::disallowed_methods,
        reason = "the manager is to outlive this process; its deadline is its own"
    )]
    let mut child = std::process::Command::new(program)
        .args(words)
        .args(arguments)
        .current_dir(context.cwd())
        .stdin(Stdio::null())
        // The manager reports on stdout why it does not start. The log is not used for that: others write to it, and the disk may be full.
        .arg("--json")
        .stdout(Stdio::piped())
        .stderr(Stdio::from(lines))
        .spawn()
        .map_err(failed)?;
    let not_started =
        |why: &str| Error::precondition(format!("the detached manager did not start: {why}"));
    let mut waited = Duration::ZERO;
    while waited < PATIENCE {
        let taken = lock::holder(place, context.now()).is_some_and(|owner| owner.pid == child.id());
        if taken && place.state.exists() {
            break;
        }
        if let Some(status) = child.try_wait().map_err(failed)? {
            // A queue with nothing to do may have ended before its lock was seen.
            if status.success() || status.code() == Some(10) {
                break;
            }
            let mut said = String::new();
            if let Some(stdout) = &mut child.stdout {
                stdout.read_to_string(&mut said).unwrap_or_default();
            }
            let said = serde_json::from_str::<serde_json::Value>(&said).unwrap_or_default();
            let why = said["error"]["message"].as_str().map(str::to_owned);
            let why = why.or_else(|| super::tail(&log, 3)).unwrap_or_default();
            return Err(not_started(&format!("it exited with {status}: {why}")));
        }
        park_timeout(LOOK_AGAIN);
        waited += LOOK_AGAIN;
    }
    if waited >= PATIENCE {
        return Err(not_started("it has not taken the queue"));
    }
    let queue = load::own(place)
        .and_then(|own| load::look(place, own.manifest, context.now()))
        .ok();
    Ok(Started {
        pid: child.id(),
        state: place.state.display().to_string(),
        log: log.display().to_string(),
        changes: [current.differences, current.notices].concat(),
        kept_back: queue.as_ref().and_then(explain::kept_back),
    })
}
