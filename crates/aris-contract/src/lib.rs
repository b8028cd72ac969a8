//! The contract between helpers, skills and people: exit codes, envelopes, policies, the resolver chain,
//! the tables of helpers and integrations, identifiers, and the types of every file that two helpers share.
//!
//! Pure types and functions: no disk, no network, no clock, no printing, no command-line parser; everything from outside is a
//! parameter. Everything that crosses a process boundary is defined here, once.
//!
//! In this and other crates, *the reference* is the original ARIS suite of scripts and skills, with whose files this one is compatible.

#![warn(missing_docs)]

pub mod artifact;
pub mod envelope;
pub mod exit;
pub mod failure;
pub mod helpers;
pub mod hex;
pub mod ids;
pub mod integrations;
pub mod json;
pub mod policy;
pub mod resolve;
pub mod schema;
pub mod text;
pub mod time;

pub use exit::{Exit, Signal};
pub use failure::{ErrorKind, Failure};
