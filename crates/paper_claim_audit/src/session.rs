//! What every command starts with: the paper, its bindings, and where the data are.

use std::ops::{Deref, DerefMut};
use std::path::{Path, PathBuf};

use aris_audit::missing_sources;
use aris_claims::project::{Options, Project, ProjectError};
use aris_cli::Context;
use aris_contract::ErrorKind;
use aris_latex::{Document, ProblemKind};

use crate::artifact::Finding;
use crate::cli::PaperArgs;
use crate::error::Error;

/// Problems of one kind that are listed.
const MOST_PROBLEMS: usize = 50;

/// A paper with its bindings and its data, and what could not be read.
pub(crate) struct Session {
    project: Project,
    pub(crate) findings: Vec<Finding>,
}

impl Deref for Session {
    type Target = Project;

    fn deref(&self) -> &Project {
        &self.project
    }
}

impl DerefMut for Session {
    fn deref_mut(&mut self) -> &mut Project {
        &mut self.project
    }
}

impl Session {
    /// Opens a paper whose named file of bindings must exist.
    pub(crate) fn open(args: &PaperArgs, context: &Context) -> Result<Self, Error> {
        let session = Self::begin(args, context)?;
        if let (Some(root), Err(obstacle)) = (&args.root, &session.project.document)
            && obstacle.id == "no_root_document"
        {
            let path = session.files.folder.join(root);
            let hint = "--root is relative to the paper folder";
            let message = "root document {} does not exist";
            return Err(Error::about(ErrorKind::NotFound, &path, message, hint));
        }
        if !session.has_claims && args.claims.is_some() {
            return Err(ProjectError::ClaimsAbsent(session.project.claims_path).into());
        }
        Ok(session)
    }

    /// Opens a paper whose file of bindings may still be to come.
    pub(crate) fn begin(args: &PaperArgs, context: &Context) -> Result<Self, Error> {
        let real = |path: &PathBuf| {
            let path = aris_fs::lexical(&context.absolute(path));
            path.canonicalize().unwrap_or(path)
        };
        let options = Options {
            claims: args.claims.as_ref().map(real),
            root: args.root.clone(),
            results: args.results.iter().map(real).collect(),
            exclude: args.exclude.clone(),
        };
        let mut project = Project::open(&folder(args, context)?, &options)?;
        if let Err(obstacle) = &mut project.document
            && let Some(name) = wide(&project.files.folder)
        {
            obstacle.message = format!("{name} is UTF-16, which LaTeX does not read");
            obstacle.action = "save it as UTF-8, for example with iconv -f utf-16 -t utf-8";
        }
        let mut findings = Vec::new();
        match &project.document {
            Ok(document) => {
                findings.extend(missing_sources(document).into_iter().map(Finding::from));
                findings.extend(unread(document));
            }
            Err(obstacle) => findings.push(Finding::from(obstacle.as_ref().clone())),
        }
        Ok(Self { project, findings })
    }

    /// The paper. **Errors**: there is none; for commands that make no audit.
    pub(crate) fn require_document(&self) -> Result<&Document, Error> {
        self.document.as_ref().map_err(|obstacle| {
            Error::input(ErrorKind::Validation, &obstacle.message, obstacle.action)
        })
    }
}

/// The paper's folder, links resolved: project, results and traces are where the paper really lies.
fn folder(args: &PaperArgs, context: &Context) -> Result<PathBuf, Error> {
    let usual = Path::new("paper");
    let has_usual = context.absolute(usual).is_dir();
    let usual = if has_usual { usual } else { Path::new(".") };
    let given = args.paper.as_deref().unwrap_or(usual);
    let folder = aris_fs::lexical(&context.absolute(given));
    if !folder.is_dir() {
        let message = "paper folder {} does not exist or is not a folder";
        let hint = "name the folder that holds the paper's LaTeX sources";
        return Err(Error::about(ErrorKind::Usage, &folder, message, hint));
    }
    Ok(folder.canonicalize().unwrap_or(folder))
}

/// A LaTeX file of a folder that is written as UTF-16.
fn wide(folder: &Path) -> Option<String> {
    let files = aris_fs::list_sorted(folder).ok()?.into_iter();
    let mut names = files.map(|file| file.name.to_string_lossy().into_owned());
    names.find(|name| {
        let file = aris_fs::open(&folder.join(name)).and_then(|file| file.head(2));
        let head = file.unwrap_or_default();
        name.contains(".tex") && [[0xff, 0xfe], [0xfe, 0xff]].iter().any(|mark| head == mark)
    })
}

/// Text of the paper that was not read, as findings.
fn unread(document: &Document) -> Vec<Finding> {
    // What is missing of a file is said of its `\\input`; a brace or an `\\end` too many hides nothing.
    let hides = |kind: ProblemKind| {
        !matches!(
            kind,
            ProblemKind::MissingInclude | ProblemKind::ExtraBrace | ProblemKind::ExtraEnd
        )
    };
    let problems = document.problems.iter();
    problems
        .filter(|problem| hides(problem.kind))
        .take(MOST_PROBLEMS)
        .map(|problem| {
            let position = document.position(problem.place);
            let quote = document.quote(problem.place, 120);
            let action = "look at the numbers there yourself; the audit did not see them";
            Finding::new(
                "text_not_read",
                position,
                quote,
                problem.message.clone(),
                action,
            )
        })
        .collect()
}
