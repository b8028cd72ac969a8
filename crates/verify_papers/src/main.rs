//! The `verify_papers` program; see the library.

fn main() -> std::process::ExitCode {
    aris_cli::main(&verify_papers::SPEC, verify_papers::run)
}
