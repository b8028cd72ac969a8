//! Runs the attempt in the folder that is its only argument, with the leases that it receives through stdin.

use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let folder = std::env::args_os().nth(1).unwrap_or_default();
    aris_attempt::runner::serve(Path::new(&folder))
}
