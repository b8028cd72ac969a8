//! What environments count as, by their names and by what the sources declare.

use std::collections::BTreeMap;
use std::sync::Arc;

use aris_latex::{Block, Document};

use crate::profile::StatementKind;

/// What an environment counts as.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Counted {
    Figure,
    Table,
    /// A table only where no table is around it.
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
        plain => conventional(plain).map_or(Counted::Nothing, Counted::Statement),
    }
}

/// The kind of an environment that the sources do not declare, because a class or a style file does.
fn conventional(name: &str) -> Option<StatementKind> {
    Some(match name {
        "theorem" | "thm" | "Theorem" => StatementKind::Theorem,
        "lemma" | "lem" | "Lemma" => StatementKind::Lemma,
        "proposition" | "prop" | "Proposition" => StatementKind::Proposition,
        "corollary" | "cor" | "coro" | "Corollary" => StatementKind::Corollary,
        "definition" | "defn" | "defi" | "Definition" => StatementKind::Definition,
        "assumption" | "assump" | "ass" | "Assumption" => StatementKind::Assumption,
        "remark" | "rem" | "rmk" | "Remark" => StatementKind::Remark,
        "example" | "exmp" | "Example" => StatementKind::Example,
        "claim" | "clm" | "Claim" => StatementKind::Claim,
        "conjecture" | "conj" | "Conjecture" => StatementKind::Conjecture,
        "proof" | "Proof" | "pf" => StatementKind::Proof,
        _ => return None,
    })
}

/// The kind of a declared statement by what is printed before it.
fn kind_of(title: &str) -> StatementKind {
    let folded = title.to_lowercase();
    let stems = [
        ("theorem", StatementKind::Theorem),
        ("lemma", StatementKind::Lemma),
        ("proposition", StatementKind::Proposition),
        ("corollary", StatementKind::Corollary),
        ("definition", StatementKind::Definition),
        ("assumption", StatementKind::Assumption),
        ("hypothesis", StatementKind::Assumption),
        ("remark", StatementKind::Remark),
        ("example", StatementKind::Example),
        ("claim", StatementKind::Claim),
        ("conjecture", StatementKind::Conjecture),
        ("proof", StatementKind::Proof),
    ];
    let found = stems.iter().find(|(stem, _)| folded.contains(stem));
    found.map_or(StatementKind::Other, |(_, kind)| *kind)
}

/// What environments count as, those met before without a search.
#[derive(Default)]
pub(super) struct Names<'a> {
    /// Statements that the sources declare, by the names of their environments.
    declared: BTreeMap<&'a str, StatementKind>,
    known: Vec<(&'a Arc<str>, Counted)>,
}

/// Names that are remembered: papers have few.
const REMEMBERED: usize = 16;

impl<'a> Names<'a> {
    pub(super) fn of(document: &'a Document) -> Self {
        let declared = document.theorems.iter();
        Self {
            declared: declared
                .map(|theorem| (theorem.environment.as_str(), kind_of(&theorem.title)))
                .collect(),
            known: Vec::new(),
        }
    }

    pub(super) fn counted(&mut self, name: &'a Arc<str>) -> Counted {
        let mut known = self.known.iter();
        if let Some((_, what)) = known.find(|(known, _)| Arc::ptr_eq(known, name)) {
            return *what;
        }
        let what = counted(name, &self.declared);
        if self.known.len() < REMEMBERED {
            self.known.push((name, what));
        }
        what
    }
}

/// Which blocks stand in a figure, a table or an algorithm. Neighbours mostly stand in the same environments.
#[derive(Default)]
pub(super) struct Floats<'a> {
    last: Option<(&'a Arc<[Arc<str>]>, bool)>,
    names: Names<'a>,
}

impl<'a> Floats<'a> {
    pub(super) fn hold(&mut self, block: &'a Block) -> bool {
        let environments = &block.environments;
        match self.last {
            Some((before, holds)) if Arc::ptr_eq(before, environments) => holds,
            _ => {
                let holds = environments.iter().any(|name| self.is_one(name));
                self.last = Some((environments, holds));
                holds
            }
        }
    }

    fn is_one(&mut self, name: &'a Arc<str>) -> bool {
        matches!(
            self.names.counted(name),
            Counted::Figure | Counted::Table | Counted::OwnTable | Counted::Algorithm
        )
    }
}
