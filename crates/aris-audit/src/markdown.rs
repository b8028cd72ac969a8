//! Text from outside in a Markdown report: shown literally, without effect as Markdown.

/// Text on one line; runs of white space become one space.
pub fn line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Text that is safe in a table cell.
pub fn cell(text: &str) -> String {
    line(text).replace('\\', "\\\\").replace('|', "\\|")
}

/// Text as inline code on one line, even if it contains backticks.
pub fn code(text: &str) -> String {
    let text = line(text);
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    if longest == 0 {
        format!("{fence}{text}{fence}")
    } else {
        format!("{fence} {text} {fence}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_text_stays_text() {
        assert_eq!(cell("a | b\n\\c"), "a \\| b \\\\c");
        assert_eq!(code("a `b` ``c``"), "``` a `b` ``c`` ```");
        assert_eq!(code("x"), "`x`");
    }
}
