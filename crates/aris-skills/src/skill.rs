//! One skill, with the text of its files.

use std::path::PathBuf;

use aris_fs::FsError;

use crate::binary::Binary;
use crate::entry_point;
use crate::file::SourceFile;
use crate::markdown::Document;
use crate::mention;
use crate::names;
use crate::script::{Script, ScriptKind};
use crate::text::Text;
use crate::tree::{EntryKind, FileEntry, READ_LIMIT, SKILL_FILE, Tree};

/// Bytes that are searched for NUL to tell text from data, as in git.
const HEAD: usize = 8000;

/// Bytes of a large program that are read. They include the header; the symbol tables come after the code.
const LARGE_HEAD: u64 = 64 << 10;

/// A loaded skill.
#[derive(Debug)]
pub struct Skill {
    /// Directory relative to the root, with `/`; empty when the root itself is the skill.
    pub dir: String,
    /// Name of the directory.
    pub name: String,
    /// The directory on the disk.
    pub location: PathBuf,
    /// Files and links that belong to it, sorted by path.
    pub files: Vec<SourceFile>,
}

impl Tree {
    /// Loads the skill at an index of [`Tree::skills`], with the text of its files.
    pub fn load(&self, index: usize) -> Option<Skill> {
        let (tree, found) = (self, self.skills.get(index)?);
        // Each path begins with the directory and a slash.
        let before = found.dir.len() + usize::from(!found.dir.is_empty());
        let inside = |path: &str| path.get(before..).unwrap_or(path).to_owned();
        let entries = found.files.iter().filter_map(|at| tree.files.get(*at));
        let files = entries.map(|entry| load(tree, entry, inside(&entry.path)));
        let mut files: Vec<SourceFile> = files.collect();
        entry_point::decide(&mut files);
        Some(Skill {
            dir: found.dir.clone(),
            name: found.name.clone(),
            location: tree.root.join(&found.dir),
            files,
        })
    }
}

impl Skill {
    /// The SKILL.md with its text and its Markdown, if it is text.
    pub fn instruction(&self) -> Option<(&SourceFile, &Text, &Document)> {
        let mut all = self.instructions();
        all.find(|(file, ..)| file.skill_path == SKILL_FILE)
    }

    /// The SKILL.md.
    pub fn skill_md(&self) -> Option<&SourceFile> {
        self.file(SKILL_FILE)
    }

    /// A file by its path relative to the skill.
    pub fn file(&self, skill_path: &str) -> Option<&SourceFile> {
        // All files share the directory, so they are sorted by this path too.
        let path = |file: &SourceFile| file.skill_path.as_str().cmp(skill_path);
        self.files.get(self.files.binary_search_by(path).ok()?)
    }

    /// Instruction files with their text and Markdown.
    pub fn instructions(&self) -> impl Iterator<Item = (&SourceFile, &Text, &Document)> {
        let files = self.files.iter().filter(|file| file.is_instruction());
        files.filter_map(|file| Some((file, file.text.as_ref()?, file.markdown.as_ref()?)))
    }

    /// For each file, whether the SKILL.md or a reachable text file mentions it.
    pub fn reachable(&self) -> Vec<bool> {
        mention::reachable(&self.files)
    }
}

fn load(tree: &Tree, entry: &FileEntry, skill_path: String) -> SourceFile {
    let mut file = SourceFile {
        entry: entry.clone(),
        skill_path,
        text: None,
        markdown: None,
        script: None,
        binary: None,
        error: None,
    };
    let readable = match &entry.kind {
        EntryKind::File => true,
        EntryKind::Link { to_folder, .. } => !to_folder,
        EntryKind::Special => false,
    };
    if !readable || matches!(entry.kind, EntryKind::Link { dangling: true, .. }) {
        return file;
    }
    if entry.size > READ_LIMIT && !matters_whatever_its_size(&file.skill_path) {
        return file;
    }
    let bytes = match tree.read(&entry.path) {
        Ok(bytes) => bytes,
        // A program is only too large to read whole; its header is enough.
        Err(FsError::TooLarge { .. })
            if names::is_program(&file.skill_path)
                && let Some(binary) = large_binary(tree, entry) =>
        {
            file.binary = Some(binary);
            return file;
        }
        Err(error) => {
            file.error = Some(error.to_string());
            return file;
        }
    };
    if names::is_program(&file.skill_path) {
        file.binary = Binary::of(&bytes);
    }
    let head = bytes.get(..HEAD).unwrap_or(&bytes);
    if file.binary.is_none() && !head.contains(&0) {
        let text = Text::new(&bytes);
        if names::is_program(&file.skill_path)
            && let Some(kind) = ScriptKind::of(&file.skill_path, &text)
        {
            file.script = Some(Script::of(kind, &text));
        }
        if names::extension(&file.skill_path) == "md" {
            file.markdown = Some(Document::parse(&text));
        }
        file.text = Some(text);
    }
    file
}

/// Reads the header of a program that is too large to be read whole.
fn large_binary(tree: &Tree, entry: &FileEntry) -> Option<Binary> {
    let file = aris_fs::open(&tree.root.join(&entry.path)).ok()?;
    Binary::of(&file.head(LARGE_HEAD).ok()?)
}

/// Whether the rules need this file's text. If it is too large, that is reported as an error.
fn matters_whatever_its_size(skill_path: &str) -> bool {
    names::is_program(skill_path) || names::extension(skill_path) == "md"
}
