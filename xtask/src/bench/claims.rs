//! The claim audit on papers with their data: bindings, planted faults, proposals, and the time of 1,000 bindings.
//!
//! The experiments with bindings and faults are the tests `papers`, `faults` and `oracle` of `paper_claim_audit`, run over the release
//! build, so that the figures here are the ones they hold. Proposals and times are measured here.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;

use super::measure::{Call, Random, heading, pair, row};
use crate::cargo::{build, cargo};
use crate::fault::Fault;
use crate::workspace::Workspace;

/// A cold build of the program and its tests takes some minutes, and so do the faults of many papers.
const DEADLINE: Duration = Duration::from_hours(1);

/// One call on one paper.
const CALL: Duration = Duration::from_mins(5);

/// Where public papers with data and labels lie, unless another folder is named.
const PAPERS: &str = "../shared/fixtures/papers";

/// Limit on the time for 1,000 bindings over 100 MB, in seconds. **Source**: the project's own promise to users.
const LIMIT: f64 = 2.0;

/// Limit on memory beyond the largest file, in MiB. **Source**: as above.
const LIMIT_MIB: f64 = 64.0;

/// Bindings of the papers that are timed.
const BINDINGS: usize = 1000;

const RUNS: usize = 5;

pub(super) fn run(workspace: &Workspace, papers: Option<&Path>) -> Result<(), Fault> {
    let folder = papers.map_or_else(|| workspace.at(PAPERS), Path::to_path_buf);
    let binaries = build(workspace, &["paper_claim_audit"], "release")?;
    let program = binaries.join("paper_claim_audit");
    if folder.is_dir() {
        let folder = folder.canonicalize().map_err(Fault::from_error)?;
        experiments(workspace, &program, &folder)?;
        proposals(&program, &folder)?;
    } else {
        row(
            "papers",
            format!("not measured: {} is absent", folder.display()),
        );
    }
    speed(&program, 100, 1)?;
    speed(&program, 1, 10)
}

/// Runs the tests that put faults into papers and shows their rows.
fn experiments(workspace: &Workspace, program: &Path, papers: &Path) -> Result<(), Fault> {
    heading("claims: labelled bindings, and faults put into the papers");
    let done = cargo(workspace)
        .args([
            "test",
            "--quiet",
            "--package",
            "paper_claim_audit",
            "--test",
            "program",
            "--",
        ])
        .args([
            "papers::",
            "faults::",
            "oracle::",
            "--nocapture",
            "--test-threads=1",
        ])
        .env("PAPER_CLAIM_AUDIT_BINARY", program)
        .env("PAPER_CLAIM_AUDIT_PAPERS", papers)
        .run(DEADLINE)?;
    let text = done.stdout.text();
    println!("  | class | paper | as it must be | wrongly accused |");
    for line in text
        .lines()
        .filter_map(|line| line.find("| ").and_then(|at| line.get(at..)))
    {
        println!("  {line}");
    }
    if done.code()? != 0 {
        let problem = done.stderr.text();
        row(
            "not all as it must be",
            problem.lines().take(12).collect::<Vec<_>>().join("\n    "),
        );
    }
    Ok(())
}

/// File, line and column of a number.
type Place = (String, u64, u64);

/// What a binding or a proposal gives: value, and the files it comes from.
#[derive(PartialEq)]
struct Given {
    value: f64,
    files: BTreeSet<String>,
}

impl Given {
    fn of(entry: &Value) -> Option<Self> {
        let value = entry.get("value")?;
        let value = value.as_f64().or_else(|| value.as_str()?.parse().ok())?;
        let evidence = entry.get("evidence")?.as_array()?;
        let path = |file: &Value| file.get("path")?.as_str().map(str::to_owned);
        Some(Self {
            value,
            files: evidence.iter().filter_map(path).collect(),
        })
    }

