// Generated from skills/shared-references/helpers.toml by `cargo xtask sync`. Do not edit.

use crate::entry::{Group, entry};

pub(crate) const GROUPS: &[Group] = &[
    Group {
        title: "Before a paper is submitted",
        entries: &[
            entry!(
                citation_audit,
                "check every citation against the bibliography"
            ),
            entry!(
                extract_paper_style,
                "measure how a reference paper is built"
            ),
            entry!(figure_renderer, "draw a figure from its description"),
            entry!(
                overleaf_audit,
                "find Overleaf tokens in files and git history"
            ),
            entry!(
                paper_claim_audit,
                "check numbers against the data they are bound to"
            ),
            entry!(
                paper_illustration_image2,
                "check and finalize an image-model illustration"
            ),
            entry!(
                verify_paper_audits,
                "the gate: block a submission with a proven fault"
            ),
        ],
    },
    Group {
        title: "Reviewing",
        entries: &[
            entry!(
                audit_claims,
                "derive the verdict on a research pull request"
            ),
            entry!(resolve_claims_review, "settle an open review of claims"),
            entry!(save_trace, "keep a reviewer's answer as a chained record"),
        ],
    },
    Group {
        title: "Finding and keeping papers",
        entries: &[
            entry!(arxiv_fetch, "search arXiv and download papers"),
            entry!(
                check_source_facts,
                "see whether sources of papers answer as expected"
            ),
            entry!(
                deepxiv_fetch,
                "read papers section by section through DeepXiv"
            ),
            entry!(exa_search, "search the web for papers through Exa"),
            entry!(
                literature_search,
                "search all sources at once, each paper once"
            ),
            entry!(openalex_fetch, "search OpenAlex"),
            entry!(
                research_wiki,
                "keep a wiki of papers, ideas and experiments"
            ),
            entry!(semantic_scholar_fetch, "search Semantic Scholar"),
            entry!(verify_papers, "check that cited papers exist"),
            entry!(verify_wiki_coverage, "measure what the wiki covers"),
        ],
    },
    Group {
        title: "Running experiments",
        entries: &[
            entry!(
                build_manifest,
                "expand grids of experiments into a list of jobs"
            ),
            entry!(queue_manager, "run a queue of experiments unattended"),
            entry!(
                recipe_runner,
                "check a recipe, run it step by step, resume it"
            ),
        ],
    },
    Group {
        title: "Installing and checking skills",
        entries: &[
            entry!(contract_check, "check integrations and the installation"),
            entry!(
                install_aris,
                "put skills into a project, update or remove them"
            ),
            entry!(skill_lint, "check the structure of agent skills"),
        ],
    },
];
