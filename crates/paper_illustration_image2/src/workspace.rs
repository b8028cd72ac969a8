//! The folder of the paper, and the illustration's files in it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use aris_cli::Context;
use aris_fs::{FsError, Inside};

use crate::cli::Place;
use crate::error::Error;

/// The output folder, below the workspace.
pub(crate) const FOLDER: &str = "figures/ai_generated";
/// The final image, in the output folder.
pub(crate) const IMAGE: &str = "figure_final.png";
/// Its LaTeX, in the output folder.
pub(crate) const INCLUDE: &str = "latex_include.tex";
/// Its review log, in the output folder.
pub(crate) const LOG: &str = "review_log.json";

/// Most bytes of an image.
pub(crate) const IMAGE_LIMIT: u64 = 256 << 20;

/// Most bytes of the LaTeX file and of the review log.
pub(crate) const TEXT_LIMIT: u64 = 4 << 20;

/// The folder of the paper. It is held open, so that everything read and written below it stays in it, even if links appear
/// meanwhile.
#[derive(Debug)]
pub(crate) struct Workspace {
    /// Links resolved.
    pub(crate) root: PathBuf,
    pub(crate) inside: Inside,
    /// The path as it was given.
    given: PathBuf,
}

impl Workspace {
    pub(crate) fn of(place: &Place, context: &Context) -> Result<Self, Error> {
        let path = place.project.as_deref().unwrap_or(Path::new("."));
        let given = aris_fs::lexical(&context.absolute(path));
        let root = match given.canonicalize() {
            Ok(root) if root.is_dir() => root,
            _ => return Err(Error::Workspace { path: given }),
        };
        let workspace = Self {
            inside: Inside::open(&root)?,
            root,
            given,
        };
        // Before anything is written.
        if let Some(output) = &place.output {
            let names: PathBuf = workspace.names(output, context)?.into_iter().collect();
            let own = [IMAGE, INCLUDE, LOG].map(|name| Path::new(FOLDER).join(name));
            // A PNG may be a candidate of the figure.
            let is_image = names
                .extension()
                .is_some_and(|end| end.eq_ignore_ascii_case("png"));
            // Every result of this program contains this field.
            let is_foreign = || aris_fs::is_foreign(&workspace.root.join(&names), "\"ok\":");
            if own.contains(&names) || is_image || is_foreign()? {
                let path = output.clone();
                return Err(Error::OutputOver { path });
            }
        }
        Ok(workspace)
    }

    /// The path components, relative to the workspace, of a file that the user names.
    fn names(&self, path: &Path, context: &Context) -> Result<Vec<OsString>, Error> {
        let path = aris_fs::lexical(&context.absolute(path));
        let mut roots = [&self.root, &self.given].into_iter();
        let relative = roots.find_map(|root| path.strip_prefix(root).ok());
        let names: Vec<OsString> = relative.into_iter().flatten().map(OsString::from).collect();
        if names.is_empty() {
            let workspace = self.root.clone();
            return Err(Error::OutputOutside { path, workspace });
        }
        Ok(names)
    }

    /// The output folder, absolute.
    pub(crate) fn output(&self) -> PathBuf {
        self.root.join(FOLDER)
    }

    /// `figures/ai_generated`, opened, and created if missing.
    pub(crate) fn create_output(&self) -> Result<Inside, Error> {
        let figures = self.inside.create_folder("figures").map_err(no_link)?;
        figures.create_folder("ai_generated").map_err(no_link)
    }

    /// Writes a file that the user names. It stays below the workspace: links are refused.
    pub(crate) fn write(&self, path: &Path, bytes: &[u8], context: &Context) -> Result<(), Error> {
        let mut folders = self.names(path, context)?;
        let name = folders.pop().unwrap_or_default();
        let mut folder = Inside::open(&self.root)?;
        for name in folders {
            folder = folder.create_folder(&name).map_err(no_link)?;
        }
        folder.lock()?;
        Ok(folder.write(&name.to_string_lossy(), bytes)?)
    }

    /// `figures/ai_generated`, opened; `None` if it does not exist.
    pub(crate) fn open_output(&self) -> Result<Option<Inside>, FsError> {
        let open = || self.inside.folder("figures")?.folder("ai_generated");
        match open() {
            Ok(output) => Ok(Some(output)),
            Err(error) if error.is_not_found() => Ok(None),
            Err(error) => Err(error),
        }
    }
}

/// Reports a link in the way as an error of its own: a file written through it might be anywhere.
pub(crate) fn no_link(error: FsError) -> Error {
    match error {
        FsError::Escapes { path, .. } => Error::Link { path },
        error => Error::Fs(error),
    }
}
