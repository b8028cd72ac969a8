//! Runs of one quantity: values that differ only in seed, run, fold or training step, and what is derived from them.
//!
//! Means and medians are exact decimals (quotients carry 18 digits or more). Standard deviations are irrational: they
//! are computed in binary floating point, with a relative error below 10⁻¹², and rounded to 15 digits.

use std::collections::BTreeMap;

use crate::decimal::Decimal;
use crate::evidence::{Leaf, SlotKind};
use crate::lexicon::{LabelId, Lexicon};
use crate::units::{Dimension, Unit};

/// Index of a series.
pub(crate) type SeriesId = u32;

/// One place in the path of a quantity; `name` is the column or parent key.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct SlotLabel {
    pub(crate) kind: SlotKind,
    pub(crate) name: Option<LabelId>,
    pub(crate) label: LabelId,
}

/// One quantity with all its runs.
#[derive(Debug)]
pub(crate) struct Series {
    pub(crate) slots: Vec<SlotLabel>,
    /// Distinct labels, sorted; column names of axes included.
    pub(crate) labels: Vec<LabelId>,
    /// What is measured: the last key.
    pub(crate) measure: Option<LabelId>,
    /// All values: indices of leaves.
    pub(crate) members: Vec<u32>,
    /// One value per run: the last step of each.
    pub(crate) finals: Vec<u32>,
    pub(crate) stats: Option<Box<Stats>>,
    pub(crate) unit: Option<Unit>,
    pub(crate) config: bool,
    pub(crate) count: bool,
    /// The values are themselves spreads (`acc_std`).
    pub(crate) spread: bool,
    /// The values are the steps or the varied numbers themselves.
    pub(crate) axis: bool,
    /// Values along epochs or steps.
    pub(crate) trace: bool,
    /// The measure is a rate: requests per second.
    pub(crate) rate: bool,
    /// Whether smaller values are better.
    pub(crate) lower_is_better: bool,
}

/// What several runs give.
#[derive(Debug, Clone)]
pub(crate) struct Stats {
    pub(crate) n: usize,
    pub(crate) sum: Decimal,
    pub(crate) mean: Decimal,
    pub(crate) median: Decimal,
    pub(crate) min: Decimal,
    pub(crate) max: Decimal,
    pub(crate) min_at: u32,
    pub(crate) max_at: u32,
    pub(crate) std: Decimal,
    pub(crate) population_std: Decimal,
    pub(crate) standard_error: Decimal,
    /// Half of the 95 % confidence interval of the mean, by Student's t.
    pub(crate) half_width: Decimal,
}

/// Which value of a series.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Facet {
    /// The only value.
    Single,
    Mean,
    Median,
    Max,
    Min,
    Std,
    PopulationStd,
    StandardError,
    HalfWidth,
    Count,
    Sum,
    /// One run or step: index of the leaf.
    Member(u32),
}

impl Series {
    /// The value of a facet; `None` where the series has no such value.
    pub(crate) fn value(&self, facet: Facet, leaves: &[Leaf]) -> Option<Decimal> {
        let stats = self.stats.as_deref();
        Some(match facet {
            Facet::Single => {
                if stats.is_some() {
                    return None;
                }
                leaf(leaves, *self.finals.first()?)?.value
            }
            Facet::Member(at) => leaf(leaves, at)?.value,
            Facet::Mean => stats?.mean,
            Facet::Median => stats?.median,
            Facet::Max => stats?.max,
            Facet::Min => stats?.min,
            Facet::Std => stats?.std,
            Facet::PopulationStd => stats?.population_std,
            Facet::StandardError => stats?.standard_error,
            Facet::HalfWidth => stats?.half_width,
            Facet::Count => Decimal::from_count(stats?.n),
            Facet::Sum => stats?.sum,
        })
    }

    /// The value that a paper reports when it says nothing else: the mean of the runs, or the only value.
    pub(crate) fn headline(&self, leaves: &[Leaf]) -> Option<(Facet, Decimal)> {
        let facet = if self.stats.is_some() {
            Facet::Mean
        } else {
            Facet::Single
        };
        self.value(facet, leaves).map(|value| (facet, value))
    }

    /// Number of runs.
    pub(crate) fn runs(&self) -> usize {
        self.finals.len()
    }

