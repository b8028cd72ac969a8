//! Options for Slurm.

use serde::de::{Deserialize, Deserializer, Error as _};

use super::Positive;
use aris_yaml::typed::Many;

/// Options of `sbatch`.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, serde::Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(
    default,
    expecting = "a map\nslurm: {partition: gpu, cpus: 4, mem: 16G}"
)]
pub struct Slurm {
    /// `--partition`.
    pub partition: Option<String>,
    /// `--account`.
    pub account: Option<String>,
    /// `--qos`.
    pub qos: Option<String>,
    /// `--constraint`.
    pub constraint: Option<String>,
    /// `--time`, in the format of `sbatch`.
    pub time: Option<String>,
    /// `--nodes`: the command runs once, on the first node, with the variables of the whole allocation.
    pub nodes: Option<Positive>,
    /// `--ntasks`: how many tasks `srun` in the command starts.
    pub ntasks: Option<Positive>,
    /// `--ntasks-per-node`.
    pub ntasks_per_node: Option<Positive>,
    /// `--cpus-per-task`.
    pub cpus: Option<Positive>,
    /// `--mem`, for each node, in the format of `sbatch`.
    pub mem: Option<String>,
    /// `--gres`, for each node.
    pub gres: Option<Gres>,
    /// Further options.
    pub extra: Option<Extra>,
}

/// Further arguments of `sbatch`.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Extra(pub Vec<String>);

/// Generic resources: `gpu`, `gpu:2`, `gpu:a100:2`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Gres(Vec<String>);

impl Slurm {
    /// These options, replaced by those that `below` sets.
    #[must_use]
    pub fn with(&self, below: &Self) -> Self {
        macro_rules! merged {
            ($($field:ident)*) => {
                Self { $($field: below.$field.clone().or_else(|| self.$field.clone()),)* }
            };
        }
        merged!(partition account qos constraint time nodes ntasks ntasks_per_node cpus mem gres extra)
    }

    /// The further arguments.
    pub fn extra(&self) -> &[String] {
        self.extra.as_ref().map_or(&[], |extra| &extra.0)
    }
}

impl Gres {
    /// The value of `--gres`.
    pub fn text(&self) -> String {
        self.0.join(",")
    }

    /// Number of cards on each node; `None`: there is no `gpu` among the resources.
    pub fn cards(&self) -> Option<u32> {
        let counts = self.0.iter().filter_map(|item| {
            let mut parts = item.split(':');
            let is_gpu = parts.next() == Some("gpu");
            let count = parts.next_back().and_then(|it| it.parse().ok());
            is_gpu.then_some(count.unwrap_or(1))
        });
        counts.reduce(u32::saturating_add)
    }
}

impl<'de> Deserialize<'de> for Extra {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Many::deserialize(from).map(|many| Self(many.0))
    }
}

impl<'de> Deserialize<'de> for Gres {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let given: Many<String> = Many::deserialize(from)?;
        let mut items = Vec::new();
        for item in given.0.iter().flat_map(|text| text.split(',')) {
            let item = item.trim();
            let word = |part: &str| {
                let safe = |char: char| char.is_ascii_alphanumeric() || "_-.".contains(char);
                !part.is_empty() && part.chars().all(safe)
            };
            let parts: Vec<&str> = item.split(':').collect();
            let number = |text: &&str| text.bytes().all(|byte| byte.is_ascii_digit());
            let counted = parts.len() < 3 || parts.last().is_some_and(number);
            if parts.len() > 3 || !counted || !parts.iter().all(|part| word(part)) {
                return Err(D::Error::custom(format!(
                    "must be NAME, NAME:COUNT or NAME:TYPE:COUNT, not {item:?}\nfor example gres: \"gpu:a100:2\""
                )));
            }
            items.push(item.to_owned());
        }
        Ok(Self(items))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cards_are_counted() {
        for (text, cards) in [
            ("gpu", Some(1)),
            ("gpu:2", Some(2)),
            ("gpu:a100", Some(1)),
            ("gpu:a100:2", Some(2)),
            ("shard:3", None),
            ("gpu:a100:2, gpu:v100:1", Some(3)),
        ] {
            let items = text.split(", ").map(str::to_owned).collect();
            assert_eq!(Gres(items).cards(), cards, "{text}");
        }
    }
}
