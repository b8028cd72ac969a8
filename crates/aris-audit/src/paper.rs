//! The files of a paper for an audit: each is read once, none from outside the project, with the digest of exactly the judged bytes.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use aris_contract::failure::ErrorBody;
use aris_fs::{EntryKind, FsError};
use aris_latex::{Document, IncludeKind, IncludeOutcome, Loaded, Position, RootError, find_root};
use aris_paper::bib::{self, EncodingError};

use crate::ledger::Ledger;
use crate::{Digest, project};

/// Largest source, in bytes: far above what a person or a reference manager writes, and safe to hold in memory.
const SOURCE_LIMIT: u64 = 128 << 20;

/// Most bytes of all `.tex` files together that are read to find the root document.
const TOTAL_LIMIT: u64 = 512 << 20;

/// Longest quote of a source line, in characters.
const QUOTE: usize = 160;

/// Checks the name of a root document from the command line.
///
/// **Errors**: why the name is not valid.
pub fn root_name(name: &str) -> Result<String, String> {
    let extension = Path::new(name).extension().unwrap_or_default();
    let what = match extension.to_ascii_lowercase().to_str() {
        Some("bib" | "bbl") => "a bibliography",
        Some("sty" | "cls" | "bst" | "pdf" | "md") => "this",
        _ => return Ok(name.to_owned()),
    };
    let message = "is no root document; name the .tex file that has \\documentclass";
    Err(format!("{what} {message}"))
}

/// A reason why an audit cannot see the whole paper.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Obstacle {
    /// Its kind; stable.
    pub id: &'static str,
    /// The position, if there is one.
    pub position: Option<Position>,
    /// The text there, shortened; empty if there is nothing to quote.
    pub quote: String,
    /// What is wrong.
    pub message: String,
    /// How to fix it.
    pub action: &'static str,
}

impl Obstacle {
    /// An obstacle without a quote.
    fn new(
        id: &'static str,
        position: Option<Position>,
        message: String,
        action: &'static str,
    ) -> Self {
        Self {
            id,
            position,
            quote: String::new(),
            message,
            action,
        }
    }
}

/// The files of a paper and of its project.
#[derive(Clone, Debug)]
pub struct PaperFiles {
    /// The paper folder, absolute.
    pub folder: PathBuf,
    /// The project it belongs to.
    pub project: PathBuf,
    /// Digest of every file on which the audit depends, by path relative to the paper folder.
    pub digests: BTreeMap<String, Digest>,
    /// Root documents that were not chosen.
    pub other_roots: Vec<String>,
    /// Every file that was read, by its real path.
    pub ledger: Ledger,
    /// Real paths of the folders from which files may be read.
    allowed: Vec<PathBuf>,
    /// Sources that were read in the search for the root document.
    candidates: BTreeMap<String, (Vec<u8>, Digest)>,
}

impl PaperFiles {
    /// The files of the paper in `folder`, which must be absolute and without links.
    pub fn new(folder: &Path) -> Self {
        let project = project::of_paper(folder);
        let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
        Self {
            allowed: vec![real(folder), real(&project)],
            folder: folder.to_path_buf(),
            project,
            digests: BTreeMap::new(),
            other_roots: Vec::new(),
            ledger: Ledger::default(),
            candidates: BTreeMap::new(),
        }
    }

    /// Allows files from these folders as well; the paths must be real.
    pub fn allow(&mut self, roots: &[PathBuf]) {
        self.allowed.extend_from_slice(roots);
    }

    /// Real paths of the folders from which files may be read.
    pub fn roots(&self) -> &[PathBuf] {
        &self.allowed
    }

    /// Whether an existing path is, with links resolved, in an allowed folder.
    pub fn allows(&self, path: &Path) -> bool {
        path.canonicalize()
            .is_ok_and(|real| self.allowed.iter().any(|root| real.starts_with(root)))
    }

    /// A path as in the artifact: relative to the paper folder, `../results/a.json` outside.
    pub fn name(&self, path: &Path) -> String {
        project::relative(&aris_fs::lexical(path), &self.folder)
    }

    /// Reads a source by its path relative to the paper folder, and stores its digest; `None` when it does not exist.
    ///
    /// **Errors**: why it cannot be read, in lower case.
    pub fn source(&mut self, path: &str) -> Result<Option<Vec<u8>>, String> {
        let read = match self.candidates.remove(path) {
            Some(read) => Some(read),
            None => self.read(&self.folder.join(path), SOURCE_LIMIT)?,
        };
        Ok(read.map(|(bytes, digest)| {
            self.digests.insert(path.to_owned(), digest);
            bytes
        }))
    }

