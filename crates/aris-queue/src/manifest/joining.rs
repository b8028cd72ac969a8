//! Jobs of another file that are added to a manifest, with the settings of that file.

use aris_yaml::typed;

use super::edit::{ids, list_mut, set, take_out};
use super::{Common, TopKeys, read};
use crate::problem::{Problem, problem};
use crate::tree::{Node, Value, made, one_or_many, present};

/// Keys of the top and of a phase that apply to their jobs, with the name of the key in a job.
const TOP: [(&str, &str); 2] = [("gpus_per_job", "gpus"), ("default_cmd", "cmd")];
const PHASE: [(&str, &str); 3] = [("gpus", "gpus"), ("cwd", "cwd"), ("default_cmd", "cmd")];

/// The phases and jobs of another file, for [`edit::add`](super::edit::add). What the file sets for its jobs at its top and in its phases
/// stands in the jobs then; what it leaves open is as the manifest `root` has it.
///
/// **Errors**: mistakes at the top of the file; a file without jobs; what stands once for all jobs, and otherwise in `root`.
pub fn joining(more: &Node, root: &Node) -> Result<Node, Vec<Problem>> {
    check(more, root)?;
    let mut above = handed(more, &TOP);
    let no_cards = present(more, "gpus").filter(|gpus| gpus.items().is_empty());
    if let (Some(gpus), None) = (no_cards, present(more, "gpus_per_job")) {
        let (text, plain) = (String::from("0"), true);
        above.push(("gpus", made(gpus, Value::Scalar { text, plain })));
    }
    let mut joining = more.clone();
    if let Value::Map(entries) = &mut joining.value {
        entries.retain(|(key, _)| matches!(key.text.as_str(), "phases" | "jobs"));
    }
    for job in list_mut(&mut joining, "jobs").into_iter().flatten() {
        hand_down(job, &above);
    }
    for phase in list_mut(&mut joining, "phases").into_iter().flatten() {
        let own = handed(phase, &PHASE);
        for key in typed::keys::<Common>()
            .iter()
            .chain(PHASE.iter().map(|(key, _)| key))
        {
            take_out(phase, key);
        }
        for job in list_mut(phase, "jobs").into_iter().flatten() {
            hand_down(job, &own);
            hand_down(job, &above);
        }
    }
    Ok(joining)
}

fn check(more: &Node, root: &Node) -> Result<(), Vec<Problem>> {
    // The manifest without its jobs.
    let top = |node: &Node| {
        let mut top = node.clone();
        take_out(&mut top, "phases");
        set(&mut top, "jobs", made(node, Value::List(Vec::new())));
        top
    };
    let own = top(root);
    let before = read(&top(more)).and_then(|_| read(&own))?;
    if ids(more).is_empty() {
        let hint = "for example: jobs: [{id: a, cmd: \"python run.py\"}]";
        return Err(vec![problem(more, "there are no jobs in it", Some(hint))]);
    }
    let once = |key: &str| {
        let handed = TOP.iter().any(|(name, _)| *name == key) || is_setting(key);
        let own = ["phases", "jobs", "schema", "project"].contains(&key);
        !handed && !own && typed::keys::<TopKeys>().contains(&key)
    };
    let differs = |key: &str, value: &Node| {
        let mut with = own.clone();
        set(&mut with, key, value.clone());
        // A file without cards passes that on to its jobs, and a specification without a folder has this one.
        let said = key == "gpus" && value.items().is_empty() || value.text() == Some(".");
        !value.is_null() && !said && read(&with).as_ref() != Ok(&before)
    };
    let entries = more.entries().iter();
    let mut others = entries.filter(|(key, value)| once(&key.text) && differs(&key.text, value));
    others.next().map_or(Ok(()), |(key, value)| {
        let key = &key.text;
        let message = format!("{key} stands once for the whole queue, which has another");
        let hint = format!("leave {key} out of a file whose jobs are added");
        Err(vec![problem(value, message, Some(&hint))])
    })
}

fn is_setting(key: &str) -> bool {
    typed::keys::<Common>().contains(&key)
}

/// The settings of a level for its jobs, by the keys of a job.
fn handed<'a>(level: &Node, names: &[(&'a str, &'a str)]) -> Vec<(&'a str, Node)> {
    let settings = typed::keys::<Common>().iter().map(|key| (*key, *key));
    let all = settings.chain(names.iter().copied());
    let given = all.filter_map(|(key, name)| Some((name, present(level, key)?.clone())));
    given.collect()
}

/// Adds the settings of the level above to a job, merged as in [`Settings`](super::Settings).
fn hand_down(job: &mut Node, above: &[(&str, Node)]) {
    let nearer = |outer: &str, key: &str| present(present(job, outer)?, key).map(|_| ());
    let out_of_memory = [
        ("delay", nearer("oom_retry", "delay")),
        ("oom", nearer("oom_retry", "max_attempts")),
    ];
    let asks_slurm_for_cards = nearer("slurm", "gres").is_some();
    for (key, value) in above {
        let mut value = value.clone();
        if *key == "retry" {
            for (key, nearer) in out_of_memory {
                if nearer.is_some() {
                    take_out(&mut value, key);
                }
            }
        }
        match (present(job, key), *key) {
            (None, "gpus") if asks_slurm_for_cards => continue,
            (None, _) => {}
            (Some(own), "oom_patterns" | "preconditions") => {
                let all = [one_or_many(&value), one_or_many(own)].concat();
                value = made(own, Value::List(all));
            }
            (Some(own), "env" | "retry" | "oom_retry" | "slurm") => {
                for (key, own) in own.entries() {
                    set(&mut value, &key.text, own.clone());
                }
            }
            (Some(_), _) => continue,
        }
        set(job, key, value);
    }
}
