//! A recipe that is ready to run, and the state of its run.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use aris_cli::Context;
use aris_contract::ErrorKind;
use aris_recipe::engine::state::{FileRef, RecipeRef};
use aris_recipe::engine::{Machine, State};
use aris_recipe::{Finding, Profile, Recipe, Severity, check};

use crate::cli::{self, ReadingArgs, RunArgs};
use crate::data::{ContractArgs, contract_files, contracts_in};
use crate::error::Error;
use crate::journal;
use crate::load;
use crate::secret;

/// Prepares a recipe for its first run.
pub(crate) fn begin(args: &RunArgs, context: &Context) -> Result<(Machine, State), Error> {
    let reading = &args.recipe.reading;
    let read = load::named(&args.recipe, context)?;
    let given = cli::map(&args.inputs)?;
    let (composed, digests) = load::composed(&read, &given, reading, context)?;
    let files = contract_files(&args.contracts, &composed.recipe, &read.path, context);
    let (data, manifest) = contracts_in(&files)?;
    let findings = check(&composed.recipe, &data, Profile::Core).findings;
    // An unknown key has no effect, whatever it was meant for.
    for unknown in findings.iter().filter(|one| one.rule == "unknown-key") {
        let line = unknown
            .line
            .map_or_else(String::new, |line| format!(":{line}"));
        let step = Some(&unknown.step).filter(|step| !step.is_empty());
        let step = step.map_or_else(String::new, |step| format!(" step {step}:"));
        let (path, message) = (read.path.display(), &unknown.message);
        context.warn(&format!("{path}{line}:{step} {message}"));
    }
    if !args.allow_invalid {
        refuse_errors(&read.path, findings)?;
    }
    let inputs = inputs(&composed.recipe, &given, true)?;
    let executes = args.source.executes();
    secret::check(&composed.recipe, &inputs, executes, context.cwd(), context)?;
    let absolute = |path: &Path| context.absolute(path).display().to_string();
    let folders = reading.sub_recipes_dir.iter();
    let reference = RecipeRef {
        name: composed.recipe.name.clone(),
        path: absolute(&read.path),
        sha256: read.sha256,
        sub_recipes: digests,
        sub_recipes_dirs: folders.map(|folder| absolute(folder)).collect(),
        temp_dir: Some(reading.temp_dir.clone()),
        folder: Some(context.cwd().display().to_string()),
        manifest,
    };
    let machine = Machine::new(composed.recipe, data.manifest.as_ref());
    let mut state = State::new(reference, inputs, args.max_steps);
    if let Some(entry) = machine.recipe.entry() {
        let entry = entry.name.clone();
        machine.begin(&mut state, &entry);
    }
    Ok((machine, state))
}

