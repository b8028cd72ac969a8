//! The `exa_search` program; see the library.

fn main() -> std::process::ExitCode {
    aris_cli::main(&exa_search::SPEC, exa_search::run)
}
