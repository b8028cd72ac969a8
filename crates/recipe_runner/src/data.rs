//! The files that a recipe is checked against: manifest, tools, budgets, skills, sub-recipes, cards.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use aris_cli::Context;
use aris_fs::EntryKind;
use aris_recipe::engine::state::{FileRef, sha256_hex};
use aris_recipe::model::load;
use aris_recipe::rules::called_skills;
use aris_recipe::rules::data::{
    Budgets, Card, Contracts, DataError, Exemptions, Manifest, Skills, Tool,
};
use aris_recipe::{Data, Recipe};
use aris_yaml::Text;
use clap::Args;

use crate::error::Error;

/// What skills and tools take and give.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct ContractArgs {
    /// Contracts of skills: what each takes, gives and writes [default: the file that the recipe names as `manifest`]
    #[arg(long, value_name = "FILE")]
    pub(crate) manifest: Option<PathBuf>,
    /// Tools and their parameters [default: the file that the recipe names as `tools`]
    #[arg(long, value_name = "FILE")]
    pub(crate) tools: Option<PathBuf>,
}

/// What a recipe is checked against; rules whose data are not given are reported as skipped.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct DataArgs {
    #[command(flatten)]
    pub(crate) contracts_of: ContractArgs,
    /// Budgets of blocks of steps
    #[arg(long, value_name = "FILE")]
    pub(crate) budgets: Option<PathBuf>,
    /// Folder of installed skills, each in a folder of its name; may be repeated, the first that has a skill counts
    #[arg(long, value_name = "DIR")]
    pub(crate) skills_dir: Vec<PathBuf>,
    /// More captures that may stay unread: pairs of a variable and a text of the skill command
    #[arg(long, value_name = "FILE")]
    pub(crate) exempt: Option<PathBuf>,
    /// Folder of contract cards, with `diagrams` beside it
    #[arg(long, value_name = "DIR")]
    pub(crate) contracts: Option<PathBuf>,
}

/// A recipe with where it came from.
pub(crate) struct Checked<'a> {
    /// The file.
    pub(crate) path: &'a Path,
    /// Digest of its bytes, in hexadecimal digits.
    pub(crate) sha256: &'a str,
    /// The recipe as it is checked.
    pub(crate) recipe: &'a Recipe,
    /// Folders of sub-recipes, as far as they exist.
    pub(crate) sub_recipes: &'a [PathBuf],
}

/// Reads the data for a recipe.
///
/// **Errors**: a file that was named is absent, unreadable or malformed. A sub-recipe that cannot be read counts as one that places
/// no other: composing reports it.
pub(crate) fn read(
    args: &DataArgs,
    checked: &Checked<'_>,
    context: &Context,
) -> Result<Data, Error> {
    let file = |path: &Option<PathBuf>| path.as_ref().map(|path| context.absolute(path));
    let files = contract_files(&args.contracts_of, checked.recipe, checked.path, context);
    Ok(Data {
        manifest: parsed(files.manifest, Manifest::parse)?,
        tools: parsed(files.tools, Tool::parse_all)?,
        budgets: parsed(file(&args.budgets), Budgets::parse)?,
        exempt: match parsed(file(&args.exempt), Exemptions::parse)? {
            Some(more) => Exemptions::default().and(more),
            None => Exemptions::default(),
        },
        skills: skills(args, checked.recipe, context)?,
        sub_recipes: sub_recipes(checked.sub_recipes)?,
        contracts: file(&args.contracts)
            .map(|folder| contracts(&folder, checked))
            .transpose()?,
    })
}

/// The files that the flags name, else those that the recipe names, which are relative to it.
pub(crate) fn contract_files(
    args: &ContractArgs,
    recipe: &Recipe,
    path: &Path,
    context: &Context,
) -> ContractArgs {
    let path = context.absolute(path);
    let beside = |named: &Option<Text>| Some(path.parent()?.join(&named.as_ref()?.text));
    let file = |flag: &Option<PathBuf>, named| match flag {
        Some(flag) => Some(context.absolute(flag)),
        None => beside(named),
    };
    ContractArgs {
        manifest: file(&args.manifest, &recipe.manifest),
        tools: file(&args.tools, &recipe.tools),
    }
}

