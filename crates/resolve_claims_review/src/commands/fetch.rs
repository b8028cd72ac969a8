//! `fetch`: the comments of the open pull request of a worktree, by group, and what agents are asked about them.

use std::path::PathBuf;

use aris_cli::Context;
use aris_online::GitHubArgs;
use aris_review::{
    AgentRequest, GitHub, Grouping, Pull, Repository, Signal, Thread, Tokens, Trouble,
};
use serde_json::Value;

use crate::error::Error;
use crate::folder::{Fetched, Folder, FolderArgs};
use crate::git::Worktree;
use crate::quoted;
use crate::signals::{SignalArgs, look};

/// Whose comments count.
#[derive(Debug, clap::Args)]
pub(crate) struct TrustArgs {
    /// members: only comments of who may write in the repository; all: everybody's
    #[arg(long, default_value = "members", value_name = "members|all", value_parser = ["members", "all"])]
    trust: String,
    /// Leave comments of the sibling gate to it
    #[arg(long)]
    leave_foreign: bool,
}

impl TrustArgs {
    pub(crate) fn grouping(&self, gate: aris_review::Gate) -> Grouping {
        Grouping {
            gate,
            trust_all: self.trust == "all",
            leave_foreign: self.leave_foreign,
        }
    }
}

/// Arguments of `fetch`.
#[derive(Debug, clap::Args)]
pub(crate) struct FetchArgs {
    /// The git worktree with the report
    worktree: PathBuf,
    /// The branch that the pull request goes to
    base: String,
    /// The repository; default: what gh or the remote origin says
    #[arg(long, value_name = "OWNER/NAME")]
    repo: Option<Repository>,
    #[command(flatten)]
    signals: SignalArgs,
    #[command(flatten)]
    trust: TrustArgs,
    #[command(flatten)]
    folder: FolderArgs,
    #[command(flatten)]
    github: GitHubArgs,
}

pub(crate) fn run(args: &FetchArgs, context: &Context) -> Result<Fetched, Error> {
    let worktree = Worktree::of(&context.absolute(&args.worktree))?;
    let branch = worktree.branch()?;
    let folder = args.folder.folder(context);
    let github = args.github.way(context, &worktree.path)?;
    let pull = match found(args, &github, &worktree, &branch) {
        Ok(Ok(pull)) => pull,
        Ok(Err(why)) => return Ok(skipped(&why)),
        Err(trouble) => return Ok(skipped(&trouble.to_string())),
    };
    let comments = match github.comments(&pull) {
        Ok(comments) => comments,
        Err(trouble) => return Ok(skipped(&format!("the comments cannot be read: {trouble}"))),
    };
    let mut groups = Fetched {
        pr: Some(pull.number),
        repository: Some(pull.repository.to_string()),
        branch: Some(branch),
        base: Some(args.base.clone()),
        worktree: Some(worktree.path.display().to_string()),
        ..Fetched::default()
    };
    let mut or_warn = |what: &str, trouble: Trouble| {
        groups
            .warnings
            .push(format!("{what} cannot be read: {trouble}"));
    };
    let reviews = github.reviews(&pull).unwrap_or_else(|trouble| {
        or_warn("the reviews", trouble);
        Vec::new()
    });
    let threads = github.threads(&pull).map_or_else(
        |trouble| {
            or_warn("the review threads", trouble);
            Vec::new()
        },
        |threads| threads.threads,
    );
    for warning in &groups.warnings {
        context.warn(warning);
    }
    let number = pull.number;
    folder.write_json(&format!("inline_comments_{number}.json"), &comments)?;
    folder.write_json(&format!("reviews_{number}.json"), &reviews)?;
    folder.write_json(&format!("threads_{number}.json"), &threads)?;
    sort(
        &mut groups,
        args.trust.grouping(args.folder.gate),
        &comments,
        threads,
    );
    let signals = look(
        &worktree.path,
        groups.groups.values().flatten(),
        &args.signals,
        context,
    )?;
    (groups.signals, groups.signals_not_checked) = signals;
    ask(&mut groups, args.folder.gate, &worktree, &folder)?;
    folder.write_json(&format!("dimension_groups_{number}.json"), &groups)?;
    Ok(groups)
}

/// The open pull request, or why there is none to look at.
fn found(
    args: &FetchArgs,
    github: &GitHub,
    worktree: &Worktree,
    branch: &str,
) -> Result<Result<Pull, String>, Trouble> {
    github.reach()?;
    let repository = match &args.repo {
        Some(repository) => repository.clone(),
        None => github.repository(&worktree.path)?,
    };
    Ok(match github.find(&repository, branch, &args.base)? {
        Some(found) => Ok(Pull {
            repository,
            number: found.number,
        }),
        None => Err(format!(
            "no open pull request from {branch} to {}",
            args.base
        )),
    })
}

/// Nothing to settle: a pipeline goes on, and reads why.
fn skipped(reason: &str) -> Fetched {
    let tokens = Tokens::of([], 0);
    Fetched {
        skipped: true,
        reason: Some(reason.to_owned()),
        needs_rerun: Some(tokens.needs_rerun),
        verdict: Some(tokens.verdict.word().to_owned()),
        fixes_applied: Some(tokens.fixes_applied),
        ..Fetched::default()
    }
}

/// Puts the comments into their groups.
pub(crate) fn sort(
    groups: &mut Fetched,
    grouping: Grouping,
    comments: &[Value],
    threads: Vec<Thread>,
) {
    let sorted = grouping.group(comments, &threads);
    groups.groups = sorted.groups;
    groups.skipped_counts = sorted.skipped;
    groups.threads = threads;
}

/// Writes one request for each group that has comments.
fn ask(
    groups: &mut Fetched,
    gate: aris_review::Gate,
    worktree: &Worktree,
    folder: &Folder,
) -> Result<(), Error> {
    for (name, findings) in &groups.groups {
        if findings.is_empty() {
            continue;
        }
        let context = quoted::context(&worktree.path, findings);
        let of_group =
            |signal: &&Signal| findings.iter().any(|finding| finding.path == signal.file);
        let signals: Vec<&Signal> = groups.signals.iter().filter(of_group).collect();
        let not_checked = &groups.signals_not_checked;
        let request = AgentRequest::classify(
            gate.profile(),
            name,
            findings,
            &context,
            &signals,
            not_checked,
        );
        folder.write_json(&format!("requests/{}.json", request.id), &request)?;
        groups.requests.insert(name.clone(), request.id);
    }
    Ok(())
}
