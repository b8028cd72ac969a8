//! Runs the same program on a server over ssh: puts it there, calls it there, and brings its answer back.
//!
//! The arguments of a call are never on a remote command line. That line has a fixed form around a program's name and a digest that was
//! computed here; the request goes to the program's standard input as data. A request may be repeated after a broken connection, so the
//! server must make a repetition harmless.
//!
//! ```text
//! here                                     there
//! ssh HOST -- <fixed line>          ───▶   exec ~/.aris_queue/bin/<digest>/<program> --agent
//! {"nonce":…,"folder":…,"files":…,…} ───▶  serve: files into ~/.aris_queue/runs/<folder>/, one call in that folder
//!                                   ◀───   whatever a start-up file of the shell prints
//!                                   ◀───   aris-agent <nonce> <length>\n{"code":…,"stdout":…,"stderr":…}
//! ```
//!
//! Keys, users, ports and jump hosts come from the user's own ssh configuration; new host keys are never accepted here.

#![warn(missing_docs)]

mod agent;
mod message;
mod server;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

pub use agent::serve;
pub use message::{Answer, Request};
pub use server::{Program, Server};

/// Folder of this program on the server, in the home folder.
const HOME: &str = ".aris_queue";

/// The folder of all runs on the server; `home` is its home folder.
pub fn runs(home: &Path) -> PathBuf {
    home.join(HOME).join("runs")
}

/// Whether a text is safe in a path and in a remote command line: 1 to 100 of `[A-Za-z0-9._-]`, the first a letter, digit or `_`.
pub fn is_name(text: &str) -> bool {
    let safe = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
    (1..=100).contains(&text.len()) && text.bytes().all(safe) && !text.starts_with(['.', '-'])
}
