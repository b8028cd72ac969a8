// Generated from skills/shared-references/helpers.toml by `cargo xtask sync`. Do not edit.

use super::Helper;
use crate::policy::Policy;

pub(super) const HELPERS: &[Helper] = &[
    Helper {
        name: "citation_audit",
        aliases: &[],
        owner: "citation-audit",
        callers: &["citation-audit", "paper-writing"],
        policy: Policy::C,
        rationale: "Its artifact is what the submission gate reads; the audit itself only records and never blocks",
        fallback: "Write CITATION_AUDIT.json with verdict ERROR and reason_code helper_missing; the gate then blocks",
    },
    Helper {
        name: "paper_claim_audit",
        aliases: &[],
        owner: "paper-claim-audit",
        callers: &["paper-claim-audit", "paper-writing"],
        policy: Policy::C,
        rationale: "Its artifact is what the submission gate reads; the audit itself only records and never blocks",
        fallback: "Write PAPER_CLAIM_AUDIT.json with verdict ERROR and reason_code helper_missing; the gate then blocks",
    },
    Helper {
        name: "save_trace",
        aliases: &["save_trace.sh"],
        owner: "review-tracing",
        callers: &[
            "citation-audit",
            "paper-claim-audit",
            "paper-writing",
            "review-tracing",
        ],
        policy: Policy::C,
        rationale: "The trace is the evidence behind an audit's verdict and behind the independence of its reviewer",
        fallback: "Write run.meta.json and the three record files directly in the documented schema",
    },
    Helper {
        name: "verify_paper_audits",
        aliases: &["verify_paper_audits.sh"],
        owner: "paper-writing",
        callers: &["paper-writing"],
        policy: Policy::A,
        rationale: "Its exit code is the only truth about submission readiness",
        fallback: "None: without the verifier nothing is submission-ready",
    },
];
