//! The source of skills: a git clone or an unpacked archive with a folder `skills/`. It is only read.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use aris_audit::Digest;
use aris_contract::artifact::install::{EntryKind, InstallMode, TreeFile};
use aris_contract::artifact::record::is_safe_name;
use aris_contract::resolve::targets;
use aris_fs::EntryKind as OnDisk;
use aris_skills::helpers::{self, Problem};
use serde::Deserialize;

use crate::error::Error;
use crate::project::recordable;

/// Skills that are installed with every choice of skills.
const ALWAYS: [&str; 2] = ["contract-check", "install-aris"];
/// The folder without a `SKILL.md` that skills refer to. **Source**: the reference's installer.
pub(crate) const SUPPORT: &str = "shared-references";

/// Folders of the reference's tree that are not skills: packages for one host, and `aris`, the place of an old nested install.
const EXCLUDED: [&str; 3] = ["aris", "skills-codex", "skills-codex.bak"];

/// Leftovers of other tools, which are not copied.
const LITTER: [&str; 3] = [".DS_Store", ".git", "__pycache__"];

/// Name of a marker file at the root of the sources that `aris install` keeps for the user.
const KEPT: &str = ".aris-source";

/// The helper table of a source.
const TABLE: &str = "skills/shared-references/helpers.toml";

/// Largest installed file, in bytes. A helper's binary with debug information has about ten million.
const FILE_LIMIT: u64 = 1 << 30;

/// Largest helper table, in bytes.
const TABLE_LIMIT: u64 = 4 << 20;

/// A source of skills.
#[derive(Debug)]
pub(crate) struct Source {
    /// Absolute, with links resolved.
    pub(crate) root: PathBuf,
    /// `root` as text.
    pub(crate) text: String,
    /// Version, where the source states one.
    pub(crate) version: Option<String>,
    /// Whether the source stays in place, so that links into it are safe: a git clone, or a source that `aris install` keeps.
    stays: bool,
    /// Skills and support folders by name.
    pub(crate) skills: BTreeMap<String, EntryKind>,
    /// Helpers whose owner is among the skills; `None` when the source has no helper table.
    pub(crate) helpers: Option<Vec<HelperRow>>,
    /// Entries that were left out, with the reason.
    pub(crate) refused: Vec<String>,
}

/// A row of the source's helper table, with the fields that an installer needs.
#[derive(Debug, Deserialize)]
pub(crate) struct HelperRow {
    pub(crate) name: String,
    #[serde(default)]
    pub(crate) aliases: Vec<String>,
    pub(crate) owner: String,
    /// Skills that call it.
    #[serde(default)]
    callers: Vec<String>,
    #[serde(default = "yes")]
    shipped: bool,
}

const fn yes() -> bool {
    true
}

/// Where a source may be given.
#[derive(Debug)]
pub(crate) struct Places<'a> {
    /// `--aris-repo`, absolute.
    pub(crate) flag: Option<PathBuf>,
    /// The running program.
    pub(crate) program: Option<PathBuf>,
    /// `ARIS_REPO`.
    pub(crate) variable: Option<&'a str>,
    /// `repo_root` of the install manifest.
    pub(crate) manifest: Option<&'a str>,
    /// The project. Installed skills in it are not a source.
    pub(crate) project: &'a Path,
}

impl Source {
    /// Finds and reads the source: the flag, the tree that contains the program, `ARIS_REPO`, the manifest.
    pub(crate) fn find(places: &Places<'_>) -> Result<Self, Error> {
        let absent = |what: &str, path: &Path| {
            Error::Source(format!("{what} {} has no skills/ folder", path.display()))
        };
        if let Some(path) = &places.flag {
            return Self::read(path)?.ok_or_else(|| absent("--aris-repo", path));
        }
        let installed = [".agents", ".claude"].map(|folder| places.project.join(folder));
        let program = places.program.as_ref();
        if let Some(program) = program.and_then(|path| fs::canonicalize(path).ok()) {
            // An installed program is not inside its source, whatever the folders above it contain.
            let is_host = |folder: &&Path| {
                [".agents", ".claude"]
                    .iter()
                    .any(|name| folder.ends_with(name))
            };
            let mut above = program
                .ancestors()
                .skip(1)
                .take_while(|folder| !is_host(folder));
            let above = above.find(|folder| {
                folder.join(TABLE).is_file()
                    && !installed.iter().any(|place| folder.starts_with(place))
            });
            if let Some(source) = above.map(Self::read).transpose()?.flatten() {
                return Ok(source);
            }
        }
        if let Some(path) = places.variable.map(Path::new) {
            return Self::read(path)?.ok_or_else(|| absent("ARIS_REPO", path));
        }
        if let Some(path) = places.manifest.map(Path::new) {
            return Self::read(path)?
                .ok_or_else(|| absent("the source of the last install,", path));
        }
        Err(Error::Source(String::from(
            "no --aris-repo, ARIS_REPO is not set, and this program is in no source tree",
        )))
    }

