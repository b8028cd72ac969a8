//! The `verify_wiki_coverage` program; see the library.

fn main() -> std::process::ExitCode {
    aris_cli::main(&verify_wiki_coverage::SPEC, verify_wiki_coverage::run)
}
