//! Tables of results, and the repetitions of the study behind them.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use aris_evidence::{Table, Value};

use crate::words;

/// One file of results.
#[derive(Debug, Clone)]
pub struct Results {
    /// Its path, as findings show it.
    pub path: String,
    /// Its rows.
    pub table: Table,
}

/// A table with a column that names repetitions. Its distinct values are the independent units.
#[derive(Debug)]
pub(crate) struct Study<'r> {
    pub(crate) path: &'r str,
    /// The repeated unit: the column's name in lower case, without `_id`.
    pub(crate) noun: String,
    /// Whether several rows of one unit are known to be iterations and not units of their own.
    pub(crate) iterates: bool,
    /// The number of distinct units.
    pub(crate) units: usize,
    /// Upper bound of the number of units. Run numbers may restart in each group; seeds identify themselves.
    pub(crate) most_units: usize,
    /// Numbers of rows: of each group, and in total.
    pub(crate) row_counts: BTreeSet<usize>,
    /// The 95 % intervals of every measure in every group, where units have several rows and the study iterates; `None` when
    /// there are more than [`INTERVALS`].
    pub(crate) intervals: Option<Vec<Intervals>>,
    layout: Layout,
    /// Rows that name a unit, sorted by labels, then by unit.
    rows: Vec<&'r [Value]>,
}

/// The roles of a study's columns.
#[derive(Debug, Default)]
struct Layout {
    /// Column of the unit.
    unit: usize,
    /// Columns of texts. Rows with the same texts form a group.
    labels: Vec<usize>,
}

/// Most intervals that a printed one is compared with. Among more, a match may be chance.
const INTERVALS: usize = 10_000;

/// Why a table is not a study.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum NoStudy {
    /// No column names repetitions.
    Unrepeated,
    /// Several columns name repetitions.
    Several(Vec<String>),
}

impl<'r> Study<'r> {
    /// Interprets a table. `named` are columns that the user says name repetitions; if none of them matches, the word list
    /// `repetition` decides.
    pub(crate) fn of(results: &'r Results, named: &[String]) -> Result<Self, NoStudy> {
        let table = &results.table;
        let lower = table.columns.iter().map(|name| name.to_lowercase());
        let lower: Vec<String> = lower.collect();
        let noun = |at: usize| {
            let name = lower.get(at).map_or("", String::as_str);
            name.strip_suffix("_id").unwrap_or(name)
        };
        let columns = 0..lower.len();
        let is_said = |at: &usize| named.iter().any(|name| is_name(noun(*at), name));
        let is_known = |at: &usize| words::is("repetition", noun(*at));
        let said: Vec<usize> = columns.clone().filter(is_said).collect();
        let found: Vec<usize> = match said.as_slice() {
            [] => columns.clone().filter(is_known).collect(),
            said => said.to_vec(),
        };
        let unit = match found.as_slice() {
            [] => return Err(NoStudy::Unrepeated),
            [unit] => *unit,
            several => {
                let names = several.iter().filter_map(|at| table.columns.get(*at));
                return Err(NoStudy::Several(names.cloned().collect()));
            }
        };
        let values = |at: usize| table.rows.iter().filter_map(move |row| row.get(at));
        let all = |at: usize, fits: fn(&Value) -> bool| {
            at != unit
                && values(at).any(fits)
                && values(at).all(|value| fits(value) || *value == Value::Null)
        };
        let is_text = |at: &usize| all(*at, |value| matches!(value, Value::Text(_)));
        let is_number = |at: &usize| all(*at, |value| number(value).is_some());
        let numbers = columns.clone().filter(is_number);
        let (counters, measures): (Vec<usize>, Vec<usize>) =
            numbers.partition(|at| words::is("iteration", noun(*at)));
        let layout = Layout {
            unit,
            labels: columns.filter(is_text).collect(),
        };
        let named = |row: &&[Value]| !matches!(row.get(unit), None | Some(Value::Null));
        let mut rows: Vec<&[Value]> = table.rows.iter().map(Vec::as_slice).filter(named).collect();
        rows.sort_by(|one, other| layout.order(one, other));
        let same_group =
            |one: &&[Value], other: &&[Value]| layout.labels_of(one).eq(layout.labels_of(other));
        let groups = || rows.chunk_by(same_group);
        // A column that counts iterations has no value twice within a unit.
        let counts = |at: &usize| {
            groups()
                .flat_map(|group| layout.by_unit(group))
                .all(|rows| {
                    let seen = rows.iter().map(|row| row.get(*at).and_then(number));
                    let seen: BTreeSet<u64> = seen.flatten().map(f64::to_bits).collect();
                    seen.len() == rows.len()
                })
        };
        let iterates = !said.is_empty() || counters.iter().any(counts);
        let units = layout.distinct(rows.iter().copied());
        let most_units = if noun(unit).ends_with("seed") {
            units
        } else {
            groups().map(|group| layout.by_unit(group).count()).sum()
        };
        let mut row_counts: BTreeSet<usize> = groups().map(<[_]>::len).collect();
        row_counts.insert(rows.len());
        let measured = groups().filter(|_| iterates);
        let intervals: Vec<Intervals> = measured
            .flat_map(|group| measures.iter().map(move |at| (group, *at)))
            .filter_map(|(group, at)| intervals(layout.by_unit(group), at))
            .take(INTERVALS + 1)
            .collect();
        Ok(Self {
            path: &results.path,
            noun: noun(unit).to_owned(),
            iterates,
            units,
            most_units,
            row_counts,
            intervals: (intervals.len() <= INTERVALS).then_some(intervals),
            layout,
            rows,
        })
    }

