//! The `build_manifest` program; see the library.

fn main() -> std::process::ExitCode {
    aris_cli::main(&build_manifest::SPEC, build_manifest::run)
}
