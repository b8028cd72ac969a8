//! Names that somebody may have meant.

/// Names that are compared with a misspelled one, so that thousands of mistakes among thousands of names do not take forever.
const COMPARED: usize = 500;

/// `; did you mean …?` when a known name is near.
pub(crate) fn nearest<'a>(word: &str, known: impl Iterator<Item = &'a str>) -> String {
    // Two slips of the keyboard in a name; more is another name.
    let known = known
        .take(COMPARED)
        .filter(|name| name.len().abs_diff(word.len()) <= 2);
    let known = known.map(|name| (strsim::osa_distance(name, word), name));
    let near = known.filter(|(distance, name)| *distance <= 2 && *distance < name.chars().count());
    let nearest = near.min();
    nearest.map_or_else(String::new, |(_, name)| format!("; did you mean `{name}`?"))
}
