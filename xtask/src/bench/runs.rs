//! Recording a run that writes very many files, and the way from a number back to it.

use super::Bench;
use super::measure::{
    Limit::{Beyond, Median},
    Place, compare, heading,
};
use crate::fault::Fault;

const FILES: usize = 100_000;

/// Files written anew, which is what the recorded command does.
const MAKE: &str = "rm -rf results && cp -r made results";

const PAPER: &str =
    "\\documentclass{article}\n\\begin{document}\nWe reach 34.2 points.\n\\end{document}\n";

const CLAIMS: &str = "version = 1\n[[claim]]\nid = \"ours\"\nin = \"main.tex\"\ntext = \"reach [[34.2]] points\"\n\
    value = 'select points from \"../results/50000.csv\"'\n";

pub(super) fn run(bench: &Bench<'_>) -> Result<(), Fault> {
    let place = Place::new()?;
    place.write("paper/main.tex", PAPER)?;
    place.write("paper/claims.toml", CLAIMS)?;
    place.write(".gitignore", "made/\nresults/\n.aris/\n")?;
    for file in 0..FILES {
        let text = format!("seed,points\n{file},34.2\n");
        place.write(&format!("made/{file}.csv"), text)?;
    }
    for words in [
        "git init -q",
        "git add paper .gitignore",
        "git -c user.name=a -c user.email=a@b commit -q -m paper",
    ] {
        bench.call(words, place.path()).once()?;
    }
    heading(format!(
        "queue_manager record: a command that writes {FILES} files, 3 runs, and what the record takes beyond the command"
    ));
    let words = "queue_manager record -q --name make --expected-output results/*.csv -- sh -ec";
    let record = bench.call(words, place.path()).arg(MAKE);
    let alone = bench.shell(MAKE, "sh", place.path());
    let limit = Beyond(10_000.0);
    compare("record", &record, "the command alone", &alone, 3, limit)?;
    record.once()?;
    heading(format!(
        "trace-back: one number among {FILES} files, each written by five runs, 20 runs"
    ));
    let words = "paper_claim_audit trace-back ours paper -q";
    let trace = bench.call(words, place.path());
    let digest = "d=$(sha256sum results/50000.csv) && grep -c \"${d%% *}\" .aris/runs/outputs";
    let grep = bench.shell(digest, "sh", place.path());
    let limit = Median(50.0);
    compare("trace-back", &trace, "sha256sum and grep", &grep, 20, limit)
}
