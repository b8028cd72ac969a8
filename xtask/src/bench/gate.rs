//! The gate on a small paper, beside the shell pipeline that anybody would write first.

use std::collections::BTreeMap;
use std::path::PathBuf;

use aris_contract::time;
use serde_json::json;

use super::Bench;
use super::measure::{Call, Limit::Median, Place, compare, heading};
use crate::cargo::PRINT;
use crate::fault::Fault;
use crate::workspace::now;

/// Artifact, skill.
const AUDITS: [(&str, &str); 4] = [
    ("PROOF_AUDIT.json", "proof-checker"),
    ("PAPER_CLAIM_AUDIT.json", "paper-claim-audit"),
    ("CITATION_AUDIT.json", "citation-audit"),
    ("KILL_ARGUMENT.json", "kill-argument"),
];

/// Reads each artifact with jq, checks each recorded digest with sha256sum: a part of what the gate does.
const PIPELINE: &str = r#"for a in *_AUDIT.json KILL_ARGUMENT.json; do
  jq -e '.verdict as $v | ["PASS","WARN","NOT_APPLICABLE"] | index($v) != null' "$a" > /dev/null || exit 1
  jq -r '.audited_input_hashes | to_entries[] | (.value | sub("^sha256:"; "")) + "  " + .key' "$a" | sha256sum --quiet -c - || exit 1
done"#;

pub(super) fn run(bench: &Bench<'_>) -> Result<(), Fault> {
    for (numbers, what) in [
        (0, "4 audits x 10 files"),
        (
            20,
            "the same with 20 bound numbers, claims and citations audited by the programs and made again by the gate",
        ),
    ] {
        heading(format!("gate: {what}, 40 runs"));
        let place = paper(bench, 10, 4096, numbers)?;
        let folder = place.at("paper");
        if numbers > 0 {
            for program in ["paper_claim_audit .", "citation_audit ."] {
                bench.call(program, &folder).once()?;
            }
        }
        let (gate, shell) = (gate(bench, &place), bench.shell(PIPELINE, "sh", &folder));
        compare(
            "verify_paper_audits",
            &gate,
            "jq and sha256sum",
            &shell,
            40,
            Median(8.0),
        )?;
    }
    Ok(())
}

fn gate(bench: &Bench<'_>, place: &Place) -> Call {
    let words = "verify_paper_audits . --assurance submission --output .aris/report.json -q";
    bench.call(words, &place.at("paper"))
}

/// A project with a paper of `files` files, all of them read by each of four honest audits; its text states `numbers`, bound to a result.
fn paper(bench: &Bench<'_>, files: usize, size: usize, numbers: usize) -> Result<Place, Fault> {
    let place = Place::new()?;
    let (mut rows, mut text, mut claims) = (
        String::from("run,score\n"),
        String::new(),
        String::from("version = 1\n"),
    );
    for run in 0..numbers {
        let (name, score) = (letters(run), format!("{}.{}", 10 + run, run % 10));
        rows.extend([format!("{run},{score}\n")]);
        text.extend([format!("Variant {name} scores {score} points.\n")]);
        claims.extend([format!(
            "[[claim]]\nin = \"main.tex\"\ntext = 'Variant {name} scores [[{score}]] points'\n\
             value = 'select score from \"data/runs.csv\" where run = {run}'\n"
        )]);
    }
    if numbers > 0 {
        place.write("paper/data/runs.csv", rows)?;
        place.write("paper/claims.toml", claims)?;
    }
    let text = format!(
        "\\documentclass{{article}}\n\\begin{{document}}\n{text}Nothing to see~\\cite{{k}}.\n\\bibliography{{refs}}\n\\end{{document}}\n"
    );
    place.write("paper/main.tex", text)?;
    place.write(
        "paper/refs.bib",
        "@misc{k, title = {T}, author = {A, B}, year = 2020}\n",
    )?;
    let mut names = vec![String::from("main.tex"), String::from("refs.bib")];
    for n in 2..files {
        let name = format!("data/{n}.bin");
        place.write(
            &format!("paper/{name}"),
            [&n.to_le_bytes()[..], &vec![0; size - 8]].concat(),
        )?;
        names.push(name);
    }
    let paths: Vec<PathBuf> = names
        .iter()
        .map(|name| place.at("paper").join(name))
        .collect();
    let mut hashes = BTreeMap::new();
    for (name, digest) in names.iter().zip(aris_audit::digest_files(&paths)) {
        hashes.insert(name, digest?.to_string());
    }
    for (artifact, skill) in AUDITS {
        let trace = aris_proc::command(bench.path("save_trace"), place.path())
            .args([
                "--skill",
                skill,
                "--purpose",
                "audit",
                "--model",
                "reviewer-1",
                "--thread-id",
                skill,
            ])
            .args(["--prompt", "read the paper", "--response", "nothing found"])
            .arg("--files")
            .args(names.iter().map(|name| format!("paper/{name}")))
            .run(PRINT)?;
        let audit = json!({
            "audit_skill": skill, "verdict": "PASS", "reason_code": "nothing_found", "summary": "nothing found",
            "audited_input_hashes": hashes, "trace_path": trace.stdout.text().trim(), "thread_id": skill,
            "reviewer_model": "reviewer-1", "reviewer_reasoning": "high", "generated_at": time::stamp(now()), "details": null,
        });
        place.write(&format!("paper/{artifact}"), audit.to_string())?;
    }
    Ok(place)
}

/// A number as three letters, because a digit in a sentence would be one of its numbers.
pub(super) fn letters(number: usize) -> String {
    let letter = |number: usize| char::from(b'a' + u8::try_from(number % 26).unwrap_or(0));
    [number / 676, number / 26, number]
        .into_iter()
        .map(letter)
        .collect()
}
