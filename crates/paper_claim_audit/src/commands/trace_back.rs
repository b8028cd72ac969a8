//! Traces a number of the paper back to the run that made its data.

use std::io::{self, Write};

use aris_claims::project::ProjectError;
use aris_claims::runs::{Gap, Runs, short};
use aris_claims::{Entry, Row, Status};
use aris_cli::{Context, Outcome, Product, Shown, Style};
use aris_contract::ErrorKind;
use aris_evidence::{Limits, Question, Value, evaluate, rows_query};
use aris_runs::Run;
use serde::Serialize;

use crate::cli::TraceArgs;
use crate::error::Error;
use crate::session;

/// Schema id of [`TraceReport`].
pub(crate) const SCHEMA: &str = "aris.paper_claim_audit.trace_back/v1";

/// Most data rows shown.
const ROWS: usize = 3;
/// Most characters printed of a cell.
const CELL: usize = 60;
/// Most numbers whose rows are queried.
const NUMBERS: usize = 1_000;
/// Most files and gaps of one number that are printed; `--json` has all of them.
const PRINTED: usize = 10;

/// What `trace-back` answers.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub(crate) struct TraceReport {
    /// Folder of the project's ledger of runs; null: it has none.
    pub(crate) ledger: Option<String>,
    /// The numbers, in reading order.
    pub(crate) numbers: Vec<Traced>,
}

/// A number and where it comes from.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub(crate) struct Traced {
    /// The number, its binding, its query and its value.
    #[serde(flatten)]
    row: Row,
    /// The rows that the query chooses; null where its text does not tell them.
    rows: Option<Rows>,
    /// The files it reads, and the run behind each.
    files: Vec<TracedFile>,
    /// What is missing or doubtful on the way.
    gaps: Vec<Gap>,
}

/// Rows of the data.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub(crate) struct Rows {
    /// As many.
    total: u64,
    /// Names of the columns.
    columns: Vec<String>,
    /// The first of them, as text.
    first: Vec<Vec<String>>,
}

/// A file and its run.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub(crate) struct TracedFile {
    /// Path relative to the data root.
    path: String,
    /// Its SHA-256.
    sha256: String,
    /// Id of the run's record, which is `.aris/runs/<hh>/<id>.json`; null where no run explains the file.
    run_id: Option<String>,
    /// The record.
    run: Option<Run>,
}

pub(crate) fn run(args: &TraceArgs, context: &Context) -> Result<Shown, Error> {
    let project = session::open(&args.paper, context)?;
    session::document(&project)?;
    let audit = project.numbers();
    let claims = project.claims_name();
    let numbers = audit.entries.iter();
    let numbers = numbers.map(|entry| (entry, Row::new(entry, &claims)));
    // Places are relative to the paper's folder; other programs print them relative to the project, shells to the working directory.
    let bases = [&project.files.folder, &project.files.project, context.cwd()];
    let written = bases.map(|base| aris_fs::lexical(&base.join(&args.number)));
    let is_wanted = |(_, row): &(&Entry, Row)| {
        let is_named = |place: &str| {
            let path = project.files.folder.join(place);
            let path = path.to_string_lossy();
            let mut written = written.iter();
            written.any(|written| fits(&written.to_string_lossy(), &path))
        };
        let place = format!("{}:{}", row.location, row.column);
        fits(&args.number, &row.id) || is_named(&row.location) || is_named(&place)
    };
    let wanted: Vec<(&Entry, Row)> = numbers.filter(is_wanted).collect();
    if wanted.is_empty() {
        let message = format!(
            "no number of the paper has the id or the place {:?}",
            args.number
        );
        let hint = "`paper_claim_audit show` lists the numbers with their places and ids";
        return Err(ProjectError::input(ErrorKind::NotFound, message, hint).into());
    }
    let entries: Vec<Entry> = wanted.iter().map(|(entry, _)| (*entry).clone()).collect();
    let runs = Runs::of(&project, &entries, context.now()).map_err(ProjectError::Read)?;
    let traced = wanted.into_iter().enumerate().map(|(at, (entry, row))| {
        let query = row.query.as_deref().filter(|_| at < NUMBERS);
        let files = row.evidence.iter().map(|file| {
            let made = runs.made(file).cloned().unwrap_or_default();
            TracedFile {
                path: file.path.clone(),
                sha256: file.sha256.clone(),
                run_id: made.run_id,
                run: made.run,
            }
        });
        Traced {
            rows: query.and_then(|query| rows(&project.settings, query)),
            files: files.collect(),
            gaps: runs.gaps(entry),
            row,
        }
    });
    let ledger = runs.ledger.as_ref();
    let report = TraceReport {
        numbers: traced.collect(),
        ledger: ledger.map(|ledger| ledger.folder().display().to_string()),
    };
    let open = |traced: &Traced| {
        !traced.gaps.is_empty() || !traced.row.status.holds() && traced.row.status != Status::Waived
    };
    let found = report.numbers.iter().any(open);
    Ok(Outcome::found(report, found).boxed())
}

/// Whether a name matches the pattern; `*` stands for any text.
fn fits(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| name.strip_prefix(first)) else {
        return false;
    };
    let mut parts = parts.peekable();
    if parts.peek().is_none() {
        return rest.is_empty();
    }
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return rest.ends_with(part);
        }
        match rest.split_once(part) {
            Some((_, after)) => rest = after,
            None => return false,
        }
    }
    true
}

