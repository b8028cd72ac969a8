//! Tests of the public interface with files as in real projects.

#![cfg(test)]
#![allow(clippy::disallowed_methods, reason = "tests prepare files directly")]
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "counts and places of a few values"
)]

mod hostile;
mod numbers;
mod oracle;
mod papers;
mod project;
mod reading;
mod sql;
