//! The `deepxiv_fetch` program; see the library.

fn main() -> std::process::ExitCode {
    aris_cli::main(&deepxiv_fetch::SPEC, deepxiv_fetch::run)
}
