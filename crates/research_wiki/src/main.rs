//! The `research_wiki` program; see the library.

fn main() -> std::process::ExitCode {
    aris_cli::main(&research_wiki::SPEC, research_wiki::run)
}
