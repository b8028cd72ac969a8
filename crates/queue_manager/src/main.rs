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
        // As the tasks of a submission to Slurm are started.
        [word, run, token] if word == queue_manager::SLURM_TASK => {
            let index = std::env::vars_os().find(|(name, _)| name == aris_slurm::TASK_VARIABLE);
            let index = index.map(|(_, index)| index).unwrap_or_default();
            aris_slurm::task(
                Path::new(run),
                &token.to_string_lossy(),
                &index.to_string_lossy(),
            )
        }
        _ => aris_cli::main(&queue_manager::SPEC, queue_manager::run),
    }
}
