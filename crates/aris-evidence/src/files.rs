//! Data files: their names, digests and lists, and which of them may be read.

use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use aris_fs::EntryKind;
use globset::{GlobBuilder, GlobMatcher};
use sha2::{Digest as _, Sha256};

use crate::QueryError;
use crate::QueryErrorKind::{NoSuchFile, Outside, Refused, Syntax, Unreadable};
use crate::settings::{ENTRIES, FileSetting, GLOB_FILES, STREAM_BYTES, Settings};

/// Facts about a file that was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileFacts {
    /// SHA-256 of its bytes.
    pub sha256: [u8; 32],
    /// Its length in bytes.
    pub bytes: u64,
    /// Its number of rows, if it was read as a table.
    pub rows: Option<u64>,
}

/// Computes the digests of files. `names` are relative to the root.
pub fn digests(
    settings: &Settings,
    names: &[String],
) -> BTreeMap<String, Result<FileFacts, QueryError>> {
    let project = Project::new(settings);
    let digest = |name: &String| {
        let file = project.file(name)?;
        let mut hash = Hash::default();
        let mut buffer = vec![0; 1 << 16];
        let disk = |error| QueryError::disk(&error, &file.name);
        let open = aris_fs::open(&file.path).map_err(disk)?;
        // No query reads larger files, and a huge sparse file would keep the audit busy for hours.
        if open.metadata().len() > STREAM_BYTES {
            let message = format!("the file has more than {STREAM_BYTES} bytes");
            return Err(QueryError::too_large(message).within(&file.name));
        }
        open.stream(&mut buffer, |piece| hash.add(piece))
            .map_err(disk)?;
        Ok(hash.facts(None))
    };
    let facts = aris_fs::map_in_parallel(aris_fs::processors(), names, digest);
    names.iter().cloned().zip(facts).collect()
}

/// The evidence files that match one of the globs `include` and none of the settings' `exclude`, sorted, and errors for files and
/// folders that could not be read.
///
/// A folder stands for everything in it. Hidden entries and `*_AUDIT.json` are left out.
pub fn list(settings: &Settings, include: &[String]) -> (Vec<String>, Vec<QueryError>) {
    let project = Project::new(settings);
    let (mut files, mut errors) = (BTreeSet::new(), Vec::new());
    let wanted = |name: &str| !name.ends_with("_AUDIT.json");
    for pattern in include {
        match project.walk(pattern, &wanted, &mut errors) {
            Ok(found) => files.extend(found.into_iter().map(|file| file.name)),
            Err(error) => errors.push(error),
        }
    }
    (files.into_iter().collect(), errors)
}

/// Checks a glob. **Errors**: it is not valid.
pub fn check_glob(pattern: &str) -> Result<(), QueryError> {
    glob(pattern).map(|_| ())
}

/// Computes the digest and the length of a stream.
#[derive(Default)]
pub(crate) struct Hash {
    sha256: Sha256,
    bytes: u64,
}

impl Hash {
    pub(crate) fn add(&mut self, piece: &[u8]) {
        self.sha256.update(piece);
        self.bytes += piece.len() as u64;
    }

    pub(crate) fn facts(self, rows: Option<u64>) -> FileFacts {
        FileFacts {
            sha256: self.sha256.finalize().into(),
            bytes: self.bytes,
            rows,
        }
    }
}

/// A regular file that may be read.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct DataFile {
    /// Relative to the root.
    pub(crate) name: String,
    /// The real path.
    pub(crate) path: PathBuf,
}

/// Size, time and inode of a file, to detect changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stamp {
    pub(crate) bytes: u64,
    modified: (i64, i64),
    inode: u64,
}

impl Stamp {
    pub(crate) fn of(metadata: &std::fs::Metadata) -> Self {
        Self {
            bytes: metadata.len(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
            inode: metadata.ino(),
        }
    }
}

/// The files that a name in a query stands for.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Target {
    /// Sorted by name. Only a glob has more than one.
    pub(crate) files: Vec<DataFile>,
    /// The table, if the file is a database.
    pub(crate) table: Option<String>,
}

/// The settings, ready for use.
pub(crate) struct Project<'s> {
    pub(crate) settings: &'s Settings,
    matchers: Vec<(Option<GlobMatcher>, &'s FileSetting)>,
    excluded: Vec<GlobMatcher>,
    default: FileSetting,
    names: OnceLock<Vec<String>>,
}

