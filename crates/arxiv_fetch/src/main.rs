//! The `arxiv_fetch` program; see the library.

fn main() -> std::process::ExitCode {
    aris_cli::main(&arxiv_fetch::SPEC, arxiv_fetch::run)
}
