//! Cases of `verify_wiki_coverage`.

use aris_testkit::Project;

use super::cases::{Call, Cases, Hostile, Unwritable};

pub(crate) const CASES: Cases = Cases {
    helper: "verify_wiki_coverage",
    project: || {
        Project::new()
            .file(
                "wiki/papers/attention.md",
                "---\nexternal_ids:\n  arxiv: \"1706.03762\"\n---\n",
            )
            .file("paper/references.bib", "eprint = {1706.03762}\n")
            .file("notes.md", "arXiv:2310.01362\n")
    },
    calls: &[
        Call {
            what: "a wiki that has all papers",
            args: &["wiki"],
            code: 0,
        },
        Call {
            what: "a gap",
            args: &["wiki", "--scan", "notes.md"],
            code: 0,
        },
        Call {
            what: "a gap, strictly",
            args: &["wiki", "--scan", "notes.md", "--strict"],
            code: 10,
        },
        Call {
            what: "an absent wiki",
            args: &["nowhere"],
            code: 3,
        },
        Call {
            what: "a folder that is no wiki",
            args: &["paper"],
            code: 3,
        },
        Call {
            what: "a report in the place of a text",
            args: &["wiki", "--output", "notes.md"],
            code: 2,
        },
    ],
    incomplete: &[
        &[],
        &["--strict"],
        &["wiki", "--scan"],
        &["wiki", "--output"],
    ],
    open_ended: false,
    unwritable: &[
        Unwritable {
            what: "a report below a file",
            prepare: |project| project.write("file", "in the way"),
            args: &["wiki", "--output", "file/report.json"],
        },
        Unwritable {
            what: "a folder where the report goes",
            prepare: |project| project.write("wiki/.wiki-coverage-report.json/x", "in the way"),
            args: &["wiki"],
        },
    ],
    hostile: &[
        Hostile {
            path: "paper/huge.log",
            args: &["wiki"],
            huge: 0,
            fifo: 0,
        },
        Hostile {
            path: "wiki/papers/huge.md",
            args: &["wiki"],
            huge: 0,
            fifo: 0,
        },
        Hostile {
            path: "report.json",
            args: &["wiki", "--output", "report.json"],
            huge: 4,
            fifo: 4,
        },
    ],
    repeat_adds: None,
};
