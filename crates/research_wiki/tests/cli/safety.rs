//! What people wrote stays, whatever else writes to the wiki.

use std::fs;
use std::io::Write as _;
use std::sync::atomic::{AtomicBool, Ordering};

use super::{call, done, ingest, wiki};
use aris_testkit::Project;

fn claim(project: &Project, id: &str, statement: &str) {
    done(
        project,
        &[
            "upsert_claim",
            "wiki",
            id,
            "--title",
            id,
            "--statement",
            statement,
        ],
    );
}

fn doi<'a>(title: &'a str, authors: &'a str, doi: &'a str) -> Vec<&'a str> {
    [
        ingest(title, authors, "2024"),
        vec!["--external-id-doi", doi],
    ]
    .concat()
}

#[test]
fn a_new_page_of_a_merged_name_is_nobodys_to_delete() {
    let project = wiki();
    claim(&project, "C1", "It works.");
    claim(&project, "C2", "It works well.");
    done(&project, &["merge", "wiki", "claim:C1", "claim:C2"]);
    assert!(!project.at("wiki/claims/C2.md").exists());
    claim(
        &project,
        "C2",
        "Something else that took a night to find out.",
    );
    let before = project.read("wiki/claims/C2.md");
    let run = done(&project, &["doctor", "wiki"]);
    assert!(
        run.stdout().contains("claim:C2 is a page of its own"),
        "{run}"
    );
    assert_eq!(project.read("wiki/claims/C2.md"), before);
    // Merged again: the new text goes into the page that stays, beside the earlier text.
    done(&project, &["merge", "wiki", "claim:C1", "claim:C2"]);
    let merged = project.read("wiki/claims/C1.md");
    for words in ["It works.", "It works well.", "took a night to find out"] {
        assert!(merged.contains(words), "{words}: {merged}");
    }
    assert!(!project.at("wiki/claims/C2.md").exists());
}

#[test]
fn identifiers_of_a_merged_paper_still_find_it() {
    let project = wiki();
    let title = "Large Models Learn Many Things";
    let long = "Quiet Rivers Carry Old Stones";
    done(&project, &doi(title, "Ann Lee", "10.1234/one"));
    done(&project, &doi(long, "Ann Lee", "10.1234/two"));
    let pages = || {
        fs::read_dir(project.at("wiki/papers"))
            .expect("listed")
            .count()
    };
    assert_eq!(pages(), 2);
    let names: Vec<String> = fs::read_dir(project.at("wiki/papers"))
        .expect("listed")
        .flatten()
        .map(|entry| {
            format!(
                "paper:{}",
                entry.file_name().to_string_lossy().trim_end_matches(".md")
            )
        })
        .collect();
    // Different DOIs and titles: two papers, unless the user says otherwise.
    let run = call(&project, &["merge", "wiki", &names[0], &names[1]]).expect_code(4);
    assert!(run.stderr().contains("are two papers"), "{run}");
    assert_eq!(pages(), 2);
    for name in &names {
        done(&project, &["update", "wiki", name, "title", title]);
    }
    done(&project, &["merge", "wiki", &names[0], &names[1]]);
    for known in ["10.1234/one", "10.1234/two"] {
        let run = done(
            &project,
            &doi("Whatever it is called by now and here", "Zed Quo", known),
        );
        assert!(run.stdout().contains("already ingested"), "{known}: {run}");
    }
    // The same for the Semantic Scholar identifier, which the page that stays took over in the merge.
    let other = ingest("A Paper That Has No DOI", "Zed Quo", "2021");
    let other = [&other[..], &["--external-id-s2", "1111"]].concat();
    done(&project, &other);
    let kept = names[0].replace("paper:", "wiki/papers/") + ".md";
    done(
        &project,
        &["merge", "wiki", &names[0], "paper:quo2021_paper_that_has"],
    );
    assert!(project.read(&kept).contains("1111"));
    let run = done(&project, &other);
    assert!(run.stdout().contains("already ingested"), "{run}");
    assert_eq!(pages(), 1);
}

#[test]
fn fields_as_people_write_them_survive_a_merge_and_an_update() {
    let project = wiki();
    let block =
        "notes: |\n  First line.\n    indented: \"x\"\n\n  Last line.\nfolded: >-\n  one\n  two\n";
    for (name, more) in [("A", ""), ("B", block)] {
        let ids = if name == "A" {
            "external_ids: {arxiv: '2401.00001', doi: null, s2: \"abc, def\"}\n"
        } else {
            ""
        };
        project.write(
            &format!("wiki/papers/{name}.md"),
            format!("---\ntype: paper\nnode_id: paper:{name}\ntitle: \"The same long title of two pages\"\nauthors: [\"Ann Lee\"]\nyear: 2024\n{ids}{more}---\n\n# T\n"),
        );
    }
    done(
        &project,
        &["update", "wiki", "paper:A", "external_ids.doi", "10.1234/x"],
    );
    let page = project.read("wiki/papers/A.md");
    assert!(
        page.contains(
            "external_ids:\n  arxiv: '2401.00001'\n  doi: \"10.1234/x\"\n  s2: \"abc, def\"\n"
        ),
        "{page}"
    );
    let run = done(
        &project,
        &[
            ingest("Another title of it altogether", "Ann Lee", "2024"),
            vec!["--external-id-doi", "10.1234/X"],
        ]
        .concat(),
    );
    assert!(run.stdout().contains("already ingested"), "{run}");
    done(&project, &["merge", "wiki", "paper:A", "paper:B"]);
    let page = project.read("wiki/papers/A.md");
    assert!(page.contains(block), "{page}");
    let python = std::process::Command::new("python3")
        .args(["-c", "import sys,yaml; d=yaml.safe_load(open(sys.argv[1]).read().split('---')[1]); print(d['notes'].count(chr(10)), d['folded'], d['external_ids']['doi'])", "wiki/papers/A.md"])
        .current_dir(project.path())
        .output();
    match python {
        Ok(python) if python.status.success() => {
            assert_eq!(
                String::from_utf8_lossy(&python.stdout).trim(),
                "4 one two 10.1234/x"
            );
        }
        _ => println!("skipped: python3 with PyYAML is not here"),
    }
}