    /// The default mode, when neither the user nor an earlier install sets one.
    pub(crate) fn usual_mode(&self) -> InstallMode {
        if self.stays {
            InstallMode::Symlink
        } else {
            InstallMode::Copy
        }
    }

    /// Keeps only these skills and, transitively, those that own the helpers they call. Returns the added skills.
    ///
    /// **Errors**: [`Error::NoSkill`].
    pub(crate) fn choose(&mut self, names: &[String]) -> Result<Vec<String>, Error> {
        let is_skill = |name: &String| self.skills.get(name) == Some(&EntryKind::Skill);
        if let Some(name) = names.iter().find(|name| !is_skill(name)) {
            let alike = |known: &&String| strsim::jaro_winkler(known, name);
            let near = self.skills.keys().filter(|known| is_skill(known));
            // Below this similarity, the name is probably not a misspelling.
            let near = near.filter(|known| alike(known) > 0.8);
            let near = near.max_by(|a, b| alike(a).total_cmp(&alike(b)));
            return Err(Error::NoSkill {
                name: name.clone(),
                near: near.cloned().unwrap_or_default(),
            });
        }
        let mut chosen = names.to_vec();
        // The installed skills must be able to update, check and remove the install.
        for always in ALWAYS {
            if is_skill(&always.to_owned()) && !chosen.iter().any(|name| name == always) {
                chosen.push(always.to_owned());
            }
        }
        let mut at = 0;
        while let Some(caller) = chosen.get(at).cloned() {
            for row in self.helpers.iter().flatten() {
                if row.callers.contains(&caller) && !chosen.contains(&row.owner) {
                    chosen.push(row.owner.clone());
                }
            }
            at += 1;
        }
        self.skills
            .retain(|name, kind| *kind == EntryKind::Support || chosen.contains(name));
        if let Some(helpers) = &mut self.helpers {
            helpers.retain(|row| chosen.contains(&row.owner));
        }
        Ok(chosen.split_off(names.len()))
    }

    /// Whether a host takes the source for a plugin. Codex names a linked skill after the plugin that contains its target.
    pub(crate) fn is_plugin(&self) -> bool {
        [".codex-plugin", ".claude-plugin"]
            .iter()
            .any(|folder| self.at(folder).join("plugin.json").is_file())
    }

    /// A path below the source.
    pub(crate) fn at(&self, relative: &str) -> PathBuf {
        self.root.join(relative)
    }

    /// Helpers without a program for this machine.
    pub(crate) fn without_binary(&self) -> Vec<&str> {
        let has_binary = |row: &HelperRow| {
            let folder = self.at(&format!("skills/{}/scripts/bin", row.owner));
            targets().iter().any(|target| {
                fs::metadata(folder.join(format!("{}-{target}", row.name)))
                    .is_ok_and(|found| found.is_file() && found.len() > 0)
            })
        };
        let helpers = self.helpers.iter().flatten();
        let missing = helpers.filter(|row| !has_binary(row));
        missing.map(|row| row.name.as_str()).collect()
    }

    /// Reads a source; `None` when there are no skills at `path`.
    fn read(path: &Path) -> Result<Option<Self>, Error> {
        let Ok(root) = fs::canonicalize(path) else {
            return Ok(None);
        };
        let folder = root.join("skills");
        if !folder.is_dir() {
            return Ok(None);
        }
        let mut source = Self {
            text: recordable(&root)?,
            version: version(&root)?,
            stays: root.join(".git").exists() || root.join(KEPT).exists(),
            skills: BTreeMap::new(),
            helpers: None,
            refused: Vec::new(),
            root,
        };
        for entry in aris_fs::list_sorted(&folder)? {
            source.consider(&entry.name.to_string_lossy(), &entry.path);
        }
        if source.skills.is_empty() {
            return Ok(None);
        }
        if let Some(text) = aris_fs::read_optional(&source.at(TABLE), TABLE_LIMIT)? {
            let rows: Vec<HelperRow> = helpers::rows(&text).map_err(|problem| {
                let (path, Problem { line, reason }) = (source.at(TABLE), problem);
                Error::Damaged { path, line, reason }
            })?;
            let rows = rows.into_iter().filter(|row| {
                row.shipped && source.skills.get(&row.owner) == Some(&EntryKind::Skill)
            });
            source.helpers = Some(rows.collect());
        }
        Ok(Some(source))
    }

