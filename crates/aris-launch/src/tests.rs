//! What the tests of several scripts share: the interpreters and a time limit. Also the test of `is_plain`.

use std::time::Duration;

use super::is_plain;

/// A generated script that runs longer hangs.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

/// Every POSIX shell that this machine has, as argument lists; `sh` and `bash` must be there.
pub(crate) fn shells() -> Vec<Vec<&'static str>> {
    let all: [&[&str]; 7] = [
        &["sh"],
        &["dash"],
        &["bash"],
        &["bash", "--posix"],
        &["zsh"],
        &["mksh"],
        &["busybox", "sh"],
    ];
    let there = |call: &&&[&str]| match call {
        ["sh" | "bash", ..] => true,
        [name, ..] => exists(name),
        [] => false,
    };
    all.iter().filter(there).map(|call| call.to_vec()).collect()
}

/// Whether this machine has a program of this name; prints a line where it has not.
pub(crate) fn exists(name: &str) -> bool {
    let done = aris_proc::command("sh", "/")
        .args(["-c", "command -v \"$1\"", "sh", name])
        .run(PATIENCE)
        .expect("sh ran");
    if !done.success() {
        println!("not tried: no {name} on this machine");
    }
    done.success()
}

#[test]
fn names_that_a_shell_takes_as_they_are() {
    for plain in ["save_trace", "save_trace.sh", "paper-writing", "a1"] {
        assert!(is_plain(plain), "{plain}");
    }
    for other in [
        "", "-x", ".", "..", "a b", "a/b", "a'b", "a$b", "é", "a\n", "a\\",
    ] {
        assert!(!is_plain(other), "{other:?}");
    }
}
