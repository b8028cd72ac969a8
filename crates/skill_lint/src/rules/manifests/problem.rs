//! What the checks of manifests report before it becomes a finding.

/// A fault in a manifest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Problem {
    pub(super) rule: &'static str,
    /// Byte of the manifest's text.
    pub(super) offset: usize,
    pub(super) message: String,
    /// Less severe than the rule says: a warning.
    pub(super) mild: bool,
}

impl Problem {
    pub(super) fn new(rule: &'static str, offset: usize, message: impl Into<String>) -> Self {
        Self {
            rule,
            offset,
            message: message.into(),
            mild: false,
        }
    }
}

#[cfg(test)]
pub(super) fn brief(problems: &[Problem], text: &str) -> Vec<String> {
    let place = |offset: usize| text.split_at(offset).1.chars().take(9).collect::<String>();
    (problems.iter())
        .map(|problem| {
            format!(
                "{} {:?} {}",
                problem.rule,
                place(problem.offset),
                problem.message
            )
        })
        .collect()
}
