//! Traces, reviewers and verdicts that prove nothing.

use std::fs;
use std::path::Path;

use aris_contract::artifact::audit::Verdict;
use aris_contract::artifact::trace::TraceMode;

use super::{Attack, check};
use crate::support::{CLAIMS, Project, Review};

#[test]
fn traces_that_prove_nothing() {
    check(&[
        (
            "no trace named",
            |p| {
                p.set(CLAIMS, "trace_path", "");
            },
            "trace_missing",
        ),
        (
            "hand-written PASS",
            |p| {
                p.set(CLAIMS, "trace_path", ".aris/traces/none/");
            },
            "trace_missing",
        ),
        (
            "empty folder",
            |p| {
                fs::create_dir_all(p.root.join(".aris/traces/empty")).expect("folder");
                p.set(CLAIMS, "trace_path", ".aris/traces/empty");
            },
            "trace_empty",
        ),
        (
            "nothing but a description that cannot be read",
            |p| {
                p.write("../.aris/traces/torn/run.meta.json", "{").set(
                    CLAIMS,
                    "trace_path",
                    ".aris/traces/torn",
                );
            },
            "trace_unrelated",
        ),
        (
            "empty file",
            |p| {
                p.write("../.aris/trace.md", "")
                    .set(CLAIMS, "trace_path", ".aris/trace.md");
            },
            "trace_empty",
        ),
        (
            "the paper itself as trace",
            |p| {
                p.set(CLAIMS, "trace_path", ".");
            },
            "trace_unrelated",
        ),
        (
            "a response without its record",
            |p| {
                p.write("../.aris/trace.md", "PASS")
                    .set(CLAIMS, "trace_path", ".aris/trace.md");
            },
            "trace_unrelated",
        ),
        (
            "FIFO",
            |p| {
                p.fifo("pipe").set(CLAIMS, "trace_path", "pipe");
            },
            "trace_unreadable",
        ),
        (
            "device",
            |p| {
                p.set(CLAIMS, "trace_path", "/dev/zero");
            },
            "path_escape",
        ),
        (
            "outside the project",
            |p| {
                p.set(CLAIMS, "trace_path", "/tmp");
            },
            "path_escape",
        ),
        (
            "another spelling",
            |p| {
                p.set(
                    CLAIMS,
                    "trace_path",
                    ".aris/TRACES/paper-claim-audit/2090-11-20_run01/",
                );
            },
            "path_escape",
        ),
        (
            "other thread",
            |p| {
                p.set(CLAIMS, "thread_id", "019dae73-fc12");
            },
            "trace_unrelated",
        ),
        (
            "other model",
            |p| {
                p.set(CLAIMS, "reviewer_model", "gemini-3-pro");
            },
            "trace_unrelated",
        ),
        (
            "trace of another audit",
            |p| {
                let other = p.artifact("CITATION_AUDIT.json");
                p.set(CLAIMS, "trace_path", other["trace_path"].clone());
            },
            "trace_unrelated",
        ),
        (
            "trace and thread of another audit",
            |p| {
                let other = p.artifact("CITATION_AUDIT.json");
                p.set(CLAIMS, "trace_path", other["trace_path"].clone())
                    .set(CLAIMS, "thread_id", other["thread_id"].clone());
            },
            "trace_unrelated",
        ),
        (
            "empty response",
            |p| {
                p.set(
                    CLAIMS,
                    "trace_path",
                    p.trace("paper-claim-audit", "t-empty", b"", TraceMode::Full),
                )
                .set(CLAIMS, "thread_id", "t-empty");
            },
            "trace_unrelated",
        ),
        (
            "blank response",
            |p| {
                p.set(
                    CLAIMS,
                    "trace_path",
                    p.trace("paper-claim-audit", "t-blank", b" \n\t", TraceMode::Full),
                )
                .set(CLAIMS, "thread_id", "t-blank");
            },
            "trace_unrelated",
        ),
        (
            "empty response in meta mode",
            |p| {
                p.set(
                    CLAIMS,
                    "trace_path",
                    p.trace("paper-claim-audit", "t-meta", b"", TraceMode::Meta),
                )
                .set(CLAIMS, "thread_id", "t-meta");
            },
            "trace_unrelated",
        ),
        (
            "response later than the audit",
            |p| {
                let late = Review {
                    at: "2090-11-20T11:30:00Z",
                    ..Review::default()
                };
                p.rests_on(&late, "PASS");
            },
            "trace_unrelated",
        ),
        (
            "trace of another project",
            |p| {
                let other = Project::new();
                other.edit("sections/results.tex", "84.7", "84.8").seal();
                // The other project, from which the trace was copied, exists during the test.
                let from = other.run_of(CLAIMS);
                let to = p.run_of(CLAIMS);
                for entry in fs::read_dir(&from).expect("folder").flatten() {
                    fs::copy(entry.path(), to.join(entry.file_name())).expect("copy");
                }
                std::mem::forget(other);
            },
            "input_changed_after_review",
        ),
        (
            "response edited",
            |p| {
                let path = p.run_of(CLAIMS).join("001-audit.response.md");
                fs::write(path, "PASS, all of it.").expect("write");
            },
            "trace_tampered",
        ),
        (
            "request edited",
            |p| {
                let path = p.run_of(CLAIMS).join("001-audit.request.json");
                let text = fs::read_to_string(&path)
                    .expect("read")
                    .replace("You are an auditor", "Say PASS");
                fs::write(path, text).expect("write");
            },
            "trace_tampered",
        ),
        (
            "record deleted",
            |p| {
                p.trace("paper-claim-audit", "t-2", b"second", TraceMode::Full);
                fs::remove_file(p.run_of(CLAIMS).join("002-audit.meta.json")).expect("remove");
            },
            "trace_tampered",
        ),
        (
            "chain cut",
            |p| {
                p.trace("paper-claim-audit", "t-2", b"FAIL", TraceMode::Full);
                let chain = p.run_of(CLAIMS).join("chain.jsonl");
                let first = fs::read_to_string(&chain)
                    .expect("read")
                    .lines()
                    .next()
                    .expect("line")
                    .to_owned();
                fs::write(chain, first + "\n").expect("write");
            },
            "trace_tampered",
        ),
        (
            "chain edited",
            |p| {
                let chain = p.run_of(CLAIMS).join("chain.jsonl");
                let text = fs::read_to_string(&chain)
                    .expect("read")
                    .replace("\"record\":1", "\"record\":2");
                fs::write(chain, text).expect("write");
            },
            "trace_tampered",
        ),
        (
            "chain removed",
            |p| fs::remove_file(p.run_of(CLAIMS).join("chain.jsonl")).expect("remove"),
            "trace_tampered",
        ),
        (
            "run relabelled",
            |p| {
                let meta = p.run_of(CLAIMS).join("run.meta.json");
                let text = fs::read_to_string(&meta)
                    .expect("read")
                    .replace("claude-code", "codex");
                fs::write(meta, text).expect("write");
            },
            "trace_tampered",
        ),
        (
            "audit re-stamped after an edit",
            |p| {
                p.bind().audit_claims(&[]);
                p.edit("sections/results.tex", "84.7", "89.2");
                p.set_hash(
                    CLAIMS,
                    "sections/results.tex",
                    p.hash("sections/results.tex"),
                );
            },
            "trace_unrelated",
        ),
        (
            "input taken out of a program's audit",
            |p| {
                p.bind().audit_claims(&[]);
                p.remove("../results/run_1.json");
                let mut artifact = p.artifact(CLAIMS);
                artifact["audited_input_hashes"]
                    .as_object_mut()
                    .expect("object")
                    .remove("../results/run_1.json");
                p.put(CLAIMS, &artifact);
            },
            "trace_unrelated",
        ),
        (
            "another version of the program",
            |p| {
                p.bind().audit_claims(&[]);
                p.set(
                    CLAIMS,
                    "reviewer_model",
                    "deterministic/paper_claim_audit@9.9.9",
                );
            },
            "trace_unrelated",
        ),
        (
            "a program's FAIL turned into PASS by hand",
            |p| {
                p.bind().edit("../results/run_1.json", "0.847", "0.742");
                p.audit_claims(&[]).set(CLAIMS, "verdict", "PASS");
            },
            "trace_unrelated",
        ),
        (
            "a program's reason rewritten",
            |p| {
                p.audit_claims(&[])
                    .set(CLAIMS, "reason_code", "all_numbers_match");
            },
            "trace_unrelated",
        ),
        (
            "a program's summary rewritten",
            |p| {
                p.audit_claims(&[]).set(CLAIMS, "summary", "all 99 match");
            },
            "trace_unrelated",
        ),
        (
            "a reviewer's FAIL turned into PASS",
            |p| {
                let path = p.trace(
                    "paper-claim-audit",
                    "t-fail",
                    b"Table 2 does not follow.\n\n**VERDICT: FAIL**\n",
                    TraceMode::Full,
                );
                p.set(CLAIMS, "trace_path", path)
                    .set(CLAIMS, "thread_id", "t-fail");
            },
            "verdict_contradicted",
        ),
        (
            "thread of a program without its words",
            |p| {
                p.bind().audit_claims(&[]);
                let run = p.run_of(CLAIMS);
                fs::remove_file(run.join("chain.jsonl")).expect("remove");
                let response = fs::read_dir(&run).expect("folder").flatten().find(|entry| {
                    entry
                        .file_name()
                        .to_string_lossy()
                        .contains("deterministic-audit.response")
                });
                fs::write(response.expect("response").path(), "another report").expect("write");
            },
            "trace_unrelated",
        ),
    ]);
}

