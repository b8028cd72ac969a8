//! Third-party code in the program: its licence texts, which must be shipped with it, and a bill of materials.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::Deserialize;
use serde_json::json;

use crate::cargo;
use crate::fault::Fault;
use crate::install::ARIS;
use crate::workspace::Workspace;

/// Names of licence files, in lower case.
const NAMES: [&str; 5] = ["license", "licence", "copying", "notice", "unlicense"];

/// Limit for cargo's metadata, in bytes; a few hundred packages take some megabytes.
const METADATA: usize = 64 << 20;

/// Cargo's description of all packages.
#[derive(Deserialize)]
pub(super) struct Metadata {
    packages: Vec<Package>,
    resolve: Resolve,
}

#[derive(Deserialize)]
struct Package {
    id: String,
    name: String,
    version: String,
    license: Option<String>,
    manifest_path: String,
    /// Absent for packages in this tree.
    source: Option<String>,
}

#[derive(Deserialize)]
struct Resolve {
    nodes: Vec<Node>,
}

#[derive(Deserialize)]
struct Node {
    id: String,
    deps: Vec<Dependency>,
}

#[derive(Deserialize)]
struct Dependency {
    pkg: String,
    dep_kinds: Vec<Kind>,
}

#[derive(Deserialize)]
struct Kind {
    /// `null` for a dependency that is part of the program, else `dev` or `build`.
    kind: Option<String>,
}

/// Gets the packages for `triple` from cargo.
pub(super) fn metadata(workspace: &Workspace, triple: &str) -> Result<Metadata, Fault> {
    let done = cargo::cargo(workspace)
        .args([
            "metadata",
            "--format-version",
            "1",
            "--locked",
            "--filter-platform",
            triple,
        ])
        .capture_limit(METADATA)
        .run(cargo::PRINT)?;
    if !done.success() {
        let problem = cargo::first_error(&done.stderr.text());
        return Err(Fault::new(format!("cargo metadata: {problem}")));
    }
    serde_json::from_slice(&done.stdout.bytes)
        .map_err(|error| Fault::new(format!("cargo metadata: {error}")))
}

/// The packages in the program, sorted by name, as a `CycloneDX` document.
///
/// **Source**: <https://cyclonedx.org/docs/1.5/json/>; package URLs of cargo, <https://github.com/package-url/purl-spec>.
pub(super) fn bill_of_materials(metadata: &Metadata, version: &str, sums: &Sums) -> String {
    let mut packages = linked(metadata, &[ARIS]);
    packages.sort_by_key(|package| (&package.name, &package.version));
    // Cargo's package id contains the folder of this checkout, so it is not used.
    let reference = |package: &Package| format!("{}@{}", package.name, package.version);
    let component = |package: &&Package| {
        let mut component = json!({
            "type": "library",
            "bom-ref": reference(package),
            "name": package.name,
            "version": package.version,
        });
        if package.source.is_some() {
            // A plus sign must be encoded in a package URL.
            let url = reference(package).replace('+', "%2B");
            component["purl"] = json!(format!("pkg:cargo/{url}"));
        }
        if let Some(sum) = sums.get(&(package.name.clone(), package.version.clone())) {
            component["hashes"] = json!([{"alg": "SHA-256", "content": sum}]);
        }
        if let Some(terms) = &package.license {
            // Before SPDX expressions, a slash meant OR.
            let terms = terms.replace('/', " OR ");
            component["licenses"] = json!([{"expression": terms}]);
        }
        component
    };
    let by_id: BTreeMap<&str, String> = packages
        .iter()
        .map(|package| (package.id.as_str(), reference(package)))
        .collect();
    let mut dependencies = Vec::new();
    for node in &metadata.resolve.nodes {
        let below = node.deps.iter();
        let below: BTreeSet<_> = below
            .filter_map(|dep| by_id.get(dep.pkg.as_str()))
            .collect();
        if let Some(reference) = by_id.get(node.id.as_str()) {
            dependencies.push(json!({"ref": reference, "dependsOn": below}));
        }
    }
    let (root, rest): (Vec<&Package>, Vec<&Package>) =
        packages.iter().partition(|package| package.name == ARIS);
    let root_reference = root.first().map(|package| reference(package));
    let bill = json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"component": {"type": "application", "bom-ref": root_reference, "name": ARIS, "version": version}},
        "components": rest.iter().map(component).collect::<Vec<_>>(),
        "dependencies": dependencies,
    });
    format!("{bill:#}\n")
}

/// SHA-256 of packages by name and version.
pub(super) type Sums = BTreeMap<(String, String), String>;

/// The digests in `Cargo.lock`: one for each package from a registry.
pub(super) fn sums(lock: &str) -> Result<Sums, Fault> {
    let lock: toml_edit::DocumentMut = lock.parse().map_err(Fault::from_error)?;
    let packages = lock
        .get("package")
        .and_then(toml_edit::Item::as_array_of_tables);
    let text = |package: &toml_edit::Table, key: &str| Some(package.get(key)?.as_str()?.to_owned());
    let sum = |package: &toml_edit::Table| {
        Some((
            (text(package, "name")?, text(package, "version")?),
            text(package, "checksum")?,
        ))
    };
    Ok(packages.into_iter().flatten().filter_map(sum).collect())
}