    /// The facet of the best run.
    pub(crate) fn best(&self) -> Facet {
        if self.lower_is_better {
            Facet::Min
        } else {
            Facet::Max
        }
    }
}

/// The leaf with this number.
pub(crate) fn leaf(leaves: &[Leaf], at: u32) -> Option<&Leaf> {
    leaves.get(usize::try_from(at).ok()?)
}

/// Groups values into series, in order of first appearance, and collects their labels.
pub(crate) fn group(leaves: &[Leaf]) -> (Vec<Series>, Lexicon) {
    let mut lexicon = Lexicon::default();
    let mut by_key: BTreeMap<(Vec<SlotLabel>, bool), usize> = BTreeMap::new();
    let mut series: Vec<Series> = Vec::new();
    // Texts are shared by the values of a file: each is looked at once.
    let mut known: BTreeMap<usize, LabelId> = BTreeMap::new();
    let mut intern = |lexicon: &mut Lexicon, text: &std::sync::Arc<str>| {
        *known
            .entry(text.as_ptr().addr())
            .or_insert_with(|| lexicon.intern(text))
    };
    for (at, leaf) in (0_u32..).zip(leaves) {
        let slots: Vec<SlotLabel> = leaf
            .slots
            .iter()
            .map(|slot| SlotLabel {
                kind: slot.kind,
                name: (!slot.name.is_empty()).then(|| intern(&mut lexicon, &slot.name)),
                label: intern(&mut lexicon, &slot.text),
            })
            .collect();
        let index = *by_key
            .entry((slots, leaf.count))
            .or_insert_with_key(|(slots, _)| {
                series.push(new_series(slots, leaf, &lexicon));
                series.len() - 1
            });
        if let Some(series) = series.get_mut(index) {
            series.members.push(at);
            series.unit = series.unit.or(leaf.unit);
        }
    }
    for series in &mut series {
        finish(series, leaves);
    }
    lexicon.weigh();
    (series, lexicon)
}

fn new_series(slots: &[SlotLabel], leaf: &Leaf, lexicon: &Lexicon) -> Series {
    let measure = slots
        .iter()
        .rev()
        .find(|slot| slot.kind == SlotKind::Key)
        .map(|slot| slot.label);
    let mut labels: Vec<LabelId> = slots.iter().map(|slot| slot.label).collect();
    labels.extend(
        slots
            .iter()
            .filter(|slot| slot.kind == SlotKind::Axis)
            .filter_map(|slot| slot.name),
    );
    labels.sort_unstable();
    labels.dedup();
    let measure_words = measure
        .and_then(|id| lexicon.label(id))
        .map_or(&[][..], |label| label.words.as_slice());
    let has = |names: &[&str]| {
        measure_words
            .iter()
            .any(|word| names.contains(&word.as_str()))
    };
    Series {
        slots: slots.to_vec(),
        labels,
        measure,
        members: Vec::new(),
        finals: Vec::new(),
        stats: None,
        unit: leaf.unit,
        config: leaf.config,
        count: leaf.count,
        spread: has(&["std", "stderr", "var", "variance", "ci"]),
        axis: leaf.axis,
        trace: false,
        rate: has(&["per"]) && leaf.unit.is_none()
            || has(&["throughput", "rate"]) && !has(&["learn"]),
        lower_is_better: (has(LOWER_IS_BETTER) || costs(leaf.unit))
            && (!has(&["per"]) || leaf.unit.is_some()),
    }
}

/// Seconds, bytes, watts and joules are spent.
fn costs(unit: Option<Unit>) -> bool {
    unit.is_some_and(|unit| {
        matches!(
            unit.dimension,
            Dimension::Time | Dimension::Bytes | Dimension::Power | Dimension::Energy
        )
    })
}

/// Measures of which less is better.
const LOWER_IS_BETTER: &[&str] = &[
    "error",
    "loss",
    "latency",
    "time",
    "perplexity",
    "rmse",
    "mae",
    "mse",
    "wer",
    "cer",
    "fid",
    "energy",
    "memory",
    "flop",
    "cost",
    "ece",
    "distance",
    "divergence",
    "regret",
    "runtime",
    "duration",
    "second",
    "ms",
    "hour",
    "residual",
    "deviation",
    "failure",
    "violation",
    "bpc",
    "bpb",
    "nll",
    "ter",
    "overhead",
    "parameter",
    "delay",
    "mape",
    "brier",
    "hausdorff",
    "eer",
    "drop",
    "gap",
    "collision",
    "miss",
    "toxicity",
    "hallucination",
    "power",
    "carbon",
];

