//! The sources of records: what they are asked, and how their answers are read.

#![warn(missing_docs)]

pub mod hosts;
