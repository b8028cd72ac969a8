//! A paper with its bindings and its data, as they lie on disk.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use aris_audit::{Digest, Obstacle, PaperFiles};
use aris_contract::{ErrorKind, Failure};
use aris_evidence::{Limits, QueryError, Settings};
use aris_fs::FsError;
use aris_latex::Document;

use crate::bindings::{Claims, FILE_NAME, MAX_BYTES, Malformed};
use crate::check::{Request, audit};
use crate::report::Audit;

/// Folders of raw results, by custom.
const RESULT_FOLDERS: [&str; 2] = ["results", "outputs"];

/// What a caller says about a paper. Paths are absolute.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The bindings, when they do not lie in `claims.toml` beside the root document.
    pub claims: Option<PathBuf>,
    /// The root document, relative to the paper folder.
    pub root: Option<String>,
    /// Folders and files of results besides those that the bindings name.
    pub results: Vec<PathBuf>,
    /// Globs of files that are no evidence, relative to the data root.
    pub exclude: Vec<String>,
}

/// A paper with its bindings and its data.
#[derive(Debug)]
pub struct Project {
    /// The files of the paper; digests of all that was read.
    pub files: PaperFiles,
    /// The paper, or why there is none to audit.
    pub document: Result<Document, Box<Obstacle>>,
    /// Where the bindings are, or would be.
    pub claims_path: PathBuf,
    /// Whether there is such a file.
    pub has_claims: bool,
    /// The bindings.
    pub claims: Claims,
    /// Where the data are.
    pub settings: Settings,
    /// The evidence, by name relative to the data root.
    pub evidence: Vec<String>,
    /// Evidence that cannot be read.
    pub unreadable: Vec<QueryError>,
}

/// Why bindings or results cannot be used. What is wrong with the paper or the data is in the audit, never here.
#[derive(Debug, thiserror::Error)]
pub enum ProjectError {
    /// The named file of bindings is not there.
    #[error("{} does not exist", path.display())]
    ClaimsAbsent {
        /// The file, absolute.
        path: PathBuf,
    },
    /// The bindings cannot be read from disk.
    #[error(transparent)]
    ClaimsRead(FsError),
    /// The bindings are not UTF-8.
    #[error("{}: not UTF-8 (byte {offset})", path.display())]
    ClaimsEncoding {
        /// The file.
        path: PathBuf,
        /// Whether it begins like UTF-16.
        wide: bool,
        /// The first byte that is wrong.
        offset: usize,
    },
    /// The bindings are malformed.
    #[error("{}:{}", path.display(), wrong)]
    Claims {
        /// The file.
        path: PathBuf,
        /// What is wrong, with its place.
        #[source]
        wrong: Malformed,
    },
    /// A glob of the caller that is none.
    #[error("{message}")]
    Glob {
        /// Which, and what is wrong with it.
        message: String,
    },
    /// Results that are not there.
    #[error("results {} do not exist", path.display())]
    Results {
        /// The path, absolute.
        path: PathBuf,
    },
    /// Results that no gate would accept.
    #[error("results {} lie outside the project {}", path.display(), project.display())]
    Outside {
        /// The path, absolute.
        path: PathBuf,
        /// The project.
        project: PathBuf,
    },
}

impl Failure for ProjectError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Glob { .. } | Self::Results { .. } | Self::Outside { .. } => ErrorKind::Usage,
            Self::ClaimsAbsent { .. } => ErrorKind::NotFound,
            Self::ClaimsEncoding { .. } | Self::Claims { .. } => ErrorKind::Validation,
            Self::ClaimsRead(error) => error.kind(),
        }
    }

    fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Glob { .. } => "write it as in `results/**` or `runs/*/metrics.json`",
            Self::Results { .. } => "name a folder or file with raw results",
            Self::Outside { .. } => {
                "copy or link the results into the project: the gate reads nothing outside it"
            }
            Self::ClaimsAbsent { .. } => "`paper_claim_audit bind` makes the file",
            Self::ClaimsEncoding { wide: true, .. } => {
                "the file looks like UTF-16; save it as UTF-8"
            }
            Self::ClaimsEncoding { .. } => "save the file as UTF-8",
            Self::Claims { .. } => {
                "the format is described in the skill paper-claim-audit, references/bindings.md"
            }
            Self::ClaimsRead(error) => return error.hint(),
        };
        Some(hint.to_owned())
    }

    fn details(&self) -> serde_json::Map<String, serde_json::Value> {
        let path = |path: &Path| (String::from("path"), path.display().to_string().into());
        match self {
            Self::Results { path: at }
            | Self::Outside { path: at, .. }
            | Self::ClaimsAbsent { path: at }
            | Self::ClaimsEncoding { path: at, .. } => [path(at)].into_iter().collect(),
            Self::Claims { path: at, wrong } => [
                path(at),
                (String::from("line"), wrong.at.line.into()),
                (String::from("column"), wrong.at.column.into()),
            ]
            .into_iter()
            .collect(),
            Self::Glob { .. } => serde_json::Map::new(),
            Self::ClaimsRead(error) => error.details(),
        }
    }
}

