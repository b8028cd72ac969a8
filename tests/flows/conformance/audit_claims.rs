//! Cases of `audit_claims`. None reaches a network: the given path has no `gh`.

use aris_testkit::Project;

use super::cases::{Call, Cases, Hostile, Unwritable};

const WARNING: &str =
    r#"[{"file":"r.md","line":2,"dimension":"external","severity":"warning","message":"m"}]"#;
const DIFF: &str = "+++ b/r.md\n@@ -0,0 +1,2 @@\n+# T\n+Others reach 90.\n";
const URL: &str = "https://github.com/owner/name/pull/7";

pub(crate) const CASES: Cases = Cases {
    helper: "audit_claims",
    open_ended: false,
    project: || {
        Project::new()
            .file("none.json", "[]")
            .file("warning.json", WARNING)
            .file("half.json", "[{\"file\":")
            .file("pr.diff", DIFF)
            .file("prose.md", "# T\n\nWe report what we saw.\n")
    },
    calls: &[
        Call {
            what: "nothing was found",
            args: &["verdict", "--findings", "none.json"],
            code: 0,
        },
        Call {
            what: "something was found, and the verdict says so",
            args: &["verdict", "--findings", "warning.json"],
            code: 0,
        },
        Call {
            what: "something was found, and the exit code says so",
            args: &["verdict", "--findings", "warning.json", "--exit-signal"],
            code: 10,
        },
        Call {
            what: "two lists",
            args: &[
                "merge",
                "warning.json",
                "none.json",
                "--output",
                "merged.json",
            ],
            code: 0,
        },
        Call {
            what: "claims of a text",
            args: &["extract", "--file", "prose.md"],
            code: 0,
        },
        Call {
            what: "a text by rules",
            args: &["check", "--doc", "prose.md"],
            code: 0,
        },
        Call {
            what: "questions about a diff",
            args: &["prepare", "--diff", "pr.diff"],
            code: 0,
        },
        Call {
            what: "questions about a pull request that nobody can be asked about",
            args: &["prepare", URL, "--gh", "./absent"],
            code: 0,
        },
        Call {
            what: "a URL of no pull request",
            args: &[
                "post",
                "https://github.com/owner/name/issues/7",
                "--findings",
                "none.json",
            ],
            code: 2,
        },
        Call {
            what: "no findings",
            args: &["verdict", "--findings", "absent.json"],
            code: 3,
        },
        Call {
            what: "half a list",
            args: &["merge", "none.json", "half.json"],
            code: 4,
        },
        Call {
            what: "no git worktree",
            args: &["run", ".", "main", URL, "--gh", "./absent"],
            code: 5,
        },
        // A repeated run would write another summary, so only its error is a case.
        Call {
            what: "a review of half a list",
            args: &["post", URL, "--findings", "half.json", "--gh", "./absent"],
            code: 4,
        },
    ],
    incomplete: &[
        &[],
        &["verdict"],
        &["merge"],
        &["prepare"],
        &["extract"],
        &["check"],
        &["run", "."],
        &["post", URL],
    ],
    unwritable: &[
        Unwritable {
            what: "a file where the output folder goes",
            prepare: |project| project.write(".aris", "in the way"),
            args: &["prepare", "--diff", "pr.diff"],
        },
        Unwritable {
            what: "a folder where the list goes",
            prepare: |project| project.write("merged.json/x", "in the way"),
            args: &["merge", "none.json", "--output", "merged.json"],
        },
    ],
    hostile: &[
        Hostile {
            path: "findings.json",
            args: &["verdict", "--findings", "findings.json"],
            huge: 4,
            fifo: 4,
        },
        Hostile {
            path: "other.diff",
            args: &["prepare", "--diff", "other.diff"],
            huge: 4,
            fifo: 4,
        },
    ],
    repeat_adds: None,
};
