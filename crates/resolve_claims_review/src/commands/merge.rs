//! `merge`: the answers of agents become one classification, before anything is edited.

use std::path::PathBuf;

use aris_cli::Context;
use aris_gates::{Folder, own_folder};
use aris_review::{Classification, Entry, read_answer};

use crate::Error;
use crate::folder::{Fetched, WorkArgs, lock, map_path, pull, read, read_if_there};
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

pub(crate) fn run(args: &MergeArgs, context: &Context) -> Result<Classified, Error> {
    let groups: Fetched = read(&context.absolute(&args.groups))?;
    let folder = args
        .work
        .folder
        .folder(context, |profile| profile.resolve)?;
    let profile = args.work.folder.gate.profile();
    let pr = match args.work.pr.or(groups.pr) {
        Some(number) => number,
        None => pull(&folder, None)?,
    };
    let worktree = args.work.worktree(groups.worktree.as_deref(), context)?;
    let answers = context.absolute(&args.agent_dir);
    own_folder(context, &answers)?;
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
    keep_settled(&mut map, &folder, pr)?;
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

/// An entry that an earlier call settled stays settled, because its commit exists.
fn keep_settled(map: &mut Classification, folder: &Folder, pr: u64) -> Result<(), Error> {
    let before = read_if_there::<Classification>(&map_path(folder, pr))?;
    let before = before.into_iter().flatten();
    map.extend(before.filter(|(_, entry)| entry.is_settled()));
    Ok(())
}