impl<'s> Project<'s> {
    pub(crate) fn new(settings: &'s Settings) -> Self {
        let matcher = |file: &'s FileSetting| (glob(&file.path).ok(), file);
        let excluded = settings.exclude.iter();
        Self {
            settings,
            matchers: settings.files.iter().map(matcher).collect(),
            excluded: excluded.filter_map(|pattern| glob(pattern).ok()).collect(),
            default: FileSetting::default(),
            names: OnceLock::new(),
        }
    }

    /// Whether a file, or a folder above it, is excluded.
    fn is_excluded(&self, name: &str) -> bool {
        let hidden = |path: &Path| self.excluded.iter().any(|glob| glob.is_match(path));
        Path::new(name).ancestors().any(hidden)
    }

    /// The setting for a file: the first that matches, else the default.
    pub(crate) fn setting(&self, name: &str) -> &FileSetting {
        let mut settings = self.matchers.iter().filter(|(matcher, setting)| {
            let globbed = matcher.as_ref().is_some_and(|glob| glob.is_match(name));
            globbed || self.name(&setting.path) == name
        });
        settings
            .next()
            .map_or(&self.default, |(_, setting)| setting)
    }

    /// The files for a name in a query: a file, a glob, or either of them followed by `#` and a table.
    pub(crate) fn resolve(&self, written: &str) -> Result<Target, QueryError> {
        let whole = self.matching(written);
        let whole = whole.map(|files| Target { files, table: None });
        match (&whole, written.rsplit_once('#')) {
            (Err(error), Some((name, table))) if error.kind == NoSuchFile => {
                let table = Some(table.to_owned());
                self.matching(name).map(|files| Target { files, table })
            }
            _ => whole,
        }
    }

    fn matching(&self, written: &str) -> Result<Vec<DataFile>, QueryError> {
        match self.file(written) {
            Err(error) if error.kind == NoSuchFile && is_glob(written) => {}
            file => return file.map(|file| vec![file]),
        }
        let mut errors = Vec::new();
        let mut files = self.walk(written, &|_| true, &mut errors)?;
        if let Some(error) = errors.pop() {
            return Err(error);
        }
        files.sort();
        match files.len() {
            0 => {
                let message = format!("no file fits `{written}`");
                Err(QueryError::new(NoSuchFile, message))
            }
            1..=GLOB_FILES => Ok(files),
            many => {
                let message = format!("{many} files fit `{written}`, more than {GLOB_FILES}");
                Err(QueryError::too_large(message))
            }
        }
    }

    /// The regular file with this name. **Errors**: it does not exist, is something else, or is outside the allowed folders.
    pub(crate) fn file(&self, written: &str) -> Result<DataFile, QueryError> {
        let name = self.name(written);
        let path = self.real(&name)?;
        if self.is_excluded(&name) {
            let message = "the file is excluded; it is no evidence";
            return Err(QueryError::new(Refused, message).within(&name));
        }
        if path.is_dir() {
            let message = "this is a folder; name a file, or files by a glob";
            return Err(QueryError::new(Unreadable, message).within(&name));
        }
        Ok(DataFile { name, path })
    }

    /// The normal form of a name: relative to the root, without `.` and `..`.
    fn name(&self, written: &str) -> String {
        let path = aris_fs::lexical(Path::new(written));
        let shown = path.strip_prefix(&self.settings.root).unwrap_or(&path);
        shown.to_string_lossy().into_owned()
    }

    /// The real path of a name. **Errors**: it does not exist, or is outside the allowed folders.
    fn real(&self, name: &str) -> Result<PathBuf, QueryError> {
        let path = self.settings.root.join(name);
        let is_link = || std::fs::symlink_metadata(&path).is_ok_and(|entry| entry.is_symlink());
        let mut allowed = self.settings.allowed.iter();
        let mut is_allowed = |real: &Path| allowed.any(|root| real.starts_with(root));
        let (kind, message) = match std::fs::canonicalize(&path) {
            Ok(real) if is_allowed(&real) => return Ok(real),
            Ok(_) => (Outside, "the file is outside the project"),
            Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => {
                (Unreadable, "cannot read: permission denied")
            }
            Err(_) if is_link() => (Unreadable, "this is a link to nothing"),
            Err(_) => (NoSuchFile, NO_FILE),
        };
        Err(QueryError::new(kind, message).within(name))
    }

