//! Where profiles are kept: one folder for each source and content.

use std::path::{Path, PathBuf};

use aris_audit::Digest;
use aris_cli::Context;
use aris_contract::time;
use aris_fs::Lock;
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::gather::Gathered;
use crate::markdown;
use crate::source::{SourceType, absolute};

/// Schema id of [`Manifest`].
pub(crate) const MANIFEST: &str = "aris.extract_paper_style.manifest/v1";

/// Part of every folder's name: a profile of other make is another profile.
const TOOL_VERSION: &str = concat!("2/", env!("CARGO_PKG_VERSION"));

/// Digits of a digest in a folder's name.
const KEY: usize = 16;

/// Bytes of a manifest that are read back.
const LIMIT: u64 = 1 << 20;

/// `source_manifest.json`: where a profile comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Manifest {
    /// [`MANIFEST`].
    pub(crate) schema: &'static str,
    /// The argument as given; of an address without its query.
    pub(crate) source_input: String,
    pub(crate) source_type: SourceType,
    /// Absolute path, `arXiv:` and identifier, or address without its query.
    pub(crate) resolved_path: String,
    /// When it was read, UTC.
    pub(crate) fetched_at: String,
    /// SHA-256 of the file that was measured; of several files that of lines `digest  name`, sorted by name.
    pub(crate) content_sha256: String,
    /// Version of the rules and of the helper.
    pub(crate) tool_version: &'static str,
    /// Files that were measured.
    pub(crate) files: usize,
    /// Files that the sources ask for and that were not found; what they hold is not measured.
    pub(crate) missing_files: usize,
    /// SHA-256 of `style_profile.md`.
    pub(crate) profile_sha256: String,
    /// SHA-256 of `style_profile.json`.
    pub(crate) profile_json_sha256: String,
}

/// What of a manifest says whether the files beside it are whole.
#[derive(Deserialize)]
struct Written {
    content_sha256: String,
    tool_version: String,
    profile_sha256: String,
    profile_json_sha256: String,
}

/// A profile in its place.
pub(crate) struct Kept {
    pub(crate) folder: PathBuf,
    /// Whether it was there already.
    pub(crate) hit: bool,
}

/// The folder of all profiles.
pub(crate) fn root(out: Option<&Path>, context: &Context) -> Result<PathBuf, Error> {
    if let Some(out) = out {
        return Ok(absolute(&out.to_string_lossy(), context));
    }
    if let Some(folder) = context.env("ARIS_STYLE_REF_CACHE") {
        return Ok(absolute(folder, context));
    }
    let base = match (context.env("XDG_CACHE_HOME"), context.env("HOME")) {
        (Some(folder), _) => absolute(folder, context),
        (None, Some(home)) => Path::new(home).join(".cache"),
        (None, None) => return Err(Error::NoCache),
    };
    Ok(base.join("aris-style-refs"))
}

/// Keeps a profile below `root`, unless it is there, whole and unchanged.
///
/// The manifest is written last: without it, or with one that does not fit, what lies in the folder is written again.
pub(crate) fn keep(
    root: &Path,
    input: &str,
    kind: SourceType,
    gathered: &Gathered,
    force: bool,
    context: &Context,
) -> Result<Kept, Error> {
    let source_type = serde_json::to_string(&kind)?;
    let named = [
        TOOL_VERSION,
        &source_type,
        &gathered.resolved,
        &gathered.digest.hex(),
    ]
    .join("\0");
    let key = Digest::of(named.as_bytes()).hex();
    let folder = root.join(key.get(..KEY).unwrap_or(&key));
    let markdown = markdown::text(&gathered.profile);
    let json = format!("{}\n", serde_json::to_string_pretty(&gathered.profile)?);
    let manifest = Manifest {
        schema: MANIFEST,
        source_input: input.split(['?', '#']).next().unwrap_or(input).to_owned(),
        source_type: kind,
        resolved_path: gathered.resolved.clone(),
        fetched_at: time::stamp(context.now()),
        content_sha256: gathered.digest.hex(),
        tool_version: TOOL_VERSION,
        files: gathered.files,
        missing_files: gathered.missing.len(),
        profile_sha256: Digest::of(markdown.as_bytes()).hex(),
        profile_json_sha256: Digest::of(json.as_bytes()).hex(),
    };
    if !force && is_whole(&folder, &manifest)? {
        return Ok(Kept { folder, hit: true });
    }
    aris_fs::create_dir(&folder)?;
    let _lock = Lock::acquire(&folder.join(".lock"))?;
    if !force && is_whole(&folder, &manifest)? {
        return Ok(Kept { folder, hit: true });
    }
    aris_fs::write_atomic(&folder.join("style_profile.md"), markdown.as_bytes())?;
    aris_fs::write_atomic(&folder.join("style_profile.json"), json.as_bytes())?;
    let text = format!("{}\n", serde_json::to_string_pretty(&manifest)?);
    aris_fs::write_atomic(&folder.join("source_manifest.json"), text.as_bytes())?;
    Ok(Kept { folder, hit: false })
}

/// Whether a folder holds all files, and they are what they must be.
fn is_whole(folder: &Path, wanted: &Manifest) -> Result<bool, Error> {
    let read = |name: &str| aris_fs::read_optional(&folder.join(name), LIMIT);
    let Some(manifest) = read("source_manifest.json")? else {
        return Ok(false);
    };
    let Ok(written) = serde_json::from_slice::<Written>(&manifest) else {
        return Ok(false);
    };
    let digest = |name| -> Result<Option<String>, Error> {
        let bytes = read(name)?;
        Ok(bytes.map(|bytes| Digest::of(&bytes).hex()))
    };
    Ok(written.content_sha256 == wanted.content_sha256
        && written.tool_version == wanted.tool_version
        && written.profile_sha256 == wanted.profile_sha256
        && written.profile_json_sha256 == wanted.profile_json_sha256
        && digest("style_profile.md")?.as_ref() == Some(&wanted.profile_sha256)
        && digest("style_profile.json")?.as_ref() == Some(&wanted.profile_json_sha256))
}
