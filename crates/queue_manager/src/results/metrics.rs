//! Metrics of completed jobs against the grid's parameters: a table, a plot for each metric, and CSV.

use std::cmp::Ordering;
use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

/// Size of a plot and the margins around its field, in units of the drawing.
const WIDTH: f64 = 560.0;
const HEIGHT: f64 = 240.0;
const LEFT: f64 = 64.0;
const BOTTOM: f64 = 34.0;
const MARGIN: f64 = 14.0;

/// Most values of a parameter that are written below a plot.
const MARKS: usize = 12;

/// Parameters and metrics of all jobs.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[expect(
    clippy::struct_field_names,
    reason = "the names are keys of the printed JSON"
)]
pub(crate) struct Metrics {
    /// Names of the grid's parameters.
    pub parameters: Vec<String>,
    /// The metrics, as they were requested.
    pub metrics: Vec<String>,
    /// Jobs in the manifest's order, without those that have neither parameters nor values.
    pub rows: Vec<MetricRow>,
    /// Why values are missing, by metric and cause.
    pub missing: Vec<Missing>,
}

/// A job.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct MetricRow {
    /// The job.
    pub id: String,
    /// Its phase.
    pub phase: String,
    /// Its state; only completed jobs have values.
    pub state: &'static str,
    /// Its parameters, in the order of [`Metrics::parameters`].
    pub parameters: Vec<Option<String>>,
    /// Its metrics, in the order of [`Metrics::metrics`]; numbers, texts or truth values.
    pub values: Vec<Option<Value>>,
}

/// Values that are missing.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct Missing {
    /// The metric.
    pub metric: String,
    /// Why.
    pub why: String,
    /// Number of jobs.
    pub jobs: usize,
    /// The first of these jobs.
    pub first: String,
}

/// A table that can be sorted by each column.
pub(super) struct Table {
    pub(super) columns: Vec<String>,
    /// The cells of a row, and its place in the order of each column, as CSS: `--k0:3;--k1:0;…`.
    pub(super) rows: Vec<(Vec<String>, String)>,
}

/// A plot of a metric over a parameter.
pub(super) struct Plot {
    pub(super) metric: String,
    pub(super) parameter: String,
    /// Of each job: x, y and title.
    pub(super) points: Vec<(String, String, String)>,
    /// The points of the line through the means.
    pub(super) means: String,
    /// Labels below the field: x and text.
    pub(super) below: Vec<(String, String)>,
    /// Labels left of the field: y and text.
    pub(super) beside: Vec<(String, String)>,
}

impl MetricRow {
    /// The cells of its parameters and values.
    fn cells(&self) -> impl Iterator<Item = String> {
        let parameters = self.parameters.iter().cloned();
        let parameters = parameters.map(Option::unwrap_or_default);
        parameters.chain(self.values.iter().map(|value| cell(value.as_ref())))
    }
}

/// Changes a text that a spreadsheet would compute as a formula. **Source**: OWASP, "CSV Injection".
fn inert(field: String) -> String {
    let formula = field.starts_with(['=', '+', '-', '@', '\t', '\r']);
    if formula && field.parse::<f64>().is_err() {
        return format!("'{field}");
    }
    field
}

impl Metrics {
    /// The table as CSV (RFC 4180), with a line for each job. A text that a spreadsheet would compute gets a leading apostrophe.
    pub(crate) fn csv(&self) -> Result<Vec<u8>, csv::Error> {
        let end = csv::Terminator::CRLF;
        let mut out = csv::WriterBuilder::new()
            .terminator(end)
            .from_writer(Vec::new());
        let names = self.columns(&["id", "phase", "state"]);
        out.write_record(names.into_iter().map(inert))?;
        for row in &self.rows {
            let fixed = [row.id.clone(), row.phase.clone(), row.state.to_owned()];
            out.write_record(fixed.into_iter().chain(row.cells()).map(inert))?;
        }
        out.into_inner()
            .map_err(|error| csv::Error::from(error.into_error()))
    }

    /// The names of the columns, all different: after the fixed ones the parameters and metrics.
    fn columns(&self, fixed: &[&str]) -> Vec<String> {
        let mut names: Vec<String> = fixed.iter().map(ToString::to_string).collect();
        let parameters = self.parameters.iter().map(|name| (name, " (parameter)"));
        let metrics = self.metrics.iter().map(|name| (name, " (metric)"));
        for (name, kind) in parameters.chain(metrics) {
            let mut name = name.clone();
            while names.contains(&name) {
                name.push_str(kind);
            }
            names.push(name);
        }
        names
    }

    /// The header and the cells of the table: job, parameters, metrics.
    pub(super) fn cells(&self) -> (Vec<String>, Vec<Vec<String>>) {
        let rows = self.rows.iter().map(|row| {
            let id = std::iter::once(row.id.clone());
            id.chain(row.cells()).collect()
        });
        (self.columns(&["Job"]), rows.collect())
    }