    /// Reads a file of the paper or its project, of at most `limit` bytes; `None` when it does not exist or is a folder.
    ///
    /// **Errors**: why it cannot be read, in lower case.
    fn read(&mut self, path: &Path, limit: u64) -> Result<Option<(Vec<u8>, Digest)>, String> {
        let path = aris_fs::lexical(path);
        let Ok(real) = path.canonicalize() else {
            // It does not exist, or a dangling link leads to it: `read_optional` distinguishes the two.
            return match aris_fs::read_optional(&path, limit) {
                Ok(_) => Ok(None),
                Err(error) => Err(ErrorBody::of(&error).message),
            };
        };
        if !self.allowed.iter().any(|root| real.starts_with(root)) {
            return Err(String::from("it is outside the project"));
        }
        match self.ledger.open(&real, limit) {
            Ok(read) => Ok(Some(read)),
            // A folder: LaTeX tries the next name.
            Err(FsError::NotRegular { .. }) if real.is_dir() => Ok(None),
            Err(error) => Err(ErrorBody::of(&error).message),
        }
    }

    /// Reads the document from the root `root`, or from one that is searched.
    ///
    /// **Errors**: why there is no document to audit.
    pub fn document(&mut self, root: Option<&str>) -> Result<Document, Box<Obstacle>> {
        let root = match root {
            Some(root) => root.replace('\\', "/"),
            None => self.root()?,
        };
        Document::read(&root, &mut |path: &str| self.load(path))
            .map_err(|error| Box::new(unreadable(&root, &error)))
    }

    /// The `.tex` files of the paper, sorted, without those in hidden folders.
    ///
    /// **Errors**: the paper folder cannot be listed.
    pub fn tex_files(&self) -> Result<Vec<PathBuf>, FsError> {
        let entries = aris_fs::walk_sorted(&self.folder, &mut |entry| {
            !entry.name.to_string_lossy().starts_with('.')
        })?;
        let is_tex = |entry: &aris_fs::Entry| {
            let is_file = matches!(entry.kind, EntryKind::File | EntryKind::Link);
            let extension = entry.path.extension();
            is_file && extension.is_some_and(|name| name.eq_ignore_ascii_case("tex"))
        };
        let files = entries.into_iter().filter(is_tex);
        Ok(files.map(|entry| entry.path).collect())
    }

