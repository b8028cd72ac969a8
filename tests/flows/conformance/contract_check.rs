//! Cases of `contract_check`.

use aris_testkit::Project;

use super::cases::{Call, Cases, Hostile, Unwritable};

/// A project whose plan mentions a paper that is not in its wiki, with one helper of each policy.
pub(crate) const CASES: Cases = Cases {
    helper: "contract_check",
    project: || {
        Project::new()
            .file("research-wiki/index.md", "# Wiki")
            .file("PAPER_PLAN.md", "builds on arXiv:2401.00001\n")
            .file("paper/.aris/assurance.txt", "draft")
            .file("tools/verify_paper_audits.sh", "exit 0\n")
            .file("tools/save_trace.sh", "exit 3\n")
    },
    calls: &[
        Call {
            what: "an integration that does not fire",
            args: &["status", "submission-audits"],
            code: 0,
        },
        Call {
            what: "a checklist",
            args: &["checklist", "research-wiki-ingest"],
            code: 0,
        },
        Call {
            what: "an integration with gaps",
            args: &["status"],
            code: 10,
        },
        Call {
            what: "what would fill them",
            args: &["backfill", "research-wiki-ingest"],
            code: 10,
        },
        Call {
            what: "a helper that is there",
            args: &["resolve", "save_trace"],
            code: 0,
        },
        Call {
            what: "a helper that is not",
            args: &["resolve", "queue_manager.py"],
            code: 10,
        },
        Call {
            what: "faults of an installation",
            args: &["doctor"],
            code: 10,
        },
        Call {
            what: "an open gate",
            args: &["run", "verify_paper_audits"],
            code: 0,
        },
        Call {
            what: "a gate that is missing",
            args: &["run", "figure_renderer"],
            code: 1,
        },
        Call {
            what: "a side effect that is missing",
            args: &["run", "research_wiki"],
            code: 0,
        },
        Call {
            what: "a record that the caller owes",
            args: &["run", "save_trace"],
            code: 20,
        },
        Call {
            what: "the next source of a cascade",
            args: &["run", "verify_papers"],
            code: 21,
        },
        Call {
            what: "a source of an aggregate that is skipped",
            args: &["run", "arxiv_fetch"],
            code: 22,
        },
        Call {
            what: "a path instead of a helper",
            args: &["run", "../x"],
            code: 2,
        },
        Call {
            what: "a policy that would wave a gate through",
            args: &["run", "verify_paper_audits", "--policy", "B"],
            code: 2,
        },
        Call {
            what: "no project",
            args: &["status", "--project", "absent"],
            code: 3,
        },
    ],
    incomplete: &[&[], &["checklist"], &["backfill"], &["resolve"], &["run"]],
    open_ended: false,
    unwritable: &[Unwritable {
        what: "a folder where the record goes",
        prepare: |project| project.write("record/file", "in the way"),
        args: &["run", "verify_paper_audits", "--record", "record"],
    }],
    hostile: &[
        Hostile {
            path: "paper/.aris/assurance.txt",
            args: &["status", "submission-audits"],
            huge: 1,
            fifo: 1,
        },
        Hostile {
            path: ".aris/install.json",
            args: &["doctor"],
            huge: 10,
            fifo: 10,
        },
    ],
    repeat_adds: None,
};
