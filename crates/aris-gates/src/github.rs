//! The way to GitHub, as flags and environment want it.

use std::path::{Path, PathBuf};

use aris_cli::Context;
use aris_review::{GitHub, HttpError, Token, api_of};

/// The host where none is named.
const USUAL: &str = "github.com";

/// Flags of commands that ask GitHub.
#[derive(Debug, clap::Args)]
pub struct GitHubArgs {
    /// Program that keeps the token where `GH_TOKEN` is not set; default: the gh on PATH
    #[arg(long, value_name = "PATH")]
    gh: Option<String>,
    /// Base URL of GitHub's interface; default: `ARIS_GITHUB_API`, else that of the host of the pull request
    #[arg(long, value_name = "URL")]
    api_base: Option<String>,
}

impl GitHubArgs {
    /// A way to the GitHub at `host`; none: `GH_HOST`, else github.com. `gh` runs in `folder`, and only where no variable holds the token.
    ///
    /// **Errors**: [`HttpError::BaseUrl`], [`HttpError::Certificates`].
    pub fn way(
        &self,
        context: &Context,
        folder: &Path,
        host: Option<&str>,
    ) -> Result<GitHub, HttpError> {
        let host = host.or_else(|| context.env("GH_HOST")).unwrap_or(USUAL);
        let base = self
            .api_base
            .as_deref()
            .or_else(|| context.env("ARIS_GITHUB_API"));
        let base = base.map_or_else(|| api_of(host), str::to_owned);
        let mut variables = Token::variables(host).into_iter();
        let token = match variables.find_map(|name| context.env(name)) {
            Some(token) => Token::Known(token.to_owned()),
            None => Token::of_gh(&self.program(context), folder, host),
        };
        let certificates = context.env("SSL_CERT_FILE").map(PathBuf::from);
        GitHub::new(&base, token, certificates.as_deref(), context.now())
    }

    /// A path of the caller is relative to where the caller is.
    fn program(&self, context: &Context) -> String {
        let gh = self.gh.as_deref().unwrap_or("gh");
        if gh.contains('/') {
            context.absolute(Path::new(gh)).display().to_string()
        } else {
            gh.to_owned()
        }
    }
}
