//! Attempts with real processes, from the specification to the exit record.

#![cfg(test)]
#![cfg(target_os = "linux")]
#![allow(
    clippy::disallowed_methods,
    reason = "tests prepare files and start runners directly"
)]

mod cards;
mod chaos;
mod claims;
mod crashes;
mod disk;
mod ends;
mod outputs;
mod place;
mod trees;
mod watching;
