//! The `contract_check` program; see the library.

fn main() -> std::process::ExitCode {
    aris_cli::main(&contract_check::SPEC, contract_check::run)
}
