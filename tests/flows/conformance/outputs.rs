//! Outputs that are closed, full or unwritable, and endless inputs.

use std::io::Read as _;
use std::process::{Command, Stdio};
use std::time::Duration;

use aris_testkit::{Helper, Project};

use super::for_every_helper;
use super::kept::{own, variables};

/// Size of a sparse file, in bytes: more than the memory of any test machine.
const HUGE: u64 = 300_000_000_000;

/// Deadline for an endless input. A helper must refuse it at once; one that reads it takes longer.
const PROMPT: Duration = Duration::from_secs(20);

#[test]
fn a_closed_stdout_keeps_the_exit_code() {
    for_every_helper(|subject| {
        for call in subject.cases.calls {
            let project = (subject.cases.project)();
            let (reader, writer) = std::io::pipe().expect("pipe");
            drop(reader);
            let mut child = Command::new(subject.helper.path())
                .envs(variables(project.path()))
                .args(call.args)
                .arg("--json")
                .current_dir(project.path())
                .stdin(Stdio::null())
                .stdout(writer)
                .stderr(Stdio::piped())
                .spawn()
                .expect("started");
            let mut stderr = String::new();
            child
                .stderr
                .take()
                .expect("stderr")
                .read_to_string(&mut stderr)
                .expect("text");
            let code = child.wait().expect("ended").code();
            assert_eq!(code, Some(call.code), "{}: {stderr}", call.what);
            assert!(!stderr.contains("panicked"), "{}: {stderr}", call.what);
        }
    });
}

#[test]
fn a_full_stdout_is_exit_five() {
    for_every_helper(|subject| {
        let project = (subject.cases.project)();
        let run = own(Helper::at("/bin/sh").call(project.path()), project.path())
            .args(["-c", r#"exec "$0" "$@" > /dev/full"#])
            .args([subject.helper.path()])
            .args(subject.success().args)
            .args(["--json"])
            .run()
            .expect_code(5);
        assert!(run.stderr().contains("cannot write to stdout"), "{run}");
    });
}

#[test]
fn an_output_that_cannot_be_written_is_exit_five_and_leaves_no_half() {
    for_every_helper(|subject| {
        for case in subject.cases.unwritable {
            let project = (subject.cases.project)();
            (case.prepare)(&project);
            let before = project.snapshot();
            let run = subject
                .helper
                .call(project.path())
                .args(case.args)
                .args(["--json"])
                .run()
                .expect_code(5);
            assert_eq!(run.error()["code"], "PRECONDITION", "{}: {run}", case.what);
            let differences = before.differences(&project.snapshot());
            assert!(
                !differences.iter().any(|line| line.ends_with(".aris-tmp")),
                "{}: {differences:?}",
                case.what
            );
            assert!(
                differences.iter().all(|line| line.starts_with("added ")),
                "{}: what was there is gone: {differences:?}",
                case.what
            );
        }
    });
}

#[test]
fn reads_are_bounded_and_never_wait_for_a_writer() {
    for_every_helper(|subject| {
        assert!(!subject.cases.hostile.is_empty(), "no input to try");
        for case in subject.cases.hostile {
            let project = (subject.cases.project)();
            project.write(case.path, "");
            let file = std::fs::File::options()
                .write(true)
                .open(project.at(case.path))
                .expect("open");
            file.set_len(HUGE).expect("a file with a hole");
            check(
                &subject.helper,
                &project,
                case.args,
                case.huge,
                case.path,
                "huge",
            );

            let project = (subject.cases.project)();
            project.write(case.path, "");
            std::fs::remove_file(project.at(case.path)).expect("remove");
            let path = project.at(case.path);
            Helper::at("/usr/bin/env")
                .call("/")
                .args(["mkfifo".as_ref(), path.as_os_str()])
                .run()
                .expect_code(0);
            check(
                &subject.helper,
                &project,
                case.args,
                case.fifo,
                case.path,
                "a FIFO",
            );
        }
    });
}

fn check(helper: &Helper, project: &Project, args: &[&str], code: i32, path: &str, what: &str) {
    let run = own(helper.call(project.path()), project.path())
        .args(args)
        .args(["--json"])
        .deadline(PROMPT)
        .run();
    assert_eq!(run.code(), code, "{path} is {what}: {run}");
    run.envelope();
}
