//! The error of a step.

use std::fmt;

use aris_contract::Failure;
use aris_contract::failure::ErrorBody;

/// One sentence for people that names the path.
#[derive(Debug)]
pub(crate) struct Fault(String);

impl Fault {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }

    /// From an error that is not a [`Failure`].
    pub(crate) fn from_error(error: impl fmt::Display) -> Self {
        Self(error.to_string())
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl<E: Failure> From<E> for Fault {
    fn from(error: E) -> Self {
        let body = ErrorBody::of(&error);
        Self(match body.hint {
            Some(hint) => format!("{}; {hint}", body.message),
            None => body.message,
        })
    }
}
