//! Why there is no answer.

use std::path::PathBuf;
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
    /// The host did not answer: connection, TLS, name or protocol trouble.
    #[error("{host} did not answer ({what}) for {url}")]
    NoAnswer {
        /// The host's name.
        host: &'static str,
        /// What was asked for.
        url: String,
        /// What happened.
        what: String,
        /// Requests that were sent.
        attempts: u32,
    },
    /// The host answered with a status that says "not now": 429, 408, 425 or 5xx.
    #[error("{host} answered {status} for {url}{}", after(*retry_after))]
    Busy {
        /// The host's name.
        host: &'static str,
        /// What was asked for.
        url: String,
        /// The last status.
        status: u16,
        /// The pause it asked for last.
        retry_after: Option<Duration>,
        /// Requests that were sent.
        attempts: u32,
        /// The variable of a key that would raise the host's limits, where none is set.
        key: Option<&'static str>,
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
    /// The deadline over everything has passed.
    #[error("the deadline of {} s passed before {host} answered {url}", time.as_secs_f64())]
    Deadline {
        /// The deadline, counted from the client's making.
        time: Duration,
        /// The host's name.
        host: &'static str,
        /// What was asked for.
        url: String,
    },
    /// Something came that is not the answer that was promised: an HTML page, an empty page where results were announced.
    #[error("{host} sent something else than an answer ({what}) for {url}")]
    NotAnAnswer {
        /// The host's name.
        host: &'static str,
        /// What was asked for.
        url: String,
        /// What came instead.
        what: String,
    },
    /// An answer came that cannot be read as what it must be.
    #[error("the answer of {host} is malformed ({what}) for {url}")]
    Malformed {
        /// The host's name.
        host: &'static str,
        /// What was asked for.
        url: String,
        /// What is wrong with it.
        what: String,
    },
    /// The answer is larger than allowed.
    #[error("the answer of {host} is larger than {limit} bytes for {url}")]
    TooLarge {
        /// The host's name.
        host: &'static str,
        /// What was asked for.
        url: String,
        /// The limit.
        limit: u64,
    },
    /// The host wants a key, or another one.
    #[error("{host} refuses to answer without a valid key ({status}) for {url}")]
    Refused {
        /// The host's name.
        host: &'static str,
        /// What was asked for.
        url: String,
        /// 401 or 403.
        status: u16,
        /// Environment variable the key is read from, where the host takes one.
        variable: Option<&'static str>,
    },
    /// A base URL from the environment that cannot be used.
    #[error("{variable} is not a usable base URL: {why}")]
    BaseUrl {
        /// The variable.
        variable: &'static str,
        /// What is wrong with it.
        why: &'static str,
    },
    /// A size of the cache that is none.
    #[error("ARIS_CACHE_LIMIT_MB is not a number of megabytes")]
    CacheLimit,
    /// Certificates from `SSL_CERT_FILE` that cannot be used.
    #[error("{} holds no usable certificate", path.display())]
    Certificates {
        /// The file.
        path: PathBuf,
    },
    /// Only the cache may answer, and it cannot be used.
    #[error("the cache cannot be used: {why}")]
    NoCache {
        /// Why not.
        why: String,
    },
    /// The disk failed.
    #[error(transparent)]
    Disk(#[from] FsError),
}

/// The pause that a host asked for, in words.
fn after(pause: Option<Duration>) -> String {
    let words = |pause: Duration| format!(", and wants to be left alone for {} s", pause.as_secs());
    pause.map(words).unwrap_or_default()
}

impl HttpError {
    /// Whether the outside is to blame for the missing answer, so that nothing may be concluded from it.
    pub fn is_silence(&self) -> bool {
        self.kind() == ErrorKind::Unavailable
    }
}

impl Failure for HttpError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Offline { .. }
            | Self::NoAnswer { .. }
            | Self::Busy { .. }
            | Self::TooLate { .. }
            | Self::Deadline { .. }
            | Self::NotAnAnswer { .. }
            | Self::TooLarge { .. } => ErrorKind::Unavailable,
            Self::Malformed { .. } => ErrorKind::Validation,
            Self::Refused { .. } | Self::Certificates { .. } | Self::NoCache { .. } => {
                ErrorKind::Precondition
            }
            Self::BaseUrl { .. } | Self::CacheLimit => ErrorKind::Usage,
            Self::Disk(error) => error.kind(),
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Offline { .. } => Some(String::from("run once without --offline")),
            Self::Busy { key: Some(key), .. } => Some(format!(
                "try again later, or set {key}, which raises the limits"
            )),
            Self::Busy { .. } | Self::TooLate { .. } | Self::Deadline { .. } => Some(String::from(
                "try again later, or allow more time with --deadline",
            )),
            Self::NoAnswer { .. } => Some(String::from(
                "check the network and HTTPS_PROXY; --offline answers from what was kept before",
            )),
            Self::Refused {
                variable: Some(variable),
                ..
            } => Some(format!("set {variable} to a valid key")),
            Self::BaseUrl { .. } => Some(String::from(
                "give an https origin; plain http is for loopback addresses only",
            )),
            Self::Certificates { .. } => Some(String::from(
                "let SSL_CERT_FILE name a PEM file with CA certificates",
            )),
            Self::CacheLimit => Some(String::from(
                "for example 1024; unset it for the usual size",
            )),
            Self::NoCache { .. } => Some(String::from(
                "let ARIS_CACHE_DIR name a folder of your own that can be written",
            )),
            Self::Disk(error) => error.hint(),
            Self::NotAnAnswer { .. }
            | Self::Malformed { .. }
            | Self::TooLarge { .. }
            | Self::Refused { variable: None, .. } => None,
        }
    }

    fn details(&self) -> Map<String, Value> {
        let mut details = Map::new();
        let mut put = |key: &str, value: Value| details.insert(key.to_owned(), value);
        match self {
            Self::NoAnswer {
                host,
                url,
                attempts,
                ..
            } => {
                put("host", Value::from(*host));
                put("url", Value::from(url.as_str()));
                put("attempts", Value::from(*attempts));
            }
            Self::Busy {
                host,
                url,
                status,
                attempts,
                retry_after,
                key: _,
            } => {
                put("host", Value::from(*host));
                put("url", Value::from(url.as_str()));
                put("status", Value::from(*status));
                put("attempts", Value::from(*attempts));
                if let Some(pause) = retry_after {
                    put("retry_after_s", Value::from(pause.as_secs()));
                }
            }
            Self::Refused {
                host, url, status, ..
            } => {
                put("host", Value::from(*host));
                put("url", Value::from(url.as_str()));
                put("status", Value::from(*status));
            }
            Self::NotAnAnswer { host, url, .. }
            | Self::Malformed { host, url, .. }
            | Self::TooLarge { host, url, .. }
            | Self::Deadline { host, url, .. } => {
                put("host", Value::from(*host));
                put("url", Value::from(url.as_str()));
            }
            Self::TooLate { host, wait, .. } => {
                put("host", Value::from(*host));
                put("wait_s", Value::from(wait.as_secs_f64()));
            }
            Self::Offline { url } => {
                put("url", Value::from(url.as_str()));
            }
            Self::BaseUrl { variable, .. } => {
                put("variable", Value::from(*variable));
            }
            Self::Certificates { path } => {
                put("path", Value::from(path.display().to_string()));
            }
            Self::NoCache { .. } | Self::CacheLimit => {}
            Self::Disk(error) => return error.details(),
        }
        details
    }
}
