//! The tools that steps may call.

use std::collections::{BTreeMap, BTreeSet};

use super::fields::{self, DataError};

/// Tools by name.
pub type Tools = BTreeMap<String, Tool>;

/// One tool.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tool {
    /// Its parameters; `None` when they are not known and cannot be checked.
    pub parameters: Option<BTreeSet<String>>,
    /// Functional categories, so that they can be switched off together.
    pub categories: BTreeSet<String>,
}

impl Tool {
    /// Reads `{tool: [parameter, …] | null | {parameters, categories}}`.
    ///
    /// **Errors**: no YAML, or an entry of another shape.
    pub fn parse_all(text: &str) -> Result<Tools, DataError> {
        let root = fields::document(text)?;
        let mut tools = Tools::new();
        for (name, node) in fields::entries(&root, "the list of tools")? {
            let what = format!("tool `{}`", name.text);
            let mut tool = Self::default();
            if node.is_map() {
                for (key, node) in fields::entries(node, &what)? {
                    let what = format!("`{}` of {what}", key.text);
                    match key.text.as_str() {
                        "parameters" if node.is_null() => {}
                        "parameters" => tool.parameters = Some(fields::texts(node, &what)?),
                        "categories" => tool.categories = fields::texts(node, &what)?,
                        other => {
                            let message = format!(
                                "{what} is not known; a tool has parameters and categories, not `{other}`"
                            );
                            return Err(DataError::at(key.line, message));
                        }
                    }
                }
            } else if !node.is_null() {
                tool.parameters = Some(fields::texts(node, &what)?);
            }
            tools.insert(name.text.clone(), tool);
        }
        Ok(tools)
    }
}