/// Lists and mappings in brackets may continue at the margin, frontmatter may end with `...`, and comments belong to their writers.
#[test]
fn frontmatter_in_yaml_s_other_forms_is_changed_where_it_is_meant() {
    let project = wiki();
    let authors = "authors: [\n  \"Ann O'Lee\", # first\n  Don't Ask\n]\n";
    let head = "---\nnode_id: paper:A\ntitle: A\n";
    let rest = "external_ids: {\n  arxiv: '2401.00001',\n  doi: null\n} # from the site\nyear: 2020\n...\n# A\n\nMine.\n";
    project.write("wiki/papers/A.md", format!("{head}{authors}{rest}"));
    let update = |field: &str, value: &str| {
        done(&project, &["update", "wiki", "paper:A", field, value]);
        project.read("wiki/papers/A.md")
    };
    let page = update("relevance", "core");
    let wanted = rest.replace("...\n", "relevance: core\n...\n");
    assert_eq!(page, format!("{head}{authors}{wanted}"));
    let page = update("external_ids.doi", "10.1234/x");
    let wanted = wanted.replace(
        "external_ids: {\n  arxiv: '2401.00001',\n  doi: null\n} # from the site\n",
        "external_ids: # from the site\n  arxiv: '2401.00001'\n  doi: \"10.1234/x\"\n",
    );
    assert_eq!(page, format!("{head}{authors}{wanted}"));
    let page = update("authors", "Bo Cy");
    assert_eq!(page, format!("{head}authors: [\"Bo Cy\"]\n{wanted}"));
}

#[test]
fn a_page_whose_frontmatter_has_no_end_is_not_changed() {
    let project = wiki();
    let page = "---\nnode_id: paper:open\ntitle: Open\n# Open\n\nMine.\n";
    project.write("wiki/papers/open.md", page);
    let run = call(
        &project,
        &["update", "wiki", "paper:open", "relevance", "core"],
    );
    assert_eq!(run.code(), 4, "{run}");
    assert!(run.stderr().contains("no second ---"), "{run}");
    claim(&project, "C1", "It works.");
    let edge = [
        "add_edge",
        "wiki",
        "--from",
        "claim:C1",
        "--to",
        "paper:open",
        "--type",
        "supports",
    ];
    call(&project, &edge);
    let doctor = done(&project, &["doctor", "wiki"]);
    assert!(doctor.stdout().contains("no second ---"), "{doctor}");
    assert_eq!(project.read("wiki/papers/open.md"), page);
}

#[test]
fn control_characters_do_not_reach_a_page() {
    let project = wiki();
    let odd = "a\u{1b}[31mb\u{7}c\u{202e}d";
    done(
        &project,
        &[
            ingest(odd, "A\u{8}nn Lee", "2024"),
            vec!["--thesis", odd, "--venue", odd, "--tags", odd],
        ]
        .concat(),
    );
    done(
        &project,
        &[
            "upsert_claim",
            "wiki",
            "C1",
            "--title",
            odd,
            "--statement",
            odd,
        ],
    );
    for folder in ["papers", "claims"] {
        for entry in fs::read_dir(project.at(&format!("wiki/{folder}"))).expect("folder") {
            let text = fs::read_to_string(entry.expect("entry").path()).expect("text");
            let hidden = |sign: char| sign.is_control() && sign != '\n' || sign == '\u{202e}';
            assert!(!text.contains(hidden), "{text:?}");
        }
    }
}

#[test]
fn control_characters_do_not_reach_the_frontmatter() {
    let project = wiki();
    done(
        &project,
        &[
            "upsert_claim",
            "wiki",
            "C1",
            "--title",
            "a\u{1b}[31mb\u{7}c\u{8}d\u{7f}e\u{85}f\u{2028}g",
        ],
    );
    let page = project.read("wiki/claims/C1.md");
    let front = page.split("---").nth(1).expect("a frontmatter");
    let odd: Vec<char> = front
        .chars()
        .filter(|sign| (sign.is_control() && *sign != '\n') || *sign == '\u{2028}')
        .collect();
    assert!(odd.is_empty(), "{odd:?} in {front:?}");
    let run = done(&project, &["--json", "show", "wiki", "claim:C1"]);
    assert!(!run.stdout().contains('\u{1b}'), "{run}");
}

