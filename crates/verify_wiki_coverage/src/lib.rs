//! `verify_wiki_coverage`: which arXiv papers a project mentions, and which of them its research wiki has no page for.
//!
//! **Input**: a wiki (`papers/*.md`, identifiers in their headers) and files or folders to scan; by default `.aris/traces`, `paper`,
//! `PAPER_PLAN.md`, `NARRATIVE_REPORT.md` and `references.bib` in the working directory. **Output**: counts, and for each
//! missing paper where it is mentioned; the same as JSON in the wiki's `.wiki-coverage-report.json`. **Exit**: 0 whatever was found;
//! with `--strict` 10 when a paper is missing or something could not be read; 2 usage; 3 there is no wiki; 4 `--output`
//! names something else than a report; 5 the report cannot be written.
//!
//! It cannot know who read what: a paper that no file mentions is not reported, and a mentioned paper may never have been read.

mod cli;
mod error;
mod files;
mod grammar;
mod report;
mod scanner;
mod tally;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use aris_cli::{Context, Network, Outcome, Sample, Spec};
use aris_contract::ErrorKind;
use aris_contract::ids::ArxivId;
use aris_fs::{Form, FsError};
use aris_wiki::page::Page;
use aris_wiki::papers::Papers;
use serde_json::Value;

use files::Found;
use grammar::Named;
use report::{Impossible, Missing, Place, REPORT_NAME, TOOL, Unread};
use tally::Mentions;

pub use cli::Cli;
pub use error::Error;
pub use report::Report;

/// Most bytes read of a page: its frontmatter must end within them.
const HEADER: u64 = 256 << 10;

/// The paths that are scanned by default. **Source**: the reference's script.
const USUAL: [&str; 5] = [
    ".aris/traces",
    "paper",
    "PAPER_PLAN.md",
    "NARRATIVE_REPORT.md",
    "references.bib",
];

/// The helper's description of itself.
pub static SPEC: Spec = Spec {
    name: TOOL,
    version: env!("CARGO_PKG_VERSION"),
    summary: "List the arXiv papers that a project mentions and its research wiki lacks",
    input: "the wiki's folder; files and folders to scan, by default .aris/traces, paper, PAPER_PLAN.md, NARRATIVE_REPORT.md, references.bib",
    output: "counts, and each missing paper with the place that mentions it; the report file holds the same as JSON",
    stderr: "warnings, errors",
    commands: &[],
    examples: &[
        "verify_wiki_coverage research-wiki/  # compare the wiki with the usual places of the project",
        "verify_wiki_coverage research-wiki/ --scan notes --scan paper/references.bib --announced  # scan other places, and do not count bare numbers",
        "verify_wiki_coverage research-wiki/ --strict --json  # exit with 10 when the wiki has a gap",
    ],
    signals: &[(
        10,
        "with --strict: a paper is missing, or something could not be read",
    )],
    ok: "measured, whatever was found",
    errors: &[
        ErrorKind::NotFound,
        ErrorKind::Validation,
        ErrorKind::Precondition,
    ],
    schemas: &[report::SCHEMA],
    samples: &[Sample {
        args: &["--json", "absent-wiki"],
        exit: &[3],
    }],
    network: Network::None,
    deadline: None,
};

/// Measures the coverage of the wiki that `cli` names.
pub fn run(cli: Cli, context: &Context) -> Result<Outcome<Report>, Error> {
    let wiki = context.absolute(&cli.wiki_root);
    if !wiki.join("papers").is_dir() {
        return Err(Error::Wiki { path: wiki });
    }
    let wiki = wiki.canonicalize().unwrap_or(wiki);
    let output = match &cli.output {
        Some(path) => context.absolute(path),
        None => wiki.join(REPORT_NAME),
    };
    let earlier = earlier(&output, cli.output.is_some())?;

    let (roots, absent) = roots(&cli.scan, context);
    if let ([], [path, ..]) = (roots.as_slice(), absent.as_slice()) {
        return Err(Error::Scan { path: path.clone() });
    }
    for path in &absent {
        context.warn(&format!("{} does not exist: not scanned", path.display()));
    }
    if roots.is_empty() {
        context.warn("there is nothing to scan, so missing papers cannot be found");
    }
    let except = output.canonicalize().unwrap_or_else(|_| output.clone());
    let found = files::find(&roots, &except);
    let places = usize::from(cli.places);
    let scanned = files::scan_all(&found.found, places);
    if scanned.tally.overflow {
        return Err(Error::TooMany);
    }

    let pages = Pages::read(&wiki, &cli.wiki_root)?;
    let mut unread = found.unread;
    unread.extend(scanned.unread);
    unread.extend(pages.unread);

    let today = context.now();
    let month = month_of(&aris_contract::time::stamp(today));
    let mut named = scanned.tally.without_those_after(month);
    if cli.announced {
        named.retain(|_, mentions| mentions.announced);
    }
    let (mut referenced, mut missing, mut impossible) = (0, Vec::new(), Vec::new());
    for (named, mentions) in named {
        let (count, places) = (mentions.count, places_of(&mentions, &found.found));
        match named {
            Named::Id(id) => {
                referenced += 1;
                if !pages.ids.contains(&id) {
                    missing.push(Missing {
                        id: id.to_string(),
                        announced: mentions.announced,
                        mentions: count,
                        places,
                    });
                }
            }
            Named::Impossible { text, why } => impossible.push(Impossible {
                id: text,
                why,
                mentions: count,
                places,
            }),
        }
    }

    let mut read = scanned.read;
    read.links = found.links.len() as u64;
    read.special = found.special;
    let mut report = Report {
        schema: report::SCHEMA,
        tool: TOOL,
        wiki_root: wiki.display().to_string(),
        scanned_paths: shown(roots.iter().map(|(shown, _)| shown)),
        generated_at: aris_contract::time::stamp(today),
        referenced_arxiv_ids: referenced,
        ingested_arxiv_ids: pages.ids.len(),
        missing_from_wiki: missing.len(),
        diagnostic_only: true,
        missing_ids: missing.iter().map(|missing| missing.id.clone()).collect(),
        missing,
        impossible,
        complete: unread.is_empty() && absent.is_empty(),
        unread,
        absent_paths: shown(absent.iter()),
        pages: pages.count,
        read,
        written_to: output.display().to_string(),
        wiki_given: cli.wiki_root.display().to_string(),
    };
    keep(&mut report, earlier, &output)?;
    let gaps = cli.strict && report.has_gaps();
    Ok(Outcome::found(report, gaps))
}

