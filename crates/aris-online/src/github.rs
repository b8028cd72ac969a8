//! The way to GitHub, as flags and environment want it.

use std::path::{Path, PathBuf};

use aris_cli::Context;
use aris_review::{GitHub, Rest};
use aris_sources::HttpError;

/// Flags of commands that ask GitHub.
#[derive(Debug, clap::Args)]
pub struct GitHubArgs {
    /// Ask through this gh; default: the one on PATH
    #[arg(long, value_name = "PATH", conflicts_with = "api_base")]
    gh: Option<String>,
    /// Ask GitHub's own interface at this URL instead; default: `ARIS_GITHUB_API`
    #[arg(long, value_name = "URL")]
    api_base: Option<String>,
}

impl GitHubArgs {
    /// A way to GitHub. `gh` runs in `folder`.
    ///
    /// **Errors**: [`HttpError::BaseUrl`], [`HttpError::Certificates`].
    pub fn way(&self, context: &Context, folder: &Path) -> Result<GitHub, HttpError> {
        let base = match (&self.gh, &self.api_base) {
            (Some(_), _) => None,
            (None, Some(base)) => Some(base.as_str()),
            (None, None) => context.env("ARIS_GITHUB_API"),
        };
        let Some(base) = base else {
            // A path of the caller is relative to where the caller is.
            let gh = self.gh.as_deref().unwrap_or("gh");
            let gh = if gh.contains('/') {
                context.absolute(Path::new(gh)).display().to_string()
            } else {
                gh.to_owned()
            };
            return Ok(GitHub::through_gh(&gh, folder, context.now()));
        };
        let token = context
            .env("GH_TOKEN")
            .or_else(|| context.env("GITHUB_TOKEN"));
        let certificates = context.env("SSL_CERT_FILE").map(PathBuf::from);
        Rest::new(base, token, certificates.as_deref(), context.now()).map(GitHub::Rest)
    }
}