    /// Finds the root document among the paper's `.tex` files.
    fn root(&mut self) -> Result<String, Box<Obstacle>> {
        let obstacle = |id, message, action| Box::new(Obstacle::new(id, None, message, action));
        let paths = self.tex_files().map_err(|error| {
            let message = format!("the paper folder cannot be listed: {error}");
            obstacle("source_unreadable", message, "check its permissions")
        })?;
        let mut files = Vec::new();
        let mut refused = Vec::new();
        let mut left = TOTAL_LIMIT;
        for real in paths {
            let path = aris_fs::display_relative(&real, &self.folder);
            match self.read(&real, SOURCE_LIMIT.min(left)) {
                Ok(Some(file)) => {
                    left -= file.0.len() as u64;
                    if let Err(reason) = source_text(&file.0) {
                        refused.push(format!("{path}: {reason}"));
                    }
                    files.push((path, file));
                }
                Ok(None) => {}
                Err(reason) => refused.push(format!("{path}: {reason}")),
            }
        }
        // A file that is not UTF-8 may be the root as well: the commands that mark a root are ASCII.
        let texts: Vec<(&String, Cow<'_, str>)> = (files.iter())
            .map(|(path, (bytes, _))| (path, String::from_utf8_lossy(bytes)))
            .collect();
        let found = find_root(&texts).map_err(|error| {
            let (id, action) = match &error {
                RootError::None => ("no_root_document", "name the root document with --root"),
                RootError::Several { .. } => ("several_root_documents", "choose one with --root"),
            };
            let mut message = error.to_string();
            if !refused.is_empty() {
                message.push_str("; unreadable: ");
                message.push_str(&refused.join(", "));
            }
            obstacle(id, message, action)
        })?;
        self.other_roots = found.others;
        self.candidates.extend(files);
        Ok(found.path)
    }

    /// The message for a paper with several root documents; `None` if there is only one.
    pub fn choice(&self, root: &str) -> Option<String> {
        let others = self.other_roots.join(", ");
        let message = format!(
            "{root} is audited; there are other root documents, which --root audits: {others}"
        );
        Some(message).filter(|_| !others.is_empty())
    }

    /// Loads a source for the LaTeX reader.
    fn load(&mut self, path: &str) -> Loaded {
        match self.source(path) {
            Ok(None) => Loaded::Absent,
            Err(reason) => Loaded::Unreadable(reason),
            Ok(Some(bytes)) => match source_text(&bytes) {
                Ok(text) => Loaded::Text(text),
                Err(reason) => Loaded::Unreadable(reason),
            },
        }
    }

    /// Stores the digests of files that the document prints without parsing them: data, listings, PDF pages.
    pub fn add_printed(&mut self, document: &Document) {
        let is_printed = |kind| matches!(kind, IncludeKind::Data | IncludeKind::Listing);
        for include in &document.includes {
            let candidates = include.candidates.iter();
            let mut candidates = candidates.filter(|_| is_printed(include.kind));
            // The first existing candidate is used. An unreadable one has no digest, which the gate reports.
            candidates.find(|path| !matches!(self.source(path), Ok(None)));
        }
    }
}

/// The text of a source, as the gate and all audits decode it: UTF-8, else Latin-1, in which every byte is a character and commands are
/// the same.
///
/// **Errors**: UTF-16, which LaTeX cannot read; in lower case, with a fix.
pub fn source_text(bytes: &[u8]) -> Result<Arc<str>, String> {
    match bib::decode(bytes) {
        Ok(text) => Ok(Arc::from(text)),
        Err(EncodingError::NotUtf8 { .. }) => {
            let letters = bytes.iter().map(|byte| char::from(*byte));
            Ok(letters.collect::<String>().into())
        }
        Err(error @ EncodingError::Utf16 { .. }) => Err(format!("{error}; {}", error.hint())),
    }
}

fn unreadable(root: &str, error: &aris_latex::Error) -> Obstacle {
    let begin = Position {
        path: root.to_owned(),
        line: 1,
        column: 1,
    };
    let (id, action, position) = match error {
        aris_latex::Error::RootAbsent { .. } => {
            let action = "name the root document with --root";
            ("no_root_document", action, begin)
        }
        aris_latex::Error::RootUnreadable { .. } => {
            ("source_unreadable", "make the file readable UTF-8", begin)
        }
        aris_latex::Error::TooDeep { at, .. } | aris_latex::Error::TooLarge { at, .. } => {
            let action = "look for files that include each other";
            ("document_too_large", action, at.clone())
        }
    };
    Obstacle::new(id, Some(position), error.to_string(), action)
}

/// Sources that the document includes and that could not be read, so that their content is unknown.
pub fn missing_sources(document: &Document) -> Vec<Obstacle> {
    let mut missing = Vec::new();
    for include in &document.includes {
        let is_source = matches!(
            include.kind,
            IncludeKind::Input | IncludeKind::Include | IncludeKind::Subfile | IncludeKind::Import
        );
        let target = &include.target;
        let (id, message) = match &include.outcome {
            IncludeOutcome::Missing => ("source_missing", format!("`{target}` does not exist")),
            IncludeOutcome::Unreadable(reason) => {
                let path = include.resolved.as_ref().or(include.candidates.first());
                let path = path.unwrap_or(target);
                let message = format!("`{path}` cannot be read: {reason}");
                ("source_unreadable", message)
            }
            IncludeOutcome::Unresolved => (
                "source_missing",
                format!("`{target}` holds a macro that is not defined"),
            ),
            IncludeOutcome::Read { .. }
            | IncludeOutcome::NotRead
            | IncludeOutcome::Excluded
            | IncludeOutcome::Cycle => continue,
        };
        // It is unknown whether LaTeX includes it; a problem of the document reports that.
        if is_source && include.doubt.is_none() {
            let position = document.position(include.place);
            let action = "add the file or drop the command; what it holds is not audited";
            missing.push(Obstacle {
                quote: document.quote(include.place, QUOTE),
                ..Obstacle::new(id, Some(position), message, action)
            });
        }
    }
    missing
}

#[cfg(test)]
mod tests {
    #![allow(clippy::disallowed_methods, reason = "tests prepare files directly")]

