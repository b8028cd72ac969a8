//! The `paper_claim_audit` program; see the library.

fn main() -> std::process::ExitCode {
    aris_cli::main(&paper_claim_audit::SPEC, paper_claim_audit::run)
}
