//! Schema ids and the names of their files.

/// The file of a schema id under `schemas/`: `aris.save_trace.run/v1` is in `aris.save_trace.run.v1.json`.
pub fn file_name(id: &str) -> String {
    format!("{}.json", id.replace('/', "."))
}

/// Ids of files that several helpers read or write.
pub mod id {
    /// An audit artifact such as `PAPER_CLAIM_AUDIT.json`.
    pub const AUDIT: &str = "aris.verify_paper_audits.audit/v1";
    /// The gate's report.
    pub const GATE_REPORT: &str = "aris.verify_paper_audits.report/v1";
    /// The gate's policy file.
    pub const POLICY: &str = "aris.verify_paper_audits.policy/v1";
    /// The paper's own list of further audits, `.aris/audits.json`.
    pub const PAPER_MANIFEST: &str = "aris.verify_paper_audits.manifest/v1";
    /// `run.meta.json` of a trace run.
    pub const TRACE_RUN: &str = "aris.save_trace.run/v1";
    /// `NNN-<purpose>.request.json` of a trace record.
    pub const TRACE_REQUEST: &str = "aris.save_trace.request/v1";
    /// `NNN-<purpose>.meta.json` of a trace record.
    pub const TRACE_META: &str = "aris.save_trace.meta/v1";
    /// One line of `chain.jsonl`.
    pub const TRACE_CHAIN: &str = "aris.save_trace.chain/v1";
    /// One line of `.aris/meta/events.jsonl`.
    pub const TRACE_EVENT: &str = "aris.save_trace.event/v1";
    /// `.aris/install.json` of a project.
    pub const INSTALL_MANIFEST: &str = "aris.install_aris.manifest/v1";
    /// The manifest of a queue; manifests carry it as `schema`.
    pub const QUEUE_MANIFEST: &str = "aris.queue_manager.manifest/v1";
    /// `queue_state.json` of a queue.
    pub const QUEUE_STATE: &str = "aris.queue_manager.state/v1";
    /// `spec.json` of an attempt of a queue.
    pub const QUEUE_ATTEMPT_SPEC: &str = "aris.queue_attempt.spec/v1";
    /// `claim.json` of an attempt of a queue.
    pub const QUEUE_ATTEMPT_CLAIM: &str = "aris.queue_attempt.claim/v1";
    /// `start.json` of an attempt of a queue.
    pub const QUEUE_ATTEMPT_START: &str = "aris.queue_attempt.start/v1";
    /// `exit.json` of an attempt of a queue.
    pub const QUEUE_ATTEMPT_EXIT: &str = "aris.queue_attempt.exit/v1";
    /// The record of a run in a project's ledger, `.aris/runs`.
    pub const RUN: &str = "aris.run_record.run/v1";
    /// The output of the multi-call binary `aris` itself.
    pub const PAGE: &str = "aris.aris.page/v1";
    /// `<helper>.contract.json` beside a launcher.
    pub const HELPER_CONTRACT: &str = "aris.helper_contract.contract/v1";
}

#[cfg(test)]
mod tests {
    #[test]
    fn an_id_is_a_file_name_with_its_slash_as_a_dot() {
        assert_eq!(
            super::file_name(super::id::TRACE_RUN),
            "aris.save_trace.run.v1.json"
        );
    }
}
