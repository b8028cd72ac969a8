//! The `literature_search` program; see the library.

fn main() -> std::process::ExitCode {
    aris_cli::main(&literature_search::SPEC, literature_search::run)
}
