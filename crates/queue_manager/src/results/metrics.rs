//! The grid's parameters against what completed jobs measured: a table, a plot for each metric, and CSV.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use serde::Serialize;
use serde_json::Value;

/// Size of a plot and the space around its field, in units of the drawing.
const WIDTH: f64 = 560.0;
const HEIGHT: f64 = 240.0;
const LEFT: f64 = 64.0;
const BOTTOM: f64 = 34.0;
const MARGIN: f64 = 14.0;

/// Values of a parameter that are written under a plot.
const MARKS: usize = 12;

/// Parameters and metrics of all jobs.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[expect(
    clippy::struct_field_names,
    reason = "the names are keys of the printed JSON"
)]
pub(crate) struct Metrics {
    /// Names of the grid's parameters.
    pub parameters: Vec<String>,
    /// The metrics, each as it was asked for.
    pub metrics: Vec<String>,
    /// Jobs in the manifest's order, those without any parameter and value left out.
    pub rows: Vec<MetricRow>,
    /// Why values are missing, by metric and cause.
    pub missing: Vec<Missing>,
}

/// One job.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
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

/// Values that are not there.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Missing {
    /// The metric.
    pub metric: String,
    /// Why.
    pub why: String,
    /// How many jobs.
    pub jobs: usize,
    /// The first of them.
    pub first: String,
}

/// A table whose rows know their place in the order of each column.
pub(super) struct Table {
    pub(super) columns: Vec<String>,
    /// Cells, and `--k0:3;--k1:0;…`
    pub(super) rows: Vec<(Vec<String>, String)>,
}

/// A metric over a parameter.
pub(super) struct Plot {
    pub(super) metric: String,
    pub(super) parameter: String,
    /// Place and title of each job.
    pub(super) points: Vec<(String, String, String)>,
    /// Points of the line through the means.
    pub(super) means: String,
    /// Place and text under the field.
    pub(super) below: Vec<(String, String)>,
    /// Place and text left of the field.
    pub(super) beside: Vec<(String, String)>,
}

impl MetricRow {
    /// Its parameters and values as they are written.
    fn cells(&self) -> impl Iterator<Item = String> {
        let parameters = self.parameters.iter().cloned();
        let parameters = parameters.map(Option::unwrap_or_default);
        parameters.chain(self.values.iter().map(|value| cell(value.as_ref())))
    }
}

/// A text that no spreadsheet takes for a formula. **Source**: OWASP, "CSV Injection".
fn inert(field: String) -> String {
    let formula = field.starts_with(['=', '+', '-', '@', '\t', '\r']);
    if formula && field.parse::<f64>().is_err() {
        return format!("'{field}");
    }
    field
}

impl Metrics {
    /// As CSV (RFC 4180), with a line for each job. A text that a spreadsheet would compute has an apostrophe before it.
    pub(crate) fn csv(&self) -> Result<Vec<u8>, csv::Error> {
        let end = csv::Terminator::CRLF;
        let mut out = csv::WriterBuilder::new()
            .terminator(end)
            .from_writer(Vec::new());
        let fixed = ["id", "phase", "state"].map(str::to_owned);
        let names = fixed.iter().chain(&self.parameters).chain(&self.metrics);
        out.write_record(names.cloned().map(inert))?;
        for row in &self.rows {
            let fixed = [row.id.clone(), row.phase.clone(), row.state.to_owned()];
            out.write_record(fixed.into_iter().chain(row.cells()).map(inert))?;
        }
        out.into_inner()
            .map_err(|error| csv::Error::from(error.into_error()))
    }

    /// The header and the cells of a table: job, parameters, metrics.
    pub(super) fn cells(&self) -> (Vec<String>, Vec<Vec<String>>) {
        let names = self.parameters.iter().chain(&self.metrics).cloned();
        let columns = std::iter::once(String::from("Job")).chain(names).collect();
        let rows = self.rows.iter().map(|row| {
            let id = std::iter::once(row.id.clone());
            id.chain(row.cells()).collect()
        });
        (columns, rows.collect())
    }

    pub(super) fn table(&self, most: usize) -> Table {
        let (columns, rows) = self.cells();
        let rows = rows.into_iter().take(most);
        let mut rows: Vec<(Vec<String>, String)> =
            rows.map(|cells| (cells, String::new())).collect();
        for column in 0..columns.len() {
            let mut order: Vec<usize> = (0..rows.len()).collect();
            let value = |row: &usize| rows[*row].0.get(column).map(String::as_str);
            order.sort_by(|one, other| compare(value(one), value(other)));
            for (place, row) in order.into_iter().enumerate() {
                // Writing to a String cannot fail.
                write!(rows[row].1, "--k{column}:{place};").unwrap_or_default();
            }
        }
        Table { columns, rows }
    }

