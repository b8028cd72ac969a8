//! Numbers in a paper against the raw results behind them.
#![warn(missing_docs)]

pub mod decimal;
pub mod evidence;
mod lexicon;
pub mod number;
mod series;
pub mod units;
mod value_index;
mod words;

pub use evidence::{Evidence, EvidenceError, EvidenceReader};