#[test]
fn a_terminal_is_not_moved_by_what_others_wrote() {
    let project = wiki();
    let title = "Title \u{1b}]0;owned\u{7}of \u{202e}a paper \u{9b}2J that is long";
    let run = done(&project, &ingest(title, "Ann Lee", "2024"));
    let page =
        "---\nnode_id: claim:C1\ntitle: C1\n---\n# \u{1b}[2Jgone\r\nkept \u{2066}x\u{2069}\n";
    project.write("wiki/claims/C1.md", page);
    let odd = |text: &str| {
        text.contains([
            '\u{1b}', '\u{7}', '\u{9b}', '\u{202e}', '\u{2066}', '\u{2069}',
        ])
    };
    let json = done(&project, &["--json", "show", "wiki", "claim:C1"]);
    for run in [
        run,
        done(&project, &["show", "wiki", "claim:C1"]),
        done(&project, &["search", "wiki", "gone"]),
        call(&project, &["lint", "wiki"]),
        call(&project, &["show", "wiki", "claim:\u{1b}[2J\u{202e}"]),
    ] {
        assert!(!odd(run.stdout()) && !odd(run.stderr()), "{run}");
    }
    // The JSON holds the page's text unchanged.
    assert!(!odd(json.stdout()), "{json}");
    let read: serde_json::Value = serde_json::from_str(json.stdout()).expect("JSON");
    assert_eq!(read["data"]["text"], page);
}

#[test]
fn a_persons_todo_is_no_placeholder() {
    let project = wiki();
    done(&project, &["upsert_claim", "wiki", "C1"]);
    let own = "_TODO: see notebook p. 12_";
    let page = project
        .read("wiki/claims/C1.md")
        .replacen("_TODO._", own, 1);
    project.write("wiki/claims/C1.md", &page);
    claim(&project, "C1", "It works.");
    assert!(project.read("wiki/claims/C1.md").contains(own));
}

#[test]
fn what_an_editor_saves_meanwhile_is_never_overwritten() {
    let project = wiki();
    done(&project, &["upsert_claim", "wiki", "C1"]);
    let path = project.at("wiki/claims/C1.md");
    let over = AtomicBool::new(false);
    let saved = std::thread::scope(|scope| {
        let editor = scope.spawn(|| {
            let (mut count, mut last) = (0, String::new());
            while !over.load(Ordering::SeqCst) {
                // A save between two steps of the program is put back in the program's next step. A reader who hits that instant reads
                // again; a save that is missing for a second is lost.
                let mut text = fs::read_to_string(&path).expect("there");
                let until = std::time::Instant::now() + std::time::Duration::from_secs(1);
                while !text.contains(&last) && std::time::Instant::now() < until {
                    std::thread::sleep(std::time::Duration::from_micros(100));
                    text = fs::read_to_string(&path).expect("there");
                }
                // Saves as an editor does: writes the whole file under another name, then renames it.
                let other = path.with_file_name(".C1.md.swp");
                last = format!("note {count}\n");
                fs::write(&other, format!("{text}{last}")).expect("written");
                fs::rename(&other, &path).expect("renamed");
                count += 1;
                std::thread::sleep(std::time::Duration::from_micros(700));
            }
            count
        });
        for number in 0..40 {
            let run = call(
                &project,
                &["update", "wiki", "claim:C1", "mood", &format!("s{number}")],
            );
            assert!(matches!(run.code(), 0 | 5), "{run}");
        }
        over.store(true, Ordering::SeqCst);
        editor.join().expect("no panic")
    });
    let text = fs::read_to_string(&path).expect("there");
    let lost: Vec<u32> = (0..saved)
        .filter(|count| !text.contains(&format!("note {count}\n")))
        .collect();
    assert!(
        lost.is_empty(),
        "{} of {saved} saves lost: {lost:?}",
        lost.len()
    );
}

#[test]
fn edges_that_others_append_meanwhile_stay() {
    let project = wiki();
    claim(&project, "C0", "x");
    for number in 1..9 {
        claim(&project, &format!("C{number}"), "x");
    }
    let path = project.at("wiki/graph/edges.jsonl");
    let over = AtomicBool::new(false);
    let appended = std::thread::scope(|scope| {
        let other = scope.spawn(|| {
            let mut count = 0;
            while !over.load(Ordering::SeqCst) {
                let line = format!("{{\"from\": \"idea:{count}\", \"to\": \"gap:G1\", \"type\": \"addresses_gap\"}}\n");
                let mut file = fs::OpenOptions::new().append(true).create(true).open(&path).expect("open");
                file.write_all(line.as_bytes()).expect("appended");
                count += 1;
                std::thread::sleep(std::time::Duration::from_micros(500));
            }
            count
        });
        for number in 1..9 {
            let node = format!("claim:C{number}");
            let run = call(&project, &["merge", "wiki", "claim:C0", &node]);
            assert!(matches!(run.code(), 0 | 5), "{run}");
        }
        over.store(true, Ordering::SeqCst);
        other.join().expect("no panic")
    });
    let text = fs::read_to_string(&path).expect("there");
    let lost: Vec<u32> = (0..appended)
        .filter(|count| !text.contains(&format!("\"idea:{count}\"")))
        .collect();
    assert!(
        lost.is_empty(),
        "{} of {appended} edges lost: {lost:?}",
        lost.len()
    );
}

