//! Raw results: every number in JSON, JSONL, CSV, TSV and YAML files with its path, its line and its labels.
//!
//! A value keeps the digits of the file. Its labels are what distinguishes it from other values: directory and file
//! name, keys, and the text columns or sibling strings of its record (`method`, `dataset`, `split`). Numbers of seeds,
//! runs and folds are not labels but replicates: values that differ only there form one series.
//!
//! Nothing is skipped silently: a malformed file is an [`EvidenceError`] with line and column, `NaN` and infinities are
//! listed in [`Evidence::unusable`].

mod csv;
mod json;
mod names;
mod records;
mod tree;
mod walk;
mod yaml;

use std::collections::BTreeSet;
use std::fmt;

use serde::Serialize;

use crate::decimal::Decimal;
use crate::lexicon::Lexicon;
use crate::series::{self, Series};
use crate::units::Unit;

pub(crate) use walk::{Slot, SlotKind};

/// Bytes of one result file: a bound for memory, above any metrics file and most step logs.
pub const MAX_FILE_BYTES: usize = 64 << 20;

/// Values read in all; a step log of ten metrics over 200,000 steps.
pub const MAX_VALUES: usize = 2_000_000;

/// One number of a result file.
#[derive(Debug, Clone)]
pub struct Leaf {
    /// Index into [`Evidence::files`].
    pub file: u32,
    /// Place inside the file: a JSON pointer, or `row=3,col=acc`.
    pub pointer: String,
    /// Line, 1-based.
    pub line: u32,
    /// The value.
    pub value: Decimal,
    /// The digits as the file has them.
    pub text: Box<str>,
    /// Unit from the key or the text.
    pub unit: Option<Unit>,
    /// Number or name of the seed, run or fold; empty when there is none.
    pub replicate: Box<str>,
    /// Epoch, step or iteration of the record.
    pub progress: Option<Decimal>,
    pub(crate) slots: Box<[Slot]>,
    pub(crate) config: bool,
    pub(crate) count: bool,
    pub(crate) axis: bool,
}

/// A file that was read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ResultFile {
    /// Path as given.
    pub path: String,
    /// Numbers found in it.
    pub values: usize,
}

/// A value that is there and is not a number: `NaN`, an infinity.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Unusable {
    /// Path with pointer.
    pub path: String,
    /// Line, 1-based.
    pub line: u32,
    /// What stands there.
    pub text: String,
}

/// Why a result file cannot serve as evidence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EvidenceError {
    /// Path as given.
    pub path: String,
    /// Line, 1-based; 0 when the whole file is meant.
    pub line: usize,
    /// Column, 1-based; 0 when the whole file is meant.
    pub column: usize,
    /// What is wrong, lower case.
    pub message: String,
}

impl fmt::Display for EvidenceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.line == 0 {
            write!(f, "{}: {}", self.path, self.message)
        } else {
            write!(
                f,
                "{}:{}:{}: {}",
                self.path, self.line, self.column, self.message
            )
        }
    }
}

impl std::error::Error for EvidenceError {}

/// The format of a result file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// One JSON document.
    Json,
    /// One JSON document per line.
    JsonLines,
    /// Comma-separated.
    Csv,
    /// Tab-separated.
    Tsv,
    /// YAML.
    Yaml,
}

impl Format {
    /// The format that a file name promises; `None` for anything else.
    pub fn from_path(path: &str) -> Option<Self> {
        let (_, extension) = path.rsplit_once('.')?;
        match extension.to_ascii_lowercase().as_str() {
            "json" => Some(Self::Json),
            "jsonl" | "ndjson" => Some(Self::JsonLines),
            "csv" => Some(Self::Csv),
            "tsv" => Some(Self::Tsv),
            "yaml" | "yml" => Some(Self::Yaml),
            _ => None,
        }
    }
}

/// Collects result files; [`EvidenceReader::finish`] groups and indexes them.
#[derive(Debug, Default)]
pub struct EvidenceReader {
    files: Vec<ResultFile>,
    leaves: Vec<Leaf>,
    unusable: Vec<Unusable>,
    repetitions: BTreeSet<String>,
    repeated_by: BTreeSet<String>,
}

