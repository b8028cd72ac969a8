//! Tests of the engine: with recorded answers, with programs that misbehave, and on a real Slurm where there is a test bed.

#![cfg(test)]
#![allow(
    clippy::disallowed_methods,
    reason = "tests prepare files, start programs and read the environment directly"
)]

mod answers;
mod bed;
mod fixtures;
mod place;
