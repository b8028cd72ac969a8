//! Errors that know their exit code.

use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

use crate::exit::Exit;

/// The classes of failure a caller can branch on; each has one exit code and one word in the error envelope.
///
/// **Source**: the skill resource protocol §5.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ErrorKind {
    /// 1: none of the classes below; also a caught panic.
    Internal,
    /// 2: bad or missing arguments.
    Usage,
    /// 3: an input is absent.
    NotFound,
    /// 4: an input is present and invalid.
    Validation,
    /// 5: the environment does not allow it: permissions, disk, a missing program.
    Precondition,
    /// 6: a time budget was exceeded.
    Timeout,
    /// 7: something outside did not answer.
    Unavailable,
}

impl ErrorKind {
    /// All kinds, by exit code.
    pub const ALL: [Self; 7] = [
        Self::Internal,
        Self::Usage,
        Self::NotFound,
        Self::Validation,
        Self::Precondition,
        Self::Timeout,
        Self::Unavailable,
    ];

    /// The exit status of this kind.
    pub const fn exit(self) -> Exit {
        Exit::new(match self {
            Self::Internal => 1,
            Self::Usage => 2,
            Self::NotFound => 3,
            Self::Validation => 4,
            Self::Precondition => 5,
            Self::Timeout => 6,
            Self::Unavailable => 7,
        })
    }

    /// The `error.code` of the envelope.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Internal => "ERROR",
            Self::Usage => "USAGE",
            Self::NotFound => "NOT_FOUND",
            Self::Validation => "VALIDATION",
            Self::Precondition => "PRECONDITION",
            Self::Timeout => "TIMEOUT",
            Self::Unavailable => "UNAVAILABLE",
        }
    }

    /// One line for the EXIT CODES section of `--help`.
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::Internal => "other error",
            Self::Usage => "bad or missing arguments",
            Self::NotFound => "an input does not exist",
            Self::Validation => "an input is invalid",
            Self::Precondition => "environment problem (permissions, disk full, missing program)",
            Self::Timeout => "a time budget was exceeded",
            Self::Unavailable => "an outside service did not answer",
        }
    }
}

impl Serialize for ErrorKind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.word())
    }
}

/// An error of a helper or of a shared library, ready for the runner.
///
/// `kind` has no default on purpose: implement it as a `match` without wildcard, so that a new variant does not compile until its
/// class is chosen.
pub trait Failure: std::error::Error {
    /// The class of this error.
    fn kind(&self) -> ErrorKind;

    /// What the user can do about it, in one sentence; `None` if there is nothing to say.
    fn hint(&self) -> Option<String> {
        None
    }

    /// Machine-readable facts: path, line, column, expected and found values.
    fn details(&self) -> Map<String, Value> {
        Map::new()
    }
}

/// The body of the error envelope, detached from the error it came from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ErrorBody {
    /// Its class; `code` in the envelope.
    #[serde(rename = "code")]
    pub kind: ErrorKind,
    /// The error and its causes, joined by `: `.
    pub message: String,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// [`Failure::details`].
    pub details: Map<String, Value>,
}

impl ErrorBody {
    /// An error of this kind without details; an empty `hint` means none.
    pub fn new(kind: ErrorKind, message: impl Into<String>, hint: &str) -> Self {
        Self {
            kind,
            message: message.into(),
            hint: (!hint.is_empty()).then(|| hint.to_owned()),
            details: Map::new(),
        }
    }

    /// Describes `failure`. Causes are appended unless the message already contains their text.
    pub fn of(failure: &dyn Failure) -> Self {
        let mut message = failure.to_string();
        let mut cause = failure.source();
        while let Some(error) = cause {
            let text = error.to_string();
            if !message.contains(&text) {
                message.push_str(": ");
                message.push_str(&text);
            }
            cause = error.source();
        }
        Self {
            kind: failure.kind(),
            message,
            hint: failure.hint(),
            details: failure.details(),
        }
    }
}

/// An error that callers only report; its kind is all that they may branch on.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", .0.message)]
pub struct Told(Box<ErrorBody>);

impl Told {
    /// An error of this kind; an empty hint means none.
    pub fn new(kind: ErrorKind, message: impl Into<String>, hint: &str) -> Self {
        Self(Box::new(ErrorBody::new(kind, message, hint)))
    }

    /// Converts another error, with its causes.
    pub fn of(failure: &dyn Failure) -> Self {
        Self(Box::new(ErrorBody::of(failure)))
    }

    /// Adds a machine-readable detail.
    #[must_use]
    pub fn with(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.0.details.insert(key.to_owned(), value.into());
        self
    }
}

impl Failure for Told {
    fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    fn hint(&self) -> Option<String> {
        self.0.hint.clone()
    }

    fn details(&self) -> Map<String, Value> {
        self.0.details.clone()
    }
}

/// Implements the conversion of these error types into [`Told`], for `?`.
#[macro_export]
macro_rules! told {
    ($($error:ty)*) => {
        $(impl From<$error> for $crate::failure::Told {
            fn from(error: $error) -> Self {
                Self::of(&error)
            }
        })*
    };
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn kinds_have_the_codes_one_to_seven_in_order() {
        let codes: Vec<u8> = ErrorKind::ALL
            .iter()
            .map(|kind| kind.exit().code())
            .collect();
        assert_eq!(codes, [1, 2, 3, 4, 5, 6, 7]);
        let meanings = ErrorKind::ALL.map(ErrorKind::meaning);
        assert_eq!(BTreeSet::from(meanings).len(), meanings.len());
        let words = ErrorKind::ALL.map(ErrorKind::word);
        assert_eq!(
            words,
            [
                "ERROR",
                "USAGE",
                "NOT_FOUND",
                "VALIDATION",
                "PRECONDITION",
                "TIMEOUT",
                "UNAVAILABLE"
            ]
        );
    }

    #[derive(Debug, thiserror::Error)]
    enum Broken {
        #[error("cannot read x")]
        Outer(#[source] std::num::ParseIntError),
        #[error("cannot read x: {0}")]
        Repeats(#[source] std::num::ParseIntError),
    }

    impl Failure for Broken {
        fn kind(&self) -> ErrorKind {
            ErrorKind::Validation
        }
    }

    #[test]
    fn a_cause_is_told_once_and_what_nobody_gave_is_absent() {
        let cause = || "a".parse::<u8>().expect_err("no number");
        for error in [Broken::Outer(cause()), Broken::Repeats(cause())] {
            let body = serde_json::to_value(ErrorBody::of(&error)).expect("JSON");
            let expected = serde_json::json!({
                "code": "VALIDATION",
                "message": "cannot read x: invalid digit found in string",
                "details": {},
            });
            assert_eq!(body, expected);
        }
    }
}
