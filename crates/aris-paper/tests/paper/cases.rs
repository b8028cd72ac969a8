//! Hard cases of BibTeX, one by one.

use std::fmt::Write as _;

use aris_paper::bib::{self, Bibliography, Problem, ProblemKind};

fn keys(read: &Bibliography) -> Vec<&str> {
    read.entries
        .iter()
        .map(|entry| entry.key.as_str())
        .collect()
}

fn id(problem: &Problem) -> &'static str {
    problem.kind.id().trim_start_matches("bibtex_")
}

fn kinds(read: &Bibliography) -> Vec<&'static str> {
    read.problems.iter().map(id).collect()
}

fn value(text: &str, name: &str) -> String {
    let read = bib::read(text);
    let entry = read
        .entries
        .last()
        .unwrap_or_else(|| panic!("no entry in {text}"));
    entry
        .text(name)
        .unwrap_or_else(|| panic!("no {name} in {text}"))
        .to_owned()
}

#[test]
fn values() {
    let cases = [
        ("@misc{k, title = {A {B} c}}", "A B c"),
        ("@misc{k, title = \"A {\"}B{\"} c\"}", "A \"B\" c"),
        ("@misc(k, title = {a) b})", "a) b"),
        ("@MISC{k, TITLE = {x}}", "x"),
        ("@misc{k,title=2001}", "2001"),
        ("@misc{k, title = {a} # {b} # \"c\"}", "abc"),
        (
            "@string{s = \"x y\"} @misc{k, title = s # { and } # S}",
            "x y and x y",
        ),
        ("@string(s = {p}) @misc{k, title = s,}", "p"),
        ("@misc{k, title = 1 # feb}", "1February"),
        ("@misc{k, title = {a\n\t  b}}", "a b"),
        ("@misc{k\n, title = {a}\n}", "a"),
        ("@ misc { k , title = {a} }", "a"),
        ("@misc{k, title = {first}, title = {second}}", "first"),
        ("mail me @ home, a@b.c\n@misc{k, title={t}}", "t"),
        ("@misc{k, title = {t}, } trailing text", "t"),
        ("@comment{@misc{x, title={no}}} @misc{k, title={t}}", "t"),
        ("@comment no bracket\n@misc{k, title={t}}", "t"),
        (
            "@preamble{ \"\\newcommand{\\x}{}\" # {y} }\n@misc{k, title={t}}",
            "t",
        ),
        ("@misc{k, title = {\\\"{O}z}, x-1:y_z = {a}}", "Öz"),
    ];
    for (text, wanted) in cases {
        assert_eq!(value(text, "title"), wanted, "{text}");
    }
}

#[test]
fn the_next_entry_survives() {
    let tail = "\n\n@article{next, title = {Next}, year = 2020}\n";
    let damaged = [
        "@article{bad, title = {open, year = 2000}",
        "@article{bad, title = {open, year = 2000\n}",
        "@article{bad, title = {{{open}, year = {2000}\n}",
        "@article{bad, title = \"open, year = 2000}",
        "@article{bad, title = \"open, year = 2000",
        "@article{bad, title = {x}",
        "@article{bad, title = {x},",
        "@article{bad",
        "@article{bad,",
        "@article{bad, title",
        "@article{bad, title =",
        "@article{bad, title = ,}",
        "@article{bad, = {x}}",
        "@article{bad, title {x}}",
        "@article{bad, title = {x} {y}}",
        "@article{bad, title = {x}}}",
        "@article{bad, title = {x}}, year = {2000}}",
        "@article(bad, title = {x}",
        "@article(bad, title = {x}}",
        "@article{bad, title = x y}",
        "@article bad, title = {x}",
        "@article",
        "@string{s = }",
        "@string{s}",
        "@string{s = {open}",
        "@preamble{\"open}",
        "@preamble{{x}",
        "@article{, title = {x}}",
        "@article{title = {x}}",
        "@article{two words, title = {x}}",
        "@article{bad, title = {x}\n year = 2000}",
        "@article{bad, % remark, with = {signs}\n title = {x}}",
        "@article{bad, title = 12ab}",
        "} @article{bad, title = unknown}",
    ];
    for bad in damaged {
        let text = format!("{bad}{tail}");
        let read = bib::read(&text);
        assert_eq!(
            keys(&read).last(),
            Some(&"next"),
            "{bad}: {:?}",
            read.problems
        );
        let next = read.entries.last().unwrap();
        assert_eq!(next.text("title"), Some("Next"), "{bad}");
        assert_eq!(
            next.place.line,
            text.split("@article{next").next().unwrap().lines().count() + 1,
            "{bad}"
        );
        assert!(!read.problems.is_empty(), "{bad}");
        for problem in &read.problems {
            assert!(problem.place.line <= next.place.line, "{bad}: {problem:?}");
        }
    }
}

