//! The `queue_manager` program; see the library.

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    // This program is also the runner of attempts. Checked before anything else, because a runner must be small and have no other thread.
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    match arguments.as_slice() {
        [word, folder] if word == queue_manager::ATTEMPT => {
            aris_attempt::runner::serve(Path::new(folder))
        }
        // The arguments of a batch system's task.
        words => aris_slurm::task(words)
            .unwrap_or_else(|| aris_cli::main(&queue_manager::SPEC, queue_manager::run)),
    }
}
