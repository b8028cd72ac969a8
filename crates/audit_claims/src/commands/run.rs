//! `run`: the whole gate on one pull request.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use aris_cli::{Context, Shown};
use aris_contract::ErrorKind;
use aris_contract::text::counted;
use aris_gates::{Folder, FolderArgs, ForgeArgs, Worktree};
use aris_review::{Claim, Diff, Finding, Findings, Gate, Looked, Pull, Reports, Verdict};
use aris_statements::disk::Disk;
use clap::ValueEnum;
use serde_json::Value;

use crate::Error;
use crate::agents::{AnswerArgs, ask};
use crate::audit::{Target, VerdictFlags, anchored, published};
use crate::report::Judged;
use crate::rules::{self, Given, RuleArgs, joined, look, united};
use crate::source::{Changes, ReportArgs, fetch, not_shown, stale};

/// Who looks for claims and evidence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Engine {
    /// Rules; no model is needed
    Rules,
    /// Agents, through requests and answers
    Agent,
    /// Both: what one of them finds counts
    Both,
}

/// Arguments of `run`.
#[derive(Debug, clap::Args)]
pub(crate) struct RunArgs {
    /// The git worktree with the report
    worktree: PathBuf,
    /// The branch that the pull request goes to
    base: String,
    /// Address of the pull request
    #[arg(value_name = "PR_URL")]
    pull: Pull,
    /// Who looks for claims and evidence [default: both if there is a folder of answers, else rules; with --gate review: agent]
    #[arg(long)]
    engine: Option<Engine>,
    #[command(flatten)]
    answers: AnswerArgs,
    /// Post everything, also comments that are already there
    #[arg(long)]
    repost: bool,
    #[command(flatten)]
    flags: VerdictFlags,
    #[command(flatten)]
    rules: RuleArgs,
    #[command(flatten)]
    reports: ReportArgs,
    #[command(flatten)]
    folder: FolderArgs,
    #[command(flatten)]
    forge: ForgeArgs,
}

pub(crate) fn run(args: &RunArgs, context: &Context) -> Result<Shown, Error> {
    let worktree = Worktree::of(&context.absolute(&args.worktree))?;
    let reports = args.reports.reports();
    let folder = args.folder.folder(context, |profile| profile.marker)?;
    let answers = args.answers.there(&folder, context)?;
    // What is absent is said also where nothing can be looked at.
    let given = args.rules.read(&Disk::new(context.cwd()))?;
    let engine = args.engine(&answers)?;
    let repository = &args.pull.repository;
    let forge = args.forge.way(context, &worktree.path, repository)?;
    let fetched = fetch(
        &*forge,
        (&args.pull, Some(&args.base)),
        &reports,
        Some(&worktree),
        &folder,
    );
    let Changes { head, diff } = match fetched {
        Ok(changes) => changes,
        Err(Error::Trouble(trouble)) => {
            let mut judged = Judged::of(Findings::default());
            judged.degrade(&trouble.to_string(), args.flags.degraded_verdict);
            return Ok(args.flags.outcome(judged));
        }
        Err(error) => return Err(error),
    };
    let read = Diff::read(&diff);
    let not_shown = not_shown(&reports, &read, args.folder.gate);
    let stale = match engine {
        // Agents see only the diff.
        Engine::Agent => BTreeSet::new(),
        Engine::Rules | Engine::Both => stale(&worktree, &read, &head)?,
    };
    let (mut all, mut looked, rules) = args.found(
        (engine, &answers),
        (&worktree, &stale, &given),
        &reports,
        &diff,
        &folder,
        context,
    )?;
    let hidden = not_shown.len();
    if !stale.is_empty() || hidden > 0 {
        looked = Looked::default();
        all.findings.extend(not_shown);
    }
    let nothing = hidden == 0 && !rules.anything && !reports.any(&read);
    let unseen = if nothing {
        Some(NOTHING.to_owned())
    } else {
        unseen(&rules.unseen)
    };
    let target = Target {
        forge: &*forge,
        pull: &args.pull,
        gate: args.folder.gate,
        again: args.repost,
        head: Some(&head),
        looked,
        unseen: unseen.as_deref(),
    };
    let mut judged = Judged::of(all);
    judged.skipped = rules.skipped;
    if let Some(why) = &unseen {
        judged.degrade(why, args.flags.degraded_verdict);
    }
    if hidden > 0 {
        let reports = counted(hidden, "report");
        let why = format!(
            "not looked at, because the diff does not show their text, or for their format: {reports}"
        );
        judged.degrade(&why, Verdict::NeedsHuman);
    }
    if !stale.is_empty() {
        let names: Vec<&str> = stale.iter().map(String::as_str).collect();
        let why = format!(
            "the worktree is not the pull request: {} is not as in its head {head}; fetch and check out that commit, then call again",
            aris_review::one_line(&names.join(", "), 200)
        );
        context.warn(&why);
        judged.degrade(&why, Verdict::NeedsHuman);
    }
    // Nobody is told that it may be merged.
    if nothing && judged.is_approved() {
        return Ok(args.flags.outcome(judged));
    }
    let judged = published(judged, &target, &args.flags, &folder, context)?;
    Ok(args.flags.outcome(judged))
}

