//! Answers of services that a project's own cache has kept, for helpers that have no other work without the network.

use std::ffi::OsString;
use std::path::Path;

use aris_testkit::{Call, Project};

/// A cache in which `answer` is kept at `path`, with the line `head` that describes it; both are those that a run of the helper wrote.
pub(crate) fn kept(path: &str, head: &str, answer: &str) -> Project {
    Project::new()
        .file(path, format!("{head}\n{answer}"))
        // What every run leaves in a cache folder, so that no run adds a file.
        .file("cache/.probe", [b'.'; 4096])
        .file("cache/.swept", "")
        .file("cache/.sweep.lock", "")
        .file("cache/.lock", "")
        .file("cache/pace/.keep", "")
}

/// Variables of a project's own: its cache and its programs, where it has them.
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

/// A call with them.
pub(crate) fn own(call: Call, project: &Path) -> Call {
    let variables = variables(project).into_iter();
    variables.fold(call, |call, (name, value)| call.env(name, value))
}
