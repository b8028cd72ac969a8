//! `render`: draws a figure as pictures.

use std::path::{Path, PathBuf};

use aris_cli::{Context, Outcome};
use aris_figure::{Figure, pdf, png};
use aris_fs::Form;
use clap::ValueEnum as _;

use super::{is_stdout, read};
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

/// Writes all pictures or none: every picture is drawn before the first is written.
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
    for (format, path) in targets.iter().filter(|_| !is_stdout(args)) {
        let form = match format {
            Format::Svg => Form::Begins(&[b"<svg", b"<?xml"]),
            Format::Pdf => Form::Begins(&[b"%PDF-"]),
            Format::Png => Form::Begins(&[b"\x89PNG"]),
        };
        aris_fs::check_output(&context.absolute(path), form, &[])?;
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
    let mut stdout = None;
    for (format, path, bytes) in drawn {
        let size = bytes.len();
        if is_stdout(args) {
            stdout = Some(bytes);
        } else {
            write(&context.absolute(path), &bytes)?;
        }
        pictures.push(Picture {
            path: path.display().to_string(),
            format: format.extension(),
            bytes: size,
        });
    }
    Ok(Rendered {
        pictures,
        stdout,
        laid_out: figure.is_laid_out(),
        problems,
    })
}

/// Writes a file and creates missing folders.
pub(super) fn write(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    Ok(aris_fs::write_output(path, bytes)?)
}

/// The pictures to draw and their paths. **Errors**: a path is that of the figure or of another picture, or contradicts the
/// options.
pub(super) fn targets(
    args: &RenderArgs,
    context: &Context,
) -> Result<Vec<(Format, PathBuf)>, Error> {
    let base = args.output.as_deref().unwrap_or(&args.spec);
    let extension = args.output.as_ref().and_then(|path| path.extension());
    let is_named = |format: &&Format| {
        extension.is_some_and(|extension| extension.eq_ignore_ascii_case(format.extension()))
    };
    let named = Format::value_variants().iter().find(is_named).copied();
    let mut formats = args.format.clone();
    if formats.is_empty() {
        let format = named.or_else(|| extension.is_none().then_some(Format::Svg));
        formats.push(format.ok_or_else(|| Error::Kind {
            path: base.to_path_buf(),
        })?);
    }
    let single = formats.len() == 1 && args.output.is_some();
    if args.preview {
        formats.push(Format::Png);
    }
    if is_stdout(args) {
        let what = if context.json() {
            "the answer of --json and the picture are both for standard output"
        } else if formats.len() > 1 {
            "standard output holds one picture, and several are asked for"
        } else {
            return Ok(formats
                .into_iter()
                .map(|format| (format, base.to_path_buf()))
                .collect());
        };
        let what = String::from(what);
        let hint = "name a file with --output";
        return Err(Error::Contradiction { what, hint });
    }
    if named.is_some_and(|named| !formats.contains(&named)) {
        let kinds: Vec<&str> = formats.iter().map(|format| format.extension()).collect();
        return Err(Error::Contradiction {
            what: format!(
                "the name {} does not fit --format {}",
                base.display(),
                kinds.join(",")
            ),
            hint: "end the name as --format says, or leave out --format",
        });
    }
    let spec = context.absolute(&args.spec);
    let mut targets: Vec<(Format, PathBuf)> = Vec::new();
    for (index, format) in formats.into_iter().enumerate() {
        let path = if single && index == 0 {
            base.to_path_buf()
        } else {
            base.with_extension(format.extension())
        };
        // A folder gets its own error later.
        if aris_fs::real(&context.absolute(&path)) == aris_fs::real(&spec) && !spec.is_dir() {
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
