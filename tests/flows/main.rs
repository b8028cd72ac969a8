//! Flows across helpers, and requirements for every helper. One module for each.
#![cfg(test)]
#![allow(clippy::disallowed_methods, reason = "tests prepare files directly")]

mod broken;
mod conformance;
mod crashes;
mod documented;
mod fuzz;
mod hosts;
mod install;
mod installed;
mod peers;
mod recipes;
mod resolver;
mod review;
mod runs;
mod threats;
