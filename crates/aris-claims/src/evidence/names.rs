//! What names of keys, columns, files and directories mean.

use crate::decimal::Decimal;
use crate::number;
use crate::units::Unit;
use crate::words;

const REPLICATE: &[&str] = &[
    "seed",
    "run",
    "fold",
    "trial",
    "rep",
    "replicate",
    "repeat",
    "repetition",
    "replica",
    "restart",
    "annotator",
    "rater",
    "participant",
];
/// Units that are studied. In plural (`patients`) such a column counts them.
const UNITS: &[&str] = &[
    "subject",
    "patient",
    "donor",
    "volunteer",
    "animal",
    "mouse",
    "plot",
    "specimen",
    "replication",
];
const PROGRESS: &[&str] = &["epoch", "step", "iteration", "timestep", "update"];
const AXIS: &[&str] = &[
    "thread",
    "node",
    "gpu",
    "core",
    "worker",
    "rank",
    "process",
    "batch",
    "size",
    "length",
    "depth",
    "layer",
    "width",
    "k",
    "n",
    "fraction",
    "ratio",
    "rate",
    "level",
    "budget",
    "shot",
    "horizon",
    "alpha",
    "beta",
    "gamma",
    "lambda",
    "tau",
    "epsilon",
    "sigma",
    "temperature",
    "dimension",
    "resolution",
    "scale",
    "client",
    "connection",
    "noise",
    "threshold",
    "sparsity",
    "bit",
    "context",
    "beam",
    "radius",
    "order",
    "degree",
    "grid",
    "mesh",
    "concurrency",
];
const MEASURE: &[&str] = &[
    "accuracy",
    "error",
    "loss",
    "score",
    "time",
    "latency",
    "throughput",
    "memory",
    "f",
    "auc",
    "bleu",
    "rouge",
    "precision",
    "recall",
    "reward",
    "return",
    "perplexity",
    "parameter",
    "flop",
    "speedup",
    "energy",
    "mean",
    "std",
    "count",
    "total",
    "correct",
];
const NOT_LABELS: &[&str] = &[
    "date",
    "time",
    "timestamp",
    "commit",
    "hash",
    "sha",
    "host",
    "hostname",
    "path",
    "file",
    "note",
    "comment",
    "url",
    "version",
    "description",
    "command",
    "cmd",
    "user",
    "machine",
    "created",
    "started",
    "finished",
    "license",
    "unit",
    "citation",
    "checkpoint",
    "log",
    "message",
    "digest",
    "checksum",
    "author",
    "device",
];
const CONFIG_FILES: &[&str] = &[
    "config",
    "configs",
    "args",
    "arg",
    "hparam",
    "hparams",
    "hyperparameter",
    "hyperparam",
    "setting",
    "option",
    "opts",
    "conf",
];

/// The key of a seed, run or fold number.
pub(crate) fn is_replicate_key(key: &str) -> bool {
    let lower = key.to_lowercase();
    if UNITS.contains(&lower.strip_suffix("_id").unwrap_or(&lower)) {
        return true;
    }
    let words = words::canonical(key);
    match words.as_slice() {
        [only] => REPLICATE.contains(&only.as_str()),
        [first, last] => {
            REPLICATE.contains(&first.as_str())
                && matches!(last.as_str(), "id" | "index" | "idx" | "number")
                || first == "random" && last == "seed"
        }
        _ => false,
    }
}

/// `by_seed`, `per_donor`: the keys below it name repetitions.
pub(crate) fn groups_replicates(key: &str) -> bool {
    let words: Vec<&str> = key.split(['_', '-', ' ']).collect();
    matches!(words.as_slice(), ["by" | "per", noun] if is_replicate_key(noun))
}

/// The key of an epoch, step or iteration number.
pub(crate) fn is_progress_key(key: &str) -> bool {
    let words = words::canonical(key);
    matches!(words.as_slice(), [only] if PROGRESS.contains(&only.as_str()))
        || matches!(words.as_slice(), [first, last] if first == "global" && last == "step")
}

/// A numeric column that is usually varied, not measured.
pub(crate) fn is_axis_key(key: &str) -> bool {
    let words = words::canonical(key);
    words
        .last()
        .is_some_and(|last| AXIS.contains(&last.as_str()))
        && !is_measure_key(key)
}

/// A numeric column that is measured.
pub(crate) fn is_measure_key(key: &str) -> bool {
    words::canonical(key)
        .iter()
        .any(|word| MEASURE.contains(&word.as_str()))
}

