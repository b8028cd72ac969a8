//! Cases of `build_manifest`.

use aris_testkit::Project;

use super::cases::{Call, Cases, Hostile, Unwritable};

const GRID: &str = "project: p\ngrid: {N: [1, 2]}\ntemplate: {id: \"j${N}\", cmd: \"echo ${N}\"}\n";

pub(crate) const CASES: Cases = Cases {
    helper: "build_manifest",
    open_ended: false,
    project: || {
        Project::new()
            .file("grid.yaml", GRID)
            .file("wrong.yaml", "gird: {N: [1]}\n")
            .file("notes.txt", "mine")
    },
    calls: &[
        Call {
            what: "check a specification",
            args: &["--config", "grid.yaml"],
            code: 0,
        },
        Call {
            what: "no specification",
            args: &["--config", "absent.yaml"],
            code: 3,
        },
        Call {
            what: "the schema of specifications",
            args: &["--schema"],
            code: 0,
        },
        Call {
            what: "a specification with mistakes",
            args: &["--config", "wrong.yaml"],
            code: 4,
        },
        Call {
            what: "somebody's file in the manifest's place",
            args: &["--config", "grid.yaml", "--output", "notes.txt"],
            code: 2,
        },
    ],
    incomplete: &[&[], &["--output", "m.json"]],
    unwritable: &[Unwritable {
        what: "a manifest below a file",
        prepare: |project| project.write("file", "in the way"),
        args: &["--config", "grid.yaml", "--output", "file/m.json"],
    }],
    hostile: &[Hostile {
        path: "grid.yaml",
        args: &["--config", "grid.yaml"],
        huge: 4,
        fifo: 4,
    }],
    repeat_adds: None,
};
