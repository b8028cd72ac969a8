//! The numbers of a passage that state something, whether or not there are results to compare them with.

use std::ops::Range;

use crate::claim::{Class, Kind, class};
use crate::number::{Number, scan};
use crate::passage::Passage;

/// A number that states something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quantity {
    /// The number.
    pub number: Number,
    /// What it states.
    pub kind: Kind,
    /// It states a quantity wherever it stands; a whole number without unit may be anything.
    pub strong: bool,
}

impl Quantity {
    /// Bytes of the number in the passage's text.
    pub fn range(&self) -> Range<usize> {
        self.number.range.clone()
    }
}

/// The reason given for a number that a cited source vouches for; it states something all the same.
pub(crate) const ATTRIBUTED: &str = "attributed to a citation";

/// The numbers of a passage that state something, by place. Years, references, list numbers and parts of names do not.
pub fn quantities(passage: &Passage) -> Vec<Quantity> {
    let numbers = scan(&passage.text);
    let classes: Vec<Class> = (0..numbers.len())
        .map(|at| class(passage, &numbers, at))
        .collect();
    numbers
        .into_iter()
        .zip(classes)
        .filter_map(|(number, class)| {
            let (kind, strong) = match class {
                Class::Strong(kind) => (kind, true),
                Class::Weak(kind) => (kind, false),
                Class::No(ATTRIBUTED) => (Kind::Measurement, true),
                Class::No(_) => return None,
            };
            Some(Quantity {
                number,
                kind,
                strong,
            })
        })
        .collect()
}
