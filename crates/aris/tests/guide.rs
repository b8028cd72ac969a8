//! Checks the guide: its commands are run, the output that it shows must occur, and its links must lead somewhere.
//!
//! A line that ends in "Write `PATH`:" writes the fence below it to that file. A fence marked `sh` is run line by line, in the order of the
//! page, in one empty project with `aris` on the `PATH`; `# exit N` at the end of a line names another exit code than 0. Each line of a
//! fence marked `text` must occur in the output of the command fence before it. Fences marked `console` are not checked.
#![cfg(test)]
#![allow(clippy::disallowed_methods, reason = "tests prepare files directly")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use aris_testkit::{Helper, Project, brought};

const FENCE: &str = "```";

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("guide/src")
}

/// All pages, with paths relative to the source.
fn pages() -> BTreeSet<String> {
    let (mut open, mut found) = (vec![source()], BTreeSet::new());
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).expect("listed") {
            let path = entry.expect("entry").path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|extension| extension == "md") {
                let relative = path.strip_prefix(source()).expect("below");
                found.insert(relative.to_string_lossy().into_owned());
            }
        }
    }
    found
}

fn read(page: &str) -> String {
    fs::read_to_string(source().join(page)).expect("read")
}

/// The fences of a page: (the text since the previous fence, the mark, the lines).
fn fences(text: &str) -> Vec<(String, String, String)> {
    let mut found = Vec::new();
    let mut before = String::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if let Some(mark) = line.strip_prefix(FENCE) {
            let inside: Vec<&str> = lines.by_ref().take_while(|line| *line != FENCE).collect();
            let inside = format!("{}\n", inside.join("\n"));
            found.push((std::mem::take(&mut before), mark.to_owned(), inside));
        } else if !line.is_empty() {
            before = format!("{before}\n{line}");
        }
    }
    found
}

/// Follows a page's instructions. Returns the number of commands.
fn follow(page: &str) -> usize {
    let project = Project::bare();
    let bin = project.at("bin");
    fs::create_dir(&bin).expect("made");
    brought(Path::new(env!("CARGO_BIN_EXE_aris")), &bin.join("aris"));
    fs::create_dir(project.at("paper-project")).expect("made");
    let path = format!(
        "{}:{}",
        bin.display(),
        std::env::var("PATH").unwrap_or_default()
    );
    let (mut count, mut printed) = (0, String::new());
    for (before, mark, inside) in fences(&read(page)) {
        let to_write = before
            .rsplit_once("rite `")
            .and_then(|(_, rest)| rest.split_once('`'));
        match (to_write, mark.as_str()) {
            (Some((file, _)), _) => project.write(&format!("paper-project/{file}"), inside),
            (None, "sh") => {
                printed.clear();
                for line in inside.lines() {
                    let (command, code) = line.rsplit_once("# exit ").unwrap_or((line, "0"));
                    let run = Helper::at("/bin/sh")
                        .call(project.at("paper-project"))
                        .args(["-c", command])
                        .env("PATH", &path)
                        .env("XDG_DATA_HOME", project.at("share"))
                        .env("HOME", project.path())
                        .deadline(Duration::from_mins(2))
                        .run();
                    assert_eq!(run.code().to_string(), code.trim(), "{page}: {line}\n{run}");
                    printed.push_str(run.stdout());
                    printed.push_str(run.stderr());
                    count += 1;
                }
            }
            (None, "text") if !printed.is_empty() => {
                for line in inside.lines() {
                    assert!(
                        printed.contains(line),
                        "{page}: {line}\nis not in\n{printed}"
                    );
                }
            }
            _ => {}
        }
    }
    count
}

#[test]
fn each_step_of_the_tutorial_does_what_it_says() {
    assert!(follow("tutorial.md") >= 12);
}

#[test]
fn the_other_pages_say_what_is_so() {
    let mut count = 0;
    for page in pages() {
        if page != "tutorial.md" && !page.starts_with("helpers/") && page != "SUMMARY.md" {
            count += follow(&page);
        }
    }
    assert!(count >= 15, "{count}");
}

/// The anchor of a heading. **Source**: mdBook's `normalize_id`.
fn anchor(heading: &str) -> String {
    let kept = heading
        .chars()
        .filter(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | ' '));
    kept.collect::<String>().to_lowercase().replace(' ', "-")
}

#[test]
fn every_link_leads_somewhere_and_every_page_is_listed() {
    let pages = pages();
    let mut listed = BTreeSet::from([String::from("SUMMARY.md")]);
    for page in &pages {
        let text = read(page);
        let folder = Path::new(page).parent().expect("a folder");
        let prose: String = text.split(FENCE).step_by(2).collect();
        for link in prose.split("](").skip(1) {
            let target = link.split(')').next().expect("an end");
            assert!(
                !target.contains("://"),
                "{page}: {target} is outside; nobody checks it"
            );
            let (file, heading) = target.split_once('#').unwrap_or((target, ""));
            let path = if file.is_empty() {
                source().join(page)
            } else {
                source().join(folder).join(file)
            };
            let path = fs::canonicalize(&path)
                .unwrap_or_else(|_| panic!("{page}: {target} leads nowhere"));
            let there = fs::read_to_string(&path).expect("read");
            let found = there.lines().filter_map(|line| line.strip_prefix('#'));
            let mut found = found.map(|line| anchor(line.trim_start_matches('#').trim()));
            assert!(
                heading.is_empty() || found.any(|one| one == heading),
                "{page}: {target}"
            );
            if page == "SUMMARY.md" {
                listed.insert(target.to_owned());
            }
        }
    }
    assert_eq!(listed, pages);
}

/// Names that begin with `ARIS_` and are string literals in the sources of the programs.
fn variables_of_the_sources() -> BTreeSet<String> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let (mut open, mut found) = (vec![crates], BTreeSet::new());
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).expect("listed") {
            let path = entry.expect("entry").path();
            let name = path.file_name().expect("a name").to_string_lossy();
            if path.is_dir() && !matches!(&*name, "tests" | "benches" | "aris-testkit") {
                open.push(path);
            } else if name.ends_with(".rs") && name != "tests.rs" {
                let text = fs::read_to_string(&path).expect("read");
                let program = text
                    .split("#[cfg(test)]\nmod tests {")
                    .next()
                    .expect("a part");
                let quoted = program.split('"').filter(|part| part.starts_with("ARIS_"));
                let name = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
                found.extend(
                    quoted
                        .filter(|part| part.chars().all(name))
                        .map(str::to_owned),
                );
            }
        }
    }
    found
}

#[test]
fn every_variable_that_a_program_reads_or_sets_is_on_its_page() {
    // Variables that builds pass to the compiler, or that only tests set.
    let inner = [
        "ARIS_",
        "ARIS_BUILD_COMMIT",
        "ARIS_COMMIT",
        "ARIS_TARGET",
        "ARIS_FAULT_AT",
    ];
    let page = read("concepts/variables.md");
    let found = variables_of_the_sources();
    assert!(found.len() > 25, "{found:?}");
    let missing = found
        .iter()
        .filter(|name| !inner.contains(&name.as_str()) && !page.contains(&format!("`{name}`")));
    assert_eq!(missing.collect::<Vec<_>>(), Vec::<&String>::new());
}