#[test]
fn an_edge_leads_to_what_is_there() {
    let project = wiki();
    claim(&project, "C1", "x");
    done(&project, &["upsert_experiment", "wiki", "E1"]);
    let edge = |verb: &str, to: &str, kind: &str, more: &[&str]| {
        let words = [verb, "wiki", "--from", "exp:E1", "--to", to, "--type", kind];
        call(&project, &[&words[..], more].concat())
    };
    let run = edge("add_edge", "claim:C11", "supports", &[]).expect_code(3);
    assert!(run.stderr().contains("claim:C11 has no page"), "{run}");
    let run = edge("add_edge", "claim:C1", "backs", &[]).expect_code(2);
    assert!(
        run.stderr().contains("supports") && run.stderr().contains("supersedes"),
        "{run}"
    );
    let run = edge("add_edge", "thing:C1", "supports", &[]).expect_code(2);
    assert!(
        run.stderr().contains("paper:, idea:, exp:, claim: or gap:"),
        "{run}"
    );
    edge("add_edge", "gap:G1", "addresses_gap", &[]).expect_code(0);
    edge("add_edge", "claim:later", "supports", &["--allow-missing"]).expect_code(0);
    edge("add_edge", "claim:C1", "supports", &["--evidence", "run 7"]).expect_code(0);
    assert!(project.read("wiki/claims/C1.md").contains("run 7"));
    call(
        &project,
        &["upsert_idea", "wiki", "I1", "--based-on", "paper:nobody"],
    )
    .expect_code(3);
    assert!(!project.at("wiki/ideas/I1.md").exists());
    // The edge is gone from the graph and from both pages; lint and doctor report nothing.
    edge("remove_edge", "claim:C1", "supports", &[]).expect_code(0);
    edge("remove_edge", "claim:C1", "supports", &[]).expect_code(3);
    let run = edge("remove_edge", "claim:C1", "suports", &[]).expect_code(2);
    assert!(run.stderr().contains("supports"), "{run}");
    assert!(
        !project.read("wiki/claims/C1.md").contains("run 7")
            && !project.read("wiki/graph/edges.jsonl").contains("claim:C1")
    );
    edge("remove_edge", "claim:later", "supports", &[]).expect_code(0);
    let run = done(&project, &["doctor", "wiki"]);
    assert!(run.stdout().contains("nothing to repair"), "{run}");
}

#[test]
fn doctor_repairs_what_lint_says_that_it_repairs() {
    let project = wiki();
    claim(&project, "C1", "x");
    done(
        &project,
        &["upsert_experiment", "wiki", "E1", "--supports", "C1"],
    );
    // Somebody removes the edge by hand: both pages still name it.
    project.write("wiki/graph/edges.jsonl", "");
    let drifted = |run: &aris_testkit::Run| run.stdout().matches("drifted connections").count();
    assert_eq!(drifted(&call(&project, &["lint", "wiki"])), 2);
    done(&project, &["doctor", "wiki"]);
    assert_eq!(drifted(&call(&project, &["lint", "wiki"])), 0);
    let run = done(&project, &["doctor", "wiki"]);
    assert!(run.stdout().contains("nothing to repair"), "{run}");
}

#[test]
fn authors_are_read_as_people_write_them() {
    for (given, wanted) in [
        (
            "Paul Michel and Omer Levy",
            "[\"Paul Michel\", \"Omer Levy\"]",
        ),
        (
            "Michel, Paul and Levy, Omer",
            "[\"Paul Michel\", \"Omer Levy\"]",
        ),
        (
            "Michel, Paul; Levy, Omer",
            "[\"Paul Michel\", \"Omer Levy\"]",
        ),
        (
            "Ann Lee, Bo Cy and Di Ek",
            "[\"Ann Lee\", \"Bo Cy\", \"Di Ek\"]",
        ),
        (
            "Ann Lee, Bo Cy, and Di Ek",
            "[\"Ann Lee\", \"Bo Cy\", \"Di Ek\"]",
        ),
        (
            "van der Maaten, Laurens and Hinton, Geoffrey",
            "[\"Laurens van der Maaten\", \"Geoffrey Hinton\"]",
        ),
        ("Alice Smith, Bob Jones", "[\"Alice Smith\", \"Bob Jones\"]"),
        ("Alexander Sandy Anders", "[\"Alexander Sandy Anders\"]"),
        (
            "Smith, Jr., John and Doe, Jane",
            "[\"John Smith Jr.\", \"Jane Doe\"]",
        ),
        (
            "LeCun, Y., Bengio, Y., Hinton, G.",
            "[\"Y. LeCun\", \"Y. Bengio\", \"G. Hinton\"]",
        ),
        ("Michel, Paul;", "[\"Paul Michel\"]"),
        ("John Smith, Jr.", "[\"John Smith Jr.\"]"),
        ("Ann Lee & Bo Cy", "[\"Ann Lee\", \"Bo Cy\"]"),
        ("{OpenAI}", "[\"OpenAI\"]"),
        (
            "{Barnes and Noble} and Ann Lee",
            "[\"{Barnes and Noble}\", \"Ann Lee\"]",
        ),
        (
            "Vaswani, Shazeer, Parmar",
            "[\"Vaswani\", \"Shazeer\", \"Parmar\"]",
        ),
    ] {
        let project = wiki();
        done(
            &project,
            &ingest("A title that is long enough to tell", given, "2024"),
        );
        let page = fs::read_dir(project.at("wiki/papers"))
            .expect("listed")
            .flatten()
            .next()
            .expect("a page");
        let text = fs::read_to_string(page.path()).expect("read");
        assert!(
            text.contains(&format!("authors: {wanted}\n")),
            "{given}: {text}"
        );
    }
}

#[test]
fn a_list_that_can_be_read_in_two_ways_is_not_guessed() {
    let project = wiki();
    let title = "A title that is long enough to tell";
    let run = call(&project, &ingest(title, "Vaswani, Ashish", "2017")).expect_code(2);
    assert!(run.stderr().contains("one person or two"), "{run}");
    let run = call(
        &project,
        &["update", "wiki", "claim:C1", "status", "nonsense"],
    )
    .expect_code(2);
    assert!(run.stderr().contains("invalidated"), "{run}");
}

