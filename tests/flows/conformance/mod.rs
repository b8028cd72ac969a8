//! Checks what every helper of the table must do in the same way: help, usage errors, envelopes, exit codes, closed and full
//! outputs, repeated runs, hostile inputs.
//!
//! The checks are here. The data for each helper's calls is in one file per helper; a row of the table without cases fails.

mod arxiv_fetch;
mod audit_claims;
mod build_manifest;
mod cases;
mod check_source_facts;
mod citation_audit;
mod contract;
mod contract_check;
mod deepxiv_fetch;
mod envelope;
mod exa_search;
mod extract_paper_style;
mod figure_renderer;
mod help;
mod install_aris;
mod kept;
mod literature_search;
mod openalex_fetch;
mod outputs;
mod overleaf_audit;
mod paper_claim_audit;
mod paper_illustration_image2;
mod queue_manager;
mod recipe_runner;
mod research_wiki;
mod resolve_claims_review;
mod runs;
mod save_trace;
mod semantic_scholar_fetch;
mod skill_lint;
mod surface;
mod usage;
mod verify_paper_audits;
mod verify_papers;
mod verify_wiki_coverage;

use std::panic::{AssertUnwindSafe, catch_unwind};

use aris_contract::helpers::{self, Helper as Row};
use aris_testkit::{Helper, Project};

use cases::{Call, Cases};
use contract::Contract;

/// One helper under test: its cases, its binary and its contract.
struct Subject {
    cases: &'static Cases,
    helper: Helper,
    contract: Contract,
}

impl Subject {
    /// Runs a call with additional arguments in `project`.
    fn run(&self, project: &Project, call: &Call, more: &[&str]) -> aris_testkit::Run {
        kept::own(self.helper.call(project.path()), project.path())
            .args(call.args)
            .args(more)
            .run()
    }

    /// The call that succeeds without findings.
    fn success(&self) -> &'static Call {
        let call = self.cases.calls.iter().find(|call| call.code == 0);
        call.unwrap_or_else(|| panic!("{} has no call that exits with 0", self.cases.helper))
    }
}

/// Runs `check` on every row of the table and reports all failing helpers.
pub(crate) fn for_every_row(check: impl Fn(&Row)) {
    let failed: Vec<&str> = helpers::all()
        .iter()
        .filter(|row| catch_unwind(AssertUnwindSafe(|| check(row))).is_err())
        .map(|row| row.name.as_str())
        .collect();
    assert!(
        failed.is_empty(),
        "failed for {}; the reasons stand above",
        failed.join(", ")
    );
}

/// Like [`for_every_row`], with the helper's cases, binary and contract.
fn for_every_helper(check: impl Fn(&Subject)) {
    for_every_row(|row| {
        let cases =
            cases::of(&row.name).unwrap_or_else(|| panic!("{} has no conformance cases", row.name));
        assert_eq!(cases.helper, row.name);
        // All modules use the same binary, so that it is not rebuilt while another test runs it.
        let helper = Helper::named(&row.name);
        let contract = Contract::of(&helper);
        check(&Subject {
            cases,
            helper,
            contract,
        });
    });
}

#[test]
fn every_row_has_cases_and_every_case_has_a_row() {
    let rows: Vec<&str> = helpers::all().iter().map(|row| row.name.as_str()).collect();
    let cases: Vec<&str> = cases::ALL.iter().map(|cases| cases.helper).collect();
    assert_eq!(cases, rows);
}