    /// The wanted files that match a glob, are in a folder, or have this name. Errors about single files and folders go to
    /// `errors`.
    fn walk(
        &self,
        pattern: &str,
        wanted: &dyn Fn(&str) -> bool,
        errors: &mut Vec<QueryError>,
    ) -> Result<Vec<DataFile>, QueryError> {
        let pattern = self.name(pattern);
        let matcher = glob(&pattern)?;
        let plain = !is_glob(&pattern) || self.real(&pattern).is_ok();
        let fits = |name: &str| {
            (plain || matcher.is_match(name)) && wanted(name) && !self.is_excluded(name)
        };
        let parts: Vec<&str> = pattern.split('/').collect();
        let is_fixed = |part: &&&str| plain || !is_glob(part);
        let fixed = parts.iter().take_while(is_fixed).count();
        let base = parts.get(..fixed).unwrap_or_default().join("/");
        let deep = plain || pattern.contains("**");
        let depth = if deep {
            usize::MAX
        } else {
            parts.len() - fixed
        };
        let mut files = Vec::new();
        let path = match self.real(&base) {
            Err(error) if !plain && error.kind == NoSuchFile => return Ok(files),
            path => path?,
        };
        if plain && !path.is_dir() {
            files.extend(fits(&base).then_some(DataFile { name: base, path }));
            return Ok(files);
        }
        let mut seen = BTreeSet::from([path.clone()]);
        let mut open = vec![(path, base, depth)];
        let mut entries = 0;
        while let Some((folder, above, depth)) = open.pop() {
            let listed = aris_fs::list_sorted(&folder).unwrap_or_else(|error| {
                errors.push(QueryError::disk(&error, &above));
                Vec::new()
            });
            entries += listed.len();
            if entries > ENTRIES {
                let message = format!("more than {ENTRIES} files and folders; name fewer");
                return Err(QueryError::too_large(message).within(&pattern));
            }
            for entry in listed {
                let name = entry.name.to_string_lossy();
                if name.starts_with('.') {
                    continue;
                }
                let separator = if above.is_empty() { "" } else { "/" };
                let name = format!("{above}{separator}{name}");
                let link = entry.kind == EntryKind::Link;
                let path = if link {
                    self.real(&name)
                } else {
                    Ok(entry.path)
                };
                match path {
                    Ok(path) if entry.kind == EntryKind::Folder || (link && path.is_dir()) => {
                        if depth > 1 && wanted(&name) && seen.insert(path.clone()) {
                            open.push((path, name, depth.saturating_sub(1)));
                        }
                    }
                    _ if !fits(&name) => {}
                    Ok(path) if path.is_file() && entry.name.to_str().is_some() => {
                        files.push(DataFile { name, path });
                    }
                    Ok(_) => {
                        let message = "this is no regular file, or its name is not UTF-8";
                        errors.push(QueryError::new(Unreadable, message).within(&name));
                    }
                    Err(error) => errors.push(error),
                }
            }
        }
        Ok(files)
    }

    /// The existing file name that is most similar to this one.
    pub(crate) fn near(&self, name: &str) -> Option<&str> {
        let names = self.names.get_or_init(|| {
            let files = self.walk("", &|_| true, &mut Vec::new());
            let files = files.unwrap_or_default().into_iter().take(NEAR_FILES);
            files.map(|file| file.name).collect()
        });
        nearest(name, names.iter().map(String::as_str))
    }
}

/// The message for a file that does not exist.
pub(crate) const NO_FILE: &str = "no such file";
/// Most names that a missing name is compared with.
const NEAR_FILES: usize = 20_000;

/// The most similar name. `None` if no name is similar enough. The same file name in another folder is the most similar.
pub(crate) fn nearest<'n>(name: &str, names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    const SIMILAR: f64 = 0.8;
    let last = |name: &str| name.rsplit('/').next().map(str::to_ascii_lowercase);
    let score = |known: &'n str| {
        if last(known) == last(name) {
            return (1.0, known);
        }
        (strsim::jaro_winkler(name, known), known)
    };
    let near = names.map(score).filter(|(score, _)| *score >= SIMILAR);
    near.max_by(|(one, _), (two, _)| one.total_cmp(two))
        .map(|(_, known)| known)
}

fn is_glob(name: &str) -> bool {
    name.contains(['*', '?', '[', '{'])
}

fn glob(pattern: &str) -> Result<GlobMatcher, QueryError> {
    let cleaned = aris_fs::lexical(Path::new(pattern));
    let cleaned = cleaned.to_string_lossy();
    let built = GlobBuilder::new(&cleaned).literal_separator(true).build();
    let glob = built.map_err(|error| {
        let message = format!("the glob `{pattern}` is wrong: {}", error.kind());
        QueryError::new(Syntax, message)
    })?;
    Ok(glob.compile_matcher())
}
