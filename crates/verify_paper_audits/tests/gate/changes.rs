//! If any byte of the evidence is changed, the gate blocks, or the change has no effect.

use std::fs;

use proptest::prelude::*;
use serde_json::Value;

use crate::support::{CLAIMS, Project};

/// Files that a digest or a chain protects, relative to the paper. (The chain itself protects all its lines except the last.)
const BOUND: [&str; 9] = [
    "main.tex",
    "sections/intro.tex",
    "sections/results.tex",
    "refs.bib",
    "../results/run_1.json",
    "../.aris/traces/paper-claim-audit/2090-11-20_run01/run.meta.json",
    "../.aris/traces/paper-claim-audit/2090-11-20_run01/001-audit.request.json",
    "../.aris/traces/paper-claim-audit/2090-11-20_run01/001-audit.response.md",
    "../.aris/traces/paper-claim-audit/2090-11-20_run01/001-audit.meta.json",
];

/// Replaces, inserts or removes one byte; `None` when at most the case of a letter changes.
fn change(bytes: &[u8], at: usize, byte: u8, how: usize) -> Option<Vec<u8>> {
    let at = at % bytes.len();
    let mut changed = bytes.to_vec();
    match how {
        0 if bytes[at].eq_ignore_ascii_case(&byte) => return None,
        0 => changed[at] = byte,
        1 => changed.insert(at, byte),
        _ => drop(changed.remove(at)),
    }
    Some(changed)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_bound_byte_can_be_changed(file in 0..BOUND.len(), at in 0_usize..100_000, byte in any::<u8>(), how in 0_usize..3) {
        let project = Project::new();
        let path = project.paper.join(BOUND[file]);
        let bytes = fs::read(&path).expect("read");
        let Some(changed) = change(&bytes, at, byte, how) else { return Ok(()) };
        fs::write(&path, changed).expect("write");
        let ran = project.gate();
        prop_assert_eq!(ran.code, 1, "{} passed with one byte changed: {}", BOUND[file], ran.stderr);
    }

    #[test]
    fn an_artifact_that_passes_says_what_it_said(at in 0_usize..100_000, byte in any::<u8>(), how in 0_usize..3) {
        let project = Project::new();
        let path = project.paper.join(CLAIMS);
        let bytes = fs::read(&path).expect("read");
        let before = project.artifact(CLAIMS);
        let Some(changed) = change(&bytes, at, byte, how) else { return Ok(()) };
        fs::write(&path, &changed).expect("write");
        if project.gate().code == 0 {
            let after: Value = serde_json::from_slice(&changed).expect("what passes is JSON");
            for field in ["audit_skill", "verdict"] {
                prop_assert_eq!(&before[field], &after[field]);
            }
            let word = |value: &Value, field: &str| value[field].as_str().unwrap_or_default().trim().to_lowercase();
            for field in ["thread_id", "reviewer_model"] {
                prop_assert_eq!(word(&before, field), word(&after, field));
            }
            // An additional slash or `/./` names the same file.
            let plain = |value: &Value| value["audited_input_hashes"].to_string().to_lowercase().replace("//", "/").replace("/./", "/");
            prop_assert_eq!(plain(&before), plain(&after));
        }
    }
}

#[test]
fn a_root_document_that_nobody_audited_is_named() {
    let project = Project::new();
    let text = "\\documentclass{article}\\begin{document}We reach 94.7.\\end{document}";
    project.write("supplement.tex", text);
    let open = project.gate();
    assert_eq!(open.code, 0);
    assert_eq!(open.ids("warn"), ["root_not_audited"]);
    let said = "supplement.tex is another root document; the audits are about main.tex";
    assert!(open.stdout.contains(said), "{}", open.stdout);
    project.remove("supplement.tex");
    assert!(project.gate().ids("warn").is_empty());
}
