//! A queue in a folder of its own, and the program under test.

use std::collections::BTreeMap;
use std::fs;
use std::ops::{Deref, DerefMut};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use aris_testkit::executable;
use serde_json::{Value, json};

/// Longer than anything here takes on a busy machine; nothing waits for it to pass.
const PATIENCE: Duration = Duration::from_mins(3);

/// A queue's folder.
pub(crate) struct Place {
    folder: tempfile::TempDir,
    /// Of the queue's folder in it; empty: itself.
    name: String,
}

/// A manager that is ended when its test is over, also when it failed.
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

    /// A queue in a folder of this name, which is alone in its own.
    pub(crate) fn within(name: &str) -> Self {
        let mut place = Self::new();
        name.clone_into(&mut place.name);
        fs::create_dir(place.at("")).expect("folder");
        // Nodes of a cluster come as other users, too.
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

    /// Writes `m.json`: jobs without cards, four at once, in this folder.
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

    /// A call of the program through another one, which ends with the words of the program.
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
            // Programs of this place before all others.
            .env("PATH", format!("{}:{path}", self.at("bin").display()))
            .env("FAKEGPU_DIR", self.at("fakegpu"))
            .stdin(Stdio::null());
        command
    }

    /// A program of that name for this place's queue.
    pub(crate) fn program(&self, name: &str, body: &str) {
        let (part, bin) = (self.at("part"), self.at("bin"));
        fs::create_dir_all(&bin).expect("folder");
        fs::write(&part, format!("#!/bin/sh\n{body}\n")).expect("write");
        executable(&part);
        // Renamed: whoever runs the old one keeps it.
        fs::rename(part, bin.join(name)).expect("renamed");
    }

    /// Cards as `nvidia-smi` lists them; nobody computes on them.
    pub(crate) fn nvidia_smi(&self, rows: &str) {
        let body = format!("case \"$*\" in *query-compute-apps*) ;; *) {rows} ;; esac");
        self.program("nvidia-smi", &body);
    }

    /// So many cards of the test bed whose programs are in `bin`.
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

    /// Runs the queue until it is over.
    pub(crate) fn run(&self) -> Output {
        self.command(&["run", "--manifest", "m.json", "--state", "s.json"])
            .output()
            .expect("ran")
    }

    /// Starts a manager and leaves it to itself.
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

    /// One call, whatever it comes to.
    pub(crate) fn call(&self, args: &[&str]) -> Output {
        self.command(args).output().expect("ran")
    }

    /// The data of a call with `--json` that works.
    pub(crate) fn data(&self, args: &[&str]) -> Value {
        // Before a `--`, behind which everything is a name.
        let words = [&args[..1], &["--json"], &args[1..]].concat();
        let output = self.command(&words).output().expect("ran");
        // 10: it worked, and found something.
        assert!(
            matches!(output.status.code(), Some(0 | 10)),
            "{args:?}: {output:?}"
        );
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

    /// What the state file says that a person should know.
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

    /// What the engine calls a job's last attempt, as the state file has it.
    pub(crate) fn engine_ref(&self, job: &str) -> Option<String> {
        self.state().get(job)?["engine_ref"]
            .as_str()
            .map(str::to_owned)
    }

    pub(crate) fn until(what: &str, mut holds: impl FnMut() -> bool) {
        let end = Instant::now() + PATIENCE;
        while !holds() {
            assert!(Instant::now() < end, "in vain: {what}");
            // Looked at again soon; nothing depends on when.
            std::thread::park_timeout(Duration::from_millis(2));
        }
    }
}
