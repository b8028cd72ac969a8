//! The views of a wiki: search, export, and the site in a real browser, with keyboard and screen reader, light and dark, narrow and wide, from a folder.

#![cfg(test)]
#![allow(
    clippy::disallowed_methods,
    clippy::print_stderr,
    reason = "tests prepare files and start a browser directly"
)]

mod commands;

use std::fs;
use std::path::{Path, PathBuf};

use aris_testkit::Browser;
use research_wiki::search::{self, Question};
use research_wiki::wiki::Wiki;
use serde_json::json;

const HOSTILE: &str = "</script><script>window.hit=1</script> 'q' & \u{202e}live";

struct Site {
    folder: tempfile::TempDir,
}

impl Site {
    fn new() -> Self {
        let site = Self {
            folder: tempfile::tempdir().expect("temp"),
        };
        let wiki = site.wiki();
        for folder in ["papers", "ideas", "experiments", "claims", "graph"] {
            fs::create_dir_all(wiki.join(folder)).expect("folder");
        }
        let long = "Averylongwordthatnevershouldmakethepagewiderthanthescreen".repeat(4);
        let mut pages = vec![
            (
                "papers/hub.md".to_owned(),
                "Sparse attention for long documents".to_owned(),
                "arXiv:2501.12345 attends. See claim:C1.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"
                    .to_owned(),
            ),
            (
                "papers/number.md".to_owned(),
                "Another number".to_owned(),
                "arXiv:2501.1234".to_owned(),
            ),
            (
                "papers/hostile.md".to_owned(),
                HOSTILE.to_owned(),
                format!("{HOSTILE} <img src=x onerror=hit()>"),
            ),
            (
                "papers/图.md".to_owned(),
                "图注意力网络".to_owned(),
                "注意力机制用于图。İstanbul".to_owned(),
            ),
            (
                "papers/long.md".to_owned(),
                long.clone(),
                format!("`{long}`\n\n```\n{long}{long}\n```\n"),
            ),
            (
                "ideas/I1.md".to_owned(),
                "Gate the experts".to_owned(),
                "addresses gap:G1".to_owned(),
            ),
            (
                "experiments/E1.md".to_owned(),
                "First run".to_owned(),
                "constructor toString".to_owned(),
            ),
            (
                "claims/C1.md".to_owned(),
                "It is faster".to_owned(),
                "Müller says so.".to_owned(),
            ),
        ];
        for number in 0..130 {
            pages.push((
                format!("papers/p{number:03}.md"),
                format!("Paper number {number} on retrieval"),
                format!("Dense words{number}."),
            ));
        }
        for (path, title, body) in &pages {
            let title = title.replace('"', "\\\"");
            let text = format!(
                "---\ntitle: \"{title}\"\nyear: 2024\ntags: [\"tag\"]\nadded: 2026-01-01\n---\n# {title}\n\n## Method\n{body}\n\n## Results\n"
            );
            fs::write(wiki.join(path), text).expect("page");
        }
        fs::write(wiki.join("gap_map.md"), "# Gaps\n\n## G1: Nobody knows\n").expect("map");
        let edge = |from: &str, to: &str, kind: &str| {
            format!(
                "{}\n",
                json!({"from": from, "to": to, "type": kind, "evidence": "why", "added": ""})
            )
        };
        let mut edges = edge("paper:hub", "paper:hostile", "extends")
            + &edge("paper:hub", "claim:C1", "supports")
            + &edge("idea:I1", "paper:hub", "inspired_by")
            + &edge("idea:I1", "gap:G1", "addresses_gap")
            + &edge("exp:E1", "claim:C1", "invalidates");
        for number in 0..60 {
            edges += &edge(&format!("paper:p{number:03}"), "paper:hub", "extends");
        }
        fs::write(wiki.join("graph/edges.jsonl"), edges).expect("edges");
        let opened = Wiki::open(&wiki).expect("a wiki");
        research_wiki::site::export(&opened, &site.folder.path().join("site of mine"), "My wiki")
            .expect("exported");
        site
    }

    fn wiki(&self) -> PathBuf {
        self.folder.path().join("wiki")
    }

    fn address(&self, page: &str) -> String {
        format!(
            "file://{}/site%20of%20mine/{page}",
            self.folder.path().display()
        )
    }

    /// Paths of the pages that the `search` command finds.
    fn found(&self, query: &str) -> Vec<String> {
        let question = Question {
            text: query,
            kind: None,
            limit: 30,
        };
        let answer = search::find(&self.wiki(), question, false).expect("an answer");
        let mut paths: Vec<String> = answer.hits.into_iter().map(|hit| hit.path).collect();
        paths.sort();
        paths
    }
}

