//! What a recipe is checked with: skill contracts, tools, budgets, names of skills, rules of a project.
//!
//! The types are filled from texts that the caller has read; nothing here touches the disk. JSON is read as well as YAML.

use std::collections::{BTreeMap, BTreeSet};

use aris_yaml::{Keys, Problem, Value};
use serde::Deserialize;

use super::ProjectRule;

/// Captures that recipes of `AutoSkillit` keep for people. **Source**: its public recipes.
const KEPT_FOR_PEOPLE: [(&str, &str); 10] = [
    ("diagnosis_path", "diagnose-ci"),
    ("summary_path", "pipeline-summary"),
    ("report_path", "generate-report"),
    ("selected_lenses", "prepare-research-pr"),
    ("selected_lenses", "prepare-pr"),
    ("lens_context_paths", "prepare-research-pr"),
    ("lens_context_paths", "prepare-pr"),
    ("pr_url", "compose-pr"),
    ("html_path", "bundle-local-report"),
    ("resource_report", "stage-data"),
];
/// The budget of blocks without one of their own.
const DEFAULT: &str = "DEFAULT";

/// Everything that a recipe may be checked with. Data that were not given are `None`, and the rules that need them are reported as skipped.
#[derive(Clone, Debug, Default)]
pub struct Data {
    /// Contracts of skills.
    pub manifest: Option<Manifest>,
    /// Tools and their parameters.
    pub tools: Option<Tools>,
    /// Budgets of blocks.
    pub budgets: Option<Budgets>,
    /// The skills that exist. The text is there for those that the recipe calls, if rules of a project read it, and else empty.
    pub skills: Option<BTreeMap<String, String>>,
    /// The sub-recipes that exist; for each, the names of the sub-recipes that it places itself.
    pub sub_recipes: Option<BTreeMap<String, Vec<String>>>,
    /// Captures that may stay unread because people read them: a variable, and a part of the skill command.
    pub exempt: Vec<(String, String)>,
    /// Rules of a project.
    pub rules: Vec<ProjectRule>,
}

/// Contracts of skills.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct Manifest {
    /// Packs of skills that exist.
    pub packs: Option<BTreeSet<String>>,
    /// The contracts by name. They are required: with a file without them nothing would be checked, and nobody would know.
    pub skills: BTreeMap<String, SkillContract>,
}

/// The contract of one skill.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct SkillContract {
    /// Arguments in order.
    pub inputs: Vec<SkillInput>,
    /// Fields of its result.
    pub outputs: Vec<SkillOutput>,
    /// Regular expressions that its final text must match.
    #[serde(rename = "expected_output_patterns")]
    pub output_patterns: Vec<String>,
    /// Final texts, as examples for the patterns.
    pub pattern_examples: Vec<String>,
    /// `always`, `conditional` or nothing.
    pub write_behavior: Option<String>,
    /// Regular expressions for the final text; a match says that a conditional writer wrote.
    pub write_expected_when: Vec<String>,
}

/// An argument of a skill.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct SkillInput {
    /// Its name.
    pub name: String,
    /// For instance `string`, `file_path`, `directory_path`.
    #[serde(default, rename = "type")]
    pub kind: String,
    /// The skill fails without it.
    #[serde(default)]
    pub required: bool,
    /// The skill is better with it.
    #[serde(default)]
    pub recommended: bool,
}

/// A field of a skill's result.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct SkillOutput {
    /// Its name.
    pub name: String,
    /// For instance `string`, `file_path`.
    #[serde(default, rename = "type")]
    pub kind: String,
    /// The only values that it may have; empty when any value is valid.
    #[serde(default)]
    pub allowed_values: Vec<String>,
}

/// Tools by name, each with its parameters; `None` when they are not known and cannot be checked.
pub type Tools = BTreeMap<String, Option<BTreeSet<String>>>;

/// Budgets by block.
pub type Budgets = BTreeMap<String, Budget>;

/// What the steps of a block may use together.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Budget {
    /// Steps that run a command.
    pub run_cmd: Option<usize>,
    /// Steps that call any other tool.
    pub mcp_tools: Option<usize>,
    /// Commands must not call `gh api`.
    pub forbid_gh_api: bool,
}

impl SkillContract {
    /// Names of the fields of its result.
    pub fn output_names(&self) -> Vec<&str> {
        let outputs = self.outputs.iter();
        outputs.map(|output| output.name.as_str()).collect()
    }

    /// The only values of a field of its result, where it lists them.
    pub fn values(&self, name: &str) -> Option<BTreeSet<&str>> {
        let values = &self.output(name)?.allowed_values;
        (!values.is_empty()).then(|| values.iter().map(String::as_str).collect())
    }

    /// The field `name` of its result.
    pub fn output(&self, name: &str) -> Option<&SkillOutput> {
        self.outputs.iter().find(|output| output.name == name)
    }
}

/// Reads `{block | DEFAULT: {run_cmd?, mcp_tools?, forbid_gh_api?}}`; a `version` beside them is ignored.
///
/// **Errors**: no YAML, or an entry of another shape.
pub fn budgets(text: &str) -> Result<Budgets, Vec<Problem>> {
    let root = aris_yaml::read(text).map_err(|problem| vec![problem])?;
    let mut root = root.unwrap_or_default();
    if let Value::Map(entries) = &mut root.value {
        entries.retain(|(key, _)| key.text != "version");
    }
    aris_yaml::typed_node(&root, Keys::Known)
}

impl Data {
    /// The budget of a block: its own, else the default one.
    pub(super) fn budget(&self, block: &str) -> Option<&Budget> {
        let budgets = self.budgets.as_ref()?;
        budgets.get(block).or_else(|| budgets.get(DEFAULT))
    }

    /// Whether a capture may stay unread in a step with this skill command.
    pub(super) fn exempts(&self, variable: &str, command: &str) -> bool {
        let given = self.exempt.iter();
        let mut pairs = given
            .map(|(name, part)| (name.as_str(), part.as_str()))
            .chain(KEPT_FOR_PEOPLE);
        pairs.any(|(name, part)| name == variable && command.contains(part))
    }
}
