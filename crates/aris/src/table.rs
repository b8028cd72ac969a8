// Generated from skills/shared-references/helpers.toml by `cargo xtask sync`. Do not edit.

use crate::entry::{Entry, Group};

pub(crate) const GROUPS: &[Group] = &[
    Group {
        title: "Before a paper is submitted",
        entries: &[
            Entry {
                spec: &citation_audit::SPEC,
                brief: "check every citation against the bibliography",
                run: |process| aris_cli::run(&citation_audit::SPEC, citation_audit::run, process),
                parser: || aris_cli::parser(&citation_audit::SPEC, citation_audit::run),
            },
            Entry {
                spec: &extract_paper_style::SPEC,
                brief: "take over the style of a reference paper",
                run: |process| {
                    aris_cli::run(
                        &extract_paper_style::SPEC,
                        extract_paper_style::run,
                        process,
                    )
                },
                parser: || aris_cli::parser(&extract_paper_style::SPEC, extract_paper_style::run),
            },
            Entry {
                spec: &figure_renderer::SPEC,
                brief: "draw a figure from its description",
                run: |process| aris_cli::run(&figure_renderer::SPEC, figure_renderer::run, process),
                parser: || aris_cli::parser(&figure_renderer::SPEC, figure_renderer::run),
            },
            Entry {
                spec: &overleaf_audit::SPEC,
                brief: "find Overleaf tokens in files and git history",
                run: |process| aris_cli::run(&overleaf_audit::SPEC, overleaf_audit::run, process),
                parser: || aris_cli::parser(&overleaf_audit::SPEC, overleaf_audit::run),
            },
            Entry {
                spec: &paper_claim_audit::SPEC,
                brief: "check numbers against the data they are bound to",
                run: |process| {
                    aris_cli::run(&paper_claim_audit::SPEC, paper_claim_audit::run, process)
                },
                parser: || aris_cli::parser(&paper_claim_audit::SPEC, paper_claim_audit::run),
            },
            Entry {
                spec: &paper_illustration_image2::SPEC,
                brief: "make an illustration with an image model",
                run: |process| {
                    aris_cli::run(
                        &paper_illustration_image2::SPEC,
                        paper_illustration_image2::run,
                        process,
                    )
                },
                parser: || {
                    aris_cli::parser(
                        &paper_illustration_image2::SPEC,
                        paper_illustration_image2::run,
                    )
                },
            },
            Entry {
                spec: &verify_paper_audits::SPEC,
                brief: "the gate: any provable reason not to submit?",
                run: |process| {
                    aris_cli::run(
                        &verify_paper_audits::SPEC,
                        verify_paper_audits::run,
                        process,
                    )
                },
                parser: || aris_cli::parser(&verify_paper_audits::SPEC, verify_paper_audits::run),
            },
        ],
    },
    Group {
        title: "Around a review",
        entries: &[Entry {
            spec: &save_trace::SPEC,
            brief: "keep a reviewer's answer as a chained record",
            run: |process| aris_cli::run(&save_trace::SPEC, save_trace::run, process),
            parser: || aris_cli::parser(&save_trace::SPEC, save_trace::run),
        }],
    },
    Group {
        title: "Finding and keeping papers",
        entries: &[
            Entry {
                spec: &arxiv_fetch::SPEC,
                brief: "search arXiv and download papers",
                run: |process| aris_cli::run(&arxiv_fetch::SPEC, arxiv_fetch::run, process),
                parser: || aris_cli::parser(&arxiv_fetch::SPEC, arxiv_fetch::run),
            },
            Entry {
                spec: &check_source_facts::SPEC,
                brief: "see whether sources of papers answer as expected",
                run: |process| {
                    aris_cli::run(&check_source_facts::SPEC, check_source_facts::run, process)
                },
                parser: || aris_cli::parser(&check_source_facts::SPEC, check_source_facts::run),
            },
            Entry {
                spec: &deepxiv_fetch::SPEC,
                brief: "read papers section by section through DeepXiv",
                run: |process| aris_cli::run(&deepxiv_fetch::SPEC, deepxiv_fetch::run, process),
                parser: || aris_cli::parser(&deepxiv_fetch::SPEC, deepxiv_fetch::run),
            },
            Entry {
                spec: &exa_search::SPEC,
                brief: "search the web for papers through Exa",
                run: |process| aris_cli::run(&exa_search::SPEC, exa_search::run, process),
                parser: || aris_cli::parser(&exa_search::SPEC, exa_search::run),
            },
            Entry {
                spec: &literature_search::SPEC,
                brief: "search all sources at once, each paper once",
                run: |process| {
                    aris_cli::run(&literature_search::SPEC, literature_search::run, process)
                },
                parser: || aris_cli::parser(&literature_search::SPEC, literature_search::run),
            },
            Entry {
                spec: &openalex_fetch::SPEC,
                brief: "search OpenAlex",
                run: |process| aris_cli::run(&openalex_fetch::SPEC, openalex_fetch::run, process),
                parser: || aris_cli::parser(&openalex_fetch::SPEC, openalex_fetch::run),
            },
            Entry {
                spec: &research_wiki::SPEC,
                brief: "keep a wiki of papers, ideas and experiments",
                run: |process| aris_cli::run(&research_wiki::SPEC, research_wiki::run, process),
                parser: || aris_cli::parser(&research_wiki::SPEC, research_wiki::run),
            },
            Entry {
                spec: &semantic_scholar_fetch::SPEC,
                brief: "search Semantic Scholar",
                run: |process| {
                    aris_cli::run(
                        &semantic_scholar_fetch::SPEC,
                        semantic_scholar_fetch::run,
                        process,
                    )
                },
                parser: || {
                    aris_cli::parser(&semantic_scholar_fetch::SPEC, semantic_scholar_fetch::run)
                },
            },
            Entry {
                spec: &verify_papers::SPEC,
                brief: "check that cited papers exist",
                run: |process| aris_cli::run(&verify_papers::SPEC, verify_papers::run, process),
                parser: || aris_cli::parser(&verify_papers::SPEC, verify_papers::run),
            },
            Entry {
                spec: &verify_wiki_coverage::SPEC,
                brief: "measure what the wiki covers",
                run: |process| {
                    aris_cli::run(
                        &verify_wiki_coverage::SPEC,
                        verify_wiki_coverage::run,
                        process,
                    )
                },
                parser: || aris_cli::parser(&verify_wiki_coverage::SPEC, verify_wiki_coverage::run),
            },
        ],
    },
    Group {
        title: "Running experiments",
        entries: &[
            Entry {
                spec: &audit_claims::SPEC,
                brief: "derive the verdict on a research pull request",
                run: |process| aris_cli::run(&audit_claims::SPEC, audit_claims::run, process),
                parser: || aris_cli::parser(&audit_claims::SPEC, audit_claims::run),
            },
            Entry {
                spec: &build_manifest::SPEC,
                brief: "write and check the list of runs of a queue",
                run: |process| aris_cli::run(&build_manifest::SPEC, build_manifest::run, process),
                parser: || aris_cli::parser(&build_manifest::SPEC, build_manifest::run),
            },
            Entry {
                spec: &queue_manager::SPEC,
                brief: "run a queue of experiments unattended",
                run: |process| aris_cli::run(&queue_manager::SPEC, queue_manager::run, process),
                parser: || aris_cli::parser(&queue_manager::SPEC, queue_manager::run),
            },
            Entry {
                spec: &recipe_runner::SPEC,
                brief: "check a recipe, run it step by step, resume it",
                run: |process| aris_cli::run(&recipe_runner::SPEC, recipe_runner::run, process),
                parser: || aris_cli::parser(&recipe_runner::SPEC, recipe_runner::run),
            },
            Entry {
                spec: &resolve_claims_review::SPEC,
                brief: "settle an open review of claims",
                run: |process| {
                    aris_cli::run(
                        &resolve_claims_review::SPEC,
                        resolve_claims_review::run,
                        process,
                    )
                },
                parser: || {
                    aris_cli::parser(&resolve_claims_review::SPEC, resolve_claims_review::run)
                },
            },
        ],
    },
    Group {
        title: "Installing and checking skills",
        entries: &[
            Entry {
                spec: &contract_check::SPEC,
                brief: "see what fires, what is missing, what is broken",
                run: |process| aris_cli::run(&contract_check::SPEC, contract_check::run, process),
                parser: || aris_cli::parser(&contract_check::SPEC, contract_check::run),
            },
            Entry {
                spec: &install_aris::SPEC,
                brief: "put skills into a project, update or remove them",
                run: |process| aris_cli::run(&install_aris::SPEC, install_aris::run, process),
                parser: || aris_cli::parser(&install_aris::SPEC, install_aris::run),
            },
            Entry {
                spec: &skill_lint::SPEC,
                brief: "check the structure of agent skills",
                run: |process| aris_cli::run(&skill_lint::SPEC, skill_lint::run, process),
                parser: || aris_cli::parser(&skill_lint::SPEC, skill_lint::run),
            },
        ],
    },
];
