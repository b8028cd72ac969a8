//! Cases of `resolve_claims_review`. None reaches a network: the given path has no `gh`.

use aris_testkit::Project;

use super::cases::{Call, Cases, Hostile, Unwritable};

const COMMENTS: &str = r#"[{"id":1,"path":"r.md","line":2,"body":"[warning] external: m","diff_hunk":"","author_association":"OWNER"}]"#;
const OUT: &str = ".aris/temp/resolve-claims-review";
const MAP: &str = ".aris/temp/resolve-claims-review/classification_map_7.json";

pub(crate) const CASES: Cases = Cases {
    helper: "resolve_claims_review",
    open_ended: false,
    project: || {
        Project::new()
            // The minimum that git accepts as a repository.
            .file(".git/objects/.keep", "")
            .file(".git/refs/.keep", "")
            .file("comments.json", COMMENTS)
            .file("half.json", "[{\"id\":")
            .file("records.json", r#"[{"strategy":"rerun_required"}]"#)
            .file("nonsense.json", r#"[{"strategy":"no"}]"#)
            .file(&format!("{OUT}/dimension_groups_7.json"), r#"{"pr":7}"#)
            .file(&format!("{OUT}/classification_map_7.json"), "{}")
            .file("spent/classification_map_7.json", "{}")
            .file(
                "spent/validation_7.json",
                r#"{"status":"FAIL","attempts":3}"#,
            )
            .file("plain/.keep", "")
    },
    calls: &[
        Call {
            what: "what follows from an escalation",
            args: &[
                "outcome",
                "--escalations",
                "records.json",
                "--fixes-applied",
                "2",
            ],
            code: 0,
        },
        Call {
            what: "comments by group",
            args: &["group", "--comments", "comments.json"],
            code: 0,
        },
        Call {
            what: "no edits to make",
            args: &["plan", "--classification", MAP],
            code: 0,
        },
        Call {
            what: "a report that stands",
            args: &["validate", "--command", "true"],
            code: 0,
        },
        Call {
            what: "nothing that says whether it stands",
            args: &["validate"],
            code: 0,
        },
        Call {
            what: "no GitHub to fetch from",
            args: &["fetch", ".", "main", "--gh", "./absent"],
            code: 0,
        },
        Call {
            what: "no GitHub to reply to, and nothing to say",
            args: &[
                "finish",
                "--repo",
                "o/r",
                "--pr",
                "7",
                "--branch",
                "b",
                "--classification",
                MAP,
                "--gh",
                "./absent",
            ],
            code: 0,
        },
        Call {
            what: "no attempts left",
            args: &["validate", "--command", "true", "--output", "spent"],
            code: 1,
        },
        Call {
            what: "a report that does not stand yet",
            args: &["validate", "--command", "exit 3"],
            code: 10,
        },
        Call {
            what: "a repository that is none",
            args: &[
                "finish",
                "--repo",
                "o",
                "--pr",
                "7",
                "--branch",
                "b",
                "--classification",
                MAP,
            ],
            code: 2,
        },
        Call {
            what: "no such comment",
            args: &["apply", "--id", "1", "--status", "skipped", "--reason", "x"],
            code: 3,
        },
        Call {
            what: "half a list",
            args: &["group", "--comments", "half.json"],
            code: 4,
        },
        Call {
            what: "a record that says nothing",
            args: &["outcome", "--escalations", "nonsense.json"],
            code: 4,
        },
        Call {
            what: "no groups",
            args: &["merge", "--groups", "absent.json", "--agent-dir", "answers"],
            code: 3,
        },
    ],
    incomplete: &[
        &[],
        &["fetch", "."],
        &["group"],
        &["merge", "--groups", "x.json"],
        &["plan"],
        &["apply", "--id", "1"],
        &["finish", "--repo", "o/r", "--pr", "7"],
        &["outcome"],
    ],
    unwritable: &[
        Unwritable {
            what: "a file where the output folder goes",
            prepare: |project| project.write("way", "in the way"),
            args: &[
                "finish",
                "--repo",
                "o/r",
                "--pr",
                "7",
                "--branch",
                "b",
                "--classification",
                MAP,
                "--output",
                "way",
                "--gh",
                "./absent",
            ],
        },
        Unwritable {
            what: "a folder where the records go",
            prepare: |project| {
                project.write(&format!("{OUT}/escalation_records_7.json/x"), "in the way");
            },
            args: &[
                "finish",
                "--repo",
                "o/r",
                "--pr",
                "7",
                "--branch",
                "b",
                "--classification",
                MAP,
                "--gh",
                "./absent",
            ],
        },
    ],
    hostile: &[
        Hostile {
            path: "other.json",
            args: &["group", "--comments", "other.json"],
            huge: 4,
            fifo: 4,
        },
        Hostile {
            path: "map.json",
            args: &["plan", "--classification", "map.json"],
            huge: 4,
            fifo: 4,
        },
    ],
    repeat_adds: Some("each call of validate is one attempt, and attempts are counted"),
};