fn with_browser(test: impl FnOnce(&mut Browser, &Site)) {
    match Browser::start() {
        None => eprintln!("skipped: chromium is not installed"),
        Some(mut browser) => {
            test(&mut browser, &Site::new());
            assert_eq!(browser.complaints(), [] as [&str; 0]);
        }
    }
}

#[test]
fn the_search_finds_what_the_program_finds() {
    with_browser(|browser, site| {
        browser.screen(1280, 800, false);
        browser.open(&site.address("index.html"));
        for query in [
            "sparse attention",
            "attent",
            "2501.1234",
            "2501.12345",
            "注意力",
            "力机",
            "图",
            "MULLER",
            "istanbul",
            "constructor",
            "__proto__",
            "hub nowhere",
            "words12",
            "\"live",
            "zzz",
            "gate gap:G1",
        ] {
            browser.value("(document.querySelector('#search').select(), document.querySelector('#search').focus(), document.querySelector('#status').textContent = '', 0)");
            browser.insert(query);
            browser.until("document.querySelector('#status').textContent !== ''");
            let shown = browser.value("[...document.querySelectorAll('#hits a')].map((a) => decodeURIComponent(a.getAttribute('href')))");
            let mut shown: Vec<String> = shown
                .as_array()
                .expect("links")
                .iter()
                .map(|href| href.as_str().expect("text").replace(".html", ".md"))
                .collect();
            shown.sort();
            assert_eq!(shown, site.found(query), "{query}");
        }
        // Many hits are shown in parts; the address contains the query.
        browser.open(&site.address("index.html?q=retrieval"));
        browser.until("document.querySelectorAll('#hits li').length === 30");
        assert_eq!(
            browser.text("document.querySelector('#status').textContent"),
            "130 pages found."
        );
        browser.value("document.querySelector('#more').click()");
        browser.until("document.querySelectorAll('#hits li').length === 60");
        assert_eq!(
            browser.value("document.activeElement === document.querySelectorAll('#hits a')[30]"),
            true
        );
    });
}

#[test]
fn the_keyboard_is_enough() {
    with_browser(|browser, site| {
        browser.screen(1280, 800, false);
        browser.open(&site.address("papers/hub.html"));
        browser.press("Tab");
        assert_eq!(
            browser.text("document.activeElement.textContent"),
            "Skip to content"
        );
        browser.press("Enter");
        browser.until("document.activeElement.id === 'content'");
        browser.press("/");
        assert_eq!(browser.text("document.activeElement.id"), "search");
        assert_eq!(browser.text("document.activeElement.value"), "");
        browser.insert("faster");
        browser.press("Enter");
        browser.until("location.pathname.endsWith('index.html') && document.querySelectorAll('#hits li').length === 1");
        assert_eq!(
            browser.text("document.querySelector('#hits a').textContent"),
            "It is faster"
        );

        browser.open(&site.address("graph.html#paper:hub"));
        browser.until("document.querySelector('.centre')");
        browser.value("document.querySelector('.centre').focus()");
        browser.press("ArrowRight");
        let right = browser.text("document.activeElement.getAttribute('aria-label')");
        assert!(
            right.starts_with("Paper: </script>") || right.starts_with("Claim: It is faster"),
            "{right}"
        );
        browser.press("ArrowLeft");
        assert_eq!(
            browser.value("document.activeElement.classList.contains('centre')"),
            true
        );
        browser.press("ArrowLeft");
        assert_eq!(
            browser.value("document.activeElement.classList.contains('centre')"),
            false
        );
        browser.press("Enter");
        browser.until("location.hash !== '#paper:hub' && document.activeElement.classList.contains('centre') && !document.activeElement.getAttribute('aria-label').includes('Sparse')");
        browser.value("history.back()");
        browser.until("document.activeElement.getAttribute('aria-label')?.includes('Sparse')");
    });
}

