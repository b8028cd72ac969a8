//! Suggestions for misspelled names.

/// Most names that a misspelled one is compared with. Otherwise thousands of mistakes among thousands of names would take forever.
const COMPARED: usize = 500;

/// `; did you mean …?` when a known name is near.
pub(crate) fn nearest<'a>(word: &str, known: impl Iterator<Item = &'a str>) -> String {
    let near = aris_yaml::problem::nearest(word, known.take(COMPARED));
    near.map_or_else(String::new, |name| format!("; did you mean `{name}`?"))
}
