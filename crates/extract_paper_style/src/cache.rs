//! Where profiles are kept: one folder for each combination of source and content.

use std::path::{Path, PathBuf};

use aris_audit::Digest;
use aris_cli::Context;
use aris_contract::{ErrorKind, time};
use aris_fs::Lock;
use serde::Serialize;
use serde_json::Value;

use crate::error::Error;
use crate::gathered::Gathered;
use crate::markdown;
use crate::pdf::PdfOutline;
use crate::source::{SourceType, absolute, without_query};

/// Schema id of [`Manifest`].
pub(crate) const MANIFEST: &str = "aris.extract_paper_style.manifest/v1";

/// Version of the measuring rules and of the crate. It is part of every folder's key, so a changed version makes new profiles.
const TOOL_VERSION: &str = concat!("7/", env!("CARGO_PKG_VERSION"));

/// Hexadecimal digits of the digest that name a folder.
const KEY: usize = 16;

/// The manifest's name.
const MANIFEST_FILE: &str = "source_manifest.json";

/// Most bytes of a manifest that are read back.
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
    /// What the outline that a PDF carries was good for; absent when the source is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) pdf_outline: Option<PdfOutline>,
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

/// A profile on disk.
pub(crate) struct Kept {
    pub(crate) folder: PathBuf,
    /// Whether it was there already.
    pub(crate) hit: bool,
}

/// The folder that holds all profiles: `--output`, `ARIS_STYLE_REF_CACHE`, or `aris-style-refs` in the user's cache folder.
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
        (None, None) => {
            let what = String::from("there is no folder for the cache: HOME is not set");
            let hint = "name a folder with --output";
            return Err(Error::refused(ErrorKind::Precondition, what, hint));
        }
    };
    Ok(base.join("aris-style-refs"))
}

/// Writes a profile to its folder below `root`, unless it is already there, complete and unchanged.
///
/// The manifest is written last. A folder without a matching manifest is written again.
pub(crate) fn keep(
    root: &Path,
    input: &str,
    kind: SourceType,
    gathered: &Gathered,
    force: bool,
    context: &Context,
) -> Result<Kept, Error> {
    let source_type = serde_json::to_string(&kind)?;
    let (place, digest) = (&gathered.resolved, gathered.digest.hex());
    let named = [TOOL_VERSION, &source_type, place, &digest].join("\0");
    let key = Digest::of(named.as_bytes()).hex();
    let folder = root.join(key.get(..KEY).unwrap_or(&key));
    let json = json(&gathered.profile)?;
    let markdown = markdown::text(&gathered.profile);
    let manifest = Manifest {
        schema: MANIFEST,
        source_input: without_query(input).to_owned(),
        source_type: kind,
        resolved_path: gathered.resolved.clone(),
        fetched_at: time::stamp(context.now()),
        content_sha256: digest,
        pdf_outline: gathered.pdf_outline,
        tool_version: TOOL_VERSION,
        files: gathered.files,
        missing_files: gathered.missing.len(),
        profile_sha256: Digest::of(markdown.as_bytes()).hex(),
        profile_json_sha256: Digest::of(&json).hex(),
    };
    let files = [
        ("style_profile.md", markdown.as_bytes()),
        ("style_profile.json", json.as_slice()),
    ];
    let wanted = serde_json::to_value(&manifest)?;
    let is_whole = || is_whole(&folder, &wanted, &files);
    if !force && is_whole() {
        return Ok(Kept { folder, hit: true });
    }
    aris_fs::create_dir(&folder)?;
    let _lock = Lock::acquire(&folder.join(".lock"))?;
    if !force && is_whole() {
        return Ok(Kept { folder, hit: true });
    }
    // A cache needs no sync: files that a power cut damages do not match their manifest and are written again.
    let write = |name: &str, bytes: &[u8]| {
        let path = folder.join(name);
        aris_fs::sweep_dead(&path)?;
        aris_fs::replace_unsynced(&path, bytes)
    };
    let manifest_text = self::json(&manifest)?;
    let all = || {
        files
            .into_iter()
            .chain([(MANIFEST_FILE, manifest_text.as_slice())])
    };
    let written = all().try_for_each(|(name, bytes)| write(name, bytes));
    if written.is_err() && !is_whole() {
        // An incomplete profile is of no use, and on a full disk its space is needed.
        for (name, _) in all() {
            aris_fs::remove_file(&folder.join(name))?;
        }
    }
    written?;
    Ok(Kept { folder, hit: false })
}

/// Indented JSON with a final line end.
fn json(value: &impl Serialize) -> Result<Vec<u8>, Error> {
    let mut bytes = serde_json::to_vec_pretty(value)?;
    bytes.push(b'\n');
    Ok(bytes)
}

/// Whether a folder holds the wanted manifest and all `files` with exactly these bytes.
fn is_whole(folder: &Path, wanted: &Value, files: &[(&str, &[u8])]) -> bool {
    let written = aris_fs::read_optional(&folder.join(MANIFEST_FILE), LIMIT);
    let written = written.ok().flatten().unwrap_or_default();
    let Ok(Value::Object(mut written)) = serde_json::from_slice(&written) else {
        return false;
    };
    // These two fields may differ: the same paper can be named differently and read at another time.
    for field in ["source_input", "fetched_at"] {
        written.insert(field.to_owned(), wanted[field].clone());
    }
    let holds = |(name, bytes): &(&str, &[u8])| aris_fs::holds(&folder.join(name), bytes);
    Value::Object(written) == *wanted && files.iter().all(holds)
}