/// The contracts in these files, as data of the rules, and which manifest that is.
pub(crate) fn contracts_in(files: &ContractArgs) -> Result<(Data, Option<FileRef>), Error> {
    let digest = |path: &PathBuf| -> Result<FileRef, Error> {
        Ok(FileRef {
            sha256: sha256_hex(read_named(path)?.as_bytes()),
            path: path.display().to_string(),
        })
    };
    let data = Data {
        manifest: parsed(files.manifest.clone(), Manifest::parse)?,
        tools: parsed(files.tools.clone(), Tool::parse_all)?,
        ..Data::default()
    };
    Ok((data, files.manifest.as_ref().map(digest).transpose()?))
}

fn read_named(path: &Path) -> Result<String, Error> {
    aris_fs::read_text(path).map_err(|error| {
        if error.is_not_found() {
            Error::NoFile {
                path: path.to_path_buf(),
                what: "contracts file",
            }
        } else {
            Error::Fs(error)
        }
    })
}

fn parsed<T>(
    path: Option<PathBuf>,
    parse: fn(&str) -> Result<T, DataError>,
) -> Result<Option<T>, Error> {
    let Some(path) = path else {
        return Ok(None);
    };
    let text = read_named(&path)?;
    parse(&text)
        .map(Some)
        .map_err(|error| Error::Data { path, error })
}

/// Folders that exist; one that was named and is absent is an error where it is listed.
fn skills(args: &DataArgs, recipe: &Recipe, context: &Context) -> Result<Option<Skills>, Error> {
    if args.skills_dir.is_empty() {
        return Ok(None);
    }
    let called = called_skills(recipe);
    let mut skills = Skills::default();
    for folder in &args.skills_dir {
        for entry in aris_fs::list_sorted(&context.absolute(folder))? {
            let file = entry.path.join("SKILL.md");
            // A skill may be a link to its folder: that is how installers place them.
            let is_skill =
                matches!(entry.kind, EntryKind::Folder | EntryKind::Link) && file.is_file();
            let Some(name) = entry.name.to_str().filter(|_| is_skill) else {
                continue;
            };
            if skills.names.insert(name.to_owned()) && called.contains(name) {
                skills
                    .texts
                    .insert(name.to_owned(), aris_fs::read_text(&file)?);
            }
        }
    }
    Ok(Some(skills))
}

/// Sub-recipes by name, each with those that it places itself. `None` when no folder exists.
fn sub_recipes(folders: &[PathBuf]) -> Result<Option<BTreeMap<String, Vec<String>>>, Error> {
    let mut known: Option<BTreeMap<String, Vec<String>>> = None;
    for folder in folders {
        let entries = match aris_fs::list_sorted(folder) {
            Err(error) if error.is_not_found() => continue,
            entries => entries?,
        };
        let known = known.get_or_insert_default();
        for entry in entries {
            let ending = entry.path.extension().and_then(|ending| ending.to_str());
            let name = entry.path.file_stem().and_then(|name| name.to_str());
            let (Some("yaml" | "yml"), Some(name)) = (ending, name) else {
                continue;
            };
            known.entry(name.to_owned()).or_insert_with(|| {
                let text = aris_fs::read_text(&entry.path).ok();
                let recipe = text.and_then(|text| load(&text, "").ok());
                let steps = recipe.map(|recipe| recipe.steps).unwrap_or_default();
                steps
                    .into_iter()
                    .filter_map(|step| Some(step.sub_recipe.clone()?.text))
                    .collect()
            });
        }
    }
    Ok(known)
}

fn contracts(folder: &Path, checked: &Checked<'_>) -> Result<Contracts, Error> {
    let stem = checked.path.file_stem().unwrap_or_default();
    let card = folder.join(stem).with_extension("yaml");
    let diagrams = folder.with_file_name("diagrams");
    let optional = |path: &Path| match aris_fs::read_text(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.is_not_found() => Ok(None),
        Err(error) => Err(error),
    };
    // Listed, so that a folder that is no folder is an error and not a recipe without a card.
    let _entries = aris_fs::list_sorted(folder)?;
    let has_diagrams = match aris_fs::list_sorted(&diagrams) {
        Ok(_) => true,
        Err(error) if error.is_not_found() => false,
        Err(error) => return Err(error.into()),
    };
    let parsed = |text: String| {
        Card::parse(&text).map_err(|error| Error::Data {
            path: card.clone(),
            error,
        })
    };
    Ok(Contracts {
        card: optional(&card)?.map(parsed).transpose()?,
        diagram: if has_diagrams {
            Some(optional(&diagrams.join(stem).with_extension("md"))?)
        } else {
            None
        },
        recipe_sha256: checked.sha256.to_owned(),
    })
}
