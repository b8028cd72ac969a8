//! Cases of `verify_paper_audits`.

use aris_testkit::Project;

use super::cases::{Call, Cases, Hostile, Unwritable};

/// A statement about another content of `main.tex`, in the form that in-toto and the gate's documentation define.
const STATED: &str = r#"{"_type": "https://in-toto.io/Statement/v1", "subject": [{"name": "main.tex", "digest": {"sha256": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"}}],
 "predicateType": "tag:aris,2026:verify_paper_audits/attestation/v1", "predicate": {"time": "2026-01-01T00:00:00Z", "assurance": "draft", "result": "PASS", "inputs": []}}"#;

pub(crate) const CASES: Cases = Cases {
    helper: "verify_paper_audits",
    project: || {
        Project::new()
            .file(
                "paper/main.tex",
                "\\documentclass{article}\\begin{document}Text.\\end{document}\n",
            )
            .file("bad-policy.toml", "this is no policy")
            .file("stated.json", STATED)
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
        Call {
            what: "a statement of a file that is another one now",
            args: &["check-statement", "stated.json", "paper"],
            code: 10,
        },
    ],
    incomplete: &[
        &["check-statement"],
        &["paper", "--assurance"],
        &["paper", "--sign-key", "k"],
    ],
    open_ended: false,
    unwritable: &[
        Unwritable {
            what: "a report below a file",
            prepare: |project| project.write("file", "in the way"),
            args: &["paper", "--output", "file/report.json"],
        },
        Unwritable {
            what: "a folder where the report goes",
            prepare: |project| project.write("report.json/x", "in the way"),
            args: &["paper", "--output", "report.json"],
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
