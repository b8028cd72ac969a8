//! The common part of helpers that use the network: flags, client, progress line, and output of records.
//!
//! Depends on `aris-cli`, because its subject is the command line; it knows no source and no helper.

#![warn(missing_docs)]

mod progress;
mod records;

use std::path::Path;
use std::sync::{Arc, Once};
use std::time::Duration;

use aris_cli::{Context, Network, Spec};
use aris_contract::ErrorKind;
use aris_sources::{Client, Host, HttpError, Mode, Settings};

pub use aris_sources::FetchError;
pub use progress::Progress;
pub use records::{FormArgs, Papers, bibliography, indented, jsonl, read as read_records};

/// Exit codes of a subcommand with their meaning; an empty text stands for the meaning that all helpers share.
pub type Exits = &'static [(u8, &'static str)];

/// The exit codes of a subcommand that asks a source; `answered` is the meaning of 0.
pub const fn exits(answered: &'static str) -> [(u8, &'static str); 5] {
    [(0, answered), (3, ""), (4, ""), (5, ""), (7, "")]
}

/// The common part of the descriptions of helpers that use the network.
pub const SPEC: Spec = Spec {
    name: "",
    version: env!("CARGO_PKG_VERSION"),
    summary: "",
    input: "",
    output: "",
    stderr: "what it waits for, on a terminal; errors",
    commands: &[],
    examples: &[],
    signals: &[],
    ok: "done",
    errors: &[
        ErrorKind::NotFound,
        ErrorKind::Validation,
        ErrorKind::Precondition,
        ErrorKind::Unavailable,
    ],
    schemas: &[],
    samples: &[],
    network: Network::Optional,
    deadline: None,
};

/// Arguments of a helper that has subcommands, and nothing beside them.
#[derive(Clone, Debug, clap::Args)]
pub struct Commands<C: clap::Subcommand> {
    /// What to do
    #[command(subcommand)]
    pub command: C,
}

/// Flags of helpers that reach the network.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct OnlineArgs {
    /// Answer from the cache only; an answer that is not there is unavailable (exit 7)
    #[arg(long, conflicts_with = "refresh", display_order = 800)]
    pub offline: bool,
    /// Ask the source again, also where the cache has an answer
    #[arg(long, display_order = 801)]
    pub refresh: bool,
    /// Stop asking after this many seconds: exit 7, or papers reported as pending, where an answer is missing [default: 60, more where many papers are checked]
    #[arg(long, value_name = "SECONDS", value_parser = aris_cli::seconds, display_order = 802)]
    pub deadline: Option<f64>,
}

impl OnlineArgs {
    /// The flags of a helper whose `--deadline` is that of the whole run.
    pub fn within(context: &Context, offline: bool, refresh: bool) -> Self {
        Self {
            offline,
            refresh,
            deadline: context.step_limit().map(|limit| limit.as_secs_f64()),
        }
    }

    /// Time limit for all requests together.
    pub fn deadline(&self) -> Duration {
        self.deadline
            .map_or(aris_sources::DEADLINE, Duration::from_secs_f64)
    }

    /// Whether the cache and the network are used.
    pub fn mode(&self) -> Mode {
        match (self.offline, self.refresh) {
            (true, _) => Mode::Offline,
            (false, true) => Mode::Refresh,
            (false, false) => Mode::Live,
        }
    }
}

/// Parses the year or years of `--year`. A filter may be a comma-separated list, so a value must not contain a comma.
///
/// **Errors**: a message that says what is allowed.
pub fn years(text: &str) -> Result<String, String> {
    let shaped = text.len() <= 9
        && text.bytes().any(|byte| byte.is_ascii_digit())
        && text.split('-').count() <= 2
        && text.split('-').all(|part| {
            part.is_empty() || part.len() == 4 && part.bytes().all(|byte| byte.is_ascii_digit())
        });
    if shaped {
        Ok(text.to_owned())
    } else {
        Err(String::from(
            "it must look like 2023, 2020-2023, 2023- or -2023",
        ))
    }
}

/// Refuses an empty text; `what` names it in the message.
///
/// **Errors**: a usage error with this hint.
pub fn filled(text: &str, what: &str, hint: &str) -> Result<(), FetchError> {
    if text.trim().is_empty() {
        return Err(FetchError::usage(format!("{what} is empty"), hint));
    }
    Ok(())
}

/// A client for `hosts` with the settings of flags and environment; `progress` shows what it waits for.
///
/// **Errors**: [`HttpError::Setting`].
pub fn client(
    context: &Context,
    args: &OnlineArgs,
    hosts: &[&'static Host],
    helper: &str,
    progress: &Progress,
) -> Result<Client, HttpError> {
    let env = |name: &str| context.env(name).map(str::to_owned);
    let temp = context.env("TMPDIR").unwrap_or("/tmp");
    let clock = context.clock();
    let agent = format!(
        "aris/{} ({helper}{})",
        env!("CARGO_PKG_VERSION"),
        contact(context)
    );
    let shown = progress.clone();
    let clock = Arc::new(move || clock.now());
    let mut settings = Settings::new(hosts, &env, Path::new(temp), &agent, clock)?;
    settings.mode = args.mode();
    settings.deadline = args.deadline();
    settings.listener = Arc::new(move |event| shown.hear(event));
    if let Err(why) = &settings.folder {
        static TOLD: Once = Once::new();
        TOLD.call_once(|| {
            context.warn(&format!("{why}: answers are not kept for the next time"));
        });
    }
    Client::new(settings)
}

/// Runs `what` with a client for `hosts` and a progress line.
///
/// **Errors**: as [`client`], and those of `what`.
pub fn asking<T, E: From<HttpError>>(
    context: &Context,
    args: &OnlineArgs,
    hosts: &[&'static Host],
    helper: &str,
    what: impl FnOnce(&Client) -> Result<T, E>,
) -> Result<T, E> {
    let progress = Progress::new(context, None);
    let client = client(context, args, hosts, helper, &progress)?;
    let said = what(&client);
    progress.finish();
    said
}

/// The contact address from `ARIS_CONTACT_EMAIL`, or the older `ARIS_VERIFY_EMAIL` or `OPENALEX_EMAIL`. Several services want it in the user agent, so that they can
/// write instead of blocking.
fn contact(context: &Context) -> String {
    let shaped = |address: &&str| {
        address.contains('@')
            && address
                .bytes()
                .all(|byte| byte.is_ascii_graphic() && !matches!(byte, b'(' | b')' | b';'))
    };
    context
        .env("ARIS_CONTACT_EMAIL")
        .or_else(|| context.env("ARIS_VERIFY_EMAIL"))
        .or_else(|| context.env("OPENALEX_EMAIL"))
        .filter(shaped)
        .map(|address| format!("; mailto:{address}"))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn years_are_years() {
        for good in ["2023", "2020-2023", "2023-", "-2023"] {
            assert!(years(good).is_ok(), "{good}");
        }
        for bad in ["", "-", "23", "2020-2021-2022", "2023,is_oa:true", "20234"] {
            assert!(years(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_client_works_in_a_folder_of_its_own() {
        let folder = tempfile::tempdir().expect("temp");
        let context = Context::for_test(folder.path(), jiff::Timestamp::UNIX_EPOCH);
        let progress = Progress::silent();
        let args = OnlineArgs {
            offline: true,
            ..OnlineArgs::default()
        };
        let client = client(&context, &args, &[], "test", &progress).expect("a client");
        let kept = client.settings.folder.expect("a folder");
        assert!(kept.is_dir());
    }
}
