//! The cards of this machine: who has which, what is on them.

pub mod lease;