    /// The number of distinct units among the rows with this label; labels are compared by [`compact`].
    pub(crate) fn units_of(&self, label: &str) -> usize {
        let wanted = compact(label);
        let has = |row: &&[Value]| {
            let mut labels = self.layout.labels_of(row);
            labels.any(|label| compact(label) == wanted)
        };
        self.layout.distinct(self.rows.iter().copied().filter(has))
    }
}

impl Layout {
    fn labels_of<'r>(&self, row: &'r [Value]) -> impl Iterator<Item = &'r str> + use<'r, '_> {
        self.labels.iter().map(|at| match row.get(*at) {
            Some(Value::Text(text)) => text.as_str(),
            _ => "",
        })
    }

    fn unit_of<'r>(&self, row: &'r [Value]) -> (Option<u64>, &'r str) {
        match row.get(self.unit) {
            Some(Value::Text(text)) => (None, text),
            other => (other.and_then(number).map(f64::to_bits), ""),
        }
    }

    fn order(&self, one: &[Value], other: &[Value]) -> Ordering {
        let labels = self.labels_of(one).cmp(self.labels_of(other));
        labels.then_with(|| self.unit_of(one).cmp(&self.unit_of(other)))
    }

    /// The rows of each unit of a group.
    fn by_unit<'g, 'r>(
        &self,
        group: &'g [&'r [Value]],
    ) -> impl Iterator<Item = &'g [&'r [Value]]> + use<'g, 'r, '_> {
        group.chunk_by(|one, other| self.unit_of(one) == self.unit_of(other))
    }

    fn distinct<'r>(&self, rows: impl Iterator<Item = &'r [Value]>) -> usize {
        let units: BTreeSet<(Option<u64>, &str)> = rows.map(|row| self.unit_of(row)).collect();
        units.len()
    }
}

fn intervals<'g, 'r: 'g>(
    units: impl Iterator<Item = &'g [&'r [Value]]>,
    measure: usize,
) -> Option<Intervals> {
    let values = |rows: &[&[Value]]| -> Vec<f64> {
        let values = rows.iter().filter_map(|row| number(row.get(measure)?));
        values.collect()
    };
    let by_unit = units.map(values).filter(|values| !values.is_empty());
    let by_unit: Vec<Vec<f64>> = by_unit.collect();
    let rows: Vec<f64> = by_unit.iter().flatten().copied().collect();
    let units: Vec<f64> = by_unit.iter().map(|values| mean(values)).collect();
    (rows.len() > units.len()).then(|| Intervals {
        of_rows: Interval::of(&rows),
        of_units: Interval::of(&units),
    })
}

/// The intervals of a mean: with every row as a unit, and from the means of the units.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Intervals {
    pub(crate) of_rows: Interval,
    pub(crate) of_units: Interval,
}

/// A mean with the half-width of its 95 % confidence interval, by Student's t and by the normal distribution.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Interval {
    pub(crate) mean: f64,
    /// Infinite for a single value.
    pub(crate) half_widths: [f64; 2],
}

impl Interval {
    fn of(values: &[f64]) -> Self {
        let middle = mean(values);
        let squares: f64 = values.iter().map(|value| (value - middle).powi(2)).sum();
        let deviation = (squares / (length(values) - 1.0)).sqrt();
        let error = deviation / length(values).sqrt();
        Self {
            mean: middle,
            half_widths: match values.len() {
                0 | 1 => [f64::INFINITY; 2],
                many => [student(many - 1) * error, NORMAL * error],
            },
        }
    }
}

/// The 97.5 % quantile of the normal distribution.
const NORMAL: f64 = 1.959_964;

