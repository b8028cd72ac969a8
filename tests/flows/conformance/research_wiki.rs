//! Cases of `research_wiki`. None reaches the network.

use aris_testkit::Project;

use super::cases::{Call, Cases, Hostile, Unwritable};

const CLAIM: &str = "---\ntype: claim\nnode_id: claim:C1\ntitle: \"It gains\"\nstatus: reported\nadded: 2026-01-01T00:00:00Z\n---\n\n\
                     # It gains\n";

pub(crate) const CASES: Cases = Cases {
    helper: "research_wiki",
    project: || {
        Project::new()
            .file("wiki/papers/.gitkeep", "")
            .file("wiki/claims/C1.md", CLAIM)
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
            args: &["set_status", "wiki", "claim:C1", "reported"],
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
            what: "a site",
            args: &["export", "wiki", "--site", "site"],
            code: 0,
        },
        Call {
            what: "a site over somebody's folder",
            args: &["export", "wiki", "--site", "wiki"],
            code: 5,
        },
        Call {
            what: "an identifier that cannot exist",
            args: &["ingest_paper", "wiki", "--arxiv-id", "2413.00001"],
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
            args: &["ingest_paper", "wiki", "--metadata", "records.json"],
            code: 4,
        },
        Call {
            what: "a paper that nobody asked about before",
            args: &["sync", "wiki", "--arxiv-ids", "hep-th/9901001", "--offline"],
            code: 7,
        },
        Call {
            what: "a file where a new wiki goes",
            args: &["init", "records.json"],
            code: 5,
        },
        Call {
            what: "the name of a page",
            args: &["slug", "It gains"],
            code: 0,
        },
        Call {
            what: "no wiki for add_edge",
            args: &[
                "add_edge", "nowhere", "--from", "a", "--to", "b", "--type", "extends",
            ],
            code: 3,
        },
        Call {
            what: "no wiki for upsert_idea",
            args: &["upsert_idea", "nowhere", "I1"],
            code: 3,
        },
        Call {
            what: "no wiki for upsert_experiment",
            args: &["upsert_experiment", "nowhere", "E1"],
            code: 3,
        },
        Call {
            what: "no wiki for upsert_claim",
            args: &["upsert_claim", "nowhere", "C1"],
            code: 3,
        },
        Call {
            what: "no wiki for update",
            args: &["update", "nowhere", "claim:C1", "status", "reported"],
            code: 3,
        },
        Call {
            what: "no wiki for query",
            args: &["query", "nowhere", "gains"],
            code: 3,
        },
        Call {
            what: "no wiki for rebuild_query_pack",
            args: &["rebuild_query_pack", "nowhere"],
            code: 3,
        },
        Call {
            what: "no wiki for rebuild_index",
            args: &["rebuild_index", "nowhere"],
            code: 3,
        },
        Call {
            what: "no wiki for merge",
            args: &["merge", "nowhere", "claim:C1", "claim:C2"],
            code: 3,
        },
        Call {
            what: "no wiki for doctor",
            args: &["doctor", "nowhere"],
            code: 3,
        },
        Call {
            what: "no wiki for log",
            args: &["log", "nowhere", "words"],
            code: 3,
        },
    ],
    incomplete: &[
        &[],
        &["init"],
        &["slug"],
        &["add_edge", "wiki", "--from", "a", "--to", "b"],
        &["update", "wiki", "claim:C1", "status"],
    ],
    open_ended: false,
    unwritable: &[
        Unwritable {
            what: "a file where the wiki goes",
            prepare: |project| project.write("fresh", "in the way"),
            args: &["init", "fresh"],
        },
        Unwritable {
            what: "a folder where the query pack goes",
            prepare: |project| project.write("wiki/query_pack.md/x", "in the way"),
            args: &["set_status", "wiki", "claim:C1", "reported"],
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
