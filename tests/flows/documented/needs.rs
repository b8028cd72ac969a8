//! Calls in the skills' texts that need more than the example paper, or do not exit with 0.

use super::Place;

/// What a call needs, and its exit codes.
pub(super) struct Need {
    /// The file, relative to `skills/`.
    pub(super) file: &'static str,
    /// The rest of the call after `sh .aris/tools/`; for a script the beginning of one of its lines.
    pub(super) call: &'static str,
    /// Expected exit codes.
    pub(super) codes: &'static [i32],
    /// Prepares the project before the call.
    pub(super) prepare: fn(&Place),
}

impl Need {
    /// Whether this entry belongs to a call in `file`.
    pub(super) fn is_of(&self, file: &str, script: &str) -> bool {
        let begins = |line: &str| {
            let line = line.trim_start();
            line.strip_prefix(super::fences::CALL)
                .unwrap_or(line)
                .starts_with(self.call)
        };
        self.file == file && script.lines().any(begins)
    }
}

const fn need(file: &'static str, call: &'static str, codes: &'static [i32]) -> Need {
    Need {
        file,
        call,
        codes,
        prepare: |_| {},
    }
}

const fn made(
    file: &'static str,
    call: &'static str,
    codes: &'static [i32],
    prepare: fn(&Place),
) -> Need {
    Need {
        file,
        call,
        codes,
        prepare,
    }
}

/// Prepares a review without comments, fetched and classified.
fn nothing_decided(place: &Place) {
    let folder = "project/.aris/temp/resolve-claims-review";
    place
        .project
        .write(&format!("{folder}/dimension_groups_7.json"), "{\"pr\": 7}");
    place
        .project
        .write(&format!("{folder}/classification_map_7.json"), "{}");
    place.project.write(&format!("{folder}/answers/.keep"), "");
}

