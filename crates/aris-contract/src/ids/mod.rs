//! Identifiers of works: parsed when read, valid afterwards.
//!
//! | type | shape | examples |
//! |---|---|---|
//! | [`ArxivId`] | old `archive/YYMMNNN`, new `YYMM.NNNN` and `YYMM.NNNNN`, optional version | `hep-th/9901001`, `0704.0001v2`, `2401.00001` |
//! | [`Doi`] | `10.` registrant `/` suffix, compared without regard to ASCII case | `10.1145/3394486.3403088` |
//!
//! An identifier that cannot exist (`2413.00001`: there is no month 13) and text that is no identifier are different errors: the first
//! says something about a citation, the second does not.

mod arxiv;
mod doi;
mod mention;

pub use arxiv::{ArxivId, ArxivIdError};
pub use doi::{Doi, DoiError};
pub use mention::{ArxivMention, arxiv_mentions};
