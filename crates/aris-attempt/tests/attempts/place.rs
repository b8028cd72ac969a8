//! A folder for attempts, and functions that wait for events in it.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use aris_attempt::format::{Command, Exit, SPEC_SCHEMA, Spec};
use aris_attempt::{Runner, SWEEP, Seen, Standing, Watch, prepare};
use rustix::event::{PollFd, PollFlags, poll};
use tempfile::TempDir;

/// Longer than anything here takes; a longer wait means a hang.
const HANG: Duration = Duration::from_mins(2);

pub(crate) struct Place {
    folder: TempDir,
}

impl Place {
    pub(crate) fn new() -> Self {
        Self {
            folder: TempDir::with_prefix("attempts ").expect("a folder"),
        }
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn at(&self, name: &str) -> PathBuf {
        self.path().join(name)
    }

    /// The first attempt's folder.
    pub(crate) fn attempt(&self) -> PathBuf {
        self.at("attempt")
    }

    pub(crate) fn log(&self) -> String {
        String::from_utf8_lossy(&std::fs::read(self.at("log")).unwrap_or_default()).into_owned()
    }

    /// A specification with short times; each test changes what it is about.
    pub(crate) fn spec(&self, command: &str) -> Spec {
        Spec {
            schema: String::from(SPEC_SCHEMA),
            id: String::from("job"),
            attempt: 1,
            command: Command::Shell(String::from(command)),
            setup: Vec::new(),
            cwd: self.path().to_path_buf(),
            env: std::iter::once((String::from("PLACE"), self.path().display().to_string()))
                .collect(),
            outputs: Vec::new(),
            output_wait_ms: 0,
            time_limit_ms: None,
            notice: None,
            kill_grace_ms: 60_000,
            linger_ms: 60_000,
            oom_patterns: vec![String::from("CUDA out of memory")],
            log: self.at("log"),
            leases: Vec::new(),
            ledger: None,
            cards: 0,
        }
    }

    /// Runs the attempt to its end.
    pub(crate) fn run(&self, spec: &Spec) -> Exit {
        let mut watch = Watch::new().expect("a watch");
        self.start(&mut watch, spec);
        ended(&mut watch)
    }

    /// Starts the attempt.
    pub(crate) fn start(&self, watch: &mut Watch, spec: &Spec) {
        self.start_by(watch, spec, &runner());
    }

    /// Starts the attempt with this runner.
    pub(crate) fn start_by(&self, watch: &mut Watch, spec: &Spec, runner: &Runner) {
        prepare(&self.attempt(), spec).expect("prepared");
        let launched = watch.launch(1, runner, &self.attempt(), &[]);
        launched.expect("launched");
    }
}

pub(crate) fn runner() -> Runner {
    Runner {
        program: PathBuf::from(env!("CARGO_BIN_EXE_attempt_runner")),
        arguments: Vec::new(),
    }
}

/// A runner that believes it is in a job of Slurm.
pub(crate) fn batch_runner() -> Runner {
    let program = runner().program.into_os_string();
    Runner {
        program: PathBuf::from("env"),
        arguments: vec!["SLURM_JOB_ID=1".into(), program],
    }
}

/// The next changes that the watch reports, at least one. It sweeps like a manager, because only a sweep finds some ends, such as that of a
/// runner that was killed after it had started the command and before it had written the start record.
pub(crate) fn next(watch: &mut Watch) -> Vec<(u64, Seen)> {
    let began = Instant::now();
    let mut swept = began;
    loop {
        let mut seen = watch.seen();
        if swept.elapsed() >= SWEEP {
            swept = Instant::now();
            seen.extend(watch.sweep());
        }
        if !seen.is_empty() {
            return seen;
        }
        assert!(began.elapsed() < HANG, "nothing is seen");
        let second = rustix::event::Timespec {
            tv_sec: 1,
            tv_nsec: 0,
        };
        let fd = watch.fd();
        poll(
            &mut [PollFd::from_borrowed_fd(fd, PollFlags::IN)],
            Some(&second),
        )
        .expect("polled");
    }
}

/// The exit record of the only watched attempt.
pub(crate) fn ended(watch: &mut Watch) -> Exit {
    loop {
        for (_, seen) in next(watch) {
            match seen {
                Ok(Standing::Ended(exit)) => return *exit,
                Ok(Standing::Running { .. }) => {}
                other => panic!("{other:?}"),
            }
        }
    }
}

/// The state of the only watched attempt after its runner has died.
pub(crate) fn left(watch: &mut Watch) -> Standing {
    loop {
        for (_, seen) in next(watch) {
            match seen {
                Ok(stands @ (Standing::Unclaimed | Standing::Lost { .. })) => return stands,
                Ok(Standing::Running { .. }) => {}
                other => panic!("{other:?}"),
            }
        }
    }
}

/// Waits until `condition` holds.
pub(crate) fn until(what: &str, mut condition: impl FnMut() -> bool) {
    let began = Instant::now();
    while !condition() {
        assert!(began.elapsed() < HANG, "not yet: {what}");
        let short = rustix::event::Timespec {
            tv_sec: 0,
            tv_nsec: 2_000_000,
        };
        poll(&mut [], Some(&short)).expect("polled");
    }
}

/// Whether a process runs.
pub(crate) fn lives(pid: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.trim())).unwrap_or_default();
    stat.rsplit_once(") ")
        .is_some_and(|(_, rest)| !rest.starts_with(['Z', 'X']))
}

/// The content of a file, once it has a complete line.
pub(crate) fn line_of(path: &Path) -> String {
    let read = || std::fs::read_to_string(path).unwrap_or_default();
    until(&path.display().to_string(), || read().ends_with('\n'));
    read().trim().to_owned()
}
