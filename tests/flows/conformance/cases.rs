//! The data that the conformance tests need about a helper.

use aris_testkit::Project;

/// All cases, in the order of the helper table.
pub(crate) const ALL: &[&Cases] = &[
    &super::arxiv_fetch::CASES,
    &super::audit_claims::CASES,
    &super::build_manifest::CASES,
    &super::check_source_facts::CASES,
    &super::citation_audit::CASES,
    &super::contract_check::CASES,
    &super::deepxiv_fetch::CASES,
    &super::exa_search::CASES,
    &super::extract_paper_style::CASES,
    &super::figure_renderer::CASES,
    &super::install_aris::CASES,
    &super::literature_search::CASES,
    &super::openalex_fetch::CASES,
    &super::overleaf_audit::CASES,
    &super::paper_claim_audit::CASES,
    &super::paper_illustration_image2::CASES,
    &super::queue_manager::CASES,
    &super::recipe_runner::CASES,
    &super::research_wiki::CASES,
    &super::resolve_claims_review::CASES,
    &super::save_trace::CASES,
    &super::semantic_scholar_fetch::CASES,
    &super::skill_lint::CASES,
    &super::verify_paper_audits::CASES,
    &super::verify_papers::CASES,
    &super::verify_wiki_coverage::CASES,
];

/// The cases of one helper.
pub(crate) struct Cases {
    pub(crate) helper: &'static str,
    /// A project in which all calls work; each call gets a fresh one.
    pub(crate) project: fn() -> Project,
    /// Calls with their exit codes: at least one that exits with 0, one for each signal of the contract, and one error.
    pub(crate) calls: &'static [Call],
    /// Calls that lack a required argument.
    pub(crate) incomplete: &'static [&'static [&'static str]],
    /// Whether the successful call accepts any number of arguments, so that no argument is surplus.
    pub(crate) open_ended: bool,
    /// Outputs that cannot be written (exit 5). Empty for a helper that writes none.
    pub(crate) unwritable: &'static [Unwritable],
    /// Inputs that must not be read without a limit, or waited for forever.
    pub(crate) hostile: &'static [Hostile],
    /// Why a repeated run writes something, for helpers that do so by design.
    pub(crate) repeat_adds: Option<&'static str>,
}

impl Cases {
    /// Whether `--format` sets the kind of the written file, so that it cannot be `json`.
    pub(crate) fn format_is_of_a_file(&self, call: &Call) -> bool {
        let draws = call
            .args
            .first()
            .is_some_and(|command| ["render", "watch"].contains(command));
        self.helper == "figure_renderer" && draws
    }
}

/// One call and its exit code, which is the same with and without `--json`.
pub(crate) struct Call {
    pub(crate) what: &'static str,
    pub(crate) args: &'static [&'static str],
    pub(crate) code: i32,
}

/// An output that cannot be written.
pub(crate) struct Unwritable {
    pub(crate) what: &'static str,
    /// Makes the output unwritable. Root ignores permissions, so a file is put where a folder is needed, or the other way
    /// round.
    pub(crate) prepare: fn(&Project),
    pub(crate) args: &'static [&'static str],
}

/// An input file that is far too large, or a FIFO without a writer.
pub(crate) struct Hostile {
    /// The file, relative to the project.
    pub(crate) path: &'static str,
    pub(crate) args: &'static [&'static str],
    /// Exit code for a sparse file of 300 GB.
    pub(crate) huge: i32,
    /// Exit code for a FIFO.
    pub(crate) fifo: i32,
}

pub(crate) fn of(helper: &str) -> Option<&'static Cases> {
    ALL.iter().copied().find(|cases| cases.helper == helper)
}
