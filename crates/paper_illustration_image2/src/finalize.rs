//! Makes the accepted image the final one.

use std::path::{Path, PathBuf};

use aris_audit::Digest;
use aris_cli::Context;
use aris_contract::{json, time};
use aris_fs::{FsError, Inside};
use serde_json::{Map, Value};

use crate::cli::Finalize;
use crate::error::Error;
use crate::report::{Artifacts, FinalizeResult, Pending, REVIEW_LOG, ReadLog, ReviewLog};
use crate::workspace::{IMAGE, IMAGE_LIMIT, INCLUDE, LOG, TEXT_LIMIT, Workspace, no_link};
use crate::{include, picture, verify};

/// Dots per inch that publishers ask for in pictures without line art.
///
/// **Source**: the artwork instructions of Elsevier (halftones: 300 dpi) and of the IEEE (colour and greyscale: 300 dpi).
const GOOD_DPI: u32 = 300;

/// Checks the accepted image and writes the three files. The review log comes last, so that it never refers to a missing file.
pub(crate) fn run(args: &Finalize, context: &Context) -> Result<FinalizeResult, Error> {
    let workspace = Workspace::of(&args.place, context)?;
    if !include::is_label(&args.label) {
        let label = args.label.clone();
        return Err(Error::Label { label });
    }
    let caption = match &args.caption_tex {
        Some(latex) => match include::flaw(latex) {
            Some((line, column, why)) => return Err(Error::Caption { line, column, why }),
            None => latex.trim().to_owned(),
        },
        None => include::escaped(&args.caption),
    };
    let (best, bytes) = accepted(args, &workspace, context)?;
    if let Some(path) = &args.place.output
        && context
            .absolute(path)
            .canonicalize()
            .is_ok_and(|path| path == best)
    {
        let path = path.clone();
        return Err(Error::OutputOver { path });
    }
    let image = |why: String| Error::Image {
        path: best.clone(),
        why,
    };
    let picture = picture::decode(&bytes).map_err(image)?;
    if picture.blank {
        return Err(image(String::from(
            "every pixel is the same; nothing is drawn",
        )));
    }
    let dpi = picture.dpi(args.print_width);
    if dpi < args.min_dpi {
        return Err(Error::Coarse {
            path: best,
            width: picture.width,
            millimetres: args.print_width,
            dpi,
            wanted: args.min_dpi,
        });
    }
    let mut warnings = Vec::new();
    if dpi < GOOD_DPI {
        warnings.push(format!(
            "{dpi} dots per inch at {} mm; publishers ask for {GOOD_DPI}",
            args.print_width
        ));
    }
    if picture.transparent {
        warnings.push(String::from(
            "the image has transparency, which some publishers refuse; look at it on white",
        ));
    }
    verify::placeholders(&caption, &args.label, &mut warnings);
    let output = workspace.create_output()?;
    output.lock()?;
    let (last, old_log) = last_log(&output)?;
    keep_foreign_image(&output, &last, &bytes, &mut warnings)?;
    let latex = include::text(&caption, &args.label);
    let latex_path = output.path().join(INCLUDE);
    let edited = match there(&output, INCLUDE, TEXT_LIMIT)? {
        Some(old) if old != latex.as_bytes() => {
            let digest = Digest::of(&old).hex();
            last.latex_include_sha256.as_ref() != Some(&digest)
                && !(last.pending.iter()).any(|one| one.latex_include_sha256 == digest)
        }
        _ => false,
    };
    let next = Pending {
        final_sha256: Digest::of(&bytes).hex(),
        latex_include_sha256: Digest::of(latex.as_bytes()).hex(),
    };
    if !is_same(&output, IMAGE, &bytes)?
        || !(edited || is_same(&output, INCLUDE, latex.as_bytes())?)
    {
        announce(&output, old_log, last.pending, next.clone())?;
    }
    put(&output, IMAGE, &bytes)?;
    if edited {
        warnings.push(format!(
            "{} was edited and is kept; remove it to have it written again",
            latex_path.display()
        ));
    } else {
        put(&output, INCLUDE, latex.as_bytes())?;
    }
    let mut log = ReviewLog {
        schema: REVIEW_LOG.to_owned(),
        ok: true,
        finalized_at: time::stamp(context.now()),
        workspace: workspace.root.display().to_string(),
        best_image: best.display().to_string(),
        final_image: output.path().join(IMAGE).display().to_string(),
        final_sha256: next.final_sha256,
        latex_include_sha256: next.latex_include_sha256,
        width: picture.width,
        height: picture.height,
        print_width_mm: args.print_width,
        dpi,
        score: args.score,
        review_summary: args.review_summary.clone(),
        caption: args
            .caption_tex
            .clone()
            .unwrap_or_else(|| args.caption.clone()),
        caption_tex: args.caption_tex.is_some(),
        label: args.label.clone(),
    };
    // The same finalisation again keeps its time stamp.
    let again = ReviewLog {
        finalized_at: last.finalized_at,
        ..log.clone()
    };
    if is_same(&output, LOG, &json::pretty(&again)?)? {
        log = again;
    } else {
        output.write(LOG, &json::pretty(&log)?)?;
    }
    Ok(FinalizeResult {
        ok: true,
        workspace: log.workspace,
        artifacts: Artifacts {
            figure_final: log.final_image,
            latex_include: latex_path.display().to_string(),
            review_log: output.path().join(LOG).display().to_string(),
        },
        score: log.score,
        review_summary: log.review_summary,
        finalized_at: log.finalized_at,
        final_sha256: log.final_sha256,
        dpi,
        warnings,
    })
}