#[test]
fn a_merge_takes_values_as_they_stand() {
    let project = wiki();
    claim(&project, "C1", "x");
    claim(&project, "C2", "x");
    let own = "map: {a: 1, b: \"1\"}\nblock:\n  k: 2 # two\n  s: \"2\"\nn: 3\nlist: [1, two]\n";
    let page = project.read("wiki/claims/C2.md");
    project.write(
        "wiki/claims/C2.md",
        page.replacen("---\n", &format!("---\n{own}"), 1),
    );
    done(&project, &["merge", "wiki", "claim:C1", "claim:C2"]);
    let page = project.read("wiki/claims/C1.md");
    assert!(page.contains(own), "{page}");
    assert_eq!(page.matches("two").count(), 2, "{page}");
}

#[test]
fn one_of_a_thing_is_said_of_one() {
    let project = wiki();
    let sync = ["sync", "wiki", "--arxiv-ids", "1706.03762", "--offline"];
    let run = call(&project, &sync);
    assert!(run.stderr().contains("0 of 1 new paper added"), "{run}");
    let known = [
        "ingest-paper",
        "wiki",
        "--title",
        "Known",
        "--authors",
        "Ann Lee",
        "--year",
        "2023",
        "--arxiv-id",
        "2301.10000",
        "--offline",
    ];
    done(&project, &known);
    let sync = [
        "sync",
        "wiki",
        "--arxiv-ids",
        "2301.10000,2401.00001",
        "--offline",
        "--json",
    ];
    let run = call(&project, &sync);
    let error = run.envelope();
    assert_eq!(error["error"]["details"]["ingested"], 0, "{run}");
    assert!(run.stdout().contains("0 of 1 new paper added"), "{run}");
    project.write("wiki/graph/edges.jsonl", "{\"from\"\n");
    let run = done(&project, &["doctor", "wiki"]);
    assert!(
        run.stdout().contains("line 1 cannot be read as an edge"),
        "{run}"
    );
    let line = "{\"from\": \"paper:a\", \"to\": \"gap:G1\", \"type\": \"addresses_gap\"}\n";
    project.write("wiki/graph/edges.jsonl", line.repeat(2));
    let run = call(&project, &["lint", "wiki"]).expect_code(10);
    let told = "graph/edges.jsonl: repeated edge: 1 repeated edge\n";
    assert!(run.stdout().contains(told), "{run}");
}

#[test]
fn a_full_disk_leaves_no_part_of_a_site() {
    let project = wiki();
    let may = std::process::Command::new("unshare")
        .args(["--mount", "true"])
        .output();
    if !may.is_ok_and(|may| may.status.success()) {
        println!("skipped: this user may not mount a small file system");
        return;
    }
    // The small file system has room for a few pages only.
    let line = "mkdir small && mount -t tmpfs -o size=32k small small && { \"$@\"; code=$?; ls -A small; exit $code; }";
    let run = aris_testkit::Helper::at("unshare")
        .call(project.path())
        .args(["--mount", "sh", "-c", line, "sh"])
        .args([env!("CARGO_BIN_EXE_research_wiki"), "export", "wiki"])
        .args(["--html", "small/site"])
        .run()
        .expect_code(5);
    assert_eq!(run.stdout(), "", "{run}");
}

#[test]
fn a_merge_of_two_mappings_keeps_their_types() {
    for own in ["map: {a: 1}\n", "map:\n  a: 1\n"] {
        for other in [
            "map: {a: 2, c: 3, d: true, e: \"4\"}\n",
            "map:\n  a: 2\n  c: 3 # three\n  d: true\n  e: \"4\"\n",
        ] {
            let project = wiki();
            for (name, more) in [("C1", own), ("C2", other)] {
                claim(&project, name, "x");
                let path = format!("wiki/claims/{name}.md");
                let page = project.read(&path);
                project.write(&path, page.replacen("---\n", &format!("---\n{more}"), 1));
            }
            done(&project, &["merge", "wiki", "claim:C1", "claim:C2"]);
            let page = project.read("wiki/claims/C1.md");
            let remark = if other.contains('#') { " # three" } else { "" };
            let map = format!("map:\n  a: 1\n  c: 3{remark}\n  d: true\n  e: \"4\"\n");
            assert!(page.contains(&map), "{page}");
            assert!(page.contains("map.a: 2\n"), "{page}");
        }
    }
}

#[test]
fn what_a_page_does_not_know_is_no_venue_and_a_merge_fills_it() {
    let pages = ["lee2024_large_models_learn", "ray2025_large_models_learn"];
    for (keep, other) in [(0, 1), (1, 0)] {
        let project = wiki();
        done(&project, &ingest("Large Models Learn", "Ann Lee", "2024"));
        let run = done(&project, &["export", "wiki", "--bibtex"]);
        assert!(!run.stdout().contains("unknown"), "{run}");
        let known = ingest("Large Models Learn", "Bo Ray", "2025");
        done(&project, &[&known[..], &["--venue", "Nature"]].concat());
        let [node, from] = [keep, other].map(|at| format!("paper:{}", pages[at]));
        done(&project, &["merge", "wiki", &node, &from]);
        let page = project.read(&format!("wiki/papers/{}.md", pages[keep]));
        assert!(page.contains("venue: \"Nature\"\n"), "{page}");
        assert!(!page.contains("unknown"), "{page}");
    }
}