impl EvidenceReader {
    /// A reader that takes these columns and keys for names of repetitions, too, whatever their case.
    pub fn repeated_by<'n>(names: impl IntoIterator<Item = &'n str>) -> Self {
        Self {
            repeated_by: names.into_iter().map(str::to_lowercase).collect(),
            ..Self::default()
        }
    }

    /// Reads one file by the format its name promises. A file that fails adds nothing.
    pub fn add(&mut self, path: &str, bytes: &[u8]) -> Result<(), EvidenceError> {
        let whole = |message: String| EvidenceError {
            path: path.to_owned(),
            line: 0,
            column: 0,
            message,
        };
        let Some(format) = Format::from_path(path) else {
            return Err(whole(
                "not a result file (known: .json .jsonl .csv .tsv .yaml .yml)".to_owned(),
            ));
        };
        if bytes.len() > MAX_FILE_BYTES {
            return Err(whole(format!(
                "larger than {} MiB; pass a summary instead",
                MAX_FILE_BYTES >> 20
            )));
        }
        let text = match std::str::from_utf8(bytes) {
            Ok(text) => text.strip_prefix('\u{feff}').unwrap_or(text),
            Err(error) => {
                let before = bytes.get(..error.valid_up_to()).unwrap_or(&[]);
                let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
                let column = before
                    .iter()
                    .rev()
                    .take_while(|byte| **byte != b'\n')
                    .count()
                    + 1;
                return Err(EvidenceError {
                    path: path.to_owned(),
                    line,
                    column,
                    message: "not UTF-8".to_owned(),
                });
            }
        };
        let file =
            u32::try_from(self.files.len()).map_err(|_error| whole("too many files".to_owned()))?;
        let mut sink = walk::Sink::new(file, path, &self.repeated_by);
        let outcome = match format {
            Format::Json => json::read(text, 1).map(|node| sink.tree(&node)),
            Format::Yaml => yaml::read(text).map(|node| sink.tree(&node)),
            Format::JsonLines => records::json_lines(text).map(|rows| sink.list(&rows)),
            Format::Csv => csv::read(text, ',').map(|rows| sink.csv(&rows)),
            Format::Tsv => csv::read(text, '\t').map(|rows| sink.csv(&rows)),
        };
        outcome.map_err(|malformed| EvidenceError {
            path: path.to_owned(),
            line: malformed.line,
            column: malformed.column,
            message: malformed.message,
        })?;
        let (leaves, unusable, repetitions) = sink.finish();
        if self.leaves.len() + leaves.len() > MAX_VALUES {
            return Err(whole(format!(
                "more than {MAX_VALUES} values in all; pass summaries instead"
            )));
        }
        self.files.push(ResultFile {
            path: path.to_owned(),
            values: leaves.len(),
        });
        self.leaves.extend(leaves);
        self.unusable.extend(unusable);
        self.repetitions.extend(repetitions);
        Ok(())
    }

    /// Groups the values into series and indexes their labels.
    pub fn finish(self) -> Evidence {
        let mut evidence = self;
        // Independent of the order in which files were added.
        let order = sorted_files(&evidence.files);
        let mut rank = vec![0_u32; order.len()];
        for (new, old) in order.iter().enumerate() {
            if let (Some(slot), Ok(new)) = (rank.get_mut(*old), u32::try_from(new)) {
                *slot = new;
            }
        }
        for leaf in &mut evidence.leaves {
            leaf.file = usize::try_from(leaf.file)
                .ok()
                .and_then(|at| rank.get(at))
                .copied()
                .unwrap_or(leaf.file);
        }
        if !evidence.leaves.is_sorted_by_key(|leaf| leaf.file) {
            evidence.leaves.sort_by_key(|leaf| leaf.file);
        }
        evidence.files.sort_by(|a, b| a.path.cmp(&b.path));
        evidence
            .unusable
            .sort_by(|a, b| (&a.path, a.line).cmp(&(&b.path, b.line)));
        let (series, lexicon) = series::group(&evidence.leaves);
        let values = crate::value_index::ValueIndex::new(&series, &evidence.leaves);
        Evidence {
            files: evidence.files,
            leaves: evidence.leaves,
            unusable: evidence.unusable,
            repetitions: evidence.repetitions,
            series,
            lexicon,
            values,
        }
    }
}

fn sorted_files(files: &[ResultFile]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..files.len()).collect();
    order.sort_by(|a, b| {
        files
            .get(*a)
            .map(|file| &file.path)
            .cmp(&files.get(*b).map(|file| &file.path))
    });
    order
}

/// All results, grouped and indexed.
#[derive(Debug)]
pub struct Evidence {
    /// The files, sorted by path.
    pub files: Vec<ResultFile>,
    /// The values, by file and order of appearance.
    pub leaves: Vec<Leaf>,
    /// Values that are not numbers.
    pub unusable: Vec<Unusable>,
    /// Names of the columns and keys that tell repetitions apart, in lower case.
    pub repetitions: BTreeSet<String>,
    pub(crate) series: Vec<Series>,
    pub(crate) lexicon: Lexicon,
    pub(crate) values: crate::value_index::ValueIndex,
}

impl Evidence {
    /// Whether there is no number at all.
    pub fn is_empty(&self) -> bool {
        self.leaves.is_empty()
    }

    /// `results/run_3.json#/eval/top1` for a value.
    pub fn path_of(&self, leaf: &Leaf) -> String {
        let file = usize::try_from(leaf.file)
            .ok()
            .and_then(|at| self.files.get(at));
        format!(
            "{}#{}",
            file.map_or("", |file| file.path.as_str()),
            leaf.pointer
        )
    }
}
