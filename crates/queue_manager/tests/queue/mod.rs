//! A queue in a folder of its own, and the program under test.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// Longer than anything here takes on a busy machine; nothing waits for it to pass.
const PATIENCE: Duration = Duration::from_mins(1);

/// A queue's folder.
pub(crate) struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    pub(crate) fn new() -> Self {
        Self {
            folder: tempfile::tempdir().expect("temp"),
        }
    }

    pub(crate) fn at(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    /// Writes `m.json`: jobs without cards, four at once, in this folder.
    pub(crate) fn manifest(&self, phases: &Value) {
        let manifest = json!({
            "project": "test", "cwd": self.folder.path(), "gpus": [], "max_parallel": 4,
            "linger": 1, "output_wait": 0, "kill_grace": 1, "phases": phases,
        });
        fs::write(self.at("m.json"), manifest.to_string()).expect("write");
    }

    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_queue_manager"));
        command
            .current_dir(self.folder.path())
            .args(args)
            .env("ARIS_QUEUE_LEASES", self.at("leases"))
            .stdin(Stdio::null());
        command
    }

    /// Runs the queue until it is over.
    pub(crate) fn run(&self) -> Output {
        self.command(&["run", "--manifest", "m.json", "--state", "s.json"])
            .output()
            .expect("ran")
    }

    /// Starts a manager and leaves it to itself.
    pub(crate) fn start(&self) -> Child {
        self.command(&[
            "run",
            "--manifest",
            "m.json",
            "--state",
            "s.json",
            "--quiet",
        ])
        .stdout(Stdio::null())
        .spawn()
        .expect("started")
    }

    /// The data of a call with `--json` that works.
    pub(crate) fn data(&self, args: &[&str]) -> Value {
        let output = self.command(args).arg("--json").output().expect("ran");
        assert!(output.status.success(), "{args:?}: {output:?}");
        serde_json::from_slice::<Value>(&output.stdout).expect("envelope")["data"].clone()
    }

    /// The jobs of the state file, by id; none while there is no file.
    pub(crate) fn state(&self) -> BTreeMap<String, Value> {
        let Ok(bytes) = fs::read(self.at("s.json")) else {
            return BTreeMap::new();
        };
        let state: Value = serde_json::from_slice(&bytes).expect("always whole");
        let jobs = state["jobs"].as_array().expect("jobs").clone();
        jobs.into_iter()
            .map(|job| (job["id"].as_str().expect("id").to_owned(), job))
            .collect()
    }

    /// What the engine calls a job's last attempt, as the state file has it.
    pub(crate) fn engine_ref(&self, job: &str) -> Option<String> {
        self.state().get(job)?["engine_ref"]
            .as_str()
            .map(str::to_owned)
    }

    pub(crate) fn until(what: &str, holds: impl Fn() -> bool) {
        let end = Instant::now() + PATIENCE;
        while !holds() {
            assert!(Instant::now() < end, "in vain: {what}");
            // Looked at again soon; nothing depends on when.
            std::thread::park_timeout(Duration::from_millis(2));
        }
    }
}