#[test]
fn a_merge_keeps_lines_of_the_frontmatter_that_are_no_fields_for_us() {
    let project = wiki();
    let more = "# a remark\n\"quoted key\": one\nmy key: two\nclé: three\n? complex\n: four\ndup: five\ndup: six\n                relevance: core # seven\nadded: 2024-01-01  # eight\ntags: [x] # nine\n";
    for (name, more) in [("A", "tags: [y]\n"), ("B", more)] {
        project.write(
            &format!("wiki/papers/{name}.md"),
            format!("---\ntype: paper\nnode_id: paper:{name}\ntitle: \"Title\"\nauthors: [\"Ann Lee\"]\nyear: 2024\n{more}---\n\n# T\n"),
        );
    }
    done(&project, &["merge", "wiki", "paper:A", "paper:B"]);
    let page = project.read("wiki/papers/A.md");
    for words in more.lines() {
        let words = words.rsplit([':', '#']).next().expect("words").trim();
        assert!(page.contains(words), "{words}: {page}");
    }
    for words in [
        "? complex",
        "clé: three",
        "dup: five",
        "dup: six",
        "# a remark",
    ] {
        assert!(page.contains(words), "{words}: {page}");
    }
}

/// A file with a fixed name in a folder that others can write to is never written through a link, and a FIFO there does not block.
#[test]
fn the_clock_of_the_index_is_not_written_through_a_link() {
    for fifo in [false, true] {
        let project = wiki();
        done(&project, &ingest("Large Models Learn", "Ann Lee", "2024"));
        done(&project, &["search", "wiki", "models"]);
        let clock = project.at("wiki/.wiki/clock");
        fs::remove_file(&clock).expect("the search made it");
        let thesis = project.at("thesis.tex");
        fs::write(&thesis, "years of work").expect("written");
        if fifo {
            let made = std::process::Command::new("mkfifo").arg(&clock).status();
            assert!(made.expect("run").success());
        } else {
            std::os::unix::fs::symlink(&thesis, &clock).expect("a link");
        }
        project.write("wiki/papers/more.md", "---\ntitle: \"More\"\n---\n");
        done(&project, &["search", "wiki", "models"]);
        assert_eq!(fs::read_to_string(&thesis).expect("read"), "years of work");
    }
}

#[test]
fn a_merge_keeps_what_the_two_pages_say_differently() {
    let project = wiki();
    for (name, more) in [
        (
            "A",
            "venue: \"ICML\"\nexternal_ids: {arxiv: '2401.00001', s2: \"aa\"}\nnote: mine\n",
        ),
        (
            "B",
            "venue: 'NeurIPS'  # camera ready\nexternal_ids: {arxiv: '2401.00001', s2: \"bb\", acl: \"P24-1\"}\nnote: |\n  two\n  lines\nmood: good\n",
        ),
    ] {
        project.write(
            &format!("wiki/papers/{name}.md"),
            format!("---\ntype: paper\nnode_id: paper:{name}\ntitle: \"Title of {name}\"\nauthors: [\"Ann Lee\"]\nyear: 2024\n{more}---\n\nProse of {name}.\n\n# T\n"),
        );
    }
    done(&project, &["merge", "wiki", "paper:A", "paper:B"]);
    let page = project.read("wiki/papers/A.md");
    let (front, rest) = page.split_once("## From paper:B").expect("a section");
    for words in [
        "venue: \"ICML\"",
        "s2: \"aa\"",
        "acl: \"P24-1\"",
        "note: mine",
        "mood: good",
        "Title of A",
    ] {
        assert!(front.contains(words), "{words}: {page}");
    }
    for words in [
        "venue: 'NeurIPS'  # camera ready\n",
        "external_ids.s2: \"bb\"\n",
        "note: |\n  two\n  lines\n",
        "title: \"Title of B\"\n",
        "Prose of B.",
    ] {
        assert!(rest.contains(words), "{words}: {page}");
    }
}

#[test]
fn edges_that_differ_in_their_evidence_stay() {
    let project = wiki();
    claim(&project, "C1", "x");
    done(&project, &["upsert_experiment", "wiki", "E1"]);
    let edge = |evidence: &str| {
        format!(
            "{{\"from\": \"exp:E1\", \"to\": \"claim:C1\", \"type\": \"supports\", \"evidence\": \"{evidence}\"}}\n"
        )
    };
    let lines = [edge("run 1"), edge("run 2"), edge("run 1"), edge("")].concat();
    project.write("wiki/graph/edges.jsonl", &lines);
    done(&project, &["doctor", "wiki"]);
    assert_eq!(
        project.read("wiki/graph/edges.jsonl"),
        [edge("run 1"), edge("run 2")].concat()
    );
    let page = project.read("wiki/claims/C1.md");
    assert!(page.contains("run 1") && page.contains("run 2"), "{page}");
}

