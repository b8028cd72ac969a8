//! Access to GitHub or GitLab, as flags and environment set it.

use std::path::Path;
use std::time::Instant;

use aris_cli::Context;
use aris_contract::ErrorKind;
use aris_review::{
    Forge, ForgeKind, GitHub, GitLab, HttpError, Pull, Record, Repository, State, Token, api_of,
};

use crate::error::GateError;

/// Flags of commands that ask GitHub or GitLab.
#[derive(Debug, clap::Args)]
pub struct ForgeArgs {
    /// Whether the pull request is on GitHub or GitLab [default: what its address says]
    #[arg(long, value_name = "github|gitlab", value_parser = |text: &str| text.parse::<ForgeKind>())]
    forge: Option<ForgeKind>,
    /// Program to ask for GitHub's token when `GH_TOKEN` is not set [default: the gh on PATH]
    #[arg(long, value_name = "PATH")]
    gh: Option<String>,
    /// Address of the API [default: `ARIS_GITHUB_API` or `ARIS_GITLAB_API`, else that of the host of the pull request]
    #[arg(long, value_name = "URL")]
    api_base: Option<String>,
}

/// Refuses a pull request that is closed or merged.
pub fn open(pull: &Pull, record: &Record) -> Result<(), GateError> {
    let state = match record.state {
        State::Open => return Ok(()),
        State::Closed => "closed",
        State::Merged => "merged",
    };
    let Pull { repository, number } = pull;
    let what = "nothing is looked at and nothing is posted";
    let message = format!("{repository}#{number} is {state}: {what}");
    let hint = "open it again, or name the pull request that is open";
    Err(GateError::refused(ErrorKind::Precondition, message, hint))
}

/// **Errors**: the pull request goes to another branch than `base`, or to one that is not known.
pub fn goes_to(pull: &Pull, record: &Record, base: &str) -> Result<(), GateError> {
    if record.base.as_deref() == Some(base) {
        return Ok(());
    }
    let number = pull.number;
    let to = record.base.as_deref().unwrap_or("an unknown branch");
    let message = format!("pull request {number} goes to {to}, not to {base}");
    let hint = "name the branch that it goes to as BASE";
    Err(GateError::refused(ErrorKind::Precondition, message, hint))
}

impl ForgeArgs {
    /// The service that `repository` is looked for at.
    pub fn kind(&self, repository: &Repository) -> ForgeKind {
        self.forge.unwrap_or_else(|| repository.kind())
    }

    /// A client for the service of `repository`. Without a host that is `GH_HOST`, else github.com, and for GitLab `GITLAB_HOST`, else
    /// gitlab.com. `gh` is asked for GitHub's token only where no environment variable holds one; it runs in `folder`.
    ///
    /// **Errors**: [`HttpError::Setting`].
    pub fn way(
        &self,
        context: &Context,
        folder: &Path,
        repository: &Repository,
    ) -> Result<Box<dyn Forge>, HttpError> {
        let host = repository.host.as_deref();
        let certificates = context.env("SSL_CERT_FILE").map(Path::new);
        let until = context.step_limit().map(|time| Instant::now() + time);
        let times = (context.now(), until);
        let given = |variable| self.api_base.as_deref().or_else(|| context.env(variable));
        Ok(match self.kind(repository) {
            ForgeKind::GitHub => {
                let host = host.or_else(|| context.env("GH_HOST"));
                let host = host.unwrap_or("github.com");
                let base = given("ARIS_GITHUB_API").map_or_else(|| api_of(host), str::to_owned);
                let mut variables = Token::variables(host).into_iter();
                let token = match variables.find_map(|name| context.env(name)) {
                    Some(token) => Token::Known(token.to_owned()),
                    None => {
                        Token::of_gh(&self.program(context), folder, host, context.step_limit())
                    }
                };
                Box::new(GitHub::new(&base, token, certificates, times)?)
            }
            ForgeKind::GitLab => {
                let usual = context.env("GITLAB_HOST").unwrap_or("gitlab.com");
                let usual = usual.trim_start_matches("https://").trim_end_matches('/');
                let host = host.unwrap_or(usual);
                let base = given("ARIS_GITLAB_API")
                    .map_or_else(|| format!("https://{host}/api/v4"), str::to_owned);
                // The token of one server must not be sent to another.
                let token = match context.env("GITLAB_TOKEN") {
                    Some(token) if host.eq_ignore_ascii_case(usual) => Token::Known(token.into()),
                    Some(_) => Token::Unknown(format!(
                        "GITLAB_TOKEN is the token for {usual}; set GITLAB_HOST={host} where it is meant for {host}"
                    )),
                    None => Token::Unknown(String::from("GITLAB_TOKEN is not set")),
                };
                Box::new(GitLab::new(&base, token, certificates, times)?)
            }
        })
    }

    /// The program to ask for a token; a path counts from the caller's working directory.
    fn program(&self, context: &Context) -> String {
        let gh = self.gh.as_deref().unwrap_or("gh");
        if gh.contains('/') {
            context.absolute(Path::new(gh)).display().to_string()
        } else {
            gh.to_owned()
        }
    }
}