/// Every package in the program for `triple` with its licence, and each licence text once.
pub(super) fn text(metadata: &Metadata, triple: &str) -> Result<String, Fault> {
    let (mut packages, own): (Vec<&Package>, Vec<&Package>) = linked(metadata, &[ARIS])
        .into_iter()
        .partition(|package| package.source.is_some());
    packages.sort_by_key(|package| (&package.name, &package.version));
    let mut texts: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut out = format!(
        "The program for {triple} contains code of these packages, each under the terms named.\n\
         It also contains the standard library of Rust (MIT OR Apache-2.0, the Rust project contributors){}.\n\n",
        if triple.contains("musl") {
            " and musl (MIT, Rich Felker and others)"
        } else {
            ""
        }
    );
    for package in packages {
        let label = format!("{} {}", package.name, package.version);
        let terms = package.license.as_deref().unwrap_or("see its licence file");
        out.extend([&label, ": ", terms, "\n"]);
        for text in licence_files(Path::new(&package.manifest_path))? {
            texts.entry(text).or_default().push(label.clone());
        }
    }
    // A crate of this tree may contain fonts, in a folder of their own with their licence.
    for package in own {
        let inside = Path::new(&package.manifest_path).with_file_name("fonts");
        if inside.is_dir() {
            for text in licence_files(&inside.join("fonts"))? {
                let label = format!("fonts of {}", package.name);
                texts.entry(text).or_default().push(label);
            }
        }
    }
    for (text, labels) in texts {
        let (line, labels) = ("=".repeat(80), labels.join(", "));
        out.extend(["\n", &line, "\n", &labels, "\n\n", &text, "\n"]);
    }
    Ok(out)
}

/// The packages called `roots` and everything that they link.
fn linked<'a>(metadata: &'a Metadata, roots: &[&str]) -> Vec<&'a Package> {
    let packages: BTreeMap<&str, &Package> = metadata
        .packages
        .iter()
        .map(|package| (package.id.as_str(), package))
        .collect();
    let nodes: BTreeMap<&str, &Node> = metadata
        .resolve
        .nodes
        .iter()
        .map(|node| (node.id.as_str(), node))
        .collect();
    let is_root =
        |package: &&Package| package.source.is_none() && roots.contains(&package.name.as_str());
    let mut open: Vec<&str> = metadata
        .packages
        .iter()
        .filter(is_root)
        .map(|package| package.id.as_str())
        .collect();
    let mut seen = BTreeSet::new();
    while let Some(id) = open.pop() {
        if !seen.insert(id) {
            continue;
        }
        let dependencies = nodes.get(id).into_iter().flat_map(|node| &node.deps);
        let normal =
            dependencies.filter(|dep| dep.dep_kinds.iter().any(|kind| kind.kind.is_none()));
        open.extend(normal.map(|dep| dep.pkg.as_str()));
    }
    seen.iter()
        .filter_map(|id| packages.get(id).copied())
        .collect()
}

/// The licence texts beside a package's manifest.
fn licence_files(manifest: &Path) -> Result<Vec<String>, Fault> {
    let Some(folder) = manifest.parent() else {
        return Ok(Vec::new());
    };
    let mut texts = Vec::new();
    for entry in aris_fs::list_sorted(folder)? {
        let name = entry.name.to_string_lossy().to_lowercase();
        if entry.kind == aris_fs::EntryKind::File
            && NAMES.iter().any(|start| name.starts_with(start))
        {
            let text = aris_fs::read_text(&entry.path)?.replace("\r\n", "\n");
            texts.push(text.trim().to_owned());
        }
    }
    Ok(texts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_goes_into_the_programs_counts() {
        let package = |name: &str, source: &str| {
            format!(
                r#"{{"id": "{name}", "name": "{name}", "version": "1.0.0", "license": "MIT", "manifest_path": "/x/Cargo.toml", "source": {source}}}"#
            )
        };
        let node = |name: &str, deps: &[(&str, &str)]| {
            let deps: Vec<String> = deps
                .iter()
                .map(|(pkg, kind)| {
                    format!(r#"{{"pkg": "{pkg}", "dep_kinds": [{{"kind": {kind}}}]}}"#)
                })
                .collect();
            format!(r#"{{"id": "{name}", "deps": [{}]}}"#, deps.join(","))
        };
        let text = format!(
            r#"{{"packages": [{}], "resolve": {{"nodes": [{}]}}}}"#,
            [
                package("tool", "null"),
                package("library", "null"),
                package("serde", "\"registry\""),
                package("core", "\"registry\""),
                package("tests-only", "\"registry\""),
                package("builds-only", "\"registry\""),
                package("other", "null"),
                package("of-other", "\"registry\""),
            ]
            .join(","),
            [
                node(
                    "tool",
                    &[
                        ("library", "null"),
                        ("tests-only", "\"dev\""),
                        ("builds-only", "\"build\"")
                    ]
                ),
                node("library", &[("serde", "null")]),
                node("serde", &[("core", "null"), ("tool", "\"dev\"")]),
                node("core", &[]),
                node("other", &[("of-other", "null")]),
            ]
            .join(",")
        );
        let metadata: Metadata = serde_json::from_str(&text).expect("metadata");
        let names: Vec<&str> = linked(&metadata, &["tool"])
            .iter()
            .map(|package| package.name.as_str())
            .collect();
        assert_eq!(names, ["core", "library", "serde", "tool"]);
    }

    #[test]
    fn licence_files_of_this_workspace_are_found() {
        let texts = licence_files(&crate::workspace::root().join("Cargo.toml")).expect("read");
        assert_eq!(texts.len(), 2, "{texts:?}");
    }
}
