//! The `queue_manager` program; see the library.

use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    // The runner of an attempt is this program, too: before anything else, because it must be small and have no thread.
    let mut arguments = std::env::args_os().skip(1);
    match (arguments.next(), arguments.next(), arguments.next()) {
        (Some(word), Some(folder), None) if word == queue_manager::ATTEMPT => {
            aris_attempt::runner::run(Path::new(&folder))
        }
        _ => aris_cli::main(&queue_manager::SPEC, queue_manager::run),
    }
}
