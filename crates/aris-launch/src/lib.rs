//! The scripts that this project generates, in one place: the launcher beside a helper's binaries, the shim under a legacy
//! name, and the block in a skill's text that finds helpers.
//!
//! Pure text: no disk, no process. Who writes a script also gives it its mode; all of them work at mode 0644 too, through
//! an interpreter. Whatever is put into a script (names of helpers, owners and aliases) must be a plain name, see [`is_plain`].

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

/// Whether `name` can stand in a script without quoting: ASCII letters, digits, `.`, `_` and `-`, and not first a `-` or `.`.
///
/// **Source**: names that the helper table may hold, and file names that every shell takes as they are.
pub fn is_plain(name: &str) -> bool {
    !name.is_empty()
        && !name.starts_with(['-', '.'])
        && name
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-'))
}
