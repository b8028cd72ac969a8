//! What the steps of a block may use together.

use std::collections::BTreeMap;

use super::fields::{self, DataError};

/// Budgets by block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Budgets {
    blocks: BTreeMap<String, Budget>,
}

/// The budget of one block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Budget {
    /// Steps that run a command.
    pub run_cmd: Option<usize>,
    /// Steps that call any other tool.
    pub mcp_tools: Option<usize>,
    /// Commands must not call `gh api`.
    pub forbid_gh_api: bool,
}

/// The entry for blocks without one of their own.
const DEFAULT: &str = "DEFAULT";

impl Budgets {
    /// Reads `{block | DEFAULT: {run_cmd?, mcp_tools?, forbid_gh_api?}}`; a `version` beside them is passed over.
    ///
    /// **Errors**: no YAML, or an entry of another shape.
    pub fn parse(text: &str) -> Result<Self, DataError> {
        let root = fields::document(text)?;
        let mut blocks = BTreeMap::new();
        for (name, node) in fields::entries(&root, "the list of budgets")? {
            if name.text == "version" {
                continue;
            }
            let what = format!("block `{}`", name.text);
            let mut budget = Budget::default();
            for (key, node) in fields::entries(node, &what)? {
                let field = format!("`{}` of {what}", key.text);
                match key.text.as_str() {
                    "run_cmd" => budget.run_cmd = Some(fields::count(node, &field)?),
                    "mcp_tools" => budget.mcp_tools = Some(fields::count(node, &field)?),
                    "forbid_gh_api" => budget.forbid_gh_api = fields::truth(node, &field)?,
                    _ => {
                        let message = format!(
                            "{field} is no budget; there are run_cmd, mcp_tools and forbid_gh_api"
                        );
                        return Err(DataError::at(key.line, message));
                    }
                }
            }
            blocks.insert(name.text.clone(), budget);
        }
        Ok(Self { blocks })
    }

    /// The budget of a block: its own, else the default one.
    pub fn of(&self, block: &str) -> Option<&Budget> {
        self.blocks.get(block).or_else(|| self.blocks.get(DEFAULT))
    }
}