    fn is(&self, other: &Self) -> bool {
        (self.value - other.value).abs() <= 1e-9 * other.value.abs() && self.files == other.files
    }
}

fn place(entry: &Value) -> Option<Place> {
    let number = |field: &str| entry.get(field)?.as_u64();
    let file = entry.get("file")?.as_str()?.to_owned();
    Some((file, number("line")?, number("column")?))
}

/// Counts over some papers.
#[derive(Default)]
struct Counts {
    numbers: usize,
    proposed: usize,
    first: usize,
    third: usize,
}

impl Counts {
    fn add(&mut self, other: &Self) {
        self.numbers += other.numbers;
        self.proposed += other.proposed;
        self.first += other.first;
        self.third += other.third;
    }

    fn show(&self) -> String {
        let share = |count: usize| {
            format!(
                "{count} ({} %)",
                (200 * count + self.numbers) / (2 * self.numbers).max(1)
            )
        };
        format!(
            "{} numbers, proposals for {}, top-1 right {}, top-3 right {}",
            self.numbers,
            share(self.proposed),
            share(self.first),
            share(self.third)
        )
    }
}

/// Proposals for every paper without its bindings, over its own data and over those of every other paper.
fn proposals(program: &Path, papers: &Path) -> Result<(), Fault> {
    heading(
        "claims: proposals for numbers with a labelled binding; right = at the same place, the same value (1e-9), from the same data files",
    );
    let entries = aris_fs::list_sorted(papers)?;
    let folders: Vec<PathBuf> = entries
        .into_iter()
        .map(|entry| papers.join(entry.name))
        .filter(|folder| folder.join("claims.toml").is_file())
        .collect();
    let (mut own, mut chance) = (Counts::default(), Counts::default());
    for folder in &folders {
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        let truth = bound(program, folder)?;
        let counts = count(&truth, &proposed(program, folder, folder)?);
        row(&name, counts.show());
        own.add(&counts);
        for other in folders.iter().filter(|other| *other != folder) {
            chance.add(&count(&truth, &proposed(program, folder, other)?));
        }
    }
    row("all", own.show());
    row("chance: with each other paper's data", chance.show());
    Ok(())
}

/// What the labelled bindings of a paper give, by place; a number may be bound twice.
fn bound(program: &Path, folder: &Path) -> Result<BTreeMap<Place, Vec<Given>>, Fault> {
    let temp = copy(folder)?;
    answer(program, &["."], temp.path())?;
    let text = aris_fs::read_text(&temp.path().join("PAPER_CLAIM_AUDIT.json"))?;
    let artifact: Value = serde_json::from_str(&text).map_err(Fault::from_error)?;
    let claims = artifact
        .pointer("/details/claims")
        .and_then(Value::as_array);
    let mut truth: BTreeMap<Place, Vec<Given>> = BTreeMap::new();
    for entry in claims.into_iter().flatten() {
        let status = entry.get("status").and_then(Value::as_str);
        let agrees = status.is_some_and(|status| ["exact_match", "rounding_ok"].contains(&status));
        let shown = entry
            .get("shown")
            .and_then(Value::as_str)
            .is_some_and(|shown| !shown.is_empty());
        if let (true, true, Some(place), Some(given)) =
            (agrees, shown, place(entry), Given::of(entry))
        {
            truth.entry(place).or_default().push(given);
        }
    }
    Ok(truth)
}

