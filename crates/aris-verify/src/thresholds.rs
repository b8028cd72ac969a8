//! The numbers that verdicts turn on.

/// Letters and digits of a title from which it can be told from others. "Introduction" has twelve, "Deep learning" as many.
pub(crate) const DISTINCTIVE: usize = 20;

/// Words that such a title has at least.
pub(crate) const DISTINCTIVE_WORDS: usize = 3;

/// Letters and digits of a part from which it is taken for the whole.
pub(crate) const PART: usize = 24;

/// Part of the words of the longer title that two share when one may have been made from the other.
pub(crate) const SIMILAR: f64 = 0.6;

/// One word in so many must be shared before letters are compared, in titles of more words than that.
pub(crate) const LOOKED_AT: usize = 3;

/// Years between a preprint and its publication: both years are cited.
pub(crate) const YEARS: u16 = 1;

/// Years by which a publication that no record knows may be later than the records.
pub(crate) const LATER: u16 = 3;

/// Years after which sources know where a work appeared.
pub(crate) const SEEN: u16 = 2;

/// One author in fewer than so many who is left out is more than a version's difference.
pub(crate) const MISSING: usize = 3;

/// One wrong name in more than so many is a slip.
pub(crate) const SLIP: usize = 5;

/// More than one name in so many that is nobody's makes the list an invention.
pub(crate) const INVENTED: usize = 2;

/// Names of a list so short that another given name is a slip in it.
pub(crate) const FEW: usize = 2;

/// More than one author in so many must be shared before another title is thought of as the work's.
pub(crate) const SAME_PEOPLE: usize = 2;

/// Letters from which a given name that begins another stands for it, `Alex` for `Alexander`.
pub(crate) const SHORT_NAME: usize = 3;

/// Records of a work after which nobody else is asked.
pub(crate) const OPINIONS: usize = 3;

/// Records that a source is asked for by a title.
pub(crate) const ROWS: usize = 5;
