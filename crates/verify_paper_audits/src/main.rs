//! The submission gate; see the library.

fn main() -> std::process::ExitCode {
    aris_cli::main(&verify_paper_audits::SPEC, verify_paper_audits::run)
}
