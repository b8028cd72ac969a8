//! Runs that other tools recorded, read from their files: MLflow, Weights & Biases, Hydra, DVC.
//!
//! These files say less than our own records; what they do not say stays unknown. Output files are hashed as they are now. Those of DVC
//! count only if they still have the digest that DVC recorded.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use aris_contract::ErrorKind;
use aris_contract::hex::hex;
use aris_fs::{Entry, EntryKind};
use aris_runs::{End, FileSeen, Ledger, Look, Run, Source};
use jiff::Timestamp;
use md5::{Digest as _, Md5};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::commands::accounting::changed_after;
use crate::error::Error;

/// Most bytes of another tool's file.
const LIMIT: u64 = 64 << 20;

/// The runs that were found, and what was refused and why.
#[derive(Default)]
pub(crate) struct Found {
    pub(crate) runs: Vec<Look>,
    pub(crate) refused: Vec<String>,
}

/// Looks for runs in and below a folder, or in a single file `dvc.lock`.
///
/// **Errors**: the folder cannot be listed, or there is no run.
pub(crate) fn runs(folder: &Path, ledger: &Ledger) -> Result<Found, Error> {
    let mut found = Found::default();
    let files = if folder.is_dir() {
        files_of(aris_fs::walk_sorted(folder, &mut |entry| {
            entry.name != ".git" && entry.name != "artifacts"
        })?)
    } else {
        aris_fs::open(folder)?;
        vec![folder.to_path_buf()]
    };
    for path in files {
        let parent = path.parent().unwrap_or(folder);
        let above = parent.file_name().unwrap_or_default();
        let name = path.file_name().and_then(|name| name.to_str());
        let read = match name.unwrap_or_default() {
            "meta.yaml" => mlflow(parent, ledger, &mut found.refused),
            "wandb-metadata.json" => wandb(parent, ledger),
            "overrides.yaml" if above == ".hydra" => hydra(parent, ledger),
            "dvc.lock" => dvc(&path, ledger, &mut found.refused),
            _ => continue,
        };
        let refused = |why| format!("{}: {why}", path.display());
        match read {
            Ok(runs) => {
                for look in runs {
                    match other_content(&look, ledger)? {
                        Some(why) => found.refused.push(refused(why)),
                        None => found.runs.push(look),
                    }
                }
            }
            Err(why) => found.refused.push(refused(why)),
        }
    }
    if found.runs.is_empty() && found.refused.is_empty() {
        let what = "holds no run of MLflow, Weights & Biases, Hydra or DVC";
        let message = format!("{} {what}", folder.display());
        let hint = "name the folder mlruns, wandb or outputs, or a file dvc.lock";
        return Err(Error::told(ErrorKind::NotFound, message, hint).about(folder));
    }
    Ok(found)
}

/// Says if the same run was imported before with other content of a file. Only a start time distinguishes a run from its repetition.
fn other_content(look: &Look, ledger: &Ledger) -> Result<Option<String>, Error> {
    let run = &look.run;
    if run.started.is_none() {
        return Ok(None);
    }
    for line in ledger.runs()?.iter().filter(|line| line.job == run.job) {
        let same = |known: &Run| {
            let key = (&known.origin, &known.cwd, &known.started);
            key == (&run.origin, &run.cwd, &run.started)
        };
        let known = ledger.read(&line.id).ok().filter(|known| same(&known.run));
        let Some(before) = known.and_then(|known| known.outputs().ok()) else {
            continue;
        };
        let differs = |file: &&FileSeen| {
            let mut before = before.iter();
            before.any(|known| known.path == file.path && known.sha256 != file.sha256)
        };
        if let Some(file) = look.wrote.iter().find(differs) {
            let (job, path) = (&run.job, &file.path);
            let why = format!("{job} was taken over before, with another content of {path}");
            return Ok(Some(why));
        }
    }
    Ok(None)
}

/// A run of another tool in a folder. Its outputs are all files below `outputs` whose names are not in `but`.
fn look(
    ledger: &Ledger,
    origin: &str,
    job: &str,
    cwd: &Path,
    outputs: &Path,
    but: &[&str],
) -> Look {
    let mut look = Look::empty(ledger.clone(), cwd);
    origin.clone_into(&mut look.run.origin);
    job.clone_into(&mut look.run.job);
    look.run.how = String::from("not told");
    look.outputs(&files(outputs, but), || {});
    look
}

/// All files below a folder, except those, and folders, with these names.
fn files(folder: &Path, but: &[&str]) -> Vec<PathBuf> {
    let kept = |entry: &Entry| !but.iter().any(|name| entry.name == *name);
    let mut entries = aris_fs::walk_sorted(folder, &mut |entry| kept(entry)).unwrap_or_default();
    entries.retain(kept);
    files_of(entries)
}

