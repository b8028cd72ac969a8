//! Access to the disk for helpers: every error names its path, reads are bounded, only regular files are read, and writes are
//! durable and all-or-nothing unless a function says otherwise.
//!
//! Out of scope: git ignore rules, watching files, and the meaning of files.

#![warn(missing_docs)]
#![expect(
    clippy::disallowed_methods,
    reason = "the one crate that may touch the disk directly"
)]

mod append;
mod error;
mod fault;
mod inside;
mod journal;
mod list;
mod lock;
mod log;
mod output;
mod parallel;
mod part;
mod path;
mod place;
mod read;
mod sealed;
mod write;

pub use append::{append_line, append_text, append_unsynced, is_record, last_line};
pub use error::FsError;
pub use inside::Inside;
pub use journal::{Journal, journal_lines};
pub use list::{Entry, EntryKind, list_sorted, map_entries, remove_tree, walk_sorted};
pub use lock::Lock;
pub use log::Log;
pub use output::{Form, check_output};
pub use parallel::{in_parallel, map_in_parallel, processors};
pub use part::Part;
pub use path::{
    display_relative, join_inside, lexical, need_folder, no_folder, on_path, probe, real,
    usable_helper,
};
pub use place::{
    create_file, create_folder, create_link, exchange, remove_empty_folder, rename_new,
    set_modified,
};
pub use read::{
    READ_LIMIT, Regular, is_foreign, leads_nowhere, open, read, read_given, read_optional,
    read_settled, read_text,
};
pub use sealed::{DamagedLine, seal, sealed};
pub use write::{
    SUFFIX, copy_atomic, create_dir, holds, remove_file, replace_unsynced, sweep_dead,
    sweep_folder, sync_dir, write_atomic, write_atomic_if, write_atomic_over,
    write_atomic_with_mode, write_changed, write_new, write_output, write_unsynced,
};
