//! Reads and writes the records of an installation: `.aris/install.json`, and those in the reference's format, which skills read.
//!
//! Records are untrusted: everybody who can write into the project can write them. So every path in them is checked, and their claims
//! are compared with the disk before anything is removed.

use super::install::{
    Block, CANONICAL_SKILLS, CLAUDE_SKILLS, Content, Entry, EntryKind, Host, INSTALLED_TOOLS,
    InstallManifest, LINKED_SKILLS, Origin,
};
use crate::{json, schema};

/// Folders that hold skills, relative to the project.
pub const PLACES: [&str; 2] = [CANONICAL_SKILLS, CLAUDE_SKILLS];

/// The record that skills for Codex read, relative to the project.
pub const CODEX_SKILLS: &str = ".aris/installed-skills-codex.txt";

/// Files from which hosts read instructions.
pub const INSTRUCTION_FILES: [&str; 3] = ["AGENTS.md", "CLAUDE.md", "GEMINI.md"];

/// Limits of a manifest; one of a thousand skills with a hundred files each has some 15 MB.
pub const LIMITS: json::Limits = json::Limits {
    bytes: 64 << 20,
    depth: 16,
};

/// An error in a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Line, from 1.
    pub line: usize,
    /// What is wrong.
    pub reason: String,
}

/// A record in the reference's format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// The source from which it was installed.
    pub repo_root: String,
    /// The project, if the record names it.
    pub project_root: Option<String>,
    /// Its links. Copies are not included: their rows have only a name, and a copy without digests belongs to the user.
    pub entries: Vec<Entry>,
    /// Whether lines end in a carriage return; skills that read the record with `awk` would take it for part of the path.
    pub has_carriage_returns: bool,
}

impl Problem {
    fn new(line: usize, reason: impl Into<String>) -> Self {
        let reason = reason.into();
        Self { line, reason }
    }
}

/// Reads `.aris/install.json`.
pub fn manifest(text: &[u8]) -> Result<InstallManifest, Problem> {
    let manifest: InstallManifest =
        json::typed(text, LIMITS).map_err(|error| Problem::new(error.line, error.to_string()))?;
    match problem_of(&manifest) {
        None => Ok(manifest),
        Some(reason) => Err(Problem::new(1, reason)),
    }
}

/// The first error in a manifest that parses.
pub fn problem_of(manifest: &InstallManifest) -> Option<String> {
    if manifest.schema != schema::id::INSTALL_MANIFEST {
        return Some(format!(
            "schema is {:?}, not {:?}",
            manifest.schema,
            schema::id::INSTALL_MANIFEST
        ));
    }
    let entries = manifest.entries.iter();
    if let Some(bad) = entries.clone().find(|entry| !is_ours(&entry.path)) {
        return Some(format!("entry {:?} is no place of this program", bad.path));
    }
    for entry in entries {
        if let Content::Tree { files } = &entry.content
            && let Some(bad) = files.iter().find(|file| !is_below(&file.path))
        {
            return Some(format!("file {:?} leaves {}", bad.path, entry.path));
        }
    }
    let folders = manifest.folders.iter();
    if let Some(bad) = folders.clone().find(|folder| !is_own_folder(folder)) {
        return Some(format!("folder {bad:?} is none of this program"));
    }
    let unknown = |block: &&Block| {
        let ends = |text: &str| text.bytes().all(|b| matches!(b, b'\r' | b'\n'));
        !INSTRUCTION_FILES.contains(&block.path.as_str())
            || !ends(&block.before)
            || !ends(&block.after)
    };
    manifest
        .blocks
        .iter()
        .find(unknown)
        .map(|block| format!("block in {:?} is none of this program", block.path))
}

/// Whether this program may install an entry at this path, relative to the project.
pub fn is_ours(path: &str) -> bool {
    let skill = PLACES.contains(&parent(path));
    let name = path.rsplit('/').next().unwrap_or(path);
    let reference = PLACES.into_iter().any(|place| {
        let below = path.strip_prefix(place);
        let below = below.and_then(|rest| rest.strip_prefix("/shared-references/"));
        below.is_some_and(is_below)
    });
    let tool = [INSTALLED_TOOLS, LINKED_SKILLS].contains(&path)
        || path
            .strip_prefix(INSTALLED_TOOLS)
            .and_then(|rest| rest.strip_prefix('/'))
            .is_some_and(is_below);
    (skill && is_safe_name(name)) || reference || tool
}

