//! A queue on a server behind a real sshd, whose line breaks when it is needed most: whatever is repeated has one effect.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::queue::Place;

/// The test bed's sshd, ended when this is dropped, with the run it made in the home folder of whoever runs the tests.
struct Sshd {
    place: Place,
    bed: PathBuf,
    run: String,
}

impl Sshd {
    fn up() -> Option<Self> {
        let bed = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/testbed/ssh");
        if !bed.join("up.sh").is_file() {
            println!("skipped: {} is absent", bed.display());
            return None;
        }
        let place = Place::new();
        let done = Command::new(bed.join("up.sh"))
            .arg(place.at("sshd"))
            .arg("--no-install")
            .stdin(Stdio::null())
            .output()
            .expect("started");
        if !done.status.success() {
            println!("skipped: {}", String::from_utf8_lossy(&done.stderr).trim());
            return None;
        }
        let run = format!("queue-manager-test-{}", std::process::id());
        Some(Self { place, bed, run })
    }

    fn control(&self, what: &str) {
        let done = Command::new(self.bed.join("ctl.sh"))
            .arg(self.place.at("sshd"))
            .arg(what)
            .stdin(Stdio::null())
            .output();
        let done = done.expect("started");
        assert!(done.status.success(), "{what}: {done:?}");
    }

    /// A call for the run on this host of the test bed.
    fn command(&self, verb: &str, host: &str, args: &[&str]) -> Command {
        let config = self.place.at("sshd/client/config").display().to_string();
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

    /// The answer to a command on a line that is good, and how it left.
    fn ask(&self, args: &[&str]) -> (Option<i32>, Value) {
        let output = self
            .command("remote", "gpu", &[&["--"], args].concat())
            .output()
            .expect("ran");
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
        (output.status.code(), answer["data"]["answer"].clone())
    }

    /// What this program keeps on servers; ssh leads to whoever runs the tests.
    fn home() -> PathBuf {
        let home = PathBuf::from(std::env::var_os("HOME").expect("a home folder"));
        home.join(".aris_queue")
    }

    fn there(&self) -> PathBuf {
        Self::home().join("runs").join(&self.run)
    }
}

impl Drop for Sshd {
    fn drop(&mut self) {
        if self.there().exists() {
            // A test that failed leaves nothing that runs.
            self.ask(&["cancel", "--all"]);
        }
        let down = self.bed.join("down.sh");
        drop(Command::new(down).arg(self.place.at("sshd")).output());
        for run in [self.there(), Self::home().join("runs/probe")] {
            fs::remove_dir_all(run).unwrap_or_default();
        }
        let own = fs::read(env!("CARGO_BIN_EXE_queue_manager")).unwrap_or_default();
        for program in fs::read_dir(Self::home().join("bin"))
            .into_iter()
            .flatten()
            .flatten()
        {
            if fs::read(program.path().join("queue_manager")).is_ok_and(|there| there == own) {
                fs::remove_dir_all(program.path()).unwrap_or_default();
            }
        }
    }
}

#[test]
fn a_line_that_breaks_while_a_queue_is_brought_started_and_cancelled_changes_nothing_twice() {
    let Some(sshd) = Sshd::up() else {
        return;
    };
    let mut manifest = json!({"project": "far", "cwd": ".", "gpus": [], "max_cpu_jobs": 4, "linger": 0, "kill_grace": 1, "jobs": [
        {"id": "once", "cmd": "echo x >> ran-once"},
        {"id": "stays", "cmd": "echo x >> ran-stays; exec sleep 600"},
    ]});
    fs::write(sshd.place.at("m.json"), manifest.to_string()).expect("write");
    let deploy = ["--manifest", "m.json"];
    // Nobody listens, another key: said as what it is, and nothing was made.
    for (host, code) in [("gpu-dead", 7), ("gpu-badkey", 5)] {
        let refused = sshd.command("deploy", host, &deploy).output().expect("ran");
        assert_eq!(refused.status.code(), Some(code), "{host}: {refused:?}");
    }
    assert!(!sshd.there().exists());
    // The line is cut again and again while the program is on its way, and while the queue is started.
    sshd.control("relay-start");
    let mut broken = sshd
        .command("deploy", "gpu-cut", &deploy)
        .spawn()
        .expect("started");
    for _ in 0..3 {
        // Sessions are killed as they come.
        Place::until("a session", || {
            let log = fs::read_to_string(sshd.place.at("sshd/log/sshd.log")).unwrap_or_default();
            log.contains("Accepted publickey")
        });
        sshd.control("drop-sessions");
    }
    sshd.control("relay-cut");
    let broken = broken.wait().expect("ended").code();
    assert!(matches!(broken, Some(0 | 7)), "{broken:?}");
    let done = sshd
        .command("deploy", "gpu", &deploy)
        .output()
        .expect("ran");
    assert_eq!(done.status.code(), Some(0), "{done:?}");
    let again = sshd
        .command("deploy", "gpu", &deploy)
        .output()
        .expect("ran");
    assert_eq!(again.status.code(), Some(0), "{again:?}");
    Place::until("both have begun", || {
        sshd.there().join("ran-once").exists() && sshd.there().join("ran-stays").exists()
    });
    // Brought again with one more job while its manager runs: the manager takes it up, and that is told.
    let more = json!({"id": "later", "cmd": "echo x >> ran-later"});
    manifest["jobs"].as_array_mut().expect("jobs").push(more);
    fs::write(sshd.place.at("m.json"), manifest.to_string()).expect("write");
    let live = sshd
        .command("deploy", "gpu", &deploy)
        .output()
        .expect("ran");
    let told: Value = serde_json::from_slice(&live.stdout).expect("envelope");
    assert_eq!(
        told["data"]["answer"]["notes"],
        json!(["new: later"]),
        "{live:?}"
    );
    Place::until("the new one runs", || {
        sshd.there().join("ran-later").exists()
    });
    // The server stands still while somebody cancels, and comes back: the request is carried out once, whoever hears of it.
    sshd.control("sshd-pause");
    let cancel = sshd
        .command("remote", "gpu", &["--", "cancel", "stays"])
        .spawn()
        .expect("started");
    let frozen = sshd
        .command("remote", "gpu", &["--", "status"])
        .output()
        .expect("ran");
    sshd.control("sshd-resume");
    assert_eq!(frozen.status.code(), Some(7), "{frozen:?}");
    let cancelled = cancel.wait_with_output().expect("ended");
    assert!(
        matches!(cancelled.status.code(), Some(0 | 7)),
        "{cancelled:?}"
    );
    // The server that came back may still refuse a line (7): whoever hears that asks again.
    Place::until("the cancel is heard", || {
        let (code, answer) = sshd.ask(&["cancel", "stays"]);
        assert!(matches!(code, Some(0 | 7)), "{code:?} {answer}");
        code == Some(0)
    });
    Place::until("it is over there", || {
        sshd.ask(&["status"]).1["over"] == true
    });
    let (code, status) = sshd.ask(&["status"]);
    assert_eq!(
        status["counts"],
        json!({"cancelled": 1, "completed": 2}),
        "{code:?} {status}"
    );
    for name in ["ran-once", "ran-stays", "ran-later"] {
        let ran = fs::read_to_string(sshd.there().join(name)).expect("ran");
        assert_eq!(ran, "x\n", "{name}");
    }
}
