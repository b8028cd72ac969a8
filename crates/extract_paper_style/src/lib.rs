//! `extract_paper_style`: measures how a reference paper is built, in numbers only, so that a writer can follow its structure
//! without seeing a sentence of it.
//!
//! **Input**: a folder with LaTeX sources, a LaTeX file, a PDF, an arXiv identifier (its sources are asked for) or an http(s) address.
//! **Output**: `source_manifest.json`, `style_profile.md` and `style_profile.json` in a folder of the cache that depends on source and
//! content; the folder is the last line of stdout. **Exit**: 0 the profile is there; 2 usage; 3 no such paper; 4 the input is not
//! a paper that can be measured, or is on Overleaf; 5 a disk error, or a PDF without poppler; 6 a PDF takes too long; 7 no
//! answer.
//!
//! The profile holds nothing of the source's text: its types hold only numbers and words of this program.

mod cache;
mod cli;
mod error;
mod files;
mod gather;
mod gathered;
mod html;
mod latex;
mod markdown;
mod outline;
mod pdf;
mod profile;
mod prose;
mod report;
mod role;
mod source;
mod style;

use std::time::Duration;

use aris_cli::{Context, Network, Outcome, Sample, Spec};
use aris_contract::ErrorKind;
use aris_online::OnlineArgs;

use crate::gather::With;
use crate::pdf::PdfOutline;
use crate::source::Source;

pub use cli::Cli;
pub use error::Error;
pub use report::Report;

/// What the helper says about itself.
pub static SPEC: Spec = Spec {
    name: "extract_paper_style",
    version: env!("CARGO_PKG_VERSION"),
    summary: "Measure how a reference paper is built, without keeping a sentence of it",
    input: "--source: a folder with LaTeX sources, a .tex or .pdf file, an arXiv identifier or an http(s) address",
    output: "the folder with source_manifest.json, style_profile.md and style_profile.json, as the last line",
    stderr: "whether the profile was there already, warnings, errors",
    commands: &[],
    examples: &[
        "extract_paper_style --source papers/admired  # measure LaTeX sources",
        "extract_paper_style --source arxiv:1706.03762 --json  # download the sources from arXiv and measure them",
        "extract_paper_style --source admired.pdf --output .cache/styles  # measure a PDF as far as its text allows, and keep the profile in a folder of the project",
    ],
    signals: &[],
    ok: "the profile is in the folder that the last line names",
    errors: &[
        ErrorKind::NotFound,
        ErrorKind::Validation,
        ErrorKind::Precondition,
        ErrorKind::Timeout,
        ErrorKind::Unavailable,
    ],
    schemas: &[report::SCHEMA, cache::MANIFEST, profile::SCHEMA],
    samples: &[
        Sample {
            args: &["--json", "--source", "absent.tex"],
            exit: &[3],
        },
        Sample {
            args: &[
                "--json",
                "--source",
                "https://www.overleaf.com/project/0123456789abcdef01234567",
            ],
            exit: &[4],
        },
    ],
    network: Network::Optional,
    deadline: Some(aris_cli::DEADLINE),
};

/// Measures the paper that `cli` names.
pub fn run(cli: Cli, context: &Context) -> Result<Outcome<Report>, Error> {
    let source = Source::parse(&cli.source, context)?;
    let root = cache::root(cli.output.as_deref(), context)?;
    let refresh = cli.refresh || cli.force && !cli.offline;
    let online = OnlineArgs::within(context, cli.offline, refresh);
    let pdf_time = Duration::from_secs(cli.pdf_seconds);
    let step = context.step_limit();
    let with = With {
        context,
        online: &online,
        pdf_time: step.map_or(pdf_time, |limit| limit.min(pdf_time)),
    };
    let gathered = gather::gather(&source, &with)?;
    if let Some(choice) = &gathered.choice {
        context.warn(choice);
    }
    if gathered.pdf_outline == Some(PdfOutline::Unread) {
        context.warn("the outline of the PDF could not be read (pdftohtml of poppler does that); headings are recognised by their looks");
    }
    for place in &gathered.unread {
        context.warn(&format!("{place}; what follows may not be measured"));
    }
    for name in &gathered.missing {
        context.warn(&format!(
            "the sources ask for {name}, which is not in their folder; what it holds is not measured"
        ));
    }
    let kept = cache::keep(
        &root,
        &cli.source,
        source.kind(),
        &gathered,
        cli.force,
        context,
    )?;
    if kept.hit {
        context.note("the profile was there already");
    }
    let path = |name: &str| kept.folder.join(name).display().to_string();
    Ok(Outcome::done(Report {
        cache_dir: kept.folder.display().to_string(),
        unchanged: kept.hit,
        source_type: source.kind(),
        content_sha256: gathered.digest.hex(),
        manifest: path("source_manifest.json"),
        profile: path("style_profile.md"),
        profile_json: path("style_profile.json"),
    }))
}

#[cfg(test)]
mod tests {
    use aris_testkit::check_schema;

    use super::*;

    #[test]
    fn schemas_are_current() {
        check_schema::<Report>(report::SCHEMA);
        check_schema::<cache::Manifest>(cache::MANIFEST);
        check_schema::<profile::Profile>(profile::SCHEMA);
    }
}
