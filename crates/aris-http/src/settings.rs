//! The client's settings, read once from flags and the environment.

use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use aris_contract::ErrorKind;
use jiff::Timestamp;

use crate::cache;
use crate::error::HttpError;
use crate::host::{Host, Manners};
use crate::origin;
use crate::secret::Secret;

/// Default deadline for all requests together: 60 s.
pub const DEADLINE: Duration = Duration::from_mins(1);

/// Whether the cache and the network are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// The cache first, then the network for answers that are missing or too old.
    Live,
    /// The cache only, whatever its age.
    Offline,
    /// The network only; its answers renew the cache.
    Refresh,
}

/// An event that a waiting person may want to see.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A request is sent to the host of this name.
    Asking(&'static str),
    /// A request to the host of this name waits for this time, and the reason: `its pace`, or what the host answered.
    Waiting(&'static str, Duration, String),
    /// An answer arrived.
    Answered,
}

/// The variable with the size of the cache.
const LIMIT: &str = "ARIS_CACHE_LIMIT_MB";

/// The settings of a client.
#[derive(Clone)]
#[must_use]
pub struct Settings {
    /// Whether the cache and the network are used.
    pub mode: Mode,
    /// Time for everything that the client does, from its creation.
    pub deadline: Duration,
    /// The folder of cache and pace; or why none can be used: then answers are not stored, and the pace of other processes is unknown.
    pub folder: Result<PathBuf, String>,
    /// Receives the events, on the threads that send requests.
    pub listener: Arc<dyn Fn(&Event) + Send + Sync>,
    /// Size of the cache, in bytes.
    pub(crate) limit: u64,
    pub(crate) user_agent: String,
    pub(crate) bases: BTreeMap<&'static str, String>,
    pub(crate) keys: BTreeMap<&'static str, Secret>,
    pub(crate) certificates: Option<PathBuf>,
    pub(crate) clock: Arc<dyn Fn() -> Timestamp + Send + Sync>,
}

impl Settings {
    /// Settings for asking `hosts`, with their base URLs and keys from the environment.
    ///
    /// `env` returns an environment variable that is set and not empty; `temp` is the system's temporary folder, `user_agent` names
    /// the program and its version, `clock` is the clock for the time stamps of stored answers.
    ///
    /// The cache is in `ARIS_CACHE_DIR`, else `XDG_CACHE_HOME/aris`, else `HOME/.cache/aris`, else (where none of these can be
    /// written, as in sandboxes) below the temporary folder. `ARIS_CACHE_LIMIT_MB` is its size in megabytes, 1024 by default; once a
    /// day the oldest answers are removed. `SSL_CERT_FILE` replaces the built-in root certificates.
    ///
    /// **Errors**: [`HttpError::Setting`].
    pub fn new(
        hosts: &[&'static Host],
        env: &dyn Fn(&str) -> Option<String>,
        temp: &Path,
        user_agent: &str,
        clock: Arc<dyn Fn() -> Timestamp + Send + Sync>,
    ) -> Result<Self, HttpError> {
        let mut bases = BTreeMap::new();
        let mut keys = BTreeMap::new();
        for host in hosts {
            let base = env(host.base_variable);
            bases.insert(host.name, origin::base(host, base.as_deref())?);
            if let Some((variable, _)) = host.key
                && let Some(text) = env(variable).filter(|text| !text.trim().is_empty())
            {
                let key = Secret::new(&text).ok_or_else(|| HttpError::Setting {
                    variable,
                    what: format!("{variable} cannot be a key: it holds a space, a line end or a character outside ASCII"),
                    hint: "set it to the key alone, or unset it to ask without one",
                    kind: ErrorKind::Usage,
                })?;
                keys.insert(host.name, key);
            }
        }
        let limit = env(LIMIT).map(|text| text.trim().parse::<u64>());
        let limit = limit.transpose().map_err(|_error| HttpError::Setting {
            variable: LIMIT,
            what: format!("{LIMIT} is not a number of megabytes"),
            hint: "for example 1024; unset it for the usual size",
            kind: ErrorKind::Usage,
        })?;
        Ok(Self {
            mode: Mode::Live,
            deadline: DEADLINE,
            folder: folder(env, temp),
            limit: limit.map_or(cache::USUAL, |megabytes| megabytes.saturating_mul(1 << 20)),
            user_agent: user_agent.to_owned(),
            bases,
            keys,
            certificates: env("SSL_CERT_FILE").map(PathBuf::from),
            clock,
            listener: Arc::new(|_: &Event| {}),
        })
    }

    /// The key for this host.
    pub fn key(&self, host: &Host) -> Option<&Secret> {
        self.keys.get(host.name)
    }

    /// The manners for this host. It knows callers with a key or, if it takes none, those whose user agent contains an address.
    pub(crate) fn manners(&self, host: &Host) -> Manners {
        match host.key {
            Some(_) if self.key(host).is_some() => host.manners_known,
            None if self.user_agent.contains("mailto:") => host.manners_known,
            _ => host.manners,
        }
    }
}

/// The first folder that can be used, or why the last one cannot.
fn folder(env: &dyn Fn(&str) -> Option<String>, temp: &Path) -> Result<PathBuf, String> {
    let below = |variable: &str, place: &str| {
        let path = env(variable).map(|folder| Path::new(&folder).join(place));
        path.filter(|path| path.is_absolute())
    };
    let user = rustix::process::getuid().as_raw();
    let usual = [
        below("XDG_CACHE_HOME", "aris"),
        below("HOME", ".cache/aris"),
        Some(temp.join(format!("aris-cache-{user}"))),
    ];
    let named = env("ARIS_CACHE_DIR").map(|named| vec![PathBuf::from(named)]);
    let mut last = String::new();
    for path in named.unwrap_or_else(|| usual.into_iter().flatten().collect()) {
        match usable(&path) {
            Ok(()) => return Ok(path),
            Err(why) => last = why,
        }
    }
    Err(last)
}

/// Checks that cache and pace can be stored in a folder.
///
/// **Errors**: the reason why not, in words.
fn usable(folder: &Path) -> Result<(), String> {
    let words = |error: aris_fs::FsError| error.to_string();
    for name in ["pace", "http"] {
        aris_fs::create_dir(&folder.join(name)).map_err(words)?;
    }
    // The owner of the folder could store forged answers there.
    let owner = std::fs::metadata(folder).map_or(u32::MAX, |metadata| metadata.uid());
    if owner != 0 && owner != rustix::process::geteuid().as_raw() {
        return Err(format!("{} belongs to another user", folder.display()));
    }
    aris_fs::replace_unsynced(&folder.join(".probe"), &[b'.'; 4096]).map_err(words)?;
    match aris_fs::Lock::try_acquire(&folder.join(".lock")) {
        Ok(_) | Err(aris_fs::FsError::Locked { .. }) => Ok(()),
        Err(error) => Err(words(error)),
    }
}
