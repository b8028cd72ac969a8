//! A paper with its bindings and its data on disk.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use aris_audit::project::relative;
use aris_audit::{Digest, Obstacle, PaperFiles};
use aris_contract::{ErrorKind, Failure};
use aris_evidence::{QueryError, Settings};
use aris_fs::FsError;
use aris_latex::Document;

use crate::bindings::{Claims, FILE_NAME, MAX_BYTES, Malformed, Spot};
use crate::check::{Request, audit};
use crate::report::{Audit, Note};

/// The paper itself and the reports of audits are not evidence.
const OWN: [&str; 3] = ["**/*.tex", "**/*_AUDIT.json", "**/*_AUDIT.md"];

/// Usual folders of raw results.
const RESULT_FOLDERS: [&str; 2] = ["results", "outputs"];

/// The caller's options for a paper. Paths are absolute.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The file of the bindings, if it is not `claims.toml` beside the root document.
    pub claims: Option<PathBuf>,
    /// The root document, relative to the paper folder.
    pub root: Option<String>,
    /// Folders and files of results besides those that the bindings name.
    pub results: Vec<PathBuf>,
    /// Globs of files that are not evidence, relative to the data root.
    pub exclude: Vec<String>,
}

/// A paper with its bindings and its data.
#[derive(Debug)]
pub struct Project {
    /// The caller's options.
    pub options: Options,
    /// The files of the paper, and digests of all files that were read.
    pub files: PaperFiles,
    /// The paper, or why it cannot be audited.
    pub document: Result<Document, Box<Obstacle>>,
    /// Path of the bindings, whether the file exists or not.
    pub claims_path: PathBuf,
    /// Whether that file exists.
    pub has_claims: bool,
    /// The bindings.
    pub claims: Claims,
    /// Where the data are.
    pub settings: Settings,
    /// Globs of the evidence, relative to the data root.
    include: Vec<String>,
    /// The evidence: names relative to the data root. Empty until [`Project::list_evidence`].
    pub evidence: Vec<String>,
    /// Evidence that cannot be read.
    pub unreadable: Vec<QueryError>,
}

/// Why bindings or results cannot be used. Errors in the paper or the data are findings of the audit instead.
#[derive(Debug, thiserror::Error)]
pub enum ProjectError {
    /// Input that cannot be used.
    #[error("{message}")]
    Input {
        /// Class of the error.
        kind: ErrorKind,
        /// What is wrong.
        message: String,
        /// What to do.
        hint: &'static str,
        /// The file or folder concerned, absolute.
        path: Option<PathBuf>,
        /// The place in that file.
        at: Option<Spot>,
    },
    /// The bindings or the ledger of runs cannot be read from disk.
    #[error(transparent)]
    Read(#[from] FsError),
}

impl ProjectError {
    /// An error in the input that concerns no file.
    pub fn input(kind: ErrorKind, message: impl Into<String>, hint: &'static str) -> Self {
        Self::Input {
            kind,
            message: message.into(),
            hint,
            path: None,
            at: None,
        }
    }

    /// An error about a file or folder; `{}` in `message` is replaced by its path.
    pub fn about(kind: ErrorKind, path: &Path, message: &str, hint: &'static str) -> Self {
        Self::Input {
            kind,
            message: message.replace("{}", &path.display().to_string()),
            hint,
            path: Some(path.to_path_buf()),
            at: None,
        }
    }

    /// The file of bindings does not exist.
    pub fn no_claims(path: &Path) -> Self {
        let hint = "`paper_claim_audit bind` makes the file";
        Self::about(ErrorKind::NotFound, path, "{} does not exist", hint)
    }

    /// The bindings are malformed.
    pub fn claims(path: &Path, wrong: &Malformed) -> Self {
        Self::Input {
            kind: ErrorKind::Validation,
            message: format!("{}:{wrong}", path.display()),
            hint: "the format is described in the skill paper-claim-audit, references/bindings.md",
            path: Some(path.to_path_buf()),
            at: Some(wrong.at),
        }
    }
}

impl Failure for ProjectError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Input { kind, .. } => *kind,
            Self::Read(error) => error.kind(),
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Input { hint, .. } => Some((*hint).to_owned()),
            Self::Read(error) => error.hint(),
        }
    }

    fn details(&self) -> serde_json::Map<String, serde_json::Value> {
        let (path, at) = match self {
            Self::Input { path, at, .. } => (path, at),
            Self::Read(error) => return error.details(),
        };
        let path = path.iter();
        let path = path.map(|path| ("path", path.display().to_string().into()));
        let at = at
            .iter()
            .flat_map(|at| [("line", at.line.into()), ("column", at.column.into())]);
        let all = path.chain(at).map(|(key, value)| (key.to_owned(), value));
        all.collect()
    }
}

impl Project {
    /// Opens the paper in `folder`, which is absolute and free of links. The file of bindings need not exist yet.
    pub fn open(folder: &Path, options: &Options) -> Result<Self, ProjectError> {
        let mut files = PaperFiles::new(folder);
        let document = files.document(options.root.as_deref());
        Self::of(files, document, options)
    }

