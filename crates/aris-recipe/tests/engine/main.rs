//! The engine on random recipes, and skips in public recipes.
#![cfg(test)]
#![allow(
    clippy::disallowed_methods,
    clippy::print_stderr,
    reason = "tests read files directly and say what they skip"
)]

mod random;
mod skips;