/// The rows from which a query takes its value.
fn rows(settings: &aris_evidence::Settings, query: &str) -> Option<Rows> {
    let chosen = rows_query(query)?;
    let question = |sql: String| Question {
        sql,
        most_rows: ROWS,
    };
    let questions = [
        question(format!("select count(*) from ({chosen})")),
        question(format!("select * from ({chosen}) limit {ROWS}")),
    ];
    let evaluated = evaluate(settings, &questions, &Limits::default());
    let mut answers = evaluated.answers.into_iter();
    let count = answers.next()?.ok()?;
    let first = answers.next()?.ok()?;
    let total = match count.rows.first()?.first()? {
        Value::Integer(total) => u64::try_from(*total).ok()?,
        _ => return None,
    };
    let text = |value: Value| match value {
        Value::Null => String::from("NULL"),
        Value::Integer(number) => number.to_string(),
        Value::Real(number) => number.to_string(),
        Value::Text(text) => text,
    };
    let texts = |row: Vec<Value>| row.into_iter().map(text).collect();
    Some(Rows {
        total,
        columns: first.columns,
        first: first.rows.into_iter().map(texts).collect(),
    })
}

impl Product for TraceReport {
    fn schema(&self) -> &'static str {
        SCHEMA
    }

    fn render(&self, out: &mut dyn Write, style: Style) -> io::Result<()> {
        for traced in &self.numbers {
            traced.render(out, style)?;
        }
        Ok(())
    }
}

impl Traced {
    fn render(&self, out: &mut dyn Write, style: Style) -> io::Result<()> {
        let row = &self.row;
        let shown = row.shown.as_deref().unwrap_or(&row.text);
        let status = if row.status.holds() {
            style.good(row.status.word())
        } else {
            style.doubtful(row.status.word())
        };
        let (place, column, id) = (&row.location, row.column, &row.id);
        writeln!(out, "{place}:{column}: {shown} {status} [{id}]")?;
        let mut line = |name: &str, text: &str| {
            if text.is_empty() {
                return Ok(());
            }
            let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
            writeln!(out, "  {name:<8} {text}")
        };
        line("binding", row.binding.as_deref().unwrap_or(""))?;
        line("query", row.query.as_deref().unwrap_or(""))?;
        line("value", row.value.as_deref().unwrap_or(""))?;
        line("detail", &row.detail)?;
        if let Some(rows) = &self.rows {
            let cells = |row: &Vec<String>| {
                let pairs = rows.columns.iter().zip(row);
                let pairs = pairs.map(|(name, value)| format!("{name}={}", cut(value)));
                pairs.collect::<Vec<_>>().join(" ")
            };
            let first: Vec<String> = rows.first.iter().map(cells).collect();
            let all = rows.total <= first.len() as u64;
            let more = if all { "" } else { "; …" };
            let (total, first) = (rows.total, first.join("; "));
            line("rows", &format!("{total}: {first}{more}"))?;
        }
        for file in self.files.iter().take(PRINTED) {
            let (path, sha256) = (&file.path, short(&file.sha256));
            line("file", &format!("{path} sha256 {sha256}"))?;
            if let (Some(id), Some(run)) = (&file.run_id, &file.run) {
                line("run", &format!("{}, record {}", run.words(), short(id)))?;
                line("command", &run.command)?;
                if let Some(source) = &run.source {
                    let changed = match source.changed.len() {
                        0 => String::new(),
                        1 => String::from(", 1 file changed"),
                        count => format!(", {count} files changed"),
                    };
                    line("commit", &format!("{}{changed}", short(&source.commit)))?;
                }
            }
        }
        line("files", &more(self.files.len()))?;
        if row.status == Status::Unbound {
            line(
                "gap",
                "no binding says where it comes from; paper_claim_audit suggest proposes one",
            )?;
        }
        for gap in self.gaps.iter().take(PRINTED) {
            let (file, message, id) = (&gap.file, &gap.message, gap.id.word());
            line("gap", &format!("{file}: {message} [{id}]"))?;
        }
        line("gaps", &more(self.gaps.len()))
    }
}

/// The beginning of a cell, which may contain a whole document.
fn cut(value: &str) -> String {
    match value.char_indices().nth(CELL) {
        Some((end, _)) => format!("{}…", value.get(..end).unwrap_or("")),
        None => value.to_owned(),
    }
}

fn more(count: usize) -> String {
    let more = count.saturating_sub(PRINTED);
    if more == 0 {
        String::new()
    } else {
        format!("and {more} more; --json has all")
    }
}

#[cfg(test)]
mod tests {
    use super::fits;

    #[test]
    fn a_star_stands_for_any_text() {
        for (pattern, name) in [
            ("a", "a"),
            ("*", ""),
            ("a*", "abc"),
            ("*c", "abc"),
            ("a*c*e", "abcde"),
            ("main.tex:*", "main.tex:12"),
        ] {
            assert!(fits(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in [
            ("a", "ab"),
            ("a*", "b"),
            ("*c", "cd"),
            ("a*c*e", "aec"),
            ("", "a"),
        ] {
            assert!(!fits(pattern, name), "{pattern} {name}");
        }
    }
}
