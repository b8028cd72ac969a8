//! Reads documents, and the data that they are checked against, from the disk.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{MAIN_SEPARATOR, Path, PathBuf};
use std::sync::Arc;

use crate::papers::PapersCache;
use crate::plan::Plan;
use crate::prose::Prose;
use crate::results::Results;
use aris_contract::{ErrorKind, Failure};
use aris_evidence::QueryError;
use aris_fs::{EntryKind, FsError};
use aris_latex::Loaded;
use aris_paper::bib::{BibFile, is_distributed};
use serde_json::{Map, Value};

/// Extensions of files in result folders that can contain tables.
const TABLES: &str = "csv tsv tab jsonl ndjson json";

/// Why a document, or data that it is checked against, cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum DiskError {
    /// A LaTeX document exceeds the limits of the reader.
    #[error(transparent)]
    Latex(#[from] aris_latex::Error),
    /// A result file does not have the format that its name promises.
    #[error(transparent)]
    Results(QueryError),
    /// A plan or a papers cache is malformed.
    #[error("{}: {message}", path.display())]
    Invalid {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        message: String,
        /// What it should be.
        hint: &'static str,
    },
    /// Reading a file failed.
    #[error(transparent)]
    Fs(#[from] FsError),
}

impl Failure for DiskError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Fs(error) => error.kind(),
            _ => ErrorKind::Validation,
        }
    }

    fn hint(&self) -> Option<String> {
        Some(String::from(match self {
            Self::Latex(_) => "give the part that is to be checked as a file of its own",
            Self::Results(_) => "correct the file, or leave it out of --results",
            Self::Invalid { hint, .. } => hint,
            Self::Fs(error) => return error.hint(),
        }))
    }

    fn details(&self) -> Map<String, Value> {
        match self {
            Self::Invalid { path, .. } => {
                let path = Value::from(path.display().to_string());
                Map::from_iter([(String::from("path"), path)])
            }
            Self::Latex(_) | Self::Results(_) => Map::new(),
            Self::Fs(error) => error.details(),
        }
    }
}

/// Reads files by the paths that the user gave.
#[derive(Clone, Copy, Debug)]
pub struct Disk<'f> {
    folder: &'f Path,
}

impl<'f> Disk<'f> {
    /// Relative paths are relative to `folder`.
    pub fn new(folder: &'f Path) -> Self {
        Self { folder }
    }

    /// A document with its includes. Files outside its folder are not read.
    pub fn prose(&self, path: &Path) -> Result<Prose, DiskError> {
        self.prose_of(path, &aris_fs::read_text(&self.folder.join(path))?)
    }

    /// The same for a document with this text instead of its file's.
    pub fn prose_of(&self, path: &Path, text: &str) -> Result<Prose, DiskError> {
        let at = self.folder.join(path);
        let folder = at.parent().map_or_else(PathBuf::new, Path::to_path_buf);
        let mut loader = |name: &str| load(&folder, name);
        Prose::read(&name(path), text, &mut loader).map_err(DiskError::Latex)
    }

    /// The named bibliographies, else those that the documents ask for. `None` when there is none, or when one that a document
    /// asks for is missing: then missing keys prove nothing.
    pub fn bibliographies(
        &self,
        named: &[PathBuf],
        documents: &[(PathBuf, Prose)],
        problems: &mut Vec<String>,
    ) -> Result<Option<Vec<BibFile>>, DiskError> {
        let mut read = Vec::new();
        for path in named {
            self.bibliography(path, &mut read)?;
        }
        if !read.is_empty() {
            return Ok(Some(read));
        }
        let mut seen = BTreeSet::new();
        let mut whole = true;
        for (path, prose) in documents {
            let folder = path.parent().unwrap_or(Path::new(""));
            for candidates in &prose.references.files {
                let names = candidates.iter();
                let mut paths =
                    names.filter_map(|name| aris_fs::join_inside(folder, Path::new(name)).ok());
                match paths.find(|path| self.folder.join(path).is_file()) {
                    Some(path) if seen.insert(path.clone()) => {
                        self.bibliography(&path, &mut read)?;
                    }
                    Some(_) => {}
                    None if candidates.iter().any(|name| is_distributed(name)) => {}
                    None => {
                        whole = false;
                        let name = candidates.first().map_or("", String::as_str);
                        problems.push(format!(
                            "{}: asks for the bibliography {name}, which is not there",
                            prose.files.first().map_or("", String::as_str)
                        ));
                    }
                }
            }
        }
        Ok((whole && !read.is_empty()).then_some(read))
    }

