//! The plan of an experiment: replicates, systems, metrics, thresholds.

use std::collections::BTreeMap;

use aris_claims::number::scan;
use serde_json::Value;

use crate::prose::passage::{before, from};
use crate::results::singular;
use crate::words;

/// A plan. Open points are empty.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Plan {
    /// The file that contains it.
    pub file: String,
    /// Number of independent repetitions of everything.
    pub replicates: Option<u64>,
    /// The repeated unit: the name of its column in the results.
    pub unit: Option<String>,
    /// Systems, arms or conditions.
    pub systems: Vec<String>,
    /// Metrics.
    pub metrics: Vec<String>,
    /// Thresholds by name.
    pub thresholds: BTreeMap<String, f64>,
}

impl Plan {
    /// Reads JSON, YAML, YAML front matter, or phrases in a text ("R = 3", "three seeds").
    ///
    /// **Errors**: malformed JSON or YAML; a plan without content.
    pub fn read(file: &str, text: &str) -> Result<Self, String> {
        let extension = file.rsplit_once('.').map_or("", |(_, extension)| extension);
        let yaml = |text| serde_saphyr::from_str(text).map_err(|error| error.to_string());
        let plan = match extension.to_ascii_lowercase().as_str() {
            "json" => {
                let value = serde_json::from_str(text).map_err(|error| error.to_string())?;
                Self::of(file, &value)
            }
            "yaml" | "yml" => Self::of(file, &yaml(text)?),
            _ => {
                let value = front_matter(text).map(yaml).transpose()?;
                let plan = value.and_then(|value| Self::of(file, &value));
                plan.or_else(|| Self::of_phrases(file, text).that_plans())
            }
        };
        plan.ok_or_else(|| String::from("names no replicates, systems, metrics or thresholds"))
    }

    /// The plan in front matter; `None` when it has none.
    pub fn of_front_matter(file: &str, matter: &str) -> Option<Self> {
        let value: Value = serde_saphyr::from_str(matter).ok()?;
        Self::of(file, value.get("plan")?)
    }

    fn of(file: &str, value: &Value) -> Option<Self> {
        let value = value.get("plan").unwrap_or(value);
        let names = |key: &str| -> Vec<String> {
            let list = value.get(key).and_then(Value::as_array);
            let name = |one: &Value| {
                let text = one.as_str().or_else(|| one.get("name")?.as_str());
                text.map(str::to_owned)
            };
            list.into_iter().flatten().filter_map(name).collect()
        };
        let count = |value: &Value| match value {
            Value::Array(list) => u64::try_from(list.len()).ok(),
            other => other.as_u64(),
        };
        let systems = ["systems", "arms", "conditions", "methods"];
        let (replicates, noun) = agreed(value.as_object().into_iter().flatten().filter_map(
            |(key, value)| {
                let key = key.to_lowercase();
                words::is("replicates", &key).then(|| Some((count(value)?, key)))?
            },
        ));
        let thresholds = value.get("thresholds").and_then(Value::as_object);
        let thresholds = thresholds.into_iter().flatten();
        let thresholds =
            thresholds.filter_map(|(name, value)| Some((name.clone(), value.as_f64()?)));
        let unit = value.get("unit").and_then(Value::as_str);
        let plan = Self {
            file: file.to_owned(),
            replicates,
            unit: unit.map(str::to_owned).or(noun),
            systems: systems.into_iter().flat_map(names).collect(),
            metrics: names("metrics"),
            thresholds: thresholds.collect(),
        };
        plan.that_plans()
    }

    fn of_phrases(file: &str, text: &str) -> Self {
        let (replicates, unit) = agreed(phrases(text));
        Self {
            file: file.to_owned(),
            replicates,
            unit,
            ..Self::default()
        }
    }

    /// The plan; `None` when it has no content.
    fn that_plans(self) -> Option<Self> {
        let is_empty = self.replicates.is_none()
            && self.systems.is_empty()
            && self.metrics.is_empty()
            && self.thresholds.is_empty();
        (!is_empty).then_some(self)
    }
}

/// The text between the opening and the next line that begins with three hyphens.
fn front_matter(text: &str) -> Option<&str> {
    let rest = text.strip_prefix("---")?;
    let rest = rest.strip_prefix('\r').unwrap_or(rest).strip_prefix('\n')?;
    rest.split_once("\n---").map(|(matter, _)| matter)
}

/// The number that all counts agree on, and their unit when all name the same repeatable unit. Different numbers give nothing.
fn agreed(counts: impl Iterator<Item = (u64, String)>) -> (Option<u64>, Option<String>) {
    let counts: Vec<(u64, String)> = counts.collect();
    let Some((first, noun)) = counts.first() else {
        return (None, None);
    };
    let noun = singular(noun);
    let one = counts.iter().all(|(count, _)| count == first);
    let named =
        words::is("repetition", noun) && !matches!(noun, "replicate" | "repetition" | "repeat");
    let same = one && named && counts.iter().all(|(_, other)| singular(other) == noun);
    (one.then_some(*first), same.then(|| noun.to_owned()))
}

/// The counts in "R = 3" or "three seeds", with their nouns.
fn phrases(text: &str) -> impl Iterator<Item = (u64, String)> + '_ {
    let whole = scan(text)
        .into_iter()
        .filter(|number| number.value.is_integer());
    whole.filter_map(|number| {
        let before = before(text, number.range.start).trim_end();
        let name = before.strip_suffix('=').map(str::trim_end);
        let rest = name.and_then(|name| name.strip_suffix(['R', 'n', 'N']));
        let letter = rest.filter(|rest| !rest.ends_with(char::is_alphanumeric));
        let letter = letter.map(|_| String::from("n"));
        let after = from(text, number.end).trim_start();
        let mut words = after.split(|c: char| !c.is_alphabetic());
        let noun = words.next().unwrap_or("").to_lowercase();
        let noun = words::is("repetition", singular(&noun)).then_some(noun);
        Some((number.value.to_string().parse().ok()?, letter.or(noun)?))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plans_are_read_from_all_their_forms() {
        for (file, text, replicates, systems) in [
            (
                "p.json",
                r#"{"replicates": 3, "systems": ["a"]}"#,
                Some(3),
                1,
            ),
            ("p.yaml", "plan:\n  seeds: [1, 2]\n", Some(2), 0),
            (
                "p.md",
                "---\ntitle: t\nplan:\n  replicates: 6\n  systems: [a, b]\n---\nText.\n",
                Some(6),
                2,
            ),
            ("p.md", "Every arm is run with R = 3.", Some(3), 0),
            ("p.md", "We plan three seeds for each.", Some(3), 0),
        ] {
            let plan = Plan::read(file, text).unwrap();
            assert_eq!(
                (plan.replicates, plan.systems.len()),
                (replicates, systems),
                "{text}"
            );
        }
        let unit = |text: &str| Plan::read("p.yaml", text).unwrap().unit;
        assert_eq!(unit("seeds: 5").as_deref(), Some("seed"));
        assert_eq!(unit("replicates: 5"), None);
        assert!(Plan::read("p.md", "Nothing is planned.").is_err());
        // Different numbers: the text does not say which one applies to everything.
        assert!(Plan::read("p.md", "Two pilot runs, two runs, then five runs.").is_err());
        assert!(Plan::read("p.json", "{").is_err());
    }
}
