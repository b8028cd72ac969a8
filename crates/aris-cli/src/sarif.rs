//! SARIF 2.1.0, as GitHub's code scanning reads it.
//!
//! **Source**: the OASIS standard "Static Analysis Results Interchange Format" 2.1.0 and GitHub's "SARIF support for code scanning".

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::spec::Spec;

/// The findings of one run, as parts of a SARIF document.
#[derive(Debug, Default)]
pub struct Sarif {
    /// `reportingDescriptor` objects.
    pub rules: Vec<Value>,
    /// `result` objects.
    pub results: Vec<Value>,
    /// `notification` objects: parts that were not examined.
    pub notifications: Vec<Value>,
    /// Whether a part that should have been examined was not.
    pub incomplete: bool,
}

impl Sarif {
    /// The SARIF document of one run of `tool`. Columns count characters.
    pub fn document(self, tool: &Spec) -> Value {
        json!({
            "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
            "version": "2.1.0",
            "runs": [{
                "tool": {"driver": {
                    "name": tool.name,
                    "semanticVersion": tool.version,
                    "rules": self.rules,
                }},
                "columnKind": "unicodeCodePoints",
                "results": self.results,
                "invocations": [{
                    "executionSuccessful": !self.incomplete,
                    "toolExecutionNotifications": self.notifications,
                }],
            }],
        })
    }
}

/// A path as a URI (RFC 3986): relative paths stay relative, absolute ones become `file://`. All bytes except unreserved characters
/// and `/` are percent-encoded.
pub fn uri(path: &str) -> String {
    let mut uri = String::from(if path.starts_with('/') { "file://" } else { "" });
    for byte in path.strip_prefix("./").unwrap_or(path).bytes() {
        if byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            // Writing to a String cannot fail.
            write!(uri, "%{byte:02X}").unwrap_or_default();
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_become_uris() {
        for (path, wanted) in [
            ("a/b.md", "a/b.md"),
            ("./ä b#.md", "%C3%A4%20b%23.md"),
            ("/tmp/x", "file:///tmp/x"),
        ] {
            assert_eq!(uri(path), wanted);
        }
    }
}
