//! `fetch`: gets the comments of a worktree's open pull request, sorts them into groups, and writes the requests to agents.

use std::path::PathBuf;

use aris_cli::Context;
use aris_contract::ErrorKind::{Precondition, Unavailable};
use aris_contract::text::counted;
use aris_gates::{Folder, FolderArgs, ForgeArgs, HeldArgs, Worktree, goes_to, open};
use aris_review::{
    AgentRequest, Forge, Grouping, Pull, Remotes, Repository, Signal, Thread, Tokens, Trouble,
};
use aris_statements::disk::Disk;
use serde_json::Value;

use crate::Error;
use crate::folder::Fetched;
use crate::quoted;
use crate::signals::look;

/// Whose comments count.
#[derive(Debug, clap::Args)]
pub(crate) struct TrustArgs {
    /// members: only comments of people who may write in the repository; all: everybody's
    #[arg(long, default_value = "members", value_name = "members|all", value_parser = ["members", "all"])]
    trust: String,
    /// Login of a bot whose comments count, too; may be repeated
    #[arg(long, value_name = "LOGIN")]
    trust_bot: Vec<String>,
    /// Skip comments that the other gate (see --gate) wrote
    #[arg(long)]
    leave_foreign: bool,
}

impl TrustArgs {
    /// `login` is the logged-in user.
    pub(crate) fn grouping<'a>(
        &'a self,
        gate: aris_review::Gate,
        login: Option<&'a str>,
    ) -> Grouping<'a> {
        Grouping {
            gate,
            trust_all: self.trust == "all",
            bots: &self.trust_bot,
            leave_foreign: self.leave_foreign,
            login,
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
    /// The repository of the pull request [default: that of the git remote upstream, github or origin]
    #[arg(long, value_name = "OWNER/NAME")]
    repo: Option<Repository>,
    /// The pull request [default: the one from this branch to BASE]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pr: Option<u64>,
    /// Take the pull request of --pr also where its branch is in the repository of somebody else
    #[arg(long, requires = "pr")]
    allow_fork: bool,
    #[command(flatten)]
    held: HeldArgs,
    #[command(flatten)]
    trust: TrustArgs,
    #[command(flatten)]
    folder: FolderArgs,
    #[command(flatten)]
    forge: ForgeArgs,
}

pub(crate) fn run(args: &FetchArgs, context: &Context) -> Result<Fetched, Error> {
    let worktree = Worktree::of(&context.absolute(&args.worktree))?;
    let branch = worktree.branch()?;
    let folder = args.folder.folder(context, |profile| profile.resolve)?;
    // What is absent is said also where there is nothing to settle.
    let held = args.held.read(&Disk::new(context.cwd()))?;
    let remotes = Remotes::of(&worktree.path, &branch);
    let Some(repository) = args.repo.clone().or_else(|| remotes.base.clone()) else {
        let why = "no git remote names a repository; pass --repo OWNER/NAME";
        return Ok(skipped(why));
    };
    let forge = args.forge.way(context, &worktree.path, &repository)?;
    // A branch that is pushed to another host, such as a mirror, is looked for in the repository of the pull requests.
    let head = remotes.head.filter(|head| head.is_beside(&repository));
    let head = head.unwrap_or_else(|| repository.clone());
    let pull = match found(args, &*forge, repository, &head, &branch)? {
        Ok(pull) => pull,
        Err(why) => return Ok(skipped(&why)),
    };
    let record = forge.record(&pull).map_err(|trouble| away(&trouble))?;
    open(&pull, &record)?;
    let name = format!("{}/{}", head.owner, head.name);
    let source = record.source.as_deref();
    if !args.allow_fork && !source.is_some_and(|source| source.eq_ignore_ascii_case(&name)) {
        let pull = format!("{}#{}", pull.repository, pull.number);
        let from = source.unwrap_or("a repository that is gone");
        let message = format!("{pull} comes from {from}, and this worktree is of {name}");
        let hint = "name your own pull request, or say --allow-fork where the comments on this one are yours to settle";
        return Err(Error::refused(Precondition, message, hint));
    }
    // The configuration and the validation command are read from BASE, so it must be the branch that the pull request goes to.
    goes_to(&pull, &record, &args.base)?;
    let login = forge.reach().map_err(|trouble| away(&trouble))?;
    let comments = forge.comments(&pull);
    let comments = comments.map_err(|trouble| away(&trouble.about("the comments")))?;
    // Reviews hold the findings that have no comment.
    let reviews = forge.reviews(&pull);
    let reviews = reviews.map_err(|trouble| away(&trouble.about("the reviews")))?;
    let mut groups = Fetched {
        pr: Some(pull.number),
        repository: Some(pull.repository.to_string()),
        forge: Some(args.forge.kind(&pull.repository)),
        host: pull.repository.host.clone(),
        branch: Some(branch),
        base: Some(args.base.clone()),
        worktree: Some(worktree.path.display().to_string()),
        ..Fetched::default()
    };
    let threads = forge.threads(&pull).unwrap_or_else(|trouble| {
        let why = "which comments are settled is unknown: the review threads cannot be read";
        let warning = format!("{why}: {trouble}");
        context.warn(&warning);
        groups.warnings.push(warning);
        Vec::new()
    });
    let number = pull.number;
    folder.write_json(&format!("inline_comments_{number}.json"), &comments)?;
    folder.write_json(&format!("reviews_{number}.json"), &reviews)?;
    folder.write_json(&format!("threads_{number}.json"), &threads)?;
    let grouping = args.trust.grouping(args.folder.gate, login.as_deref());
    sort(
        &mut groups,
        grouping,
        (&comments, &reviews),
        threads,
        context,
    );
    let findings = groups.groups.values().flatten();
    let signals = look(&worktree.path, findings, &held, context);
    (groups.signals, groups.signals_not_checked) = signals;
    ask(&mut groups, args.folder.gate, &worktree, &folder)?;
    folder.write_json(&format!("dimension_groups_{number}.json"), &groups)?;
    Ok(groups)
}

