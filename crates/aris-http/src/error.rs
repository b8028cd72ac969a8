//! Why there is no answer.

use std::time::Duration;

use aris_contract::{ErrorKind, Failure};
use aris_fs::FsError;
use serde_json::{Map, Value};

/// No answer, or none that can be used. URLs carry no secrets.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HttpError {
    /// Offline, and the cache does not have it.
    #[error("offline, and the cache has no answer for {url}")]
    Offline {
        /// What was asked for.
        url: String,
    },
    /// A host was asked, and nothing came that can be used.
    #[error("{host} {why}: {url}")]
    Asked {
        /// The host's name.
        host: &'static str,
        /// What was asked for.
        url: String,
        /// What came instead.
        why: Why,
    },
    /// Asking again is not allowed before the deadline ends: the pace of the host, a pause it asked for, or its circuit breaker.
    #[error("{host} takes the next request only in {:.1} s ({why}), after the deadline", wait.as_secs_f64())]
    TooLate {
        /// The host's name.
        host: &'static str,
        /// How long one would have to wait.
        wait: Duration,
        /// What for.
        why: String,
    },
    /// A setting from the environment that cannot be used.
    #[error("{what}")]
    Setting {
        /// The variable.
        variable: &'static str,
        /// What is wrong with it.
        what: String,
        /// What it must be.
        hint: &'static str,
        /// Whether it was given wrong, or what it names is not there.
        kind: ErrorKind,
    },
    /// The disk failed.
    #[error(transparent)]
    Disk(#[from] FsError),
}

/// Why a request brought nothing that can be used.
#[derive(Debug, thiserror::Error)]
pub enum Why {
    /// Connection, TLS, name or protocol trouble.
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
        /// The pause it asked for last.
        retry_after: Option<Duration>,
        /// Requests that were sent.
        attempts: u32,
        /// The variable of a key that would raise the host's limits, where none is set.
        key: Option<&'static str>,
    },
    /// The deadline over everything has passed, of this length.
    #[error("did not answer before the deadline of {} s passed", .0.as_secs_f64())]
    Deadline(Duration),
    /// Something else than the promised answer, in words: an HTML page, an empty page where results were announced.
    #[error("sent something else than an answer ({0})")]
    NotAnAnswer(String),
    /// An answer that cannot be read as what it must be, and what is wrong with it.
    #[error("sent a malformed answer ({0})")]
    Malformed(String),
    /// More than so many bytes.
    #[error("sent an answer that is larger than {0} bytes")]
    TooLarge(u64),
    /// The host wants a key, or another one; one that takes no keys refuses this caller.
    #[error("refuses to answer{} ({status})", if variable.is_some() { " without a valid key" } else { "" })]
    Refused {
        /// 401 or 403.
        status: u16,
        /// Environment variable the key is read from, where the host takes one.
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
