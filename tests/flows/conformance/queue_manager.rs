//! Cases of `queue_manager`: without GPUs, with jobs that end immediately.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use aris_testkit::{Helper, Project};

use super::cases::{Call, Cases, Hostile, Unwritable};

const GOOD: &str =
    r#"{"project": "p", "cwd": ".", "gpus": [], "jobs": [{"id": "a", "cmd": "true"}]}"#;
const BAD: &str = r#"{"project": "p", "cwd": ".", "gpus": [], "jobs": [{"id": "a", "cmd": "exit 3"}, {"id": "b", "cmd": "true", "needs": ["a"]}]}"#;
const NO_CARD: &str =
    r#"{"project": "p", "cwd": ".", "gpus": [999], "jobs": [{"id": "a", "cmd": "true"}]}"#;
const NOWHERE: &str = r#"{"project": "p", "cwd": "no/such/folder", "gpus": [], "jobs": [{"id": "a", "cmd": "true"}]}"#;
const STATE: &str = r#"{"meta": {"project": "p", "started": "2026-01-01T00:00:00Z", "manifest_path": "m.json", "over": true}, "phases": [{"name": "main", "depends_on": [], "status": "completed"}],
 "jobs": [{"id": "a", "phase": "main", "cmd": "true", "status": "completed", "state": "completed", "attempts": 1, "started": "2026-01-01T00:00:00Z", "completed": "2026-01-01T00:00:01Z"}]}"#;

/// A folder `held` with a queue whose only job is held. Made once, because a manifest is bound to its path.
fn held() -> &'static Path {
    static HELD: OnceLock<PathBuf> = OnceLock::new();
    HELD.get_or_init(|| {
        let project = Project::bare().file("held/m.json", GOOD);
        let call = |args: &[&str]| {
            let call = Helper::named("queue_manager").call(project.path());
            let state = ["--state", "held/queue_state.json", "--quiet"];
            call.args(args).args(state).run().expect_code(0);
        };
        call(&["run", "--manifest", "held/m.json"]);
        call(&["add", "b", "--cmd", "true"]);
        call(&["hold", "b"]);
        project.keep()
    })
}

