//! Documents and what they are checked against, read from the disk.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use aris_claims::evidence::Format;
use aris_claims::{Evidence, EvidenceReader};
use aris_cli::Context;
use aris_fs::EntryKind;
use aris_latex::Loaded;
use aris_paper::bib;
use aris_review::{Diff, Section};
use aris_statements::papers::PapersCache;
use aris_statements::plan::Plan;
use aris_statements::prose::{Excerpt, Prose};
use aris_statements::rules::{Bibliographies, Bibliography};

use crate::error::Error;

/// Reads files under the names that the user gave them.
pub(crate) struct Disk<'c> {
    context: &'c Context,
}

impl<'c> Disk<'c> {
    pub(crate) fn new(context: &'c Context) -> Self {
        Self { context }
    }

    /// A document with what it includes; nothing outside its folder is read.
    pub(crate) fn prose(&self, path: &Path) -> Result<Prose, Error> {
        let at = self.context.absolute(path);
        let text = aris_fs::read_text(&at)?;
        let folder = at.parent().map_or_else(PathBuf::new, Path::to_path_buf);
        let mut loader = |name: &str| load(&folder, name);
        Prose::read(&name(path), &text, &mut loader).map_err(Error::Latex)
    }

    /// The bibliographies named, else those that the documents ask for. `None` when there is none, or when one that is asked for
    /// cannot be read: then nothing is known of the keys in it.
    pub(crate) fn bibliographies(
        &self,
        named: &[PathBuf],
        documents: &[(PathBuf, Prose)],
        problems: &mut Vec<String>,
    ) -> Result<Option<Bibliographies>, Error> {
        let mut read = Vec::new();
        for path in named {
            read.push(self.bibliography(path)?);
        }
        if !read.is_empty() {
            return Ok(Some(read));
        }
        let mut seen = BTreeSet::new();
        let mut whole = true;
        for (path, prose) in documents {
            let folder = path.parent().unwrap_or(Path::new(""));
            for candidates in &prose.references.files {
                let found = candidates
                    .iter()
                    .filter_map(|name| aris_fs::join_inside(folder, Path::new(name)).ok())
                    .find(|path| self.context.absolute(path).is_file());
                match found {
                    Some(path) if seen.insert(path.clone()) => read.push(self.bibliography(&path)?),
                    Some(_) => {}
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

    fn bibliography(&self, path: &Path) -> Result<Bibliography, Error> {
        let text = aris_fs::read_text(&self.context.absolute(path))?;
        Ok(Bibliography {
            path: name(path),
            read: bib::read(&text),
        })
    }

    /// The results in these files and folders; `None` when none is named.
    pub(crate) fn evidence(
        &self,
        named: &[PathBuf],
        repetition: &[String],
    ) -> Result<Option<Evidence>, Error> {
        if named.is_empty() {
            return Ok(None);
        }
        let mut files = BTreeSet::new();
        for path in named {
            let at = self.context.absolute(path);
            if !at.is_dir() {
                files.insert(path.clone());
                continue;
            }
            let entries = aris_fs::walk_sorted(&at, &mut |entry| {
                !entry.name.to_string_lossy().starts_with('.')
            })?;
            for entry in entries {
                let is_result = Format::from_path(&entry.name.to_string_lossy()).is_some();
                if entry.kind == EntryKind::File && is_result {
                    let below = entry.path.strip_prefix(&at).unwrap_or(&entry.path);
                    files.insert(path.join(below));
                }
            }
        }
        let mut reader = EvidenceReader::repeated_by(repetition.iter().map(String::as_str));
        for path in files {
            let bytes = aris_fs::read(&self.context.absolute(&path), aris_fs::READ_LIMIT)?;
            reader.add(&name(&path), &bytes).map_err(Error::Results)?;
        }
        Ok(Some(reader.finish()))
    }

    /// A plan.
    pub(crate) fn plan(&self, path: &Path) -> Result<Plan, Error> {
        let text = aris_fs::read_text(&self.context.absolute(path))?;
        Plan::read(&name(path), &text).map_err(|message| Error::Plan {
            path: path.to_path_buf(),
            message,
        })
    }

    /// What `verify_papers` wrote.
    pub(crate) fn papers(&self, path: &Path) -> Result<PapersCache, Error> {
        let bytes = aris_fs::read(&self.context.absolute(path), aris_fs::READ_LIMIT)?;
        PapersCache::read(&bytes).map_err(|source| Error::Papers {
            path: path.to_path_buf(),
            source,
        })
    }

    /// Names of the notes in a folder, without extension, in lower case.
    pub(crate) fn notes(&self, folder: &Path) -> Result<Vec<String>, Error> {
        let entries = aris_fs::walk_sorted(&self.context.absolute(folder), &mut |entry| {
            !entry.name.to_string_lossy().starts_with('.')
        })?;
        let files = entries.iter().filter(|entry| entry.kind == EntryKind::File);
        Ok(files
            .filter_map(|entry| entry.path.file_stem())
            .map(|stem| stem.to_string_lossy().to_lowercase())
            .collect())
    }
}

/// A path as findings show it.
fn name(path: &Path) -> String {
    path.display().to_string().replace('\\', "/")
}

/// A file that a document includes. What lies outside the document's folder, also through a link, is not there.
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

/// The files of a diff that have touched sections, as far as the diff shows them, with the lines that it adds.
pub(crate) fn excerpts<'d>(
    diff: &'d Diff,
    touched: &[Section],
) -> Vec<(Excerpt<'d>, BTreeSet<usize>)> {
    let wide = |number: u32| usize::try_from(number).unwrap_or(usize::MAX);
    diff.files
        .iter()
        .filter_map(|file| {
            let added: BTreeSet<usize> = touched
                .iter()
                .filter(|section| section.file == file.path)
                .flat_map(|section| section.lines.iter().map(|line| wide(line.line)))
                .collect();
            let lines = file.lines.iter();
            let excerpt = Excerpt {
                file: &file.path,
                lines: lines
                    .map(|line| (wide(line.number), line.text.as_str()))
                    .collect(),
            };
            (!added.is_empty()).then_some((excerpt, added))
        })
        .collect()
}