/// The accepted image, links resolved, and its bytes.
fn accepted(
    args: &Finalize,
    workspace: &Workspace,
    context: &Context,
) -> Result<(PathBuf, Vec<u8>), Error> {
    let named = context.absolute(&args.best_image);
    let candidates = [named.clone(), workspace.root.join(&args.best_image)];
    let path = candidates
        .iter()
        .find_map(|path| path.canonicalize().ok())
        .ok_or(Error::NoImage {
            path: named.clone(),
        })?;
    let outside = || Error::Outside {
        path: path.clone(),
        workspace: workspace.root.clone(),
    };
    let bytes = match path.strip_prefix(&workspace.root) {
        // Read through the open folder, so that a link that appears meanwhile is not followed.
        Ok(relative) => match workspace.inside.read(relative, IMAGE_LIMIT) {
            Ok(Some(bytes)) => bytes,
            Ok(None) => return Err(Error::NoImage { path: named }),
            Err(FsError::Escapes { .. }) => return Err(outside()),
            Err(error) => return Err(error.into()),
        },
        Err(_) if args.outside => aris_fs::read(&path, IMAGE_LIMIT)?,
        Err(_) => return Err(outside()),
    };
    Ok((path, bytes))
}

/// The log of the last finalisation, parsed and as raw JSON; both empty if there is none or it cannot be read.
fn last_log(output: &Inside) -> Result<(ReadLog, Map<String, Value>), Error> {
    let text = there(output, LOG, TEXT_LIMIT)?.unwrap_or_default();
    Ok((
        serde_json::from_slice(&text).unwrap_or_default(),
        serde_json::from_slice(&text).unwrap_or_default(),
    ))
}

/// Adds to the log what is about to be written.
fn announce(
    output: &Inside,
    mut log: Map<String, Value>,
    mut pending: Vec<Pending>,
    next: Pending,
) -> Result<(), Error> {
    pending.push(next);
    log.entry("ok").or_insert(Value::Bool(false));
    log.insert(String::from("pending"), serde_json::to_value(pending)?);
    output.write(LOG, &json::pretty(&log)?)?;
    Ok(())
}

/// Saves a final image under another name if it is not the one finalised last: a person may have worked on it.
fn keep_foreign_image(
    output: &Inside,
    last: &ReadLog,
    new: &[u8],
    warnings: &mut Vec<String>,
) -> Result<(), Error> {
    let Some(old) = there(output, IMAGE, IMAGE_LIMIT)? else {
        return Ok(());
    };
    let digest = Digest::of(&old).hex();
    let pending = last.pending.iter().any(|one| one.final_sha256 == digest);
    if old == new || pending || last.final_sha256.as_deref() == Some(&digest) {
        return Ok(());
    }
    let name = format!(
        "figure_final.kept-{}.png",
        digest.get(..8).unwrap_or(&digest)
    );
    put(output, &name, &old)?;
    warnings.push(format!(
        "figure_final.png was not the one that was finalised last; it is kept as {}",
        output.path().join(name).display()
    ));
    Ok(())
}

/// The content of a file in the output folder; `None` if it does not exist. **Errors**: a link in its place.
fn there(output: &Inside, name: &str, limit: u64) -> Result<Option<Vec<u8>>, Error> {
    output.read(Path::new(name), limit).map_err(no_link)
}

/// Writes a file unless it already has this content.
fn put(output: &Inside, name: &str, bytes: &[u8]) -> Result<(), Error> {
    if !is_same(output, name, bytes)? {
        output.write(name, bytes)?;
    }
    Ok(())
}

fn is_same(output: &Inside, name: &str, bytes: &[u8]) -> Result<bool, Error> {
    Ok(there(output, name, IMAGE_LIMIT)?.is_some_and(|old| old == bytes))
}
