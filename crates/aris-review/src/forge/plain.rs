//! Texts for GitLab.

/// A text that GitLab does not take for commands: a line that begins with `/` outside of a block, such as `/merge`, is escaped. The blocks
/// of suggestions get the range of lines that they replace.
///
/// **Source**: `user/project/quick_actions`, `user/project/merge_requests/reviews/suggestions`.
pub(super) fn plain(body: &str) -> String {
    let mut fence: Option<&str> = None;
    let mut lines = Vec::new();
    for line in body.lines() {
        let ticks = line.len() - line.trim_start_matches('`').len();
        let (mark, word) = line.split_at(ticks);
        match fence {
            Some(open) => {
                if ticks >= open.len() && word.trim().is_empty() {
                    fence = None;
                }
                lines.push(line.to_owned());
            }
            None if ticks >= 3 => {
                fence = Some(mark);
                let range = if word == "suggestion" { ":-0+0" } else { "" };
                lines.push(format!("{line}{range}"));
            }
            None if line.trim_start().starts_with('/') => {
                lines.push(format!("\\{}", line.trim_start()));
            }
            None => lines.push(line.to_owned()),
        }
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_is_a_command() {
        for (text, wanted) in [
            ("a\n/merge", "a\n\\/merge"),
            ("  /close", "\\/close"),
            ("a /merge", "a /merge"),
            (
                "```suggestion\n/x\n```\n/y",
                "```suggestion:-0+0\n/x\n```\n\\/y",
            ),
            (
                "````suggestion\n```\n/x\n````",
                "````suggestion:-0+0\n```\n/x\n````",
            ),
        ] {
            assert_eq!(plain(text), wanted);
        }
    }
}
