//! What the fences of the skills need beyond the example paper, and how they leave where that is not 0.

use super::Place;
use super::fences::Fence;

/// What a fence needs, and how it leaves, where that is not 0.
pub(super) struct Need {
    /// The file, below `skills/`, and a line of the fence.
    pub(super) file: &'static str,
    pub(super) line: &'static str,
    /// Exit codes that are right, for each call of the fence.
    pub(super) codes: &'static [&'static [i32]],
    /// Whether it says that something is missing.
    pub(super) warns: bool,
    /// Made in the project before.
    pub(super) prepare: fn(&Place),
}

fn nothing(_: &Place) {}

/// States of runs are kept; those of an earlier shell would be gone on with.
fn no_runs(place: &Place) {
    place
        .shell(
            "/bin/sh",
            "rm -rf .aris/paper-gate.json* .aris/research.json*",
            None,
        )
        .expect_code(0);
}

/// A review without comments, fetched and classified.
fn nothing_decided(place: &Place) {
    let folder = "project/.aris/temp/resolve-claims-review";
    place
        .project
        .write(&format!("{folder}/dimension_groups_7.json"), "{\"pr\": 7}");
    place
        .project
        .write(&format!("{folder}/classification_map_7.json"), "{}");
}

pub(super) const NEEDS: &[Need] = &[
    Need {
        file: "arxiv/SKILL.md",
        line: "if [ -n \"$ARXIV_FETCHER\" ] && sh",
        codes: &[&[0]],
        warns: true,
        prepare: nothing,
    },
    Need {
        file: "arxiv/SKILL.md",
        line: "sh \"$ARXIV_FETCHER\" search \"au:Vaswani",
        codes: &[&[7], &[7], &[7], &[7]],
        warns: false,
        prepare: nothing,
    },
    Need {
        file: "arxiv/SKILL.md",
        line: "sh \"$ARXIV_FETCHER\" download",
        codes: &[&[3], &[3]],
        warns: false,
        prepare: nothing,
    },
    Need {
        file: "audit-claims/SKILL.md",
        line: "sh \"$AUDIT_CLAIMS\" run .",
        // The example paper lies in no git repository.
        codes: &[&[5]],
        warns: false,
        prepare: nothing,
    },
    Need {
        file: "audit-claims/SKILL.md",
        line: "sh \"$AUDIT_CLAIMS\" merge",
        codes: &[&[0], &[0], &[0]],
        warns: false,
        prepare: |place| {
            for name in ["external", "comparative"] {
                place.project.write(&format!("project/{name}.json"), "[]");
            }
        },
    },
    Need {
        file: "contract-check/SKILL.md",
        line: "if sh \"$CONTRACT_CHECK\" run semantic_scholar_fetch",
        // No source answers.
        codes: &[&[1]],
        warns: true,
        prepare: nothing,
    },
    Need {
        file: "deepxiv/SKILL.md",
        line: "if [ -n \"$DEEPXIV_FETCHER\" ] && sh",
        // The deepxiv program is not installed, and the text says so.
        codes: &[&[0]],
        warns: true,
        prepare: nothing,
    },
    Need {
        file: "deepxiv/SKILL.md",
        line: "sh \"$DEEPXIV_FETCHER\" paper-brief",
        // The deepxiv program is not installed.
        codes: &[&[5], &[5], &[5], &[5], &[5], &[5]],
        warns: false,
        prepare: nothing,
    },
    Need {
        file: "exa-search/SKILL.md",
        line: "if [ -n \"$EXA_FETCHER\" ] && sh",
        // There is no key, and the text says so.
        codes: &[&[0]],
        warns: true,
        prepare: nothing,
    },
    Need {
        file: "exa-search/SKILL.md",
        line: "sh \"$EXA_FETCHER\" find-similar",
        // There is no key.
        codes: &[&[5], &[5]],
        warns: false,
        prepare: nothing,
    },
    Need {
        file: "figure-spec/SKILL.md",
        line: "sh \"$FIGURE_RENDERER\" validate figures/specs/overview.json --column-width",
        codes: &[&[0]],
        warns: false,
        // The figure that the fence before it draws.
        prepare: |place| {
            place.project.write(
                "project/figures/specs/overview.json",
                "{\"nodes\": [{\"id\": \"idea\", \"label\": \"Idea\", \"x\": 100, \"y\": 60}]}",
            );
        },
    },
    Need {
        file: "openalex/SKILL.md",
        line: "if [ -n \"$OPENALEX_FETCHER\" ] && sh",
        // The service answers no search, and the text says so.
        codes: &[&[0]],
        warns: true,
        prepare: nothing,
    },
    Need {
        file: "openalex/SKILL.md",
        line: "sh \"$OPENALEX_FETCHER\" work",
        // The service knows no paper.
        codes: &[&[3], &[3], &[3]],
        warns: false,
        prepare: nothing,
    },
    Need {
        file: "paper-illustration-image2/SKILL.md",
        line: "elif sh \"$IMAGE2_HELPER\" preflight",
        // The program codex is not installed, and the text says so.
        codes: &[&[0]],
        warns: true,
        prepare: nothing,
    },
    Need {
        file: "paper-illustration-image2/SKILL.md",
        line: "sh \"$IMAGE2_HELPER\" finalize",
        // No picture was made.
        codes: &[&[3], &[1]],
        warns: false,
        prepare: nothing,
    },
    Need {
        file: "paper-writing/SKILL.md",
        line: "exit \"$GATE_STATUS\"",
        codes: &[&[1]],
        warns: false,
        // No audit was made: the gate blocks.
        prepare: nothing,
    },
    Need {
        file: "research-lit/SKILL.md",
        line: "if [ -n \"$PAPER_VERIFIER\" ] && sh",
        // The candidates are the agent's to write; without them nothing is verified, and the text says so.
        codes: &[&[0]],
        warns: true,
        prepare: nothing,
    },
    Need {
        file: "research-lit/SKILL.md",
        line: "if [ -n \"$LITERATURE_SEARCH\" ] && sh",
        // No service answers, and the text says so.
        codes: &[&[0]],
        warns: true,
        prepare: nothing,
    },
    Need {
        file: "research-lit/SKILL.md",
        line: "sh \"$LITERATURE_SEARCH\" cascade",
        // No service answers.
        codes: &[&[7]],
        warns: false,
        prepare: nothing,
    },
    Need {
        file: "research-lit/SKILL.md",
        line: "sh \"$LITERATURE_SEARCH\" merge",
        // The files are what fetchers printed; nothing was fetched.
        codes: &[&[3]],
        warns: false,
        prepare: nothing,
    },
    Need {
        file: "research-lit/SKILL.md",
        line: "if [ -n \"$SOURCE_FACTS\" ]; then",
        // A service that knows no paper is not as it should be.
        codes: &[&[10]],
        warns: false,
        prepare: nothing,
    },
    Need {
        file: "research-recipe/SKILL.md",
        line: "sh \"$RECIPE_RUNNER\" run .agents/skills/research-recipe/assets/recipes/paper-gate.yaml",
        codes: &[&[0]],
        warns: false,
        prepare: no_runs,
    },
    Need {
        file: "research-recipe/SKILL.md",
        line: "sh \"$RECIPE_RUNNER\" run .agents/skills/research-recipe/assets/recipes/research.yaml",
        // The first call waits for the outcome that the third gives.
        codes: &[&[11], &[0], &[0], &[0]],
        warns: false,
        prepare: no_runs,
    },
    Need {
        file: "research-wiki/SKILL.md",
        line: "sh \"$WIKI_HELPER\" ingest_paper research-wiki/ --arxiv-id",
        // arXiv does not answer.
        codes: &[&[7]],
        warns: false,
        prepare: nothing,
    },
    Need {
        file: "review-tracing/SKILL.md",
        line: "if [ -n \"$TRACE_HELPER\" ] && TRACE_PATH=",
        codes: &[&[0]],
        warns: false,
        prepare: |place| {
            for path in ["prompt.md", "response.md", "results/run_1.json"] {
                place.project.write(&format!("project/{path}"), "{}\n");
            }
        },
    },
    Need {
        file: "review-tracing/references/trace-layout.md",
        line: "sha256sum run.meta.json",
        codes: &[&[0]],
        warns: false,
        prepare: |place| {
            let args = "--skill paper-claim-audit --purpose claim-review --model m --thread-id t --executor e --prompt p --response r --run-id 2026-04-21_run01";
            let script = format!("sh .aris/tools/save_trace {args}");
            place.shell("/bin/sh", &script, None).expect_code(0);
        },
    },
    Need {
        file: "resolve-claims-review/SKILL.md",
        line: "sh \"$RESOLVE_REVIEW\" fetch",
        // The example paper lies in no git repository.
        codes: &[&[5]],
        warns: false,
        prepare: nothing,
    },
    Need {
        file: "resolve-claims-review/SKILL.md",
        line: "sh \"$RESOLVE_REVIEW\" merge",
        // The example paper lies in no git repository; nothing was decided.
        codes: &[&[5], &[0]],
        warns: false,
        prepare: nothing_decided,
    },
    Need {
        file: "resolve-claims-review/SKILL.md",
        line: "sh \"$RESOLVE_REVIEW\" apply --id 1234",
        // The example paper lies in no git repository.
        codes: &[&[5]],
        warns: false,
        prepare: nothing_decided,
    },
    Need {
        file: "resolve-claims-review/SKILL.md",
        line: "sh \"$RESOLVE_REVIEW\" apply --id 1236",
        // The example paper lies in no git repository.
        codes: &[&[5]],
        warns: false,
        prepare: nothing_decided,
    },
    Need {
        file: "resolve-claims-review/SKILL.md",
        line: "sh \"$RESOLVE_REVIEW\" validate",
        // The example paper lies in no git repository.
        codes: &[&[5]],
        warns: false,
        prepare: nothing_decided,
    },
    Need {
        file: "resolve-claims-review/SKILL.md",
        line: "sh \"$RESOLVE_REVIEW\" finish",
        // There is no GitHub, and nothing to say to it.
        codes: &[&[0]],
        warns: false,
        prepare: nothing_decided,
    },
    Need {
        file: "semantic-scholar/SKILL.md",
        line: "if [ -n \"$S2_FETCHER\" ] && sh",
        // The service answers no search, and the text says so.
        codes: &[&[0]],
        warns: true,
        prepare: nothing,
    },
    Need {
        file: "semantic-scholar/SKILL.md",
        line: "sh \"$S2_FETCHER\" paper",
        // The service does not answer; the last call reads names from a file that is not there.
        codes: &[&[7], &[7], &[7], &[7], &[3]],
        warns: false,
        prepare: nothing,
    },
    Need {
        file: "skill-lint/SKILL.md",
        line: "sh \"$SKILL_LINT\" --explain SR110",
        codes: &[&[0], &[0], &[10], &[10, 2]],
        warns: false,
        // The installed skills are part of the project, and their scripts have lost the execute bit. The superuser may not run them.
        prepare: nothing,
    },
];

impl Need {
    /// Whether this is what `fence` needs.
    pub(super) fn is_of(&self, fence: &Fence) -> bool {
        let begins = |line: &str| line.trim_start().starts_with(self.line);
        self.file == fence.file && fence.text.lines().any(begins)
    }
}
