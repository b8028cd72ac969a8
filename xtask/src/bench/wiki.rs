//! A wiki of 10,000 pages: adding a paper, adding 800, lint, and search; beside the reference's program where `ARIS_REFERENCE` names it.

use std::fmt::Write as _;
use std::path::Path;

use super::Binaries;
use super::measure::{Call, Figures, heading, row};
use crate::fault::Fault;

const PAGES: usize = 10_000;
const RUNS: usize = 9;
const SYNCED: usize = 800;

/// Limits in milliseconds. **Source**: the project's own promises to users.
const INGEST_MS: f64 = 50.0;
const LINT_MS: f64 = 2000.0;
const SYNC_MS: f64 = 1000.0;
const SEARCH_MS: f64 = 50.0;

pub(super) fn run(binaries: &Binaries) -> Result<(), Fault> {
    heading(&format!(
        "research_wiki: {PAGES} pages, {RUNS} runs, min / median / max"
    ));
    let temp = tempfile::tempdir().map_err(Fault::from_error)?;
    let program = binaries.path("research_wiki");
    for wiki in ["ours", "theirs"] {
        Call::new(&program, &["init", wiki, "-q"], temp.path()).once()?;
        fill(&temp.path().join(wiki))?;
    }
    #[expect(clippy::disallowed_methods, reason = "a setting of this bench alone")]
    let reference = std::env::var("ARIS_REFERENCE").ok();
    Call::new(&program, &["rebuild_query_pack", "ours", "-q"], temp.path()).once()?;
    let (mut ours, mut theirs, mut lint) =
        (Figures::default(), Figures::default(), Figures::default());
    let mut nothing = Figures::default();
    for n in 0..RUNS {
        let title = format!("Benchmark paper {n} about wikis");
        let paper = ["--title", &title, "--authors", "Ann Lee", "--year", "2025"];
        let args: Vec<&str> = ["ingest_paper", "ours"].into_iter().chain(paper).collect();
        ours.push(Call::new(&program, &args, temp.path()).once()?);
        if let Some(script) = &reference {
            let args: Vec<&str> = [script.as_str(), "ingest_paper", "theirs"]
                .into_iter()
                .chain(paper)
                .collect();
            theirs.push(Call::new("python3", &args, temp.path()).once()?);
        }
        nothing.push(Call::new("true", &[], temp.path()).once()?);
        let findings = "\"$0\" lint ours -q > /dev/null; test $? -eq 10";
        let check = Call::new(
            "sh",
            &["-c", findings, &program.display().to_string()],
            temp.path(),
        );
        lint.push(check.once()?);
    }
    row("one paper more", ours.millis());
    row(
        "  limit / median",
        format!("{:.1} x", INGEST_MS / (ours.median() * 1e3)),
    );
    if reference.is_some() {
        row("the reference's program, same run", theirs.millis());
        row(
            "  its time / ours, pair by pair",
            theirs.over(&ours).ratio(),
        );
    } else {
        row(
            "the reference's program",
            "not measured: ARIS_REFERENCE is not set",
        );
    }
    row("lint", lint.millis());
    row(
        "  limit / median",
        format!("{:.1} x", LINT_MS / (lint.median() * 1e3)),
    );
    row("an empty process", nothing.millis());
    let mut sync = Figures::default();
    for n in 0..3 {
        let name = format!("records{n}.json");
        write(&temp.path().join(&name), records(n).as_bytes())?;
        let args = ["sync", "ours", "--metadata", &name, "-q"];
        sync.push(Call::new(&program, &args, temp.path()).once()?);
    }
    row(&format!("{SYNCED} papers at once"), sync.millis());
    row(
        "  limit / median",
        format!("{:.1} x", SYNC_MS / (sync.median() * 1e3)),
    );
    search(&program, temp.path())
}

/// Words of every page, and of one. The index is there, as after any search before.
fn search(program: &Path, folder: &Path) -> Result<(), Fault> {
    for (words, what) in [("study", "all pages"), ("4711", "one page")] {
        let args = ["search", "theirs", words, "-q"];
        let call = Call::new(program, &args, folder);
        call.once()?;
        let mut time = Figures::default();
        for _ in 0..RUNS {
            time.push(call.once()?);
        }
        row(&format!("search for a word of {what}"), time.millis());
        row(
            "  limit / median",
            format!("{:.1} x", SEARCH_MS / (time.median() * 1e3)),
        );
    }
    Ok(())
}

/// Pages of papers in the reference's form.
fn fill(wiki: &Path) -> Result<(), Fault> {
    for n in 0..PAGES {
        let mut page = format!(
            "---\ntype: paper\nnode_id: paper:author{n}\ntitle: \"Study number {n} of many\"\nauthors: [\"Author {n}\"]\nyear: 2020\n\
             venue: \"arXiv\"\nexternal_ids:\n  arxiv: \"20{:02}.{:05}\"\n  doi: null\n  s2: null\ntags: [\"t{}\", \"u{}\"]\n---\n\n",
            1 + n % 12,
            1 + n,
            n % 400,
            n % 300,
        );
        for heading in [
            "One-line thesis",
            "Method",
            "Key Results",
            "Open Questions",
            "Claims",
        ] {
            write!(
                page,
                "## {heading}\nWords about study {n}, enough of them to fill a line.\n\n"
            )
            .map_err(Fault::from_error)?;
        }
        write(&wiki.join(format!("papers/author{n}.md")), page.as_bytes())?;
    }
    Ok(())
}

fn records(round: usize) -> String {
    let record = |n: usize| {
        format!(
            "{{\"title\":\"Synced paper {round} {n}\",\"authors\":[{{\"name\":\"Ann Lee{n}\"}}],\"year\":2024,\
             \"ids\":{{\"arxiv\":\"24{:02}.{:05}\"}}}}\n",
            1 + round,
            1 + n
        )
    };
    (0..SYNCED).map(record).collect()
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), Fault> {
    aris_fs::replace_unsynced(path, bytes).map_err(Fault::from_error)
}
