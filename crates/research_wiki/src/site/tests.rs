//! A site is complete, safe and reproducible, and never replaces somebody's files.

#![expect(clippy::disallowed_methods, reason = "tests prepare files directly")]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use super::*;

const HOSTILE: &str = "</script><script>window.hit=1</script> 'q' \\\"x\\\" & \u{202e}live";

struct Sample {
    folder: tempfile::TempDir,
}

impl Sample {
    fn new() -> Self {
        let sample = Self {
            folder: tempfile::tempdir().expect("temp"),
        };
        for folder in ["papers", "ideas", "experiments", "claims", "graph"] {
            fs::create_dir_all(sample.at("wiki").join(folder)).expect("folder");
        }
        for (path, title, body) in [
            (
                "papers/a.md",
                "Plain",
                "See claim:C1 and [b](b%20c.md), [b](b.md) and <b onmouseover=x>.",
            ),
            ("papers/b.md", HOSTILE, HOSTILE),
            ("papers/odd name?.md", "Odd", "注意力机制"),
            ("claims/C1.md", "Claim", "Holds."),
            ("ideas/I1.md", "Idea", "addresses gap:G1"),
        ] {
            sample.write(
                path,
                &format!(
                    "---\ntitle: \"{title}\"\nyear: 2024\n---\n# {title}\n\n## Method\n{body}\n"
                ),
            );
        }
        sample.write(
            "gap_map.md",
            "# Gaps\n\n## G1: Nobody knows\nNot claim:C1.\n",
        );
        let edge = |from: &str, to: &str, kind: &str| {
            let value = serde_json::json!({"from": from, "to": to, "type": kind, "evidence": HOSTILE, "added": ""});
            format!("{value}\n")
        };
        let edges = [
            edge("paper:a", "paper:b", "extends"),
            edge("idea:I1", "gap:G1", "addresses_gap"),
            edge("paper:a", "paper:nowhere", HOSTILE),
            edge("claim:C1", "claim:C1", "contradicts"),
        ];
        sample.write("graph/edges.jsonl", &edges.concat());
        sample
    }

    fn at(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    fn write(&self, path: &str, text: &str) {
        fs::write(self.at("wiki").join(path), text).expect("page");
    }

    fn export(&self, target: &Path) -> Result<Exported, Error> {
        let wiki = Wiki::open(&self.at("wiki")).expect("a wiki");
        export(&wiki, target, "My <wiki>")
    }

    fn files(&self) -> Files {
        let wiki = Wiki::open(&self.at("wiki")).expect("a wiki");
        files(&wiki, "My <wiki>").expect("files").0
    }
}

fn text<'f>(files: &'f Files, path: &str) -> &'f str {
    let bytes = files
        .get(path)
        .unwrap_or_else(|| panic!("no {path} in {:?}", files.keys()));
    std::str::from_utf8(bytes).expect("text")
}

/// The values of an attribute in a page.
fn values<'t>(html: &'t str, attribute: &str) -> Vec<&'t str> {
    let start = format!(" {attribute}=\"");
    html.split(start.as_str())
        .skip(1)
        .filter_map(|rest| rest.split('"').next())
        .collect()
}

#[test]
fn every_link_leads_to_a_file_of_the_site() {
    let files = Sample::new().files();
    let mut seen = 0;
    for (path, bytes) in files
        .iter()
        .filter(|(path, _)| path.rsplit('.').next() == Some("html"))
    {
        let html = std::str::from_utf8(bytes).expect("text");
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        for target in values(html, "href")
            .into_iter()
            .chain(values(html, "src"))
            .chain(values(html, "action"))
        {
            let target = target.split(['#', '?']).next().unwrap_or_default();
            if target.is_empty() || target == "data:," {
                continue;
            }
            let inner = match target.strip_prefix("../") {
                Some(inner) => inner.to_owned(),
                None if folder.is_empty() => target.to_owned(),
                None => format!("{folder}/{target}"),
            };
            assert!(files.contains_key(&inner), "{path} links to {target}");
            seen += 1;
        }
    }
    assert!(seen > 50, "{seen}");
}

#[test]
fn nothing_hostile_becomes_markup() {
    let files = Sample::new().files();
    for (path, bytes) in files
        .iter()
        .filter(|(path, _)| !path.starts_with("assets/"))
    {
        let text = std::str::from_utf8(bytes).expect("text");
        assert!(!text.contains("<script>"), "{path}");
        assert!(!text.contains("<b on"), "{path}");
        assert!(!text.contains('\u{202e}'), "{path}");
    }
    let page = text(&files, "papers/b.html");
    assert!(
        page.contains("<title>&#60;/script&#62;") || page.contains("<title>&lt;/script&gt;"),
        "{page}"
    );
    assert!(page.contains("default-src 'none'"));
}

#[test]
fn relations_are_on_both_pages_and_mentions_too() {
    let files = Sample::new().files();
    let (a, b, c) = (
        text(&files, "papers/a.html"),
        text(&files, "papers/b.html"),
        text(&files, "claims/C1.html"),
    );
    assert!(
        a.contains("This extends →") && a.contains("href=\"../papers/b.html\""),
        "{a}"
    );
    assert!(a.contains("paper:nowhere</bdi> (no page)"), "{a}");
    assert!(
        b.contains("← extends this") && b.contains("href=\"../papers/a.html\""),
        "{b}"
    );
    assert!(
        c.contains("Mentioned by") && c.contains("href=\"../papers/a.html\""),
        "{c}"
    );
    let gaps = text(&files, "gaps.html");
    assert!(
        gaps.contains("id=\"gap-G1\"") && gaps.contains("← addresses gap this"),
        "{gaps}"
    );
}

