//! Checks that the final image is the accepted one and that its files fit together. Writes nothing.

use std::path::Path;

use aris_audit::Digest;
use aris_cli::Context;
use aris_contract::time;
use aris_fs::FsError;

use crate::cli::Verify;
use crate::error::Error;
use crate::include::Shows;
use crate::report::{Artifacts, Found, Pending, ReadLog, VerifyResult};
use crate::workspace::{FOLDER, IMAGE, IMAGE_LIMIT, INCLUDE, LOG, TEXT_LIMIT, Workspace};
use crate::{include, picture};

/// Lowest score with which the skill accepts an image.
const TARGET: f64 = 9.0;

/// Checks the three files of a finalisation.
pub(crate) fn run(args: &Verify, context: &Context) -> Result<VerifyResult, Error> {
    let workspace = Workspace::of(&args.place, context)?;
    let (mut errors, mut warnings) = (Vec::new(), Vec::new());
    let output = match workspace.open_output() {
        Ok(output) => output,
        Err(error) => {
            errors.push(error.to_string());
            None
        }
    };
    let mut read = |name: &str, limit| {
        let path = workspace.output().join(name);
        let found = match &output {
            Some(output) => output.read(Path::new(name), limit),
            None => Ok(None),
        };
        match &found {
            Ok(Some(_)) => {}
            Ok(None) => errors.push(format!("missing artifact: {}", path.display())),
            Err(FsError::Escapes { .. }) => errors.push(format!(
                "{} is a link; the file itself belongs there",
                path.display()
            )),
            Err(error) => errors.push(format!("{}: it cannot be read: {error}", path.display())),
        }
        // A folder or a link does not count as the file.
        let absent = matches!(
            found,
            Ok(None) | Err(FsError::NotRegular { .. } | FsError::Escapes { .. })
        );
        (
            Found {
                path: path.display().to_string(),
                exists: !absent,
            },
            found.ok().flatten(),
        )
    };
    let (figure_final, image) = read(IMAGE, IMAGE_LIMIT);
    let (latex_include, latex) = read(INCLUDE, TEXT_LIMIT);
    let (review_log, log) = read(LOG, TEXT_LIMIT);
    let include_digest = latex.as_deref().map(|bytes| Digest::of(bytes).hex());
    let picture = image.as_deref().map(picture::decode);
    match &picture {
        Some(Err(why)) => errors.push(format!("{}: {why}", figure_final.path)),
        Some(Ok(picture)) if picture.blank => errors.push(format!(
            "{}: every pixel is the same; nothing is drawn",
            figure_final.path
        )),
        _ => {}
    }
    if let Some(latex) = &latex {
        let text = String::from_utf8_lossy(latex);
        match include::shows(&text, &workspace) {
            Shows::Final => {}
            Shows::Other => errors.push(format!(
                "{} does not include {FOLDER}/{IMAGE}",
                latex_include.path
            )),
            Shows::Undecided(why) => warnings.push(format!(
                "whether {} includes {FOLDER}/{IMAGE} is not decided: {why}",
                latex_include.path
            )),
        }
        placeholders(&text, &text, &mut warnings);
    }
    if let Some(log) = &log {
        match serde_json::from_slice::<ReadLog>(log) {
            Err(error) => errors.push(format!(
                "{}:{}: it is no review log: {error}",
                review_log.path,
                error.line()
            )),
            Ok(log) => {
                let is_old = log.latex_include_sha256 == include_digest;
                let is_new = |pending: &Pending| {
                    Some(&pending.latex_include_sha256) == include_digest.as_ref()
                };
                let cut_off =
                    "the last finalize was cut off before it had written all files; run it again";
                if !is_old && log.pending.iter().any(is_new) {
                    errors.push(String::from(cut_off));
                } else if !log.pending.is_empty() {
                    warnings.push(String::from(cut_off));
                } else if !is_old && include_digest.is_some() && log.latex_include_sha256.is_some()
                {
                    warnings.push(format!(
                        "{} was edited after finalize: check that caption and label belong to this picture",
                        latex_include.path
                    ));
                }
                let digest = image.as_deref().map(|bytes| Digest::of(bytes).hex());
                compare(
                    &log,
                    &workspace,
                    digest.as_deref(),
                    &mut errors,
                    &mut warnings,
                );
                if let (Some(Ok(picture)), Some(width)) = (&picture, log.print_width_mm) {
                    let dpi = picture.dpi(width);
                    if dpi < 300 {
                        warnings.push(format!(
                            "{dpi} dots per inch at {width} mm; publishers ask for 300"
                        ));
                    }
                }
            }
        }
    }
    Ok(VerifyResult {
        ok: errors.is_empty(),
        workspace: workspace.root.display().to_string(),
        checked_at: time::stamp(context.now()),
        artifacts: Artifacts {
            figure_final,
            latex_include,
            review_log,
        },
        errors,
        warnings,
    })
}

/// Compares the review log with the files.
fn compare(
    log: &ReadLog,
    workspace: &Workspace,
    digest: Option<&str>,
    errors: &mut Vec<String>,
    warnings: &mut Vec<String>,
) {
    if !log.ok {
        errors.push(String::from(
            "review_log.json does not say that the image was accepted",
        ));
    }
    match (&log.final_sha256, digest) {
        (None, _) => errors.push(String::from(
            "review_log.json has no finalSha256, so nobody knows which image was accepted; run finalize again",
        )),
        (Some(known), Some(found)) if known != found => errors.push(format!(
            "figure_final.png is not the accepted image: its SHA-256 is {found}, that in review_log.json is {known}"
        )),
        _ => {}
    }
    let here = workspace.output().join(IMAGE).display().to_string();
    if log.final_image != here {
        // A project that was moved keeps its log. The digest shows that the image is the same.
        if log
            .final_image
            .ends_with("/figures/ai_generated/figure_final.png")
        {
            warnings.push(format!(
                "review_log.json was written in another place: {}",
                log.final_image
            ));
        } else {
            errors.push(String::from(
                "review_log.json does not point at figure_final.png",
            ));
        }
    }
    match log.score {
        Some(score) if score < TARGET => {
            warnings.push(format!(
                "the last review gave {score} of 10; the skill asks for {TARGET}"
            ));
        }
        Some(_) => {}
        None => warnings.push(String::from("review_log.json has no score")),
    }
}

/// Warns about placeholders that were not replaced.
pub(crate) fn placeholders(caption: &str, label: &str, warnings: &mut Vec<String>) {
    if caption.contains(include::CAPTION) {
        warnings.push(String::from("the caption is still the placeholder"));
    }
    if label.contains(include::LABEL) {
        warnings.push(String::from("the label is still the placeholder"));
    }
}
