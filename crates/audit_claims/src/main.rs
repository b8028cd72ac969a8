//! The `audit_claims` program; see the library.

fn main() -> std::process::ExitCode {
    aris_cli::main(&audit_claims::SPEC, audit_claims::run)
}
