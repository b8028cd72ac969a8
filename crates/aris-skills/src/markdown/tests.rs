use proptest::prelude::*;
use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag};

use super::*;

fn document(source: &str) -> Document {
    Document::parse(&Text::new(source.as_bytes()))
}

#[test]
fn fences_open_and_close() {
    // Source; open, close, last, info, unclosed.
    type Row = (usize, Option<usize>, usize, &'static str, bool);
    let cases: [(&str, &[Row]); 11] = [
        ("```\na\n```\n", &[(1, Some(3), 3, "", false)]),
        ("~~~ sh x\na\n~~~~\n", &[(1, Some(3), 3, "sh x", false)]),
        ("````md\n```\n```\n````", &[(1, Some(4), 4, "md", false)]),
        ("```a`b\ntext\n", &[]),
        ("~~~a`b\n", &[(1, None, 1, "a`b", true)]),
        ("``\n", &[]),
        ("      ```\nx\n   ``` \n", &[(1, Some(3), 3, "", false)]),
        ("```\n``` no\n~~~\n```", &[(1, Some(4), 4, "", false)]),
        (
            "> ```sh\n> a\nb\n```\n",
            &[(1, None, 2, "sh", false), (4, None, 4, "", true)],
        ),
        ("```\n> ```\n```\n", &[(1, Some(3), 3, "", false)]),
        (
            "> > ```\n> > x\n> ```\n",
            &[(1, None, 2, "", false), (3, None, 3, "", true)],
        ),
    ];
    for (source, expected) in cases {
        let fences = document(source).fences;
        let found: Vec<Row> = expected
            .iter()
            .zip(&fences)
            .map(|(row, fence)| {
                assert_eq!(fence.info, row.3, "{source:?}");
                (fence.open, fence.close, fence.last, row.3, fence.unclosed)
            })
            .collect();
        assert_eq!(
            (fences.len(), found.as_slice()),
            (expected.len(), expected),
            "{source:?}"
        );
    }
}

#[test]
fn shell_fences() {
    for (info, shell) in [
        ("", true),
        ("bash", true),
        ("BASH title=x", true),
        ("sh{1}", true),
        ("text", true),
        ("shellscript", false),
        ("python", false),
        ("textile", false),
    ] {
        let fence = &document(&format!("~~~{info}\n~~~")).fences[0];
        assert_eq!(fence.is_shell(), shell, "{info}");
    }
}

#[test]
fn links_with_their_places() {
    // Source; target, line, column.
    type Row = (&'static str, usize, usize);
    let cases: [(&str, &[Row]); 14] = [
        ("a [b](c.md) d", &[("c.md", 1, 3)]),
        ("é ![b](c.png \"t\")", &[("c.png", 1, 3)]),
        ("[a](<b c.md>)", &[("b c.md", 1, 1)]),
        ("[a](b(c).md)", &[("b(c).md", 1, 1)]),
        ("`[a](b)` [c](d)", &[("d", 1, 10)]),
        ("\\[a](b)", &[]),
        ("[a] (b)", &[]),
        ("[a](b c)", &[]),
        ("[a\nb](c)", &[("c", 1, 1)]),
        ("[a\n\nb](c)", &[]),
        ("[![i](p.png)](t.md)", &[("t.md", 1, 1), ("p.png", 1, 2)]),
        ("[l]: t.md 'x'\n", &[("t.md", 1, 1)]),
        ("[^1]: note.md\n", &[]),
        ("> - [a](b)\n>   [c](d)\n", &[("b", 1, 5), ("d", 2, 5)]),
    ];
    for (source, expected) in cases {
        let links = document(source).links;
        let found: Vec<_> = links
            .iter()
            .map(|link| (link.target.as_str(), link.line, link.col))
            .collect();
        assert_eq!(found, expected, "{source:?}");
    }
}

#[test]
fn relative_links() {
    for (target, expected) in [
        ("a/b.md#x", Some("a/b.md")),
        ("a%20b.md?x=1", Some("a b.md")),
        ("../x", Some("../x")),
        ("", None),
        ("#x", None),
        ("/x", None),
        ("~/x", None),
        ("https://x", None),
        ("mailto:x", None),
        ("C:x", Some("C:x")),
        ("a/{b}.md", None),
        ("a/...", None),
        ("$X/a", None),
        ("%zz", Some("%zz")),
    ] {
        let link = Link {
            target: target.to_owned(),
            line: 1,
            col: 1,
        };
        assert_eq!(link.relative_path().as_deref(), expected, "{target}");
    }
}

#[test]
fn code_spans_pair_equal_runs_within_a_block() {
    for (source, expected) in [
        ("`a` ``b ` c`` `d", vec!["a", "b ` c"]),
        ("a `b\nc` d", vec!["b c"]),
        ("`a\n\nb`", vec![]),
        ("- `a\n- b`", vec![]),
        ("\\`a` b`", vec![" b"]),
    ] {
        let spans = document(source).spans;
        let found: Vec<&str> = spans.iter().map(|span| span.text.as_str()).collect();
        assert_eq!(found, expected, "{source:?}");
    }
}

/// First line of each fenced block, according to a `CommonMark` parser.
fn commonmark(source: &str) -> Vec<usize> {
    let text = Text::new(source.as_bytes());
    Parser::new_ext(text.raw(), Options::empty())
        .into_offset_iter()
        .filter_map(|(event, range)| match event {
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(_))) => {
                Some(text.place(range.start).0)
            }
            _ => None,
        })
        .collect()
}