/// The open pull request, or the reason why there is none.
///
/// **Errors**: there are several, or GitHub or GitLab does not answer.
fn found(
    args: &FetchArgs,
    forge: &dyn Forge,
    repository: Repository,
    head: &Repository,
    branch: &str,
) -> Result<Result<Pull, String>, Error> {
    let numbers = if let Some(number) = args.pr {
        forge.reach().map(|_| vec![number])
    } else {
        forge.find(&repository, head, branch, &args.base)
    };
    let numbers = match numbers {
        Ok(numbers) => numbers,
        // Without a token nothing can be fetched, which is no error. After any other failure there may be comments, so it is one.
        Err(Trouble::Nobody(why)) => return Ok(Err(why)),
        Err(trouble) => return Err(away(&trouble)),
    };
    match numbers.as_slice() {
        &[number] => Ok(Ok(Pull { repository, number })),
        [] => {
            let (owner, name, base) = (&head.owner, &head.name, &args.base);
            let from = format!("from {owner}/{name}:{branch} to {base}");
            Ok(Err(format!("no open pull request in {repository} {from}")))
        }
        several => {
            let message = format!("several open pull requests come from {branch}: {several:?}");
            let hint = "name the one that is meant with --pr";
            Err(Error::refused(Precondition, message, hint))
        }
    }
}

/// The result when there is nothing to settle: the pipeline goes on, and the reason is in the output.
fn skipped(reason: &str) -> Fetched {
    let tokens = Tokens::of([], 0);
    Fetched {
        skipped: true,
        reason: Some(reason.to_owned()),
        needs_rerun: Some(tokens.needs_rerun),
        verdict: Some(tokens.verdict.to_string()),
        fixes_applied: Some(tokens.fixes_applied),
        ..Fetched::default()
    }
}

/// Sorts the comments into groups. Unreadable ones are in no group; a warning says how many there are.
pub(crate) fn sort(
    groups: &mut Fetched,
    grouping: Grouping<'_>,
    (comments, reviews): (&[Value], &[Value]),
    threads: Vec<Thread>,
    context: &Context,
) {
    let sorted = grouping.group(comments, reviews, &threads);
    groups.groups = sorted.groups;
    groups.skipped_counts = sorted.skipped;
    groups.threads = threads;
    if sorted.skipped.unreadable > 0 {
        groups.degraded = true;
        let comments = counted(sorted.skipped.unreadable, "comment");
        let why = format!("{comments} cannot be read: no number, no path or no text");
        context.warn(&why);
        groups.warnings.push(why);
    }
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
        let (profile, not_checked) = (gate.profile(), &groups.signals_not_checked);
        let request =
            AgentRequest::classify(profile, name, findings, &context, &signals, not_checked);
        folder.write_json(&format!("requests/{}.json", request.id), &request)?;
        groups.requests.insert(name.clone(), request.id);
    }
    Ok(())
}

/// The error that GitHub or GitLab did not say what there is to settle.
fn away(trouble: &Trouble) -> Error {
    let message = format!("the review is not resolved: {trouble}");
    let hint = "call again when it answers; where the token is not accepted, gh auth login or GH_TOKEN, and on GitLab GITLAB_TOKEN";
    Error::refused(Unavailable, message, hint)
}
