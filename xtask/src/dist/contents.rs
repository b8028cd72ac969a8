//! The files of a release, as paths and bytes.

use std::collections::BTreeMap;
use std::path::Path;

use super::GIT;
use super::build::Host;
use crate::cargo;
use crate::fault::Fault;
use crate::install::{self, ARIS};
use crate::sync::contract;
use crate::workspace::Workspace;

/// A file of a release.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct File {
    pub(super) bytes: Vec<u8>,
    pub(super) executable: bool,
    /// The file to which this one is a hard link; `bytes` are then empty.
    pub(super) link: Option<String>,
}

impl File {
    pub(super) fn new(bytes: impl Into<Vec<u8>>, executable: bool) -> Self {
        Self {
            bytes: bytes.into(),
            executable,
            link: None,
        }
    }

    pub(super) fn text(text: impl Into<String>) -> Self {
        Self::new(text.into(), false)
    }

    pub(super) fn program(bytes: impl Into<Vec<u8>>) -> Self {
        Self::new(bytes, true)
    }

    pub(super) fn mode(&self) -> u32 {
        if self.executable { 0o755 } else { 0o644 }
    }
}

/// Files by path, relative to the release's folder.
pub(super) type Files = BTreeMap<String, File>;

/// The parts of the repository that are shipped.
const SHIPPED: [&str; 15] = [
    ".agents",
    ".claude-plugin",
    ".codex-plugin",
    ".pre-commit-hooks.yaml",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "LICENSE-APACHE",
    "LICENSE-MIT",
    "README.md",
    "action.yml",
    "crates/README.md",
    "crates/THREATS.md",
    "crates/aris/guide/src",
    "schemas",
    "skills",
];

/// Shells and the paths of their completions; `@` stands for the program. **Source**: where the shells look below a prefix.
const COMPLETIONS: [(&str, &str); 4] = [
    ("bash", "share/bash-completion/completions/@"),
    ("fish", "share/fish/vendor_completions.d/@.fish"),
    ("powershell", "share/powershell/_@.ps1"),
    ("zsh", "share/zsh/site-functions/_@"),
];

/// The files that are the same for every target.
pub(super) fn common(workspace: &Workspace, host: &Host) -> Result<Files, Fault> {
    let mut files = committed(workspace)?;
    files.extend(names_of_helpers(workspace));
    files.extend(printed(workspace, &host.folder)?);
    Ok(files)
}

/// The tracked files, with the content of the working tree.
fn committed(workspace: &Workspace) -> Result<Files, Fault> {
    let done = aris_proc::command("git", &workspace.root)
        .args(["ls-files", "--stage", "-z", "--"])
        .args(SHIPPED)
        .run(GIT)?;
    let Some(list) = done.stdout.whole_text().filter(|_| done.success()) else {
        return Err(Fault::new(format!(
            "git ls-files: {}",
            done.stderr.text().trim_end()
        )));
    };
    let mut files = Files::new();
    for entry in list.split_terminator('\0') {
        // Mode, object and stage, then a tab and the path.
        let (Some((facts, path)), Some(mode)) = (entry.split_once('\t'), entry.split(' ').next())
        else {
            return Err(Fault::new(format!("git ls-files says {entry:?}")));
        };
        if !mode.starts_with("100") || !facts.ends_with(" 0") {
            return Err(Fault::new(format!(
                "{path} is not a regular file without conflicts"
            )));
        }
        let bytes = aris_fs::read(&workspace.at(path), install::LARGE)?;
        files.insert(path.to_owned(), File::new(bytes, mode == "100755"));
    }
    Ok(files)
}

/// Every name of every helper in `tools/`, and the current names in `bin/`, which some hosts put on the `PATH`.
fn names_of_helpers(workspace: &Workspace) -> Files {
    let in_bin = workspace.rows.iter().map(|row| {
        let shim = aris_launch::shim(&row.name, &row.owner, &row.name, None);
        (format!("bin/{}", row.name), shim)
    });
    let all = install::shims(workspace, None).into_iter().chain(in_bin);
    all.map(|(path, text)| (path, File::program(text)))
        .collect()
}

/// The output of the multi-call binary: its launcher's contract, completions, manual pages.
fn printed(workspace: &Workspace, programs: &Path) -> Result<Files, Fault> {
    let aris = programs.join(ARIS);
    let print = |args: &[&str]| -> Result<String, Fault> {
        let done = aris_proc::command(&aris, &workspace.root)
            .args(args)
            .run(cargo::PRINT)?;
        match done.stdout.whole_text() {
            // The output was trimmed, so the final newline is added again.
            Some(text) if done.success() => Ok(format!("{}\n", text.trim_end())),
            _ => Err(Fault::new(format!(
                "aris {}: {}",
                args.join(" "),
                done.stderr.text()
            ))),
        }
    };
    let mut files = Files::new();
    let contract = contract::parse(ARIS, &print(&["--print-contract"])?)?;
    let launcher = aris_launch::launcher(&contract)
        .map_err(|error| Fault::new(format!("the launcher of aris: {error}")))?;
    files.insert(format!("bin/{ARIS}"), File::program(launcher));
    let rows = workspace.rows.iter().map(|row| Some(row.name.as_str()));
    for helper in rows.chain([None]) {
        let name = helper.unwrap_or(ARIS);
        for (shell, place) in COMPLETIONS {
            let args: Vec<&str> = ["completions", shell].into_iter().chain(helper).collect();
            files.insert(place.replace('@', name), File::text(print(&args)?));
        }
        let args: Vec<&str> = ["man"].into_iter().chain(helper).collect();
        files.insert(
            format!("share/man/man1/{name}.1"),
            File::text(print(&args)?),
        );
    }
    Ok(files)
}

/// The files for one target: its program where the launchers look for it, under the name of each helper, and the licences of its parts.
pub(super) fn of_target(
    workspace: &Workspace,
    triple: &str,
    program: &[u8],
    licences: &str,
) -> Files {
    let mut files = Files::new();
    let own = install::binary("bin", ARIS, triple);
    let mut launchers = vec![(String::from("bin"), ARIS)];
    for row in &workspace.rows {
        let path = install::binary(&row.scripts(), &row.name, triple);
        let link = Some(own.clone());
        files.insert(
            path,
            File {
                link,
                ..File::program([])
            },
        );
        launchers.push((row.scripts(), &row.name));
    }
    files.insert(own, File::program(program));
    if triple.contains("windows") {
        for (folder, name) in launchers {
            let launcher = aris_launch::launcher_cmd(name);
            files.insert(format!("{folder}/{name}.cmd"), File::text(launcher));
        }
    }
    files.insert(format!("licences/{triple}.txt"), File::text(licences));
    files
}
