//! Makes the accepted image the final one.

use std::path::{Path, PathBuf};

use aris_audit::Digest;
use aris_cli::Context;
use aris_contract::time;
use aris_fs::Lock;

use crate::cli::Finalize;
use crate::error::Error;
use crate::report::{Artifacts, FinalizeResult, REVIEW_LOG, ReadLog, ReviewLog};
use crate::workspace::Workspace;
use crate::{include, picture, verify};

/// Bytes of an image that are accepted.
pub(crate) const IMAGE_LIMIT: u64 = 256 << 20;

/// Bytes of the LaTeX and of the review log that are read.
pub(crate) const TEXT_LIMIT: u64 = 4 << 20;

/// Dots per inch that publishers ask of pictures without lines of text in them.
///
/// **Source**: the artwork instructions of Elsevier (halftones: 300 dpi) and of the IEEE (colour and greyscale: 300 dpi).
const GOOD_DPI: u32 = 300;

/// Checks the accepted image and writes the three files; the review log is the last, so that it never speaks of what is not there.
pub(crate) fn run(args: &Finalize, context: &Context) -> Result<FinalizeResult, Error> {
    let workspace = Workspace::of(&args.place, context)?;
    if !include::is_label(&args.label) {
        let label = args.label.clone();
        return Err(Error::Label { label });
    }
    let best = accepted(args, &workspace, context)?;
    let bytes = aris_fs::read(&best, IMAGE_LIMIT)?;
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
    verify::placeholders(&args.caption, &args.label, &mut warnings);
    aris_fs::create_dir(&workspace.output())?;
    let _lock = Lock::acquire(&workspace.output().join(".finalize.lock"))?;
    let last = last_log(&workspace)?;
    keep_foreign_image(&workspace, &last, &bytes, &mut warnings)?;
    let latex = include::text(&args.caption, &args.label);
    let latex_path = workspace.latex_include();
    let edited = match aris_fs::read_optional(&latex_path, TEXT_LIMIT)? {
        Some(old) if old != latex.as_bytes() => {
            last.latex_include_sha256 != Some(Digest::of(&old).hex())
        }
        _ => false,
    };
    put(&workspace.final_image(), &bytes)?;
    if edited {
        warnings.push(format!(
            "{} was edited and is kept; remove it to have it written again",
            latex_path.display()
        ));
    } else {
        put(&latex_path, latex.as_bytes())?;
    }
    let mut log = ReviewLog {
        schema: REVIEW_LOG.to_owned(),
        ok: true,
        finalized_at: time::stamp(context.now()),
        workspace: workspace.root.display().to_string(),
        best_image: best.display().to_string(),
        final_image: workspace.final_image().display().to_string(),
        final_sha256: Digest::of(&bytes).hex(),
        latex_include_sha256: Digest::of(latex.as_bytes()).hex(),
        width: picture.width,
        height: picture.height,
        print_width_mm: args.print_width,
        dpi,
        score: args.score,
        review_summary: args.review_summary.clone(),
        caption: args.caption.clone(),
        label: args.label.clone(),
    };
    // The same once more is no new finalisation.
    let again = ReviewLog {
        finalized_at: last.finalized_at,
        ..log.clone()
    };
    let written = |log: &ReviewLog| -> Result<Vec<u8>, Error> {
        Ok(format!("{}\n", serde_json::to_string_pretty(log)?).into_bytes())
    };
    if is_same(&workspace.review_log(), &written(&again)?)? {
        log = again;
    } else {
        aris_fs::write_atomic(&workspace.review_log(), &written(&log)?)?;
    }
    Ok(FinalizeResult {
        ok: true,
        workspace: log.workspace,
        artifacts: Artifacts {
            figure_final: log.final_image,
            latex_include: latex_path.display().to_string(),
            review_log: workspace.review_log().display().to_string(),
        },
        score: log.score,
        review_summary: log.review_summary,
        finalized_at: log.finalized_at,
        final_sha256: log.final_sha256,
        dpi,
        warnings,
    })
}

/// The accepted image, links resolved.
fn accepted(args: &Finalize, workspace: &Workspace, context: &Context) -> Result<PathBuf, Error> {
    let named = context.absolute(&args.best_image);
    let candidates = [named.clone(), workspace.root.join(&args.best_image)];
    let path = candidates
        .iter()
        .find_map(|path| path.canonicalize().ok())
        .ok_or(Error::NoImage { path: named })?;
    if !args.outside && !path.starts_with(&workspace.root) {
        return Err(Error::Outside {
            path,
            workspace: workspace.root.clone(),
        });
    }
    Ok(path)
}

/// The log of the last finalisation; nothing where there is none, or one that cannot be read.
fn last_log(workspace: &Workspace) -> Result<ReadLog, Error> {
    let text = aris_fs::read_optional(&workspace.review_log(), TEXT_LIMIT)?;
    Ok(text
        .and_then(|text| serde_json::from_slice(&text).ok())
        .unwrap_or_default())
}

/// Puts a final image aside that is not the one that was finalised last: somebody worked on it.
fn keep_foreign_image(
    workspace: &Workspace,
    last: &ReadLog,
    new: &[u8],
    warnings: &mut Vec<String>,
) -> Result<(), Error> {
    let Some(old) = aris_fs::read_optional(&workspace.final_image(), IMAGE_LIMIT)? else {
        return Ok(());
    };
    let digest = Digest::of(&old).hex();
    if old == new || last.final_sha256.as_deref() == Some(&digest) {
        return Ok(());
    }
    let name = format!(
        "figure_final.kept-{}.png",
        digest.get(..8).unwrap_or(&digest)
    );
    let kept = workspace.output().join(name);
    put(&kept, &old)?;
    warnings.push(format!(
        "figure_final.png was not the one that was finalised last; it is kept as {}",
        kept.display()
    ));
    Ok(())
}

/// Writes a file unless it is that already.
fn put(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    if !is_same(path, bytes)? {
        aris_fs::write_atomic(path, bytes)?;
    }
    Ok(())
}

fn is_same(path: &Path, bytes: &[u8]) -> Result<bool, Error> {
    Ok(aris_fs::read_optional(path, IMAGE_LIMIT)?.is_some_and(|old| old == bytes))
}