#[test]
fn problems_are_named_and_placed() {
    let cases: [(&str, &str, (usize, usize)); 15] = [
        ("\u{feff}@misc{k}", "byte_order_mark", (1, 1)),
        ("\n @article k, title", "no_bracket", (2, 2)),
        ("@misc{\n title = {x}}", "no_key", (2, 2)),
        ("@misc{a b, title = {x}}", "bad_key", (1, 7)),
        ("@misc{k,\n title {x}}", "bad_field", (2, 2)),
        ("@misc{k,\n title = , x = {y}}", "no_value", (2, 10)),
        ("@misc{k, pages = 1--2}", "bare_word", (1, 18)),
        ("@misc{k, a = {x}\nb = {y}}", "no_comma", (2, 1)),
        ("@misc{k,\n% x\na = {x}}", "comment_in_entry", (2, 1)),
        ("@misc{k,\na = {x\n", "unclosed", (2, 5)),
        ("@misc{k, a = {x}\n", "unclosed_entry", (1, 1)),
        (
            "@misc{k, a = {x\n@misc{l, b = {y}}\n}}",
            "swallowed_entry",
            (2, 1),
        ),
        ("@misc{k, a = {x}}, b = {y}}", "stray_text", (1, 18)),
        ("@misc{k, a = jomch}", "unknown_macro", (1, 14)),
        ("@misc{k, é = {1}, é = {2}}", "duplicate_field", (1, 19)),
    ];
    for (text, id, (line, column)) in cases {
        let read = bib::read(text);
        let found = read.problems.iter().find(|problem| self::id(problem) == id);
        let found = found.unwrap_or_else(|| panic!("{text}: {:?}", read.problems));
        assert_eq!(
            (found.place.line, found.place.column),
            (line, column),
            "{text}"
        );
        assert!(!found.message.ends_with('.'), "{}", found.message);
    }
}

#[test]
fn a_sound_file_has_no_problems() {
    let text = "Some text.\n@string{acm = {ACM}}\n@article{k, title = {A}, publisher = acm, month = jan, year = 2001}\n\
                % @old{x, y = {z}}\n@comment{jabref-meta: x;}\n";
    let read = bib::read(text);
    assert_eq!(kinds(&read), Vec::<&str>::new());
    assert_eq!(keys(&read), ["k", "x"]);
    assert!(read.entries[1].commented);
    assert_eq!(read.macros["acm"], "ACM");
}

#[test]
fn commented_entries_count_once_and_quietly() {
    let text = "@misc{k, a = {x}}\n% @misc{k, a = {old}}\n%@misc{half, a = {\n% @article\n@misc{l}";
    let read = bib::read(text);
    assert_eq!(kinds(&read), Vec::<&str>::new());
    assert_eq!(keys(&read), ["k", "k", "l"]);
}

#[test]
fn duplicate_keys_keep_both_places() {
    let read = bib::read("@misc{Key, a={1}}\n@misc{other}\n  @misc{key, a={2}}\n@misc{Key}");
    let found: Vec<(ProblemKind, usize)> = read
        .problems
        .iter()
        .map(|problem| (problem.kind, problem.place.line))
        .collect();
    let twice = ProblemKind::DuplicateKey;
    assert_eq!(found, [(twice, 3), (twice, 4)]);
    for problem in &read.problems {
        assert!(problem.message.contains("on line 1"), "{problem:?}");
    }
    assert!(read.problems[0].message.contains("only in case"));
    assert_eq!(keys(&read), ["Key", "other", "key", "Key"]);
}

