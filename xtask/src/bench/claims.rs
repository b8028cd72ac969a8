//! The claim audit on papers with their data: bindings, planted faults, proposals, and the time of 1,000 bindings.
//!
//! The experiments with bindings and faults are the tests `papers`, `faults` and `oracle` of `paper_claim_audit`, run over the release
//! build, so that the figures here are the ones they hold. Proposals and times are measured here.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;

use super::Bench;
use super::gate::letters;
use super::measure::{Limit::Median, Place, compare, heading, row};
use super::tests_of_crates::figures;
use crate::fault::Fault;
use crate::random::Random;

/// One call on one paper.
const CALL: Duration = Duration::from_mins(5);

/// Where public papers with data and labels lie, unless another folder is named.
const PAPERS: &str = "../shared/fixtures/papers";

/// Bindings of the papers that are timed.
const BINDINGS: usize = 1000;

pub(super) fn run(bench: &Bench<'_>) -> Result<(), Fault> {
    let folder = bench
        .papers
        .map_or_else(|| bench.workspace.at(PAPERS), Path::to_path_buf);
    if let Ok(folder) = folder.canonicalize() {
        heading("claims: labelled bindings, and faults put into the papers");
        println!("  | class | paper | as it must be | wrongly accused |");
        let program = bench.path("paper_claim_audit");
        let variables = [
            ("PAPER_CLAIM_AUDIT_BINARY", program.as_os_str()),
            ("PAPER_CLAIM_AUDIT_PAPERS", folder.as_os_str()),
        ];
        figures(
            bench,
            "paper_claim_audit",
            "program",
            &["papers::", "faults::", "oracle::"],
            &variables,
        )?;
        proposals(bench, &folder)?;
    } else {
        row(
            "papers",
            format!("not measured: {} is absent", folder.display()),
        );
    }
    speed(bench, 100, 1)?;
    speed(bench, 1, 10)
}

/// For each place, its file, line and column: the values that are given there, with the files they come from.
type Given = BTreeMap<(String, u64, u64), Vec<(f64, BTreeSet<String>)>>;

fn given<'a>(entries: impl IntoIterator<Item = &'a Value>) -> Given {
    let read = |entry: &Value| {
        let place = (
            entry["file"].as_str()?.to_owned(),
            entry["line"].as_u64()?,
            entry["column"].as_u64()?,
        );
        let value = &entry["value"];
        let value = value.as_f64().or_else(|| value.as_str()?.parse().ok())?;
        let path = |file: &Value| file["path"].as_str().map(str::to_owned);
        let files = entry["evidence"]
            .as_array()?
            .iter()
            .filter_map(path)
            .collect();
        Some((place, (value, files)))
    };
    let mut all = Given::new();
    for (place, one) in entries.into_iter().filter_map(read) {
        all.entry(place).or_default().push(one);
    }
    all
}

/// Proposals for every paper without its bindings, over its own data and over those of every other paper.
fn proposals(bench: &Bench<'_>, papers: &Path) -> Result<(), Fault> {
    heading(
        "claims: proposals for numbers with a labelled binding; right = at the same place, the same value (1e-9), from the same data files",
    );
    let entries = aris_fs::list_sorted(papers)?
        .into_iter()
        .map(|entry| entry.path);
    let folders: Vec<PathBuf> = entries
        .filter(|folder| folder.join("claims.toml").is_file())
        .collect();
    let (mut own, mut chance) = ([0; 4], [0; 4]);
    for folder in &folders {
        let truth = bound(bench, folder)?;
        for source in &folders {
            let counts = count(&truth, &proposed(bench, folder, source)?);
            let sum = if source == folder {
                &mut own
            } else {
                &mut chance
            };
            *sum = std::array::from_fn(|at| sum[at] + counts[at]);
            if source == folder {
                row(
                    &folder.file_name().unwrap_or_default().to_string_lossy(),
                    show(counts),
                );
            }
        }
    }
    row("all", show(own));
    row("chance: with each other paper's data", show(chance));
    Ok(())
}

/// Numbers; those with proposals; those whose first, and one of whose first three, is right.
fn count(truth: &Given, found: &Given) -> [usize; 4] {
    let mut counts = [truth.len(), 0, 0, 0];
    for (place, right) in truth {
        let Some(proposals) = found.get(place) else {
            continue;
        };
        let same = |one: f64, other: f64| (one - other).abs() <= 1e-9 * other.abs();
        let is_right = |(value, files): &(f64, BTreeSet<String>)| {
            right
                .iter()
                .any(|right| same(*value, right.0) && *files == right.1)
        };
        counts[1] += 1;
        counts[2] += usize::from(proposals.iter().take(1).any(is_right));
        counts[3] += usize::from(proposals.iter().take(3).any(is_right));
    }
    counts
}

fn show([numbers, proposed, first, third]: [usize; 4]) -> String {
    let share = |count: usize| {
        format!(
            "{count} ({} %)",
            (200 * count + numbers) / (2 * numbers).max(1)
        )
    };
    format!(
        "{numbers} numbers, proposals for {}, top-1 right {}, top-3 right {}",
        share(proposed),
        share(first),
        share(third)
    )
}

