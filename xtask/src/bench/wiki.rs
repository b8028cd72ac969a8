//! A wiki of 10,000 pages: adding a paper, adding 800, lint, and search. And the coverage of a wiki over many files. Both beside the
//! reference's programs where a variable names them.

use super::Bench;
use super::measure::{Limit::Median, Place, compare, heading, read_all, row};
use crate::fault::Fault;
use crate::random::Random;
use crate::workspace::variable;

const PAGES: usize = 10_000;
const RUNS: usize = 9;
const SYNCED: usize = 800;

pub(super) fn run(bench: &Bench<'_>) -> Result<(), Fault> {
    heading(format!("research_wiki: {PAGES} pages, {RUNS} runs"));
    let place = Place::new()?;
    for wiki in ["ours", "theirs"] {
        bench
            .call(&format!("research_wiki init {wiki} -q"), place.path())
            .once()?;
        for n in 0..PAGES {
            place.write(&format!("{wiki}/papers/author{n}.md"), page(n))?;
        }
    }
    bench
        .call("research_wiki rebuild_query_pack ours -q", place.path())
        .once()?;
    let nothing = bench.call("true", place.path());
    let reference = variable("ARIS_REFERENCE");
    let ingest = |program: &str, n: usize| {
        let title = format!("Benchmark paper {n} about wikis");
        let call = bench.call(&format!("{program} --year 2025 --authors"), place.path());
        call.arg("Ann Lee").arg("--title").arg(&title).once()
    };
    let (mut n, mut other) = (0, 0);
    let ours = || {
        n += 1;
        ingest("research_wiki ingest_paper ours", n)
    };
    let limit = Median(50.0);
    if let Some(script) = reference {
        let words = format!("python3 {} ingest_paper theirs", script.display());
        let theirs = || {
            other += 1;
            ingest(&words, other)
        };
        compare(
            "one paper more",
            ours,
            "the reference's program",
            theirs,
            RUNS,
            limit,
        )?;
    } else {
        row(
            "the reference's program",
            "not measured: ARIS_REFERENCE is not set",
        );
        compare(
            "one paper more",
            ours,
            "an empty process",
            &nothing,
            RUNS,
            limit,
        )?;
    }
    let findings = "\"$0\" lint ours -q > /dev/null || test $? -eq 10";
    let lint = bench.shell(findings, bench.path("research_wiki"), place.path());
    compare(
        "lint",
        &lint,
        "an empty process",
        &nothing,
        RUNS,
        Median(2000.0),
    )?;
    let mut round = 0;
    let sync = || {
        round += 1;
        place.write("records.json", records(round))?;
        bench
            .call(
                "research_wiki sync ours --metadata records.json -q",
                place.path(),
            )
            .once()
    };
    compare(
        &format!("{SYNCED} papers at once"),
        sync,
        "an empty process",
        &nothing,
        3,
        Median(1000.0),
    )?;
    // Words of every page, and of one. The index is there, as after any search before.
    for (word, what) in [("study", "all pages"), ("4711", "one page")] {
        let search = bench.call(
            &format!("research_wiki search theirs {word} -q"),
            place.path(),
        );
        let what = format!("search for a word of {what}");
        compare(
            &what,
            &search,
            "an empty process",
            &nothing,
            RUNS,
            Median(50.0),
        )?;
    }
    Ok(())
}

/// A paper in the reference's form.
fn page(n: usize) -> String {
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
        page.extend([format!(
            "## {heading}\nWords about study {n}, enough of them to fill a line.\n\n"
        )]);
    }
    page
}

fn records(round: usize) -> String {
    let record = |n: usize| {
        format!(
            "{{\"title\":\"Synced paper {round} {n}\",\"authors\":[{{\"name\":\"Ann Lee{n}\"}}],\"year\":2024,\
             \"ids\":{{\"arxiv\":\"24{round:02}.{:05}\"}}}}\n",
            1 + n
        )
    };
    (0..SYNCED).map(record).collect()
}

pub(super) fn coverage(bench: &Bench<'_>) -> Result<(), Fault> {
    heading("coverage: 300 MiB in 20000 files, 1000 pages, 9 runs");
    let place = Place::new()?;
    for page in 1..=1000 {
        let text = format!(
            "---\ntype: paper\nexternal_ids:\n  arxiv: \"2401.{page:05}\"\n---\n\n# Page\n"
        );
        place.write(&format!("wiki/papers/p{page}.md"), text)?;
    }
    let mut random = Random(7);
    for number in 0..20_000 {
        place.write(
            &format!("scan/{}/{number}.md", number / 100),
            notes(&mut random, (300 << 20) / 20_000),
        )?;
    }
    let ours = bench.call("verify_wiki_coverage wiki --scan scan -q", place.path());
    let reading = || read_all(&place.at("scan"));
    compare(
        "verify_wiki_coverage",
        &ours,
        "reading the same files, all processors",
        reading,
        9,
        Median(400.0),
    )?;
    ours.memory(40.0)?;
    bench.beside_script(
        "ARIS_REFERENCE_COVERAGE",
        "bash",
        "wiki --scan scan",
        &ours,
        2,
    )
}

/// Text as agents leave it: prose, numbers of all kinds, paths, dates, and an identifier in about every second kilobyte.
fn notes(random: &mut Random, bytes: usize) -> String {
    let mut text = String::with_capacity(bytes + 100);
    while text.len() < bytes {
        let n = random.below(100_000);
        let line = match random.below(24) {
            0 => format!(
                "loss {}.{n:05} after 2026-11-20T10:{:02}:00Z\n",
                n % 7,
                n % 60
            ),
            1 => format!("\"value\": {}.{n}, \"seed\": {n},\n", n % 5000),
            2 => format!("see https://example.org/a/b/{n}/file.html and src/model/{n:07}.rs\n"),
            3 if n.is_multiple_of(3) => format!(
                "as in arXiv:24{:02}.{:05}, and more\n",
                1 + n % 12,
                1 + n % 3000
            ),
            _ => String::from(
                "The reviewer asks for an ablation of the second term, and for error bars over five seeds.\n",
            ),
        };
        text.push_str(&line);
    }
    text
}
