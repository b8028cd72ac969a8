//! What every command starts with: the paper, its bindings, and where the data are.

use std::ops::{Deref, DerefMut};
use std::path::PathBuf;

use aris_audit::missing_sources;
use aris_claims::project::{Options, Project, ProjectError};
use aris_cli::Context;
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
            return Err(Error::Root { path });
        }
        if !session.has_claims && args.claims.is_some() {
            let path = session.project.claims_path;
            return Err(ProjectError::ClaimsAbsent { path }.into());
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
        let project = Project::open(&folder(args, context)?, &options)?;
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
        self.document.as_ref().map_err(|obstacle| Error::Document {
            message: obstacle.message.clone(),
            action: obstacle.action.to_owned(),
        })
    }
}

/// The paper's folder, links resolved: project, results and traces are where the paper really lies.
fn folder(args: &PaperArgs, context: &Context) -> Result<PathBuf, Error> {
    let given = args.paper.clone().unwrap_or_else(|| {
        let usual = PathBuf::from("paper");
        if context.absolute(&usual).is_dir() {
            usual
        } else {
            PathBuf::from(".")
        }
    });
    let folder = aris_fs::lexical(&context.absolute(&given));
    if !folder.is_dir() {
        return Err(Error::Paper { path: folder });
    }
    Ok(folder.canonicalize().unwrap_or(folder))
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
            Finding::unread(position, quote, problem.message.clone())
        })
        .collect()
}