#[test]
fn one_value_can_be_replaced_and_nothing_else() {
    let text = "% head\n@Article{ k ,\n  Title  = \"Old # {T}\" # {x},\n\n  YEAR=1999 }\n tail {";
    let read = bib::read(text);
    let field = read.entries[0]
        .fields
        .iter()
        .find(|field| field.name == "title")
        .unwrap();
    let mut edited = text.to_owned();
    edited.replace_range(field.value_span.clone(), "{New}");
    assert_eq!(
        edited,
        "% head\n@Article{ k ,\n  Title  = {New},\n\n  YEAR=1999 }\n tail {"
    );
    let year = &read.entries[0].fields[1];
    assert_eq!(text.get(year.value_span.clone()), Some("1999"));
    assert_eq!(text.get(year.place.offset..), Some("YEAR=1999 }\n tail {"));
    let entry = &read.entries[0];
    assert_eq!((entry.key.as_str(), entry.key_place.column), ("k", 11));
    assert_eq!(bib::read(&edited).entries[0].text("title"), Some("New"));
}

#[test]
fn macros_cannot_fill_the_memory() {
    let mut text = String::from("@string{a0 = {0123456789}}\n");
    for n in 1..60 {
        let before = n - 1;
        writeln!(text, "@string{{a{n} = a{before} # a{before}}}").unwrap();
    }
    text.push_str("@misc{k, title = a59}\n@misc{next, title = {x}}");
    let read = bib::read(&text);
    assert_eq!(keys(&read), ["k", "next"]);
    let size: usize = read.macros.values().map(String::len).sum();
    assert!(size < 4 << 20, "{size}");
    assert!(kinds(&read).contains(&"unknown_macro"));
}

#[test]
fn macros_reach_the_files_behind() {
    let strings = bib::read("@string{acm = {ACM Press}}");
    let read = bib::read_after("@misc{k, publisher = acm}", &strings.macros);
    assert_eq!(kinds(&read), Vec::<&str>::new());
    assert_eq!(read.entries[0].text("publisher"), Some("ACM Press"));
}

#[test]
fn inheritance() {
    let text = "@inproceedings{paper, author={A}, title={T}, crossref={Proc}, xdata={d,gone}}\n\
                @proceedings{proc, title={Proceedings of X}, year=2001, editor={E}, doi={10.1000/1}, crossref={paper}}\n\
                @xdata{d, publisher={P}, url={http://x}}";
    let read = bib::read(text);
    let index = bib::Index::new([&read]);
    let paper = index.resolve(&read.entries[0]);
    assert_eq!(paper.text("booktitle"), Some("Proceedings of X"));
    assert_eq!(paper.text("title"), Some("T"));
    assert_eq!(paper.text("year"), Some("2001"));
    assert_eq!(paper.text("publisher"), Some("P"));
    assert_eq!(paper.text("url"), Some("http://x"));
    assert_eq!(paper.text("doi"), None);
    assert_eq!(paper.dangling, ["gone"]);
    assert!(bib::missing(&paper).is_empty());
}

#[test]
fn required_fields() {
    let cases = [
        (
            "@article{k, author={A}, title={T}, journal={J}, year=2000}",
            vec![],
        ),
        (
            "@article{k, author={A}, title={T}, journaltitle={J}, date={2000-01}}",
            vec![],
        ),
        (
            "@article{k, author={A}, title={}}",
            vec!["title", "journal", "year"],
        ),
        (
            "@book{k, editor={A}, title={T}, year=2000}",
            vec!["publisher"],
        ),
        (
            "@inproceedings{k, author={A}, title={T}, year=2000}",
            vec!["booktitle"],
        ),
        (
            "@phdthesis{k, author={A}, title={T}, institution={I}, year=2000}",
            vec![],
        ),
        ("@misc{k}", vec![]),
        ("@whatever{k}", vec![]),
        ("@online{k, author={A}, title={T}, year=2000}", vec!["url"]),
    ];
    for (text, wanted) in cases {
        let read = bib::read(text);
        let index = bib::Index::new([&read]);
        let found: Vec<&str> = bib::missing(&index.resolve(&read.entries[0]))
            .iter()
            .map(|missing| missing[0])
            .collect();
        assert_eq!(found, wanted, "{text}");
    }
}

#[test]
fn years() {
    let cases = [
        ("2009", Some(2009)),
        ("2009-03", Some(2009)),
        ("c. 1998 (reprint)", Some(1998)),
        ("2001/2003", Some(2001)),
        ("in press", None),
        ("20156", None),
        ("", None),
    ];
    for (text, year) in cases {
        assert_eq!(bib::year_of(text), year, "{text}");
    }
}
