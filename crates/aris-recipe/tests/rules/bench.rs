//! The clean recipes with their data, and changes of them.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use aris_recipe::model::load;
use aris_recipe::rules::data::{Budgets, Card, Contracts, Exemptions, Manifest, Skills, Tool};
use aris_recipe::{Data, Finding, Profile, Recipe, Report, check};
use sha2::{Digest as _, Sha256};

/// A file of the bench.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum File {
    Recipe,
    Manifest,
    Tools,
    Budgets,
    Skill,
    Card,
    Diagram,
    SubRecipes,
}

/// Which clean recipe, under which profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Base {
    /// The general one, strict.
    Core,
    /// The general one, under the rules of the reference.
    Notes,
    /// The one with the reference's tools.
    Compat,
}

/// One change: in which file, what, by what.
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
            text(File::Card, include_str!("base/card.yaml")),
            text(File::Diagram, include_str!("base/diagram.md")),
            text(File::SubRecipes, "prelude:"),
        ]);
        // Digests of the clean files, so that a change of one of them shows.
        let skill = sha256(&files[&File::Skill]);
        let card = files.get_mut(&File::Card).unwrap();
        *card = card
            .replace("@make-plan@", &format!("sha256:{skill}"))
            .replace(
                "@plan_path run_id@",
                &format!("sha256:{}", sha256("plan_path run_id")),
            );
        let diagram = files.get_mut(&File::Diagram).unwrap();
        *diagram = diagram.replace("@recipe@", &sha256(recipe));
        if self == Self::Compat {
            // Tools and card are those of the general recipe.
            files.insert(
                File::Manifest,
                include_str!("base/compat-manifest.yaml").to_owned(),
            );
            files.remove(&File::Tools);
            files.remove(&File::Card);
        }
        files
    }

    /// The files with changes, each of which must change something.
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

pub(crate) fn sha256(text: &str) -> String {
    let mut digits = String::new();
    for byte in Sha256::digest(text.as_bytes()) {
        write!(digits, "{byte:02x}").unwrap();
    }
    digits
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
        manifest: Some(Manifest::parse(&files[&File::Manifest]).unwrap()),
        tools: files
            .get(&File::Tools)
            .map(|text| Tool::parse_all(text).unwrap()),
        budgets: Some(Budgets::parse(&files[&File::Budgets]).unwrap()),
        skills: Some(Skills {
            names: names
                .into_iter()
                .chain(more)
                .map(str::to_owned)
                .collect::<BTreeSet<_>>(),
            texts: BTreeMap::from([(String::from("make-plan"), files[&File::Skill].clone())]),
        }),
        sub_recipes: Some(sub_recipes.collect()),
        exempt: Exemptions::parse("[[kept, keep-it]]").unwrap(),
        contracts: Some(Contracts {
            card: files
                .get(&File::Card)
                .map(|text| Card::parse(text).unwrap()),
            diagram: Some(
                files
                    .get(&File::Diagram)
                    .filter(|text| !text.is_empty())
                    .cloned(),
            ),
            recipe_sha256: sha256(&files[&File::Recipe]),
        }),
    }
}

pub(crate) fn report(base: Base, changes: &[Change]) -> Report {
    let files = base.changed(changes);
    check(&recipe(&files), &data(&files), base.profile())
}

/// The findings of one rule.
pub(crate) fn found(base: Base, changes: &[Change], rule: &str) -> Vec<Finding> {
    report(base, changes)
        .findings
        .into_iter()
        .filter(|finding| finding.rule == rule)
        .collect()
}
