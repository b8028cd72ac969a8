//! Proposals for unbound numbers.

use std::io::{self, Write};

use aris_claims::bindings::{Draft, DraftSubject};
use aris_claims::{Proposal, suggest};
use aris_cli::{Context, Outcome, Shown};
use serde::Serialize;

use crate::cli::SuggestArgs;
use crate::commands::bind::add;
use crate::error::Error;
use crate::session;

/// Schema id of [`SuggestReport`].
pub(crate) const SCHEMA: &str = "aris.paper_claim_audit.suggest/v1";

/// What `suggest` answers.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub(crate) struct SuggestReport {
    /// The file of bindings.
    pub(crate) path: String,
    /// Whether the best proposal of each number was appended to it.
    pub(crate) written: bool,
    /// One entry for each number and proposal, best first.
    pub(crate) proposals: Vec<ProposalRow>,
    /// Data that were left out, and why.
    pub(crate) left_out: Vec<String>,
}

/// What one number may mean.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub(crate) struct ProposalRow {
    /// Source file relative to the paper folder.
    pub(crate) file: String,
    /// From 1.
    pub(crate) line: usize,
    /// From 1, in characters.
    pub(crate) column: usize,
    /// The number as the paper shows it.
    pub(crate) shown: String,
    /// The value that the query gives.
    pub(crate) value: String,
    /// The files that the query reads.
    pub(crate) evidence: Vec<EvidenceRow>,
    /// Other values of the data that agree with the number.
    pub(crate) others: usize,
    /// 1 for the best proposal of its number.
    pub(crate) rank: usize,
    /// The query.
    pub(crate) query: String,
    /// What would be bound: `text`, `macro` or `table`.
    pub(crate) binds: &'static str,
}

/// A file.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub(crate) struct EvidenceRow {
    /// Path relative to the data root.
    pub(crate) path: String,
}

pub(crate) fn run(args: &SuggestArgs, context: &Context) -> Result<Shown, Error> {
    let mut project = session::open(&args.paper, context)?;
    project.list_evidence();
    let folder = project.claims_folder();
    let request = project.request(session::document(&project)?, &folder);
    let limit = usize::try_from(args.limit).unwrap_or(usize::MAX);
    let found = suggest(&request, &project.evidence, limit);
    let best = found.proposals.iter().filter(|proposal| proposal.rank == 1);
    let best: Vec<Draft> = best.map(|proposal| proposal.draft.clone()).collect();
    let written = args.write && !best.is_empty() && add(&project, &best, &|_| false)?;
    let report = SuggestReport {
        path: project.claims_path.display().to_string(),
        written,
        proposals: found.proposals.iter().flat_map(rows).collect(),
        left_out: found.left_out,
    };
    Ok(Outcome::done(report).shown(SCHEMA, SuggestReport::render))
}

fn rows(proposal: &Proposal) -> Vec<ProposalRow> {
    let (binds, query) = match &proposal.draft.subject {
        DraftSubject::Sentence { values, .. } => ("text", values.join("; ")),
        DraftSubject::Statement { sql, .. } => ("text", sql.clone()),
        DraftSubject::Macro { value, .. } => ("macro", value.clone()),
        DraftSubject::Table { value, .. } => ("table", value.clone()),
    };
    let row = |path| EvidenceRow { path };
    let numbers = proposal.numbers.iter();
    numbers
        .map(|number| ProposalRow {
            file: number.position.path.clone(),
            line: number.position.line,
            column: number.position.column,
            shown: number.shown.clone(),
            value: number.value.clone(),
            evidence: proposal.files.iter().cloned().map(row).collect(),
            others: proposal.others,
            rank: proposal.rank,
            query: query.clone(),
            binds,
        })
        .collect()
}

impl SuggestReport {
    /// Writes the text output.
    fn render(&self, out: &mut dyn Write) -> io::Result<()> {
        for row in &self.proposals {
            let others = match row.others {
                0 => String::from("no other value fits"),
                1 => String::from("1 other value fits"),
                others => format!("{others} other values fit"),
            };
            writeln!(
                out,
                "{}:{}:{}: {} could come from {} ({others})\n  {}",
                row.file, row.line, row.column, row.shown, row.value, row.query
            )?;
        }
        for left_out in &self.left_out {
            writeln!(out, "not considered: {left_out}")?;
        }
        let path = &self.path;
        match (self.written, self.proposals.is_empty()) {
            (_, true) => {
                writeln!(
                    out,
                    "no proposals: no value in the data has the digits of a number and a name that stands near it"
                )
            }
            (true, false) => writeln!(
                out,
                "added to {path} as `proposed = true`: check each one, and remove that line where it is right"
            ),
            (false, false) => {
                writeln!(
                    out,
                    "nothing written; --write adds the best proposal for each number to {path}"
                )
            }
        }
    }
}
