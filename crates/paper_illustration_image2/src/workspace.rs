//! The folder of the paper, and where the illustration's files lie in it.

use std::path::{Path, PathBuf};

use aris_cli::Context;

use crate::cli::Place;
use crate::error::Error;

/// The folder of the paper, links resolved.
#[derive(Clone, Debug)]
pub(crate) struct Workspace {
    pub(crate) root: PathBuf,
}

impl Workspace {
    pub(crate) fn of(place: &Place, context: &Context) -> Result<Self, Error> {
        let path = place.workspace.as_deref().unwrap_or(Path::new("."));
        let path = aris_fs::lexical(&context.absolute(path));
        match path.canonicalize() {
            Ok(root) if root.is_dir() => Ok(Self { root }),
            _ => Err(Error::Workspace { path }),
        }
    }

    /// `figures/ai_generated`.
    pub(crate) fn output(&self) -> PathBuf {
        self.root.join("figures").join("ai_generated")
    }

    pub(crate) fn final_image(&self) -> PathBuf {
        self.output().join("figure_final.png")
    }

    pub(crate) fn latex_include(&self) -> PathBuf {
        self.output().join("latex_include.tex")
    }

    pub(crate) fn review_log(&self) -> PathBuf {
        self.output().join("review_log.json")
    }
}
