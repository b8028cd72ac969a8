//! Cases of `skill_lint`.

use aris_testkit::Project;

use super::cases::{Call, Cases, Hostile, Unwritable};

const CLEAN: &str = "---\nname: clean\ndescription: Counts words. Use when the user asks how long a text is.\n---\n# Clean\n";
const NAMELESS: &str =
    "---\ndescription: Counts words. Use when the user asks how long a text is.\n---\n# Nameless\n";

pub(crate) const CASES: Cases = Cases {
    helper: "skill_lint",
    project: || {
        Project::new()
            .file("good/clean/SKILL.md", CLEAN)
            .file("bad/nameless/SKILL.md", NAMELESS)
            .file("none/notes.md", "no skill\n")
            .file("wrong/skill-lint.toml", "profile = 1\n")
            .file("wrong/clean/SKILL.md", CLEAN)
    },
    calls: &[
        Call {
            what: "a clean skill",
            args: &["good"],
            code: 0,
        },
        Call {
            what: "a skill without a name",
            args: &["bad"],
            code: 10,
        },
        Call {
            what: "the catalogue",
            args: &["--list-rules"],
            code: 0,
        },
        Call {
            what: "an unknown rule",
            args: &["--explain", "SR000"],
            code: 2,
        },
        Call {
            what: "an absent folder",
            args: &["absent"],
            code: 3,
        },
        Call {
            what: "a folder without a skill",
            args: &["none"],
            code: 4,
        },
        Call {
            what: "a wrong configuration",
            args: &["wrong"],
            code: 4,
        },
    ],
    incomplete: &[&["--rule"], &["--explain"], &["--baseline"]],
    open_ended: true,
    unwritable: &[
        Unwritable {
            what: "a folder where the report goes",
            prepare: |project| project.write("report.json/x", "in the way"),
            args: &["good", "--output", "report.json"],
        },
        Unwritable {
            what: "a file where the baseline's folder goes",
            prepare: |project| project.write("base", "in the way"),
            args: &["good", "--write-baseline", "base/line.json"],
        },
    ],
    hostile: &[Hostile {
        path: "good/skill-lint.toml",
        args: &["good"],
        huge: 4,
        fifo: 4,
    }],
    repeat_adds: None,
};
