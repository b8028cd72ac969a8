//! `watch` on a terminal, and `logs --follow`.

use std::fs::{self, File};
use std::io::Read as _;
use std::process::{Child, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use rustix::pty::{OpenptFlags, grantpt, ioctl_tiocgptpeer, openpt, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};
use serde_json::json;

use crate::queue::{Manager, Place};

/// A queue with one job that waits for the file `go`.
fn waiting() -> (Place, Manager) {
    let place = Place::new();
    place.manifest(&json!([{"name": "p", "jobs": [
        {"id": "long", "cmd": "echo begun; until [ -e go ]; do sleep 0.01; done; echo done"},
    ]}]));
    let manager = place.start();
    Place::until("it runs", || {
        place
            .state()
            .get("long")
            .is_some_and(|job| job["state"] == "running")
    });
    (place, manager)
}

fn end(place: &Place, mut manager: Manager) {
    fs::write(place.at("go"), "").expect("written");
    assert!(manager.wait().expect("ended").success());
}

/// Calls `queue_manager watch` on a terminal of this kind, and sends it `signal` once it has drawn `mark`. Gives its output and exit code.
fn on_a_terminal(place: &Place, kind: &str, mark: &str, signal: Signal) -> (String, Option<i32>) {
    let near = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
    grantpt(&near).expect("granted");
    unlockpt(&near).expect("unlocked");
    let far = ioctl_tiocgptpeer(&near, OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("opened");
    let size = Winsize {
        ws_row: 24,
        ws_col: 80,
        ws_xpixel: 0,
        ws_ypixel: 0,
    };
    tcsetwinsize(&far, size).expect("a size");
    let mut child = place
        .command(&["watch", "--state", "s.json"])
        .env("TERM", kind)
        .stdout(Stdio::from(far.try_clone().expect("copied")))
        .stderr(Stdio::from(far))
        .spawn()
        .expect("started");
    let (mut near, mut text, mut told) = (File::from(near), Vec::new(), false);
    let mut buffer = [0; 4096];
    // Reading fails when nobody has the terminal open any more.
    while let Ok(count @ 1..) = near.read(&mut buffer) {
        text.extend_from_slice(&buffer[..count]);
        if !told && String::from_utf8_lossy(&text).contains(mark) {
            told = true;
            kill_process(Pid::from_child(&child), signal).expect("told");
        }
    }
    let code = child.wait().expect("ended").code();
    (String::from_utf8_lossy(&text).into_owned(), code)
}

#[test]
fn watch_draws_on_a_terminal_and_gives_it_back_as_it_was() {
    let (place, manager) = waiting();
    for signal in [Signal::INT, Signal::TERM] {
        let (text, code) = on_a_terminal(&place, "xterm", "  begun", signal);
        let (drawn, after) = text.rsplit_once("\u{1b}[?1049l").expect("left");
        assert!(drawn.starts_with("\u{1b}[?1049h"), "{text:?}");
        assert!(drawn.contains("long"), "{text:?}");
        assert!(
            after.contains("test: 1 running") && !after.contains("\u{1b}[H"),
            "{text:?}"
        );
        assert_eq!(code, Some(0));
    }
    let (text, code) = on_a_terminal(&place, "dumb", "1 running (long)", Signal::TERM);
    assert!(!text.contains('\u{1b}') && code == Some(0), "{text:?}");
    end(&place, manager);
}

#[test]
fn watch_without_a_terminal_tells_each_change_and_ends_with_the_queue() {
    let (place, manager) = waiting();
    let child = place
        .command(&["status", "--watch", "--state", "s.json"])
        .env("TERM", "xterm")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("started");
    end(&place, manager);
    let output = child.wait_with_output().expect("ended");
    assert!(output.status.success());
    assert!(!output.stderr.contains(&0x1b) && !output.stdout.contains(&0x1b));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.starts_with("test: 1 completed\nended\n"), "{text}");
}

#[test]
fn a_queue_is_over_while_its_manager_is_still_leaving() {
    let place = Place::new();
    place.manifest(&json!([{"name": "p", "jobs": [{"id": "a", "cmd": "true"}]}]));
    assert!(place.run().status.success());
    let lock = File::open(place.at(".s.queue/lock")).expect("there");
    lock.lock().expect("free");
    for watch in [&[][..], &["--watch"]] {
        let args = [&["status", "--state", "s.json"], watch].concat();
        let output = place.command(&args).output().expect("ran");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(text.starts_with("test: 1 completed\nended\n"), "{text}");
    }
}

#[test]
fn logs_are_followed_over_attempts_to_the_end() {
    let place = Place::new();
    place.manifest(&json!([{"name": "p", "jobs": [{
        "id": "twice", "retry": {"other": 1, "delay": 0},
        "cmd": "echo one; printf two; until [ -e go ]; do sleep 0.01; done; echo; [ -e again ] || { touch again; exit 1; }; echo good",
    }]}]));
    let manager = place.start();
    Place::until("it runs", || {
        place
            .state()
            .get("twice")
            .is_some_and(|job| job["state"] == "running")
    });
    let follow = |args: &[&str]| {
        place
            .command(&[&["logs", "twice", "-f", "--state", "s.json"], args].concat())
            .stdout(Stdio::piped())
            .spawn()
            .expect("started")
    };
    let (mut all, mut first) = (follow(&[]), follow(&["--attempt", "1"]));
    for child in [&mut all, &mut first] {
        let mut begun = [0; 4];
        let stdout = child.stdout.as_mut().expect("piped");
        stdout.read_exact(&mut begun).expect("a line");
        assert_eq!(&begun, b"one\n");
    }
    end(&place, manager);
    let text = |child: Child| {
        let output = child.wait_with_output().expect("ended");
        assert!(output.status.success());
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    assert_eq!(text(all), "two\none\ntwo\ngood\n");
    assert_eq!(text(first), "two\n");
    // For a job that has ended, the end of the log is printed at once.
    assert_eq!(text(follow(&["--lines", "1"])), "good\n");
}
