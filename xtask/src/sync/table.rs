//! `crates/aris-contract/src/helpers/table.json`: the helper table as the helpers read it.

use crate::fault::Fault;
use crate::sync::Output;
use crate::workspace::Workspace;

const PATH: &str = "crates/aris-contract/src/helpers/table.json";

/// The typed table.
pub(crate) fn output(workspace: &Workspace) -> Result<Output, Fault> {
    Output::json(PATH, &workspace.contract)
}
