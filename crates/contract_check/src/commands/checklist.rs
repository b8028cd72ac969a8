//! `checklist`: the visible list at the start of a phase.

use std::io::{self, Write};

use aris_cli::{Outcome, Product, Style};
use serde::Serialize;

use super::integration;
use crate::cli::ChecklistArgs;
use crate::error::Error;

/// Schema id of [`Checklist`].
pub(crate) const SCHEMA: &str = "aris.contract_check.checklist/v1";

/// The checklist of one integration. Every box is empty; whoever does the work ticks it.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Checklist {
    /// The integration.
    name: &'static str,
    /// What it is.
    title: &'static str,
    /// The lines.
    items: Vec<&'static str>,
}

pub(crate) fn run(args: &ChecklistArgs) -> Result<Outcome<Checklist>, Error> {
    let row = integration(&args.name)?;
    Ok(Outcome::done(Checklist {
        name: &row.name,
        title: &row.title,
        items: row.checklist.iter().map(String::as_str).collect(),
    }))
}

impl Product for Checklist {
    fn schema(&self) -> &'static str {
        SCHEMA
    }

    fn render(&self, out: &mut dyn Write, _style: Style) -> io::Result<()> {
        writeln!(out, "{} ({}):", self.title, self.name)?;
        for (index, item) in self.items.iter().enumerate() {
            writeln!(out, "   [ ] {}. {item}", index + 1)?;
        }
        Ok(())
    }
}