fn finish(series: &mut Series, leaves: &[Leaf]) {
    // The last step of each run, in order of the runs' first appearance.
    let mut runs: Vec<(&str, u32)> = Vec::new();
    let mut place: BTreeMap<&str, usize> = BTreeMap::new();
    let same = {
        let first = series
            .members
            .first()
            .and_then(|at| leaf(leaves, *at))
            .map(|leaf| &leaf.replicate);
        series
            .members
            .iter()
            .all(|at| leaf(leaves, *at).map(|leaf| &leaf.replicate) == first)
    };
    series.trace = series
        .members
        .iter()
        .any(|at| leaf(leaves, *at).is_some_and(|leaf| leaf.progress.is_some()));
    if same && !series.trace {
        series.finals.clone_from(&series.members);
    } else {
        for at in &series.members {
            let Some(member) = leaf(leaves, *at) else {
                continue;
            };
            match place.get(&*member.replicate) {
                None => {
                    place.insert(&member.replicate, runs.len());
                    runs.push((&member.replicate, *at));
                }
                Some(index) => {
                    if let Some((_, last)) = runs.get_mut(*index) {
                        let earlier = leaf(leaves, *last).and_then(|leaf| leaf.progress);
                        if member.progress >= earlier {
                            *last = *at;
                        }
                    }
                }
            }
        }
        series.finals = runs.into_iter().map(|(_, at)| at).collect();
    }
    series.stats = stats(&series.finals, leaves).map(Box::new);
}

/// The 97.5 % quantile of Student's t distribution.
///
/// **Source**: tables of the t distribution up to 10 degrees of freedom; beyond, the Cornish-Fisher expansion about the
/// normal quantile (Abramowitz and Stegun 26.7.5), whose error there is below 0.001.
pub(crate) fn student(freedom: usize) -> f64 {
    const TABLE: [f64; 10] = [
        12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
    ];
    if let Some(known) = freedom.checked_sub(1).and_then(|at| TABLE.get(at)) {
        return *known;
    }
    let z = 1.959_964_f64;
    let v = f64::from(u32::try_from(freedom.max(1)).unwrap_or(u32::MAX));
    let (z3, z5, z7) = (z.powi(3), z.powi(5), z.powi(7));
    z + (z3 + z) / (4.0 * v)
        + (5.0 * z5 + 16.0 * z3 + 3.0 * z) / (96.0 * v * v)
        + (3.0 * z7 + 19.0 * z5 + 17.0 * z3 - 15.0 * z) / (384.0 * v * v * v)
}

/// Statistics of at least two values.
fn stats(members: &[u32], leaves: &[Leaf]) -> Option<Stats> {
    let values: Vec<(Decimal, u32)> = members
        .iter()
        .filter_map(|at| Some((leaf(leaves, *at)?.value, *at)))
        .collect();
    statistics(&values)
}

/// Statistics of at least two values with their leaf numbers.
pub(crate) fn statistics(values: &[(Decimal, u32)]) -> Option<Stats> {
    if values.len() < 2 {
        return None;
    }
    let n = values.len();
    let count = Decimal::from_count(n);
    let sum = values
        .iter()
        .fold(Decimal::ZERO, |sum, (value, _)| sum.plus(*value));
    let mean = sum.over(count)?;
    let mut sorted: Vec<(Decimal, u32)> = values.to_vec();
    sorted.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.cmp(&b.1)));
    let (min, min_at) = *sorted.first()?;
    let (max, max_at) = *sorted.last()?;
    let upper = sorted.get(n / 2)?.0;
    let median = if n % 2 == 1 {
        upper
    } else {
        sorted
            .get(n / 2 - 1)?
            .0
            .plus(upper)
            .over(Decimal::new(2, 0))?
    };
    // Deviations from the exact mean keep their digits even when the values are large.
    let squares: f64 = values
        .iter()
        .map(|(value, _)| {
            let deviation = value.minus(mean).to_f64();
            deviation * deviation
        })
        .sum();
    let float_count = f64::from(u32::try_from(n).ok()?);
    let digits = |value: f64| Decimal::parse(&format!("{value:.14e}")).unwrap_or(Decimal::ZERO);
    let std = (squares / (float_count - 1.0)).sqrt();
    Some(Stats {
        n,
        sum,
        mean,
        median,
        min,
        max,
        min_at,
        max_at,
        std: digits(std),
        population_std: digits((squares / float_count).sqrt()),
        standard_error: digits(std / float_count.sqrt()),
        half_width: digits(student(n - 1) * std / float_count.sqrt()),
    })
}