#[test]
fn the_graph_shows_a_neighbourhood() {
    with_browser(|browser, site| {
        browser.screen(1280, 800, false);
        browser.open(&site.address("graph.html"));
        browser.until("document.querySelectorAll('.node').length > 1");
        let status = browser.text("document.querySelector('#status').textContent");
        assert!(status.starts_with("Sparse attention for long documents: 61 relations lead here, 2 lead away; 49 neighbours are not drawn"), "{status}");
        assert_eq!(
            browser.value("document.querySelectorAll('.node').length"),
            15
        );
        assert_eq!(
            browser.value("document.querySelectorAll('#panel li').length"),
            63
        );
        // Nodes do not cover each other.
        let apart = "(() => { const boxes = [...document.querySelectorAll('.node .shape')].map((shape) => shape.getBoundingClientRect());
            return boxes.every((one, at) => boxes.slice(at + 1).every((two) => one.right <= two.left || two.right <= one.left || one.bottom <= two.top || two.bottom <= one.top)); })()";
        assert_eq!(browser.value(apart), true);
        browser.value("[...document.querySelectorAll('#types label')].find((label) => label.textContent.includes('extends')).querySelector('input').click()");
        browser.until("document.querySelectorAll('.node').length === 3");
        browser.value("{ const depth = document.querySelector('#depth'); depth.value = '2'; depth.dispatchEvent(new Event('change')); }");
        browser.until("document.querySelectorAll('.node').length === 5");
        assert_eq!(browser.value(apart), true);
        browser.value("document.querySelector('#search').focus()");
        browser.insert("nobody");
        browser.until("document.querySelectorAll('#found a').length === 1");
        browser.press("Enter");
        assert_eq!(
            browser.text("document.activeElement.textContent"),
            "Nobody knows"
        );
        browser.press("Enter");
        browser.until("document.querySelector('.centre')?.getAttribute('aria-label').startsWith('Gap: Nobody knows')");
        assert!(
            browser
                .text("document.querySelector('#panel .button').getAttribute('href')")
                .ends_with("gaps.html#gap-G1")
        );
        browser.open(&site.address("graph.html#paper:none"));
        browser.until("document.querySelector('#status').textContent === 'There is no node called paper:none.'");
    });
}

/// Pages of every kind.
const PAGES: [&str; 8] = [
    "index.html",
    "index.html?q=attention",
    "graph.html",
    "gaps.html",
    "lists/papers.html",
    "papers/hub.html",
    "papers/hostile.html",
    "papers/long.html",
];

#[test]
fn every_page_fits_every_screen_and_can_be_read() {
    with_browser(|browser, site| {
        for (width, dark) in [(360, false), (360, true), (1280, true), (1280, false)] {
            browser.screen(width, 800, dark);
            for page in PAGES {
                browser.open(&site.address(page));
                if page.starts_with("graph") {
                    browser.until("document.querySelector('.centre')");
                } else if page.contains("?q") {
                    browser.until("document.querySelector('#hits li')");
                }
                assert_eq!(
                    browser.value("document.documentElement.scrollWidth <= innerWidth"),
                    true,
                    "{page} at {width}"
                );
                assert_eq!(browser.low_contrast(), json!([]), "{page}, dark: {dark}");
            }
        }
        assert_eq!(browser.value("window.hit === undefined"), true);
    });
}

#[test]
fn a_screen_reader_finds_its_way() {
    with_browser(|browser, site| {
        browser.screen(1280, 800, false);
        for page in PAGES {
            browser.open(&site.address(page));
            if page.starts_with("graph") {
                browser.until("document.querySelector('.centre')");
            }
            let spoken = browser.spoken();
            for landmark in ["banner", "navigation", "search", "main", "contentinfo"] {
                assert!(
                    spoken.iter().any(|(role, _)| role == landmark),
                    "{page} has no {landmark}: {spoken:?}"
                );
            }
            let named = [
                "link",
                "button",
                "searchbox",
                "checkbox",
                "combobox",
                "navigation",
                "region",
                "complementary",
            ];
            for (role, name) in &spoken {
                assert!(
                    !named.contains(&role.as_str()) || !name.trim().is_empty(),
                    "{page}: a {role} without name"
                );
            }
            assert_eq!(
                browser.value("document.querySelectorAll('h1').length"),
                1,
                "{page}"
            );
            assert_eq!(browser.value("document.documentElement.lang"), "en");
            assert_eq!(browser.value("new Set([...document.querySelectorAll('[id]')].map((e) => e.id)).size === document.querySelectorAll('[id]').length"), true, "{page}");
        }
        browser.open(&site.address("papers/hostile.html"));
        assert_eq!(
            browser.text("document.querySelector('h1').textContent"),
            HOSTILE.replace('\u{202e}', "")
        );
        assert_eq!(
            browser.value("[document.scripts.length, document.images.length]"),
            json!([1, 0])
        );
    });
}

#[test]
fn a_site_without_its_data_says_so() {
    with_browser(|browser, site| {
        let broken = site.folder.path().join("site of mine/data/words.js");
        fs::remove_file(Path::new(&broken)).expect("removed");
        browser.screen(1280, 800, false);
        browser.open(&site.address("index.html?q=attention"));
        browser.until("document.querySelector('#status').textContent === 'The search does not work: data/words.js could not be loaded.'");
        // The browser's own message about the missing file is expected.
        browser.forget();
    });
}
