//! Loads recipes and their sub-recipes from disk.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use aris_cli::Context;
use aris_fs::FsError;
use aris_recipe::compose::captured_by;
use aris_recipe::engine::state::sha256_hex;
use aris_recipe::model::Loaded;
use aris_recipe::{Composed, Finding, Recipe, Severity, compose, load};

use crate::cli::{ReadingArgs, RecipeArgs};
use crate::error::Error;

/// Largest recipe, in bytes. **Source**: ours; the largest public one has 60 kB.
const LIMIT: u64 = 16 << 20;
/// Folder beside a recipe that holds its sub-recipes.
const SUB_RECIPES: &str = "sub-recipes";
/// Extensions of recipes.
const ENDINGS: [&str; 2] = ["yaml", "yml"];

/// A recipe from the disk.
#[derive(Debug)]
pub(crate) struct Read {
    /// The path as given.
    pub(crate) path: PathBuf,
    /// Digest of the file's bytes, in hexadecimal digits.
    pub(crate) sha256: String,
    /// The recipe.
    pub(crate) recipe: Recipe,
}

/// Reads the recipe that a call names, without replacing its placeholders. The folders that the call names must exist.
pub(crate) fn named(args: &RecipeArgs, context: &Context) -> Result<Read, Error> {
    for folder in &args.reading.sub_recipes_dir {
        aris_fs::need_folder(&context.absolute(folder))?;
    }
    read(&args.file, &args.reading.temp_dir, context)
}

/// Reads a recipe without replacing its placeholders.
pub(crate) fn read(path: &Path, temp: &str, context: &Context) -> Result<Read, Error> {
    let bytes = aris_fs::read(&context.absolute(path), LIMIT)
        .map_err(|error| Error::of_named(path, "recipe", error))?;
    let sha256 = sha256_hex(&bytes);
    let recipe = parsed(bytes, temp).map_err(|finding| Error::recipe(path, *finding))?;
    Ok(Read {
        path: path.to_path_buf(),
        sha256,
        recipe,
    })
}

/// A finding about a file that is not text, or cannot be read.
fn unreadable(why: impl Into<String>) -> Finding {
    Finding::about_file("yaml-parse-error", Severity::Error, why)
}

fn parsed(bytes: Vec<u8>, temp: &str) -> Loaded {
    let text = String::from_utf8(bytes).map_err(|error| {
        let before = error.utf8_error().valid_up_to();
        let lines = error.as_bytes().iter().take(before);
        let line = 1 + lines.filter(|byte| **byte == b'\n').count();
        let line = u32::try_from(line).unwrap_or(u32::MAX);
        Box::new(unreadable("not UTF-8").at(line))
    })?;
    load(&text, temp)
}

/// Digests of sub-recipes by name.
pub(crate) type Digests = BTreeMap<String, String>;

/// Replaces the placeholders of a recipe. Also returns the digests of the sub-recipes that were placed.
pub(crate) fn composed(
    read: &Read,
    given: &BTreeMap<String, String>,
    reading: &ReadingArgs,
    context: &Context,
) -> Result<(Composed, Digests), Error> {
    let folders = folders(&read.path, reading, context);
    let mut digests = Digests::new();
    let mut composed = compose(read.recipe.clone(), given, &mut |name| {
        find(name, &folders, &reading.temp_dir, &mut digests)
    })
    .map_err(|finding| Error::recipe(&read.path, *finding))?;
    known(&composed.recipe, given)?;
    composed.notes.iter().for_each(|note| context.note(note));
    composed.recipe.elsewhere = elsewhere(&composed.left_out, &folders, reading);
    Ok((composed, digests))
}

/// Checks the names of the given inputs.
///
/// **Errors**: the recipe has no input of such a name.
fn known(recipe: &Recipe, given: &BTreeMap<String, String>) -> Result<(), Error> {
    let Some(unknown) = given.keys().find(|name| recipe.ingredient(name).is_none()) else {
        return Ok(());
    };
    let shown = recipe.ingredients.iter().filter(|input| !input.hidden);
    let shown: Vec<&str> = shown.map(|input| input.name.text.as_str()).collect();
    let reason = format!("the recipe has no input {unknown}");
    let hint = format!("its inputs are: {}", shown.join(", "));
    Err(Error::input(reason, hint))
}

/// A recipe with its placeholders, and with the variables that their sub-recipes capture.
pub(crate) fn with_placeholders(read: &Read, reading: &ReadingArgs, context: &Context) -> Recipe {
    let mut recipe = read.recipe.clone();
    let steps = recipe.steps.iter();
    let placed = steps.filter_map(|step| step.sub_recipe.as_ref());
    let names: Vec<String> = placed.map(|name| name.text.trim().to_owned()).collect();
    recipe.elsewhere = elsewhere(&names, &folders(&read.path, reading, context), reading);
    recipe
}

fn elsewhere(names: &[String], folders: &[PathBuf], reading: &ReadingArgs) -> BTreeSet<String> {
    captured_by(names, &mut |name| {
        find(name, folders, &reading.temp_dir, &mut Digests::new())
    })
}

/// Folders of sub-recipes, in the order in which they are searched.
pub(crate) fn folders(file: &Path, reading: &ReadingArgs, context: &Context) -> Vec<PathBuf> {
    let file = context.absolute(file);
    let beside = file.parent().map(|folder| folder.join(SUB_RECIPES));
    let named = reading.sub_recipes_dir.iter();
    let named = named.map(|dir| context.absolute(dir));
    beside.into_iter().chain(named).collect()
}

/// The sub-recipe of a name. A path is not a name: sub-recipes come only from the folders that the user named.
fn find(name: &str, folders: &[PathBuf], temp: &str, digests: &mut Digests) -> Option<Loaded> {
    if name.is_empty() || name.starts_with('.') || name.contains(['/', '\\', '\0']) {
        return None;
    }
    for folder in folders {
        for ending in ENDINGS {
            let path = folder.join(format!("{name}.{ending}"));
            match aris_fs::read(&path, LIMIT) {
                Ok(bytes) => {
                    digests.insert(name.to_owned(), sha256_hex(&bytes));
                    let file = Some(path.display().to_string());
                    return Some(match parsed(bytes, temp) {
                        Ok(mut recipe) => {
                            recipe.file = file;
                            Ok(recipe)
                        }
                        Err(finding) => Err(Box::new(Finding { file, ..*finding })),
                    });
                }
                Err(FsError::NotFound { .. } | FsError::NotRegular { .. }) => {}
                Err(error) => {
                    let why = format!("{} cannot be read: {error}", path.display());
                    return Some(Err(Box::new(unreadable(why))));
                }
            }
        }
    }
    None
}
