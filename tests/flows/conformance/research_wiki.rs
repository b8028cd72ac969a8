//! Cases of `research_wiki`. None reaches the network.

use aris_testkit::Project;

use super::cases::{Call, Cases, Hostile, Unwritable};

const CLAIM: &str = "---\ntype: claim\nnode_id: claim:C1\ntitle: \"It gains\"\nstatus: reported\nadded: 2026-01-01T00:00:00Z\n---\n\n\
                     # It gains\n";

const IDEA: &str = "---\ntype: idea\nnode_id: idea:1\ntitle: \"1\"\nstage: proposed\nadded: 2026-01-01T00:00:00Z\n---\n\n# 1\n";
const EXPERIMENT: &str = "---\ntype: experiment\nnode_id: exp:1\ntitle: \"1\"\nadded: 2026-01-01T00:00:00Z\n---\n\n# 1\n";
const EDGE: &str = "{\"from\": \"idea:1\", \"to\": \"claim:C1\", \"type\": \"tested_by\", \"evidence\": \"\", \
                    \"added\": \"2026-01-01T00:00:00Z\"}\n";

pub(crate) const CASES: Cases = Cases {
    helper: "research_wiki",
    open_ended: false,
    project: || {
        Project::new()
            .file("wiki/papers/.gitkeep", "")
            .file("wiki/claims/C1.md", CLAIM)
            .file("linked/papers/.gitkeep", "")
            .file("linked/claims/C1.md", CLAIM)
            .file("linked/ideas/1.md", IDEA)
            .file("linked/experiments/1.md", EXPERIMENT)
            .file("linked/graph/edges.jsonl", EDGE)
            .file("empty/papers/.gitkeep", "")
            .file("records.json", "{\"title\":")
    },
    calls: &[
        Call {
            what: "how much there is of what",
            args: &["stats", "wiki"],
            code: 0,
        },
        Call {
            what: "a status that is set already",
            args: &["set-status", "wiki", "claim:C1", "reported"],
            code: 0,
        },
        Call {
            what: "a wiki without faults",
            args: &["lint", "empty"],
            code: 0,
        },
        Call {
            what: "a stale claim without edges",
            args: &["lint", "wiki"],
            code: 10,
        },
        Call {
            what: "a search",
            args: &["search", "wiki", "gains"],
            code: 0,
        },
        Call {
            what: "the slug of a title",
            args: &["slug", "Large Models Learn"],
            code: 0,
        },
        Call {
            what: "an edge that is there already",
            args: &[
                "add-edge",
                "linked",
                "--from",
                "idea:1",
                "--to",
                "claim:C1",
                "--type",
                "tested_by",
            ],
            code: 0,
        },
        Call {
            what: "an edge that is not there",
            args: &[
                "remove-edge",
                "linked",
                "--from",
                "idea:1",
                "--to",
                "claim:C1",
                "--type",
                "extends",
            ],
            code: 3,
        },
        Call {
            what: "an idea that is there already",
            args: &["upsert-idea", "linked", "1"],
            code: 0,
        },
        Call {
            what: "an experiment that is there already",
            args: &["upsert-experiment", "linked", "1"],
            code: 0,
        },
        Call {
            what: "a claim that is there already",
            args: &["upsert-claim", "linked", "C1"],
            code: 0,
        },
        Call {
            what: "a field that is set already",
            args: &["update", "linked", "claim:C1", "status", "reported"],
            code: 0,
        },
        Call {
            what: "a query pack on a topic",
            args: &["query", "linked", "gains"],
            code: 0,
        },
        Call {
            what: "the query pack again",
            args: &["rebuild-query-pack", "linked"],
            code: 0,
        },
        Call {
            what: "the index again",
            args: &["rebuild-index", "linked"],
            code: 0,
        },
        Call {
            what: "a wiki with nothing to repair",
            args: &["doctor", "empty"],
            code: 0,
        },
        Call {
            what: "a site",
            args: &["export", "wiki", "--html", "site"],
            code: 0,
        },
        Call {
            what: "a site over somebody's folder",
            args: &["export", "wiki", "--html", "wiki"],
            code: 2,
        },
        Call {
            what: "an identifier that cannot exist",
            args: &["ingest-paper", "wiki", "--arxiv-id", "2413.00001"],
            code: 2,
        },
        Call {
            what: "no wiki",
            args: &["stats", "nowhere"],
            code: 3,
        },
        Call {
            what: "no such page",
            args: &["show", "wiki", "claim:C2"],
            code: 3,
        },
        Call {
            what: "half a file of records",
            args: &["ingest-paper", "wiki", "--metadata", "records.json"],
            code: 4,
        },
        Call {
            what: "a paper that nobody asked about before",
            args: &["sync", "wiki", "--arxiv-ids", "hep-th/9901001", "--offline"],
            code: 7,
        },
        // Repeated calls differ: each adds a line to the log or removes a page. So only their errors are cases.
        Call {
            what: "a file where the wiki goes",
            args: &["init", "records.json"],
            code: 5,
        },
        Call {
            what: "a line in the log of no wiki",
            args: &["log", "nowhere", "hello"],
            code: 3,
        },
        Call {
            what: "a page merged with one that is not there",
            args: &["merge", "wiki", "claim:C1", "claim:C2"],
            code: 3,
        },
    ],
    incomplete: &[
        &[],
        &["init"],
        &["slug"],
        &["add-edge", "wiki", "--from", "a", "--to", "b"],
        &["remove-edge", "wiki", "--from", "a", "--to", "b"],
        &["update", "wiki", "claim:C1", "status"],
    ],
    unwritable: &[
        Unwritable {
            what: "a file where the wiki goes",
            prepare: |project| project.write("fresh", "in the way"),
            args: &["init", "fresh"],
        },
        Unwritable {
            what: "a folder where the query pack goes",
            prepare: |project| project.write("wiki/query_pack.md/x", "in the way"),
            args: &["set-status", "wiki", "claim:C1", "reported"],
        },
    ],
    hostile: &[
        Hostile {
            path: "wiki/papers/page.md",
            args: &["stats", "wiki"],
            huge: 0,
            fifo: 0,
        },
        Hostile {
            path: "wiki/graph/edges.jsonl",
            args: &["stats", "wiki"],
            huge: 4,
            fifo: 4,
        },
        Hostile {
            path: "ids.txt",
            args: &["sync", "wiki", "--from-file", "ids.txt"],
            huge: 4,
            fifo: 4,
        },
    ],
    repeat_adds: None,
};