impl RunArgs {
    fn engine(&self, answers: &Path) -> Result<Engine, Error> {
        match (self.folder.gate, self.engine) {
            (Gate::Review, None | Some(Engine::Agent)) => Ok(Engine::Agent),
            (Gate::Review, Some(_)) => {
                let message = String::from("the review gate has no rules");
                let hint = "use --engine agent, or --gate claims";
                Err(Error::refused(ErrorKind::Usage, message, hint))
            }
            (Gate::Claims, Some(engine)) => Ok(engine),
            (Gate::Claims, None) if answers.is_dir() => Ok(Engine::Both),
            (Gate::Claims, None) => Ok(Engine::Rules),
        }
    }

    /// All findings, on lines that can carry a comment. A part that nobody looked at is a finding, too.
    fn found(
        &self,
        (engine, answers): (Engine, &Path),
        (worktree, stale, given): (&Worktree, &BTreeSet<String>, &Given<'_>),
        reports: &Reports,
        diff: &[u8],
        folder: &Folder,
        context: &Context,
    ) -> Result<(Findings, Looked, rules::Looked), Error> {
        let mut claims: Vec<Claim> = Vec::new();
        let mut all = Findings::default();
        let mut open: Vec<Finding> = Vec::new();
        let mut rules = rules::Looked::default();
        let mut answered = false;
        let read = Diff::read(diff);
        if engine != Engine::Rules {
            let asking = ask(self.folder.gate, &reports.sections(&read), diff, answers)?;
            asking.write(folder)?;
            (claims, all, open) = (asking.claims, asking.findings, asking.open);
            answered = open.is_empty();
        }
        all = anchored(all, diff, &claims);
        if engine != Engine::Agent {
            rules = look((worktree, stale), reports, &read, given, context)?;
            claims = joined(claims, &rules.claims);
            all.findings = united(all.findings, &rules);
            // Where an agent gave no answer, the rules have looked; open is only what they could not read.
            open = std::mem::take(&mut rules.open);
        }
        let looked = Looked {
            rules: engine != Engine::Agent
                && open.is_empty()
                && rules.problems.is_empty()
                && rules.unseen.is_empty(),
            agents: engine != Engine::Rules && answered,
        };
        all.findings.extend(open);
        all.problems.append(&mut rules.problems);
        let number = self.pull.number;
        if self.folder.gate == Gate::Claims {
            folder.write_json(&format!("claims_{number}.json"), &claims)?;
        }
        let all = anchored(all, diff, &claims);
        folder.write_json(&format!("findings_{number}.json"), &raw(&all)?)?;
        Ok((all, looked, rules))
    }
}

const NOTHING: &str =
    "nothing was looked at: no file of the diff is a report (--report-glob names them)";

/// What is said of citations that nobody could follow.
fn unseen(citations: &BTreeSet<String>) -> Option<String> {
    let first: Vec<&str> = citations.iter().take(5).map(String::as_str).collect();
    let more = match citations.len() - first.len() {
        0 => String::new(),
        more => format!(", and {more} more"),
    };
    (!first.is_empty()).then(|| {
        format!(
            "citations were not looked at, because no list of references or bibliography is known for them: {}{more}",
            aris_review::one_line(&first.join(", "), 300)
        )
    })
}

/// The findings as a list that can be read again, and after them the entries that are no findings.
fn raw(all: &Findings) -> Result<Vec<Value>, Error> {
    let findings = all.findings.iter().map(serde_json::to_value);
    let rejected = all.rejected.iter().map(|entry| Ok(entry.finding.clone()));
    let list: Result<_, _> = findings.chain(rejected).collect();
    list.map_err(Error::written)
}
