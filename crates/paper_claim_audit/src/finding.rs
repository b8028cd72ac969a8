//! What keeps the audit from being whole: a source or a result file that cannot be read.

use serde::Serialize;

/// One obstacle with its remedy.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Finding {
    /// File relative to the paper folder; empty when it is about none.
    pub(crate) file: String,
    /// Line, from 1; 0 when the whole file is meant.
    pub(crate) line: usize,
    /// Column, from 1; 0 when the whole file is meant.
    pub(crate) column: usize,
    /// What kind it is; stable.
    pub(crate) id: &'static str,
    /// What is wrong.
    pub(crate) message: String,
    /// What to do about it.
    pub(crate) action: String,
}

impl Finding {
    pub(crate) fn new(
        id: &'static str,
        file: &str,
        message: impl Into<String>,
        action: &str,
    ) -> Self {
        Self {
            file: file.to_owned(),
            line: 0,
            column: 0,
            id,
            message: message.into(),
            action: action.to_owned(),
        }
    }

    pub(crate) fn at(mut self, line: usize, column: usize) -> Self {
        self.line = line;
        self.column = column;
        self
    }

    /// `file:line:column`, as much of it as is known.
    pub(crate) fn place(&self) -> String {
        if self.line == 0 {
            self.file.clone()
        } else {
            format!("{}:{}:{}", self.file, self.line, self.column)
        }
    }
}