#[test]
fn fences_of_our_own_papers_are_those_of_a_commonmark_parser() {
    let mut looked_at = 0;
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for folder in ["", "crates", "skills"] {
        let walked = aris_fs::walk_sorted(&root.join(folder), &mut |entry| {
            !folder.is_empty() && entry.name != "target"
        });
        for entry in walked.expect("walk") {
            if entry.kind != aris_fs::EntryKind::File
                || entry
                    .path
                    .extension()
                    .is_none_or(|extension| extension != "md")
            {
                continue;
            }
            let source = aris_fs::read_text(&entry.path).expect("text");
            let text = Text::new(source.as_bytes());
            let first = Document::parse(&text).first_line;
            let body: String = text.raw().get(text.start(first)..).unwrap().to_owned();
            let ours: Vec<usize> = document(&body)
                .fences
                .iter()
                .map(|fence| fence.open)
                .collect();
            assert_eq!(ours, commonmark(&body), "{}", entry.path.display());
            looked_at += 1;
        }
    }
    assert!(looked_at > 10, "{looked_at}");
}

#[test]
fn hostile_lines_take_linear_time() {
    for piece in [
        "[](a", "](", "[", "`a``b", "![x](<", "[a](b \"", "> ", "#", "[a]: (",
    ] {
        let long = piece.repeat(200_000 / piece.len());
        document(&long);
        document(&format!("{piece}\n").repeat(20_000));
    }
}

fn lines() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "```", "````", "~~~", "> ```", "> x", "text", "", "``` sh", "```a`b", "x ``` y",
    ]);
    proptest::collection::vec(piece, 0..12).prop_map(|lines| lines.join("\n"))
}

proptest! {
    #[test]
    fn fences_agree_with_commonmark(source in lines()) {
        let ours: Vec<usize> = document(&source).fences.iter().map(|fence| fence.open).collect();
        prop_assert_eq!(ours, commonmark(&source));
    }

    #[test]
    fn no_text_makes_it_panic_and_places_are_true(source in "[ -~\\n`\\[\\]()<>!é]{0,200}") {
        let text = Text::new(source.as_bytes());
        let document = Document::parse(&text);
        for link in &document.links {
            prop_assert!(link.line >= 1 && link.line <= text.len());
        }
        for span in &document.spans {
            prop_assert!(text.raw().get(span.range.clone()).unwrap().starts_with('`'));
        }
        for (before, after) in document.fences.iter().zip(document.fences.iter().skip(1)) {
            prop_assert!(before.last < after.open);
        }
    }
}