#[test]
fn verdicts_that_the_reviewer_did_not_give() {
    let said: [(&str, &[u8], &str); 9] = [
        ("a colon", b"Table 2 is wrong.\n\nVERDICT: FAIL\n", "PASS"),
        (
            "a final verdict",
            b"VERDICT: PASS for claim 1\n\nFinal verdict: FAIL",
            "PASS",
        ),
        (
            "a sentence",
            b"Table 2 is wrong. The verdict is FAIL.",
            "PASS",
        ),
        ("a heading", b"## Verdict\n\n**FAIL**\n", "PASS"),
        (
            "JSON",
            b"{\"claims\": [{\"verdict\": \"PASS\"}], \"overall_verdict\": \"FAIL\"}",
            "PASS",
        ),
        ("a word", b"Table 2 is wrong.\nFAIL", "PASS"),
        ("WARN under PASS", b"Overall verdict: WARN", "PASS"),
        ("FAIL under WARN", b"Overall verdict: FAIL", "WARN"),
        (
            "PASS under NOT_APPLICABLE",
            b"Overall verdict: PASS",
            "NOT_APPLICABLE",
        ),
    ];
    for (name, answer, verdict) in said {
        for mode in [TraceMode::Full, TraceMode::Meta] {
            let project = Project::new();
            project.rests_on(
                &Review {
                    answer,
                    mode,
                    ..Review::default()
                },
                verdict,
            );
            let ran = project.gate();
            assert!(
                ran.ids("block")
                    .contains(&String::from("verdict_contradicted")),
                "{name} {mode:?}: {}",
                ran.stderr
            );
        }
    }
    let forged: [Attack; 14] = [
        (
            "a later FAIL in another run, and blanks around the name of the thread",
            |p| {
                p.rests_on(&Review::default(), "PASS")
                    .set(CLAIMS, "thread_id", " t-review ");
                p.review(&Review {
                    at: "2090-11-20T11:00:30Z",
                    ..fail_again()
                });
            },
            "trace_unrelated",
        ),
        (
            "a later FAIL that was kept before the PASS",
            |p| {
                p.review(&Review {
                    answer: b"VERDICT: FAIL",
                    at: "2090-11-20T11:00:30Z",
                    ..Review::default()
                });
                p.rests_on(&Review::default(), "PASS");
            },
            "verdict_contradicted",
        ),
        (
            "a FAIL of the same second in a later run",
            |p| {
                p.rests_on(&Review::default(), "PASS");
                p.review(&fail_again());
            },
            "trace_unrelated",
        ),
        (
            "a later FAIL in another run, and the log of events is gone",
            |p| {
                p.rests_on(&Review::default(), "PASS");
                p.review(&Review {
                    at: "2090-11-20T11:00:30Z",
                    ..fail_again()
                });
                fs::remove_file(p.root.join(".aris/meta/events.jsonl")).expect("remove");
            },
            "trace_unrelated",
        ),
        (
            "the log of events cannot be read",
            |p| {
                p.rests_on(&Review::default(), "PASS");
                let log = p.root.join(".aris/meta/events.jsonl");
                fs::remove_file(&log).expect("remove");
                fs::create_dir(&log).expect("folder");
            },
            "trace_tampered",
        ),
        (
            "a copy of the FAIL that says PASS, without chain and marks",
            |p| {
                p.rests_on(
                    &Review {
                        answer: b"VERDICT: FAIL",
                        ..Review::default()
                    },
                    "PASS",
                );
                let copy = p.root.join("copy");
                fs::create_dir(&copy).expect("folder");
                for entry in fs::read_dir(p.run_of(CLAIMS)).expect("run").flatten() {
                    fs::copy(entry.path(), copy.join(entry.file_name())).expect("copy");
                }
                unmark(&copy);
                p.set(CLAIMS, "trace_path", "copy/");
            },
            "trace_unrelated",
        ),
        (
            "a manifest that is a link whose target is gone",
            |p| {
                fs::create_dir_all(p.paper.join(".aris")).expect("folder");
                p.link("../gone.json", ".aris/audits.json");
            },
            "manifest_invalid",
        ),
        (
            "a PASS before a FAIL of the same thread in another run",
            |p| {
                p.rests_on(&Review::default(), "PASS");
                p.review(&Review {
                    answer: b"VERDICT: FAIL",
                    at: "2090-11-20T11:00:30Z",
                    new_run: true,
                    ..Review::default()
                });
            },
            "trace_unrelated",
        ),
        (
            "a PASS before a FAIL of the same thread",
            |p| {
                p.review(&Review::default());
                p.rests_on(
                    &Review {
                        answer: b"VERDICT: FAIL",
                        at: "2090-11-20T11:00:30Z",
                        ..Review::default()
                    },
                    "PASS",
                );
            },
            "verdict_contradicted",
        ),
        (
            "the record of the PASS named alone",
            |p| {
                let path = p.review(&Review::default());
                let mut names: Vec<_> = fs::read_dir(p.root.join(&path))
                    .expect("run")
                    .flatten()
                    .map(|it| it.file_name().into_string().expect("name"))
                    .collect();
                names.retain(|name| name.ends_with(".meta.json") && name.starts_with("00"));
                names.sort();
                p.rests_on(
                    &Review {
                        answer: b"VERDICT: FAIL",
                        at: "2090-11-20T11:00:30Z",
                        ..Review::default()
                    },
                    "PASS",
                );
                let last = names.last().expect("record").clone();
                p.set(CLAIMS, "trace_path", path + &last);
            },
            "verdict_contradicted",
        ),
        (
            "a call that failed",
            |p| {
                p.rests_on(
                    &Review {
                        status: "error",
                        ..Review::default()
                    },
                    "PASS",
                );
            },
            "trace_unrelated",
        ),
        (
            "a PASS put beside the chain",
            |p| {
                let path = p.review(&Review {
                    answer: b"VERDICT: FAIL",
                    ..Review::default()
                });
                p.rests_on(
                    &Review {
                        answer: b"VERDICT: FAIL",
                        ..Review::default()
                    },
                    "PASS",
                );
                let meta = r#"{"call_number": 9, "purpose": "audit", "timestamp": "2090-11-20T11:00:40Z", "thread_id": "t-review", "model": "gpt-5.5", "status": "ok"}"#;
                fs::write(p.root.join(&path).join("009-audit.meta.json"), meta).expect("write");
                fs::write(
                    p.root.join(&path).join("009-audit.response.md"),
                    "VERDICT: PASS",
                )
                .expect("write");
            },
            "verdict_contradicted",
        ),
        (
            "FAIL edited to PASS, chain and marks deleted",
            |p| {
                p.rests_on(
                    &Review {
                        answer: b"VERDICT: FAIL",
                        ..Review::default()
                    },
                    "PASS",
                );
                unmark(&p.run_of(CLAIMS));
            },
            "trace_tampered",
        ),
        (
            "FAIL edited to PASS, the chain made anew",
            |p| {
                p.rests_on(
                    &Review {
                        answer: b"VERDICT: FAIL",
                        ..Review::default()
                    },
                    "PASS",
                );
                let run = p.run_of(CLAIMS);
                let elsewhere = Project::new();
                elsewhere.rests_on(&Review::default(), "PASS");
                for entry in fs::read_dir(elsewhere.run_of(CLAIMS))
                    .expect("run")
                    .flatten()
                {
                    fs::copy(entry.path(), run.join(entry.file_name())).expect("copy");
                }
            },
            "trace_tampered",
        ),
    ];
    check(&forged);
}

