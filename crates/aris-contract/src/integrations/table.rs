// Generated from skills/shared-references/integrations.toml by `cargo xtask sync`. Do not edit.

use super::{Artifact, Covers, Expect, Form, Integration, Predicate, Role, Step, Verifier};

pub(super) const INTEGRATIONS: &[Integration] = &[
    Integration {
        name: "citation-audit",
        title: "Audit of a paper's citations",
        caller: "citation-audit",
        fires: Predicate::Any(&[
            Predicate::Files(&["paper/**/*.bib", "paper/**/*.bbl"]),
            Predicate::Says {
                files: &["paper/**/*.tex"],
                any: &[
                    "cite{",
                    "cite[",
                    "cite*{",
                    "cite*[",
                    "cites{",
                    "cites[",
                    "citet",
                    "citep",
                    "citeauthor",
                    "citeyear",
                    "\\Cite",
                    "\\bibliography{",
                    "\\addbibresource",
                    "{thebibliography}",
                ],
            },
        ]),
        helper: "citation_audit",
        artifacts: &[Artifact {
            path: "paper/CITATION_AUDIT.json",
            form: Form::Schema("aris.verify_paper_audits.audit/v1"),
            expect: &[Expect {
                pointer: "/audit_skill",
                is: "citation-audit",
            }],
            hashed: Some("/audited_input_hashes"),
            covers: None,
            backfill: Step::Helper {
                helper: "citation_audit",
                args: &["paper/"],
            },
        }],
        checklist: &[
            "citation_audit paper/ leaves paper/CITATION_AUDIT.json",
            "Again after each edit of a .tex or .bib file",
        ],
        verifier: Verifier {
            helper: "contract_check",
            args: &["status", "citation-audit"],
            role: Role::Diagnostic,
        },
    },
    Integration {
        name: "claims-audit",
        title: "Audit of the claims of a research pull request",
        caller: "audit-claims",
        fires: Predicate::BranchChanges(&["research/**/*.md", "**/report.md"]),
        helper: "audit_claims",
        artifacts: &[
            Artifact {
                path: ".aris/temp/audit-claims/findings_*.json",
                form: Form::Json,
                expect: &[],
                hashed: None,
                covers: None,
                backfill: Step::Helper {
                    helper: "audit_claims",
                    args: &["run", "{worktree}", "{base}", "{pr_url}"],
                },
            },
            Artifact {
                path: ".aris/temp/audit-claims/summary_*.md",
                form: Form::Text,
                expect: &[],
                hashed: None,
                covers: None,
                backfill: Step::Helper {
                    helper: "audit_claims",
                    args: &["run", "{worktree}", "{base}", "{pr_url}"],
                },
            },
        ],
        checklist: &[
            "audit_claims run WORKTREE BASE PR_URL leaves findings_N.json and summary_N_TIME.md",
            "Route by the verdict, not by the exit code; a degraded run has not looked",
            "changes_requested blocks the merge until resolve_claims_review is done",
        ],
        verifier: Verifier {
            helper: "audit_claims",
            args: &["verdict", "--findings", "{findings}", "--exit-signal"],
            role: Role::SkillGate,
        },
    },
    Integration {
        name: "claims-review",
        title: "Resolution of the review of a research pull request",
        caller: "resolve-claims-review",
        fires: Predicate::Says {
            files: &[".aris/temp/audit-claims/findings_*.json"],
            any: &["\"critical\"", "\"warning\""],
        },
        helper: "resolve_claims_review",
        artifacts: &[
            Artifact {
                path: ".aris/temp/resolve-claims-review/classification_map_*.json",
                form: Form::Json,
                expect: &[],
                hashed: None,
                covers: None,
                backfill: Step::Helper {
                    helper: "resolve_claims_review",
                    args: &["merge", "--groups", "{groups}", "--agent-dir", "{answers}"],
                },
            },
            Artifact {
                path: ".aris/temp/resolve-claims-review/escalation_records_*.json",
                form: Form::Json,
                expect: &[],
                hashed: None,
                covers: None,
                backfill: Step::Skill("/resolve-claims-review"),
            },
        ],
        checklist: &[
            "Every comment is in classification_map_N.json as ACCEPT, REJECT or DISCUSS, with evidence",
            "Escalations are in escalation_records_N.json with their strategy",
            "needs_rerun comes from resolve_claims_review outcome, never from reading the comments",
        ],
        verifier: Verifier {
            helper: "resolve_claims_review",
            args: &["outcome", "--escalations", "{escalations}"],
            role: Role::SkillGate,
        },
    },
    Integration {
        name: "experiment-queue",
        title: "Queue of experiments",
        caller: "experiment-queue",
        fires: Predicate::Files(&[
            "experiment_queue/*/*.yaml",
            "experiment_queue/*/*.yml",
            "experiment_queue/*/*.json",
        ]),
        helper: "queue_manager",
        artifacts: &[
            Artifact {
                path: "experiment_queue/*/manifest.json",
                form: Form::Json,
                expect: &[],
                hashed: None,
                covers: None,
                backfill: Step::Helper {
                    helper: "build_manifest",
                    args: &["--config", "{grid}", "--output", "{run}/manifest.json"],
                },
            },
            Artifact {
                path: "experiment_queue/*/summary.md",
                form: Form::Text,
                expect: &[],
                hashed: None,
                covers: None,
                backfill: Step::Skill("/experiment-queue"),
            },
        ],
        checklist: &[
            "build_manifest writes experiment_queue/RUN/manifest.json before anything starts",
            "queue_manager runs the manifest and keeps queue_state.json",
            "When every job is completed or stuck: experiment_queue/RUN/summary.md, stuck jobs named",
        ],
        verifier: Verifier {
            helper: "contract_check",
            args: &["status", "experiment-queue"],
            role: Role::Diagnostic,
        },
    },
    Integration {
        name: "experiment-wiki",
        title: "Experiments that ended go into the research wiki",
        caller: "experiment-queue",
        fires: Predicate::All(&[
            Predicate::DirExists("research-wiki"),
            Predicate::Files(&["experiment_queue/*/summary.md"]),
        ]),
        helper: "research_wiki",
        artifacts: &[Artifact {
            path: "research-wiki/experiments/*.md",
            form: Form::Text,
            expect: &[],
            hashed: None,
            covers: Some(Covers::Folders("experiment_queue/*/summary.md")),
            backfill: Step::Helper {
                helper: "research_wiki",
                args: &[
                    "upsert_experiment",
                    "research-wiki/",
                    "{experiment}",
                    "--idea",
                    "{idea}",
                    "--verdict",
                    "{verdict}",
                    "--metrics",
                    "{metrics}",
                ],
            },
        }],
        checklist: &[
            "Every queue that is over has a page in research-wiki/experiments/ that names it: research_wiki upsert_experiment",
            "A negative result is a page, too",
        ],
        verifier: Verifier {
            helper: "contract_check",
            args: &["status", "experiment-wiki"],
            role: Role::Diagnostic,
        },
    },
    Integration {
        name: "image-finalisation",
        title: "Finalisation of a generated illustration",
        caller: "paper-illustration-image2",
        fires: Predicate::Any(&[
            Predicate::Files(&["figures/ai_generated/figure_v*.png"]),
            Predicate::Says {
                files: &["paper/**/*.tex"],
                any: &["figures/ai_generated/"],
            },
        ]),
        helper: "paper_illustration_image2",
        artifacts: &[
            Artifact {
                path: "figures/ai_generated/figure_final.png",
                form: Form::Png,
                expect: &[],
                hashed: None,
                covers: None,
                backfill: Step::Helper {
                    helper: "paper_illustration_image2",
                    args: &[
                        "finalize",
                        "--workspace",
                        "{project}",
                        "--best-image",
                        "{best_image}",
                    ],
                },
            },
            Artifact {
                path: "figures/ai_generated/latex_include.tex",
                form: Form::Text,
                expect: &[],
                hashed: None,
                covers: None,
                backfill: Step::Helper {
                    helper: "paper_illustration_image2",
                    args: &[
                        "finalize",
                        "--workspace",
                        "{project}",
                        "--best-image",
                        "{best_image}",
                    ],
                },
            },
            Artifact {
                path: "figures/ai_generated/review_log.json",
                form: Form::Json,
                expect: &[],
                hashed: None,
                covers: None,
                backfill: Step::Helper {
                    helper: "paper_illustration_image2",
                    args: &[
                        "finalize",
                        "--workspace",
                        "{project}",
                        "--best-image",
                        "{best_image}",
                    ],
                },
            },
        ],
        checklist: &[
            "paper_illustration_image2 preflight --workspace . says ok",
            "The accepted image is promoted: paper_illustration_image2 finalize --workspace . --best-image PNG",
            "paper_illustration_image2 verify --workspace . leaves with 0 before the figure is called final",
        ],
        verifier: Verifier {
            helper: "paper_illustration_image2",
            args: &["verify", "--workspace", "{project}"],
            role: Role::SkillGate,
        },
    },
    Integration {
        name: "paper-claim-audit",
        title: "Audit of a paper's numbers against its results",
        caller: "paper-claim-audit",
        fires: Predicate::All(&[
            Predicate::Files(&["paper/**/*.tex"]),
            Predicate::Files(&[
                "results/**",
                "outputs/**",
                "paper/results/**",
                "paper/outputs/**",
                "paper/claims.toml",
            ]),
        ]),
        helper: "paper_claim_audit",
        artifacts: &[Artifact {
            path: "paper/PAPER_CLAIM_AUDIT.json",
            form: Form::Schema("aris.verify_paper_audits.audit/v1"),
            expect: &[Expect {
                pointer: "/audit_skill",
                is: "paper-claim-audit",
            }],
            hashed: Some("/audited_input_hashes"),
            covers: Some(Covers::Inputs {
                files: &[
                    "results/**",
                    "outputs/**",
                    "paper/results/**",
                    "paper/outputs/**",
                ],
                except: &[
                    "**/*.tex",
                    "**/*_AUDIT.json",
                    "**/*_AUDIT.md",
                    "**/claims.toml",
                ],
                when: "/details/all_results",
            }),
            backfill: Step::Helper {
                helper: "paper_claim_audit",
                args: &["paper/"],
            },
        }],
        checklist: &[
            "paper_claim_audit paper/ leaves paper/PAPER_CLAIM_AUDIT.json",
            "Again after each edit of the paper, of claims.toml, or of the results",
        ],
        verifier: Verifier {
            helper: "contract_check",
            args: &["status", "paper-claim-audit"],
            role: Role::Diagnostic,
        },
    },
    Integration {
        name: "paper-verification",
        title: "Check of candidate papers against the registries",
        caller: "research-lit",
        fires: Predicate::Any(&[
            Predicate::FileExists(".aris/verify-papers/candidate_papers.json"),
            Predicate::Says {
                files: &["survey/**/*.md", "literature/**/*.md", "RELATED_WORK.md"],
                any: &["arXiv:", "arxiv.org/abs/", "doi.org/"],
            },
        ]),
        helper: "verify_papers",
        artifacts: &[Artifact {
            path: ".aris/verify-papers/verified_papers.json",
            form: Form::Json,
            expect: &[],
            hashed: None,
            covers: None,
            backfill: Step::Helper {
                helper: "verify_papers",
                args: &[
                    "--input",
                    "{candidates}",
                    "--output",
                    ".aris/verify-papers/verified_papers.json",
                ],
            },
        }],
        checklist: &[
            "verify_papers checks every candidate before it is cited or ranked",
            "Missing or failed helper: every candidate is written with status unverified and method none",
            "Unverified candidates are marked as such wherever they are shown",
        ],
        verifier: Verifier {
            helper: "contract_check",
            args: &["status", "paper-verification"],
            role: Role::Diagnostic,
        },
    },
    Integration {
        name: "research-wiki-ingest",
        title: "Papers that were read go into the research wiki",
        caller: "research-wiki",
        fires: Predicate::All(&[
            Predicate::DirExists("research-wiki"),
            Predicate::Says {
                files: &[
                    "paper/**/*.tex",
                    "paper/**/*.bib",
                    "*.bib",
                    "PAPER_PLAN.md",
                    "NARRATIVE_REPORT.md",
                    "survey/**/*.md",
                ],
                any: &["arXiv", "arxiv", "ArXiv", "10.48550/", "CoRR"],
            },
        ]),
        helper: "research_wiki",
        artifacts: &[
            Artifact {
                path: "research-wiki/papers/*.md",
                form: Form::Text,
                expect: &[],
                hashed: None,
                covers: Some(Covers::ArxivIds(&[
                    "paper/**/*.tex",
                    "paper/**/*.bib",
                    "*.bib",
                    "PAPER_PLAN.md",
                    "NARRATIVE_REPORT.md",
                    "survey/**/*.md",
                ])),
                backfill: Step::Helper {
                    helper: "research_wiki",
                    args: &["sync", "research-wiki/", "--arxiv-ids", "{arxiv_ids}"],
                },
            },
            Artifact {
                path: "research-wiki/log.md",
                form: Form::Text,
                expect: &[],
                hashed: None,
                covers: None,
                backfill: Step::Helper {
                    helper: "research_wiki",
                    args: &["sync", "research-wiki/", "--arxiv-ids", "{arxiv_ids}"],
                },
            },
        ],
        checklist: &[
            "Every paper that was read is ingested: research_wiki ingest_paper research-wiki/ --arxiv-id ID",
            "research-wiki/log.md has a line for each ingest",
            "What was missed is ingested afterwards: research_wiki sync research-wiki/ --arxiv-ids ID,ID",
        ],
        verifier: Verifier {
            helper: "verify_wiki_coverage",
            args: &["research-wiki/"],
            role: Role::Diagnostic,
        },
    },
    Integration {
        name: "submission-audits",
        title: "Audits before a submission",
        caller: "paper-writing",
        fires: Predicate::FileEquals {
            path: "paper/.aris/assurance.txt",
            text: "submission",
        },
        helper: "verify_paper_audits",
        artifacts: &[
            Artifact {
                path: "paper/PROOF_AUDIT.json",
                form: Form::Schema("aris.verify_paper_audits.audit/v1"),
                expect: &[Expect {
                    pointer: "/audit_skill",
                    is: "proof-checker",
                }],
                hashed: Some("/audited_input_hashes"),
                covers: None,
                backfill: Step::Helper {
                    helper: "verify_paper_audits",
                    args: &["prompt", "paper/", "--audit", "proof-checker"],
                },
            },
            Artifact {
                path: "paper/PAPER_CLAIM_AUDIT.json",
                form: Form::Schema("aris.verify_paper_audits.audit/v1"),
                expect: &[Expect {
                    pointer: "/audit_skill",
                    is: "paper-claim-audit",
                }],
                hashed: Some("/audited_input_hashes"),
                covers: Some(Covers::Inputs {
                    files: &[
                        "results/**",
                        "outputs/**",
                        "paper/results/**",
                        "paper/outputs/**",
                    ],
                    except: &[
                        "**/*.tex",
                        "**/*_AUDIT.json",
                        "**/*_AUDIT.md",
                        "**/claims.toml",
                    ],
                    when: "/details/all_results",
                }),
                backfill: Step::Helper {
                    helper: "paper_claim_audit",
                    args: &["paper/"],
                },
            },
            Artifact {
                path: "paper/CITATION_AUDIT.json",
                form: Form::Schema("aris.verify_paper_audits.audit/v1"),
                expect: &[Expect {
                    pointer: "/audit_skill",
                    is: "citation-audit",
                }],
                hashed: Some("/audited_input_hashes"),
                covers: None,
                backfill: Step::Helper {
                    helper: "citation_audit",
                    args: &["paper/"],
                },
            },
            Artifact {
                path: "paper/.aris/audit-verifier-report.json",
                form: Form::Schema("aris.verify_paper_audits.report/v1"),
                expect: &[
                    Expect {
                        pointer: "/assurance",
                        is: "submission",
                    },
                    Expect {
                        pointer: "/result",
                        is: "no_blocker",
                    },
                ],
                hashed: None,
                covers: None,
                backfill: Step::Helper {
                    helper: "verify_paper_audits",
                    args: &["paper/", "--assurance", "submission"],
                },
            },
        ],
        checklist: &[
            "verify_paper_audits prompt paper/ --audit proof-checker asks for the review behind paper/PROOF_AUDIT.json",
            "/paper-claim-audit leaves paper/PAPER_CLAIM_AUDIT.json",
            "/citation-audit leaves paper/CITATION_AUDIT.json",
            "verify_paper_audits paper/ --assurance submission (policy A)",
            "No final report unless the verifier left with 0",
        ],
        verifier: Verifier {
            helper: "verify_paper_audits",
            args: &["paper/", "--assurance", "submission"],
            role: Role::Gate,
        },
    },
];
