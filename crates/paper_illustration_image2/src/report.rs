//! The data products: the JSON of the original script with additions. Its field names and their spelling are kept.

use serde::{Deserialize, Serialize};

/// Schema id of [`PreflightResult`].
pub(crate) const PREFLIGHT: &str = "aris.paper_illustration_image2.preflight/v1";
/// Schema id of [`FinalizeResult`].
pub(crate) const FINALIZED: &str = "aris.paper_illustration_image2.finalized/v1";
/// Schema id of [`VerifyResult`].
pub(crate) const VERIFIED: &str = "aris.paper_illustration_image2.verified/v1";
/// Schema id of [`ReviewLog`].
pub(crate) const REVIEW_LOG: &str = "aris.paper_illustration_image2.review_log/v1";

/// What `preflight` found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) enum Status {
    /// The server answered.
    Ready,
    /// The program codex is not installed.
    Absent,
    /// It is there and cannot be started.
    Unusable,
    /// It exited with an error.
    Failed,
    /// It did not answer in time, and was ended with all that it had started.
    TimedOut,
}

/// Result of `preflight`.
#[derive(Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PreflightResult {
    /// Whether images can be made.
    pub(crate) ok: bool,
    pub(crate) status: Status,
    pub(crate) workspace: String,
    pub(crate) output_dir: String,
    /// The program, where one is found.
    pub(crate) codex_bin: Option<String>,
    pub(crate) checked_at: String,
    /// What it exited with, where it left by itself.
    pub(crate) returncode: Option<i32>,
    /// Why not, and what to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<String>,
}

/// Files by their path.
#[derive(Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Artifacts<T> {
    pub(crate) figure_final: T,
    pub(crate) latex_include: T,
    pub(crate) review_log: T,
}

/// Result of `finalize`.
#[derive(Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct FinalizeResult {
    pub(crate) ok: bool,
    pub(crate) workspace: String,
    pub(crate) artifacts: Artifacts<String>,
    pub(crate) score: Option<f64>,
    pub(crate) review_summary: Option<String>,
    pub(crate) finalized_at: String,
    /// SHA-256 of the final image.
    pub(crate) final_sha256: String,
    /// Dots per inch in print.
    pub(crate) dpi: u32,
    /// What a person should look at.
    pub(crate) warnings: Vec<String>,
}

/// `review_log.json`.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct ReviewLog {
    /// [`REVIEW_LOG`].
    pub(crate) schema: String,
    pub(crate) ok: bool,
    pub(crate) finalized_at: String,
    pub(crate) workspace: String,
    /// The accepted image, absolute, links resolved.
    pub(crate) best_image: String,
    /// `figure_final.png`, absolute.
    pub(crate) final_image: String,
    /// SHA-256 of the final image, which has the bytes of the accepted one.
    pub(crate) final_sha256: String,
    /// SHA-256 of `latex_include.tex` as it was written; an edited file has another.
    pub(crate) latex_include_sha256: String,
    /// Pixels.
    pub(crate) width: u32,
    /// Pixels.
    pub(crate) height: u32,
    /// Width in print that was checked.
    pub(crate) print_width_mm: u32,
    /// Dots per inch at that width.
    pub(crate) dpi: u32,
    pub(crate) score: Option<f64>,
    pub(crate) review_summary: Option<String>,
    /// As it was given, before it was escaped.
    pub(crate) caption: String,
    /// Whether the caption was given as LaTeX, and is not escaped.
    pub(crate) caption_tex: bool,
    pub(crate) label: String,
}

/// The fields that are read of a review log, including one of the original script.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct ReadLog {
    pub(crate) ok: bool,
    pub(crate) finalized_at: String,
    pub(crate) final_image: String,
    pub(crate) final_sha256: Option<String>,
    pub(crate) latex_include_sha256: Option<String>,
    pub(crate) print_width_mm: Option<u32>,
    pub(crate) score: Option<f64>,
    pub(crate) pending: Vec<Pending>,
}

/// What a finalisation is about to write. It stays in the log until all three files are written, so that files of a killed run
/// are known to be the program's own and not the user's.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Pending {
    pub(crate) final_sha256: String,
    pub(crate) latex_include_sha256: String,
}

/// One file of [`VerifyResult`].
#[derive(Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Found {
    pub(crate) path: String,
    pub(crate) exists: bool,
}

/// Result of `verify`.
#[derive(Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct VerifyResult {
    pub(crate) ok: bool,
    pub(crate) workspace: String,
    pub(crate) checked_at: String,
    pub(crate) artifacts: Artifacts<Found>,
    /// Why the figure is not final.
    pub(crate) errors: Vec<String>,
    /// What a person should look at.
    pub(crate) warnings: Vec<String>,
}
