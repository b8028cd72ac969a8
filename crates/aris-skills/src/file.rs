//! One file of a skill, with its text.

use crate::binary::Binary;
use crate::markdown::Document;
use crate::names;
use crate::script::Script;
use crate::text::Text;
use crate::tree::FileEntry;

/// A file of a skill.
#[derive(Debug)]
pub struct SourceFile {
    /// Path, kind, size and modes; the path is relative to the root of the tree.
    pub entry: FileEntry,
    /// Path relative to the skill.
    pub skill_path: String,
    /// Its text, for regular files of at most 16 MiB without a NUL byte in the first 8,000 bytes.
    pub text: Option<Text>,
    /// The parsed Markdown of `.md` files.
    pub markdown: Option<Document>,
    /// The script, for files of a script kind under `scripts/` and `bin/`.
    pub script: Option<Script>,
    /// The header, for ELF, Mach-O and PE files under `scripts/` and `bin/`.
    pub binary: Option<Binary>,
    /// Why the file could not be read.
    pub error: Option<String>,
}

impl SourceFile {
    /// Path relative to the root of the tree.
    pub fn path(&self) -> &str {
        &self.entry.path
    }

    /// Last part of the path.
    pub fn file_name(&self) -> &str {
        names::file_name(&self.entry.path)
    }

    /// Whether it is an instruction file; see [`names::is_instruction`].
    pub fn is_instruction(&self) -> bool {
        names::is_instruction(&self.skill_path)
    }

    /// Whether it is a resource; see [`names::is_resource`].
    pub fn is_resource(&self) -> bool {
        names::is_resource(&self.skill_path)
    }

    /// Whether it is an entry point.
    pub fn is_entry_point(&self) -> bool {
        self.script
            .as_ref()
            .is_some_and(|script| script.entry_point)
    }
}