/// The 97.5 % quantile of Student's t distribution.
///
/// **Source**: tables of the t distribution up to 10 degrees of freedom; beyond, the Cornish-Fisher expansion about the
/// normal quantile (Abramowitz and Stegun 26.7.5), whose error there is below 0.001.
fn student(freedom: usize) -> f64 {
    const TABLE: [f64; 10] = [
        12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
    ];
    if let Some(known) = freedom.checked_sub(1).and_then(|at| TABLE.get(at)) {
        return *known;
    }
    let z = NORMAL;
    let v = f64::from(u32::try_from(freedom.max(1)).unwrap_or(u32::MAX));
    let (z3, z5, z7) = (z.powi(3), z.powi(5), z.powi(7));
    z + (z3 + z) / (4.0 * v)
        + (5.0 * z5 + 16.0 * z3 + 3.0 * z) / (96.0 * v * v)
        + (3.0 * z7 + 19.0 * z5 + 17.0 * z3 - 15.0 * z) / (384.0 * v * v * v)
}

fn length(values: &[f64]) -> f64 {
    f64::from(u32::try_from(values.len()).unwrap_or(u32::MAX))
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / length(values)
}

/// The number in a value.
pub(crate) fn number(value: &Value) -> Option<f64> {
    match value {
        #[expect(
            clippy::cast_precision_loss,
            reason = "statistics of measurements need no 16th digit"
        )]
        Value::Integer(value) => Some(*value as f64),
        Value::Real(value) => Some(*value),
        Value::Null | Value::Text(_) => None,
    }
}

/// Whether a column has this name in common usage: `donor` means `donor_id`; a plan says `donors`.
fn is_name(noun: &str, name: &str) -> bool {
    let name = name.to_lowercase();
    let name = name.strip_suffix("_id").unwrap_or(&name);
    noun == name || noun == singular(name)
}

/// Whether two nouns name the same unit: seeds are runs, and runs are repetitions.
pub(crate) fn same_noun(one: &str, other: &str) -> bool {
    one == other || words::is("run", one) && words::is("run", other)
}

/// The singular of a noun: "mice" gives "mouse", "seeds" gives "seed".
pub(crate) fn singular(noun: &str) -> &str {
    match noun {
        "mice" => "mouse",
        other => other.strip_suffix('s').unwrap_or(other),
    }
}

/// The form in which names are compared: letters and digits only, in lower case.
pub(crate) fn compact(name: &str) -> String {
    let letters = name.chars().filter(|c| c.is_alphanumeric());
    letters.flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn results(csv: &str) -> Results {
        Results {
            path: String::from("runs.csv"),
            table: aris_evidence::read_table("runs.csv", csv.as_bytes(), None).unwrap(),
        }
    }

    #[test]
    fn rows_of_one_unit_are_no_units() {
        let results = results("system,seed,iteration,ms\na,1,1,10\na,1,2,12\na,2,1,14\na,2,2,16\n");
        let study = Study::of(&results, &[]).unwrap();
        assert_eq!(
            (study.units, study.most_units, study.iterates),
            (2, 2, true)
        );
        assert_eq!(study.row_counts, BTreeSet::from([4]));
        let found = study.intervals.unwrap();
        assert_eq!(found.len(), 1, "the iteration is no measure");
        let (units, rows) = (
            found[0].of_units.half_widths[0],
            found[0].of_rows.half_widths[0],
        );
        // Means 11 and 15: 12.706 · 2.828 / √2; four rows: 3.182 · 2.582 / 2.
        assert!((units - 25.41).abs() < 0.01 && (rows - 4.108).abs() < 0.01);
    }

    #[test]
    fn what_cannot_be_told_apart_is_not_guessed() {
        let nested = results("subject,trial,ms\n1,1,10\n1,2,11\n2,1,12\n");
        let several = NoStudy::Several(vec![String::from("subject"), String::from("trial")]);
        assert_eq!(Study::of(&nested, &[]).unwrap_err(), several);
        let said = Study::of(&nested, &[String::from("subjects")]).unwrap();
        assert_eq!((said.noun.as_str(), said.iterates), ("subject", true));
        let none = results("system,depth_m\na,1.5\n");
        assert_eq!(Study::of(&none, &[]).unwrap_err(), NoStudy::Unrepeated);
        // Depths may be conditions, or repetitions within a subject; the table does not say.
        let open = results("subject,depth,ph\n1,5,6.1\n1,10,6.3\n2,5,6.2\n2,10,6.4\n");
        assert!(!Study::of(&open, &[]).unwrap().iterates);
        // A column with a repeated value is not a counter.
        let flat = results("seed,step,loss\n1,7,0.5\n1,7,0.4\n");
        assert!(!Study::of(&flat, &[]).unwrap().iterates);
    }
}