#[test]
fn the_same_wiki_gives_the_same_bytes() {
    let (one, two) = (Sample::new(), Sample::new());
    assert_eq!(one.files(), two.files());
    one.export(&one.at("site")).expect("exported");
    let first = fs::read(one.at("site").join(publish::LIST)).expect("list");
    one.export(&one.at("site")).expect("exported again");
    assert_eq!(
        fs::read(one.at("site").join(publish::LIST)).expect("list"),
        first
    );
}

#[test]
fn a_site_replaces_only_a_site() {
    let sample = Sample::new();
    let site = sample.at("out/site");
    let exported = sample.export(&site).expect("exported");
    assert_eq!((exported.pages, exported.relations), (5, 4));
    let first = fs::read_to_string(site.join("index.html")).expect("page");
    sample.write("papers/new.md", "# New\n");
    sample.export(&site).expect("replaced");
    assert_ne!(
        fs::read_to_string(site.join("index.html")).expect("page"),
        first
    );
    fs::remove_file(sample.at("wiki/papers/new.md")).expect("removed");
    sample.export(&site).expect("replaced");
    assert!(!site.join("papers/new.html").exists());
    assert_eq!(
        fs::read_to_string(site.join("index.html")).expect("page"),
        first
    );
    let beside: Vec<_> = fs::read_dir(sample.at("out")).expect("folder").collect();
    assert_eq!(beside.len(), 1, "{beside:?}");
}

#[test]
fn nothing_of_the_users_is_replaced() {
    let sample = Sample::new();
    let refused = |target: &str, why: &str| {
        let target = sample.at(target);
        let before = fs::symlink_metadata(&target)
            .ok()
            .map(|metadata| metadata.len());
        match sample.export(&target) {
            Err(error) => assert!(error.to_string().contains(why), "{error}"),
            other => panic!("{} gave {other:?}", target.display()),
        }
        assert_eq!(
            fs::symlink_metadata(&target)
                .ok()
                .map(|metadata| metadata.len()),
            before
        );
    };
    fs::write(sample.at("file"), "mine").expect("file");
    refused("file", "is a file or a link");
    fs::create_dir(sample.at("empty")).expect("folder");
    symlink(sample.at("empty"), sample.at("link")).expect("link");
    refused("link", "is a file or a link");
    fs::create_dir(sample.at("full")).expect("folder");
    fs::write(sample.at("full/notes.txt"), "mine").expect("file");
    refused("full", "not an exported site");
    refused("wiki", "is the wiki, one of its files");
    refused("wiki/experiments", "is the wiki, one of its files");
    refused("wiki/papers/site", "is the wiki, one of its files");

    let site = sample.at("site");
    sample.export(&site).expect("exported");
    fs::write(site.join("CNAME"), "mine").expect("file");
    refused("site", "holds CNAME");
    fs::remove_file(site.join("CNAME")).expect("removed");
    fs::write(site.join("index.html"), "mine").expect("file");
    refused("site", "holds index.html");
    assert_eq!(
        fs::read_to_string(site.join("index.html")).expect("mine"),
        "mine"
    );
    sample
        .export(&sample.at("empty"))
        .expect("an empty folder is free");
}

#[test]
fn what_a_killed_run_left_is_cleared_and_what_somebody_put_there_is_not() {
    let sample = Sample::new();
    let (site, staged) = (sample.at("site"), sample.at(".site.aris-part"));
    for left in ["", "aris wi", "aris wiki site 1\nabc papers/a.html\n"] {
        fs::create_dir_all(staged.join("papers")).expect("folder");
        fs::write(staged.join(publish::LIST), left).expect("list");
        fs::write(staged.join("papers/a.html"), "half").expect("file");
        sample.export(&site).expect("exported");
        assert!(!staged.exists());
    }
    fs::create_dir(&staged).expect("folder");
    fs::write(staged.join("mine"), "mine").expect("file");
    let error = sample.export(&site).expect_err("refused");
    assert!(
        error.to_string().contains("not an exported site"),
        "{error}"
    );
    assert_eq!(
        fs::read_to_string(staged.join("mine")).expect("mine"),
        "mine"
    );
}

#[test]
fn many_exporters_of_one_site_leave_it_whole() {
    let sample = Sample::new();
    let site = sample.at("site");
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| sample.export(&site).expect("exported"));
        }
    });
    let files = sample.files();
    for (path, bytes) in &files {
        assert_eq!(&fs::read(site.join(path)).expect("file"), bytes, "{path}");
    }
}

#[test]
fn an_empty_wiki_and_an_unreadable_page_are_no_error() {
    let sample = Sample::new();
    fs::write(sample.at("wiki/papers/bad.md"), b"---\ntitle: \xff\n---\n").expect("page");
    let exported = sample.export(&sample.at("site")).expect("exported");
    let paths: Vec<&str> = exported
        .left_out
        .iter()
        .map(|page| page.path.as_str())
        .collect();
    assert_eq!(paths, ["papers/bad.md"]);
    fs::create_dir_all(sample.at("none/papers")).expect("folder");
    let wiki = Wiki::open(&sample.at("none")).expect("a wiki");
    export(&wiki, &sample.at("none-site"), "x").expect("exported");
}
