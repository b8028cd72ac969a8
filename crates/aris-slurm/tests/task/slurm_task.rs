//! `slurm_task slurm-task RUN TOKEN`: runs the attempt of the array task that the environment names.

use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let words: Vec<_> = std::env::args_os().skip(2).collect();
    let [run, token] = words.as_slice() else {
        return ExitCode::from(2);
    };
    #[expect(
        clippy::disallowed_methods,
        reason = "stands in for a program's main, which reads the environment"
    )]
    let index = std::env::var(aris_slurm::TASK_VARIABLE).unwrap_or_default();
    aris_slurm::task(Path::new(run), &token.to_string_lossy(), &index)
}
