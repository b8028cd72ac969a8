//! The `recipe_runner` program; see the library.

fn main() -> std::process::ExitCode {
    aris_cli::main(&recipe_runner::SPEC, recipe_runner::run)
}