#[test]
fn links_out_of_the_wiki_are_not_written_through() {
    use std::os::unix::fs::symlink;
    let page = "---\nnode_id: claim:C1\ntitle: C1\n---\n";
    for place in [
        "claims/C1.md",
        "graph/edges.jsonl",
        "index.md",
        "log.md",
        "claims",
        "query_pack.md",
    ] {
        let project = wiki();
        claim(&project, "C2", "x");
        project.write("outside/C1.md", page);
        let at = project.at(&format!("wiki/{place}"));
        let target = if place == "claims" {
            fs::remove_dir_all(&at).expect("removed");
            project.at("outside")
        } else {
            let _absent = fs::remove_file(&at);
            project.at("outside/C1.md")
        };
        symlink(&target, &at).expect("linked");
        for args in [
            &["update", "wiki", "claim:C1", "note", "x"][..],
            &["upsert_claim", "wiki", "C1", "--title", "y"],
            &[
                "add_edge",
                "wiki",
                "--from",
                "claim:C2",
                "--to",
                "gap:G1",
                "--type",
                "addresses_gap",
            ],
            &["doctor", "wiki"],
            &["init", "wiki"],
        ] {
            let run = call(&project, args);
            assert_eq!(project.read("outside/C1.md"), page, "{place}: {run}");
            assert_eq!(
                fs::read_dir(project.at("outside")).expect("listed").count(),
                1,
                "{place}: {run}"
            );
        }
    }
    // A link that stays inside the wiki is accepted.
    let project = wiki();
    claim(&project, "C1", "x");
    fs::rename(project.at("wiki/claims/C1.md"), project.at("wiki/kept.md")).expect("moved");
    symlink("../kept.md", project.at("wiki/claims/C1.md")).expect("linked");
    done(&project, &["update", "wiki", "claim:C1", "note", "seen"]);
    assert!(project.read("wiki/kept.md").contains("note: seen"));
}

#[test]
fn a_save_that_is_under_way_is_not_lost() {
    let project = wiki();
    claim(&project, "C1", "x");
    let path = project.at("wiki/claims/C1.md");
    let over = AtomicBool::new(false);
    let saved = std::thread::scope(|scope| {
        let editor = scope.spawn(|| {
            let mut count = 0;
            while !over.load(Ordering::SeqCst) {
                // Saves in place: the file is emptied, then written.
                let text = fs::read_to_string(&path).expect("there");
                let mut file = fs::File::create(&path).expect("opened");
                std::thread::sleep(std::time::Duration::from_micros(200));
                file.write_all(format!("{text}note {count}\n").as_bytes())
                    .expect("written");
                drop(file);
                std::thread::sleep(std::time::Duration::from_millis(40));
                let text = fs::read_to_string(&path).expect("there");
                if !text.contains(&format!("note {count}\n")) {
                    return Err(format!("note {count} was lost: {text}"));
                }
                count += 1;
            }
            Ok(())
        });
        for number in 0..40 {
            let run = call(
                &project,
                &["update", "wiki", "claim:C1", "mood", &format!("m{number}")],
            );
            assert!(matches!(run.code(), 0 | 5), "{run}");
        }
        over.store(true, Ordering::SeqCst);
        editor.join().expect("no panic")
    });
    saved.expect("nothing lost");
}

#[test]
fn a_bibliography_is_imported() {
    let project = wiki();
    project.write(
        "refs.bib",
        "@string{nips = {NeurIPS}}\n@inproceedings{a, title={Attention Is All You {N}eed}, author={Vaswani, Ashish and Shazeer, Noam}, year={2017}, booktitle=nips, eprint={1706.03762}}\n\
         @article{b, title={Another Paper of Some Length}, author={M{\\\"u}ller, J\\\"urgen}, year=2020, journal={J. Odd Res.}, doi={10.1234/ABC}}\n@misc{c, note={no title}}\n",
    );
    let run = done(
        &project,
        &[
            "ingest_paper",
            "wiki",
            "--bib",
            "refs.bib",
            "--tags",
            "imported",
        ],
    );
    assert!(run.stderr().contains("c has no title"), "{run}");
    let texts: Vec<String> = fs::read_dir(project.at("wiki/papers"))
        .expect("listed")
        .flatten()
        .map(|entry| fs::read_to_string(entry.path()).expect("read"))
        .collect();
    assert_eq!(texts.len(), 2);
    let all = texts.concat();
    for words in [
        "\"Ashish Vaswani\", \"Noam Shazeer\"",
        "arxiv: \"1706.03762\"",
        "venue: \"NeurIPS\"",
        "\"Jürgen Müller\"",
        "doi: \"10.1234/ABC\"",
        "tags: [\"imported\"]",
    ] {
        assert!(all.contains(words), "{words}: {all}");
    }
    // A second run adds nothing.
    done(&project, &["ingest_paper", "wiki", "--bib", "refs.bib"]);
    assert_eq!(
        fs::read_dir(project.at("wiki/papers"))
            .expect("listed")
            .count(),
        2
    );
    project.write("broken.bib", "no entry at all");
    call(&project, &["ingest_paper", "wiki", "--bib", "broken.bib"]).expect_code(4);
    call(&project, &["ingest_paper", "wiki", "--bib", "absent.bib"]).expect_code(3);
}

#[test]
fn a_bibliography_with_one_paper_twice_says_which_entries() {
    let project = wiki();
    project.write(
        "refs.bib",
        "@article{first, title={Sparse Heads Learn}, author={Lee, Ann}, year=2020, doi={10.1234/ABC}}\n\
         @article{second, title={Sparse Heads Learn Fast}, author={Lee, Ann}, year=2021, doi={10.1234/abc}}\n",
    );
    let run = done(&project, &["ingest-paper", "wiki", "--bib", "refs.bib"]);
    assert!(
        run.stderr()
            .contains("2: second is the same paper as first"),
        "{run}"
    );
    let pages = fs::read_dir(project.at("wiki/papers")).expect("listed");
    assert_eq!(pages.count(), 1);
}

