//! Runs the attempt whose folder is the only argument.

use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let folder = std::env::args_os().nth(1).unwrap_or_default();
    aris_attempt::runner::run(Path::new(&folder))
}
