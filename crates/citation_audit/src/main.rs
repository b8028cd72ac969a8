//! The `citation_audit` program; see the library.

fn main() -> std::process::ExitCode {
    aris_cli::main(&citation_audit::SPEC, citation_audit::run)
}