    /// A plot for each metric that has numbers, over the first parameter that differs.
    pub(super) fn plots(&self) -> Vec<Plot> {
        let Some((at, parameter)) = self.parameters.iter().enumerate().find(|(at, _)| {
            let values = self
                .rows
                .iter()
                .filter_map(|row| row.parameters.get(*at)?.as_ref());
            values.collect::<BTreeSet<_>>().len() > 1
        }) else {
            return Vec::new();
        };
        let metrics = self.metrics.iter().enumerate();
        metrics
            .filter_map(|(metric, name)| self.plot((at, parameter), (metric, name)))
            .collect()
    }

    fn plot(&self, parameter: (usize, &str), metric: (usize, &str)) -> Option<Plot> {
        let found: Vec<(&str, f64, &str)> = self
            .rows
            .iter()
            .filter_map(|row| {
                let value = row.values.get(metric.0)?.as_ref()?.as_f64()?;
                Some((
                    row.parameters.get(parameter.0)?.as_deref()?,
                    value,
                    row.id.as_str(),
                ))
            })
            .collect();
        let mut names: Vec<&str> = found.iter().map(|(name, _, _)| *name).collect();
        names.sort_by(|one, other| compare(Some(*one), Some(*other)));
        names.dedup();
        let numbers: Option<Vec<f64>> = names.iter().map(|name| name.parse().ok()).collect();
        // What is no number stands side by side.
        let across = |name: &str| -> f64 {
            match (&numbers, names.iter().position(|known| *known == name)) {
                (Some(_), _) => name.parse().unwrap_or_default(),
                (None, at) => small(at.unwrap_or_default()),
            }
        };
        let x = Scale::of(names.iter().map(|name| across(name)), LEFT, WIDTH - MARGIN)?;
        let y = Scale::of(
            found.iter().map(|(_, value, _)| *value),
            HEIGHT - BOTTOM,
            MARGIN,
        )?;
        let mut sums: BTreeMap<&str, (f64, f64)> = BTreeMap::new();
        for (name, value, _) in &found {
            let sum = sums.entry(name).or_default();
            *sum = (sum.0 + value, sum.1 + 1.0);
        }
        let means = names.iter().filter_map(|name| {
            let (sum, count) = sums.get(name)?;
            Some(format!(
                "{:.1},{:.1}",
                x.place(across(name)),
                y.place(sum / count)
            ))
        });
        let step = names.len().div_ceil(MARKS).max(1);
        Some(Plot {
            metric: metric.1.to_owned(),
            parameter: parameter.1.to_owned(),
            means: means.collect::<Vec<_>>().join(" "),
            points: found
                .iter()
                .map(|(name, value, id)| {
                    let place = (x.place(across(name)), y.place(*value));
                    (
                        format!("{:.1}", place.0),
                        format!("{:.1}", place.1),
                        format!("{id}: {value}"),
                    )
                })
                .collect(),
            below: names
                .iter()
                .step_by(step)
                .map(|name| (format!("{:.1}", x.place(across(name))), (*name).to_owned()))
                .collect(),
            beside: [y.from, f64::midpoint(y.from, y.to), y.to]
                .iter()
                .map(|value| (format!("{:.1}", y.place(*value)), number(*value)))
                .collect(),
        })
    }
}

/// From values to places.
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

    fn place(&self, value: f64) -> f64 {
        let span = self.to - self.from;
        let share = if span > 0.0 {
            (value - self.from) / span
        } else {
            0.5
        };
        self.low + share * (self.high - self.low)
    }
}

fn small(at: usize) -> f64 {
    u32::try_from(at).map_or(f64::MAX, f64::from)
}

/// Four digits that matter.
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

/// Numbers by size, before texts by letters, before nothing.
fn compare(one: Option<&str>, other: Option<&str>) -> std::cmp::Ordering {
    let key = |text: Option<&str>| {
        let text = text.unwrap_or_default();
        (text.is_empty(), text.parse::<f64>().ok())
    };
    let (first, second) = (key(one), key(other));
    first
        .0
        .cmp(&second.0)
        .then_with(|| match (first.1, second.1) {
            (Some(one), Some(other)) => one.total_cmp(&other),
            (Some(_), None) => std::cmp::Ordering::Less,
            (None, Some(_)) => std::cmp::Ordering::Greater,
            (None, None) => one.cmp(&other),
        })
}
