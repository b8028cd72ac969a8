//! On any input: no panic, positions inside the text, time proportional to its length.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use aris_paper::{bib, latex, names, titles};
use proptest::prelude::*;

use crate::fixtures::{bib_files, folder};

/// Text made of BibTeX syntax, so that random input reaches the deeper parts of the reader.
fn bibtex_like() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("@article{".to_owned()),
        Just("\n@misc{k,".to_owned()),
        Just("@string{a = ".to_owned()),
        Just("@comment".to_owned()),
        Just("@preamble(".to_owned()),
        Just("title = {".to_owned()),
        Just(", year = 2001".to_owned()),
        Just("author = \"".to_owned()),
        Just(" and ".to_owned()),
        Just("\\\"{u}".to_owned()),
        Just("% ".to_owned()),
        "[{}()\"@#,=%\\\\ \n\t$~'`-]{1,4}",
        "[a-zA-Z0-9äß漢\u{301}]{1,6}",
        any::<char>().prop_map(String::from),
    ];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

fn check(text: &str) -> Result<(), TestCaseError> {
    let read = bib::read(text);
    let mut last = 0;
    for entry in &read.entries {
        let key = text.get(entry.key_place.offset..);
        prop_assert!(
            key.is_some_and(|rest| rest.starts_with(&entry.key)),
            "{entry:?}"
        );
        prop_assert!(entry.place.offset >= last, "entries overlap: {:?}", entry);
        prop_assert!(entry.key_place > entry.place, "{entry:?}");
        last = entry.place.offset + 1;
        let line = text.get(..entry.place.offset).unwrap().split('\n').count();
        prop_assert_eq!(entry.place.line, line);
        for field in &entry.fields {
            prop_assert!(text.get(field.value_span.clone()).is_some(), "{field:?}");
            prop_assert!(field.place.offset > entry.place.offset, "{field:?}");
            prop_assert!(field.value_span.start > field.place.offset, "{field:?}");
            let name = text
                .get(field.place.offset..)
                .unwrap()
                .get(..field.name.len());
            prop_assert_eq!(name.unwrap().to_ascii_lowercase(), field.name.as_str());
            last = field.value_span.end;
        }
    }
    for problem in &read.problems {
        prop_assert!(problem.place.offset <= text.len());
    }
    prop_assert!(
        read.problems
            .is_sorted_by_key(|problem| problem.place.offset)
    );
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_read(text in "\\PC*") {
        check(&text)?;
        drop(names::parse_list(&text));
        drop(latex::to_text(&text));
        drop(latex::verbatim(&text));
        prop_assert_eq!(titles::compare(&text, &text), titles::TitleMatch::Same);
        let normal = titles::normalise(&text);
        prop_assert_eq!(titles::normalise(&normal), normal);
    }

    #[test]
    fn anything_like_bibtex_is_read(text in bibtex_like()) {
        check(&text)?;
        for entry in &bib::read(&text).entries {
            for field in &entry.fields {
                drop(names::parse_list(&field.raw));
            }
        }
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        drop(bib::read_bytes(&bytes));
    }

    #[test]
    fn sound_entries_come_back(
        key in "[a-zA-Z][a-zA-Z0-9:_./+-]{0,12}",
        fields in prop::collection::vec(("[a-z][a-z-]{0,8}", "[a-zA-Z0-9 äöü漢.,;:()@=\"#%-]{0,30}"), 0..6),
    ) {
        let mut text = format!("@article{{{key}");
        for (name, value) in &fields {
            write!(text, ",\n  {name} = {{{value}}}").unwrap();
        }
        text.push_str("\n}");
        let read = bib::read(&text);
        prop_assert_eq!(read.entries.len(), 1, "{:?}", read.problems);
        let entry = &read.entries[0];
        prop_assert_eq!(&entry.key, &key);
        prop_assert_eq!(entry.fields.len(), fields.len());
        for (field, (name, value)) in entry.fields.iter().zip(&fields) {
            prop_assert_eq!(&field.name, name);
            let words: Vec<&str> = value.split_ascii_whitespace().collect();
            prop_assert_eq!(&field.raw, &words.join(" "));
        }
    }
}

#[test]
fn mutated_real_files_are_read() {
    let Some(root) = folder("bib") else { return };
    for path in bib_files(&root) {
        let Ok(text) = String::from_utf8(std::fs::read(&path).unwrap()) else {
            continue;
        };
        let text: String = text.chars().take(6000).collect();
        let offsets: Vec<usize> = text.char_indices().map(|(offset, _)| offset).collect();
        for &offset in offsets.iter().step_by(offsets.len() / 40 + 1) {
            for insert in ["{", "}", "\"", "@", ",", "\n@misc{z,", ""] {
                let mut mutated = text.clone();
                let end = if insert.is_empty() {
                    text.len()
                } else {
                    offset
                };
                mutated.replace_range(offset..end, insert);
                check(&mutated).unwrap();
            }
        }
    }
}

/// Inputs for which a careless reader scans to the end of the file once per entry.
#[test]
fn time_is_linear() {
    let unit = [
        "@a{k,t={",
        "\n@a{k,t={",
        "\n@a{k,t=\"",
        "\n@a(k,t=\"{",
        "\n@a(k,t={",
        "\n@comment(",
        "\n@comment{",
        "\n% @a{k,t={",
        "\n@string{s=",
        "}@a{xxxxxxxx",
        ")@a(xxx)",
        "\n@a{k,a b c d",
        "\n@a{k,\n% x",
        "\n@preamble{\"",
        "@",
        " @ ",
        "{",
        "\\href{",
        "\\\"",
        "\n@a{k,t={x} x",
        ",x={y}",
        "and ",
        "@a{k k k k ",
    ];
    let tails = ["", "}x", "\""];
    // Stops a quadratic reader. A linear one takes a second, even in a debug build on a busy machine.
    let limit = Duration::from_mins(1);
    for unit in unit {
        let count = 120_000 / unit.len();
        for tail in tails {
            let text = format!(
                "@a{{k,t={{x}},{}{}",
                unit.repeat(count),
                tail.repeat(if tail.is_empty() { 0 } else { count })
            );
            let start = Instant::now();
            let read = bib::read(&text);
            assert!(
                start.elapsed() < limit,
                "{unit:?} {tail:?}: {:?}",
                start.elapsed()
            );
            drop(read);
            let start = Instant::now();
            drop(latex::to_text(&text));
            drop(names::parse_list(&text));
            assert!(
                start.elapsed() < limit,
                "{unit:?} {tail:?}: {:?}",
                start.elapsed()
            );
        }
    }
}
