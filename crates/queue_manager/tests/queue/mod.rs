//! A queue in its own folder, and the program under test.

use std::collections::BTreeMap;
use std::fs;
use std::ops::{Deref, DerefMut};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use aris_testkit::executable;
use serde_json::{Value, json};

/// Longer than anything here takes on a busy machine; no test waits for its whole length.
const PATIENCE: Duration = Duration::from_mins(3);

/// A queue's folder.
pub(crate) struct Place {
    folder: tempfile::TempDir,
    /// Name of the queue's folder in it; empty: the folder itself.
    name: String,
}

/// A manager that is ended when its test ends or fails.
pub(crate) struct Manager(pub(crate) Child);

impl Deref for Manager {
    type Target = Child;
    fn deref(&self) -> &Child {
        &self.0
    }
}

impl DerefMut for Manager {
    fn deref_mut(&mut self) -> &mut Child {
        &mut self.0
    }
}

impl Drop for Manager {
    fn drop(&mut self) {
        self.kill()
            .and_then(|()| self.wait())
            .map_or_else(drop, drop);
    }
}

impl Place {
    pub(crate) fn new() -> Self {
        Self {
            folder: tempfile::tempdir().expect("temp"),
            name: String::new(),
        }
    }

    /// A queue in a folder of this name, which is the only one in its parent folder.
    pub(crate) fn within(name: &str) -> Self {
        let mut place = Self::new();
        name.clone_into(&mut place.name);
        fs::create_dir(place.at("")).expect("folder");
        // Processes on a cluster's nodes may belong to other users.
        let mode = fs::Permissions::from_mode(0o755);
        fs::set_permissions(place.outside(), mode).expect("mode");
        place
    }

    /// The folder around the queue's.
    pub(crate) fn outside(&self) -> PathBuf {
        self.folder.path().to_path_buf()
    }

    pub(crate) fn at(&self, path: &str) -> PathBuf {
        self.folder.path().join(&self.name).join(path)
    }

    /// Writes `m.json`: jobs without cards, four at a time, in this folder.
    pub(crate) fn manifest(&self, phases: &Value) {
        let manifest = json!({
            "project": "test", "cwd": self.at(""), "gpus": [], "max_parallel": 4,
            "linger": 1, "output_wait": 0, "kill_grace": 1, "phases": phases,
        });
        fs::write(self.at("m.json"), manifest.to_string()).expect("write");
    }

    pub(crate) fn command(&self, args: &[&str]) -> Command {
        self.prepared(Command::new(env!("CARGO_BIN_EXE_queue_manager")), args)
    }

    /// A call of this program through another one, to whose arguments it is appended.
    pub(crate) fn command_by(&self, words: &[&str], args: &[&str]) -> Command {
        let mut command = Command::new(words[0]);
        command
            .args(&words[1..])
            .arg(env!("CARGO_BIN_EXE_queue_manager"));
        self.prepared(command, args)
    }

    fn prepared(&self, mut command: Command, args: &[&str]) -> Command {
        let path = std::env::var("PATH").unwrap_or_default();
        command
            .current_dir(self.at(""))
            .args(args)
            .env("ARIS_QUEUE_LEASES", self.at("leases"))
            // Programs of this place come first.
            .env("PATH", format!("{}:{path}", self.at("bin").display()))
            .env("FAKEGPU_DIR", self.at("fakegpu"))
            .stdin(Stdio::null());
        command
    }

    /// Writes a program, a shell script, for this place's queue.
    pub(crate) fn program(&self, name: &str, body: &str) {
        let (part, bin) = (self.at("part"), self.at("bin"));
        fs::create_dir_all(&bin).expect("folder");
        fs::write(&part, format!("#!/bin/sh\n{body}\n")).expect("write");
        executable(&part);
        // Renamed, so that a process which runs the old one keeps it.
        fs::rename(part, bin.join(name)).expect("renamed");
    }

    /// Fake cards: `rows` is shell text that prints nvidia-smi's rows. There are no processes on them.
    pub(crate) fn nvidia_smi(&self, rows: &str) {
        let body = format!("case \"$*\" in *query-compute-apps*) ;; *) {rows} ;; esac");
        self.program("nvidia-smi", &body);
    }

    /// `count` fake cards of the test bed, whose programs are in `bin`.
    pub(crate) fn fake_cards(&self, bin: &Path, count: u32) {
        for name in ["nvidia-smi", "train", "fakegpu"] {
            let program = bin.join(name).display().to_string();
            self.program(name, &format!("exec '{program}' \"$@\""));
        }
        let done = Command::new(self.at("bin/fakegpu"))
            .args(["init", &count.to_string()])
            .env("FAKEGPU_DIR", self.at("fakegpu"))
            .output()
            .expect("run");
        assert!(done.status.success(), "{done:?}");
    }

    /// Runs the queue until it ends.
    pub(crate) fn run(&self) -> Output {
        self.command(&["run", "--manifest", "m.json", "--state", "s.json"])
            .output()
            .expect("ran")
    }

    /// Starts a manager without waiting for it.
    pub(crate) fn start(&self) -> Manager {
        let child = self
            .command(&[
                "run",
                "--manifest",
                "m.json",
                "--state",
                "s.json",
                "--quiet",
            ])
            .stdout(Stdio::null())
            .spawn();
        Manager(child.expect("started"))
    }

    /// A call, with any result.
    pub(crate) fn call(&self, args: &[&str]) -> Output {
        self.command(args).output().expect("ran")
    }

    /// The data of a successful call with `--json`.
    pub(crate) fn data(&self, args: &[&str]) -> Value {
        // Before a `--`, after which all words are names.
        let words = [&args[..1], &["--json"], &args[1..]].concat();
        let output = self.command(&words).output().expect("ran");
        // 10: successful, with findings.
        assert!(
            matches!(output.status.code(), Some(0 | 10)),
            "{args:?}: {output:?}"
        );
        serde_json::from_slice::<Value>(&output.stdout).expect("envelope")["data"].clone()
    }

    /// The jobs in the state file, by id; empty if there is no file.
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

    /// The notices in the state file.
    pub(crate) fn notices(&self) -> Vec<String> {
        let bytes = fs::read(self.at("s.json")).unwrap_or_default();
        let state: Value = serde_json::from_slice(&bytes).unwrap_or_default();
        let notices = state["notices"].as_array().cloned().unwrap_or_default();
        notices
            .iter()
            .filter_map(Value::as_str)
            .map(str::to_owned)
            .collect()
    }

    /// The engine's name for a job's last attempt, from the state file.
    pub(crate) fn engine_ref(&self, job: &str) -> Option<String> {
        self.state().get(job)?["engine_ref"]
            .as_str()
            .map(str::to_owned)
    }

    pub(crate) fn until(what: &str, mut holds: impl FnMut() -> bool) {
        let end = Instant::now() + PATIENCE;
        while !holds() {
            assert!(Instant::now() < end, "in vain: {what}");
            // Checked again soon; nothing depends on the exact time.
            std::thread::park_timeout(Duration::from_millis(2));
        }
    }
}