    /// Rules S10 and S13: takes a skill if its name is safe and its folder is inside the source.
    fn consider(&mut self, name: &str, path: &Path) {
        if !path.is_dir() || EXCLUDED.contains(&name) {
            return;
        }
        let kind = if name == SUPPORT {
            EntryKind::Support
        } else if path.join("SKILL.md").is_file() {
            EntryKind::Skill
        } else {
            return;
        };
        let refused = if !is_safe_name(name) {
            format!("skill {name:?}: not a safe name")
        } else if fs::canonicalize(path).is_ok_and(|real| real.starts_with(&self.root)) {
            self.skills.insert(name.to_owned(), kind);
            return;
        } else {
            format!("skill {name}: a link that leaves the source")
        };
        self.refused.push(refused);
    }
}

/// The files of a source folder, as a copy of it would have them.
///
/// Links to files inside the source become files. The inner error is the reason why the folder cannot be copied.
pub(crate) fn tree(root: &Path, folder: &Path) -> Result<Result<Vec<TreeFile>, String>, Error> {
    let mut enter = |entry: &aris_fs::Entry| !LITTER.iter().any(|name| entry.name == *name);
    let mut paths = Vec::new();
    for entry in aris_fs::walk_sorted(folder, &mut enter)? {
        if LITTER.iter().any(|name| entry.name == *name) {
            continue;
        }
        let relative = entry.path.strip_prefix(folder).ok().and_then(Path::to_str);
        let Some(relative) = relative.filter(|text| !text.contains('\n')) else {
            return Ok(Err(format!("{} is no usable name", entry.path.display())));
        };
        let real = match entry.kind {
            OnDisk::Folder => continue,
            OnDisk::File => entry.path.clone(),
            OnDisk::Link => match fs::canonicalize(&entry.path) {
                Ok(real) if real.starts_with(root) && real.is_file() => real,
                _ => {
                    return Ok(Err(format!(
                        "{relative} is a link that leaves the source, or to no file"
                    )));
                }
            },
            OnDisk::Special => return Ok(Err(format!("{relative} is not a regular file"))),
        };
        paths.push((relative.to_owned(), real));
    }
    let reals: Vec<&PathBuf> = paths.iter().map(|(_, real)| real).collect();
    let digests = digests(&reals);
    let mut files = Vec::new();
    for ((path, real), digest) in paths.iter().zip(digests) {
        files.push(TreeFile {
            path: path.clone(),
            digest: digest?.to_string(),
            executable: is_executable(real),
        });
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(Ok(files))
}

/// Digests of files, in their order. A file with several names is read only once per run, because a release has one large
/// program under the name of each helper.
pub(crate) fn digests<P: AsRef<Path> + Sync>(paths: &[P]) -> Vec<Result<Digest, aris_fs::FsError>> {
    static KNOWN: Mutex<BTreeMap<[i64; 5], Digest>> = Mutex::new(BTreeMap::new());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let mut wanted = BTreeSet::new();
    let (mut identities, mut to_read) = (Vec::new(), Vec::new());
    for path in paths {
        let found = fs::metadata(path).ok().filter(|found| found.nlink() > 1);
        let identity = found.map(|found| {
            let [device, inode, size] = [found.dev(), found.ino(), found.size()];
            let [device, inode, size] = [device, inode, size].map(u64::cast_signed);
            [device, inode, size, found.mtime(), found.mtime_nsec()]
        });
        let is_first = identity.is_none_or(|one| !known.contains_key(&one) && wanted.insert(one));
        identities.push((identity, is_first));
        if is_first {
            to_read.push(path.as_ref());
        }
    }
    let mut read = aris_audit::digest_files(&to_read).into_iter();
    let mut digests = Vec::new();
    for (path, (identity, is_first)) in paths.iter().zip(identities) {
        let again = || Some(Ok(*known.get(&identity?)?));
        let digest = if is_first { read.next() } else { again() };
        // Another name of an unreadable file gets its own error.
        let digest = digest.unwrap_or_else(|| aris_audit::digest_files(&[path]).remove(0));
        if let (Some(identity), Ok(digest)) = (identity, &digest) {
            known.insert(identity, *digest);
        }
        digests.push(digest);
    }
    digests
}

/// The bytes of a source file, if they still have this digest.
pub(crate) fn bytes(path: &Path, digest: &str) -> Result<Vec<u8>, Error> {
    let bytes = aris_fs::read(path, FILE_LIMIT)?;
    if Digest::of(&bytes).to_string() == digest {
        Ok(bytes)
    } else {
        Err(Error::changed(path))
    }
}

fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    fs::metadata(path).is_ok_and(|found| found.permissions().mode() & 0o100 != 0)
}

/// The version in the source's contract of this helper.
fn version(root: &Path) -> Result<Option<String>, Error> {
    let path = root.join("skills/install-aris/scripts/install_aris.contract.json");
    let Some(text) = aris_fs::read_optional(&path, TABLE_LIMIT)? else {
        return Ok(None);
    };
    let contract: serde_json::Value = serde_json::from_slice(&text).unwrap_or_default();
    let version = contract.get("version").and_then(|version| version.as_str());
    let version = version.filter(|version| is_safe_name(version));
    Ok(version.map(str::to_owned))
}