fn files_of(mut entries: Vec<Entry>) -> Vec<PathBuf> {
    entries.retain(|entry| entry.kind == EntryKind::File);
    entries.into_iter().map(|entry| entry.path).collect()
}

fn yaml<T: DeserializeOwned>(path: &Path) -> Result<T, String> {
    let bytes = aris_fs::read(path, LIMIT).map_err(|error| error.to_string())?;
    let text = str::from_utf8(&bytes).map_err(|error| error.to_string())?;
    serde_saphyr::from_str(text).map_err(|error| {
        let text = error.to_string();
        text.lines().next().unwrap_or_default().to_owned()
    })
}

fn line(path: &Path) -> Option<String> {
    let text = aris_fs::read_text(path).ok()?;
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
}

/// Reads a run of MLflow. **Source**: MLflow's file store, `mlflow/store/tracking/file_store.py`: `meta.yaml` of a run, `tags/`, `params/`,
/// `artifacts/`; the numbers of states in `service.proto`.
fn mlflow(folder: &Path, ledger: &Ledger, refused: &mut Vec<String>) -> Result<Vec<Look>, String> {
    #[derive(Deserialize)]
    struct Meta {
        run_id: Option<String>,
        run_name: Option<String>,
        status: Option<u32>,
        start_time: Option<i64>,
        end_time: Option<i64>,
        lifecycle_stage: Option<String>,
    }
    let meta: Meta = yaml(&folder.join("meta.yaml"))?;
    // Experiments and models also have a file of this name, without a run's id.
    let Some(run_id) = meta.run_id else {
        return Ok(Vec::new());
    };
    let job = meta.run_name.unwrap_or(run_id);
    if meta.lifecycle_stage.as_deref() == Some("deleted") {
        return Err(format!("{job} was deleted in MLflow"));
    }
    let mut look = Look::empty(ledger.clone(), folder);
    (look.run.origin, look.run.job) = (String::from("mlflow"), job);
    let mut artifacts = files(&folder.join("artifacts"), &[]);
    let moment = |millisecond: Option<i64>| Timestamp::from_millisecond(millisecond?).ok();
    if let Some(end) = moment(meta.end_time) {
        artifacts.retain(|path| {
            let late = changed_after(path, end.into());
            if late {
                let why = "it was changed after the run was over";
                refused.push(format!("{}: {why}", path.display()));
            }
            !late
        });
    }
    look.outputs(&artifacts, || {});
    let tag = |name: &str| line(&folder.join("tags").join(name));
    let mut command = tag("mlflow.source.name").unwrap_or_default();
    for entry in aris_fs::list_sorted(&folder.join("params")).unwrap_or_default() {
        let value = line(&entry.path).unwrap_or_default();
        command.extend([" ", &entry.name.to_string_lossy(), "=", &value]);
    }
    look.command(&command);
    let run = &mut look.run;
    run.source = tag("mlflow.source.git.commit").map(commit);
    let time = |millisecond| moment(millisecond).map(|moment| moment.to_string());
    (run.started, run.ended) = (time(meta.start_time), time(meta.end_time));
    let (end, how) = match meta.status {
        Some(3) => (End::Completed, "FINISHED"),
        Some(4) => (End::Failed, "FAILED"),
        Some(5) => (End::Failed, "KILLED"),
        Some(1 | 2) => (End::Unknown, "RUNNING"),
        _ => (End::Unknown, "not told"),
    };
    (run.end, run.how) = (end, how.to_owned());
    Ok(vec![look])
}

/// Reads a run of Weights & Biases. **Source**: its "Save and restore files": `wandb/run-<time>-<id>/files/`, with `wandb-metadata.json`.
/// Only its server knows whether a run succeeded.
fn wandb(files: &Path, ledger: &Ledger) -> Result<Vec<Look>, String> {
    let bytes = aris_fs::read(&files.join("wandb-metadata.json"), LIMIT)
        .map_err(|error| error.to_string())?;
    let meta: Value = serde_json::from_slice(&bytes).map_err(|error| error.to_string())?;
    let folder = files.parent().unwrap_or(files);
    let job = folder.file_name().unwrap_or_default().to_string_lossy();
    let mut look = look(ledger, "wandb", &job, folder, files, &WANDB);
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let words = meta["args"].as_array().into_iter().flatten();
    let words = words.filter_map(Value::as_str);
    let program = meta["codePath"].as_str().or(meta["program"].as_str());
    look.command(&aris_runs::command_line(program.into_iter().chain(words)));
    let run = &mut look.run;
    run.host = text(&meta["host"]).unwrap_or_default();
    run.cards = text(&meta["gpu"]).unwrap_or_default();
    run.source = text(&meta["git"]["commit"]).map(commit);
    // This file exists if the work tree differed from the commit. **Source**: wandb, `sdk/lib/filenames.py`, `DIFF_FNAME`.
    let patch = files.join("diff.patch").metadata();
    if patch.is_ok_and(|data| data.len() > 0) {
        let source = run.source.get_or_insert_default();
        source.changed = vec![String::from("(files/diff.patch of Weights & Biases)")];
    }
    run.started = text(&meta["startedAt"]);
    let python = text(&meta["python"]).map(|python| (String::from("python"), python));
    run.versions.extend(python);
    Ok(vec![look])
}

