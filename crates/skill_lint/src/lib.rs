//! `skill_lint`: will the hosts load these skills, and do the things that the skills ship behave as their contract says?

pub mod catalogue;
pub mod config;
pub mod finding;
pub mod fix;
pub mod lint;
pub mod profile;
pub mod rules;
pub mod sandbox;
#[cfg(test)]
pub(crate) mod testing;
