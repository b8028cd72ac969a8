//! What the installer wrote down: `.aris/install.json`, and `.aris/installed-skills.txt` that old skills read.

use std::path::{Path, PathBuf};

use aris_contract::artifact::install::{
    CANONICAL_SKILLS, CLAUDE_SKILLS, INSTALL_MANIFEST, INSTALLED_SKILLS, INSTALLED_TOOLS,
    InstallManifest, InstallMode,
};
use aris_contract::json::{self, Limits};
use serde::Serialize;

use super::finding::{Finding, Id, Severity};
use crate::project::Project;

/// What to run when a record is wrong.
const AGAIN: &str = "run install_aris in the project again";

/// Bytes of a record.
const LIMIT: u64 = 16 << 20;

/// Whose record is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub(crate) enum Installation {
    /// No record that can be read.
    None,
    /// Only the record that the reference's installer writes.
    Reference,
    /// The full record.
    Full,
}

impl Installation {
    pub(crate) const fn words(self) -> &'static str {
        match self {
            Self::None => "no record of one",
            Self::Reference => "recorded in .aris/installed-skills.txt only: digests are not known",
            Self::Full => "recorded in .aris/install.json",
        }
    }
}

/// The records of one project.
#[derive(Debug, Default)]
pub(crate) struct Record {
    pub(crate) full: Option<InstallManifest>,
    pub(crate) reference: Option<Reference>,
}

/// `.aris/installed-skills.txt`: tab-separated, heads first.
///
/// **Source**: the format that the reference's installer writes, version 1.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Reference {
    pub(crate) repo_root: String,
    pub(crate) project_root: Option<String>,
    /// Source relative to `repo_root`, and target relative to the project.
    pub(crate) links: Vec<(String, String)>,
}

impl Record {
    /// Reads both, and says what is wrong with them.
    pub(crate) fn read(project: &Project, findings: &mut Vec<Finding>) -> Self {
        let record = Self {
            full: bytes(project, INSTALL_MANIFEST, findings).and_then(|bytes| {
                json::typed(&bytes, Limits::ARTIFACT)
                    .map_err(|error| {
                        findings.push(Finding::error(
                            Id::ManifestInvalid,
                            INSTALL_MANIFEST,
                            error.to_string(),
                            AGAIN,
                        ));
                    })
                    .ok()
            }),
            reference: bytes(project, INSTALLED_SKILLS, findings).and_then(|bytes| {
                Reference::parse(&String::from_utf8_lossy(&bytes))
                    .map_err(|why| {
                        findings.push(Finding::error(
                            Id::ManifestInvalid,
                            INSTALLED_SKILLS,
                            why,
                            AGAIN,
                        ));
                    })
                    .ok()
            }),
        };
        record.check(project, findings);
        record
    }

    pub(crate) fn installation(&self) -> Installation {
        match (&self.full, &self.reference) {
            (Some(_), _) => Installation::Full,
            (None, Some(_)) => Installation::Reference,
            (None, None) => Installation::None,
        }
    }

    /// Where the skills came from, as the records say.
    pub(crate) fn repo_root(&self) -> Option<PathBuf> {
        let full = self.full.as_ref().map(|full| &full.repo_root);
        full.or(self
            .reference
            .as_ref()
            .map(|reference| &reference.repo_root))
            .map(PathBuf::from)
    }

