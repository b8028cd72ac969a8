//! Files that nothing else may replace or append to: those of a queue, and the outputs that jobs declare.

use std::path::{Path, PathBuf};

use aris_fs::{lexical, real};
use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::journal;
use crate::manifest::Manifest;

/// The folder of the queue with this state file.
pub fn folder(state: &Path) -> PathBuf {
    let name = state.file_name().unwrap_or_default().to_string_lossy();
    let stem = name.strip_suffix(".json").unwrap_or(&name);
    state.with_file_name(format!(".{stem}.queue"))
}

/// Whether a folder is that of a queue.
pub fn is_queue(folder: &Path) -> bool {
    folder.join(journal::FILE).exists()
}

/// What the file at `path` is, if nothing else may be written there, whether it exists yet or not: a file of any queue, or an output that a
/// job declares. A relative working directory of the manifest is in `base`.
///
/// `grows`: it is written while jobs run, so that it may not come into a folder that is an output either.
pub fn owner(path: &Path, manifest: &Manifest, base: &Path, grows: bool) -> Option<String> {
    let (target, path) = (real(path), lexical(path));
    let levels = if grows { usize::MAX } else { 1 };
    let would_match = |cwd: &Path, pattern: &str, path: &Path| {
        let mut paths = path.ancestors().take(levels);
        paths.any(|path| aris_attempt::would_match(cwd, pattern, path))
    };
    let is_own = |folder: &Path| {
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with('.') && name.ends_with(".queue") && is_queue(folder)
    };
    let mut above = target.ancestors().skip(1);
    if is_queue(&folder(&target)) || above.any(is_own) || is_state_file(&target) {
        return Some(String::from("a file of a queue"));
    }
    let exists = target.exists();
    let mut jobs = manifest.jobs.iter();
    let writer = jobs.find(|job| {
        let cwd = base.join(manifest.cwd_of(job));
        let (cwd, real_cwd) = (lexical(&cwd), real(&cwd));
        job.outputs.iter().any(|pattern| {
            would_match(&real_cwd, pattern, &target)
                || would_match(&cwd, pattern, &path)
                // A file that the pattern finds through a link.
                || exists
                    && aris_attempt::output_files(&cwd, pattern)
                        .iter()
                        .any(|file| target.starts_with(real(file)))
        })
    });
    writer.map(|job| format!("a file of job {:?}", job.id))
}

/// Whether a file is the state file of a queue, ours or the reference's, wherever it is.
fn is_state_file(path: &Path) -> bool {
    #[derive(Deserialize)]
    struct State {
        #[serde(rename = "meta")]
        _meta: IgnoredAny,
        #[serde(rename = "phases")]
        _phases: IgnoredAny,
        #[serde(rename = "jobs")]
        _jobs: IgnoredAny,
    }
    let head = aris_fs::open(path).and_then(|file| file.head(1));
    let is_map = head.is_ok_and(|head| head == b"{");
    let bytes = is_map.then(|| aris_fs::read(path, aris_fs::READ_LIMIT).ok());
    let bytes = bytes.flatten().unwrap_or_default();
    serde_json::from_slice::<State>(&bytes).is_ok()
}