impl Project {
    /// Opens the paper in `folder`, absolute and free of links. A named file of bindings may still be to come.
    pub fn open(folder: &Path, options: &Options) -> Result<Self, ProjectError> {
        let mut files = PaperFiles::new(folder);
        let document = files.document(options.root.as_deref());
        let claims_path = options.claims.clone().unwrap_or_else(|| {
            let root = document
                .as_ref()
                .map_or("", |document| document.root.as_str());
            let beside = folder.join(root);
            beside
                .parent()
                .filter(|_| !root.is_empty())
                .unwrap_or(folder)
                .join(FILE_NAME)
        });
        let text = claims_text(&claims_path)?;
        let claims = text.as_deref().map_or_else(
            || Ok(Claims::default()),
            |text| {
                Claims::read(text).map_err(|wrong| ProjectError::Claims {
                    path: claims_path.clone(),
                    wrong,
                })
            },
        )?;
        if let Some(text) = &text {
            let name = files.name(&claims_path);
            files.digests.insert(name, Digest::of(text.as_bytes()));
        }
        let mut project = Self {
            files,
            document,
            has_claims: text.is_some(),
            claims_path,
            claims,
            settings: Settings::default(),
            evidence: Vec::new(),
            unreadable: Vec::new(),
        };
        project.add_texts();
        project.find_evidence(options)?;
        Ok(project)
    }

    /// Reads the files that are not LaTeX and have bound numbers, such as a report in Markdown.
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

    /// The data root and the files of the evidence.
    fn find_evidence(&mut self, options: &Options) -> Result<(), ProjectError> {
        let beside = self.claims_path.parent().unwrap_or(&self.files.folder);
        let data = &self.claims.data;
        let exclude: Vec<String> = data
            .exclude
            .iter()
            .chain(&options.exclude)
            .cloned()
            .collect();
        for glob in &options.exclude {
            aris_evidence::check_glob(glob).map_err(|error| ProjectError::Glob {
                message: error.message,
            })?;
        }
        let root = aris_fs::lexical(&beside.join(data.root.as_deref().unwrap_or("")));
        self.settings = Settings {
            allowed: self.files.roots().to_vec(),
            files: data.files.clone(),
            views: data.views.clone(),
            exclude,
            root: root.clone(),
        };
        let mut include = data.include.clone().unwrap_or_else(|| {
            let homes = [
                Some(self.files.folder.as_path()),
                self.files.folder.parent(),
            ];
            let homes = homes
                .into_iter()
                .flatten()
                .filter(|home| self.files.allows(home));
            let folders = homes.flat_map(|home| RESULT_FOLDERS.map(|name| home.join(name)));
            let folders = folders.filter(|folder| folder.is_dir());
            folders.map(|folder| below(&folder, &root)).collect()
        });
        for path in &options.results {
            if !path.exists() {
                return Err(ProjectError::Results { path: path.clone() });
            }
            if !self.files.allows(path) {
                return Err(ProjectError::Outside {
                    path: path.clone(),
                    project: self.files.project.clone(),
                });
            }
            include.push(if path.is_dir() {
                below(path, &root)
            } else {
                relative(path, &root)
            });
        }
        (self.evidence, self.unreadable) = aris_evidence::list(&self.settings, &include);
        Ok(())
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

    /// Holds the bindings against paper and data, and hashes every file that they rest on.
    pub fn audit(&mut self) -> Audit {
        let Ok(document) = &self.document else {
            return Audit::default();
        };
        let folder = self.claims_folder();
        let audit = audit(&Request {
            document,
            claims: &self.claims,
            folder: &folder,
            settings: &self.settings,
            limits: &Limits::default(),
        });
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
        audit
    }
}

/// The text of a file of bindings; `None` when it is not there.
pub fn claims_text(path: &Path) -> Result<Option<String>, ProjectError> {
    let limit = u64::try_from(MAX_BYTES).unwrap_or(u64::MAX);
    let bytes = aris_fs::read_optional(path, limit).map_err(ProjectError::ClaimsRead)?;
    let Some(bytes) = bytes else {
        return Ok(None);
    };
    let wide = bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]);
    let text = String::from_utf8(bytes).map_err(|error| ProjectError::ClaimsEncoding {
        path: path.to_path_buf(),
        wide,
        offset: error.utf8_error().valid_up_to(),
    })?;
    Ok(Some(text))
}

/// A glob for everything below a folder.
fn below(folder: &Path, root: &Path) -> String {
    format!("{}/**", relative(folder, root))
}

/// A path relative to the data root, with `..` where it lies elsewhere.
fn relative(path: &Path, root: &Path) -> String {
    let mut ups = String::new();
    for base in root.ancestors() {
        if let Ok(rest) = path.strip_prefix(base) {
            return format!("{ups}{}", rest.display());
        }
        ups.push_str("../");
    }
    path.display().to_string()
}
