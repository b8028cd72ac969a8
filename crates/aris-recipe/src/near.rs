//! Names that somebody may have meant.

/// Names that are compared with a misspelled one, so that thousands of mistakes among thousands of names do not take forever.
const COMPARED: usize = 500;

/// `; did you mean …?` when a known name is near.
pub(crate) fn nearest<'a>(word: &str, known: impl Iterator<Item = &'a str>) -> String {
    // Two slips of the keyboard in a name; more is another name.
    known
        .take(COMPARED)
        .filter(|name| name.len().abs_diff(word.len()) <= 2)
        .map(|name| (strsim::osa_distance(name, word), name))
        .filter(|(distance, name)| *distance <= 2 && *distance < name.chars().count())
        .min()
        .map_or_else(String::new, |(_, name)| format!("; did you mean `{name}`?"))
}
