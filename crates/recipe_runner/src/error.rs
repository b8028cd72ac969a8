//! Why there is no answer.

use std::fmt::Display;
use std::path::{Path, PathBuf};

use aris_contract::{ErrorKind, Failure};
use aris_fs::FsError;
use aris_recipe::Finding;
use aris_yaml::problem::{Problem, SHOWN_PROBLEMS};
use serde_json::{Map, Value};

/// Errors of `recipe_runner`. What is wrong with a recipe that can be loaded is in its report, never here.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No subcommand was given.
    #[error("a command is missing")]
    NoCommand,
    /// A file that a recipe is checked against is malformed.
    #[error("{}", told(path, problems))]
    Data {
        /// The path.
        path: PathBuf,
        /// What is wrong, at least one, in the order of the file.
        problems: Vec<Problem>,
    },
    /// What only one place refuses, in its words.
    #[error("{reason}")]
    Refused {
        /// Its class.
        kind: ErrorKind,
        /// What is wrong.
        reason: String,
        /// What to do.
        hint: String,
        /// The file that it is about.
        path: Option<PathBuf>,
    },
    /// The step is not the one whose outcome is needed.
    #[error("{}, not step {step}", cursor.as_ref().map_or_else(|| String::from("the run has ended and needs no outcome"), |at| format!("the run is waiting for step {at}")))]
    NotAtCursor {
        /// The step.
        step: String,
        /// Where the run stands.
        cursor: Option<String>,
    },
    /// The disk refused.
    #[error(transparent)]
    Fs(#[from] FsError),
    /// An attempt cannot be started or looked at.
    #[error(transparent)]
    Attempt(#[from] aris_attempt::AttemptError),
    /// The file is no recipe, or its sub-recipes cannot be put into it.
    #[error("{}: {}", at(path, findings), first(findings))]
    Recipe {
        /// The path.
        path: PathBuf,
        /// What is wrong; not empty.
        findings: Vec<Finding>,
    },
}

impl Error {
    /// There is no such file, which should be that.
    pub(crate) fn no_file(path: &Path, what: &str) -> Self {
        let place = path.display();
        let reason = format!("{what} {place} does not exist or is not a file");
        let hint = match what {
            "state" => "begin a run with recipe_runner run FILE --state STATE",
            _ => "name a regular file",
        };
        Self::refused_at(path, ErrorKind::NotFound, reason, hint)
    }

    /// A file that somebody named cannot be read.
    pub(crate) fn of_named(path: &Path, what: &'static str, error: FsError) -> Self {
        if error.is_not_found() {
            Self::no_file(path, what)
        } else {
            Self::Fs(error)
        }
    }

    /// See [`Error::Refused`].
    pub(crate) fn refused(kind: ErrorKind, reason: String, hint: impl Into<String>) -> Self {
        Self::Refused {
            kind,
            reason,
            hint: hint.into(),
            path: None,
        }
    }

    /// The same about a file.
    pub(crate) fn refused_at(path: &Path, kind: ErrorKind, reason: String, hint: &str) -> Self {
        Self::Refused {
            kind,
            reason,
            hint: hint.to_owned(),
            path: Some(path.to_path_buf()),
        }
    }

    /// What was given cannot be used.
    pub(crate) fn input(reason: String, hint: impl Into<String>) -> Self {
        Self::refused(ErrorKind::Usage, reason, hint)
    }

    /// A file is not what it must be.
    pub(crate) fn malformed(path: &Path, reason: impl Display) -> Self {
        let reason = format!("{}: {reason}", path.display());
        Self::refused_at(path, ErrorKind::Validation, reason, "correct the file")
    }

    /// The work of a step could not be begun.
    pub(crate) fn not_started(step: impl Display, reason: impl Display) -> Self {
        let reason = format!("step {step} could not be started: {reason}");
        let hint = "correct that and continue with recipe_runner resume";
        Self::refused(ErrorKind::Precondition, reason, hint)
    }

    /// A recipe is none, or its parts do not fit.
    pub(crate) fn recipe(path: &Path, finding: Finding) -> Self {
        Self::Recipe {
            path: path.to_path_buf(),
            findings: vec![finding],
        }
    }
}

fn told(path: &Path, problems: &[Problem]) -> String {
    let told = problems.iter().take(SHOWN_PROBLEMS).map(|problem| {
        let Problem { line, message, .. } = problem;
        format!("{}:{line}: {message}", path.display())
    });
    let more = problems.len().saturating_sub(SHOWN_PROBLEMS);
    let more = (more > 0).then(|| format!("and {more} more mistakes"));
    told.chain(more).collect::<Vec<_>>().join("; ")
}

fn at(path: &Path, findings: &[Finding]) -> String {
    match findings.first().and_then(|finding| finding.line) {
        Some(line) => format!("{}:{line}", path.display()),
        None => path.display().to_string(),
    }
}

fn first(findings: &[Finding]) -> String {
    let Some(finding) = findings.first() else {
        return String::from("the recipe is invalid");
    };
    let step = match finding.step.as_str() {
        "" => String::new(),
        step => format!("step {step}: "),
    };
    let more = match findings.len() {
        0 | 1 => String::new(),
        count => format!(" (and {} more)", count - 1),
    };
    format!("{step}{} ({}){more}", finding.message, finding.rule)
}

impl Failure for Error {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::NoCommand => ErrorKind::Usage,
            Self::Refused { kind, .. } => *kind,
            Self::Fs(error) => error.kind(),
            Self::Attempt(error) => error.kind(),
            Self::Recipe { .. } | Self::Data { .. } | Self::NotAtCursor { .. } => {
                ErrorKind::Validation
            }
        }
    }

    fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Fs(error) => return error.hint(),
            Self::Attempt(error) => return error.hint(),
            Self::Refused { hint, .. } => return Some(hint.clone()),
            Self::NoCommand => {
                "one of validate, graph, run, resume, next, complete, status, logs, timeline, cancel; recipe_runner --example prints a recipe to begin with"
            }
            Self::Recipe { findings, .. } if findings.len() > 1 => {
                "correct the recipe; recipe_runner validate lists everything that is wrong with it"
            }
            Self::Recipe { .. } => "correct the recipe",
            Self::Data { problems, .. } => {
                let mut hints = problems
                    .iter()
                    .filter_map(|problem| problem.hint.as_deref());
                hints.next().unwrap_or("correct that line of the file")
            }
            Self::NotAtCursor { .. } => "recipe_runner next prints the step",
        };
        Some(hint.to_owned())
    }

    fn details(&self) -> Map<String, Value> {
        let mut details = match self {
            Self::Fs(error) => error.details(),
            Self::Attempt(error) => error.details(),
            _ => Map::new(),
        };
        let mut add = |key: &str, value: Value| details.insert(key.to_owned(), value);
        match self {
            Self::Refused {
                path: Some(path), ..
            }
            | Self::Data { path, .. }
            | Self::Recipe { path, .. } => {
                add("path", Value::from(path.display().to_string()));
            }
            _ => {}
        }
        match self {
            Self::Data { problems, .. } => {
                let first = problems.first().map_or(0, |problem| problem.line);
                add("line", Value::from(first));
                add("problems", serde_json::json!(problems));
            }
            Self::Recipe { findings, .. } => {
                add("findings", serde_json::json!(findings));
            }
            Self::NotAtCursor { step, cursor } => {
                add("step", Value::from(step.as_str()));
                add("cursor", Value::from(cursor.as_deref()));
            }
            _ => {}
        }
        details
    }
}
