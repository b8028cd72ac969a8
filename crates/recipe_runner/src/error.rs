//! Errors.

use std::fmt::Display;
use std::path::{Path, PathBuf};

use aris_attempt::AttemptError;
use aris_contract::failure::ErrorBody;
use aris_contract::{ErrorKind, Failure};
use aris_fs::FsError;
use aris_recipe::Finding;
use aris_yaml::problem::{Problem, SHOWN_PROBLEMS};
use serde_json::{Map, Value, json};

/// Errors of `recipe_runner`. What is wrong with a recipe that can be loaded is in its report, never here.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The file is no recipe, or its sub-recipes cannot be put into it.
    #[error("{}: {}", at(path, findings), first(findings))]
    Recipe {
        /// The path.
        path: PathBuf,
        /// What is wrong; not empty.
        findings: Vec<Finding>,
    },
    /// Every other error, as it is reported.
    #[error("{}", .0.message)]
    Told(Box<ErrorBody>),
}

macro_rules! told {
    ($($error:ty),*) => {$(
        impl From<$error> for Error {
            fn from(error: $error) -> Self {
                Self::Told(Box::new(ErrorBody::of(&error)))
            }
        }
    )*};
}

told!(FsError, AttemptError);

impl Error {
    /// The error that a named file, of the kind `what`, is absent.
    pub(crate) fn no_file(path: &Path, what: &str) -> Self {
        let place = path.display();
        let reason = format!("{what} {place} does not exist or is not a file");
        let hint = match what {
            "state" => "begin a run with recipe_runner run FILE --state STATE",
            "recipe" => {
                "name the file of the recipe; for a run whose recipe was moved: recipe_runner resume --state STATE --recipe FILE"
            }
            "data file" => "correct the path that the option or the recipe's `manifest` names",
            _ => "name a regular file",
        };
        Self::refused_at(path, ErrorKind::NotFound, reason, hint)
    }

    /// The error that a named file cannot be read.
    pub(crate) fn of_named(path: &Path, what: &'static str, error: FsError) -> Self {
        if error.is_not_found() {
            Self::no_file(path, what)
        } else {
            error.into()
        }
    }

    /// An error with this message and hint.
    pub(crate) fn refused(kind: ErrorKind, reason: String, hint: impl AsRef<str>) -> Self {
        Self::Told(Box::new(ErrorBody::new(kind, reason, hint.as_ref())))
    }

    /// The same about a file.
    pub(crate) fn refused_at(path: &Path, kind: ErrorKind, reason: String, hint: &str) -> Self {
        Self::refused(kind, reason, hint).with("path", path.display().to_string())
    }

    /// Adds a detail for programs.
    pub(crate) fn with(mut self, key: &str, value: impl Into<Value>) -> Self {
        if let Self::Told(body) = &mut self {
            body.details.insert(key.to_owned(), value.into());
        }
        self
    }

    /// The error that something given cannot be used.
    pub(crate) fn input(reason: String, hint: impl AsRef<str>) -> Self {
        Self::refused(ErrorKind::Usage, reason, hint)
    }

    /// The error that a file is malformed.
    pub(crate) fn malformed(path: &Path, reason: impl Display) -> Self {
        let reason = format!("{}: {reason}", path.display());
        Self::refused_at(path, ErrorKind::Validation, reason, "correct the file")
    }

    /// The error that a file that a recipe is checked with is malformed; `problems` are in the order of the file.
    pub(crate) fn data(path: &Path, problems: &[Problem]) -> Self {
        let told = problems.iter().take(SHOWN_PROBLEMS).map(|problem| {
            let Problem { line, message, .. } = problem;
            format!("{}:{line}: {message}", path.display())
        });
        let more = problems.len().saturating_sub(SHOWN_PROBLEMS);
        let more = (more > 0).then(|| format!("and {more} more mistakes"));
        let reason = told.chain(more).collect::<Vec<_>>().join("; ");
        let mut hints = problems.iter().filter_map(|one| one.hint.as_deref());
        let hint = hints.next().unwrap_or("correct the file at that line");
        Self::refused_at(path, ErrorKind::Validation, reason, hint)
            .with("line", problems.first().map_or(0, |problem| problem.line))
            .with("problems", json!(problems))
    }

    /// The error that the work of a step could not be started.
    pub(crate) fn not_started(step: impl Display, reason: impl Display) -> Self {
        let reason = format!("step {step} could not be started: {reason}");
        let hint = "correct that and continue with recipe_runner resume";
        Self::refused(ErrorKind::Precondition, reason, hint)
    }

    /// The error that a file is not a recipe, or that its parts do not fit.
    pub(crate) fn recipe(path: &Path, finding: Finding) -> Self {
        Self::Recipe {
            path: path.to_path_buf(),
            findings: vec![finding],
        }
    }
}

fn at(path: &Path, findings: &[Finding]) -> String {
    let first = findings.first();
    let file = first.and_then(|finding| finding.file.clone());
    let file = file.unwrap_or_else(|| path.display().to_string());
    match first.and_then(|finding| finding.line) {
        Some(line) => format!("{file}:{line}"),
        None => file,
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
            Self::Told(body) => body.kind,
            Self::Recipe { .. } => ErrorKind::Validation,
        }
    }

    fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Told(body) => return body.hint.clone(),
            Self::Recipe { findings, .. } if findings.len() > 1 => {
                "correct the recipe; recipe_runner validate lists everything that is wrong with it"
            }
            Self::Recipe { .. } => "correct the recipe",
        };
        Some(hint.to_owned())
    }

    fn details(&self) -> Map<String, Value> {
        match self {
            Self::Told(body) => body.details.clone(),
            Self::Recipe { path, findings } => {
                let path = Value::from(path.display().to_string());
                let details = [("path", path), ("findings", json!(findings))];
                Map::from_iter(details.map(|(key, value)| (key.to_owned(), value)))
            }
        }
    }
}
