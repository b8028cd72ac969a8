//! The `queue_manager` program; see the library.

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    // The runner of an attempt is this program, too: before anything else, because it must be small and have no thread.
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    match arguments.as_slice() {
        [word, folder] if word == queue_manager::ATTEMPT => {
            aris_attempt::runner::serve(Path::new(folder))
        }
        // As the tasks of a batch system are started.
        words => aris_slurm::task(words)
            .unwrap_or_else(|| aris_cli::main(&queue_manager::SPEC, queue_manager::run)),
    }
}
