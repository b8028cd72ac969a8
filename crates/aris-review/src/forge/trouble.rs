//! Why GitHub or GitLab did not do what was asked.

use aris_http::{HttpError, Response, Why};

use crate::text::one_line;

/// Longest message of a service that is passed on, in characters.
const WORDS: usize = 300;

/// Why GitHub or GitLab did not do what was asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Trouble {
    /// It could not be reached, or did not answer.
    #[error("{0}")]
    Unreachable(String),
    /// There is no token, so nothing was sent.
    #[error("{0}")]
    Nobody(String),
    /// The token was not accepted.
    #[error("{0}")]
    Unauthenticated(String),
    /// It refused the request.
    #[error("{}{message}", status.map_or_else(String::new, |status| format!("HTTP {status}: ")))]
    Refused {
        /// The HTTP status, when known.
        status: Option<u16>,
        /// Its message, on one line.
        message: String,
        /// Whether it asks to wait.
        later: bool,
    },
    /// The answer has not the expected form.
    #[error("{0}")]
    Malformed(String),
}

impl Trouble {
    /// A refusal without a time to wait. **Source**: GitHub's REST documentation, "Rate limits": above a limit the status is 403 or 429
    /// (with GraphQL 200), and the message or the headers say so.
    /// 200), and the words or the headers say so.
    pub(crate) fn refused(status: Option<u16>, message: &str) -> Self {
        let limited = message.to_ascii_lowercase().contains("rate limit");
        let later = match status {
            None | Some(403) => limited,
            Some(status) => matches!(status, 429 | 503),
        };
        Self::Refused {
            status,
            message: one_line(message, WORDS),
            later,
        }
    }

    /// The same for an answer whose headers may ask to wait.
    pub(crate) fn of_answer(answer: &Response, words: &str) -> Self {
        let mut trouble = Self::refused(Some(answer.status), words);
        if let Self::Refused { later, .. } = &mut trouble {
            *later |= answer.status == 403 && answer.later;
        }
        trouble
    }

    pub(crate) fn malformed(message: &str) -> Self {
        Self::Malformed(one_line(message, WORDS))
    }

    /// The error that `what` could not be read.
    #[must_use]
    pub fn about(self, what: &str) -> Self {
        Self::malformed(&format!("{what} cannot be read: {self}"))
    }

    /// Whether the service could not be asked at all, so that nothing was done and nothing is known.
    pub fn is_away(&self) -> bool {
        !matches!(self, Self::Refused { .. } | Self::Malformed(_))
    }

    /// The HTTP status of a refusal, when known.
    pub(crate) fn status(&self) -> Option<u16> {
        match self {
            Self::Refused { status, .. } => *status,
            _ => None,
        }
    }

    /// Whether the request may have been carried out all the same: only a refusal (4xx other than 408, without asking to wait) says that it
    /// was not.
    pub(crate) fn is_doubtful(&self) -> bool {
        let is_doubtful = |status| status == 408 || !(400..500).contains(&status);
        self.is_busy() || self.status().is_none_or(is_doubtful)
    }

    /// Whether the service asks to wait.
    pub fn is_busy(&self) -> bool {
        matches!(self, Self::Refused { later: true, .. })
    }

    /// Whether a review was refused because nobody may approve or reject their own pull request.
    pub fn is_own_pull(&self) -> bool {
        match self {
            Self::Refused {
                status, message, ..
            } => {
                let message = message.to_ascii_lowercase();
                matches!(status, None | Some(422)) && message.contains("your own pull request")
            }
            _ => false,
        }
    }
}

impl From<HttpError> for Trouble {
    fn from(error: HttpError) -> Self {
        let words = one_line(&error.to_string(), WORDS);
        match error {
            HttpError::Asked { why, .. } => match why {
                Why::TooLarge(_) | Why::NotAnAnswer(_) => Self::Malformed(words),
                Why::Busy { status, .. } => Self::Refused {
                    status: Some(status),
                    message: words,
                    later: matches!(status, 403 | 429 | 503),
                },
                _ => Self::Unreachable(words),
            },
            _ => Self::Unreachable(words),
        }
    }
}
