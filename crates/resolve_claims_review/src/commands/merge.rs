//! `merge`: the answers of agents become one classification, before anything is edited.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use aris_cli::Context;
use aris_fs::FsError;
use aris_gates::{Folder, FolderArgs, Worktree, own_folder};
use aris_review::{AgentAnswer, Classification, Entry, Grouped, Profile, Quoted, read_answer};

use crate::error::Error;
use crate::folder::{Fetched, Pulls as _, read, read_map};
use crate::lock;
use crate::quoted::files;
use crate::report::{Classified, Counts, Failed};

/// Bytes of an answer at most: a model writes some hundred kilobytes.
const LIMIT: u64 = 16 << 20;

/// Arguments of `merge`.
#[derive(Debug, clap::Args)]
pub(crate) struct MergeArgs {
    /// The comments by group, as fetch or group gives them
    #[arg(long, value_name = "FILE")]
    groups: PathBuf,
    /// Folder of the agents' answers
    #[arg(long, value_name = "DIR")]
    agent_dir: PathBuf,
    /// The git worktree with the report; default: as fetched, else the working directory's
    #[arg(long, value_name = "DIR")]
    worktree: Option<PathBuf>,
    /// The pull request; default: as fetched
    #[arg(long, value_name = "N")]
    pr: Option<u64>,
    #[command(flatten)]
    folder: FolderArgs,
}

pub(crate) fn run(args: &MergeArgs, context: &Context) -> Result<Classified, Error> {
    let groups: Fetched = read(&context.absolute(&args.groups))?;
    let folder = args.folder.folder(context, |profile| profile.resolve)?;
    let profile = args.folder.gate.profile();
    let pr = match args.pr.or(groups.pr) {
        Some(number) => number,
        None => folder.pull(None)?,
    };
    let worktree = match (&args.worktree, &groups.worktree) {
        (Some(path), _) => Worktree::of(&context.absolute(path))?,
        (None, Some(path)) => Worktree::of(Path::new(path))?,
        (None, None) => Worktree::of(context.cwd())?,
    };
    let answers = context.absolute(&args.agent_dir);
    own_folder(context, &answers)?;
    let quotable = files(&worktree.path, groups.groups.values().flatten());
    let mut map = Classification::new();
    let mut failed = Vec::new();
    for (name, findings) in groups.groups.iter().filter(|(_, list)| !list.is_empty()) {
        let request = groups.requests.get(name).cloned();
        let request = request.unwrap_or_else(|| format!("classify-{name}"));
        match classified(profile, &groups, findings, &answers, &request, &quotable)? {
            Ok(entries) => map.extend(entries),
            Err(why) => {
                let ids: Vec<u64> = findings.iter().map(|finding| finding.id).collect();
                context.warn(&format!(
                    "group {name}: {}; comments {} are for a person to decide",
                    aris_review::one_line(&why, 300),
                    ids.iter()
                        .map(u64::to_string)
                        .collect::<Vec<_>>()
                        .join(", ")
                ));
                let said = format!("No classification: {}", aris_review::one_line(&why, 300));
                map.extend(
                    findings
                        .iter()
                        .map(|finding| (finding.id, Entry::discuss(finding, &said))),
                );
                failed.push(Failed {
                    group: name.clone(),
                    request,
                    error: why,
                    comments: ids,
                });
            }
        }
    }
    let _lock = lock::take(&folder)?;
    keep_settled(&mut map, &folder, pr)?;
    folder.write_json(&format!("classification_map_{pr}.json"), &map)?;
    let counts = Counts::of(profile, &map);
    let analysis = folder.write_dated("analysis", pr, "md", counts.analysis(profile).as_bytes())?;
    Ok(Classified {
        pr,
        classification: folder.map_path(pr).display().to_string(),
        analysis: analysis.display().to_string(),
        counts,
        failed,
        entries: map,
    })
}

/// The entries of one group, or why its answer does not hold.
fn classified(
    profile: &Profile,
    groups: &Fetched,
    findings: &[Grouped],
    answers: &Path,
    request: &str,
    quoted: &dyn Quoted,
) -> Result<Result<Classification, String>, Error> {
    let path = answers.join(format!("{request}.json"));
    let bytes = match aris_fs::read_optional(&path, LIMIT) {
        Ok(Some(bytes)) => bytes,
        Ok(None) => return Ok(Err(String::from("there is no answer"))),
        // An answer that is too large, or no file, is an agent's fault and not the caller's.
        Err(error @ (FsError::TooLarge { .. } | FsError::NotRegular { .. })) => {
            return Ok(Err(error.to_string()));
        }
        Err(error) => return Err(error.into()),
    };
    Ok(AgentAnswer::read(&bytes, request)
        .and_then(|answer| read_answer(profile, findings, &groups.signals, &answer.output, quoted)))
}

/// What was settled after an earlier call stays settled: its commit is there.
fn keep_settled(map: &mut Classification, folder: &Folder, pr: u64) -> Result<(), Error> {
    let path = folder.map_path(pr);
    if !path.exists() {
        return Ok(());
    }
    let before: BTreeMap<u64, Entry> = read_map(&path)?;
    for (id, entry) in before {
        if entry.is_settled() {
            map.insert(id, entry);
        }
    }
    Ok(())
}
