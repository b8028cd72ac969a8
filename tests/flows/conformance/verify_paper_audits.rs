//! Cases of `verify_paper_audits`.

use aris_testkit::Project;

use super::cases::{Call, Cases, Hostile, Unwritable};

pub(crate) const CASES: Cases = Cases {
    helper: "verify_paper_audits",
    project: || {
        Project::new()
            .file(
                "paper/main.tex",
                "\\documentclass{article}\\begin{document}Text.\\end{document}\n",
            )
            .file("bad-policy.toml", "this is no policy")
    },
    calls: &[
        Call {
            what: "a draft without audits",
            args: &["paper"],
            code: 0,
        },
        Call {
            what: "a submission without audits",
            args: &["paper", "--assurance", "submission"],
            code: 1,
        },
        Call {
            what: "an absent paper",
            args: &["nowhere"],
            code: 3,
        },
        Call {
            what: "a policy that is none",
            args: &["paper", "--policy", "bad-policy.toml"],
            code: 4,
        },
        Call {
            what: "what to ask a reviewer",
            args: &["prompt", "paper", "--audit", "proof-checker"],
            code: 0,
        },
        Call {
            what: "an answer that nobody kept",
            args: &["record", "paper", "--audit", "proof-checker"],
            code: 3,
        },
        Call {
            what: "nothing found before",
            args: &["obligations", "paper"],
            code: 0,
        },
    ],
    incomplete: &[&["paper", "--assurance"], &["paper", "--sign-key", "k"]],
    open_ended: false,
    unwritable: &[
        Unwritable {
            what: "a report below a file",
            prepare: |project| project.write("file", "in the way"),
            args: &["paper", "--json-out", "file/report.json"],
        },
        Unwritable {
            what: "a folder where the report goes",
            prepare: |project| project.write("report.json/x", "in the way"),
            args: &["paper", "--json-out", "report.json"],
        },
    ],
    hostile: &[
        Hostile {
            path: "paper/PROOF_AUDIT.json",
            args: &["paper", "--assurance", "submission"],
            huge: 1,
            fifo: 1,
        },
        Hostile {
            path: "policy.toml",
            args: &["paper", "--policy", "policy.toml"],
            huge: 4,
            fifo: 4,
        },
    ],
    repeat_adds: None,
};
