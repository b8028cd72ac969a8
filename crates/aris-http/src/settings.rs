//! How a client works: read once, from flags and the environment.

use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use aris_contract::ErrorKind;
use jiff::Timestamp;

use crate::error::HttpError;
use crate::event::{Event, Listener};
use crate::host::Host;
use crate::origin;
use crate::secret::Secret;
use crate::sweep;

/// The deadline over everything, unless a flag says otherwise: 60 s.
pub const DEADLINE: Duration = Duration::from_mins(1);

/// Whether the network is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// The cache first, the network for what it does not have or holds too long.
    Live,
    /// The cache only, whatever its age.
    Offline,
    /// The network only; the cache is renewed.
    Refresh,
}

/// The variable that says how large the cache may be.
const LIMIT: &str = "ARIS_CACHE_LIMIT_MB";

/// How a client works.
#[derive(Clone)]
#[must_use]
pub struct Settings {
    pub(crate) mode: Mode,
    pub(crate) deadline: Duration,
    pub(crate) folder: PathBuf,
    /// Bytes of answers that are kept there.
    pub(crate) limit: u64,
    /// Why nothing can be kept in the folder.
    pub(crate) unusable: Option<String>,
    pub(crate) user_agent: String,
    pub(crate) bases: BTreeMap<&'static str, String>,
    pub(crate) keys: BTreeMap<&'static str, Secret>,
    pub(crate) certificates: Option<PathBuf>,
    pub(crate) clock: Arc<dyn Fn() -> Timestamp + Send + Sync>,
    pub(crate) listener: Arc<Listener>,
}

impl std::fmt::Debug for Settings {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Settings")
            .field("mode", &self.mode)
            .field("deadline", &self.deadline)
            .field("folder", &self.folder)
            .finish_non_exhaustive()
    }
}

impl Settings {
    /// Settings for asking `hosts`, with their base URLs and keys from the environment.
    ///
    /// `env` gives an environment variable that is set and not empty; `temp` is the system's temporary folder, `user_agent` names the
    /// program and its version, `clock` tells the time that answers are kept under.
    ///
    /// The cache lies in `ARIS_CACHE_DIR`, else `XDG_CACHE_HOME/aris`, else `HOME/.cache/aris`; where none of these can be written
    /// (sandboxes), below the temporary folder. `ARIS_CACHE_LIMIT_MB` says how many megabytes of answers are kept there, usually 1024;
    /// once a day the oldest go. `SSL_CERT_FILE` adds nothing to the built-in roots but takes their place.
    ///
    /// **Errors**: [`HttpError::Setting`]. Where no folder can be used, nothing is kept: see [`Settings::unusable`].
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
            let key = host.key.and_then(|place| env(place.variable));
            if let Some(key) = key.as_deref().and_then(Secret::new) {
                keys.insert(host.name, key);
            }
        }
        let limit = match env(LIMIT).map(|text| text.trim().parse::<u64>()) {
            None => sweep::USUAL,
            Some(Ok(megabytes)) => megabytes.saturating_mul(1 << 20),
            Some(Err(_)) => {
                return Err(HttpError::Setting {
                    variable: LIMIT,
                    what: format!("{LIMIT} is not a number of megabytes"),
                    hint: "for example 1024; unset it for the usual size",
                    kind: ErrorKind::Usage,
                });
            }
        };
        let (folder, unusable) = folder(env, temp);
        Ok(Self {
            mode: Mode::Live,
            deadline: DEADLINE,
            folder,
            limit,
            unusable,
            user_agent: user_agent.to_owned(),
            bases,
            keys,
            certificates: env("SSL_CERT_FILE").map(PathBuf::from),
            clock,
            listener: Arc::new(|_: &Event| {}),
        })
    }

    /// Asks in this mode.
    pub fn mode(mut self, mode: Mode) -> Self {
        self.mode = mode;
        self
    }

    /// Gives up when this time has passed, counted from the client's making over everything it does.
    pub fn deadline(mut self, time: Duration) -> Self {
        self.deadline = time;
        self
    }

    /// Tells `listener` what happens.
    pub fn listener(mut self, listener: Arc<Listener>) -> Self {
        self.listener = listener;
        self
    }

    /// Whether the user agent names an address to write to, as services read it there.
    pub(crate) fn has_contact(&self) -> bool {
        self.user_agent.contains("mailto:")
    }

    /// Whether there is a key for this host.
    pub fn has_key(&self, host: &Host) -> bool {
        self.keys.contains_key(host.name)
    }

    /// The folder of cache and pace.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Why that folder cannot be used; then answers are not kept, and the pace of other processes is not known.
    pub fn unusable(&self) -> Option<&str> {
        self.unusable.as_deref()
    }
}

/// The first folder that can be used, or the last one and why it cannot.
fn folder(env: &dyn Fn(&str) -> Option<String>, temp: &Path) -> (PathBuf, Option<String>) {
    let absolute = |variable: &str| {
        env(variable)
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
    };
    let user = rustix::process::getuid().as_raw();
    let places = match env("ARIS_CACHE_DIR") {
        Some(named) => vec![PathBuf::from(named)],
        None => [
            absolute("XDG_CACHE_HOME").map(|path| path.join("aris")),
            absolute("HOME").map(|path| path.join(".cache/aris")),
            Some(temp.join(format!("aris-cache-{user}"))),
        ]
        .into_iter()
        .flatten()
        .collect(),
    };
    let mut last = (PathBuf::new(), None);
    for path in places {
        match usable(&path) {
            Ok(()) => return (path, None),
            Err(why) => last = (path, Some(why)),
        }
    }
    last
}

/// Whether cache and pace can be kept there.
///
/// **Errors**: why not, in words.
fn usable(folder: &Path) -> Result<(), String> {
    let words = |error: aris_fs::FsError| error.to_string();
    for name in ["pace", "http"] {
        aris_fs::create_dir(&folder.join(name)).map_err(words)?;
    }
    // Whoever owns the folder can put answers there that no service gave.
    let owner = std::fs::metadata(folder).map_or(u32::MAX, |metadata| metadata.uid());
    if owner != 0 && owner != rustix::process::geteuid().as_raw() {
        return Err(format!("{} belongs to another user", folder.display()));
    }
    aris_fs::write_unsynced(&folder.join(".probe"), &[b'.'; 4096]).map_err(words)?;
    match aris_fs::Lock::try_acquire(&folder.join(".lock")) {
        Ok(_) | Err(aris_fs::FsError::Locked { .. }) => Ok(()),
        Err(error) => Err(words(error)),
    }
}
