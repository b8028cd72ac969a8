//! The `openalex_fetch` program; see the library.

fn main() -> std::process::ExitCode {
    aris_cli::main(&openalex_fetch::SPEC, openalex_fetch::run)
}
