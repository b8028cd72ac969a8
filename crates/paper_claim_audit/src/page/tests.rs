//! The page as a reader of HTML sees it.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use aris_claims::{Audit, Entry, FileUse, Kind, Note, Part, Spot, Status};
use aris_latex::{BlockKind, Document, Loaded, Mark, MarkKind, Position};
use proptest::prelude::*;
use roxmltree::{Document as Xml, Node as Element, ParsingOptions};

use super::card::clean;
use super::flow::{CARDS, PROBLEMS};
use super::pieces::{Piece, Stretch, pieces};
use aris_claims::runs::Runs;

use super::{PageFacts, STYLE, html};

const HOSTILE: &str =
    "</script></style><img src=x onerror=alert(1)> \" ' & --> ]]> \u{202e}live\u{0}\u{2028}{{ x }}";

fn document(body: &str) -> Document {
    let text =
        format!("\\documentclass{{article}}\\begin{{document}}\n{body}\n\\end{{document}}\n");
    let mut files = |path: &str| match path {
        "main.tex" => Loaded::Text(text.clone().into()),
        _ => Loaded::Absent,
    };
    Document::read("main.tex", &mut files).expect("a document")
}

fn entry(status: Status, block: usize, range: Range<usize>) -> Entry {
    Entry {
        id: format!("id-{block}-{}", range.start),
        status,
        position: Position {
            path: String::from("main.tex"),
            line: 2,
            column: 1,
        },
        text: String::from("around it"),
        shown: Some(String::from("12.4")),
        value: Some(String::from("12.43")),
        query: Some(String::from("select 1")),
        evidence: vec![FileUse {
            path: String::from("results/a.csv"),
            sha256: "0".repeat(64),
            rows: Some(3),
        }],
        kind: None,
        reason: None,
        binding: Some(Spot { line: 7, column: 1 }),
        correction: None,
        detail: String::new(),
        part: Part::Text,
        visible: Some((block, range)),
    }
}

fn audit(entries: Vec<Entry>) -> Audit {
    Audit {
        entries,
        ..Audit::default()
    }
}

fn page(document: &Document, audit: &Audit) -> String {
    let facts = PageFacts {
        title: "a paper",
        verdict: "FAIL",
        reason: "claim_mismatch",
        summary: "1 number_mismatch",
        claims_file: "claims.toml",
        runs: &Runs::default(),
        version: "0.1.0",
    };
    html(document, audit, &facts).expect("a page")
}

