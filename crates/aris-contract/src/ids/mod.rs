//! Identifiers of works: parsed once at the edge, valid afterwards.
//!
//! | type | shape | examples |
//! |---|---|---|
//! | [`ArxivId`] | old `archive/YYMMNNN`, new `YYMM.NNNN` and `YYMM.NNNNN`, optional version | `hep-th/9901001`, `0704.0001v2`, `2401.00001` |
//! | [`Doi`] | `10.` registrant `/` suffix, compared without regard to ASCII case | `10.1145/3394486.3403088` |
//!
//! A value that has the look of an identifier and cannot be one (`2413.00001`: there is no month 13)
//! is told apart from text that is no identifier at all, because the first is a fact about a citation
//! and the second is not.

mod arxiv;
mod doi;
mod mention;

pub use arxiv::{ArxivId, ArxivIdError};
pub use doi::{Doi, DoiError};
pub use mention::{ArxivMention, arxiv_mentions};
