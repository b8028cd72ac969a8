//! Contract cards: what a recipe looked like when somebody last recorded it.

use super::fields::{self, DataError};
use aris_yaml::Node;

/// What is stored about a recipe beside it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Contracts {
    /// `<name>.yaml`.
    pub card: Option<Card>,
    /// `diagrams/<name>.md` in the folder above; `Some(None)` when there is such a folder and the file is not in it.
    pub diagram: Option<Option<String>>,
    /// SHA-256 of the recipe's bytes in lower-case hexadecimal digits.
    pub recipe_sha256: String,
}

/// A contract card.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Card {
    /// Version of the manifest it was made from.
    pub manifest_version: String,
    /// Skill and `sha256:` digest of its text.
    pub skill_hashes: Vec<(String, String)>,
    /// One entry per step.
    pub dataflow: Vec<CardStep>,
    /// The blocks as they were.
    pub blocks: Vec<BlockFingerprint>,
}

/// A step on a card.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CardStep {
    /// Its name.
    pub step: String,
    /// Variables that were there.
    pub available: Vec<String>,
    /// Required inputs of the skill that the step did not refer to.
    pub required: Vec<String>,
}

/// The shape of a block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BlockFingerprint {
    /// The block.
    pub name: String,
    /// Its steps.
    pub member_count: usize,
    /// Tools by name with how often each is called.
    pub tool_counts: Vec<(String, usize)>,
    /// Occurrences of `gh api` in its commands.
    pub gh_api_occurrences: usize,
    /// `sha256:` digest of the sorted names of its captures, joined by blanks.
    pub capture_names_hash: String,
    /// Where it begins.
    pub entry_step: String,
    /// Where it ends.
    pub exit_step: String,
}

impl Card {
    /// Reads a card. Keys that are not known are passed over.
    ///
    /// **Errors**: no YAML, or a known key of another type than it should have.
    pub fn parse(text: &str) -> Result<Self, DataError> {
        let root = fields::document(text)?;
        let mut card = Self::default();
        for (key, node) in fields::entries(&root, "the contract card")? {
            let what = format!("`{}`", key.text);
            match key.text.as_str() {
                "bundled_manifest_version" => card.manifest_version = fields::text(node, &what)?,
                "skill_hashes" => {
                    for (skill, hash) in fields::entries(node, &what)? {
                        let hash = fields::text(hash, &format!("the digest of `{}`", skill.text))?;
                        card.skill_hashes.push((skill.text.clone(), hash));
                    }
                }
                "dataflow" => {
                    for item in fields::items(node, &what)? {
                        card.dataflow.push(CardStep {
                            step: text_of(item, "step")?,
                            available: texts_of(item, "available")?,
                            required: texts_of(item, "required")?,
                        });
                    }
                }
                "block_fingerprints" => {
                    for item in fields::items(node, &what)? {
                        card.blocks.push(BlockFingerprint::read(item)?);
                    }
                }
                _ => {}
            }
        }
        Ok(card)
    }
}

impl BlockFingerprint {
    fn read(item: &Node) -> Result<Self, DataError> {
        let mut tool_counts = Vec::new();
        if let Some(node) = item.get("tool_counts_sorted") {
            for pair in fields::items(node, "`tool_counts_sorted`")? {
                let [tool, count] = fields::items(pair, "a count of tools")? else {
                    let message =
                        "a count of tools is a name and a number, for instance [run_cmd, 2]";
                    return Err(DataError::at(pair.line, message));
                };
                let count = fields::count(count, "a count of tools")?;
                tool_counts.push((fields::text(tool, "a tool")?, count));
            }
        }
        Ok(Self {
            name: text_of(item, "name")?,
            member_count: count_of(item, "member_count")?,
            tool_counts,
            gh_api_occurrences: count_of(item, "gh_api_occurrences")?,
            capture_names_hash: text_of(item, "capture_names_hash")?,
            entry_step: text_of(item, "entry_step")?,
            exit_step: text_of(item, "exit_step")?,
        })
    }
}

fn text_of(node: &Node, key: &str) -> Result<String, DataError> {
    let found = node.get(key);
    found.map_or(Ok(String::new()), |node| {
        fields::text(node, &format!("`{key}`"))
    })
}

fn texts_of(node: &Node, key: &str) -> Result<Vec<String>, DataError> {
    let found = node.get(key);
    found.map_or(Ok(Vec::new()), |node| {
        fields::texts(node, &format!("`{key}`"))
    })
}

fn count_of(node: &Node, key: &str) -> Result<usize, DataError> {
    let found = node.get(key);
    found.map_or(Ok(0), |node| fields::count(node, &format!("`{key}`")))
}