/// Whether the strings of a key can say what a record is about.
pub(crate) fn is_label_key(key: &str) -> bool {
    let words = words::canonical(key);
    !words
        .last()
        .is_some_and(|last| NOT_LABELS.contains(&last.as_str()))
}

/// Whether a string is short enough and worded like a name.
pub(crate) fn is_label_text(text: &str) -> bool {
    let length = text.chars().count();
    (1..=48).contains(&length)
        && text.split_whitespace().count() <= 6
        && text.chars().any(char::is_alphabetic)
        && !text.contains(['/', '\\', '\n'])
}

/// A file or a key that holds settings, not measurements.
pub(crate) fn is_config_name(name: &str) -> bool {
    words::canonical(name)
        .iter()
        .any(|word| CONFIG_FILES.contains(&word.as_str()))
}

/// A number with a unit in a string: `"84.7%"`, `"12.3 ms"`.
pub(crate) fn measured_text(text: &str) -> Option<(Decimal, Option<Unit>)> {
    let text = text.trim();
    if text.len() > 40 {
        return None;
    }
    let numbers = number::scan(text);
    let [only] = numbers.as_slice() else {
        return None;
    };
    let whole = only.range.start == 0 && !only.embedded && only.style != number::Style::Spelled;
    (whole
        && text
            .get(only.end..)
            .is_some_and(|rest| rest.trim().is_empty()))
    .then_some((only.value, only.unit))
}

/// A path component or key without its replicate part: `ours_seed3` → (`ours`, `seed3`), `run_2` → (``, `run2`),
/// `42` → (``, `42`).
pub(crate) fn split_replicate(name: &str) -> (String, String) {
    let parts: Vec<&str> = name
        .split(['_', '-', '.', ' ', '='])
        .filter(|part| !part.is_empty())
        .collect();
    if !parts.is_empty()
        && parts
            .iter()
            .all(|part| part.bytes().all(|b| b.is_ascii_digit()))
    {
        return (String::new(), parts.join("-"));
    }
    let mut kept: Vec<&str> = Vec::new();
    let mut replicate: Vec<String> = Vec::new();
    let mut at = 0;
    while let Some(part) = parts.get(at) {
        let lower = part.to_lowercase();
        let stem = lower.trim_end_matches(|c: char| c.is_ascii_digit());
        let digits = lower.get(stem.len()..).unwrap_or("");
        let known = REPLICATE.contains(&stem)
            || (matches!(stem, "s" | "r") && at > 0 && at + 1 == parts.len());
        if known && !digits.is_empty() {
            replicate.push(lower);
        } else if REPLICATE.contains(&lower.as_str())
            && parts
                .get(at + 1)
                .is_some_and(|next| next.bytes().all(|b| b.is_ascii_digit()))
        {
            replicate.push(format!(
                "{lower}{}",
                parts.get(at + 1).copied().unwrap_or("")
            ));
            at += 1;
        } else {
            kept.push(part);
        }
        at += 1;
    }
    if replicate.is_empty() {
        (name.to_owned(), String::new())
    } else {
        (kept.join("_"), replicate.join("-"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replicates_are_split_from_names() {
        for (name, label, replicate) in [
            ("seed_0", "", "seed0"),
            ("seed0", "", "seed0"),
            ("ours_seed3", "ours", "seed3"),
            ("ours-s3", "ours", "s3"),
            ("run_2", "", "run2"),
            ("42", "", "42"),
            ("resnet50", "resnet50", ""),
            ("metrics", "metrics", ""),
            ("cifar10_fold_4_ours", "cifar10_ours", "fold4"),
            ("2024-05-01_12-00", "", "2024-05-01-12-00"),
            ("s3", "s3", ""),
        ] {
            assert_eq!(
                split_replicate(name),
                (label.to_owned(), replicate.to_owned()),
                "{name}"
            );
        }
    }

    #[test]
    fn strings_with_units_are_numbers() {
        assert_eq!(
            measured_text("84.7%").map(|(value, _)| value.to_string()),
            Some("84.7".to_owned())
        );
        assert_eq!(
            measured_text("1,234").map(|(value, _)| value.to_string()),
            Some("1234".to_owned())
        );
        for text in ["ResNet-50", "84.7 or 85", "about 3", "", "five"] {
            assert_eq!(measured_text(text), None, "{text}");
        }
    }
}
