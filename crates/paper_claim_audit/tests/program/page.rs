//! The page for co-authors in a real browser: on a telephone and on a wide screen, light, dark and printed, by mouse, by keyboard
//! and without scripts.

use aris_testkit::Browser;
use serde_json::{Value, json};

use crate::support::Paper;

const SIZES: [(u32, u32); 2] = [(390, 844), (1400, 900)];

/// Statuses that occur at numbers or statements in the page's text.
const SHOWN: [&str; 7] = [
    "exact_match",
    "rounding_ok",
    "number_mismatch",
    "scope_overclaim",
    "binding_error",
    "unbound",
    "waived",
];

/// A paper with every status, in sentences, tables, notes, lists and headings.
fn paper() -> Paper {
    let word = "Averylongwordthatnevershouldmakethepagewiderthanthescreen".repeat(4);
    let filler =
        "Nothing is said here but words, so that the page is longer than any screen. ".repeat(12);
    let body = format!(
        r"\title{{On delays}}\maketitle
\begin{{abstract}}The mean is 2.5 ms and the largest is 4 ms.\end{{abstract}}
\section{{Results in 17.5 words}}
{filler}

We saw 3.1 ms and 7.7 ms.\footnote{{After 12.25 s of waiting.}} Ours is the best by 2.5 ms of all that we tried. GPT-3 has 175 parts. {word}

\begin{{itemize}}\item First, 2.5 ms again.\item Then $x_{{max}} = 4$ and \texttt{{{word}}}.\end{{itemize}}
\[ y = 2.75 x \]
\begin{{table}}\caption{{Means (of 2.5 ms)}}\label{{tab:wide}}\begin{{tabular}}{{lcccccccc}}
Name & One & Two & Three & Four & Five & Six & Seven & Eight\\\hline
\multirow{{2}}{{*}}{{base}} & 1.0 & 2.0 & 3.0 & 4.0 & 1.0 & 2.0 & 3.0 & 4.0\\
& \multicolumn{{4}}{{c}}{{a cell of four columns}} & 1.0 & 2.0 & 3.0 & 4.0\\
{word} & 1.0 & 2.0 & 3.0 & 4.0 & 1.0 & 2.0 & 3.0 & 4.0\\
\end{{tabular}}\end{{table}}

{filler}

At the very end stands 2.5 ms."
    );
    let claims = r#"
[[claim]]
id = "mean"
in = "main.tex"
text = "The mean is [[2.5]] ms and the largest is [[4]] ms"
value = ["select avg(x) from \"results/v.csv\"", "select max(x) from \"results/v.csv\""]

[[claim]]
id = "seen"
in = "main.tex"
text = "We saw [[3.1]] ms and [[7.7]] ms."
value = ["select 3.1416 from \"results/v.csv\" limit 1", "select max(x) from \"results/v.csv\""]

[[claim]]
id = "again"
in = "main.tex"
text = "First, [[2.5]] ms again."
value = "select avg(y) from \"results/v.csv\""

[[claim]]
id = "best"
in = "main.tex"
text = "Ours is the best by 2.5 ms of all that we tried."
holds = "select max(x) < 2 from \"results/v.csv\""

[[claim]]
id = "end"
in = "main.tex"
text = "At the very end stands [[2.5]] ms."
value = "select avg(x) + 1 from \"results/v.csv\""

[[claim]]
id = "gone"
in = "main.tex"
text = "This was [[9.1]] ms once."
value = "select avg(x) from \"results/v.csv\""

[[waive]]
in = "main.tex"
text = "GPT-3 has [[175]] parts"
reason = "cited, not ours"
"#;
    let paper = Paper::new(&body).claims(claims);
    paper.write("results/v.csv", "x\n1\n2\n3\n4\n");
    paper
}

/// Opens the page of [`paper`]. Without a browser the test is skipped with a message.
fn with_page(test: impl FnOnce(&mut Browser, &str)) {
    let Some(mut browser) = Browser::start() else {
        return eprintln!("skipped: chromium is not installed");
    };
    let paper = paper();
    let run = paper.run("show", &["--html", "page.html"]);
    assert!([0, 10].contains(&run.code()), "{run}");
    let path = paper.project.at("page.html").display().to_string();
    let address = format!("file://{}", path.replace(' ', "%20"));
    test(&mut browser, &address);
    assert_eq!(browser.complaints(), [] as [&str; 0]);
}

/// JavaScript: the position of the open card, or an error unless exactly one is open and wholly inside the window.
const CARD: &str = "(() => {
    const open = [...document.querySelectorAll('.card')].filter((card) => card.checkVisibility({ visibilityProperty: true }));
    if (open.length !== 1) return `${open.length} cards are open`;
    const { left, top, right, bottom } = open[0].getBoundingClientRect();
    const { clientWidth, clientHeight } = document.documentElement;
    const inside = left >= 0 && top >= 0 && right <= clientWidth && bottom <= clientHeight && right - left > 150 && bottom - top > 40;
    return inside ? open[0].id : `${left} ${top} ${right} ${bottom} in ${clientWidth} x ${clientHeight}`;
})()";

