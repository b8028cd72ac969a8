//! Cases of `verify_papers`. None reaches the network.

use aris_testkit::Project;

use super::cases::{Call, Cases, Hostile, Unwritable};

pub(crate) const CASES: Cases = Cases {
    helper: "verify_papers",
    project: || {
        Project::new()
            .file(
                "papers.json",
                r#"[{"id": "p1", "arxiv_id": "1706.03762", "doi": null, "title": "Attention Is All You Need"}]"#,
            )
            .file("empty.json", "[]")
            .file("titles.txt", "Attention Is All You Need\n")
            .file(
                "refs.bib",
                "@article{one, title = {Attention Is All You Need}, author = {A. Vaswani}, year = 2017, journal = {J}}\n",
            )
    },
    calls: &[
        Call {
            what: "papers of which the cache knows nothing",
            args: &["--input", "papers.json", "--offline"],
            code: 7,
        },
        Call {
            what: "identifiers",
            args: &["--arxiv-ids", "1706.03762", "--offline"],
            code: 7,
        },
        Call {
            what: "a bibliography",
            args: &["--bib", "refs.bib", "--offline"],
            code: 7,
        },
        Call {
            what: "a list without papers",
            args: &["--input", "empty.json", "--offline"],
            code: 0,
        },
        Call {
            what: "an identifier that is none",
            args: &["--arxiv-ids", "1706.03762,foo", "--offline"],
            code: 2,
        },
        Call {
            what: "a list that is no JSON",
            args: &["--input", "titles.txt"],
            code: 4,
        },
        Call {
            what: "an absent list",
            args: &["--input", "absent.json"],
            code: 3,
        },
    ],
    incomplete: &[&[], &["--input"], &["--output", "out.json"]],
    open_ended: false,
    unwritable: &[Unwritable {
        what: "a folder where the result goes",
        prepare: |project| project.write("out.json/x", "in the way"),
        args: &[
            "--input",
            "papers.json",
            "--offline",
            "--output",
            "out.json",
        ],
    }],
    hostile: &[
        Hostile {
            path: "papers.json",
            args: &["--input", "papers.json", "--offline"],
            huge: 4,
            fifo: 4,
        },
        Hostile {
            path: "refs.bib",
            args: &["--bib", "refs.bib", "--offline"],
            huge: 4,
            fifo: 4,
        },
    ],
    repeat_adds: None,
};