#[cfg(test)]
mod tests {

    use crate::evidence::EvidenceReader;

    fn read(files: &[(&str, &str)]) -> crate::Evidence {
        let mut reader = EvidenceReader::default();
        for (path, text) in files {
            reader.add(path, text.as_bytes()).unwrap();
        }
        reader.finish()
    }

    #[test]
    fn seeds_in_paths_columns_and_keys_form_one_series() {
        let by_path: Vec<(String, String)> = (0..3)
            .map(|s| {
                (
                    format!("results/ours/seed_{s}.json"),
                    format!("{{\"acc\": 0.{}}}", 80 + s),
                )
            })
            .collect();
        let by_path: Vec<(&str, &str)> = by_path
            .iter()
            .map(|(a, b)| (a.as_str(), b.as_str()))
            .collect();
        for files in [
            by_path,
            vec![("results/ours.csv", "seed,acc\n0,0.80\n1,0.81\n2,0.82\n")],
            vec![(
                "results/ours.json",
                "{\"seed_0\": {\"acc\": 0.80}, \"seed_1\": {\"acc\": 0.81}, \"seed_2\": {\"acc\": 0.82}}",
            )],
            vec![(
                "results/ours.json",
                "[{\"seed\": 0, \"acc\": 0.80}, {\"seed\": 1, \"acc\": 0.81}, {\"seed\": 2, \"acc\": 0.82}]",
            )],
            vec![(
                "results/ours.jsonl",
                "{\"run\": 0, \"acc\": 0.80}\n{\"run\": 1, \"acc\": 0.81}\n{\"run\": 2, \"acc\": 0.82}\n",
            )],
        ] {
            let evidence = read(&files);
            let with_stats: Vec<_> = evidence
                .series
                .iter()
                .filter(|series| series.stats.is_some())
                .collect();
            assert_eq!(with_stats.len(), 1, "{files:?}");
            let stats = with_stats[0].stats.as_ref().unwrap();
            assert_eq!(
                (stats.n, stats.mean.to_string().as_str()),
                (3, "0.81"),
                "{files:?}"
            );
            assert_eq!(stats.std.to_string(), "0.01");
            assert_eq!(
                (
                    stats.min.to_string().as_str(),
                    stats.max.to_string().as_str()
                ),
                ("0.8", "0.82")
            );
        }
    }

    #[test]
    fn logs_keep_the_last_step_of_each_run() {
        let evidence = read(&[(
            "results/log.jsonl",
            "{\"seed\":0,\"epoch\":1,\"loss\":2.0}\n{\"seed\":0,\"epoch\":2,\"loss\":1.0}\n{\"seed\":1,\"epoch\":1,\"loss\":3.0}\n{\"seed\":1,\"epoch\":2,\"loss\":2.0}\n",
        )]);
        let loss = evidence
            .series
            .iter()
            .find(|series| series.members.len() == 4 && series.lower_is_better)
            .unwrap();
        assert_eq!(loss.stats.as_ref().unwrap().mean.to_string(), "1.5");
    }

    #[test]
    fn quantiles_of_student() {
        for (freedom, expected) in [
            (1, 12.706),
            (4, 2.776),
            (11, 2.201),
            (19, 2.093),
            (120, 1.980),
        ] {
            assert!(
                (super::student(freedom) - expected).abs() < 0.002,
                "{freedom}"
            );
        }
    }

    #[test]
    fn grouping_does_not_depend_on_file_order() {
        let files = [
            ("r/a/seed_1.json", "{\"x\": 1}"),
            ("r/a/seed_0.json", "{\"x\": 2}"),
            ("r/b.json", "{\"x\": 3}"),
        ];
        let mut turned = files;
        turned.reverse();
        let show = |evidence: &crate::Evidence| {
            evidence
                .series
                .iter()
                .map(|series| format!("{series:?}"))
                .collect::<Vec<_>>()
        };
        assert_eq!(show(&read(&files)), show(&read(&turned)));
    }
}