/// Proposals for a paper without its bindings, best first for each place, over the data of `source`.
fn proposed(
    program: &Path,
    folder: &Path,
    source: &Path,
) -> Result<BTreeMap<Place, Vec<Given>>, Fault> {
    let temp = copy(folder)?;
    let mut prefix = "";
    if source != folder {
        prefix = "other/";
        let script = "mkdir other && cp -R --no-preserve=mode \"$0\"/. other && find other -name '*.tex' -delete";
        Call::new(
            "sh",
            &["-c", script, &source.display().to_string()],
            temp.path(),
        )
        .once()?;
    }
    let text = aris_fs::read_text(&source.join("claims.toml"))?;
    aris_fs::write_unsynced(
        &temp.path().join("claims.toml"),
        data_alone(&text, prefix)?.as_bytes(),
    )?;
    let answer = answer(
        program,
        &["suggest", ".", "--limit", "1000000", "--json"],
        temp.path(),
    )?;
    let mut found: BTreeMap<Place, Vec<Given>> = BTreeMap::new();
    let list = answer.pointer("/data/proposals").and_then(Value::as_array);
    let list = list.ok_or_else(|| Fault::new("suggest --json gives no data.proposals"))?;
    for entry in list {
        if let (Some(place), Some(given)) = (place(entry), Given::of(entry)) {
            found.entry(place).or_default().push(given);
        }
    }
    Ok(found)
}

fn count(truth: &BTreeMap<Place, Vec<Given>>, found: &BTreeMap<Place, Vec<Given>>) -> Counts {
    let mut counts = Counts {
        numbers: truth.len(),
        ..Counts::default()
    };
    for (place, right) in truth {
        let Some(proposals) = found.get(place) else {
            continue;
        };
        let is_right = |proposal: &Given| right.iter().any(|given| proposal.is(given));
        counts.proposed += 1;
        counts.first += usize::from(proposals.iter().take(1).any(is_right));
        counts.third += usize::from(proposals.iter().take(3).any(is_right));
    }
    counts
}

/// claims.toml with nothing but what says where the data lie; their paths begin with `prefix`.
fn data_alone(text: &str, prefix: &str) -> Result<String, Fault> {
    let mut claims: toml_edit::DocumentMut = text.parse().map_err(Fault::from_error)?;
    claims.retain(|key, _| ["version", "data"].contains(&key));
    if let Some(data) = claims
        .get_mut("data")
        .and_then(toml_edit::Item::as_table_mut)
    {
        data.remove("view");
        for list in ["include", "exclude"] {
            let globs = data.get_mut(list).and_then(toml_edit::Item::as_array_mut);
            for glob in globs.into_iter().flat_map(toml_edit::Array::iter_mut) {
                let text = format!("{prefix}{}", glob.as_str().unwrap_or_default());
                *glob = text.into();
            }
        }
        let files = data
            .get_mut("file")
            .and_then(toml_edit::Item::as_array_of_tables_mut);
        for file in files
            .into_iter()
            .flat_map(toml_edit::ArrayOfTables::iter_mut)
        {
            let path = file.get("path").and_then(toml_edit::Item::as_str);
            let path = format!("{prefix}{}", path.unwrap_or_default());
            file.insert("path", toml_edit::value(path));
        }
    }
    Ok(claims.to_string())
}

/// A copy that may be written to, in a project of its own.
fn copy(folder: &Path) -> Result<TempDir, Fault> {
    let temp = tempfile::tempdir().map_err(Fault::from_error)?;
    let script = "cp -R --no-preserve=mode \"$0\"/. . && mkdir -p .git";
    Call::new(
        "sh",
        &["-c", script, &folder.display().to_string()],
        temp.path(),
    )
    .once()?;
    Ok(temp)
}

