//! `render`: a figure as pictures.

use std::path::{Path, PathBuf};

use aris_cli::{Context, Outcome};
use aris_figure::{Figure, pdf, png};
use clap::ValueEnum as _;

use super::read;
use crate::cli::{Format, RenderArgs};
use crate::error::Error;
use crate::report::{Picture, Rendered};

pub(crate) fn run(args: &RenderArgs, context: &Context) -> Result<Outcome<Rendered>, Error> {
    let targets = targets(args, context)?;
    let figure = read(&args.spec, context)?;
    let rendered = draw(args, &targets, &figure, context)?;
    let found = args.strict && !rendered.problems.is_empty();
    Ok(Outcome::found(rendered, found))
}

/// Writes all pictures, or none: what cannot be drawn is known before the first is written.
pub(super) fn draw(
    args: &RenderArgs,
    targets: &[(Format, PathBuf)],
    figure: &Figure,
    context: &Context,
) -> Result<Rendered, Error> {
    let problems = figure.problems(args.column.column_width);
    for problem in &problems {
        context.warn(&format!("{}:{problem}", args.spec.display()));
    }
    let svg = figure.svg();
    let mut drawn = Vec::new();
    for (format, path) in targets {
        let bytes = match format {
            Format::Svg => Ok(svg.clone().into_bytes()),
            Format::Pdf => pdf(&svg, figure.title()),
            Format::Png => png(&svg, args.dpi),
        };
        let bytes = bytes.map_err(|error| Error::Picture {
            path: args.spec.clone(),
            format: format.extension(),
            error,
        })?;
        drawn.push((*format, path, bytes));
    }
    let mut pictures = Vec::new();
    for (format, path, bytes) in drawn {
        write(&context.absolute(path), &bytes)?;
        pictures.push(Picture {
            path: path.display().to_string(),
            format: format.extension(),
            bytes: bytes.len(),
        });
    }
    Ok(Rendered {
        pictures,
        laid_out: figure.is_laid_out(),
        problems,
    })
}

/// Writes a file, with the folders above it.
pub(super) fn write(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    if let Some(folder) = path.parent() {
        aris_fs::create_dir(folder)?;
    }
    Ok(aris_fs::write_atomic(path, bytes)?)
}

/// Which pictures go where. None of them is the figure itself.
pub(super) fn targets(
    args: &RenderArgs,
    context: &Context,
) -> Result<Vec<(Format, PathBuf)>, Error> {
    let base = args.output.as_ref().unwrap_or(&args.spec);
    let mut formats = args.format.clone();
    if formats.is_empty() {
        let extension = args.output.as_ref().and_then(|path| path.extension());
        let named = |format: &Format| {
            extension.is_none_or(|extension| extension.eq_ignore_ascii_case(format.extension()))
        };
        let format = Format::value_variants().iter().copied().find(named);
        formats.push(format.ok_or_else(|| Error::Kind { path: base.clone() })?);
    }
    let single = formats.len() == 1 && args.output.is_some();
    if args.preview {
        formats.push(Format::Png);
    }
    let mut targets: Vec<(Format, PathBuf)> = Vec::new();
    for (index, format) in formats.into_iter().enumerate() {
        let path = if single && index == 0 {
            base.clone()
        } else {
            base.with_extension(format.extension())
        };
        if aris_fs::real(&context.absolute(&path)) == aris_fs::real(&context.absolute(&args.spec)) {
            let over = "the figure itself";
            return Err(Error::Over { path, over });
        }
        match targets.iter().find(|(_, other)| *other == path) {
            None => targets.push((format, path)),
            Some((other, _)) if *other == format => {}
            Some(_) => {
                let over = "another picture";
                return Err(Error::Over { path, over });
            }
        }
    }
    Ok(targets)
}
