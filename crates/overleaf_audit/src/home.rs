//! Files outside the folder in which programs keep, or log, what a person gave them.

use std::path::{Path, PathBuf};

use aris_cli::Context;

use crate::report::Part;
use crate::tree::Found;

/// Below the home folder. **Sources**: the reference's list; git's documentation of `gitcredentials` and `git-config`; the shells' of
/// their histories.
const FILES: [&str; 10] = [
    ".netrc",
    "_netrc",
    ".git-credentials",
    ".config/git/credentials",
    ".gitconfig",
    ".config/git/config",
    ".bash_history",
    ".zsh_history",
    ".local/share/fish/fish_history",
    ".python_history",
];

/// Those of them that exist and do not lie below `root`.
pub(crate) fn files(context: &Context, root: &Path) -> Vec<Found> {
    let Some(home) = context.env("HOME").map(PathBuf::from) else {
        return Vec::new();
    };
    let part = Part::Home;
    let files = FILES.iter().map(|name| Found {
        path: home.join(name),
        shown: Path::new("~").join(name),
        part,
    });
    let is_outside = |file: &Found| {
        let real = file.path.canonicalize();
        real.is_ok_and(|real| real.is_file() && !real.starts_with(root))
    };
    files.filter(is_outside).collect()
}