    fn check(&self, project: &Project, findings: &mut Vec<Finding>) {
        let roots = [
            (
                INSTALL_MANIFEST,
                self.full
                    .as_ref()
                    .map(|full| (&full.repo_root, Some(&full.project_root))),
            ),
            (
                INSTALLED_SKILLS,
                self.reference
                    .as_ref()
                    .map(|reference| (&reference.repo_root, reference.project_root.as_ref())),
            ),
        ];
        for (file, roots) in &roots {
            let Some((repo_root, project_root)) = roots else {
                continue;
            };
            if !Path::new(repo_root).join("skills").is_dir() {
                let copied = self
                    .full
                    .as_ref()
                    .is_some_and(|full| full.mode == InstallMode::Copy);
                findings.push(Finding {
                    // Copies work without it.
                    severity: if copied { Severity::Warning } else { Severity::Error },
                    id: Id::RepoRootGone,
                    path: (*file).to_owned(),
                    message: format!(
                        "the skills came from {repo_root}, and there is no folder skills in it now"
                    ),
                    hint: String::from(
                        "put the repository back, or install again from where it is now (--aris-repo); copies need it for updates only",
                    ),
                });
            }
            let here = project
                .root
                .canonicalize()
                .unwrap_or_else(|_| project.root.clone());
            if let Some(there) = project_root
                && Path::new(there).canonicalize().ok().as_ref() != Some(&here)
            {
                findings.push(Finding::error(
                    Id::ManifestForeign,
                    file,
                    format!("is the record of {there}, not of this project"),
                    "remove the record that was copied here, and install into this project",
                ));
            }
        }
        if let [(_, Some((first, _))), (_, Some((second, _)))] = &roots
            && first != second
        {
            findings.push(Finding::warning(
                Id::ManifestsDisagree,
                INSTALLED_SKILLS,
                format!("says repo_root {second}, and {INSTALL_MANIFEST} says {first}"),
                AGAIN,
            ));
        }
        let version = env!("CARGO_PKG_VERSION");
        if let Some(full) = &self.full
            && full.helper_version != version
        {
            findings.push(Finding::warning(
                Id::VersionMismatch,
                INSTALL_MANIFEST,
                format!(
                    "was written by version {}, and this is version {version}",
                    full.helper_version
                ),
                "run install_aris --update in the project",
            ));
        }
        if self.full.is_none() && self.reference.is_none() {
            for place in [INSTALLED_TOOLS, CANONICAL_SKILLS, CLAUDE_SKILLS] {
                let ours = [
                    "review-tracing",
                    "shared-references",
                    "save_trace",
                    "save_trace.sh",
                ];
                if ours.iter().any(|name| {
                    project
                        .root
                        .join(place)
                        .join(name)
                        .symlink_metadata()
                        .is_ok()
                }) {
                    findings.push(Finding::warning(
                        Id::ManifestMissing,
                        place,
                        "holds things of this suite, and no record says who put them there",
                        AGAIN,
                    ));
                }
            }
        }
    }
}

fn bytes(project: &Project, file: &str, findings: &mut Vec<Finding>) -> Option<Vec<u8>> {
    match aris_fs::read_optional(&project.root.join(file), LIMIT) {
        Ok(bytes) => bytes,
        Err(error) => {
            findings.push(Finding::error(
                Id::ManifestInvalid,
                file,
                error.to_string(),
                AGAIN,
            ));
            None
        }
    }
}

impl Reference {
    fn parse(text: &str) -> Result<Self, String> {
        let mut repo_root = None;
        let mut reference = Self {
            repo_root: String::new(),
            project_root: None,
            links: Vec::new(),
        };
        for (index, line) in text.lines().enumerate() {
            let line_number = index + 1;
            let fields: Vec<&str> = line.split('\t').collect();
            match fields.as_slice() {
                ["version", "1"] | ["generated", _] | ["kind", "name", ..] | [""] => {}
                ["version", other] => {
                    return Err(format!(
                        "line {line_number}: version {other:?} is not known"
                    ));
                }
                ["repo_root", path] if path.starts_with('/') => {
                    repo_root = Some((*path).to_owned());
                }
                ["repo_root", path] => {
                    return Err(format!(
                        "line {line_number}: repo_root {path:?} is not absolute"
                    ));
                }
                ["project_root", path] => reference.project_root = Some((*path).to_owned()),
                [_kind, _name, source, target, "symlink"] => {
                    reference
                        .links
                        .push(((*source).to_owned(), (*target).to_owned()));
                }
                // Copies, and what later versions add.
                [_, _, _, _, _] => {}
                _ => {
                    return Err(format!(
                        "line {line_number}: {} fields, not two or five",
                        fields.len()
                    ));
                }
            }
        }
        reference.repo_root = repo_root.ok_or("no line repo_root")?;
        Ok(reference)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_older_record_is_read_strictly() {
        let text = "version\t1\nrepo_root\t/r s\nproject_root\t/p\ngenerated\tx\nkind\tname\tsource_rel\ttarget_rel\tmode\n\
                    skill\ta\tskills/a\t.claude/skills/a\tsymlink\nskill\tb\tskills/b\t.claude/skills/b\tcopy\n";
        let reference = Reference::parse(text).expect("a record");
        assert_eq!(
            (
                reference.repo_root.as_str(),
                reference.project_root.as_deref()
            ),
            ("/r s", Some("/p"))
        );
        assert_eq!(
            reference.links,
            [(String::from("skills/a"), String::from(".claude/skills/a"))]
        );
        for (text, why) in [
            ("", "no line repo_root"),
            ("version\t2\n", "line 1: version \"2\""),
            (
                "version\t1\nrepo_root\tr\n",
                "line 2: repo_root \"r\" is not absolute",
            ),
            ("repo_root\t/r\nnonsense\n", "line 2: 1 fields"),
        ] {
            assert!(
                Reference::parse(text).expect_err(text).starts_with(why),
                "{text}"
            );
        }
    }

    proptest! {
        #[test]
        fn no_text_makes_the_reader_panic(text in "[a-z\t\n/0-9]{0,200}") {
            Reference::parse(&text).map(drop).unwrap_or_default();
        }
    }
}
