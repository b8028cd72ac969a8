//! Ideas, experiments and claims; merging; damaged files.

use aris_testkit::Project;

use crate::{call, done, ingest, reference, wiki};

#[test]
fn lint_names_a_field_that_no_reader_of_yaml_reads() {
    let project = Project::new();
    call(&project, &["init", "wiki"]).expect_code(0);
    call(
        &project,
        &["upsert-idea", "wiki", "001", "--title", "Sparse heads"],
    )
    .expect_code(0);
    let page = project.read("wiki/ideas/001.md");
    for (title, is_broken) in [
        ("[", true),
        ("{a: b", true),
        ("\"a", true),
        ("[a] of b", false),
        ("'a' and b", false),
        ("\"a\"", false),
    ] {
        let line = page
            .lines()
            .find(|line| line.starts_with("title:"))
            .expect("a title");
        project.write(
            "wiki/ideas/001.md",
            page.replace(line, &format!("title: {title}")),
        );
        let told = call(&project, &["lint", "wiki"]).expect_code(10);
        let found = told
            .stdout()
            .contains("ideas/001.md:4: broken field: the value of title");
        assert_eq!(found, is_broken, "{title}: {told}");
    }
}

#[test]
fn a_text_that_begins_with_a_hyphen_is_a_value_and_an_option_is_none() {
    let project = wiki();
    let idea = ["upsert_idea", "wiki", "001", "--title", "-omics at scale"];
    done(
        &project,
        &[&idea[..], &["--hypothesis", "-2 % loss"]].concat(),
    );
    let page = project.read("wiki/ideas/001.md");
    assert!(
        page.contains("-omics at scale") && page.contains("-2 % loss"),
        "{page}"
    );
    for missing in ["--title=Two words", "--titel x", "-x"] {
        let args = ["upsert_idea", "wiki", "002", "--hypothesis", missing];
        let is_text = missing.starts_with("--titel");
        call(&project, &args).expect_code(if is_text { 0 } else { 2 });
    }
}

#[test]
fn ideas_experiments_and_claims_hang_together() {
    let project = wiki();
    project.write("results/run.json", "{\"a\": 1}\n{\"b\": 2}\n");
    done(&project, &ingest("Large Models Learn", "Ann Lee", "2024"));
    done(
        &project,
        &[
            "upsert_idea",
            "wiki",
            "001",
            "--title",
            "Sparse heads",
            "--based-on",
            "lee2024_large_models_learn",
            "--target-gaps",
            "G1",
            "--hypothesis",
            "Fewer heads suffice.",
        ],
    );
    done(
        &project,
        &[
            "upsert_claim",
            "wiki",
            "C1",
            "--statement",
            "It gains 2 points.",
            "--source",
            "results/run.json:2",
        ],
    );
    done(
        &project,
        &[
            "upsert_experiment",
            "wiki",
            "E1",
            "--idea",
            "001",
            "--verdict",
            "no",
            "--metrics",
            "71 vs 72",
            "--invalidates",
            "C1",
        ],
    );
    done(
        &project,
        &[
            "upsert_idea",
            "wiki",
            "idea:001",
            "--outcome",
            "negative",
            "--failure",
            "No gain.",
        ],
    );
    done(&project, &["set_status", "wiki", "claim:C1", "invalidated"]);
    let log = project.read("wiki/log.md");
    let again = done(
        &project,
        &[
            "upsert_idea",
            "wiki",
            "001",
            "--outcome",
            "negative",
            "--failure",
            "No gain.",
        ],
    );
    assert!(again.stdout().starts_with("idea:001 unchanged"), "{again}");
    assert_eq!(
        project.read("wiki/log.md"),
        log,
        "nothing changed, nothing is logged"
    );
    let edges = project.read("wiki/graph/edges.jsonl");
    for edge in [
        "\"idea:001\", \"to\": \"paper:lee2024_large_models_learn\", \"type\": \"inspired_by\"",
        "\"idea:001\", \"to\": \"gap:G1\", \"type\": \"addresses_gap\"",
        "\"idea:001\", \"to\": \"exp:E1\", \"type\": \"tested_by\"",
        "\"exp:E1\", \"to\": \"claim:C1\", \"type\": \"invalidates\", \"evidence\": \"71 vs 72\"",
    ] {
        assert!(edges.contains(edge), "{edge} in {edges}");
    }
    assert!(
        project
            .read("wiki/claims/C1.md")
            .contains("← invalidates [exp:E1](../experiments/E1.md): 71 vs 72")
    );
    assert!(
        project
            .read("wiki/query_pack.md")
            .contains("- **Sparse heads**: No gain.")
    );
    // The source of the claim changes.
    project.write("results/run.json", "{\"a\": 1}\n{\"b\": 3}\n");
    let lint = call(&project, &["lint", "wiki", "--json", "--report"])
        .expect_code(10)
        .data();
    let rules: Vec<&str> = lint["findings"]
        .as_array()
        .expect("list")
        .iter()
        .filter_map(|one| one["rule"].as_str())
        .collect();
    assert!(
        rules.contains(&"source_changed")
            && !rules.contains(&"dead_idea")
            && !rules.contains(&"drifted_connections"),
        "{rules:?}"
    );
    assert!(
        project
            .read("wiki/LINT_REPORT.md")
            .contains("## source changed")
    );
    assert_eq!(
        call(&project, &["set_status", "wiki", "claim:C1", "dunno"]).code(),
        2
    );
    assert_eq!(
        call(&project, &["update", "wiki", "claim:C1", "node_id", "x"]).code(),
        2
    );
    assert_eq!(call(&project, &["upsert_idea", "wiki", "../x"]).code(), 2);
    assert_eq!(
        call(
            &project,
            &["upsert_claim", "wiki", "C2", "--source", "../x"]
        )
        .code(),
        2
    );
}

