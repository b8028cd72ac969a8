//! Recording a run that writes very many files, and the way from a number back to it.

use super::Bench;
use super::measure::{
    Limit::{Beyond, Median},
    Place, compare, heading,
};
use crate::fault::Fault;

/// Files that the recorded commands write: one run all of them, or many runs a share each.
const FILES: usize = 100_000;
const RUNS: usize = 500;

/// Files written anew, which is what the recorded command does.
const MAKE: &str = "rm -rf results && cp -r made results";

const PAPER: &str =
    "\\documentclass{article}\n\\begin{document}\nWe reach 34.2 points.\n\\end{document}\n";

const CLAIMS: &str = "version = 1\n[[claim]]\nid = \"ours\"\nin = \"main.tex\"\ntext = \"reach [[34.2]] points\"\n\
    value = 'select points from \"../results/50000.csv\"'\n";

pub(super) fn run(bench: &Bench<'_>) -> Result<(), Fault> {
    let place = project(bench)?;
    for file in 0..FILES {
        let text = format!("seed,points\n{file},34.2\n");
        place.write(&format!("made/{file}.csv"), text)?;
    }
    let words = "queue_manager record -q --name make --expected-output results/*.csv -- sh -ec";
    let record = bench.call(words, place.path()).arg(MAKE);
    record.once()?;
    trace(bench, &place, "which one run wrote")?;
    heading(format!(
        "queue_manager record: a command that writes {FILES} files, 3 runs, and what the record takes beyond the command"
    ));
    let alone = bench.shell(MAKE, "sh", place.path());
    let limit = Beyond(10_000.0);
    compare("record", &record, "the command alone", &alone, 3, limit)?;
    trace(
        bench,
        &place,
        "which four or five runs wrote, one after the other",
    )?;

    let place = project(bench)?;
    let share = FILES / RUNS;
    let each = format!(
        "mkdir -p results; for run in $(seq 0 {}); do \"$0\" record -q --name $run --expected-output \"results/$run??\"?.csv -- \
         sh -ec 'for file in $(seq -f $0%03.0f 0 {}); do printf \"seed,points\\n%s,34.2\\n\" $file >results/$file.csv; done' $run; done",
        RUNS - 1,
        share - 1,
    );
    let helper = bench.path("queue_manager");
    bench.shell(&each, &helper, place.path()).once()?;
    trace(bench, &place, &format!("which {RUNS} runs wrote"))
}

/// A paper with one number in a repository.
fn project(bench: &Bench<'_>) -> Result<Place, Fault> {
    let place = Place::new()?;
    place.write("paper/main.tex", PAPER)?;
    place.write("paper/claims.toml", CLAIMS)?;
    place.write(".gitignore", "made/\nresults/\n.aris/\n")?;
    for words in [
        "git init -q",
        "git add paper .gitignore",
        "git -c user.name=a -c user.email=a@b commit -q -m paper",
    ] {
        bench.call(words, place.path()).once()?;
    }
    Ok(place)
}

fn trace(bench: &Bench<'_>, place: &Place, what: &str) -> Result<(), Fault> {
    heading(format!(
        "trace-back: one number among {FILES} files, {what}; 20 runs"
    ));
    let words = "paper_claim_audit trace-back ours paper -q";
    let trace = bench.call(words, place.path());
    let digest = "d=$(sha256sum results/50000.csv) && grep -c \"${d%% *}\" .aris/runs/outputs";
    let grep = bench.shell(digest, "sh", place.path());
    let limit = Median(50.0);
    compare("trace-back", &trace, "sha256sum and grep", &grep, 20, limit)
}
