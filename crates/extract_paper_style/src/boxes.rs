//! The text of a PDF from the words and their boxes that `pdftotext -raw -bbox` of poppler writes, in the order in which they are drawn.
//!
//! Its plain output sorts the blocks of a page by a guess that mixes up the columns of papers, and does not show where a caption ends.

use crate::layout::{Page, Place};

/// Pages, each ended by a form feed; `None` when `xhtml` is something else.
pub(crate) fn text(xhtml: &str) -> Option<String> {
    let mut out = String::new();
    let mut page: Option<Page> = None;
    let mut found = false;
    for line in xhtml.lines().map(str::trim) {
        if line.starts_with("<page") {
            found = true;
            page = Some(Page::default());
        } else if line == "</page>" {
            if let Some(page) = page.take() {
                out.push_str(&page.text());
                out.push('\u{c}');
            }
        } else if let (Some(page), Some((letters, place))) = (&mut page, word(line)) {
            page.add(&letters, place);
        }
    }
    found.then_some(out)
}

/// `<word xMin="1.5" yMin="2" xMax="30" yMax="12">letters</word>`; `yMin` counts from the page's upper edge.
fn word(line: &str) -> Option<(String, Place)> {
    let line = line.strip_prefix("<word ")?.strip_suffix("</word>")?;
    let (attributes, letters) = line.split_once('>')?;
    let mut values = attributes.split('"').skip(1).step_by(2);
    let mut value = || values.next()?.parse::<f64>().ok();
    let (left, above, right, below) = (value()?, value()?, value()?, value()?);
    let (width, height) = (right - left, below - above);
    // Text that runs upwards stands in a high box.
    let upwards = height > 2.0 * width && letters.chars().nth(2).is_some();
    let place = Place {
        at: (left, -below),
        direction: if upwards { (0.0, 1.0) } else { (1.0, 0.0) },
        advance: if upwards { height } else { width },
        size: if upwards { width } else { height },
    };
    let mut plain = letters.to_owned();
    for (entity, letter) in [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&apos;", "'"),
        ("&amp;", "&"),
    ] {
        plain = plain.replace(entity, letter);
    }
    Some((plain, place))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_become_lines_and_blocks() {
        let word = |x: f64, y: f64, size: f64, letters: &str| {
            let right = x + 5.0 * size;
            let below = y + size;
            format!(
                "    <word xMin=\"{x}\" yMin=\"{y}\" xMax=\"{right}\" yMax=\"{below}\">{letters}</word>\n"
            )
        };
        let words = [
            word(50.0, 40.0, 8.0, "Head"),
            word(50.0, 60.0, 10.0, "One"),
            word(103.0, 60.0, 10.0, "&lt;two&gt;"),
            word(153.0, 59.0, 7.0, "2"),
            word(50.0, 72.0, 10.0, "three"),
            word(50.0, 84.0, 10.0, "four"),
            // A gap, then the next column.
            word(50.0, 110.0, 10.0, "five"),
            word(300.0, 60.0, 10.0, "six"),
        ]
        .concat();
        let stamp = "    <word xMin=\"10\" yMin=\"60\" xMax=\"20\" yMax=\"200\">stamp</word>\n";
        let xhtml = format!("<doc>\n  <page width=\"1\">\n{words}{stamp}  </page>\n</doc>\n");
        assert_eq!(
            text(&xhtml).as_deref(),
            Some("Head\n\nOne <two>2\nthree\nfour\n\nfive\n\nsix\n\nstamp\n\u{c}")
        );
        assert_eq!(text("Usage: pdftotext"), None);
    }

    proptest::proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "(<page>\n|</page>\n|<word xMin=\"1\" yMin=\"|\" xMax=\"2\" yMax=\"3\">a</word>\n|NaN|inf|[-0-9.\"<>a]|\n){0,60}") {
            drop(super::text(&text));
        }
    }
}
