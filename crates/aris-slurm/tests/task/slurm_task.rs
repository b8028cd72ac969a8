//! `slurm_task slurm-task RUN TOKEN`: runs the attempt of an array task; the environment has its index.

use std::process::ExitCode;

fn main() -> ExitCode {
    let words: Vec<_> = std::env::args_os().skip(1).collect();
    aris_slurm::task(&words).unwrap_or(ExitCode::from(2))
}