/// Whether this program may have created this folder.
pub fn is_own_folder(path: &str) -> bool {
    [".aris", ".agents", ".claude"].into_iter().any(|top| {
        path == top
            || path
                .strip_prefix(top)
                .and_then(|rest| rest.strip_prefix('/'))
                .is_some_and(is_below)
    })
}

/// Whether the name of a skill or tool is safe in paths, manifests and scripts.
pub fn is_safe_name(name: &str) -> bool {
    name.len() <= 255
        && name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && name
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-'))
}

/// The folder part of a relative path; empty for a name alone.
fn parent(relative: &str) -> &str {
    relative.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Whether a relative path has no empty, `.` or `..` parts.
fn is_below(path: &str) -> bool {
    path.split('/').all(|part| !matches!(part, "" | "." | ".."))
}

/// Reads a record in the reference's format: rows with tab-separated columns, the header rows first.
///
/// **Source**: the reference's installers, `write_manifest_tmp` and `load_manifest`.
pub fn reference(text: &[u8]) -> Result<Reference, Problem> {
    let text = str::from_utf8(text).map_err(|error| {
        let before = text.get(..error.valid_up_to()).unwrap_or_default();
        let line = 1 + before.iter().filter(|b| **b == b'\n').count();
        Problem::new(line, "not UTF-8")
    })?;
    let (mut version, mut repo_root, mut project_root, mut in_body) = (None, None, None, false);
    let mut entries = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let columns: Vec<&str> = line.split('\t').collect();
        match columns.as_slice() {
            ["kind", "name", "source_rel", "target_rel", "mode"] => in_body = true,
            [kind, name, from, to, mode] if in_body => {
                let kind = match *kind {
                    "skill" => EntryKind::Skill,
                    "support" => EntryKind::Support,
                    other => return Err(Problem::new(at + 1, format!("{other:?} is no kind"))),
                };
                let sound = is_safe_name(name)
                    && is_ours(to)
                    && to.ends_with(&format!("/{name}"))
                    && is_below(from);
                if !sound {
                    return Err(Problem::new(
                        at + 1,
                        "the row names a path outside its place",
                    ));
                }
                let Some(root) = repo_root.filter(|_| *mode == "symlink") else {
                    continue;
                };
                entries.push(Entry {
                    path: String::from(*to),
                    kind,
                    name: String::from(*name),
                    origin: Origin::Older,
                    content: Content::Link {
                        target: format!("{root}/{from}"),
                    },
                });
            }
            ["version", value, ..] if version.is_none() => version = Some(*value),
            ["repo_root", value, ..] if repo_root.is_none() => repo_root = Some(*value),
            ["project_root", value, ..] => project_root = Some(String::from(*value)),
            _ => {}
        }
    }
    if version != Some("1") {
        let found = version.map_or_else(
            || String::from("there is no row `version`"),
            |version| format!("the version is {version:?}"),
        );
        return Err(Problem::new(1, format!("{found}; version 1 is read")));
    }
    match repo_root.filter(|root| root.starts_with('/')) {
        Some(root) => Ok(Reference {
            repo_root: String::from(root),
            project_root,
            entries,
            has_carriage_returns: text.contains('\r'),
        }),
        None => Err(Problem::new(1, "no repo_root row with an absolute path")),
    }
}

/// Whether skills for Codex are installed, which read the Codex record.
pub fn needs_codex(manifest: &InstallManifest) -> bool {
    let is_kept =
        |entry: &Entry| entry.origin == Origin::Older && parent(&entry.path) == CANONICAL_SKILLS;
    manifest.hosts.contains(&Host::Codex) || manifest.entries.iter().any(is_kept)
}

