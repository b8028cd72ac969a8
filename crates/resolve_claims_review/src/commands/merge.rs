//! `merge`: the answers of agents become one classification, before anything is edited.

use std::path::PathBuf;

use aris_cli::Context;
use aris_contract::ErrorKind::Usage;
use aris_gates::{Folder, answers_folder};
use aris_review::{Classification, Entry, read_answer};
use serde::Deserialize;

use crate::Error;
use crate::folder::{Fetched, WorkArgs, fetched_or_none, lock, map_path, read, read_if_there};
use crate::quoted::files;
use crate::report::{Classified, Counts, Failed};

/// Arguments of `merge`.
#[derive(Debug, clap::Args)]
pub(crate) struct MergeArgs {
    /// The comments by group, as fetch or group gives them
    #[arg(long, value_name = "FILE")]
    groups: PathBuf,
    /// Folder of the agents' answers
    #[arg(long, value_name = "DIR")]
    agent_dir: PathBuf,
    #[command(flatten)]
    work: WorkArgs,
}

/// What a command prints with --json.
#[derive(Deserialize)]
struct Printed {
    data: Fetched,
}

pub(crate) fn run(args: &MergeArgs, context: &Context) -> Result<Classified, Error> {
    let path = context.absolute(&args.groups);
    // Either the file of fetch, or what group prints with --json.
    let groups: Fetched = match read::<Printed>(&path) {
        Ok(printed) => printed.data,
        Err(_) => read(&path)?,
    };
    let folder = args
        .work
        .folder
        .folder(context, |profile| profile.resolve)?;
    let answers = answers_folder(context, &args.agent_dir)?;
    let profile = args.work.folder.gate.profile();
    let pr = match args.work.pr.or(groups.pr) {
        Some(number) => number,
        None => match fetched_or_none(&folder, None)? {
            0 => {
                let what = "it is not known of which pull request these comments are";
                return Err(Error::refused(
                    Usage,
                    what.to_owned(),
                    "name it with --pr N",
                ));
            }
            number => number,
        },
    };
    let worktree = args.work.worktree(groups.worktree.as_deref(), context)?;
    let quotable = files(&worktree.path, groups.groups.values().flatten());
    let mut map = Classification::new();
    let mut failed = Vec::new();
    for (name, findings) in groups.groups.iter().filter(|(_, list)| !list.is_empty()) {
        let request = groups.requests.get(name).cloned();
        let request = request.unwrap_or_else(|| format!("classify-{name}"));
        let answer = aris_gates::answer(&answers, &request)?;
        let output = answer.unwrap_or_else(|| Err(String::from("there is no answer")));
        let read = |output| read_answer(profile, findings, &groups.signals, &output, &quotable);
        match output.and_then(read) {
            Ok(entries) => map.extend(entries),
            Err(why) => {
                let ids: Vec<u64> = findings.iter().map(|finding| finding.id).collect();
                let listed: Vec<String> = ids.iter().map(u64::to_string).collect();
                let said = aris_review::one_line(&why, 300);
                let listed = listed.join(", ");
                context.warn(&format!(
                    "group {name}: {said}; left for a person to decide: {listed}"
                ));
                let said = format!("No classification: {said}");
                let entries = findings.iter();
                map.extend(entries.map(|finding| (finding.id, Entry::discuss(finding, &said))));
                failed.push(Failed {
                    group: name.clone(),
                    request,
                    error: why,
                    comments: ids,
                });
            }
        }
    }
    let _lock = lock(&folder)?;
    keep_applied(&mut map, &failed, &folder, pr)?;
    folder.write_json(&format!("classification_map_{pr}.json"), &map)?;
    let counts = Counts::of(profile, &map);
    let analysis = folder.write_dated("analysis", pr, "md", counts.analysis(profile).as_bytes())?;
    Ok(Classified {
        pr,
        classification: map_path(&folder, pr).display().to_string(),
        analysis: analysis.display().to_string(),
        counts,
        failed,
        entries: map,
    })
}

/// What was settled after an earlier call stays settled: its commit is there. The reason of one that was skipped stays while nobody has decided
/// otherwise about it.
fn keep_applied(
    map: &mut Classification,
    failed: &[Failed],
    folder: &Folder,
    pr: u64,
) -> Result<(), Error> {
    let before = read_if_there::<Classification>(&map_path(folder, pr))?;
    let is_failed = |id: &u64| failed.iter().any(|one| one.comments.contains(id));
    let decision = |entry: &Entry| (entry.verdict, entry.fix_strategy.clone());
    for (id, entry) in before.into_iter().flatten() {
        let new = map.get(&id);
        let is_same = new.is_some_and(|new| decision(new) == decision(&entry)) || is_failed(&id);
        if entry.is_settled() || (entry.applied.is_some() && is_same) {
            map.insert(id, entry);
        }
    }
    Ok(())
}
