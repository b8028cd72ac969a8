//! The start of every command: opens the paper and its bindings, and finds the data.

use std::path::PathBuf;

use aris_audit::project::paper_folder;
use aris_claims::project::{Options, Project, ProjectError};
use aris_cli::Context;
use aris_contract::ErrorKind;
use aris_latex::Document;

use crate::cli::PaperArgs;
use crate::error::Error;

/// Opens a paper. A file of bindings that the user named must exist.
pub(crate) fn open(args: &PaperArgs, context: &Context) -> Result<Project, Error> {
    let project = begin(args, context)?;
    if let (Some(root), Err(obstacle)) = (&args.root, &project.document)
        && obstacle.id == "no_root_document"
    {
        let path = project.files.folder.join(root);
        let hint = "--root is relative to the paper folder";
        let message = "root document {} does not exist";
        return Err(ProjectError::about(ErrorKind::NotFound, &path, message, hint).into());
    }
    if !project.has_claims && args.claims.is_some() {
        return Err(ProjectError::no_claims(&project.claims_path).into());
    }
    Ok(project)
}

/// Opens a paper. The file of bindings need not exist yet.
pub(crate) fn begin(args: &PaperArgs, context: &Context) -> Result<Project, Error> {
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
    Ok(Project::open(&folder(args, context)?, &options)?)
}

/// The document, for commands that make no audit. **Errors**: it cannot be read.
pub(crate) fn document(project: &Project) -> Result<&Document, Error> {
    project.document.as_ref().map_err(|obstacle| {
        ProjectError::input(ErrorKind::Validation, &obstacle.message, obstacle.action).into()
    })
}

/// The paper's real folder, because project, results and traces are where the paper really lies.
fn folder(args: &PaperArgs, context: &Context) -> Result<PathBuf, Error> {
    let folder = paper_folder(args.paper.as_deref(), context.cwd()).map_err(|folder| {
        let message = aris_fs::no_folder(&folder);
        let hint = "name the folder that holds the paper's LaTeX sources";
        let kind = if folder.exists() {
            ErrorKind::Validation
        } else {
            ErrorKind::NotFound
        };
        ProjectError::about(kind, &folder, &message, hint)
    })?;
    Ok(folder.canonicalize().unwrap_or(folder))
}
