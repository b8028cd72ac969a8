//! The clean recipes with their data, and changes to them.

use std::collections::BTreeMap;

use aris_recipe::model::load;
use aris_recipe::rules::{ProjectRule, data::budgets};
use aris_recipe::{Data, Finding, Profile, Recipe, Report, check};
use aris_yaml::{Keys, typed};

/// A file that belongs to a clean recipe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum File {
    Recipe,
    Manifest,
    Tools,
    Budgets,
    Skill,
    SubRecipes,
}

/// A clean recipe, and the profile that it is checked under.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Base {
    /// The general one, strict.
    Core,
    /// The general one, under the rules of the reference.
    Notes,
    /// The recipe with the reference's tools.
    Compat,
}

/// One change: the file, the old text, and the new text.
pub(crate) type Change = (File, &'static str, &'static str);

impl Base {
    pub(crate) fn profile(self) -> Profile {
        match self {
            Self::Core => Profile::Strict,
            Self::Notes | Self::Compat => Profile::Compat,
        }
    }

    pub(crate) fn files(self) -> BTreeMap<File, String> {
        let recipe = match self {
            Self::Core | Self::Notes => include_str!("base/core.yaml"),
            Self::Compat => include_str!("base/compat.yaml"),
        };
        let text = |file, text: &str| (file, text.to_owned());
        let mut files = BTreeMap::from([
            text(File::Recipe, recipe),
            text(File::Manifest, include_str!("base/manifest.yaml")),
            text(File::Tools, include_str!("base/tools.yaml")),
            text(File::Budgets, include_str!("base/budgets.yaml")),
            text(File::Skill, include_str!("base/make-plan.md")),
            text(File::SubRecipes, "prelude:"),
        ]);
        if self == Self::Compat {
            // The general recipe has these tools.
            files.insert(
                File::Manifest,
                include_str!("base/compat-manifest.yaml").to_owned(),
            );
            files.remove(&File::Tools);
        }
        files
    }

    /// The files with some changes; each must change something.
    pub(crate) fn changed(self, changes: &[Change]) -> BTreeMap<File, String> {
        let mut files = self.files();
        for (file, from, to) in changes {
            let text = files
                .get_mut(file)
                .unwrap_or_else(|| panic!("no {file:?} in {self:?}"));
            assert!(
                text.contains(from),
                "{from:?} is not in {file:?} of {self:?}"
            );
            *text = text.replacen(from, to, 1);
        }
        files
    }
}

/// The rules of the reference's project.
pub(crate) fn project_rules() -> Vec<ProjectRule> {
    ProjectRule::parse_all(include_str!(
        "../../../recipe_runner/assets/autoskillit.yaml"
    ))
    .unwrap_or_else(|error| panic!("{error:?}"))
}

pub(crate) fn recipe(files: &BTreeMap<File, String>) -> Recipe {
    load(&files[&File::Recipe], ".aris/temp").unwrap_or_else(|finding| panic!("{finding:?}"))
}

pub(crate) fn data(files: &BTreeMap<File, String>) -> Data {
    let names = [
        "make-plan",
        "review",
        "fix",
        "tidy",
        "read",
        "local-plan",
        "walk",
        "audit-impl",
    ];
    let more = [
        "implement-worktree",
        "retry-worktree",
        "resolve-failures",
        "resolve-merge-conflicts",
    ];
    let sub_recipes = files[&File::SubRecipes].lines().map(|line| {
        let (name, placed) = line.split_once(':').unwrap();
        (
            name.to_owned(),
            placed.split_whitespace().map(str::to_owned).collect(),
        )
    });
    Data {
        manifest: Some(typed(&files[&File::Manifest], Keys::Open).unwrap()),
        tools: files
            .get(&File::Tools)
            .map(|text| typed(text, Keys::Open).unwrap()),
        budgets: Some(budgets(&files[&File::Budgets]).unwrap()),
        skills: Some(
            names
                .into_iter()
                .chain(more)
                .map(|name| {
                    let text = if name == "make-plan" {
                        files[&File::Skill].as_str()
                    } else {
                        ""
                    };
                    (name.to_owned(), text.to_owned())
                })
                .collect(),
        ),
        sub_recipes: Some(sub_recipes.collect()),
        exempt: typed("[[kept, keep-it]]", Keys::Open).unwrap(),
        rules: Vec::new(),
    }
}

/// The data that belong to a profile.
pub(crate) fn data_of(base: Base, files: &BTreeMap<File, String>) -> Data {
    let mut data = data(files);
    if base.profile() == Profile::Compat {
        data.rules = project_rules();
    }
    data
}

pub(crate) fn report(base: Base, changes: &[Change]) -> Report {
    let files = base.changed(changes);
    check(&recipe(&files), &data_of(base, &files), base.profile())
}

/// The findings of one rule.
pub(crate) fn found(base: Base, changes: &[Change], rule: &str) -> Vec<Finding> {
    report(base, changes)
        .findings
        .into_iter()
        .filter(|finding| finding.rule == rule)
        .collect()
}
