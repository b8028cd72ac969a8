//! The resolver chain: where a helper is found, as a function of an explicit environment.
//!
//! Layers, first hit wins: 0 the owner skill's `scripts/`, beside the running skill; 1 `.aris/tools/`; 2 `tools/`;
//! 3 `$ARIS_REPO/tools/`; 4 the owner skill's `scripts/` in the hosts' folders of the project, where an installer that does not
//! know `.aris` has copied the skills. In each layer the canonical name is tried first, then the legacy names. A file that exists but
//! cannot be used ends the search and is reported, because the next layer may hold another version.
//!
//! `aris_launch::find_block` is the same chain as shell text; `tests/flows/resolver.rs` compares the two.
//!
//! **Source**: the integration contract §2; its resolver chain. Layer 4: where `npx skills add` puts copies.

use std::path::{Path, PathBuf};

use serde::Serialize;

/// The resolver's input; nothing else influences the result.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ResolveEnv {
    /// The git top level of the working directory, else the working directory. Parents are not searched.
    pub project_root: PathBuf,
    /// Directory of the running skill (`CLAUDE_SKILL_DIR`), if the host provides it.
    pub skill_dir: Option<PathBuf>,
    /// Name of the running skill, if known; else the name of its folder. Other owners are searched beside it.
    pub skill_name: Option<String>,
    /// `ARIS_REPO`, when set and not empty.
    pub aris_repo: Option<PathBuf>,
    /// Text of `.aris/installed-skills.txt`, when the file exists.
    pub installed_skills: Option<String>,
}

impl ResolveEnv {
    /// The repository for layer 3: `ARIS_REPO`, else the `repo_root` row of the install manifest.
    pub fn repository(&self) -> Option<PathBuf> {
        self.aris_repo.clone().or_else(|| {
            let manifest = self.installed_skills.as_deref()?;
            let row = manifest
                .split('\n')
                .find_map(|line| line.strip_prefix("repo_root\t"))?;
            // Ignore carriage returns, which other systems write at the end of a line.
            let path = row.split('\t').next()?.replace('\r', "");
            (!path.is_empty()).then(|| PathBuf::from(path))
        })
    }
}

/// The result of probing one candidate path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Probe {
    /// Nothing there.
    Absent,
    /// A readable regular file, after links.
    Usable,
    /// Something exists but cannot be used; the text says why.
    Unusable(String),
}

/// A layer of the chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Layer {
    /// Layer 0: `scripts/` of the running skill, or of the owner beside it.
    Skill,
    /// Layer 1: `.aris/tools/` of the project.
    Installed,
    /// Layer 2: `tools/` of the project.
    Project,
    /// Layer 3: `tools/` of the ARIS repository.
    Repository,
    /// Layer 4: `scripts/` of the owner in a host's folder of the project.
    Host,
}

/// Target triples whose binaries run on this machine, in the order in which the launchers try them.
pub fn targets() -> Vec<String> {
    let machine = std::env::consts::ARCH;
    match std::env::consts::OS {
        "macos" => vec![format!("{machine}-apple-darwin")],
        _ => vec![
            format!("{machine}-unknown-linux-musl"),
            format!("{machine}-unknown-linux-gnu"),
        ],
    }
}

/// One candidate that was probed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Looked {
    /// The layer it belongs to.
    pub layer: Layer,
    /// The path.
    pub path: PathBuf,
    /// What was found.
    pub found: Found,
}

/// The result for a candidate path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "state", content = "reason")]
pub enum Found {
    /// Nothing.
    Absent,
    /// The helper.
    Usable,
    /// A file that cannot be used, and why.
    Unusable(String),
}

/// The result of the search.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Resolution {
    /// Every candidate in order; the last one decided.
    pub looked: Vec<Looked>,
}

impl Resolution {
    /// The helper's path and layer, if a usable one was found.
    pub fn hit(&self) -> Option<(&Path, Layer)> {
        self.looked
            .last()
            .filter(|last| last.found == Found::Usable)
            .map(|last| (last.path.as_path(), last.layer))
    }

    /// Why there is no hit, in one line; `None` if there is one.
    pub fn miss(&self) -> Option<String> {
        if self.hit().is_some() {
            return None;
        }
        if let Some(Looked {
            path,
            found: Found::Unusable(why),
            ..
        }) = self.looked.last()
        {
            return Some(format!(
                "{} is there and cannot be used: {why}",
                path.display()
            ));
        }
        let mut folders: Vec<String> = Vec::new();
        for looked in &self.looked {
            let folder = looked
                .path
                .parent()
                .unwrap_or(&looked.path)
                .display()
                .to_string();
            if folders.last() != Some(&folder) {
                folders.push(folder);
            }
        }
        Some(format!("not in {}", folders.join(", ")))
    }
}

/// Folders of a project in which hosts look for skills. **Source**: Codex and `npx skills`; Claude Code; Gemini CLI.
pub const HOST_SKILLS: [&str; 3] = [".agents/skills", ".claude/skills", ".gemini/skills"];

/// Searches the helper with the `names` (canonical name first) that belongs to the skill `owner`.
pub fn resolve(
    names: &[&str],
    owner: &str,
    env: &ResolveEnv,
    probe: &dyn Fn(&Path) -> Probe,
) -> Resolution {
    let mut looked = Vec::new();
    for (layer, folder) in folders(owner, env) {
        for name in names {
            let path = folder.join(name);
            let found = match probe(&path) {
                Probe::Absent => Found::Absent,
                Probe::Usable => Found::Usable,
                Probe::Unusable(why) => Found::Unusable(why),
            };
            let decided = found != Found::Absent;
            looked.push(Looked { layer, path, found });
            if decided {
                return Resolution { looked };
            }
        }
    }
    Resolution { looked }
}

