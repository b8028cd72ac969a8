//! The contracts of skills: what each takes, gives and writes.

use std::collections::{BTreeMap, BTreeSet};

use super::fields::{self, DataError};
use aris_yaml::Node;

/// Contracts of skills by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Manifest {
    /// Version of the manifest, compared with the one a contract card was made from.
    pub version: String,
    /// Version of the package that recipes are written for.
    pub package_version: Option<String>,
    /// Packs of skills that exist.
    pub packs: Option<BTreeSet<String>>,
    /// Categories of skills and tools that are switched off.
    pub disabled_categories: Option<BTreeSet<String>>,
    /// Skills of the project that stand in for packaged ones of the same name.
    pub local_skills: Option<BTreeSet<String>>,
    /// The contracts.
    pub skills: BTreeMap<String, SkillContract>,
}

/// The contract of one skill.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SkillContract {
    /// Arguments in order.
    pub inputs: Vec<SkillInput>,
    /// Fields of its result.
    pub outputs: Vec<SkillOutput>,
    /// Regular expressions that its final text must match.
    pub output_patterns: Vec<String>,
    /// Final texts, as examples for the patterns.
    pub pattern_examples: Vec<String>,
    /// `always`, `conditional` or nothing.
    pub write_behavior: Option<String>,
    /// Regular expressions that tell that a conditional writer wrote.
    pub write_expected_when: Vec<String>,
    /// Functional categories, so that they can be switched off together.
    pub categories: BTreeSet<String>,
}

/// An argument of a skill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkillInput {
    /// Its name.
    pub name: String,
    /// For instance `string`, `file_path`, `directory_path`.
    pub kind: String,
    /// The skill fails without it.
    pub required: bool,
    /// The skill is better with it.
    pub recommended: bool,
}

/// A field of a skill's result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkillOutput {
    /// Its name.
    pub name: String,
    /// For instance `string`, `file_path`.
    pub kind: String,
    /// The only values it has; empty when any will do.
    pub allowed_values: Vec<String>,
}

impl Manifest {
    /// Reads `{version, skills: {name: contract}}`. Keys that are not known are passed over: manifests hold more than recipes need.
    ///
    /// **Errors**: no YAML, or a known key of another type than it should have.
    pub fn parse(text: &str) -> Result<Self, DataError> {
        let root = fields::document(text)?;
        // Without contracts nothing would be held against them, and nobody would know.
        if root.get("skills").is_none() {
            return Err(DataError::at(1, "there is no `skills` in it"));
        }
        let mut manifest = Self::default();
        for (key, node) in fields::entries(&root, "the manifest")? {
            match key.text.as_str() {
                "version" => manifest.version = fields::text(node, "`version`")?,
                "package_version" => {
                    manifest.package_version = Some(fields::text(node, "`package_version`")?);
                }
                "packs" => manifest.packs = Some(fields::texts(node, "`packs`")?),
                "disabled_categories" => {
                    let names = fields::texts(node, "`disabled_categories`")?;
                    manifest.disabled_categories = Some(names);
                }
                "local_skills" => {
                    manifest.local_skills = Some(fields::texts(node, "`local_skills`")?);
                }
                "skills" => {
                    for (name, node) in fields::entries(node, "`skills`")? {
                        let contract = SkillContract::read(&name.text, node)?;
                        manifest.skills.insert(name.text.clone(), contract);
                    }
                }
                _ => {}
            }
        }
        Ok(manifest)
    }
}

impl SkillContract {
    fn read(skill: &str, node: &Node) -> Result<Self, DataError> {
        let mut contract = Self::default();
        for (key, node) in fields::entries(node, &format!("skill `{skill}`"))? {
            let what = format!("`{}` of skill `{skill}`", key.text);
            match key.text.as_str() {
                "inputs" => {
                    contract.inputs = fields::items(node, &what)?
                        .iter()
                        .map(|item| SkillInput::read(item, &what))
                        .collect::<Result<_, _>>()?;
                }
                "outputs" => {
                    contract.outputs = fields::items(node, &what)?
                        .iter()
                        .map(|item| SkillOutput::read(item, &what))
                        .collect::<Result<_, _>>()?;
                }
                "expected_output_patterns" => {
                    contract.output_patterns = fields::texts(node, &what)?;
                }
                "pattern_examples" => contract.pattern_examples = fields::texts(node, &what)?,
                "write_behavior" if node.is_null() => {}
                "write_behavior" => contract.write_behavior = Some(fields::text(node, &what)?),
                "write_expected_when" => {
                    contract.write_expected_when = fields::texts(node, &what)?;
                }
                "categories" => contract.categories = fields::texts(node, &what)?,
                _ => {}
            }
        }
        Ok(contract)
    }

    /// The field `name` of its result.
    pub fn output(&self, name: &str) -> Option<&SkillOutput> {
        self.outputs.iter().find(|output| output.name == name)
    }
}

impl SkillInput {
    fn read(node: &Node, what: &str) -> Result<Self, DataError> {
        let (name, kind) = named(node, what)?;
        let flag = |key: &str| {
            node.get(key).map_or(Ok(false), |node| {
                fields::truth(node, &format!("`{key}` in {what}"))
            })
        };
        Ok(Self {
            name,
            kind,
            required: flag("required")?,
            recommended: flag("recommended")?,
        })
    }
}

impl SkillOutput {
    fn read(node: &Node, what: &str) -> Result<Self, DataError> {
        let (name, kind) = named(node, what)?;
        let allowed = node.get("allowed_values");
        let allowed_values = allowed.map_or(Ok(Vec::new()), |node| {
            fields::texts(node, &format!("`allowed_values` in {what}"))
        })?;
        Ok(Self {
            name,
            kind,
            allowed_values,
        })
    }
}

fn named(node: &Node, what: &str) -> Result<(String, String), DataError> {
    fields::entries(node, &format!("an item of {what}"))?;
    let Some(name) = node.get("name") else {
        let message = format!("an item of {what} has no `name`");
        return Err(DataError::at(node.line, message));
    };
    let kind = node.get("type").map_or(Ok(String::new()), |node| {
        fields::text(node, &format!("`type` in {what}"))
    })?;
    Ok((fields::text(name, &format!("`name` in {what}"))?, kind))
}