#[test]
fn a_file_that_is_no_bibliography_is_told_so() {
    let project = wiki();
    project.write("empty.bib", "");
    project.write("latin1.bib", b"@misc{a, title={Caf\xe9}}\n");
    for bib in ["empty.bib", "latin1.bib"] {
        let run = call(&project, &["ingest-paper", "wiki", "--bib", bib]).expect_code(4);
        assert!(!run.stderr().contains("arxiv_fetch"), "{run}");
        assert!(run.stderr().contains("BibTeX"), "{run}");
    }
}

#[test]
fn a_percent_sign_in_a_doi_survives_a_bibliography() {
    let doi = "10.1002/(sici)1097%2d0258";
    let project = wiki();
    let mut args = ingest("Sparse Heads", "Ann Lee", "1998");
    args.extend(["--external-id-doi", doi]);
    done(&project, &args);
    let export = ["export", "wiki", "--bibtex", "--output", "refs.bib"];
    done(&project, &export);
    // The field is copied unchanged: biblatex and other readers take it verbatim.
    let text = project.read("refs.bib");
    assert!(
        text.contains("doi = {10.1002/(sici)1097%2d0258},"),
        "{text}"
    );
    done(&project, &["init", "other"]);
    done(&project, &["ingest-paper", "other", "--bib", "refs.bib"]);
    let page = fs::read_dir(project.at("other/papers"))
        .expect("listed")
        .flatten()
        .next()
        .expect("a page");
    let page = fs::read_to_string(page.path()).expect("read");
    assert!(page.contains(&format!("doi: \"{doi}\"")), "{page}");
}

#[test]
fn a_suffix_is_no_last_name() {
    let project = wiki();
    done(
        &project,
        &ingest("Sparse Heads Learn", "John Smith Jr.", "2020"),
    );
    assert!(
        project
            .at("wiki/papers/smith2020_sparse_heads_learn.md")
            .exists()
    );
}

#[test]
fn without_the_network_it_says_what_to_give() {
    let project = wiki();
    let run = call(
        &project,
        &[
            "ingest_paper",
            "wiki",
            "--arxiv-id",
            "2401.00001",
            "--offline",
        ],
    )
    .expect_code(7);
    assert!(
        run.stderr().contains("--title, --authors and --year"),
        "{run}"
    );
    assert!(
        !run.stderr().contains("use --offline") && !run.stderr().contains("without --offline"),
        "{run}"
    );
}

#[test]
fn the_projects_direction_is_what_a_person_wrote() {
    let project = wiki();
    project.write(
        "CLAUDE.md",
        "# Project\n<!-- ARIS:BEGIN -->\nGenerated list of skills.\n<!-- ARIS:END -->\nWe study caches.\n<!-- aris:index (generated, do not edit) -->\nMore of it.\n<!-- aris:index end -->\nAnd latency.\n",
    );
    done(&project, &["rebuild_query_pack", "wiki"]);
    let pack = project.read("wiki/query_pack.md");
    assert!(
        pack.contains("We study caches.") && pack.contains("And latency."),
        "{pack}"
    );
    assert!(
        !pack.contains("Generated list") && !pack.contains("More of it"),
        "{pack}"
    );
    project.write(
        "RESEARCH_BRIEF.md",
        "---\ntitle: my brief\ntags: [a]\n---\n\nWe study locks.\n",
    );
    done(&project, &["rebuild_query_pack", "wiki"]);
    let pack = project.read("wiki/query_pack.md");
    assert!(
        pack.contains("We study locks.") && !pack.contains("tags:"),
        "{pack}"
    );
}

#[test]
fn pages_that_look_like_others_are_not_taken_for_them() {
    let project = wiki();
    claim(&project, "C1", "x");
    done(
        &project,
        &["upsert_experiment", "wiki", "E1", "--supports", "C1"],
    );
    let page = project.read("wiki/claims/C1.md");
    project.write("wiki/claims/C1 (conflicted copy).md", &page);
    done(
        &project,
        &["upsert_claim", "wiki", "C1", "--set", "note=NEW"],
    );
    assert!(project.read("wiki/claims/C1.md").contains("NEW"));
    assert!(
        !project
            .read("wiki/claims/C1 (conflicted copy).md")
            .contains("NEW")
    );
    // A name that no page can have and bytes that are not UTF-8 are reported and stop nothing else.
    project.write("wiki/claims/two\nlines.md", &page);
    fs::write(
        project.at("wiki/claims/L1.md"),
        b"---\ntitle: caf\xe9\n---\n",
    )
    .expect("written");
    project.write("wiki/graph/edges.jsonl", "");
    let run = done(&project, &["doctor", "wiki"]);
    assert!(run.stdout().contains("connections of 3 pages"), "{run}");
    for args in [
        &["show", "wiki", "claim:L1"][..],
        &["upsert_claim", "wiki", "L1", "--tags", "t"],
    ] {
        let run = call(&project, args).expect_code(4);
        assert!(run.stderr().contains("byte 14 is not UTF-8"), "{run}");
    }
    // Terminal control sequences do not reach the log, and a lock that is a link creates no file elsewhere.
    done(&project, &["log", "wiki", "read \u{1b}[31mred\u{7}"]);
    assert!(!project.read("wiki/log.md").contains(['\u{1b}', '\u{7}']));
    let lock = project.at("wiki/.wiki/lock");
    fs::remove_file(&lock).expect("a lock");
    std::os::unix::fs::symlink(project.at("made"), &lock).expect("a link");
    call(&project, &["log", "wiki", "x"]).expect_code(5);
    assert!(!project.at("made").exists());
}
