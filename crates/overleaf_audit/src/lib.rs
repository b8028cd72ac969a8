//! `overleaf_audit`: searches a repository for access tokens of Overleaf.
//!
//! **Input**: a folder. **Output**: each place that holds a token, never the token itself. Searched are all files below the
//! folder, including hidden and ignored ones, and their names; what git stores beside its objects (remotes, reflogs, hooks);
//! every object of every repository there and of the one around the folder; and the files of the home folder in which credentials
//! end up. **Exit**: 0 clean; 10 a leak (1 with `--compat`); 2 usage; 3 no such folder; 4 not a folder; 5 no leak was found but
//! something could not be searched (`--sarif` then also prints its document).
//!
//! A token is `olp_` and at least twenty letters and digits: plain, percent-encoded, as UTF-16, inside base64 (wrapped or not),
//! or inside gzip, of which up to 4 GiB are unpacked. Other compressed or encrypted data is not searched. Whether a token is
//! still valid is not checked, because that would need the network.

mod cli;
mod content;
mod error;
mod history;
mod render;
mod report;
mod token;
mod tree;

use std::num::NonZeroU8;
use std::time::Duration;

use aris_cli::{Context, Network, Outcome, Sample, Spec};
use aris_contract::ErrorKind::{NotFound, Precondition, Validation};
use aris_contract::Signal;

use history::{Git, Known};
use token::masked;
use tree::Tree;

pub use cli::Cli;
pub use error::Error;
pub use report::{Leak, Looked, Object, Part, Report, Unseen};
pub use token::{Form, Token};

/// What the helper says about itself.
pub static SPEC: Spec = Spec {
    name: "overleaf_audit",
    version: env!("CARGO_PKG_VERSION"),
    summary: "Find Overleaf access tokens in a repository",
    input: "a folder: a paper, a repository, or one with several of them in it; by default the working directory",
    output: "each place that holds a token, the token itself masked; last what was looked at",
    stderr: "errors",
    commands: &[],
    examples: &[
        "overleaf_audit  # look through the working directory, its git history included",
        "overleaf_audit paper-overleaf --json  # the same for another folder, for a program",
        "overleaf_audit . --no-home --format sarif  # for code scanning",
    ],
    signals: &[
        (10, "a token is leaked"),
        (1, "with --compat: a token is leaked"),
    ],
    ok: "everything was looked at, and no token is leaked",
    errors: &[NotFound, Validation, Precondition],
    schemas: &[report::SCHEMA],
    samples: &[
        Sample {
            args: &["--json", "--no-home", "--no-cache", "scripts"],
            exit: &[0, 5],
        },
        Sample {
            args: &["--json", "absent"],
            exit: &[3],
        },
    ],
    network: Network::None,
    deadline: None,
};

/// Searches the folder that `cli` names.
pub fn run(cli: Cli, context: &Context) -> Result<Outcome<Report>, Error> {
    let root = masked(&cli.root.display().to_string());
    let Ok(real) = context.absolute(&cli.root).canonicalize() else {
        return Err(Error::Absent(root));
    };
    if !real.is_dir() {
        return Err(Error::NoFolder(root));
    }

    let mut tree = Tree::of(&real, cli.root.strip_prefix(".").unwrap_or(&cli.root));
    if !cli.no_home {
        tree.files.extend(content::of_home(context, &real));
    }
    let deadline = Duration::from_secs(cli.deadline);
    let asked = |repository| Git {
        repository,
        deadline,
    };
    let repositories: Vec<Git> = tree.repositories.into_iter().map(asked).collect();
    let mut report = Report {
        root,
        sarif: cli.sarif,
        ..tree.found
    };
    for git in &repositories {
        match git.named_by_settings(&real) {
            Ok(files) => tree.files.extend(files),
            Err(unseen) => report.unseen.push(unseen),
        }
    }
    tree.files.sort();
    tree.files.dedup();
    content::read(&tree.files, &mut report);
    for git in &repositories {
        let known = (!cli.no_cache).then(|| Known::of(&git.repository.folder, context));
        git.read(&known.unwrap_or_default(), &mut report);
    }
    report.leaks.sort();
    report.unseen.sort();
    report.errors = report.leaks.iter().filter(|leak| leak.is_error()).count();

    // With --sarif the document is printed even if something could not be searched.
    if report.errors == 0 && !report.unseen.is_empty() && !cli.sarif {
        for leak in &report.leaks {
            context.warn(&format!("{}: {}", leak.place, leak.message()));
        }
        let (unseen, looked) = (report.unseen, report.looked);
        return Err(Error::Incomplete { unseen, looked });
    }
    for unseen in report.unseen.iter().filter(|_| cli.sarif) {
        context.warn(&unseen.said());
    }
    let signal = match (report.errors, cli.compat) {
        (0, _) if report.unseen.is_empty() => None,
        (0, _) => NonZeroU8::new(Precondition.exit().code()).map(Signal::passed_on),
        (_, true) => Some(Signal::passed_on(NonZeroU8::MIN)),
        (_, false) => Some(Signal::FINDINGS),
    };
    let data = report;
    Ok(Outcome { signal, data })
}