/// What the labelled bindings of a paper give; a number may be bound twice.
fn bound(bench: &Bench<'_>, folder: &Path) -> Result<Given, Fault> {
    let place = Place::new()?;
    bench
        .shell(
            "cp -R --no-preserve=mode \"$0\"/. . && mkdir -p .git",
            folder,
            place.path(),
        )
        .once()?;
    answer(bench, &["."], place.path())?;
    let text = aris_fs::read_text(&place.at("PAPER_CLAIM_AUDIT.json"))?;
    let artifact: Value = serde_json::from_str(&text).map_err(Fault::from_error)?;
    let holds = |entry: &&Value| {
        let status = entry["status"].as_str().unwrap_or_default();
        ["exact_match", "rounding_ok"].contains(&status)
            && entry["shown"]
                .as_str()
                .is_some_and(|shown| !shown.is_empty())
    };
    Ok(given(
        artifact["details"]["claims"]
            .as_array()
            .into_iter()
            .flatten()
            .filter(holds),
    ))
}

/// Proposals for a paper without its bindings, best first for each place, over the data of `source`.
fn proposed(bench: &Bench<'_>, folder: &Path, source: &Path) -> Result<Given, Fault> {
    let place = Place::new()?;
    bench
        .shell(
            "cp -R --no-preserve=mode \"$0\"/. . && mkdir -p .git",
            source,
            place.path(),
        )
        .once()?;
    if source != folder {
        let text = "find . -name '*.tex' -delete; cd \"$0\"; find . -name '*.tex' -exec cp --parents --no-preserve=mode {} \"$OLDPWD\" \\;";
        bench.shell(text, folder, place.path()).once()?;
    }
    let text = aris_fs::read_text(&source.join("claims.toml"))?;
    let mut claims: toml_edit::DocumentMut = text.parse().map_err(Fault::from_error)?;
    claims.retain(|key, _| ["version", "data"].contains(&key));
    if let Some(data) = claims
        .get_mut("data")
        .and_then(toml_edit::Item::as_table_mut)
    {
        data.remove("view");
    }
    place.write("claims.toml", claims.to_string())?;
    let answer = answer(
        bench,
        &["suggest", ".", "--limit", "1000000", "--json"],
        place.path(),
    )?;
    let list = answer["data"]["proposals"].as_array();
    Ok(given(list.ok_or_else(|| {
        Fault::new("suggest --json gives no data.proposals")
    })?))
}

/// What the program prints with `--json`, or nothing.
fn answer(bench: &Bench<'_>, args: &[&str], folder: &Path) -> Result<Value, Fault> {
    let done = aris_proc::command(bench.path("paper_claim_audit"), folder)
        .args(args)
        .capture_limit(1 << 30)
        .run(CALL)?;
    if ![0, 10].contains(&done.code()?) {
        return Err(Fault::new(format!(
            "paper_claim_audit {args:?}: {}",
            done.stderr.text()
        )));
    }
    Ok(serde_json::from_str(&done.stdout.text()).unwrap_or_default())
}

/// Times 1,000 bindings over `files` files of `mib` MB, beside Python's csv reading the same bytes.
fn speed(bench: &Bench<'_>, files: usize, mib: u32) -> Result<(), Fault> {
    heading(format!(
        "claims: {BINDINGS} bindings over {files} CSV of {mib} MB, whole process, 5 runs"
    ));
    let place = Place::new()?;
    fill(&place, files, mib as usize * 1_000_000)?;
    let ours = bench.call("paper_claim_audit .", place.path());
    let script = "import csv, glob\nfor path in glob.glob('results/*.csv'):\n  for row in csv.reader(open(path)): row[1]";
    let python = bench.call("python3 -c", place.path()).arg(script);
    let nothing = bench.call("true", place.path());
    let (name, peer) = match python.once() {
        Ok(_) => ("Python's csv, reading only", python),
        Err(_) => ("an empty process (Python is not installed)", nothing),
    };
    compare("paper_claim_audit", &ours, name, &peer, 5, Median(2000.0))?;
    ours.memory(64.0 + f64::from(mib) / 1.048_576)
}

/// A paper whose every sentence shows the sum of one group of rows, all bound, and the data.
fn fill(place: &Place, files: usize, bytes: usize) -> Result<(), Fault> {
    let mut body = String::from("\\documentclass{article}\n\\begin{document}\n");
    let mut claims = String::from("version = 1\n");
    let groups = BINDINGS / files;
    let mut random = Random(7);
    for file in 0..files {
        let mut sums = vec![0; groups];
        let mut text = String::with_capacity(bytes + 100);
        text.push_str("group,value,loss,time,note\n");
        for number in 0.. {
            if text.len() >= bytes {
                break;
            }
            let (cents, loss, group) = (
                random.below(100_000),
                random.below(1_000_000),
                number % groups,
            );
            sums[group] += cents;
            let (name, whole, part) = (letters(group), cents / 100, cents % 100);
            text.extend([format!(
                "{name},{whole}.{part:02},0.{loss:06},{number},a note of the run\n"
            )]);
        }
        let path = format!("results/{}.csv", letters(file));
        place.write(&path, &text)?;
        for (group, sum) in sums.iter().enumerate() {
            let (name, shown) = (
                letters(file * groups + group),
                format!("{}.{:02}", sum / 100, sum % 100),
            );
            let group = letters(group);
            body.extend([format!("The total of series {name} is {shown} in all.\n\n")]);
            claims.extend([format!(
                "\n[[claim]]\nid = \"{name}\"\nin = \"main.tex\"\ntext = \"The total of series {name} is [[{shown}]] in all.\"\n\
                 value = '''select sum(value) from \"{path}\" where \"group\" = '{group}' '''\n"
            )]);
        }
    }
    body.push_str("\\end{document}\n");
    place.write("main.tex", body)?;
    place.write("claims.toml", claims)?;
    place.write(".git/keep", "")
}
