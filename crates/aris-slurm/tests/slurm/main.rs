//! The engine against recorded answers, against programs that misbehave, and against a real Slurm where there is a test bed.

#![cfg(test)]
#![allow(
    clippy::disallowed_methods,
    reason = "tests prepare files, start programs and read the environment directly"
)]

mod answers;
mod bed;
mod fixtures;
mod place;
