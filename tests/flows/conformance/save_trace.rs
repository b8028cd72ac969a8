//! Cases of `save_trace`.

use aris_testkit::Project;

use super::cases::{Call, Cases, Hostile, Unwritable};

pub(crate) const CASES: Cases = Cases {
    helper: "save_trace",
    project: || {
        Project::new()
            .file("prompt.txt", "a prompt")
            .file("response.md", "a response")
    },
    calls: &[
        Call {
            what: "keep a call",
            args: &[
                "--skill",
                "s",
                "--purpose",
                "p",
                "--prompt-file",
                "prompt.txt",
                "--response-file",
                "response.md",
            ],
            code: 0,
        },
        Call {
            what: "keep digests only",
            args: &[
                "--skill",
                "s",
                "--purpose",
                "p",
                "--prompt",
                "x",
                "--response",
                "y",
                "--trace-mode",
                "meta",
            ],
            code: 0,
        },
        Call {
            what: "keep nothing",
            args: &[
                "--skill",
                "s",
                "--purpose",
                "p",
                "--prompt",
                "x",
                "--response",
                "y",
                "--trace-mode",
                "off",
            ],
            code: 0,
        },
        Call {
            what: "a skill that is a path",
            args: &[
                "--skill",
                "../s",
                "--purpose",
                "p",
                "--prompt",
                "x",
                "--response",
                "y",
            ],
            code: 2,
        },
        Call {
            what: "an absent file",
            args: &[
                "--skill",
                "s",
                "--purpose",
                "p",
                "--prompt-file",
                "absent",
                "--response",
                "y",
            ],
            code: 3,
        },
    ],
    incomplete: &[&[], &["--skill", "s"], &["--purpose", "p"], &["--skill"]],
    open_ended: false,
    unwritable: &[
        Unwritable {
            what: "a file where the project's state goes",
            prepare: |project| project.write(".aris", "in the way"),
            args: &[
                "--skill",
                "s",
                "--purpose",
                "p",
                "--prompt",
                "x",
                "--response",
                "y",
            ],
        },
        Unwritable {
            what: "a file where the traces go",
            prepare: |project| project.write(".aris/traces", "in the way"),
            args: &[
                "--skill",
                "s",
                "--purpose",
                "p",
                "--prompt",
                "x",
                "--response",
                "y",
            ],
        },
    ],
    hostile: &[Hostile {
        path: "prompt.txt",
        args: &[
            "--skill",
            "s",
            "--purpose",
            "p",
            "--prompt-file",
            "prompt.txt",
            "--response",
            "y",
        ],
        huge: 4,
        fifo: 4,
    }],
    repeat_adds: Some("two equal calls of a reviewer are two calls"),
};
