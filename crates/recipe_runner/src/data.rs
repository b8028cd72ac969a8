//! Files that a recipe is checked with: manifest, tools, budgets, skills, sub-recipes, rules of a project.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use aris_cli::Context;
use aris_fs::EntryKind;
use aris_recipe::engine::state::{FileRef, sha256_hex};
use aris_recipe::model::load;
use aris_recipe::rules::{ProjectRule, called_skill, data::budgets};
use aris_recipe::{Data, Profile, Recipe};
use aris_yaml::{Keys, Problem, Text, typed};
use clap::Args;
use serde::de::DeserializeOwned;

use crate::error::Error;

/// The rules of `AutoSkillit` for its own tools and skills.
const AUTOSKILLIT: &str = include_str!("../assets/autoskillit.yaml");

/// What skills and tools take and give.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct ContractArgs {
    /// Contracts of skills: inputs, outputs and files of each [default: the file that the recipe names as `manifest`]
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
    /// Limits for blocks of steps
    #[arg(long, value_name = "FILE")]
    pub(crate) budgets: Option<PathBuf>,
    /// Folder of installed skills, each in a folder of its name; may be repeated, the first that has a skill counts
    #[arg(long, value_name = "DIR")]
    pub(crate) skills_dir: Vec<PathBuf>,
    /// File with captured values that no step needs to read: pairs of a variable and a text in the skill command
    #[arg(long, value_name = "FILE")]
    pub(crate) exempt: Option<PathBuf>,
    /// Further rules of the project
    #[arg(long, value_name = "FILE")]
    pub(crate) rules: Option<PathBuf>,
}

/// Reads the data for a recipe.
///
/// **Errors**: a named file is absent, unreadable or malformed. A sub-recipe that cannot be read counts as one that places no other;
/// composing reports it.
pub(crate) fn read(
    args: &DataArgs,
    profile: Profile,
    (path, recipe): (&Path, &Recipe),
    folders: &[PathBuf],
    context: &Context,
) -> Result<Data, Error> {
    let file = |path: &Option<PathBuf>| path.as_ref().map(|path| context.absolute(path));
    let files = contract_files(&args.contracts_of, recipe, path, context);
    let (data, _) = contracts_in(&files)?;
    let mut rules = parsed(file(&args.rules), ProjectRule::parse_all)?.unwrap_or_default();
    if profile == Profile::Compat {
        let own = ProjectRule::parse_all(AUTOSKILLIT);
        let path = Path::new("autoskillit.yaml");
        rules.extend(own.map_err(|problems| Error::data(path, &problems))?);
    }
    let called = recipe.steps.iter().filter_map(called_skill);
    let wanted = called.filter(|_| !rules.is_empty()).collect();
    Ok(Data {
        budgets: parsed(file(&args.budgets), budgets)?,
        exempt: parsed(file(&args.exempt), open)?.unwrap_or_default(),
        skills: skills(args, &wanted, context)?,
        sub_recipes: sub_recipes(folders)?,
        rules,
        ..data
    })
}

/// The files that the flags name, else those that the recipe names, relative to the recipe.
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

/// The contracts in these files, and the manifest with its digest.
pub(crate) fn contracts_in(files: &ContractArgs) -> Result<(Data, Option<FileRef>), Error> {
    let digest = |path: &PathBuf| -> Result<FileRef, Error> {
        Ok(FileRef {
            sha256: sha256_hex(read_named(path)?.as_bytes()),
            path: path.display().to_string(),
        })
    };
    let data = Data {
        manifest: parsed(files.manifest.clone(), open)?,
        tools: parsed(files.tools.clone(), open)?,
        ..Data::default()
    };
    Ok((data, files.manifest.as_ref().map(digest).transpose()?))
}

fn open<T: DeserializeOwned>(text: &str) -> Result<T, Vec<Problem>> {
    typed(text, Keys::Open)
}

fn read_named(path: &Path) -> Result<String, Error> {
    aris_fs::read_text(path).map_err(|error| Error::of_named(path, "data file", error))
}

fn parsed<T>(
    path: Option<PathBuf>,
    parse: fn(&str) -> Result<T, Vec<Problem>>,
) -> Result<Option<T>, Error> {
    let Some(path) = path else {
        return Ok(None);
    };
    let text = read_named(&path)?;
    let read = parse(&text).map(Some);
    read.map_err(|problems| Error::data(&path, &problems))
}

/// The skills in the folders; of several with one name the first one counts. A folder that is absent is an error. `read` names the skills
/// whose texts are read; the other texts are empty.
fn skills(
    args: &DataArgs,
    read: &BTreeSet<&str>,
    context: &Context,
) -> Result<Option<BTreeMap<String, String>>, Error> {
    let mut skills = BTreeMap::new();
    for folder in &args.skills_dir {
        for entry in aris_fs::list_sorted(&context.absolute(folder))? {
            let file = entry.path.join("SKILL.md");
            // A skill may be a link to its folder, because installers make such links.
            let is_skill =
                matches!(entry.kind, EntryKind::Folder | EntryKind::Link) && file.is_file();
            let name = entry.name.to_str().filter(|_| is_skill);
            let Some(name) = name.filter(|name| !skills.contains_key(*name)) else {
                continue;
            };
            let text = read.contains(name).then(|| aris_fs::read_text(&file));
            skills.insert(name.to_owned(), text.transpose()?.unwrap_or_default());
        }
    }
    Ok((!args.skills_dir.is_empty()).then_some(skills))
}

/// Sub-recipes by name, each with those that it places itself; `None` when no folder exists.
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
                let steps = recipe.iter().flat_map(|recipe| &recipe.steps);
                let placed = steps.filter_map(|step| step.sub_recipe.clone());
                placed.map(|name| name.text).collect()
            });
        }
    }
    Ok(known)
}
