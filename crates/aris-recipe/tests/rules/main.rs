//! The rules from outside: mutants, purity, public recipes.
#![cfg(test)]
#![allow(clippy::disallowed_methods, reason = "tests read files directly")]

mod bench;
mod mutants;
mod page;
mod public;
mod pure;