/// Files of the tool itself in a run's folder.
const WANDB: [&str; 7] = [
    "wandb-metadata.json",
    "wandb-summary.json",
    "config.yaml",
    "requirements.txt",
    "output.log",
    "conda-environment.yaml",
    "diff.patch",
];

/// Reads a run of Hydra. **Source**: Hydra, "Output/Working directory": `.hydra/overrides.yaml` and `.hydra/hydra.yaml` in the folder of a
/// run.
fn hydra(settings: &Path, ledger: &Ledger) -> Result<Vec<Look>, String> {
    let overrides: Vec<String> = yaml(&settings.join("overrides.yaml"))?;
    let about: Value = yaml(&settings.join("hydra.yaml")).unwrap_or_default();
    let folder = settings.parent().unwrap_or(settings);
    let about = &about["hydra"];
    let job = about["job"]["name"].as_str().unwrap_or("hydra");
    let cwd = about["runtime"]["cwd"].as_str().map_or(folder, Path::new);
    let mut look = look(ledger, "hydra", job, cwd, folder, &[".hydra"]);
    let words = std::iter::once(format!("{job}.py")).chain(overrides);
    look.command(&aris_runs::command_line(words));
    Ok(vec![look])
}

/// Reads the stages in a `dvc.lock`. **Source**: DVC, "dvc.lock": stages with `cmd`, `deps` and `outs`, each with `path` and `md5`. Only
/// stages that succeeded are in it.
fn dvc(path: &Path, ledger: &Ledger, refused: &mut Vec<String>) -> Result<Vec<Look>, String> {
    #[derive(Deserialize)]
    struct Lock {
        stages: BTreeMap<String, Stage>,
    }
    #[derive(Deserialize)]
    struct Stage {
        #[serde(default)]
        cmd: Value,
        #[serde(default)]
        outs: Vec<Out>,
    }
    #[derive(Deserialize)]
    struct Out {
        path: String,
        md5: Option<String>,
    }
    let lock: Lock = yaml(path)?;
    let folder = path.parent().unwrap_or(path);
    let stages = lock.stages.into_iter().map(|(job, stage)| {
        let mut look = Look::empty(ledger.clone(), folder);
        let mut same = Vec::new();
        for out in stage.outs {
            let file = aris_fs::lexical(&folder.join(&out.path));
            match (out.md5, md5_of(&file)) {
                (Some(said), Some(found)) if said == found => same.push(file),
                _ => {
                    let (lock, out) = (path.display(), out.path);
                    let why = "is not what the stage wrote, or a folder";
                    refused.push(format!("{lock}: {job}: {out} {why}"));
                }
            }
        }
        look.outputs(&same, || {});
        let lines = stage.cmd.as_array().into_iter().flatten();
        let lines: Vec<&str> = lines.filter_map(Value::as_str).collect();
        look.command(stage.cmd.as_str().unwrap_or(&lines.join(" && ")));
        let run = &mut look.run;
        (run.origin, run.job) = (String::from("dvc"), job);
        (run.end, run.how) = (End::Completed, String::from("exit 0"));
        look
    });
    Ok(stages.collect())
}

fn md5_of(path: &Path) -> Option<String> {
    let mut hasher = Md5::new();
    let file = aris_fs::open(path).ok()?;
    file.stream(&mut vec![0; 1 << 20], |piece| hasher.update(piece))
        .ok()?;
    Some(hex(&hasher.finalize()))
}

/// The commit that another tool recorded, if it can be one: git abbreviates to at least 4 digits.
fn commit(id: String) -> Source {
    let digits = id.bytes().all(|byte| byte.is_ascii_hexdigit());
    let mut source = Source::default();
    if digits && (4..=64).contains(&id.len()) {
        source.commit = id;
    } else {
        source.problem = Some(format!("{id:?} is no commit"));
    }
    source
}
