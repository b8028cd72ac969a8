//! The submission gate: is there any reason, that a program can prove, not to submit this paper?
//!
//! It reads the audit artifacts of a paper directory, hashes every file that they say they looked at, follows what the paper
//! includes today, reads the review traces behind the verdicts, and reports every contradiction with its place, its evidence
//! and what clears it. It never says "accepted": flags are computable, acquittals are not.
//!
//! # Usage
//!
//! ```text
//! verify_paper_audits <PAPER_DIR> [--assurance draft|submission] [--policy FILE] [--json-out FILE] [--html FILE]
//!                     [--attest FILE [--sign-key FILE]] [--json] [--quiet]
//! ```
//!
//! # Input
//!
//! The paper directory with its artifacts (`PROOF_AUDIT.json`, `PAPER_CLAIM_AUDIT.json`, `CITATION_AUDIT.json`, optionally
//! `KILL_ARGUMENT.json` and what `.aris/audits.json` adds), `.aris/assurance.txt`, the traces, and the audited files.
//!
//! # Output
//!
//! The report, `.aris/audit-verifier-report.json` unless `--json-out` says otherwise, written atomically and also when the gate
//! blocks. A second run over the same state changes no byte: the report of the first stays with its time. stdout is empty, or
//! one envelope with `--json`.
//!
//! # Exit codes
//!
//! | code | meaning |
//! |---|---|
//! | 0 | no blocker found under the policy; at `draft` always |
//! | 1 | blocked at `submission`, or an internal error (then the envelope is an error envelope) |
//! | 2 | bad flag, no paper directory, unknown assurance level, no such policy file |
//! | 4 | the policy file is invalid |
//! | 5 | an output cannot be written; nothing half-written remains |

mod artifact;
mod attest;
mod cli;
mod commands;
mod cover;
mod error;
mod finding;
mod gate;
mod html;
mod independence;
mod manifest;
mod measured;
mod output;
mod paper;
mod places;
mod policy;
mod report;
mod reported;
mod sources;
mod table;
mod text;
mod trace;

use aris_cli::{Context, Example, Network, Outcome, Sample, Spec};
use aris_contract::{ErrorKind, Signal, schema};

pub use aris_audit::ledger::Role;
pub use attest::{
    AttestedAudit, AttestedFinding, AttestedPolicy, Input, PREDICATE_SCHEMA, Predicate, Resource,
    Statement, Verifier,
};
pub use cli::Cli;
pub use error::Error;
pub use finding::{Finding, FindingId, Severity, SourceLine};
pub use manifest::{Added, Manifest, ManifestError};
pub use policy::{AuditRule, Coverage, MinBound, PolicyError, PolicyFile, SourceKind};
pub use report::{AuditRow, Counts, GateResult, JudgedFile, PolicyInForce, Report, Status};
pub use reported::Reported;
pub use trace::TraceSummary;

use crate::output::Outputs;
use crate::paper::Paper;
use aris_audit::ledger::Ledger;

/// Schema id of the report.
pub const SCHEMA: &str = "aris.verify_paper_audits.report/v1";

/// What the gate says about itself.
pub static SPEC: Spec = Spec {
    name: "verify_paper_audits",
    version: env!("CARGO_PKG_VERSION"),
    summary: "Check the audits of a paper and block a submission that they do not carry",
    input: "a paper directory with its audit artifacts, the files they hashed, and the review traces behind them",
    output: "nothing, or one envelope with --json; the report goes to a file",
    stderr: "a table of the audits, what blocks and what clears it, and one sentence",
    examples: &[
        Example {
            command: "",
            line: "verify_paper_audits paper --assurance submission",
            what: "gate a submission",
        },
        Example {
            command: "",
            line: "verify_paper_audits paper --html paper/audit.html",
            what: "look at a draft in the browser",
        },
        Example {
            command: "",
            line: "verify_paper_audits paper --assurance submission --attest audit.intoto.json --sign-key ~/.ssh/id_ed25519",
            what: "gate, and sign what was judged",
        },
    ],
    signals: &[(1, "blocked: at least one blocking finding at submission")],
    ok: "no blocker found under the policy; at draft whatever was found",
    errors: &[ErrorKind::Validation, ErrorKind::Precondition],
    schemas: &[
        SCHEMA,
        PREDICATE_SCHEMA,
        schema::id::POLICY,
        schema::id::PAPER_MANIFEST,
        schema::id::AUDIT,
    ],
    samples: &[Sample {
        args: &["--json", "assets/no-such-paper"],
        exit: &[2],
    }],
    network: Network::None,
    deadline: Some(aris_cli::DEADLINE),
};

/// Judges a paper and writes the report.
pub fn run(cli: Cli, context: &Context) -> Result<Outcome<Report>, Error> {
    let given = aris_fs::lexical(&context.absolute(&cli.paper_dir));
    if !given.is_dir() {
        return Err(Error::NoPaper {
            path: cli.paper_dir,
        });
    }
    let policy = output::policy(&cli, context)?;
    let assurance = output::assurance(&cli, &given)?;
    let no_paper = |_| Error::NoPaper {
        path: cli.paper_dir.clone(),
    };
    let paper = Paper::open(&given, &policy.allowed_roots, context.cwd()).map_err(no_paper)?;
    let outputs = Outputs::new(&cli, &given, context);
    let mut ledger = Ledger::default();
    let mut report = gate::judge(
        &paper,
        cli.root.as_deref(),
        &policy,
        assurance,
        context.now(),
        &mut ledger,
    );
    outputs.check(&paper, &ledger)?;
    outputs.write(&mut report, context)?;
    let signal = report.submission_blocking.then_some(Signal::BLOCK);
    Ok(Outcome {
        data: report,
        signal,
    })
}

#[cfg(test)]
mod tests {
    use aris_contract::artifact::audit::Audit;
    use aris_testkit::check_schema;

    use super::*;

    #[test]
    fn schemas_are_current() {
        check_schema::<Report>(SCHEMA);
        check_schema::<Predicate>(PREDICATE_SCHEMA);
        check_schema::<PolicyFile>(schema::id::POLICY);
        check_schema::<Manifest>(schema::id::PAPER_MANIFEST);
        check_schema::<Audit>(schema::id::AUDIT);
    }
}
