//! From findings to the verdict and the posted review: what `verdict`, `post` and `run` have in common.

use aris_cli::{Context, Outcome, Shown};
use aris_gates::{Folder, open, turn};
use aris_review::{
    Claim, Diff, Findings, Forge, Gate, Looked, Pull, Review, Trouble, Verdict, anchor, post,
};

use crate::Error;
use crate::formats::FormatArgs;
use crate::report::Judged;

/// What becomes of the exit code and of a verdict without a look.
#[derive(Debug, clap::Args)]
pub(crate) struct VerdictFlags {
    /// Exit with 10 unless the verdict is approved
    #[arg(long)]
    pub(crate) exit_signal: bool,
    /// Verdict in place of `approved` when the pull request could not be read, nothing was looked at or posted, or citations lead to where no rule could look
    #[arg(long, default_value = "approved", value_name = "approved|needs_human", value_parser = degraded_verdict)]
    pub(crate) degraded_verdict: Verdict,
    #[command(flatten)]
    pub(crate) form: FormatArgs,
}

fn degraded_verdict(text: &str) -> Result<Verdict, String> {
    match text {
        "approved" => Ok(Verdict::Approved),
        "needs_human" => Ok(Verdict::NeedsHuman),
        _ => Err(String::from("approved or needs_human")),
    }
}

impl VerdictFlags {
    pub(crate) fn outcome(&self, judged: Judged) -> Shown {
        let found = self.exit_signal && !judged.is_approved();
        self.form.shown(Outcome::found(judged, found))
    }
}

/// Puts findings on lines that can carry a comment.
pub(crate) fn anchored(mut all: Findings, diff: &[u8], claims: &[Claim]) -> Findings {
    all.findings = anchor(all.findings, &Diff::read(diff), claims);
    all
}

/// Where and how to post.
pub(crate) struct Target<'a> {
    pub(crate) forge: &'a dyn Forge,
    pub(crate) pull: &'a Pull,
    pub(crate) gate: Gate,
    /// Whether to post also what is there already.
    pub(crate) again: bool,
    /// The commit that was looked at, where known.
    pub(crate) head: Option<&'a str>,
    /// Who has looked at everything.
    pub(crate) looked: Looked,
    /// What nobody could look at.
    pub(crate) unseen: Option<&'a str>,
}

impl Target<'_> {
    /// The logged-in user, and the head of the pull request. **Errors**: also when the head is not the commit that was looked at, because
    /// later commits must be neither approved nor refused.
    fn login(&self) -> Result<(Option<String>, String), Error> {
        let login = self.forge.reach()?;
        let record = self.forge.record(self.pull)?;
        open(self.pull, &record)?;
        if self.head.is_some_and(|head| head != record.head) {
            let why = "commits were pushed while the others were looked at; nothing was posted, call again";
            return Err(Trouble::Malformed(why.to_owned()).into());
        }
        Ok((login, record.head))
    }
}

/// Posts the review and keeps a summary. If it cannot be posted, the verdict is degraded, which changes only an approval.
pub(crate) fn published(
    mut judged: Judged,
    target: &Target<'_>,
    flags: &VerdictFlags,
    folder: &Folder,
    context: &Context,
) -> Result<Judged, Error> {
    let _turn = turn(context, target.pull, folder)?;
    match target.login() {
        Ok((login, head)) => {
            let review = Review {
                head: Some(&head),
                profile: target.gate.profile(),
                verdict: judged.verdict,
                findings: &judged.findings,
                unreadable: judged.unreadable,
                login: login.as_deref(),
                looked: target.looked,
                held_by: None,
                unseen: target.unseen,
            };
            match post(target.forge, target.pull, &review, target.again) {
                Ok(posted) => {
                    for warning in &posted.warnings {
                        context.warn(warning);
                    }
                    let tier = posted.tier;
                    // Not everything was posted, perhaps nothing.
                    if tier == Some(3) {
                        let why = posted.warnings.last().map_or("", String::as_str);
                        let why = format!("the review was not posted whole, call again: {why}");
                        judged.degrade(&why, flags.degraded_verdict);
                    }
                    if let Some(why) = &posted.approval_stands {
                        judged.degrade(why, flags.degraded_verdict);
                    }
                    judged.posted = Some(posted);
                    if tier.is_none() {
                        return Ok(judged);
                    }
                }
                Err(trouble) => {
                    let why = format!("nothing was posted, call again: {trouble}");
                    context.warn(&why);
                    judged.degrade(&why, flags.degraded_verdict);
                }
            }
        }
        Err(Error::Trouble(trouble)) => {
            judged.degrade(&trouble.to_string(), flags.degraded_verdict);
        }
        Err(error) => return Err(error),
    }
    let name = format!("summary_{}_{}.md", target.pull.number, folder.stamp);
    folder.write(&name, judged.summary(target.gate, target.pull).as_bytes())?;
    Ok(judged)
}