/// The folder that skills for Codex take for the repository. They look into its `tools/` first, and only `.aris/tools` holds the
/// helpers of every installed source.
pub fn codex_root(manifest: &InstallManifest) -> String {
    format!("{}/.aris", manifest.project_root)
}

/// The record from which skills for Codex read `repo_root`. It lists no entries; `.aris/install.json` does.
pub fn for_codex(manifest: &InstallManifest) -> String {
    head(&codex_root(manifest), manifest)
}

fn head(repo_root: &str, manifest: &InstallManifest) -> String {
    format!(
        "version\t1\nrepo_root\t{repo_root}\nproject_root\t{}\ngenerated\t{}\nkind\tname\tsource_rel\ttarget_rel\tmode\n",
        manifest.project_root, manifest.generated
    )
}

/// The manifest in the reference's format, for old skills and old installers. `.claude` comes first, because the reference's
/// uninstaller follows those links while the canonical ones are still there.
pub fn in_reference_format(manifest: &InstallManifest) -> String {
    let mut text = head(&manifest.repo_root, manifest);
    let rows = manifest
        .entries
        .iter()
        .filter(|entry| entry.kind != EntryKind::Tool && entry.origin == Origin::Source)
        // Without the single files of merged reference folders.
        .filter(|entry| PLACES.contains(&parent(&entry.path)));
    let (claude, other): (Vec<_>, Vec<_>) =
        rows.partition(|entry| entry.path.starts_with(CLAUDE_SKILLS));
    for entry in claude.into_iter().chain(other) {
        let Entry {
            kind,
            name,
            path,
            content,
            ..
        } = entry;
        let mode = if matches!(content, Content::Link { .. }) {
            "symlink"
        } else {
            "copy"
        };
        for part in [
            kind.word(),
            "\t",
            name,
            "\tskills/",
            name,
            "\t",
            path,
            "\t",
            mode,
            "\n",
        ] {
            text.push_str(part);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::install::{InstallMode, TreeFile};
    use super::*;

    fn read(text: &str) -> Result<Reference, Problem> {
        reference(text.as_bytes())
    }

    const HEAD: &str = "version\t1\nrepo_root\t/r\nproject_root\t/p\ngenerated\tx\nkind\tname\tsource_rel\ttarget_rel\tmode\n";

    #[test]
    fn the_reference_s_rows_are_links_into_its_root() {
        let found = read(&format!(
            "{HEAD}skill\tx\tskills/x\t.claude/skills/x\tsymlink\n"
        ))
        .expect("a manifest");
        assert_eq!(found.repo_root, "/r");
        assert_eq!(
            found.entries[0].content,
            Content::Link {
                target: String::from("/r/skills/x")
            }
        );
    }

    #[test]
    fn rows_that_leave_their_place_are_refused_with_their_line() {
        for row in [
            "skill\t../x\tskills/x\t.claude/skills/x\tsymlink",
            "skill\tx\tskills/x\t../../etc/x\tsymlink",
            "skill\tx\tskills/x\t/etc/x\tsymlink",
            "skill\tx\t../x\t.claude/skills/x\tsymlink",
            "skill\tx\tskills/x\t.claude/skills/y\tsymlink",
            "skill\tx\tskills/x\t.claude/settings/x\tsymlink",
            "file\tx\tskills/x\t.claude/skills/x\tsymlink",
        ] {
            match read(&format!("{HEAD}{row}\n")) {
                Err(Problem { line, .. }) => assert_eq!(line, 6, "{row}"),
                other => panic!("{row}: {other:?}"),
            }
        }
        for head in [
            "",
            "version\t2\nrepo_root\t/r\n",
            "version\t1\n",
            "version\t1\nrepo_root\trelative\n",
        ] {
            assert!(read(head).is_err(), "{head}");
        }
    }

    #[test]
    fn carriage_returns_are_no_part_of_a_path_and_are_said() {
        let text = format!("{HEAD}skill\tx\tskills/x\t.claude/skills/x\tsymlink\n");
        let found = read(&text.replace('\n', "\r\n")).expect("a record");
        assert!(found.has_carriage_returns);
        let plain = Reference {
            has_carriage_returns: false,
            ..found
        };
        assert_eq!(read(&text), Ok(plain));
    }

    #[test]
    fn names_that_could_leave_their_folder_are_unsafe() {
        for good in ["a", "A.b_c-1", "0", "skill..x", &"a".repeat(255)] {
            assert!(is_safe_name(good), "{good}");
        }
        assert!(!is_safe_name(&"a".repeat(256)));
        for bad in [
            "", ".", "..", ".a", "-a", "_a", "a/b", "a b", "ä", "a\n", "a\t",
        ] {
            assert!(!is_safe_name(bad), "{bad}");
        }
    }

    #[test]
    fn only_places_of_this_program_are_its_own() {
        for good in [
            ".agents/skills/x",
            ".claude/skills/x.y",
            ".aris/tools",
            ".aris/tools/a/b.py",
            ".aris/skills",
            ".claude/skills/shared-references/a/b.md",
        ] {
            assert!(is_ours(good), "{good}");
        }
        for bad in [
            ".claude/x",
            ".claude/skills/x/y",
            ".claude/skills/..",
            ".aris/traces/x",
            ".aris/tools/../x",
            "/etc/passwd",
            ".aris/tools/",
            ".aris/tools//x",
            "skills/x",
            "",
            ".agents/skills/.x",
            ".aris/skills/x",
            ".claude/skills/shared-references/",
            ".claude/skills/shared-references/../x",
            ".claude/skills/shared-references/./x",
        ] {
            assert!(!is_ours(bad), "{bad}");
        }
        for good in [".aris", ".agents/skills", ".claude/skills"] {
            assert!(is_own_folder(good), "{good}");
        }
        for bad in [
            "",
            "src",
            ".aris/",
            ".aris/..",
            ".arisx",
            ".claude/../x",
            "/.aris",
        ] {
            assert!(!is_own_folder(bad), "{bad}");
        }
    }

    fn installed() -> InstallManifest {
        let link = |path: &str, kind, name: &str| Entry {
            path: path.to_owned(),
            kind,
            name: name.to_owned(),
            origin: Origin::Source,
            content: Content::Link {
                target: String::from("/r"),
            },
        };
        let copied = Content::Tree {
            files: vec![TreeFile {
                path: String::from("SKILL.md"),
                digest: String::from("sha256:0"),
                executable: false,
            }],
        };
        let united = ".agents/skills/shared-references/a.md";
        InstallManifest {
            schema: String::from(schema::id::INSTALL_MANIFEST),
            helper_version: String::from("1"),
            repo_root: String::from("/r"),
            source_version: None,
            project_root: String::from("/p"),
            generated: String::from("2026-11-20T10:00:00Z"),
            mode: InstallMode::Symlink,
            hosts: vec![Host::Claude],
            skills: Vec::new(),
            entries: vec![
                Entry {
                    content: copied,
                    ..link(".agents/skills/a", EntryKind::Skill, "a")
                },
                Entry {
                    origin: Origin::Older,
                    ..link(".claude/skills/old", EntryKind::Skill, "old")
                },
                link(united, EntryKind::Support, "shared-references"),
                link(".aris/tools", EntryKind::Tool, "tools"),
                link(".claude/skills/a", EntryKind::Skill, "a"),
            ],
            folders: vec![String::from(".aris")],
            blocks: vec![Block {
                path: String::from("CLAUDE.md"),
                digest: String::from("sha256:0"),
                before: String::from("\r\n"),
                after: String::from("\n"),
                created: false,
                original_digest: None,
                original_modified: None,
            }],
        }
    }

    #[test]
    fn a_manifest_that_leaves_its_places_is_refused() {
        type Change = fn(&mut InstallManifest);
        assert_eq!(problem_of(&installed()), None);
        let text = serde_json::to_vec(&installed()).expect("JSON");
        assert_eq!(manifest(&text), Ok(installed()));
        let changes: [(&str, Change); 7] = [
            ("schema", |m| m.schema = String::from("other/v1")),
            ("entry", |m| m.entries[0].path = String::from("src/a")),
            ("leaves", |m| {
                if let Content::Tree { files } = &mut m.entries[0].content {
                    files[0].path = String::from("../SKILL.md");
                }
            }),
            ("folder", |m| m.folders[0] = String::from("src")),
            ("block", |m| m.blocks[0].path = String::from("src/main.rs")),
            ("block", |m| m.blocks[0].before = String::from("x\n")),
            ("block", |m| m.blocks[0].after = String::from("\nx")),
        ];
        for (said, change) in changes {
            let mut changed = installed();
            change(&mut changed);
            let reason = problem_of(&changed).expect(said);
            assert!(reason.contains(said), "{reason}");
            let text = serde_json::to_vec(&changed).expect("JSON");
            assert_eq!(manifest(&text), Err(Problem { line: 1, reason }));
        }
        let broken = manifest(b"{\n\n\"schema\": 1}").expect_err("a wrong type");
        assert_eq!(broken.line, 3);
    }

    #[test]
    fn old_skills_find_what_came_from_the_source_and_links_of_claude_first() {
        let text = in_reference_format(&installed());
        assert_eq!(
            text,
            "version\t1\nrepo_root\t/r\nproject_root\t/p\ngenerated\t2026-11-20T10:00:00Z\n\
             kind\tname\tsource_rel\ttarget_rel\tmode\n\
             skill\ta\tskills/a\t.claude/skills/a\tsymlink\n\
             skill\ta\tskills/a\t.agents/skills/a\tcopy\n"
        );
        let back = read(&text).expect("a record");
        assert_eq!(back.project_root.as_deref(), Some("/p"));
        let paths: Vec<&str> = back
            .entries
            .iter()
            .map(|entry| entry.path.as_str())
            .collect();
        assert_eq!(paths, [".claude/skills/a"]);
    }

    #[test]
    fn skills_for_codex_look_into_the_project_s_own_folder() {
        let mut manifest = installed();
        assert!(!needs_codex(&manifest));
        manifest.hosts.push(Host::Codex);
        assert!(needs_codex(&manifest));
        manifest.hosts.pop();
        manifest.entries[0].origin = Origin::Older;
        assert!(needs_codex(&manifest));
        let record = read(&for_codex(&manifest)).expect("a record");
        assert_eq!(record.repo_root, "/p/.aris");
        assert_eq!(record.entries, []);
    }

    #[test]
    fn text_that_is_not_utf8_is_refused_with_its_line() {
        let found = reference(b"version\t1\n\n\xFF");
        assert_eq!(found, Err(Problem::new(3, "not UTF-8")));
    }

    #[test]
    fn the_first_row_of_its_kind_counts_and_rows_before_the_head_do_not() {
        let row = "skill\tx\tskills/x\t.claude/skills/x\tsymlink\n";
        let found = read(&format!(
            "{row}version\t1\nversion\t2\nrepo_root\t/r\nrepo_root\t/s\n"
        ))
        .expect("a record");
        assert_eq!((found.repo_root.as_str(), found.entries.len()), ("/r", 0));
        let found = read(&format!("version\t1\nrepo_root\t/r\n{row}")).expect("a record");
        assert_eq!(found.entries, []);
        let support = row.replace("skill\tx", "support\tx");
        let found = read(&format!("{HEAD}{support}")).expect("a record");
        assert_eq!(found.entries[0].kind, EntryKind::Support);
        assert_eq!(found.entries[0].name, "x");
    }

    proptest! {
        #[test]
        fn no_bytes_make_the_readers_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
            reference(&bytes).map(|_| ()).unwrap_or_default();
            manifest(&bytes).map(|_| ()).unwrap_or_default();
        }

        #[test]
        fn no_rows_make_the_reader_leave_the_project(cells in prop::collection::vec("[a-z./\\\\]{0,12}", 5)) {
            if let Ok(found) = read(&format!("{HEAD}{}\n", cells.join("\t"))) {
                prop_assert!(found.entries.iter().all(|entry| is_ours(&entry.path)));
            }
        }
    }
}
