//! The `extract_paper_style` program; see the library.

fn main() -> std::process::ExitCode {
    aris_cli::main(&extract_paper_style::SPEC, extract_paper_style::run)
}
