//! The sshd of the test bed.

use std::fs::{self, File};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::park_timeout;
use std::time::Duration;

use tempfile::TempDir;

/// A real sshd on a loopback port, which ends when this is dropped. It logs in the account that runs the tests, so files go to
/// the home folder of that account. Only one test on a machine can use it at a time.
pub struct Sshd {
    folder: TempDir,
    bed: PathBuf,
    _alone: File,
}

impl Sshd {
    /// Starts sshd. Without the test bed or one of its programs, prints `skipped: why` and returns `None`.
    pub fn up() -> Option<Self> {
        let bed = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/testbed/ssh");
        if !bed.join("up.sh").is_file() {
            println!("skipped: {} is absent", bed.display());
            return None;
        }
        let folder = tempfile::tempdir().expect("temp");
        let kept = Self::home();
        fs::create_dir_all(&kept).expect("a folder in the home folder");
        let alone = File::create(kept.join("tests.lock")).expect("a lock");
        alone.lock().expect("locked");
        let done = Command::new(bed.join("up.sh"))
            .arg(folder.path())
            .arg("--no-install")
            .stdin(Stdio::null())
            .output()
            .expect("started");
        if !done.status.success() {
            println!("skipped: {}", String::from_utf8_lossy(&done.stderr).trim());
            return None;
        }
        Some(Self {
            folder,
            bed,
            _alone: alone,
        })
    }

    /// The folder that the queue uses on servers, here in the home of the account that runs the tests.
    pub fn home() -> PathBuf {
        let home = PathBuf::from(std::env::var_os("HOME").expect("a home folder"));
        home.join(".aris_queue")
    }

    /// The ssh configuration with the hosts `gpu`, `gpu-dead`, `gpu-badkey` and `gpu-cut`.
    pub fn config(&self) -> PathBuf {
        self.folder.path().join("client/config")
    }

    /// The log of sshd.
    pub fn log(&self) -> String {
        fs::read_to_string(self.folder.path().join("log/sshd.log")).unwrap_or_default()
    }

    /// Calls the test bed's `ctl.sh` with `what`, for example `relay-cut`.
    pub fn control(&self, what: &str) {
        let done = Command::new(self.bed.join("ctl.sh"))
            .arg(self.folder.path())
            .arg(what)
            .stdin(Stdio::null())
            .output()
            .expect("started");
        assert!(done.status.success(), "{what}: {done:?}");
        if what == "relay-start" {
            // The script waits a fixed time for it, which is too short on a busy machine.
            let known = fs::read_to_string(self.folder.path().join("client/known_hosts"));
            let known = known.expect("the test bed's hosts");
            let port = known
                .lines()
                .last()
                .and_then(|line| line.split("]:").nth(1)?.split(' ').next());
            let port: u16 = port
                .and_then(|port| port.parse().ok())
                .expect("the relay's port");
            let listens = || TcpStream::connect(("127.0.0.1", port)).is_ok();
            assert!(
                (0..100).any(|_| listens() || {
                    park_timeout(Duration::from_millis(100));
                    false
                }),
                "no relay"
            );
        }
    }

    /// Removes the copies of this program from the home folder.
    pub fn forget(program: &Path) {
        let own = fs::read(program).expect("built");
        let name = program.file_name().expect("a name");
        let brought = fs::read_dir(Self::home().join("bin"));
        for folder in brought.into_iter().flatten().flatten() {
            if fs::read(folder.path().join(name)).is_ok_and(|there| there == own) {
                fs::remove_dir_all(folder.path()).expect("removed");
            }
        }
    }
}

impl Drop for Sshd {
    fn drop(&mut self) {
        let down = self.bed.join("down.sh");
        drop(Command::new(down).arg(self.folder.path()).output());
    }
}