pub(super) const NEEDS: &[Need] = &[
    // No audit of the example has been made there.
    need("experiment-queue/SKILL.md", "queue_manager used-by", &[5]),
    // The example's results have no run records.
    need(
        "paper-claim-audit/SKILL.md",
        "paper_claim_audit trace-back",
        &[10],
    ),
    // The services know no paper.
    need("arxiv/SKILL.md", "arxiv_fetch search", &[7]),
    need("arxiv/SKILL.md", "arxiv_fetch download", &[3]),
    // The example paper is not in a git repository, and there is no GitHub.
    need("audit-claims/SKILL.md", "audit_claims prepare", &[0]),
    need("audit-claims/SKILL.md", "audit_claims run", &[5]),
    made(
        "audit-claims/SKILL.md",
        "audit_claims merge",
        &[0],
        |place| {
            for name in ["external", "comparative"] {
                place.project.write(&format!("project/{name}.json"), "[]");
            }
        },
    ),
    // The numbers of the example paper are bound, but its references have not been looked up.
    need("contract-check/SKILL.md", "contract_check status", &[0, 10]),
    need(
        "contract-check/SKILL.md",
        "contract_check run semantic",
        &[21],
    ),
    // The program deepxiv is not installed, and there is no key for Exa.
    need("deepxiv/SKILL.md", "deepxiv_fetch", &[5]),
    need("exa-search/SKILL.md", "exa_search", &[5]),
    // The draft of the example has a fault, its second version has none.
    need(
        "figure-spec/references/worked-example.md",
        "figure_renderer validate",
        &[4, 0],
    ),
    need(
        "install-aris/SKILL.md",
        "install_aris . --dry-run",
        &[0, 10],
    ),
    need("openalex/SKILL.md", "openalex_fetch search", &[7]),
    need("openalex/SKILL.md", "openalex_fetch work", &[3]),
    need(
        "overleaf-sync/references/worked-example.md",
        "overleaf_audit made-up",
        &[10],
    ),
    // The program codex is not installed, and no picture has been made.
    need(
        "paper-illustration-image2/SKILL.md",
        "paper_illustration_image2 preflight",
        &[1],
    ),
    need(
        "paper-illustration-image2/SKILL.md",
        "paper_illustration_image2 finalize",
        &[3],
    ),
    need(
        "paper-illustration-image2/SKILL.md",
        "paper_illustration_image2 verify",
        &[1],
    ),
    need(
        "paper-illustration-image2/references/files-and-checks.md",
        "paper_illustration_image2 verify",
        &[1],
    ),
    // The first candidate has too low a resolution.
    need(
        "paper-illustration-image2/references/worked-example.md",
        "paper_illustration_image2 finalize --project rehearsal --best-image rehearsal/figures/ai_generated/figure_v1.png",
        &[4],
    ),
    // No audit has been made.
    made(
        "paper-write/SKILL.md",
        "extract_paper_style",
        &[0],
        |place| {
            let text =
                "\\documentclass{article}\\begin{document}\\section{A}A sentence.\\end{document}";
            place.project.write("project/reference/main.tex", text);
        },
    ),
    need("paper-writing/SKILL.md", "verify_paper_audits", &[1]),
    need("research-lit/SKILL.md", "literature_search aggregate", &[7]),
    need("research-lit/SKILL.md", "literature_search cascade", &[7]),
    need("research-lit/SKILL.md", "literature_search merge", &[3]),
    need("research-lit/SKILL.md", "verify_papers", &[3]),
    need("research-lit/SKILL.md", "check_source_facts", &[10]),
    need(
        "research-recipe/SKILL.md",
        "recipe_runner run .aris/skills/research-recipe/assets/recipes/research.yaml",
        &[11],
    ),
    // The example's gate blocks, so the run fails.
    need(
        "research-recipe/SKILL.md",
        "recipe_runner run .aris/skills/research-recipe/assets/recipes/paper-gate.yaml --exec cmd",
        &[13],
    ),
    need(
        "research-recipe/SKILL.md",
        "recipe_runner status --state .aris/paper-gate.json",
        &[13],
    ),
    need("research-wiki/SKILL.md", "research_wiki ingest-paper", &[7]),
    made(
        "paper-writing/references/proof-audit.md",
        "save_trace",
        &[0],
        |place| {
            place
                .project
                .write("project/prompt.md", "Read paper/main.tex.");
            place
                .project
                .write("project/answer.md", "VERDICT: NOT_APPLICABLE");
        },
    ),
    made(
        "paper-writing/references/proof-audit.md",
        "verify_paper_audits record",
        &[0],
        |place| {
            let args = "--skill proof-checker --purpose audit --model m --thread-id t --prompt p --response VERDICT:NOT_APPLICABLE --files paper/main.tex";
            place
                .shell(
                    &["/bin/sh"],
                    &format!("sh .aris/tools/save_trace {args}"),
                    None,
                )
                .expect_code(0);
        },
    ),
    made("review-tracing/SKILL.md", "save_trace", &[0], |place| {
        for path in ["prompt.md", "response.md", "results/run_1.json"] {
            place.project.write(&format!("project/{path}"), "{}\n");
        }
    }),
    made(
        "review-tracing/references/trace-layout.md",
        "sha256sum run.meta.json",
        &[0],
        |place| {
            let args = "--skill paper-claim-audit --purpose claim-review --model m --thread-id t --executor e --prompt p --response r --run-id 2026-04-21_run01";
            place
                .shell(
                    &["/bin/sh"],
                    &format!("sh .aris/tools/save_trace {args}"),
                    None,
                )
                .expect_code(0);
        },
    ),
    // The example paper is not in a git repository.
    need(
        "resolve-claims-review/SKILL.md",
        "resolve_claims_review fetch",
        &[5],
    ),
    made(
        "resolve-claims-review/SKILL.md",
        "resolve_claims_review merge",
        &[5],
        nothing_decided,
    ),
    need(
        "resolve-claims-review/SKILL.md",
        "resolve_claims_review apply --id 1234",
        &[5],
    ),
    need(
        "resolve-claims-review/SKILL.md",
        "resolve_claims_review apply --id 1236",
        &[5],
    ),
    need(
        "resolve-claims-review/SKILL.md",
        "resolve_claims_review validate",
        &[5],
    ),
    need(
        "semantic-scholar/SKILL.md",
        "semantic_scholar_fetch search",
        &[7],
    ),
    need(
        "semantic-scholar/SKILL.md",
        "semantic_scholar_fetch paper",
        &[7],
    ),
    need(
        "semantic-scholar/SKILL.md",
        "semantic_scholar_fetch match",
        &[7],
    ),
    need(
        "semantic-scholar/SKILL.md",
        "semantic_scholar_fetch citations",
        &[7],
    ),
    need(
        "semantic-scholar/SKILL.md",
        "semantic_scholar_fetch references",
        &[7],
    ),
    need(
        "semantic-scholar/SKILL.md",
        "semantic_scholar_fetch batch",
        &[3],
    ),
    // The installed skills are part of the project, and their scripts have lost the execute bit. As superuser, `--run` is
    // refused.
    need("skill-lint/SKILL.md", "skill_lint --fix=dry-run", &[10]),
    need("skill-lint/SKILL.md", "skill_lint --run", &[10, 5]),
];
