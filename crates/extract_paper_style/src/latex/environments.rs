//! What environments count as, by their names and by the declarations in the sources.

use std::collections::BTreeMap;

use aris_latex::{Block, Document, Theorem};

use crate::profile::StatementKind;

/// What an environment counts as.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Counted {
    Figure,
    Table,
    /// A table, unless it stands in another one.
    OwnTable,
    Algorithm,
    List,
    Statement(StatementKind),
    Nothing,
}

/// What an environment of this name counts as.
pub(super) fn counted(name: &str, declared: &BTreeMap<&str, StatementKind>) -> Counted {
    if let Some(kind) = declared.get(name) {
        return Counted::Statement(*kind);
    }
    match name.trim_end_matches('*') {
        "figure" | "wrapfigure" | "sidewaysfigure" | "teaserfigure" | "SCfigure"
        | "marginfigure" => Counted::Figure,
        "table" | "wraptable" | "sidewaystable" | "SCtable" | "margintable" | "deluxetable" => {
            Counted::Table
        }
        "longtable" | "supertabular" | "xtabular" | "longtblr" | "longtabu" | "xltabular" => {
            Counted::OwnTable
        }
        "algorithm" | "algorithm2e" | "listing" => Counted::Algorithm,
        "itemize" | "enumerate" | "description" | "compactitem" | "compactenum" | "inparaenum"
        | "inparaitem" | "asparaenum" | "asparaitem" | "tightitemize" => Counted::List,
        plain => StatementKind::named(plain).map_or(Counted::Nothing, Counted::Statement),
    }
}

/// The theorem-like environments that the sources declare, by name.
pub(super) fn declared(document: &Document) -> BTreeMap<&str, StatementKind> {
    let kind = |theorem: &Theorem| StatementKind::titled(&theorem.title);
    let theorems = document.theorems.iter();
    theorems
        .map(|theorem| (theorem.environment.as_str(), kind(theorem)))
        .collect()
}

/// Whether a block stands in a figure, a table or an algorithm.
pub(super) fn is_in_float(block: &Block) -> bool {
    use Counted::{Algorithm, Figure, OwnTable, Table};
    let mut names = block.environments.iter();
    let none = BTreeMap::new();
    names.any(|name| matches!(counted(name, &none), Figure | Table | OwnTable | Algorithm))
}
