//! Reasons why there is no answer.

use std::time::Duration;

use aris_contract::{ErrorKind, Failure};
use aris_fs::FsError;
use serde_json::{Map, Value};

/// There is no answer, or none that can be used. URLs contain no secrets.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HttpError {
    /// Offline, and the answer is not in the cache.
    #[error("offline, and the cache has no answer for {url}")]
    Offline {
        /// The requested URL.
        url: String,
    },
    /// The host was asked, but nothing usable came back.
    #[error("{host} {why}: {url}")]
    Asked {
        /// The host's name.
        host: &'static str,
        /// The requested URL.
        url: String,
        /// The reason.
        why: Why,
    },
    /// No further request is allowed before the deadline: because of the host's pace, a pause it asked for, or the circuit
    /// breaker.
    #[error("{host} takes the next request only in {:.1} s ({why}), after the deadline", wait.as_secs_f64())]
    TooLate {
        /// The host's name.
        host: &'static str,
        /// The necessary wait.
        wait: Duration,
        /// The reason for the wait.
        why: String,
    },
    /// A setting in the environment is unusable.
    #[error("{what}")]
    Setting {
        /// The variable.
        variable: &'static str,
        /// What is wrong with it.
        what: String,
        /// What it must be.
        hint: &'static str,
        /// Whether the value is invalid, or what it names does not exist.
        kind: ErrorKind,
    },
    /// The disk failed.
    #[error(transparent)]
    Disk(#[from] FsError),
}

/// Why a request brought no usable answer.
#[derive(Debug, thiserror::Error)]
pub enum Why {
    /// Trouble with the connection, TLS, name resolution or the protocol.
    #[error("did not answer ({what})")]
    NoAnswer {
        /// What happened.
        what: String,
        /// Requests that were sent.
        attempts: u32,
    },
    /// A status that says "not now": 429, 408, 425 or 5xx.
    #[error("answered {status}{}{}",
        retry_after.map(|pause| format!(", and wants to be left alone for {} s", pause.as_secs())).unwrap_or_default(),
        key.map(|key| format!("; {key} is not set")).unwrap_or_default())]
    Busy {
        /// The last status.
        status: u16,
        /// The last pause that it asked for.
        retry_after: Option<Duration>,
        /// Requests that were sent.
        attempts: u32,
        /// The variable of an API key that would raise the host's limits and is not set.
        key: Option<&'static str>,
    },
    /// The deadline, of this length, has passed.
    #[error("did not answer before the deadline of {} s passed", .0.as_secs_f64())]
    Deadline(Duration),
    /// Something other than an answer, described in words: an HTML page, an empty page where results were announced.
    #[error("sent something else than an answer ({0})")]
    NotAnAnswer(String),
    /// A malformed answer, and what is wrong with it.
    #[error("sent a malformed answer ({0})")]
    Malformed(String),
    /// A body with more than this number of bytes.
    #[error("sent an answer that is larger than {0} bytes")]
    TooLarge(u64),
    /// The host requires a key or another key; a host that takes no keys refuses this caller.
    #[error("refuses to answer{} ({status})", if variable.is_some() { " without a valid key" } else { "" })]
    Refused {
        /// 401 or 403.
        status: u16,
        /// Environment variable of the key, if the host takes one.
        variable: Option<&'static str>,
    },
}

const LATER: &str = "try again later, or allow more time with --deadline";

impl Failure for HttpError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Asked { why, .. } => match why {
                Why::Malformed(_) => ErrorKind::Validation,
                Why::Refused {
                    variable: Some(_), ..
                } => ErrorKind::Precondition,
                _ => ErrorKind::Unavailable,
            },
            Self::Offline { .. } | Self::TooLate { .. } => ErrorKind::Unavailable,
            Self::Setting { kind, .. } => *kind,
            Self::Disk(error) => error.kind(),
        }
    }

    fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Offline { .. } => "run once without --offline",
            Self::Asked { why, .. } => match why {
                Why::Busy { key: Some(key), .. } => {
                    let hint = format!("try again later, or set {key}, which raises the limits");
                    return Some(hint);
                }
                Why::Busy { .. } | Why::Deadline(_) => LATER,
                Why::NoAnswer { .. } => {
                    "check the network and HTTPS_PROXY; --offline uses the answers that earlier calls left in the cache"
                }
                Why::Refused {
                    variable: Some(variable),
                    ..
                } => return Some(format!("set {variable} to a valid key")),
                Why::Refused { .. } => "try again later, or from another network",
                _ => return None,
            },
            Self::TooLate { .. } => LATER,
            Self::Setting { hint, .. } => hint,
            Self::Disk(error) => return error.hint(),
        };
        Some(hint.to_owned())
    }

    fn details(&self) -> Map<String, Value> {
        let mut details = Map::new();
        let mut put = |key: &str, value: Value| drop(details.insert(key.to_owned(), value));
        match self {
            Self::Asked { host, url, why } => {
                put("host", (*host).into());
                put("url", url.as_str().into());
                if let Why::Busy { status, .. } | Why::Refused { status, .. } = why {
                    put("status", (*status).into());
                }
                if let Why::Busy { attempts, .. } | Why::NoAnswer { attempts, .. } = why {
                    put("attempts", (*attempts).into());
                }
                if let Why::Busy {
                    retry_after: Some(pause),
                    ..
                } = why
                {
                    put("retry_after_s", pause.as_secs().into());
                }
            }
            Self::TooLate { host, wait, .. } => {
                put("host", (*host).into());
                put("wait_s", wait.as_secs_f64().into());
            }
            Self::Offline { url } => put("url", url.as_str().into()),
            Self::Setting { variable, .. } => put("variable", (*variable).into()),
            Self::Disk(error) => return error.details(),
        }
        details
    }
}
