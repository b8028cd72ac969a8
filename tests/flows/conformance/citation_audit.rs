//! Cases of `citation_audit`.

use aris_testkit::Project;

use super::cases::{Call, Cases, Hostile, Unwritable};

const BIB: &str = "@article{known,\n  author = {Ada Lovelace},\n  title = {Notes on the Engine},\n  journal = {Memoirs},\n  \
                   year = {1843},\n}\n";

pub(crate) const CASES: Cases = Cases {
    helper: "citation_audit",
    project: || {
        let paper = |cite: &str| {
            format!(
                "\\documentclass{{article}}\\begin{{document}}See \\cite{{{cite}}}.\\bibliography{{refs}}\\end{{document}}\n"
            )
        };
        Project::new()
            .file("clean/main.tex", paper("known"))
            .file("clean/refs.bib", BIB)
            .file("undefined/main.tex", paper("nobody"))
            .file("undefined/refs.bib", BIB)
    },
    calls: &[
        Call {
            what: "a paper without faults",
            args: &["clean"],
            code: 0,
        },
        Call {
            what: "an undefined key",
            args: &["undefined"],
            code: 10,
        },
        Call {
            what: "an absent paper",
            args: &["nowhere"],
            code: 3,
        },
    ],
    incomplete: &[&["clean", "--as-of"]],
    open_ended: false,
    unwritable: &[
        Unwritable {
            what: "a folder where the artifact goes",
            prepare: |project| project.write("clean/CITATION_AUDIT.json/x", "in the way"),
            args: &["clean"],
        },
        Unwritable {
            what: "a file where the traces go",
            prepare: |project| project.write(".aris", "in the way"),
            args: &["clean"],
        },
    ],
    hostile: &[
        Hostile {
            path: "clean/refs.bib",
            args: &["clean"],
            huge: 10,
            fifo: 10,
        },
        Hostile {
            path: "clean/main.tex",
            args: &["clean", "--root", "main.tex"],
            huge: 10,
            fifo: 10,
        },
    ],
    repeat_adds: None,
};
