//! The `overleaf_audit` program; see the library.

fn main() -> std::process::ExitCode {
    aris_cli::main(&overleaf_audit::SPEC, overleaf_audit::run)
}