/// Reads the recipe of a state, and checks that the two belong together and that the state was not edited.
pub(crate) fn reopen(
    state: &mut State,
    state_path: &Path,
    elsewhere: Option<&Path>,
    accept_changed: bool,
    context: &Context,
) -> Result<Machine, Error> {
    let own = &state.recipe;
    let reading = ReadingArgs {
        sub_recipes_dir: own.sub_recipes_dirs.iter().map(PathBuf::from).collect(),
        temp_dir: own.temp_dir.as_deref().unwrap_or(cli::TEMP_DIR).to_owned(),
    };
    let path = match elsewhere {
        Some(path) => context.absolute(path),
        None => PathBuf::from(&own.path),
    };
    let read = load::read(&path, &reading.temp_dir, context)?;
    let (composed, digests) = load::composed(&read, &state.inputs, &reading, context)?;
    let before = own.manifest.as_ref().filter(|_| {
        // A recipe that was moved brings along the manifest that it names.
        elsewhere.is_none() || composed.recipe.manifest.is_none()
    });
    let flags = ContractArgs {
        manifest: before.map(|file| PathBuf::from(&file.path)),
        tools: None,
    };
    let files = contract_files(&flags, &composed.recipe, &path, context);
    let (data, manifest) = contracts_in(&files)?;
    let known = !own.sha256.is_empty();
    let recipe_changed = known && (own.sha256 != read.sha256 || own.sub_recipes != digests);
    let sha256 = |file: &Option<FileRef>| file.as_ref().map(|file| file.sha256.clone());
    let manifest_changed = own.manifest.is_some() && sha256(&own.manifest) != sha256(&manifest);
    let changed = recipe_changed || manifest_changed;
    if changed && !accept_changed {
        let path = files.manifest.filter(|_| !recipe_changed).unwrap_or(path);
        let other =
            |(name, _): &(&String, &String)| own.sub_recipes.get(*name) != digests.get(*name);
        let mut sub_recipes = own.sub_recipes.iter().chain(&digests);
        let what = match sub_recipes.find(other) {
            Some((name, _)) if recipe_changed && own.sha256 == read.sha256 => {
                format!("the sub-recipe {name} of {}", path.display())
            }
            _ => path.display().to_string(),
        };
        let reason = format!("{what} was changed since the state of the run was written");
        let hint = "restore it, or take the change with recipe_runner resume --accept-changed";
        return Err(Error::refused_at(
            &path,
            ErrorKind::Validation,
            reason,
            hint,
        ));
    }
    if changed || !known {
        let findings = check(&composed.recipe, &data, Profile::Core).findings;
        refuse_errors(&path, findings)?;
    }
    let machine = Machine::new(composed.recipe, data.manifest.as_ref());
    let broken = |reason: String| journal::wrong(state_path, reason);
    machine.verify(state).map_err(broken)?;
    if let Some(cursor) = &state.cursor
        && machine.recipe.step(cursor).is_none()
    {
        return Err(broken(format!(
            "the recipe has no step {cursor}, where the run stands"
        )));
    }
    if state.start.is_none() {
        state.inputs = inputs(&machine.recipe, &state.inputs, false)?;
        if state.max_steps == 0 {
            state.max_steps = aris_recipe::engine::state::MAX_STEPS;
        }
    }
    let folder = folder(state, elsewhere.is_some(), context)?;
    state.recipe = RecipeRef {
        folder: Some(folder.display().to_string()),
        name: machine.recipe.name.clone(),
        path: path.display().to_string(),
        sha256: read.sha256,
        sub_recipes: digests,
        manifest,
        ..std::mem::take(&mut state.recipe)
    };
    Ok(machine)
}

/// Where relative folders of a run begin: where it was started, not where somebody continues it.
///
/// **Errors**: that folder is gone, and nobody says where the project is now.
fn folder(state: &State, moved: bool, context: &Context) -> Result<PathBuf, Error> {
    let here = context.cwd().to_path_buf();
    let Some(folder) = state.recipe.folder.as_ref().map(PathBuf::from) else {
        if !state.journal.is_empty() {
            let here = here.display();
            context.note(&format!(
                "the state does not say where the run was started: relative folders of its steps are now those below {here}"
            ));
        }
        return Ok(here);
    };
    if folder.is_dir() {
        return Ok(folder);
    }
    if moved {
        return Ok(here);
    }
    let reason = format!(
        "the run was started in {}, which is not there any more",
        folder.display()
    );
    let hint = "where the project was moved, continue in its new folder with recipe_runner resume --state STATE --recipe FILE";
    Err(Error::refused_at(
        &folder,
        ErrorKind::NotFound,
        reason,
        hint,
    ))
}

/// Where relative folders of a run that was read begin.
pub(crate) fn base(state: &State, context: &Context) -> PathBuf {
    let folder = state.recipe.folder.as_deref().unwrap_or_default();
    context.absolute(Path::new(folder))
}

fn refuse_errors(path: &Path, mut findings: Vec<Finding>) -> Result<(), Error> {
    findings.retain(|finding| finding.severity == Severity::Error);
    if findings.is_empty() {
        Ok(())
    } else {
        Err(Error::Recipe {
            path: path.to_path_buf(),
            findings,
        })
    }
}

/// The value of every input of a recipe: as given, else its default, else empty.
fn inputs(
    recipe: &Recipe,
    given: &BTreeMap<String, String>,
    complete: bool,
) -> Result<BTreeMap<String, String>, Error> {
    let mut all = BTreeMap::new();
    for ingredient in &recipe.ingredients {
        let name = &ingredient.name.text;
        let value = given.get(name).or(ingredient.default.as_ref());
        if value.is_none() && ingredient.required && complete {
            let hint = format!("add --inputs {name}=VALUE ({})", ingredient.description);
            return Err(Error::input(format!("input {name} is required"), hint));
        }
        let allowed = &ingredient.values;
        if let Some(value) = value.filter(|value| !allowed.is_empty() && !allowed.contains(value)) {
            let hint = format!("one of: {}", allowed.join(", "));
            return Err(Error::input(format!("input {name} is {value:?}"), hint));
        }
        all.insert(name.clone(), value.cloned().unwrap_or_default());
    }
    Ok(all)
}
