//! The `resolve_claims_review` program; see the library.

fn main() -> std::process::ExitCode {
    aris_cli::main(&resolve_claims_review::SPEC, resolve_claims_review::run)
}
