//! `check_source_facts`: checks whether the sources of papers still behave as their parsers expect.
//!
//! **Input**: recorded answers that are part of the program, or newer ones (`--answers`); with `--live` the sources.
//! **Output**: each fact and whether it holds. **Exit**: 0 all hold; 2 usage; 3 the folder does not exist; 4 a recording cannot
//! be read; 7 a source could not be asked, which proves nothing, and all other facts hold; 10 a fact has changed.

mod cli;
mod facts;
mod report;

use std::path::Path;

use aris_cli::{Context, Outcome, Sample, Spec};
use aris_contract::{ErrorKind, Failure as _};
use aris_online::{OnlineArgs, Progress};
use aris_sources::{Doubt, Response};
use serde_json::json;

pub use aris_online::FetchError as Error;
pub use cli::Cli;
use facts::{Expected, Fact};
pub use report::{Checked, Holds, Report};

/// Largest recording, in bytes.
const FILE_LIMIT: u64 = 10 << 20;

/// The helper's name, version and help.
pub static SPEC: Spec = Spec {
    name: "check_source_facts",
    version: env!("CARGO_PKG_VERSION"),
    summary: "Check that arXiv, Crossref and the other paper sources still answer as the helpers expect",
    input: "recorded answers, which are part of the program; with --live the sources",
    output: "each fact, and whether it holds",
    examples: &[
        "check_source_facts --offline  # check that the helpers still understand the recorded answers",
        "check_source_facts --live  # check that the sources still answer as recorded",
    ],
    signals: &[(10, "a fact has drifted")],
    ok: "all facts hold",
    schemas: &[report::SCHEMA],
    samples: &[
        Sample {
            args: &["--json", "--offline"],
            exit: &[0],
        },
        Sample {
            args: &["--json", "--live", "--offline"],
            exit: &[2],
        },
    ],
    ..aris_online::SPEC
};

/// Runs the command line.
pub fn run(cli: Cli, context: &Context) -> Result<Outcome<Report>, Error> {
    let facts = if cli.live {
        live(&cli, context)?
    } else {
        recorded(&cli, context)?
    };
    let drifted = facts.iter().any(|fact| fact.outcome == Holds::Drifted);
    let silent = facts.iter().filter(|fact| fact.is_silent()).count();
    if !drifted && silent > 0 {
        let what = format!("{silent} of {} facts could not be checked", facts.len());
        let hint = "this says nothing about the sources; run it again when they can be reached";
        return Err(Error::told(ErrorKind::Unavailable, what, hint).with("facts", json!(facts)));
    }
    let report = Report {
        live: cli.live,
        facts,
    };
    Ok(Outcome::found(report, drifted))
}

fn recorded(cli: &Cli, context: &Context) -> Result<Vec<Checked>, Error> {
    let folder = cli
        .answers
        .as_deref()
        .map(|folder| context.absolute(folder));
    if let Some(path) = folder.as_ref().filter(|folder| !folder.is_dir()) {
        return Err(Error::absent(
            format!("{} is not a folder", path.display()),
            "name a folder with recorded answers",
        ));
    }
    facts::ALL
        .iter()
        .map(|fact| {
            let newer = match &folder {
                Some(folder) => newer(folder, fact)?,
                None => None,
            };
            let response = Response {
                status: fact.recorded.1,
                body: newer.unwrap_or_else(|| fact.recorded.0.to_vec()),
                fetched_at: context.now(),
                ..Response::default()
            };
            Ok(match (fact.read)(&response) {
                Ok(papers) => checked(fact, fact.expected.differs(&papers)),
                Err(Doubt::Malformed(_)) if fact.expected == Expected::Refused => {
                    checked(fact, None)
                }
                Err(Doubt::Malformed(why) | Doubt::NotAnAnswer(why)) => checked(fact, Some(why)),
            })
        })
        .collect()
}

/// The recording of a fact in the folder, with any of the known extensions.
fn newer(folder: &Path, fact: &Fact) -> Result<Option<Vec<u8>>, Error> {
    for ending in ["xml", "json", "txt", "html"] {
        let path = folder.join(format!("{}.{ending}", fact.name));
        if let Some(bytes) = aris_fs::read_optional(&path, FILE_LIMIT)? {
            return Ok(Some(bytes));
        }
    }
    Ok(None)
}

fn live(cli: &Cli, context: &Context) -> Result<Vec<Checked>, Error> {
    let progress = Progress::new(context, Some(facts::ALL.len() as u64));
    let hosts = facts::HOSTS.map(|(_, host)| host);
    // A cached answer would only show an earlier state of the source.
    let online = OnlineArgs {
        refresh: true,
        ..cli.online.clone()
    };
    let client = aris_online::client(context, &online, &hosts, SPEC.name, &progress)?;
    let facts = aris_fs::map_in_parallel(facts::ALL.len(), &facts::ALL, |fact| {
        let answer = (fact.ask)(&client);
        progress.step();
        match answer {
            Ok(papers) => checked(fact, fact.expected.differs(&papers)),
            Err(error)
                if fact.expected == Expected::Refused && error.kind() == ErrorKind::Validation =>
            {
                checked(fact, None)
            }
            // An unreadable answer means that the source has changed; a refusal or no answer does not.
            Err(error) if error.kind() == ErrorKind::Validation => {
                checked(fact, Some(error.to_string()))
            }
            Err(error) => Checked {
                outcome: Holds::NotAnswered,
                ..checked(fact, Some(error.to_string()))
            },
        }
    });
    progress.finish();
    Ok(facts)
}

fn checked(fact: &Fact, why: Option<String>) -> Checked {
    Checked {
        name: fact.name,
        source: fact.source(),
        what: fact.what,
        documented: fact.documented,
        outcome: if why.is_some() {
            Holds::Drifted
        } else {
            Holds::Holds
        },
        why,
    }
}

#[cfg(test)]
mod tests {
    use aris_testkit::check_schema;

    use super::*;

    #[test]
    fn schemas_are_current() {
        check_schema::<Report>(report::SCHEMA);
    }
}
