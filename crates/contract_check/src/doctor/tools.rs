//! Every helper of the contract: where the chain finds it, and which other files that one hides.

use std::path::{Path, PathBuf};

use aris_contract::helpers::{self, Helper};
use aris_contract::resolve::{Found, Layer, Probe, folders};
use aris_fs::display_relative;
use serde::Serialize;

use super::finding::{Findings, Id};
use super::launchers;
use super::record::{Installation, Record};
use crate::project::{Project, probe};

/// One helper.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct HelperView {
    /// Canonical name.
    pub(crate) name: &'static str,
    /// Whether this suite builds it. A project may have it from elsewhere.
    pub(crate) shipped: bool,
    /// The file that is used; absent when none is found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) path: Option<String>,
    /// Number of the layer where it was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) layer: Option<u8>,
}

pub(crate) fn check(
    project: &Project,
    record: &Record,
    findings: &mut Findings,
) -> Vec<HelperView> {
    let mut views = Vec::new();
    let mut unresolved = Vec::new();
    for helper in helpers::contract() {
        let resolution = project.find(helper);
        let hit = resolution.hit();
        if let Some((path, layer)) = &hit {
            unusable_names(project, helper, path, findings);
            shadowed(project, helper, path, *layer, findings);
            on_path(project, helper, findings);
            // Skills call the tools in .aris/tools, so a file in the host's layer is not enough.
            let is_installed = record.installation() != Installation::None;
            if helper.shipped && *layer == Layer::Host && is_installed {
                unresolved.push(helper.name.as_str());
            }
        } else if let Some(last) = resolution.looked.last()
            && let Found::Unusable(why) = &last.found
        {
            let message = format!("is where {} is looked for, and {why}", helper.name);
            findings.add(Id::HelperUnusable, show(project, &last.path), message);
        } else if helper.shipped {
            unresolved.push(helper.name.as_str());
        }
        views.push(HelperView {
            name: &helper.name,
            shipped: helper.shipped,
            path: hit.as_ref().map(|(path, _)| show(project, path)),
            layer: hit.map(|(_, layer)| layer as u8),
        });
    }
    views.sort_by_key(|view| view.name);
    if record.installation() == Installation::None && unresolved.len() == helpers::all().len() {
        let message = "nothing of this suite is installed here, and no helper is found";
        findings.add(Id::NotInstalled, ".", message);
    } else {
        for name in unresolved {
            let message = "is in none of .aris/tools, tools and $ARIS_REPO/tools";
            findings.add(Id::HelperUnresolved, name, message);
        }
    }
    views
}

fn show(project: &Project, path: &Path) -> String {
    display_relative(path, &project.root)
}

/// Reports aliases of the helper, beside the used file, that cannot be started. Callers that know only the alias fail.
fn unusable_names(project: &Project, helper: &Helper, used: &Path, findings: &mut Findings) {
    for name in helper.names() {
        let path = used.with_file_name(name);
        if let Probe::Unusable(why) = probe(&path) {
            let message = format!("is where older skills look for {}, and {why}", helper.name);
            let found = findings.add(Id::HelperUnusable, show(project, &path), message);
            found.hint("run install_aris --reconcile in the project, or remove it");
        }
    }
}

/// Reports files of the same helper in later layers with different content. Layers 0 and 4 contain launchers and the others
/// contain scripts that start them, so only files in the same kind of folder are compared.
fn shadowed(
    project: &Project,
    helper: &Helper,
    used: &Path,
    layer: Layer,
    findings: &mut Findings,
) {
    if layer == Layer::Skill {
        return;
    }
    let folders = folders(&helper.owner, &project.env).into_iter();
    let later = folders.filter(|(other, _)| *other > layer && *other != Layer::Host);
    let names = helper.names();
    for hidden in
        later.flat_map(|(_, folder)| names.clone().into_iter().map(move |name| folder.join(name)))
    {
        if probe(&hidden) == Probe::Absent || same_file(used, &hidden) {
            continue;
        }
        // Generated scripts start the same launcher and differ only in the name and the source that they contain.
        let alike = is_ours(&hidden) && is_ours(used);
        if !alike && !same_content(used, &hidden) {
            let (name, used) = (&helper.name, show(project, used));
            let message = format!("is another {name}, hidden behind {used}");
            findings.add(Id::HelperShadowed, show(project, &hidden), message);
        }
    }
}

/// Reports a program with the helper's name on `PATH` that differs from the binary beside its launcher. A launcher without a
/// binary would run it.
fn on_path(project: &Project, helper: &Helper, findings: &mut Findings) {
    let folders = project.search_path.split(':');
    let folders = folders.filter(|folder| folder.starts_with('/'));
    let mut paths = folders.map(|folder| Path::new(folder).join(&helper.name));
    if let Some(found) = paths.find(|path| path.is_file())
        && let Some(folder) = launcher_folder(project, helper)
        && let Some(binary) = launchers::binary(&folder, &helper.name)
        && !same_file(&binary, &found)
        && !same_content(&binary, &found)
    {
        let message = format!("is another {} than {}", helper.name, show(project, &binary));
        findings.add(Id::PathDiffers, found.display(), message);
    }
}

/// The folder of the helper's launcher in the project's own skills.
fn launcher_folder(project: &Project, helper: &Helper) -> Option<PathBuf> {
    use aris_contract::artifact::install::{CANONICAL_SKILLS, CLAUDE_SKILLS};
    let own = [CANONICAL_SKILLS, CLAUDE_SKILLS].map(|skills| project.root.join(skills));
    let repository = project.env.repository().map(|root| root.join("skills"));
    let skills = own.into_iter().chain(repository);
    let mut folders = skills.map(|skills| skills.join(&helper.owner).join("scripts"));
    folders.find(|folder| folder.join(&helper.name).is_file())
}

fn same_file(one: &Path, other: &Path) -> bool {
    matches!((one.canonicalize(), other.canonicalize()), (Ok(one), Ok(other)) if one == other)
}

fn same_content(one: &Path, other: &Path) -> bool {
    let size = |path: &Path| path.metadata().map(|metadata| metadata.len()).ok();
    let same = |digests: &[_]| matches!(digests, [Ok(one), Ok(other)] if one == other);
    size(one) == size(other) && same(&aris_audit::digest_files(&[one, other]))
}

/// Whether this suite generated the script: all of these locate themselves first.
fn is_ours(path: &Path) -> bool {
    aris_fs::open(path)
        .and_then(|file| file.head(8192))
        .is_ok_and(|head| String::from_utf8_lossy(&head).contains("\naris_self="))
}
