//! The `semantic_scholar_fetch` program; see the library.

fn main() -> std::process::ExitCode {
    aris_cli::main(&semantic_scholar_fetch::SPEC, semantic_scholar_fetch::run)
}