pub(crate) const CASES: Cases = Cases {
    helper: "queue_manager",
    open_ended: false,
    project: || {
        let project = Project::new()
            .copied(held())
            .file("m.json", GOOD)
            .file("bad.json", BAD)
            .file("card.json", NO_CARD)
            .file("nowhere.json", NOWHERE)
            .file("wrong.json", r#"{"jobs": [{"id": "a"}]}"#)
            .file("done/queue_state.json", STATE)
            .file("down", "#!/bin/sh\nexit 255\n");
        project.mode("down", 0o755);
        project
    },
    calls: &[
        Call {
            what: "nothing stands against a run",
            args: &["preflight", "--manifest", "m.json"],
            code: 0,
        },
        Call {
            what: "a working directory is missing",
            args: &["preflight", "--manifest", "nowhere.json"],
            code: 10,
        },
        Call {
            what: "a queue whose jobs complete",
            args: &["run", "--manifest", "m.json"],
            code: 0,
        },
        Call {
            what: "the reference's call, and a job that fails",
            args: &[
                "--manifest",
                "bad.json",
                "--state",
                "s.json",
                "--log-dir",
                "l",
                "--poll",
                "1",
            ],
            code: 10,
        },
        Call {
            what: "a job whose card is not there",
            args: &["run", "--manifest", "card.json", "--deadline", "0"],
            code: 5,
        },
        Call {
            what: "a job that is held for longer than the budget",
            args: &["run", "--state", "held/queue_state.json", "--deadline", "0"],
            code: 6,
        },
        Call {
            what: "no records to take over",
            args: &["record", "--import", "absent"],
            code: 3,
        },
        Call {
            what: "the numbers that stand on a job without records",
            args: &["used-by", "nothing"],
            code: 3,
        },
        Call {
            what: "a manifest that has not changed",
            args: &["reload", "--state", "held/queue_state.json"],
            code: 0,
        },
        Call {
            what: "no queue to add to",
            args: &["add", "z", "--cmd", "true", "--state", "absent.json"],
            code: 3,
        },
        Call {
            what: "no queue to edit",
            args: &["edit", "z", "--cmd", "true", "--state", "absent.json"],
            code: 3,
        },
        Call {
            what: "no queue to remove from",
            args: &["remove", "z", "--state", "absent.json"],
            code: 3,
        },
        Call {
            what: "a manifest with mistakes, in the background",
            args: &["start", "--manifest", "wrong.json"],
            code: 4,
        },
        Call {
            what: "how far a finished queue is",
            args: &["status", "--state", "done/queue_state.json", "--jobs"],
            code: 0,
        },
        Call {
            what: "a finished queue, followed",
            args: &["watch", "--state", "done/queue_state.json"],
            code: 0,
        },
        Call {
            what: "a state file whose journal is gone, reported",
            args: &["report", "--state", "done/queue_state.json"],
            code: 3,
        },
        Call {
            what: "why a job is where it is",
            args: &["explain", "a", "--state", "done/queue_state.json"],
            code: 0,
        },
        Call {
            what: "the log of a job that had none",
            args: &["logs", "a", "--state", "done/queue_state.json"],
            code: 3,
        },
        Call {
            what: "no such job",
            args: &["cancel", "z", "--state", "done/queue_state.json"],
            code: 3,
        },
        Call {
            what: "nothing to try again",
            args: &["retry", "--failed", "--state", "done/queue_state.json"],
            code: 0,
        },
        Call {
            what: "no such job to hold",
            args: &["hold", "z", "--state", "done/queue_state.json"],
            code: 3,
        },
        Call {
            what: "nothing to release",
            args: &["release", "--all", "--state", "done/queue_state.json"],
            code: 0,
        },
        Call {
            what: "no queue to pause",
            args: &["pause", "--state", "absent.json"],
            code: 3,
        },
        Call {
            what: "no queue to resume",
            args: &["resume", "--state", "absent.json"],
            code: 3,
        },
        Call {
            what: "no queue to set",
            args: &["set", "--max-parallel", "2", "--state", "absent.json"],
            code: 3,
        },
        Call {
            what: "no queue to adopt",
            args: &["adopt", "--state", "absent.json"],
            code: 3,
        },
        Call {
            what: "no ssh to reach a server with",
            args: &["deploy", "gpu", "--ssh", "./absent", "--manifest", "m.json"],
            code: 5,
        },
        Call {
            what: "a server that cannot be reached",
            args: &["remote", "gpu", "--ssh", "./down", "--run", "r"],
            code: 7,
        },
        Call {
            what: "the outputs of a queue whose jobs declare none",
            args: &["outputs", "--state", "held/queue_state.json"],
            code: 0,
        },
        Call {
            what: "outputs of no queue",
            args: &["outputs", "--state", "absent.json"],
            code: 3,
        },
        Call {
            what: "outputs of a server that cannot be reached",
            args: &["fetch", "gpu", "--ssh", "./down", "--run", "r"],
            code: 7,
        },
        Call {
            what: "a run whose name is a path",
            args: &["remote", "gpu", "--run", "../x"],
            code: 2,
        },
        Call {
            what: "logs where a file stands",
            args: &["run", "--manifest", "m.json", "--log-dir", "bad.json"],
            code: 5,
        },
    ],
    incomplete: &[
        &[],
        &["explain"],
        &["logs"],
        &["cancel"],
        &["retry"],
        &["hold"],
        &["release"],
        &["set"],
        &["add"],
        &["edit"],
        &["remove"],
        &["record"],
        &["used-by"],
        &["deploy"],
        &["remote"],
    ],
    unwritable: &[
        Unwritable {
            what: "a file where the queue's folder goes",
            prepare: |project| project.write(".queue_state.queue", "in the way"),
            args: &["run", "--manifest", "m.json"],
        },
        Unwritable {
            what: "a file where the logs go",
            prepare: |project| project.write("logs", "in the way"),
            args: &["run", "--manifest", "m.json"],
        },
    ],
    hostile: &[
        Hostile {
            path: "m.json",
            args: &["run", "--manifest", "m.json"],
            huge: 4,
            fifo: 4,
        },
        Hostile {
            path: "done/queue_state.json",
            args: &["status", "--state", "done/queue_state.json"],
            huge: 4,
            fifo: 4,
        },
    ],
    repeat_adds: None,
};
