//! The `install_aris` program; see the library.

fn main() -> std::process::ExitCode {
    aris_cli::main(&install_aris::SPEC, install_aris::run)
}
