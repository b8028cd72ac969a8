//! The keys that a grid adds to a phase, or to a specification without phases.

#[cfg(test)]
use std::collections::BTreeMap;

#[cfg(test)]
use aris_yaml::typed::Many;
use serde::de::IgnoredAny;

#[cfg(test)]
mod schema_tests;
#[cfg(test)]
use schema_tests::{Template, Value, Values};

/// The values are read one by one, because they depend on each other.
#[derive(serde::Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Keys {
    /// Axes with their values: every combination is a cell; the last key changes fastest.
    #[cfg_attr(test, schemars(with = "Option<BTreeMap<String, Values>>"))]
    #[serde(rename = "grid")]
    _grid: IgnoredAny,
    /// Axes that are combined value by value; all have the same number of values.
    #[cfg_attr(test, schemars(with = "Option<Many<BTreeMap<String, Values>>>"))]
    #[serde(rename = "zip")]
    _zip: IgnoredAny,
    /// The axis `seed`: a list of values, or a number n for 0 to n - 1.
    #[cfg_attr(test, schemars(with = "Option<Values>"))]
    #[serde(rename = "seeds")]
    _seeds: IgnoredAny,
    /// Conditions that all cells meet, as in `N >= 128`.
    #[cfg_attr(test, schemars(with = "Option<Many<String>>"))]
    #[serde(rename = "when")]
    _when: IgnoredAny,
    /// Cells that are left out.
    #[cfg_attr(test, schemars(with = "Option<Many<BTreeMap<String, Many<Value>>>>"))]
    #[serde(rename = "exclude")]
    _exclude: IgnoredAny,
    /// Further cells, with a value for every axis.
    #[cfg_attr(test, schemars(with = "Option<Many<BTreeMap<String, Value>>>"))]
    #[serde(rename = "include")]
    _include: IgnoredAny,
    /// The job of each cell; `${axis}` is replaced by the cell's value.
    #[cfg_attr(test, schemars(with = "Option<Template>"))]
    #[serde(rename = "template")]
    _template: IgnoredAny,
}
