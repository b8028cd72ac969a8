//! The `aris` program; see the library.

fn main() -> std::process::ExitCode {
    std::process::ExitCode::from(aris::dispatch(aris_cli::Process::current()).code())
}
