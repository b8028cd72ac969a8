//! Cached answers of services in the project's own cache, for helpers that need the network otherwise.

use std::ffi::OsString;
use std::path::Path;

use aris_testkit::{Call, Project};

/// A project with `answer` cached at `path`; `head` is the line that describes it. Both were written by a run of the helper.
pub(crate) fn kept(path: &str, head: &str, answer: &str) -> Project {
    Project::new()
        .file(path, format!("{head}\n{answer}"))
        // Files that every run leaves in a cache folder; present from the start, so that no run adds a file.
        .file("cache/.probe", [b'.'; 4096])
        .file("cache/.swept", "")
        .file("cache/.sweep.lock", "")
        .file("cache/.lock", "")
        .file("cache/pace/.keep", "")
}

/// Environment variables for the project's own cache and programs, if it has them.
pub(crate) fn variables(project: &Path) -> Vec<(&'static str, OsString)> {
    let (cache, programs) = (project.join("cache"), project.join("bin"));
    let mut variables = Vec::new();
    if cache.is_dir() {
        variables.push(("ARIS_CACHE_DIR", cache.into_os_string()));
    }
    if programs.is_dir() {
        variables.push((
            "PATH",
            format!("{}:/usr/bin:/bin", programs.display()).into(),
        ));
    }
    variables
}

/// A call with these variables.
pub(crate) fn own(call: Call, project: &Path) -> Call {
    let variables = variables(project).into_iter();
    variables.fold(call, |call, (name, value)| call.env(name, value))
}