    fn bibliography(&self, path: &Path, read: &mut Vec<BibFile>) -> Result<(), DiskError> {
        let text = aris_fs::read_text(&self.folder.join(path))?;
        read.push(BibFile::read(name(path), &text, read));
        Ok(())
    }

    /// The results in these files, and in the tables below these folders; `None` when `named` is empty. A malformed table in a
    /// folder is a problem, not an error, because the user did not name it.
    pub fn results(
        &self,
        named: &[PathBuf],
        problems: &mut Vec<String>,
    ) -> Result<Option<Vec<Results>>, DiskError> {
        let mut files: BTreeMap<PathBuf, bool> = BTreeMap::new();
        for path in named {
            let at = self.folder.join(path);
            if !at.is_dir() {
                files.insert(path.clone(), true);
                continue;
            }
            for file in files_below(&at)? {
                let extension = file.extension().unwrap_or_default();
                let mut tables = TABLES.split(' ');
                if tables.any(|known| extension.eq_ignore_ascii_case(known)) {
                    let below = file.strip_prefix(&at).unwrap_or(&file);
                    let path = aris_fs::lexical(&path.join(below));
                    files.entry(path).or_insert(false);
                }
            }
        }
        let mut read = Vec::new();
        for (path, is_named) in files {
            let bytes = aris_fs::read(&self.folder.join(&path), aris_fs::READ_LIMIT)?;
            let path = name(&path);
            match aris_evidence::read_table(&path, &bytes, None) {
                Ok(table) => read.push(Results { path, table }),
                Err(error) if is_named => return Err(DiskError::Results(error)),
                Err(error) => problems.push(error.to_string()),
            }
        }
        Ok((!named.is_empty()).then_some(read))
    }

    /// Reads a plan.
    pub fn plan(&self, path: &Path) -> Result<Plan, DiskError> {
        let text = aris_fs::read_text(&self.folder.join(path))?;
        Plan::read(&name(path), &text).map_err(|message| DiskError::Invalid {
            path: path.to_path_buf(),
            message,
            hint: "give replicates, systems, metrics or thresholds in JSON, YAML or front matter, or say \"R = 3\"",
        })
    }

    /// Reads the output of `verify_papers`.
    pub fn papers(&self, path: &Path) -> Result<PapersCache, DiskError> {
        let bytes = aris_fs::read(&self.folder.join(path), aris_fs::READ_LIMIT)?;
        PapersCache::read(&bytes).map_err(|error| DiskError::Invalid {
            path: path.to_path_buf(),
            message: error.to_string(),
            hint: "give what verify_papers --json prints",
        })
    }

    /// Names of the notes in a folder: file names without extension, in lower case.
    pub fn notes(&self, folder: &Path) -> Result<Vec<String>, DiskError> {
        let files = files_below(&self.folder.join(folder))?;
        let stems = files.iter().filter_map(|file| file.file_stem());
        Ok(stems
            .map(|stem| stem.to_string_lossy().to_lowercase())
            .collect())
    }
}

/// The regular files below a folder. Hidden files and folders are skipped.
fn files_below(folder: &Path) -> Result<Vec<PathBuf>, FsError> {
    let mut entries = aris_fs::walk_sorted(folder, &mut |entry| {
        !entry.name.to_string_lossy().starts_with('.')
    })?;
    entries.retain(|entry| entry.kind == EntryKind::File);
    Ok(entries.into_iter().map(|entry| entry.path).collect())
}

/// A path as findings show it.
pub fn name(path: &Path) -> String {
    path.display().to_string().replace(MAIN_SEPARATOR, "/")
}

/// Loads a file that a document includes. A file outside the document's folder, also through a link, counts as absent.
fn load(folder: &Path, name: &str) -> Loaded {
    let Ok(path) = aris_fs::join_inside(folder, Path::new(name)) else {
        return Loaded::Absent;
    };
    let (Ok(real), Ok(root)) = (path.canonicalize(), folder.canonicalize()) else {
        return Loaded::Absent;
    };
    if !real.is_file() || !real.starts_with(&root) {
        return Loaded::Absent;
    }
    match aris_fs::read_text(&real) {
        Ok(text) => Loaded::Text(Arc::from(text)),
        Err(error) => Loaded::Unreadable(error.to_string()),
    }
}

/// A file of the worktree; `None` when it is absent. The name comes from a pull request, so a name that leads out of the
/// worktree, also through a link, is refused too.
pub fn inside(worktree: &Path, file: &str) -> Option<PathBuf> {
    let path = aris_fs::join_inside(worktree, Path::new(file)).ok()?;
    let real = path.canonicalize().ok()?;
    (real == worktree.canonicalize().ok()?.join(file) && real.is_file()).then_some(path)
}
