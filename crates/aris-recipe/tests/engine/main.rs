//! The engine on recipes that nobody wrote, and skips on recipes that others did.
#![cfg(test)]
#![allow(
    clippy::disallowed_methods,
    clippy::print_stderr,
    reason = "tests read files directly and say what they skip"
)]

mod random;
mod skips;