#[test]
fn the_page_fits_the_screen_and_can_be_read() {
    with_page(|browser, address| {
        for (width, height) in SIZES {
            for dark in [false, true] {
                browser.screen(width, height, dark);
                browser.open(address);
                let over =
                    "document.documentElement.scrollWidth - document.documentElement.clientWidth";
                assert_eq!(browser.value(over), json!(0), "at {width}");
                assert_eq!(
                    browser.low_contrast(),
                    json!([]),
                    "at {width}, dark: {dark}"
                );
            }
        }
        // If the table is a tenth of a screen too wide, the table is scrolled, not the page.
        browser.screen(390, 844, false);
        browser.open(address);
        let scrolls = "(() => { const box = document.querySelector('.scroll'); return box.scrollWidth > box.clientWidth; })()";
        assert_eq!(browser.value(scrolls), json!(true));
    });
}

#[test]
fn the_card_of_every_status_opens_inside_the_window() {
    with_page(|browser, address| {
        for (width, height) in SIZES {
            for dark in [false, true] {
                browser.screen(width, height, dark);
                browser.open(address);
                for status in SHOWN {
                    for block in ["start", "center", "end"] {
                        let focus = format!(
                            "(() => {{
                                document.activeElement?.blur();
                                const number = document.querySelector('.paper .n.{status} > a');
                                number.scrollIntoView({{ block: '{block}' }});
                                number.focus({{ preventScroll: true }});
                                return number.id.replace('n', 'c');
                            }})()"
                        );
                        let card = browser.text(&focus);
                        assert_eq!(browser.text(CARD), card, "{status} at {width}, {block}");
                    }
                }
                assert_eq!(
                    browser.low_contrast(),
                    json!([]),
                    "with a card, dark: {dark}"
                );
            }
        }
    });
}

#[test]
fn cards_open_under_the_mouse_and_close_behind_it() {
    with_page(|browser, address| {
        for (width, height) in SIZES {
            browser.screen(width, height, false);
            browser.open(address);
            for target in [
                ".paper .n.number_mismatch > a",
                ".paper .statement",
                ".paper td .n > a",
            ] {
                let place = browser.value(&format!(
                    "(() => {{
                        const target = document.querySelector('{target}');
                        target.scrollIntoView({{ block: 'center' }});
                        const box = [...target.getClientRects()].at(-1);
                        return [box.right - 4, box.top + box.height / 2];
                    }})()"
                ));
                move_to(browser, &place);
                browser.until(&format!("/^c\\d+$/.test({CARD})"));
                // The card stays while the pointer moves into it.
                let card = browser.text(CARD);
                let inside = browser.value(&format!(
                    "(() => {{ const box = document.getElementById('{card}').getBoundingClientRect(); return [box.left + 30, box.top + 30]; }})()"
                ));
                move_to(browser, &inside);
                assert_eq!(browser.text(CARD), card, "{target}");
                move_to(browser, &json!([2, 2]));
                browser.until(&format!("{CARD} === '0 cards are open'"));
            }
        }
    });
}

fn move_to(browser: &mut Browser, place: &Value) {
    let event = json!({"type": "mouseMoved", "x": place[0], "y": place[1]});
    browser.call("Input.dispatchMouseEvent", event);
}

#[test]
fn the_keyboard_reaches_everything_in_order() {
    with_page(|browser, address| {
        browser.screen(1400, 900, false);
        browser.open(address);
        browser.press("Tab");
        assert_eq!(browser.text("document.activeElement.className"), "skip");
        browser.press("Enter");
        browser.until("document.activeElement.id === 'paper'");
        let order = "[...document.querySelectorAll('.paper [tabindex]')].map((one) => one.id)";
        let order = browser.value(order);
        let order = order.as_array().expect("a list");
        assert!(order.len() > 30, "{order:?}");
        for id in order {
            browser.press("Tab");
            assert_eq!(&browser.value("document.activeElement.id"), id);
            if id != "" {
                let card = id.as_str().expect("an id").replace('n', "c");
                assert_eq!(browser.text(CARD), card);
            }
        }

        // n and p cycle through the problems, and so do j and k; problems without a place in the text are in the list.
        let places = browser.value(
            "[...document.querySelectorAll('.problem')].map((one) => one.dataset.at ?? one.id)",
        );
        let places = places.as_array().expect("a list");
        assert_eq!(places.len(), 5, "{places:?}");
        assert!(places.contains(&json!("p5")), "{places:?}");
        browser.open(address);
        let next = places
            .iter()
            .chain(places.iter().take(2))
            .zip(["n", "j"].iter().cycle());
        for (place, key) in next {
            browser.press(key);
            assert_eq!(&browser.value("document.activeElement.id"), place);
        }
        for (place, key) in [(&places[0], "p"), (&places[4], "k"), (&places[3], "p")] {
            browser.press(key);
            assert_eq!(&browser.value("document.activeElement.id"), place);
        }

        // Escape closes the card, Enter opens it again; the next number opens its own.
        browser.press("n");
        browser.press("n");
        let card = browser.text(CARD);
        browser.press("Escape");
        assert_eq!(browser.text(CARD), "0 cards are open");
        browser.press("Enter");
        assert_eq!(browser.text(CARD), card);
        browser.press("Escape");
        browser.press("Tab");
        assert!(browser.text(CARD).starts_with('c'));
    });
}

