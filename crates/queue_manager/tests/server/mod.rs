//! A queue on a server behind a real sshd whose connection breaks at critical moments: repeated requests have one effect.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use aris_testkit::Sshd;
use serde_json::{Value, json};

use crate::queue::Place;

/// A run on the test bed's sshd, in the home folder of the user who runs the tests. It is ended and removed when this is dropped.
struct Far {
    place: Place,
    sshd: Sshd,
    run: String,
}

impl Far {
    fn up() -> Option<Self> {
        let sshd = Sshd::up()?;
        let run = format!("queue-manager-test-{}", std::process::id());
        Some(Self {
            place: Place::new(),
            sshd,
            run,
        })
    }

    /// A call for the run, through this host of the test bed.
    fn command(&self, verb: &str, host: &str, args: &[&str]) -> Command {
        let config = self.sshd.config().display().to_string();
        let words = [
            verb,
            "--json",
            "--ssh-config",
            &config,
            host,
            "--run",
            &self.run,
        ];
        let mut command = self.place.command(&[&words[..], args].concat());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Exit code and answer of a command over a good connection.
    fn ask(&self, args: &[&str]) -> (Option<i32>, Value) {
        let output = self
            .command("remote", "gpu", &[&["--"], args].concat())
            .output()
            .expect("ran");
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
        (output.status.code(), answer["data"]["answer"].clone())
    }

    fn there(&self) -> PathBuf {
        Sshd::home().join("runs").join(&self.run)
    }
}

impl Drop for Far {
    fn drop(&mut self) {
        if self.there().exists() {
            // If a test failed, its jobs are ended here.
            self.ask(&["cancel", "--all"]);
        }
        for run in [self.there(), Sshd::home().join("runs/probe")] {
            fs::remove_dir_all(run).unwrap_or_default();
        }
        Sshd::forget(Path::new(env!("CARGO_BIN_EXE_queue_manager")));
    }
}

#[test]
fn a_line_that_breaks_while_a_queue_is_brought_started_and_cancelled_changes_nothing_twice() {
    let Some(far) = Far::up() else {
        return;
    };
    let mut manifest = json!({"project": "far", "cwd": ".", "gpus": [], "max_cpu_jobs": 4, "linger": 0, "kill_grace": 1, "jobs": [
        {"id": "once", "cmd": "echo x >> ran-once"},
        {"id": "stays", "cmd": "echo x >> ran-stays; exec sleep 600"},
    ]});
    fs::write(far.place.at("m.json"), manifest.to_string()).expect("write");
    let deploy = ["--manifest", "m.json"];
    // A server that does not listen, and one with another key: each gets its own error, and nothing is created.
    for (host, code) in [("gpu-dead", 7), ("gpu-badkey", 5)] {
        let refused = far.command("deploy", host, &deploy).output().expect("ran");
        assert_eq!(refused.status.code(), Some(code), "{host}: {refused:?}");
    }
    assert!(!far.there().exists());
    // The connection is cut repeatedly while the program is copied, and while the queue is started.
    far.sshd.control("relay-start");
    let mut broken = far
        .command("deploy", "gpu-cut", &deploy)
        .spawn()
        .expect("started");
    for _ in 0..3 {
        // Sessions are killed as they open.
        Place::until("a session", || {
            let log = far.sshd.log();
            log.contains("Accepted publickey")
        });
        far.sshd.control("drop-sessions");
    }
    far.sshd.control("relay-cut");
    let broken = broken.wait().expect("ended").code();
    assert!(matches!(broken, Some(0 | 7)), "{broken:?}");
    let done = far.command("deploy", "gpu", &deploy).output().expect("ran");
    assert_eq!(done.status.code(), Some(0), "{done:?}");
    let again = far.command("deploy", "gpu", &deploy).output().expect("ran");
    assert_eq!(again.status.code(), Some(0), "{again:?}");
    Place::until("both have begun", || {
        far.there().join("ran-once").exists() && far.there().join("ran-stays").exists()
    });
    // Deployed again with one more job while its manager runs: the manager reads the manifest again, and the change is reported.
    let more = json!({"id": "later", "cmd": "echo x >> ran-later"});
    manifest["jobs"].as_array_mut().expect("jobs").push(more);
    fs::write(far.place.at("m.json"), manifest.to_string()).expect("write");
    let live = far.command("deploy", "gpu", &deploy).output().expect("ran");
    let told: Value = serde_json::from_slice(&live.stdout).expect("envelope");
    assert_eq!(
        told["data"]["answer"]["notes"],
        json!(["new: later"]),
        "{live:?}"
    );
    Place::until("the new one runs", || {
        far.there().join("ran-later").exists()
    });
    // The server freezes while a job is cancelled, and then continues: the request is carried out once, whoever gets the answer.
    far.sshd.control("sshd-pause");
    let cancel = far
        .command("remote", "gpu", &["--", "cancel", "stays"])
        .spawn()
        .expect("started");
    let frozen = far
        .command("remote", "gpu", &["--", "status"])
        .output()
        .expect("ran");
    far.sshd.control("sshd-resume");
    assert_eq!(frozen.status.code(), Some(7), "{frozen:?}");
    let cancelled = cancel.wait_with_output().expect("ended");
    assert!(
        matches!(cancelled.status.code(), Some(0 | 7)),
        "{cancelled:?}"
    );
    // The server may still refuse a connection (7); then the command is repeated.
    Place::until("the cancel is heard", || {
        let (code, answer) = far.ask(&["cancel", "stays"]);
        assert!(matches!(code, Some(0 | 7)), "{code:?} {answer}");
        code == Some(0)
    });
    Place::until("it is over there", || {
        far.ask(&["status"]).1["over"] == true
    });
    let (code, status) = far.ask(&["status"]);
    assert_eq!(
        status["counts"],
        json!({"cancelled": 1, "completed": 2}),
        "{code:?} {status}"
    );
    for name in ["ran-once", "ran-stays", "ran-later"] {
        let ran = fs::read_to_string(far.there().join(name)).expect("ran");
        assert_eq!(ran, "x\n", "{name}");
    }
}