/// The same reviewer says FAIL in the same second, in another run.
fn fail_again() -> Review<'static> {
    Review {
        answer: b"VERDICT: FAIL",
        new_run: true,
        ..Review::default()
    }
}

/// Turns FAIL into PASS and removes every sign in the run that it had a chain.
fn unmark(run: &Path) {
    fs::remove_file(run.join("chain.jsonl")).expect("remove");
    for entry in fs::read_dir(run).expect("run").flatten() {
        let text = fs::read_to_string(entry.path())
            .expect("text")
            .replace("FAIL", "PASS");
        let lines = text
            .lines()
            .filter(|line| !line.contains("\"schema\": \"aris."));
        let text = lines.collect::<Vec<_>>().join("\n");
        fs::write(entry.path(), text).expect("write");
    }
}

#[test]
fn reviewers_and_times_that_cannot_be() {
    check(&[
        (
            "one thread for two audits",
            |p| {
                p.trace(
                    "paper-claim-audit",
                    "thread-citation-audit",
                    b"PASS",
                    TraceMode::Full,
                );
                p.set(CLAIMS, "thread_id", "thread-citation-audit");
            },
            "shared_thread",
        ),
        (
            "one thread in another spelling",
            |p| {
                p.trace(
                    "paper-claim-audit",
                    "THREAD-Citation-Audit",
                    b"PASS",
                    TraceMode::Full,
                );
                p.set(CLAIMS, "thread_id", "THREAD-Citation-Audit");
            },
            "shared_thread",
        ),
        (
            "no thread",
            |p| {
                p.set(CLAIMS, "thread_id", "");
            },
            "no_thread",
        ),
        (
            "no reviewer",
            |p| {
                p.set("PROOF_AUDIT.json", "reviewer_model", "none");
            },
            "schema_invalid",
        ),
        (
            "the name of a program without what makes it one",
            |p| {
                p.set("PROOF_AUDIT.json", "reviewer_model", "paper_claim_audit");
            },
            "deterministic_reviewer",
        ),
        (
            "proof by a program",
            |p| {
                p.forge(
                    "proof_checker",
                    "proof-checker",
                    "PROOF_AUDIT",
                    Verdict::Pass,
                );
            },
            "deterministic_reviewer",
        ),
        (
            "program of another audit",
            |p| {
                p.forge(
                    "citation_audit",
                    "paper-claim-audit",
                    "PAPER_CLAIM_AUDIT",
                    Verdict::Pass,
                );
            },
            "deterministic_reviewer",
        ),
        (
            "program in capitals",
            |p| {
                p.set("PROOF_AUDIT.json", "reviewer_model", "Deterministic/proof");
            },
            "deterministic_reviewer",
        ),
        (
            "future",
            |p| {
                p.set(CLAIMS, "generated_at", "2090-11-20T12:05:01Z");
            },
            "clock",
        ),
        (
            "local time",
            |p| {
                p.set(CLAIMS, "generated_at", "2090-11-20T19:01:00+08:00");
            },
            "clock",
        ),
        (
            "a day only",
            |p| {
                p.set(CLAIMS, "generated_at", "2090-11-20");
            },
            "clock",
        ),
        (
            "no such day",
            |p| {
                p.set(CLAIMS, "generated_at", "2026-02-30T00:00:00Z");
            },
            "clock",
        ),
    ]);
}

#[test]
fn a_review_kept_again_after_an_edit_is_doubtful() {
    let project = Project::new();
    let review = Review {
        skill: "proof-checker",
        files: Project::inputs("proof-checker"),
        ..Review::default()
    };
    project.review(&review);
    project.edit("sections/results.tex", "84.7", "84.70").seal();
    let trace = project.review(&Review {
        at: "2090-11-20T11:00:30Z",
        ..review
    });
    project.set("PROOF_AUDIT.json", "trace_path", trace).set(
        "PROOF_AUDIT.json",
        "thread_id",
        review.thread,
    );
    let ran = project.gate();
    assert_eq!(ran.ids("warn"), ["answer_repeated"], "{}", ran.stdout);
    let policy = r#"{"schema": "aris.verify_paper_audits.policy/v1", "severity": {"answer_repeated": "block"}}"#;
    project.write("../policy.json", policy);
    let ran = project.run(&["--assurance", "submission", "--policy", "policy.json"]);
    assert_eq!(ran.code, 1, "{}", ran.stdout);
}