    use super::*;

    #[test]
    fn latin_1_is_read_and_utf_16_is_not() {
        let text = |bytes: &[u8]| source_text(bytes).map(|text| text.to_string());
        assert_eq!(text("é 84.7".as_bytes()), Ok(String::from("é 84.7")));
        assert_eq!(text(b"caf\xe9 84.7"), Ok(String::from("café 84.7")));
        let reason = text(b"\xff\xfe8\x004\0").expect_err("UTF-16");
        assert!(reason.contains("UTF-16"), "{reason}");
    }

    #[test]
    fn the_root_is_looked_for_among_the_tex_files_of_the_paper() {
        let temp = tempfile::tempdir().expect("temp");
        let root = temp.path().canonicalize().expect("real");
        let folder = root.join("project/paper");
        std::fs::create_dir_all(folder.join(".old")).expect("folders");
        let outside = root.join("outside.tex");
        let text = r"\documentclass{a}\begin{document}\end{document}";
        for path in [&outside, &folder.join(".old/b.tex"), &folder.join("c.md")] {
            std::fs::write(path, text).expect("file");
        }
        let message = || {
            let found = PaperFiles::new(&folder).document(None);
            found.expect_err("no root").message
        };
        assert!(!message().contains("unreadable"), "{}", message());
        std::os::unix::fs::symlink(&outside, folder.join("link.tex")).expect("link");
        let refused = "; unreadable: link.tex: it is outside the project";
        assert!(message().ends_with(refused), "{}", message());
        std::fs::write(folder.join("main.tex"), text).expect("file");
        let mut files = PaperFiles::new(&folder);
        assert_eq!(files.document(None).expect("a document").root, "main.tex");
        assert_eq!(files.choice("main.tex"), None);
        std::fs::write(folder.join("talk.TEX"), text).expect("file");
        files.document(None).expect("a document");
        let said =
            "main.tex is audited; there are other root documents, which --root audits: talk.TEX";
        assert_eq!(files.choice("main.tex").as_deref(), Some(said));
        for (name, is_root) in [("a.tex", true), ("a.BIB", false), ("a.cls", false)] {
            assert_eq!(root_name(name).is_ok(), is_root, "{name}");
        }
    }

    #[test]
    fn what_was_read_is_hashed_and_nothing_outside_the_project_is_read() {
        let temp = tempfile::tempdir().expect("temp");
        let root = temp.path().canonicalize().expect("real");
        let folder = root.join("project/paper");
        std::fs::create_dir_all(&folder).expect("folders");
        let main = r"\documentclass{a}\usepackage{mine,amsmath}\begin{document}\input{one}\input{../two}\input{../../three}\input{four}\includegraphics{plot}\includepdf{pages}\lstinputlisting{code.py}\end{document}";
        for (name, text) in [
            ("project/paper/main.tex", main),
            ("project/paper/one.tex", "1"),
            (
                "project/paper/mine.sty",
                r"\newcommand{\best}{34.2}\RequirePackage{../../outside}",
            ),
            ("outside.sty", "secret"),
            ("project/two.tex", "2"),
            ("three.tex", "3"),
            ("project/paper/unused.tex", "5"),
            ("project/paper/plot.pdf", "6"),
            ("project/paper/pages.pdf", "7"),
            ("project/paper/code.py", "8"),
        ] {
            std::fs::write(root.join(name), text).expect("file");
        }
        let mut files = PaperFiles::new(&folder);
        let document = files.document(None).expect("a document");
        files.add_printed(&document);
        assert_eq!(
            files.digests.keys().collect::<Vec<_>>(),
            [
                "../two.tex",
                "code.py",
                "main.tex",
                "mine.sty",
                "one.tex",
                "pages.pdf"
            ]
        );
        assert_eq!(files.digests["main.tex"], Digest::of(main.as_bytes()));
        let missing: Vec<_> = missing_sources(&document)
            .into_iter()
            .map(|obstacle| (obstacle.id, obstacle.message))
            .collect();
        assert_eq!(
            missing,
            [
                (
                    "source_unreadable",
                    String::from("`../../three.tex` cannot be read: it is outside the project")
                ),
                ("source_missing", String::from("`four` does not exist")),
            ]
        );
        let obstacle = files.document(Some("five.tex")).expect_err("no such root");
        assert_eq!(obstacle.id, "no_root_document");
    }
}