#[test]
fn a_status_shows_only_its_numbers_until_it_is_chosen_again() {
    with_page(|browser, address| {
        browser.screen(1400, 900, false);
        browser.open(address);
        let seen = "[...document.querySelectorAll('.paper > p, .paper > figure, .paper > ul')].filter((one) => one.checkVisibility()).length";
        let all = browser.value(seen);
        let choose = "document.querySelector('[data-only=number_mismatch]').click()";
        browser.value(choose);
        let hidden = "[...document.querySelectorAll('.paper > p')].every((one) => one.checkVisibility() === Boolean(one.querySelector('.number_mismatch')))";
        assert_eq!(browser.value(hidden), json!(true));
        let listed = "[...document.querySelectorAll('.problem')].filter((one) => one.checkVisibility()).length";
        assert_eq!(browser.value(listed), json!(2));
        // A jump to a hidden entry makes all entries visible.
        for _ in 0..5 {
            browser.press("n");
        }
        assert_eq!(browser.value(seen), all);
        browser.value(choose);
        browser.value(choose);
        assert_eq!(browser.value(seen), all);
    });
}

#[test]
fn the_page_works_without_script() {
    with_page(|browser, address| {
        browser.call(
            "Emulation.setScriptExecutionDisabled",
            json!({"value": true}),
        );
        for (width, height) in SIZES {
            browser.screen(width, height, false);
            browser.open(address);
            assert_eq!(
                browser.value("document.documentElement.className"),
                json!("")
            );
            for status in SHOWN {
                let link = browser.text(&format!(
                    "document.querySelector('[data-only={status}]').getAttribute('href')"
                ));
                let focus = format!("document.querySelector('{link}').focus()");
                browser.value(&focus);
                assert_eq!(
                    browser.text(CARD),
                    link.replace("#n", "c"),
                    "{status} at {width}"
                );
            }
        }
    });
}

#[test]
fn a_screen_reader_hears_numbers_and_what_is_known_of_them() {
    with_page(|browser, address| {
        browser.screen(1400, 900, false);
        browser.open(address);
        let spoken = browser.spoken();
        for landmark in ["banner", "navigation", "main", "contentinfo", "article"] {
            assert!(
                spoken.iter().any(|(role, _)| role == landmark),
                "{landmark}"
            );
        }
        for (role, name) in [
            ("button", "7.7"),
            ("button", "Statement: Not true"),
            ("link", "2 Different"),
            ("table", "Table: Means (of 2.5 ms)"),
            ("columnheader", "Eight"),
            ("rowheader", "base"),
            ("link", "Skip to the paper"),
        ] {
            let is_there = spoken
                .iter()
                .any(|one| (one.0.as_str(), one.1.as_str()) == (role, name));
            assert!(is_there, "{role} {name}");
        }
        let tree = browser.call("Accessibility.getFullAXTree", json!({}));
        let nodes = tree["nodes"].as_array().expect("nodes");
        let number = nodes
            .iter()
            .find(|node| node["name"]["value"] == "7.7" && node["role"]["value"] == "button");
        let said = number.expect("a number")["description"]["value"].to_string();
        for part in [
            "Different",
            "Data give",
            "4",
            "results/v.csv",
            "select max(x)",
        ] {
            assert!(said.contains(part), "{part}: {said}");
        }
    });
}

#[test]
fn on_paper_the_cards_are_notes_at_the_end() {
    with_page(|browser, address| {
        browser.screen(700, 900, true);
        browser.open(address);
        browser.value("document.querySelector('.paper .n.number_mismatch > a').focus()");
        browser.call("Emulation.setEmulatedMedia", json!({"media": "print"}));
        assert_eq!(browser.text(CARD), "0 cards are open");
        let over = "document.documentElement.scrollWidth - document.documentElement.clientWidth";
        assert_eq!(browser.value(over), json!(0));
        assert_eq!(browser.low_contrast(), json!([]));
        let notes = "[...document.querySelectorAll('.endnotes li')].filter((one) => one.checkVisibility()).length";
        assert_eq!(browser.value(notes), json!(5));
        let marks = "[...document.querySelectorAll('.paper [data-problem]')].map((one) => getComputedStyle(one, '::after').content)";
        assert_eq!(
            browser.value(marks),
            json!(["\"1\"", "\"2\"", "\"3\"", "\"4\""])
        );
        browser.call("Emulation.setEmulatedMedia", json!({"media": ""}));
        let printed = browser.call("Page.printToPDF", json!({"preferCSSPageSize": true}));
        let pdf = printed["data"].as_str().expect("a document");
        assert!(pdf.starts_with("JVBERi0"), "no PDF");
    });
}