/// What the program prints with `--json`, or nothing.
fn answer(program: &Path, args: &[&str], folder: &Path) -> Result<Value, Fault> {
    let done = aris_proc::command(program, folder)
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

/// Times 1,000 bindings over `files` files of `mib` MiB, beside Python's csv reading the same bytes.
#[expect(clippy::cast_precision_loss, reason = "sizes far below 2^52")]
fn speed(program: &Path, files: usize, mib: usize) -> Result<(), Fault> {
    heading(&format!(
        "claims: {BINDINGS} bindings over {files} CSV of {mib} MB, whole process, {RUNS} runs, min / median / max"
    ));
    let temp = tempfile::tempdir().map_err(Fault::from_error)?;
    fill(temp.path(), files, mib * 1_000_000)?;
    let ours = Call::new(program, &["."], temp.path());
    let script = "import csv, glob\nfor path in glob.glob('results/*.csv'):\n  for row in csv.reader(open(path)): row[1]";
    let peer = Call::new("python3", &["-c", script], temp.path());
    if peer.once().is_ok() {
        let (of_ours, of_peer) = pair(&ours, &peer, RUNS)?;
        row("paper_claim_audit", of_ours.millis());
        row(
            "  limit / median",
            format!("{:.1} x (limit {LIMIT} s)", LIMIT / of_ours.median()),
        );
        row("Python's csv, reading only", of_peer.millis());
        row(
            "  Python's csv / ours, pair by pair",
            of_peer.over(&of_ours).ratio(),
        );
    } else {
        let (of_ours, _) = pair(&ours, &Call::new("true", &[], temp.path()), RUNS)?;
        row("paper_claim_audit", of_ours.millis());
        row("Python's csv, reading only", "not installed");
    }
    let peak = ours.peak_memory()? as f64 / f64::from(1 << 20);
    let limit = LIMIT_MIB + (mib * 1_000_000) as f64 / f64::from(1 << 20);
    row(
        "peak memory",
        format!("{peak:.1} MiB (limit {limit:.1} MiB)"),
    );
    Ok(())
}

/// A paper whose every sentence shows the sum of one group of rows, all bound, and the data.
fn fill(folder: &Path, files: usize, bytes: usize) -> Result<(), Fault> {
    let write =
        |path: &str, text: &str| aris_fs::write_unsynced(&folder.join(path), text.as_bytes());
    aris_fs::create_dir(&folder.join("results"))?;
    aris_fs::create_dir(&folder.join(".git"))?;
    let mut body = String::from("\\documentclass{article}\n\\begin{document}\n");
    let mut claims = String::from("version = 1\n");
    let groups = BINDINGS / files;
    let mut random = Random(7);
    for file in 0..files {
        let mut sums = vec![0; groups];
        let mut text = String::with_capacity(bytes + 100);
        text.push_str("group,value,loss,time,note\n");
        let mut rows = 0..;
        while let (true, Some(number)) = (text.len() < bytes, rows.next()) {
            let (cents, loss) = (random.below(100_000), random.below(1_000_000));
            let group = number % groups;
            if let Some(sum) = sums.get_mut(group) {
                *sum += cents;
            }
            let (whole, part) = (cents / 100, cents % 100);
            writeln!(
                text,
                "{},{whole}.{part:02},0.{loss:06},{number},a note of the run",
                letters(group)
            )
            .map_err(Fault::from_error)?;
        }
        let path = format!("results/{}.csv", letters(file));
        write(&path, &text)?;
        for (group, sum) in sums.iter().enumerate() {
            let (name, shown) = (
                letters(file * groups + group),
                format!("{}.{:02}", sum / 100, sum % 100),
            );
            let query = format!(
                "select sum(value) from \"{path}\" where \"group\" = '{}'",
                letters(group)
            );
            write!(body, "The total of series {name} is {shown} in all.\n\n")
                .map_err(Fault::from_error)?;
            let text = format!("The total of series {name} is [[{shown}]] in all.");
            writeln!(claims, "\n[[claim]]\nid = \"{name}\"\nin = \"main.tex\"\ntext = \"{text}\"\nvalue = '''{query}'''").map_err(Fault::from_error)?;
        }
    }
    body.push_str("\\end{document}\n");
    write("main.tex", &body)?;
    write("claims.toml", &claims)?;
    Ok(())
}

/// A number as three letters, because a digit in a sentence would be one of its numbers.
fn letters(number: usize) -> String {
    let letter = |number: usize| char::from(b'a' + u8::try_from(number % 26).unwrap_or(0));
    [number / 676, number / 26, number]
        .into_iter()
        .map(letter)
        .collect()
}