/// Parses the page, which must be well-formed XML except for its style and script.
fn parsed<T>(page: &str, look: impl FnOnce(&Xml<'_>) -> T) -> T {
    let mut text = page.to_owned();
    for name in ["style", "script"] {
        let start = text.find(&format!("<{name}>")).expect(name) + name.len() + 2;
        let end = text.rfind(&format!("</{name}>")).expect(name);
        text.replace_range(start..end, "");
    }
    let options = ParsingOptions {
        allow_dtd: true,
        ..ParsingOptions::default()
    };
    look(&Xml::parse_with_options(&text, options).expect("well-formed"))
}

fn class<'a>(element: &Element<'a, '_>) -> &'a str {
    element.attribute("class").unwrap_or("")
}

/// The text of an element without its cards.
fn text(element: Element<'_, '_>) -> String {
    if element.is_text() {
        return element.text().unwrap_or("").to_owned();
    }
    if class(&element) == "card" {
        return String::new();
    }
    element.children().map(text).collect()
}

fn paper<'a, 'input>(xml: &'a Xml<'input>) -> Element<'a, 'input> {
    let mut all = xml.descendants();
    all.find(|element| class(element) == "paper")
        .expect("a paper")
}

fn ids(xml: &Xml<'_>) -> BTreeSet<String> {
    let mut ids = BTreeSet::new();
    for id in xml.descendants().filter_map(|one| one.attribute("id")) {
        assert!(ids.insert(id.to_owned()), "{id} twice");
    }
    ids
}

/// Rules for every page: ids are unique, links and descriptions point to existing elements, nothing is loaded.
fn check_links(xml: &Xml<'_>) {
    let ids = ids(xml);
    for element in xml.descendants().filter(Element::is_element) {
        for attribute in element.attributes() {
            let value = attribute.value();
            let target = match attribute.name() {
                "href" => value.strip_prefix('#').expect("a link within the page"),
                "aria-describedby" | "aria-labelledby" | "data-at" => value,
                "src" | "style" | "srcset" | "action" => panic!("{value}"),
                name => {
                    assert!(!name.starts_with("on"), "{name}");
                    continue;
                }
            };
            assert!(ids.contains(target), "{target} is not there");
        }
    }
}

#[test]
fn every_status_has_a_colour_a_word_and_its_facts() {
    let body = "one two three four five six seven eight nine";
    let document = document(body);
    let mut entries = Vec::new();
    let mut at = 0;
    for (word, status) in body.split(' ').zip(Status::ALL) {
        let mut one = entry(status, 0, at..at + word.len());
        one.shown = Some(word.to_owned());
        match status {
            Status::Unbound => {
                (one.kind, one.binding, one.query) = (Some(Kind::Percent), None, None);
            }
            Status::Waived => one.reason = Some(String::from("a setting")),
            Status::ScopeOverclaim => one.shown = None,
            Status::NumberMismatch => {
                one.detail = format!("the paper shows {word}, the data give 12.43, rounded down");
            }
            Status::BindingError => one.detail = String::from("no such column"),
            _ => {}
        }
        entries.push(one);
        at += word.len() + 1;
    }
    parsed(&page(&document, &audit(entries)), |xml| {
        check_links(xml);
        assert_eq!(text(paper(xml)).trim(), body);
        let spots: Vec<_> = paper(xml)
            .descendants()
            .filter(|element| class(element).split(' ').any(|word| word == "n"))
            .collect();
        let mut spots = spots.into_iter();
        for status in Status::ALL {
            let spot = spots.next().expect("a number");
            assert!(class(&spot).contains(status.word()), "{}", class(&spot));
            let said: String = spot
                .descendants()
                .filter(Element::is_text)
                .filter_map(|one| one.text())
                .collect::<Vec<_>>()
                .join(" ");
            let wanted: &[&str] = match status {
                Status::Unbound => &["Not bound", "percentage", "main.tex:2"],
                Status::Waived => &["Waived", "a setting", "claims.toml:7"],
                Status::NumberMismatch => {
                    &["Different", "three", "12.43", "rounded down", "select 1"]
                }
                Status::BindingError => &["No value", "no such column", "results/a.csv (3 rows)"],
                _ => &["claims.toml:7"],
            };
            for part in wanted {
                assert!(said.contains(part), "{part} is not in {said}");
            }
            assert!(!said.contains("the paper shows"), "{said}");
        }
        let problems = xml
            .descendants()
            .filter(|element| class(element).starts_with("problem "));
        let places: Vec<_> = problems.map(|one| one.attribute("data-at")).collect();
        assert_eq!(places, ["n2", "n3", "n4", "n5"].map(Some));
    });
}

#[test]
fn hostile_text_stays_text() {
    let body = "A 12.4 \\textless/script\\textgreater\\textless img src=x onerror=alert(1)\\textgreater\u{202e}x";
    let document = document(body);
    let mut one = entry(Status::NumberMismatch, 0, 2..6);
    for field in [
        &mut one.id,
        &mut one.text,
        &mut one.detail,
        &mut one.position.path,
    ] {
        *field = String::from(HOSTILE);
    }
    for field in [
        &mut one.shown,
        &mut one.value,
        &mut one.query,
        &mut one.reason,
    ] {
        *field = Some(String::from(HOSTILE));
    }
    one.evidence[0].path = String::from(HOSTILE);
    let mut audit = audit(vec![one]);
    audit.notes.push(Note {
        id: "arithmetic",
        position: Position {
            path: String::from(HOSTILE),
            line: 1,
            column: 1,
        },
        quote: String::from(HOSTILE),
        message: String::from(HOSTILE),
    });
    let facts = PageFacts {
        title: HOSTILE,
        verdict: HOSTILE,
        reason: HOSTILE,
        summary: HOSTILE,
        claims_file: HOSTILE,
        runs: &Runs::default(),
        version: HOSTILE,
    };
    let page = html(&document, &audit, &facts).expect("a page");
    assert!(!page.contains(['\u{202e}', '\u{0}']));
    parsed(&page, |xml| {
        check_links(xml);
        let count = |name: &str| {
            xml.descendants()
                .filter(|one| one.has_tag_name(name))
                .count()
        };
        assert_eq!((count("script"), count("style"), count("img")), (1, 1, 0));
        let shown = clean(HOSTILE);
        let times = xml
            .descendants()
            .filter_map(|one| one.text().filter(|_| one.is_text()));
        assert!(times.filter(|text| text.contains(&shown)).count() > 15);
        assert!(text(paper(xml)).contains("</script><img src=x onerror=alert(1)>\u{fffd}x"));
    });
}

#[test]
fn nothing_is_loaded_and_only_our_own_style_and_script_run() {
    use base64::Engine as _;
    use sha2::Digest as _;
    let page = page(&document("Plain."), &Audit::default());
    let lower = page.to_lowercase();
    for part in ["http:", "https:", "@import", "url(", "unsafe-", "src="] {
        assert!(!lower.contains(part), "{part}");
    }
    for name in ["style", "script"] {
        let start = page.find(&format!("<{name}>")).expect(name) + name.len() + 2;
        let end = page.find(&format!("</{name}>")).expect(name);
        let digest = sha2::Sha256::digest(page.get(start..end).expect(name));
        let digest = base64::engine::general_purpose::STANDARD.encode(digest);
        assert!(page.contains(&format!("{name}-src 'sha256-{digest}'")));
    }
    assert!(page.contains("default-src 'none'; "));
}

#[test]
fn long_lists_are_cut_and_say_so() {
    let body = "7 ".repeat(CARDS + PROBLEMS + 200);
    let document = document(&body);
    let status = |at| {
        if at < PROBLEMS + 100 {
            Status::NumberMismatch
        } else {
            Status::Unbound
        }
    };
    let entries = (0..CARDS + PROBLEMS + 200).map(|at| entry(status(at), 0, 2 * at..2 * at + 1));
    parsed(&page(&document, &audit(entries.collect())), |xml| {
        check_links(xml);
        let count = |wanted: &str| xml.descendants().filter(|one| class(one) == wanted).count();
        assert_eq!(count("card"), CARDS + PROBLEMS);
        assert_eq!(count("problem number_mismatch"), PROBLEMS);
        assert_eq!(count("n unbound") - 1, CARDS + 100, "and one in the legend");
        let more = xml
            .descendants()
            .filter(|one| class(one) == "more")
            .map(text);
        let more: Vec<_> = more.collect();
        assert_eq!(more, ["100 more are in PAPER_CLAIM_AUDIT.json."]);
        assert_eq!(text(paper(xml)).trim(), body.trim());
    });
}

#[test]
fn several_bindings_of_one_number_share_a_place_and_the_worst_gives_its_colour() {
    let document = document("About 12.4 ms.");
    let mut note = entry(Status::BindingLost, 0, 0..0);
    note.visible = None;
    let entries = vec![
        entry(Status::ExactMatch, 0, 6..10),
        entry(Status::NumberMismatch, 0, 6..10),
        entry(Status::RoundingOk, 0, 8..10),
        note,
    ];
    parsed(&page(&document, &audit(entries)), |xml| {
        check_links(xml);
        let number = paper(xml)
            .descendants()
            .find(|one| class(one).starts_with("n "));
        let number = number.expect("a number");
        assert_eq!(class(&number), "n number_mismatch");
        assert_eq!(text(number), "12.4");
        let cards = number.descendants().map(|one| class(&one).to_owned());
        let cards: Vec<_> = cards.filter(|class| class.starts_with("one ")).collect();
        assert_eq!(
            cards,
            ["one number_mismatch", "one rounding_ok", "one exact_match"]
        );
        let problems = xml
            .descendants()
            .filter(|one| class(one).starts_with("problem "));
        assert_eq!(
            problems
                .map(|one| one.attribute("data-at"))
                .collect::<Vec<_>>(),
            [Some("n0"), None]
        );
    });
}

/// The visible text of every block, with the number of its occurrences.
fn expected(document: &Document) -> BTreeMap<String, usize> {
    let mut all = BTreeMap::new();
    for block in &document.blocks {
        if block.kind != BlockKind::BibItem && !block.text.is_empty() {
            *all.entry(clean(&block.text)).or_default() += 1;
        }
    }
    all
}

/// The texts of the page's elements for blocks, with the number of their occurrences.
fn found(xml: &Xml<'_>) -> BTreeMap<String, usize> {
    let mut all = BTreeMap::new();
    let names = ["p", "li", "h3", "h4", "h5", "h6", "figcaption", "td", "th"];
    for element in paper(xml).descendants() {
        if names.iter().any(|name| element.has_tag_name(*name)) && !text(element).is_empty() {
            *all.entry(text(element)).or_default() += 1;
        }
    }
    all
}

#[test]
fn every_block_of_real_papers_is_on_the_page_once() {
    for name in [
        "vegmap/paper.tex",
        "cxxsat/sat.tex",
        "nhanes/main.tex",
        "traversal/main.tex",
    ] {
        let Some(path) = aris_testkit::shared(&format!("papers/{name}")) else {
            return;
        };
        let folder = path.parent().expect("a folder");
        let root = path.file_name().expect("a name").to_string_lossy();
        let mut files = |path: &str| match aris_fs::read_text(&folder.join(path)) {
            Ok(text) => Loaded::Text(text.into()),
            Err(_) => Loaded::Absent,
        };
        let document = Document::read(&root, &mut files).expect("a paper");
        parsed(&page(&document, &Audit::default()), |xml| {
            check_links(xml);
            let mut found = found(xml);
            found.remove("The list of references is left out.");
            assert_eq!(found, expected(&document), "{name}");
        });
    }
}

/// Minimum contrast for people with low vision. **Source**: WCAG 2.2, 1.4.3 and 1.4.11.
const TEXT: f64 = 4.5;
const LINES: f64 = 3.0;

/// Contrast ratio of two colours. **Source**: WCAG 2.2, definitions of contrast ratio and relative luminance.
fn contrast(one: &str, other: &str) -> f64 {
    let luminance = |colour: &str| {
        let hex = colour.trim_start_matches('#');
        let digits = if hex.len() == 3 {
            hex.chars().flat_map(|c| [c, c]).collect()
        } else {
            hex.to_owned()
        };
        let part = |at: usize| {
            let value =
                u8::from_str_radix(digits.get(at..at + 2).expect("a part"), 16).expect("a colour");
            let value = f64::from(value) / 255.0;
            if value <= 0.04045 {
                value / 12.92
            } else {
                ((value + 0.055) / 1.055).powf(2.4)
            }
        };
        0.2126 * part(0) + 0.7152 * part(2) + 0.0722 * part(4)
    };
    let (one, other) = (luminance(one), luminance(other));
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

#[test]
fn colours_can_be_told_from_their_ground() {
    let mut palettes = STYLE.split(":root {").skip(1).map(|rest| {
        let rules = rest.split('}').next().expect("a rule");
        let pairs = rules
            .split(';')
            .filter_map(|rule| rule.trim().strip_prefix("--")?.split_once(": "));
        pairs.collect::<BTreeMap<_, _>>()
    });
    for name in ["light", "dark", "print"] {
        let palette = palettes.next().expect(name);
        let check = |ink: &str, ground: &str, least: f64| {
            let ratio = contrast(palette[ink], palette[ground]);
            assert!(ratio >= least, "{name}: {ink} on {ground} has {ratio:.2}");
        };
        for ground in ["page", "card", "code"] {
            for ink in ["ink", "soft", "link", "block", "warn", "ok", "info", "none"] {
                check(ink, ground, TEXT);
            }
            check("edge", ground, LINES);
        }
        for tone in ["block", "warn", "ok", "info", "none"] {
            let wash = format!("{tone}-wash");
            check(tone, &wash, TEXT);
            check("ink", &wash, TEXT);
            check("soft", &wash, TEXT);
        }
    }
    assert!(palettes.next().is_none());
}

/// Writes pieces as text with brackets, and checks that they nest.
fn written(pieces: &[Piece<Vec<usize>>]) -> (String, Vec<usize>) {
    let (mut out, mut seen, mut open) = (String::new(), Vec::new(), Vec::new());
    for piece in pieces {
        match piece {
            Piece::Text(_, text) => out.push_str(text),
            Piece::Number(entries) => {
                assert!(!open.contains(&'n'));
                open.push('n');
                seen.extend(entries);
            }
            Piece::Statement(entries) => {
                assert!(open.is_empty());
                open.push('s');
                seen.extend(entries);
            }
            Piece::EndNumber => assert_eq!(open.pop(), Some('n')),
            Piece::EndStatement => assert_eq!(open.pop(), Some('s')),
        }
    }
    assert!(open.is_empty());
    seen.sort_unstable();
    (out, seen)
}

fn ranges(most: usize) -> impl Strategy<Value = Vec<Range<usize>>> {
    proptest::collection::vec((0..most, 0..12_usize), 0..12).prop_map(|all| {
        all.into_iter()
            .map(|(start, length)| start..start + length)
            .collect()
    })
}

proptest! {
    #[test]
    fn pieces_nest_and_keep_the_text(text in "[a-c é\u{1f600}\u{202e}<&]{0,24}", numbers in ranges(40), statements in ranges(40), marks in ranges(40)) {
        let kinds = [MarkKind::Bold, MarkKind::Math, MarkKind::Code, MarkKind::Number];
        let marks: Vec<Mark> = marks.into_iter().enumerate().map(|(at, range)| Mark { range, kind: kinds[at % kinds.len()].clone() }).collect();
        let all = numbers.iter().chain(&statements).enumerate();
        let mut stretches: Vec<Stretch> = all.map(|(at, range)| Stretch { range: range.clone(), entries: vec![at] }).collect();
        let fitting: Vec<usize> = stretches.iter().filter(|one| !one.range.is_empty() && text.get(one.range.clone()).is_some()).map(|one| one.entries[0]).collect();
        let statements = stretches.split_off(numbers.len());
        let pieces = pieces(&text, &marks, stretches, statements, |stretch| stretch.entries.clone());
        let (out, seen) = written(&pieces);
        prop_assert_eq!(out, clean(&text));
        prop_assert_eq!(seen, fitting);
    }

    #[test]
    fn the_page_shows_the_text_of_every_block(words in proptest::collection::vec("[a-z]{1,8}|[0-9]{1,3}|é|\\\\&|\\$<\\$|\\\\textbf\\{x y\\}|\n\n|\\\\footnote\\{n 1\\}|\\\\item q", 1..40), places in proptest::collection::vec((0..4_usize, 0..60_usize, 1..9_usize, 0..9_usize), 0..20)) {
        let document = document(&format!("\\begin{{itemize}}\\item {}\\end{{itemize}}", words.join(" ")));
        let entries = places.into_iter().map(|(block, start, length, status)| {
            let mut one = entry(Status::ALL[status % 9], block, start..start + length);
            if status == 8 {
                one.shown = None;
            }
            one
        });
        let page = page(&document, &audit(entries.collect()));
        parsed(&page, |xml| {
            check_links(xml);
            assert_eq!(found(xml), expected(&document));
        });
    }
}
