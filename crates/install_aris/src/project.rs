//! The project: its paths, what is at them, and whether they may be changed.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use aris_cli::Context;
use aris_contract::artifact::install::{CANONICAL_SKILLS, CLAUDE_SKILLS};

use crate::cli::Cli;
use crate::error::Error;
use crate::plan::KEPT;

/// Lock and journal of a running installer, relative to the project.
pub(crate) const JOURNAL: &str = ".aris-install.journal";

/// Folders that must not be links (rule S9), outer ones first.
const OWN: [&str; 6] = [
    ".aris",
    KEPT,
    ".agents",
    CANONICAL_SKILLS,
    ".claude",
    CLAUDE_SKILLS,
];

/// A project folder.
#[derive(Debug)]
pub(crate) struct Project {
    /// Absolute, with links resolved.
    pub(crate) root: PathBuf,
    /// `root` as text.
    pub(crate) text: String,
    /// Whether it is the user's home, which gets skills for all projects and no instruction files.
    pub(crate) is_home: bool,
}

/// What is at a path; links are not followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    Absent,
    /// A link, with its text.
    Link(PathBuf),
    File,
    Folder,
    /// A FIFO, socket or device, or something that cannot be examined.
    Special,
    /// A parent of the path is a link or is not a folder. Holds that parent's path.
    Behind(String),
}

impl Shape {
    /// The kind with its article, for messages.
    pub(crate) fn describe(&self) -> String {
        match self {
            Self::Absent => String::from("absent"),
            Self::Link(target) => format!("a link to {}", target.display()),
            Self::File => String::from("a file"),
            Self::Folder => String::from("a folder"),
            Self::Special => String::from("a special file"),
            Self::Behind(parent) => format!("behind {parent}, which is not a folder"),
        }
    }
}

impl Project {
    /// The project that the arguments name.
    pub(crate) fn find(cli: &Cli, context: &Context) -> Result<Self, Error> {
        let home = context.env("HOME").map(Path::new);
        let named = match (
            cli.project.as_ref().or(cli.project_option.as_ref()),
            cli.user,
        ) {
            (_, true) => home.ok_or(Error::Home)?.to_path_buf(),
            (Some(path), false) => context.absolute(path),
            (None, false) => context.cwd().to_path_buf(),
        };
        let root = fs::canonicalize(&named).ok().filter(|root| root.is_dir());
        let root = root.ok_or(Error::Project(named))?;
        let home = home.and_then(|home| fs::canonicalize(home).ok());
        let is_home = home.is_some_and(|home| home == root);
        Ok(Self {
            text: recordable(&root)?,
            root,
            is_home,
        })
    }

    /// A path below the project.
    pub(crate) fn at(&self, relative: &str) -> PathBuf {
        self.root.join(relative)
    }

    /// Rule S9: the folders that an install changes must belong to the project and not be links.
    pub(crate) fn check_parents(&self) -> Result<(), Error> {
        for relative in OWN {
            let path = self.at(relative);
            let found = match self.shape(relative) {
                Shape::Absent | Shape::Folder => continue,
                Shape::Link(_) => "a symbolic link",
                Shape::File | Shape::Special | Shape::Behind(_) => "not a folder",
            };
            return Err(Error::Parent { path, found });
        }
        Ok(())
    }

    /// What is at a path below the project. Never follows links.
    pub(crate) fn shape(&self, relative: &str) -> Shape {
        for (at, _) in relative.match_indices('/') {
            let parent = relative.get(..at).unwrap_or_default();
            match shape_of(&self.at(parent)) {
                Shape::Folder => {}
                Shape::Absent => return Shape::Absent,
                _ => return Shape::Behind(parent.to_owned()),
            }
        }
        shape_of(&self.at(relative))
    }

    /// The git top level above the project, when the project is a subfolder of another repository.
    pub(crate) fn outer_repository(&self) -> Option<&Path> {
        if self.root.join(".git").exists() {
            return None;
        }
        let mut above = self.root.ancestors().skip(1);
        above.find(|folder| folder.join(".git").exists())
    }
}

fn shape_of(path: &Path) -> Shape {
    match fs::symlink_metadata(path) {
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            Shape::Absent
        }
        Ok(found) if found.is_symlink() => fs::read_link(path).map_or(Shape::Special, Shape::Link),
        Ok(found) if found.is_dir() => Shape::Folder,
        Ok(found) if found.is_file() => Shape::File,
        // Not `Absent`: something that cannot be examined may exist.
        Ok(_) | Err(_) => Shape::Special,
    }
}

/// A path as the manifests store it: UTF-8 on one line, without tabs.
pub(crate) fn recordable(path: &Path) -> Result<String, Error> {
    match path.to_str() {
        Some(text) if !text.contains(['\t', '\n', '\r']) => Ok(text.to_owned()),
        _ => Err(Error::Unrecordable(path.to_path_buf())),
    }
}
