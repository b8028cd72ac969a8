//! The `skill_lint` program; see the library.

fn main() -> std::process::ExitCode {
    aris_cli::main(&skill_lint::SPEC, skill_lint::run)
}
