//! The `check_source_facts` program; see the library.

fn main() -> std::process::ExitCode {
    aris_cli::main(&check_source_facts::SPEC, check_source_facts::run)
}
