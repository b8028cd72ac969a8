//! The subcommands.

pub(crate) mod layout;
pub(crate) mod render;
pub(crate) mod schema;
pub(crate) mod validate;
pub(crate) mod watch;

use std::path::Path;

use aris_cli::Context;
use aris_figure::Figure;

use crate::cli::RenderArgs;
use crate::error::Error;

/// Most bytes of a figure: 16 MiB, some hundred times a large one.
const LIMIT: u64 = 16 << 20;

/// Whether the picture goes to standard output.
fn is_stdout(args: &RenderArgs) -> bool {
    args.output
        .as_ref()
        .is_some_and(|output| output.file().is_none())
}

fn read(spec: &Path, context: &Context) -> Result<Figure, Error> {
    figure(&bytes(spec, context)?, spec)
}

fn bytes(spec: &Path, context: &Context) -> Result<Vec<u8>, Error> {
    Ok(aris_fs::read(&context.absolute(spec), LIMIT)?)
}

fn figure(bytes: &[u8], spec: &Path) -> Result<Figure, Error> {
    Figure::read(bytes).map_err(|problems| Error::Invalid {
        path: spec.to_path_buf(),
        problems,
    })
}