#[test]
fn merged_pages_lose_nothing_and_an_interrupted_merge_is_ended() {
    let project = wiki();
    done(
        &project,
        &ingest("Large Models Learn Many Things", "Ann Lee", "2024"),
    );
    done(
        &project,
        &ingest("Big Models Learn Many Things", "Ann Lee", "2025"),
    );
    let (keep, other) = (
        "paper:lee2024_large_models_learn",
        "paper:lee2025_big_models_learn",
    );
    let path = "wiki/papers/lee2025_big_models_learn.md";
    let page = project.read(path);
    project.write(
        path,
        page.replace("## Method\n_TODO._", "## Method\nMine.")
            .replace("tags: []", "tags: [\"x\"]"),
    );
    let path = "wiki/papers/lee2024_large_models_learn.md";
    let page = project.read(path);
    project.write(path, page.replace("## Claims\n_TODO._", "## Claims\nKept."));
    done(
        &project,
        &[
            "add_edge",
            "wiki",
            "--from",
            other,
            "--to",
            "gap:G1",
            "--type",
            "addresses_gap",
        ],
    );
    done(&project, &["upsert_idea", "wiki", "1", "--based-on", other]);
    let before = project.read("wiki/papers/lee2025_big_models_learn.md");
    done(&project, &["merge", "wiki", keep, other]);
    let merged = project.read(path);
    assert!(
        merged.contains("## Method\nMine.")
            && merged.contains("## Claims\nKept.")
            && merged.contains("tags: [\"x\"]"),
        "{merged}"
    );
    assert!(
        !project
            .path()
            .join("wiki/papers/lee2025_big_models_learn.md")
            .exists()
    );
    assert!(!project.read("wiki/graph/edges.jsonl").contains(other));
    assert!(
        project
            .read("wiki/ideas/1.md")
            .contains(&format!("based_on: [\"{keep}\"]"))
    );
    // A merge that was killed after its first step.
    project.write("wiki/papers/lee2025_big_models_learn.md", before);
    let doctor = done(&project, &["doctor", "wiki"]);
    assert!(doctor.stdout().contains("ended the merge"), "{doctor}");
    assert_eq!(
        done(&project, &["doctor", "wiki"]).stdout(),
        "nothing to repair\n"
    );
}

#[test]
fn gaps_are_items_of_any_list() {
    let project = wiki();
    let map = "# Gaps\n\n1. G1: Long context\n2) G2: Speed\n\n* **G3**: Memory\n\n- `G4`: Cost\n";
    project.write("wiki/gap_map.md", map);
    for gap in ["G1", "G2", "G3", "G4"] {
        done(
            &project,
            &["upsert_idea", "wiki", gap, "--target-gaps", gap],
        );
    }
    done(&project, &["rebuild-query-pack", "wiki"]);
    let pack = project.read("wiki/query_pack.md");
    for gap in ["G1: Long context", "G2: Speed", "G3: Memory", "G4: Cost"] {
        assert!(pack.contains(gap), "{gap}: {pack}");
    }
}

#[test]
fn damaged_files_are_told_and_kept() {
    let project = reference();
    let edges = project.read("wiki/graph/edges.jsonl");
    // The graph has a repeated edge, a broken line, and no line feed at the end.
    project.write(
        "wiki/graph/edges.jsonl",
        format!(
            "{edges}{edges}no edge\n{}",
            edges.trim_end().replace("extends", "supersedes")
        ),
    );
    std::fs::write(
        project.path().join("wiki/papers/bad.md"),
        b"---\ntitle: \xff\n",
    )
    .expect("written");
    let lint = call(&project, &["lint", "wiki", "--json"])
        .expect_code(10)
        .data();
    let rules: Vec<&str> = lint["findings"]
        .as_array()
        .expect("list")
        .iter()
        .filter_map(|one| one["rule"].as_str())
        .collect();
    for rule in [
        "unreadable_page",
        "broken_edge",
        "repeated_edge",
        "drifted_connections",
    ] {
        assert!(rules.contains(&rule), "{rule} in {rules:?}");
    }
    done(
        &project,
        &[
            "add_edge",
            "wiki",
            "--from",
            "paper:x",
            "--to",
            "gap:G1",
            "--type",
            "addresses_gap",
            "--allow-missing",
        ],
    );
    let lint = || {
        let told = call(&project, &["lint", "wiki"]).expect_code(10);
        told.stdout().to_owned()
    };
    let dangling = "paper:x --addresses_gap--> gap:G1: gap_map.md does not name G1\n";
    assert!(lint().contains(dangling), "{}", lint());
    project.write("wiki/gap_map.md", "# Gap Map\n\n## G1: No proof\n");
    assert!(!lint().contains(dangling), "{}", lint());
    done(&project, &["doctor", "wiki"]);
    let after = project.read("wiki/graph/edges.jsonl");
    assert_eq!(after.lines().count(), 4, "{after}");
    assert!(
        after.contains("no edge\n") && after.contains("supersedes") && after.contains("gap:G1")
    );
    assert_eq!(
        std::fs::read(project.path().join("wiki/papers/bad.md")).expect("there"),
        b"---\ntitle: \xff\n"
    );
}
