//! Black-box tests of the library.
#![cfg(test)]
#![allow(
    clippy::disallowed_methods,
    reason = "tests read fixture files directly"
)]

mod benchmark;
mod cases;
mod differential;
mod fixtures;
mod properties;