    /// Opens the paper of a document that was read from `files`. The root in `options` is ignored.
    pub fn of(
        mut files: PaperFiles,
        mut document: Result<Document, Box<Obstacle>>,
        options: &Options,
    ) -> Result<Self, ProjectError> {
        let folder = &files.folder.clone();
        if let Ok(document) = &document {
            files.add_printed(document);
        }
        if let Err(obstacle) = &mut document
            && let Some(name) = wide(folder)
        {
            obstacle.message = format!("{name} is UTF-16, which LaTeX does not read");
            obstacle.action = "save it as UTF-8, for example with iconv -f utf-16 -t utf-8";
        }
        let root = document.as_ref().map_or("", |document| &document.root);
        let beside = folder.join(root);
        let beside = beside.parent().filter(|_| !root.is_empty());
        let beside = beside.unwrap_or(folder);
        let claims_path = options.claims.clone();
        let claims_path = claims_path.unwrap_or_else(|| beside.join(FILE_NAME));
        let text = claims_text(&claims_path)?;
        let claims = text.as_deref();
        let claims = claims.map_or_else(|| Ok(Claims::default()), Claims::read);
        let claims = claims.map_err(|wrong| ProjectError::claims(&claims_path, &wrong))?;
        if let Some(text) = &text {
            let name = files.name(&claims_path);
            files.digests.insert(name, Digest::of(text.as_bytes()));
        }
        let mut project = Self {
            options: options.clone(),
            files,
            document,
            has_claims: text.is_some(),
            claims_path,
            claims,
            settings: Settings::default(),
            include: Vec::new(),
            evidence: Vec::new(),
            unreadable: Vec::new(),
        };
        project.add_texts();
        project.find_evidence(options)?;
        Ok(project)
    }

    /// Adds the files that have bound numbers but are not LaTeX, such as a report in Markdown.
    fn add_texts(&mut self) {
        let folder = self.claims_folder();
        for path in self.claims.plain_files(&folder) {
            let Ok(Some(bytes)) = self.files.source(&path) else {
                continue;
            };
            if self.document.is_err() {
                self.document = Ok(Document::default());
            }
            if let (Ok(document), Ok(text)) = (&mut self.document, String::from_utf8(bytes)) {
                document.add_text(&path, Arc::from(text));
            }
        }
    }

    /// Sets the data root and the globs of the evidence.
    fn find_evidence(&mut self, options: &Options) -> Result<(), ProjectError> {
        let beside = self.claims_path.parent().unwrap_or(&self.files.folder);
        let data = &self.claims.data;
        for glob in &options.exclude {
            let checked = aris_evidence::check_glob(glob);
            let hint = "write it as in `results/**` or `runs/*/metrics.json`";
            checked.map_err(|error| ProjectError::input(ErrorKind::Usage, error.message, hint))?;
        }
        let mut root = aris_fs::lexical(beside);
        if let Some((at, said)) = &data.root {
            root = aris_fs::lexical(&beside.join(said));
            if !root.is_dir() {
                let shown = root.display();
                let message = format!(
                    "`root` names {shown}, which is no folder; it is relative to the folder of this file"
                );
                let wrong = Malformed { at: *at, message };
                return Err(ProjectError::claims(&self.claims_path, &wrong));
            }
        }
        let mut include = data.include.clone().unwrap_or_else(|| {
            let folders = self.result_folders().filter(|folder| folder.is_dir());
            let globs = folders.map(|folder| evidence_glob(&folder, &root));
            globs.collect()
        });
        for path in &options.results {
            if !path.exists() {
                let hint = "name a folder or file with raw results";
                let message = "results {} do not exist";
                let kind = ErrorKind::NotFound;
                return Err(ProjectError::about(kind, path, message, hint));
            }
            if !self.files.allows(path) {
                let project = self.files.project.display();
                let message = format!("results {{}} are outside the project {project}");
                let hint =
                    "copy or link the results into the project: the gate reads nothing outside it";
                return Err(ProjectError::about(ErrorKind::Usage, path, &message, hint));
            }
            include.push(evidence_glob(path, &root));
        }
        // The paper must not be evidence for its own numbers, nor a report for the next one.
        let bindings = self.claims_path.file_name();
        let bindings = bindings.map(|name| format!("**/{}", name.to_string_lossy()));
        let own = OWN.map(str::to_owned).into_iter().chain(bindings);
        let said = data.exclude.iter().chain(&options.exclude).cloned();
        let is_glob = |glob: &String| aris_evidence::check_glob(glob).is_ok();
        self.settings = Settings {
            allowed: self.allowed(),
            files: data.files.iter().map(|(file, _)| file.clone()).collect(),
            views: data.views.clone(),
            exclude: said.chain(own.filter(is_glob)).collect(),
            root,
        };
        self.include = include;
        Ok(())
    }

