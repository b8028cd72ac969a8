//! The `save_trace` program; see the library.

fn main() -> std::process::ExitCode {
    aris_cli::main(&save_trace::SPEC, save_trace::run)
}