/// The existing report at `path`. A named file that is something else is an error.
fn earlier(path: &Path, named: bool) -> Result<Option<Value>, Error> {
    if named {
        aris_fs::check_output(path, Form::Json(&["tool", "missing_ids"]), &[])?;
    }
    let bytes = match aris_fs::read_optional(path, aris_fs::READ_LIMIT) {
        Ok(bytes) => bytes.unwrap_or_default(),
        // The write will report a folder in the way.
        Err(FsError::NotRegular { .. }) if path.is_dir() => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    Ok(serde_json::from_slice(&bytes).ok())
}

/// Writes the report, unless only its time would change; the old time then stays.
fn keep(report: &mut Report, earlier: Option<Value>, output: &Path) -> Result<(), Error> {
    const TIME: &str = "generated_at";
    if let Some(earlier) = earlier
        && let Some(Value::String(time)) = earlier.get(TIME)
    {
        let now = std::mem::replace(&mut report.generated_at, time.clone());
        if serde_json::to_value(&*report)? == earlier {
            return Ok(());
        }
        report.generated_at = now;
    }
    let text = format!("{}\n", serde_json::to_string_pretty(report)?);
    Ok(aris_fs::write_output(output, text.as_bytes())?)
}

/// A path for messages, and the real path.
type Root = (PathBuf, PathBuf);

/// The existing paths to scan, and those that were given but do not exist.
fn roots(asked: &[PathBuf], context: &Context) -> (Vec<Root>, Vec<PathBuf>) {
    let root = |path: &PathBuf| (path.clone(), context.absolute(path));
    // A dangling link exists; reading it fails later and is reported.
    let exists = |(_, path): &Root| path.symlink_metadata().is_ok();
    if asked.is_empty() {
        let usual = USUAL.iter().map(PathBuf::from);
        (
            usual.map(|path| root(&path)).filter(exists).collect(),
            Vec::new(),
        )
    } else {
        let (there, absent): (Vec<Root>, Vec<Root>) = asked.iter().map(root).partition(exists);
        (there, absent.into_iter().map(|(shown, _)| shown).collect())
    }
}

fn shown<'a>(paths: impl Iterator<Item = &'a PathBuf>) -> Vec<String> {
    paths.map(|path| path.display().to_string()).collect()
}

fn places_of(mentions: &Mentions, files: &[Found]) -> Vec<Place> {
    let place = |spot: &tally::Spot| {
        let path = files.get(spot.file)?.shown.display().to_string();
        Some(Place {
            path,
            line: spot.line,
        })
    };
    mentions.spots.iter().filter_map(place).collect()
}

/// Year and month of a time stamp such as `2026-11-20T…`.
fn month_of(stamp: &str) -> (u16, u8) {
    let mut parts = stamp.split('-');
    let year = parts.next().and_then(|year| year.parse().ok());
    let month = parts.next().and_then(|month| month.parse().ok());
    (year.unwrap_or(u16::MAX), month.unwrap_or(u8::MAX))
}

/// The pages of the wiki.
#[derive(Default)]
struct Pages {
    count: usize,
    ids: BTreeSet<ArxivId>,
    unread: Vec<Unread>,
}

impl Pages {
    fn read(wiki: &Path, given: &Path) -> Result<Self, Error> {
        let pages = files::pages(&wiki.join("papers"), &given.join("papers"))?;
        let workers = aris_fs::in_parallel(&pages, Self::default, |all, _, page| all.take(page));
        let mut all = Self::default();
        for worker in workers {
            all.count += worker.count;
            all.ids.extend(worker.ids);
            all.unread.extend(worker.unread);
        }
        all.unread.sort();
        Ok(all)
    }

    fn take(&mut self, page: &Found) {
        self.count += 1;
        let head = aris_fs::open(&page.path).and_then(|file| file.head(HEADER));
        match head {
            Ok(bytes) => {
                let text = Page::parse(String::from_utf8_lossy(&bytes).into_owned());
                let Papers { ids, faults } = Papers::of(&text);
                self.ids.extend(ids);
                self.unread
                    .extend(faults.into_iter().map(|(line, why)| Unread {
                        line: Some(line as u64),
                        ..Unread::new(&page.shown, why)
                    }));
            }
            Err(error) => self.unread.push(files::unread(&page.shown, &error)),
        }
    }
}