/// The folders to search for a helper of the skill `owner`, in order.
pub fn folders(owner: &str, env: &ResolveEnv) -> Vec<(Layer, PathBuf)> {
    let mut folders = Vec::new();
    if let Some(skill) = &env.skill_dir {
        let owns = match env.skill_name.as_deref() {
            Some(name) => name == owner,
            None => skill.file_name().is_some_and(|name| name == owner),
        };
        let skill = if owns {
            skill.clone()
        } else {
            skill.join("..").join(owner)
        };
        folders.push((Layer::Skill, skill.join("scripts")));
    }
    let root = &env.project_root;
    folders.push((Layer::Installed, root.join(".aris/tools")));
    folders.push((Layer::Project, root.join("tools")));
    if let Some(repository) = env.repository() {
        folders.push((Layer::Repository, repository.join("tools")));
    }
    for skills in HOST_SKILLS {
        let scripts = root.join(skills).join(owner).join("scripts");
        folders.push((Layer::Host, scripts));
    }
    folders
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: [&str; 2] = ["save_trace", "save_trace.sh"];

    fn env() -> ResolveEnv {
        ResolveEnv {
            project_root: PathBuf::from("/p"),
            skill_dir: Some(PathBuf::from("/s/review-tracing")),
            aris_repo: Some(PathBuf::from("/r")),
            ..ResolveEnv::default()
        }
    }

    fn hit(env: &ResolveEnv, there: &[&str]) -> Option<(String, Layer)> {
        let probe = |path: &Path| {
            if there.iter().any(|known| Path::new(known) == path) {
                Probe::Usable
            } else {
                Probe::Absent
            }
        };
        let resolution = resolve(&NAMES, "review-tracing", env, &probe);
        assert_eq!(resolution.hit().is_none(), resolution.miss().is_some());
        resolution
            .hit()
            .map(|(path, layer)| (path.display().to_string(), layer))
    }

    #[test]
    fn the_lowest_layer_wins_and_legacy_names_are_the_same_helper() {
        let all = [
            ("/s/review-tracing/scripts/save_trace", Layer::Skill),
            ("/p/.aris/tools/save_trace.sh", Layer::Installed),
            ("/p/tools/save_trace", Layer::Project),
            ("/r/tools/save_trace.sh", Layer::Repository),
            (
                "/p/.agents/skills/review-tracing/scripts/save_trace",
                Layer::Host,
            ),
            (
                "/p/.gemini/skills/review-tracing/scripts/save_trace.sh",
                Layer::Host,
            ),
        ];
        for (skipped, (path, layer)) in all.into_iter().enumerate() {
            let there: Vec<&str> = all.iter().skip(skipped).map(|(path, _)| *path).collect();
            assert_eq!(hit(&env(), &there), Some((path.to_owned(), layer)));
        }
        assert_eq!(hit(&env(), &[]), None);
    }

    #[test]
    fn a_miss_names_each_folder_once() {
        let mut env = env();
        env.aris_repo = None;
        let nothing = resolve(&NAMES, "review-tracing", &env, &|_| Probe::Absent);
        assert_eq!(
            nothing.miss().as_deref(),
            Some(
                "not in /s/review-tracing/scripts, /p/.aris/tools, /p/tools, \
                 /p/.agents/skills/review-tracing/scripts, \
                 /p/.claude/skills/review-tracing/scripts, \
                 /p/.gemini/skills/review-tracing/scripts"
            )
        );
    }

    #[test]
    fn an_empty_row_of_the_manifest_names_no_repository() {
        let mut env = env();
        env.aris_repo = None;
        env.installed_skills = Some(String::from("repo_root\t\r\n"));
        assert_eq!(env.repository(), None);
    }

    #[test]
    fn the_owner_is_looked_for_beside_another_skill() {
        let mut other = env();
        other.skill_name = Some(String::from("paper-writing"));
        assert_eq!(hit(&other, &["/s/review-tracing/scripts/save_trace"]), None);
        let beside = "/s/review-tracing/../review-tracing/scripts/save_trace";
        assert_eq!(
            hit(&other, &[beside]),
            Some((beside.to_owned(), Layer::Skill))
        );
    }

    #[test]
    fn the_manifest_names_the_repository_when_the_variable_is_unset() {
        let mut env = env();
        env.aris_repo = None;
        assert_eq!(env.repository(), None);
        env.installed_skills = Some(String::from(
            "version\t1\nrepo_root\t/from manifest\r\nrepo_root\t/second\n",
        ));
        assert_eq!(env.repository(), Some(PathBuf::from("/from manifest")));
        env.aris_repo = Some(PathBuf::from("/set"));
        assert_eq!(env.repository(), Some(PathBuf::from("/set")));
    }

    #[test]
    fn an_unusable_file_ends_the_search() {
        let probe = |path: &Path| {
            if path.starts_with("/p/.aris") {
                Probe::Unusable(String::from("is a directory"))
            } else {
                Probe::Usable
            }
        };
        let mut env = env();
        env.skill_dir = None;
        let resolution = resolve(&NAMES, "review-tracing", &env, &probe);
        assert_eq!(resolution.hit(), None);
        assert_eq!(
            resolution.miss().as_deref(),
            Some("/p/.aris/tools/save_trace is there and cannot be used: is a directory")
        );
    }
}