    /// Lists the files of the evidence, unless already done.
    pub fn list_evidence(&mut self) {
        if !self.evidence.is_empty() {
            return;
        }
        (self.evidence, self.unreadable) = aris_evidence::list(&self.settings, &self.include);
    }

    /// Real paths that data may come from: the project, and the targets of its result folders, which may be links to another
    /// disk. Other links out of the project are not followed: an untrusted paper must not read arbitrary files.
    fn allowed(&self) -> Vec<PathBuf> {
        let results = self.result_folders();
        let results = results.filter_map(|path| path.canonicalize().ok());
        self.files.roots().iter().cloned().chain(results).collect()
    }

    /// The usual result folders in and beside the paper, whether they exist or not.
    fn result_folders(&self) -> impl Iterator<Item = PathBuf> {
        let folder = self.files.folder.as_path();
        let homes = [Some(folder), folder.parent()].into_iter().flatten();
        let homes = homes.filter(|home| self.files.allows(home));
        homes.flat_map(|home| RESULT_FOLDERS.map(|name| home.join(name)))
    }

    /// Folder of the bindings relative to the paper folder.
    pub fn claims_folder(&self) -> String {
        let folder = self.claims_path.parent().unwrap_or(&self.files.folder);
        if folder == self.files.folder {
            String::new()
        } else {
            self.files.name(folder)
        }
    }

    /// The file of the bindings relative to the paper folder.
    pub fn claims_name(&self) -> String {
        self.files.name(&self.claims_path)
    }

    /// Checks the bindings against the paper and the data.
    pub fn numbers(&self) -> Audit {
        let Ok(document) = &self.document else {
            return Audit::default();
        };
        audit(&self.request(document, &self.claims_folder()))
    }

    /// The input for an audit of `document`. `folder`: the folder of the bindings.
    pub fn request<'a>(&'a self, document: &'a Document, folder: &'a str) -> Request<'a> {
        Request {
            document,
            claims: &self.claims,
            folder,
            settings: &self.settings,
        }
    }

    /// Checks the bindings against the paper and the data, and lists and hashes all files of the evidence.
    pub fn audit(&mut self) -> Audit {
        self.list_evidence();
        if self.document.is_err() {
            return Audit::default();
        }
        let mut audit = self.numbers();
        let known = |name: &&String| !audit.files.contains_key(*name);
        let unused: Vec<String> = self.evidence.iter().filter(known).cloned().collect();
        let others = aris_evidence::digests(&self.settings, &unused);
        for (name, facts) in audit.files.iter().chain(&others) {
            match facts {
                Ok(facts) => {
                    let key = self.files.name(&self.settings.root.join(name));
                    let digest = Digest::from_bytes(facts.sha256);
                    self.files.digests.insert(key, digest);
                }
                Err(error) => self.unreadable.push(error.clone()),
            }
        }
        for (file, at) in &self.claims.data.files {
            let path = std::slice::from_ref(&file.path);
            let (fitting, _) = aris_evidence::list(&self.settings, path);
            if fitting.is_empty() && !self.settings.root.join(&file.path).exists() {
                audit.notes.push(Note {
                    id: "data_file_lost",
                    position: at.position(&self.claims_name()),
                    quote: file.path.clone(),
                    message: format!("`{}` of [[data.file]] fits no data file", file.path),
                });
            }
        }
        audit
    }
}

/// Name of a LaTeX file in this folder that is UTF-16.
fn wide(folder: &Path) -> Option<String> {
    let files = aris_fs::list_sorted(folder).ok()?.into_iter();
    let mut names = files.map(|file| file.name.to_string_lossy().into_owned());
    names.find(|name| {
        let file = aris_fs::open(&folder.join(name)).and_then(|file| file.head(2));
        let head = file.unwrap_or_default();
        name.contains(".tex") && [[0xff, 0xfe], [0xfe, 0xff]].iter().any(|mark| head == mark)
    })
}

/// The text of a file of bindings. `None` if it does not exist.
pub fn claims_text(path: &Path) -> Result<Option<String>, ProjectError> {
    let limit = u64::try_from(MAX_BYTES).unwrap_or(u64::MAX);
    let bytes = aris_fs::read_optional(path, limit)?;
    let Some(bytes) = bytes else {
        return Ok(None);
    };
    let wide = bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]);
    let text = String::from_utf8(bytes).map_err(|error| {
        let looks = if wide { "; it looks like UTF-16" } else { "" };
        let lines = error.as_bytes().iter();
        let lines = lines.take(error.utf8_error().valid_up_to());
        let line = lines.filter(|byte| **byte == b'\n').count() + 1;
        let wrong = Malformed {
            at: Spot { line, column: 1 },
            message: format!("the file is not UTF-8{looks}; save it as UTF-8"),
        };
        ProjectError::claims(path, &wrong)
    })?;
    Ok(Some(text))
}

/// A glob for a file, or for everything below a folder, relative to the data root; begins with `..` if it is elsewhere.
fn evidence_glob(path: &Path, root: &Path) -> String {
    let below = if path.is_dir() { "/**" } else { "" };
    format!("{}{below}", relative(path, root))
}
