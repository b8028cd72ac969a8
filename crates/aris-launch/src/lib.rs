//! The scripts that this project generates: the launcher beside a helper's binaries, the shim under a legacy name, and the block in a
//! skill's text that finds helpers.
//!
//! Pure text: no disk, no process. The caller writes a script and sets its mode; at mode 0644 every script still works through an
//! interpreter. Every name that goes into a script (helper, owner, alias) must be plain, see [`is_plain`].

#![warn(missing_docs)]

mod contract;
mod find;
mod launcher;
mod shim;
#[cfg(test)]
mod tests;

pub use contract::{Contract, Exit};
pub use find::find_block;
pub use launcher::{LauncherError, launcher, launcher_cmd};
pub use shim::shim;

/// Whether `name` needs no quoting in a script: ASCII letters, digits, `.`, `_` and `-`, not beginning with `-` or `.`, not empty.
///
/// **Source**: names that the helper table may hold, and file names that need no quoting in any shell.
pub fn is_plain(name: &str) -> bool {
    !name.is_empty()
        && !name.starts_with(['-', '.'])
        && name
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-'))
}