    pub(super) fn table(&self, most: usize) -> Table {
        let (columns, cells) = self.cells();
        let rows = cells.into_iter().take(most);
        let mut rows: Vec<_> = rows.map(|cells| (cells, String::new())).collect();
        for column in 0..columns.len() {
            let mut order: Vec<usize> = (0..rows.len()).collect();
            order.sort_by(|one, other| compare(&rows[*one].0[column], &rows[*other].0[column]));
            for (place, row) in order.into_iter().enumerate() {
                // Writing to a String cannot fail.
                write!(rows[row].1, "--k{column}:{place};").unwrap_or_default();
            }
        }
        Table { columns, rows }
    }

    /// A plot for each metric with numbers, over the first parameter that has several values.
    pub(super) fn plots(&self) -> Vec<Plot> {
        let differs = |at: &usize| {
            let rows = self.rows.iter();
            let mut values = rows.filter_map(|row| row.parameters.get(*at)?.as_deref());
            let first = values.next();
            first.is_some_and(|first| values.any(|other| compare(first, other).is_ne()))
        };
        let at = (0..self.parameters.len()).find(differs);
        let plots = (0..self.metrics.len()).filter_map(|metric| self.plot(at?, metric));
        plots.collect()
    }

    fn plot(&self, parameter: usize, metric: usize) -> Option<Plot> {
        let rows = self.rows.iter().filter_map(|row| {
            let value = row.values.get(metric)?.as_ref()?.as_f64()?;
            let name = row.parameters.get(parameter)?.as_deref()?;
            Some((name, value, row.id.as_str()))
        });
        let found: Vec<(&str, f64, &str)> = rows.collect();
        let mut names: Vec<&str> = found.iter().map(|(name, _, _)| *name).collect();
        names.sort_by(|one, other| compare(one, other));
        // `1e-3` and `0.001` have one place.
        names.dedup_by(|one, other| compare(one, other).is_eq());
        let place = |name: &str| names.iter().position(|known| compare(known, name).is_eq());
        let numbers: Option<Vec<f64>> = names.iter().map(|name| name.parse().ok()).collect();
        // Texts are placed at equal distances.
        let across = |name: &str| -> f64 {
            match (&numbers, place(name)) {
                (Some(_), _) => name.parse().unwrap_or_default(),
                (None, at) => small(at.unwrap_or_default()),
            }
        };
        let values = found.iter().map(|(_, value, _)| *value);
        let x = Scale::of(names.iter().map(|name| across(name)), LEFT, WIDTH - MARGIN)?;
        let y = Scale::of(values, HEIGHT - BOTTOM, MARGIN)?;
        let mut sums = vec![(0.0, 0.0); names.len()];
        for (name, value, _) in &found {
            if let Some(sum) = place(name).and_then(|at| sums.get_mut(at)) {
                *sum = (sum.0 + value, sum.1 + 1.0);
            }
        }
        let column = |name: &str| x.place(across(name));
        let means = names.iter().zip(&sums);
        let means = means.map(|(name, (sum, count))| column(name) + "," + &y.place(sum / count));
        let points = found.iter().map(|(name, value, id)| {
            let title = format!("{id}: {value}");
            (column(name), y.place(*value), title)
        });
        let below = names.iter().step_by(names.len().div_ceil(MARKS).max(1));
        let beside = [y.from, f64::midpoint(y.from, y.to), y.to];
        Some(Plot {
            metric: self.metrics.get(metric)?.clone(),
            parameter: self.parameters.get(parameter)?.clone(),
            means: means.collect::<Vec<_>>().join(" "),
            points: points.collect(),
            below: below
                .map(|name| (column(name), (*name).to_owned()))
                .collect(),
            beside: beside.map(|value| (y.place(value), number(value))).into(),
        })
    }
}

/// Maps values to places in the drawing.
struct Scale {
    from: f64,
    to: f64,
    low: f64,
    high: f64,
}

impl Scale {
    fn of(values: impl Iterator<Item = f64>, low: f64, high: f64) -> Option<Self> {
        let (mut from, mut to) = (f64::INFINITY, f64::NEG_INFINITY);
        for value in values.filter(|value| value.is_finite()) {
            from = from.min(value);
            to = to.max(value);
        }
        (from <= to).then_some(Self {
            from,
            to,
            low,
            high,
        })
    }

    /// The place of a value, as text for the drawing.
    fn place(&self, value: f64) -> String {
        let span = self.to - self.from;
        let share = if span > 0.0 {
            (value - self.from) / span
        } else {
            0.5
        };
        format!("{:.1}", self.low + share * (self.high - self.low))
    }
}

fn small(at: usize) -> f64 {
    u32::try_from(at).map_or(f64::MAX, f64::from)
}

/// A number with four significant digits.
fn number(value: f64) -> String {
    let text = format!("{value:.3e}");
    let rounded: f64 = text.parse().unwrap_or(value);
    rounded.to_string()
}

fn cell(value: Option<&Value>) -> String {
    match value {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    }
}

/// Order: numbers by size, then texts alphabetically, then empty cells.
fn compare(one: &str, other: &str) -> Ordering {
    match (one.parse::<f64>(), other.parse::<f64>()) {
        (Ok(one), Ok(other)) => one.total_cmp(&other),
        (Ok(_), Err(_)) => Ordering::Less,
        (Err(_), Ok(_)) => Ordering::Greater,
        (Err(_), Err(_)) => (one.is_empty(), one).cmp(&(other.is_empty(), other)),
    }
}
