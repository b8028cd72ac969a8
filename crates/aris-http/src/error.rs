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
    #[error("{}", why.words(host, url))]
    Asked {
        /// The host's name.
        host: &'static str,
        /// What was asked for.
        url: String,
        /// What came instead.
        why: Why,
    },
    /// Asking again is not allowed before the deadline ends: the pace of the host, a pause it asked for, or its circuit breaker.
    #[error("{host} may not be asked for another {:.1} s ({why}), and the deadline comes first", wait.as_secs_f64())]
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
#[derive(Debug)]
pub enum Why {
    /// Connection, TLS, name or protocol trouble.
    NoAnswer {
        /// What happened.
        what: String,
        /// Requests that were sent.
        attempts: u32,
    },
    /// A status that says "not now": 429, 408, 425 or 5xx.
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
    Deadline(Duration),
    /// Something else than the promised answer, in words: an HTML page, an empty page where results were announced.
    NotAnAnswer(String),
    /// An answer that cannot be read as what it must be, and what is wrong with it.
    Malformed(String),
    /// More than so many bytes.
    TooLarge(u64),
    /// The host wants a key, or another one.
    Refused {
        /// 401 or 403.
        status: u16,
        /// Environment variable the key is read from, where the host takes one.
        variable: Option<&'static str>,
    },
}

impl Why {
    fn words(&self, host: &str, url: &str) -> String {
        match self {
            Self::NoAnswer { what, .. } => format!("{host} did not answer ({what}) for {url}"),
            Self::Busy {
                status,
                retry_after,
                key,
                ..
            } => {
                let key = key.map(|key| format!("; {key} is not set"));
                let pause = retry_after
                    .map(|pause| format!(", and wants to be left alone for {} s", pause.as_secs()));
                format!(
                    "{host} answered {status} for {url}{}{}",
                    pause.unwrap_or_default(),
                    key.unwrap_or_default()
                )
            }
            Self::Deadline(time) => format!(
                "the deadline of {} s passed before {host} answered {url}",
                time.as_secs_f64()
            ),
            Self::NotAnAnswer(what) => {
                format!("{host} sent something else than an answer ({what}) for {url}")
            }
            Self::Malformed(what) => {
                format!("the answer of {host} is malformed ({what}) for {url}")
            }
            Self::TooLarge(limit) => {
                format!("the answer of {host} is larger than {limit} bytes for {url}")
            }
            Self::Refused { status, .. } => {
                format!("{host} refuses to answer without a valid key ({status}) for {url}")
            }
        }
    }

    const fn kind(&self) -> ErrorKind {
        match self {
            Self::Malformed(_) => ErrorKind::Validation,
            Self::Refused { .. } => ErrorKind::Precondition,
            _ => ErrorKind::Unavailable,
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Busy { key: Some(key), .. } => Some(format!(
                "try again later, or set {key}, which raises the limits"
            )),
            Self::Busy { .. } | Self::Deadline(_) => Some(String::from(LATER)),
            Self::NoAnswer { .. } => Some(String::from(
                "check the network and HTTPS_PROXY; --offline answers from what was kept before",
            )),
            Self::Refused {
                variable: Some(variable),
                ..
            } => Some(format!("set {variable} to a valid key")),
            _ => None,
        }
    }

    fn details(&self, put: &mut dyn FnMut(&str, Value)) {
        match self {
            Self::NoAnswer { attempts, .. } => put("attempts", Value::from(*attempts)),
            Self::Busy {
                status,
                retry_after,
                attempts,
                ..
            } => {
                put("status", Value::from(*status));
                put("attempts", Value::from(*attempts));
                if let Some(pause) = retry_after {
                    put("retry_after_s", Value::from(pause.as_secs()));
                }
            }
            Self::Refused { status, .. } => put("status", Value::from(*status)),
            _ => {}
        }
    }
}

const LATER: &str = "try again later, or allow more time with --deadline";

impl HttpError {
    /// Whether the outside is to blame for the missing answer, so that nothing may be concluded from it.
    pub fn is_silence(&self) -> bool {
        self.kind() == ErrorKind::Unavailable
    }
}

impl Failure for HttpError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Offline { .. } | Self::TooLate { .. } => ErrorKind::Unavailable,
            Self::Asked { why, .. } => why.kind(),
            Self::Setting { kind, .. } => *kind,
            Self::Disk(error) => error.kind(),
        }
    }

    fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Offline { .. } => "run once without --offline",
            Self::Asked { why, .. } => return why.hint(),
            Self::TooLate { .. } => LATER,
            Self::Setting { hint, .. } => hint,
            Self::Disk(error) => return error.hint(),
        };
        Some(hint.to_owned())
    }

    fn details(&self) -> Map<String, Value> {
        let mut details = Map::new();
        let mut put = |key: &str, value: Value| {
            details.insert(key.to_owned(), value);
        };
        match self {
            Self::Asked { host, url, why } => {
                put("host", Value::from(*host));
                put("url", Value::from(url.as_str()));
                why.details(&mut put);
            }
            Self::TooLate { host, wait, .. } => {
                put("host", Value::from(*host));
                put("wait_s", Value::from(wait.as_secs_f64()));
            }
            Self::Offline { url } => put("url", Value::from(url.as_str())),
            Self::Setting { variable, .. } => put("variable", Value::from(*variable)),
            Self::Disk(error) => return error.details(),
        }
        details
    }
}
