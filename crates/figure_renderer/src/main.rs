//! The `figure_renderer` program; see the library.

fn main() -> std::process::ExitCode {
    aris_cli::main(&figure_renderer::SPEC, figure_renderer::run)
}
