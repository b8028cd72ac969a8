use proptest::prelude::*;

use super::*;

fn of(source: &str) -> Option<Frontmatter> {
    Frontmatter::of(&Text::new(source.as_bytes()))
}

#[test]
fn it_is_opened_on_line_one_and_closed() {
    for (source, last) in [
        ("---\na: 1\n---\nbody", Some(3)),
        ("--- \t\r\na: 1\r\n---  \r\n", Some(3)),
        ("\u{FEFF}---\na: 1\n---\n", Some(3)),
        ("\n---\na: 1\n---\n", None),
        ("---\na: 1\n ---\n", None),
        ("---\na: 1\n----\n", None),
        ("", None),
    ] {
        assert_eq!(of(source).map(|found| found.last), last, "{source:?}");
    }
}

#[test]
fn faults_have_places() {
    for (yaml, line, part) in [
        ("a: b: c", 2, ""),
        ("a: 1\nb: 2\na: 3", 4, "`a` is given twice, first in line 2"),
        ("a:\n  x: 1\n  x: 2", 4, "`x` is given twice"),
        ("- a", 2, "a list, not a mapping"),
        ("word", 2, "a string, not a mapping"),
        ("", 1, "empty"),
        ("a: [x] [y]", 2, ""),
        ("a: 'x", 2, ""),
        ("a: @x", 2, ""),
        ("a: *x", 2, ""),
    ] {
        let fault = of(&format!("---\n{yaml}\n---\n"))
            .expect(yaml)
            .yaml
            .expect_err(yaml);
        assert_eq!(fault.line, line, "{yaml}: {fault:?}");
        assert!(
            fault.message.contains(part) && !fault.message.is_empty(),
            "{yaml}: {fault:?}"
        );
    }
}

#[test]
fn values_are_typed_and_placed() {
    let found = of("---\na: yes\nb: 1.0\nc: \"2\"\nd: [x, 1]\ne:\n  f: ~\nné: 2024-01-01\nt: !!str 5\nn: &k v\nm: *k\n---\n")
        .expect("frontmatter");
    let yaml = found.mapping().expect("mapping");
    let kinds: Vec<&str> = yaml
        .entries()
        .iter()
        .map(|(_, value)| value.value.kind())
        .collect();
    assert_eq!(
        kinds,
        [
            "a string",
            "a float",
            "a string",
            "a list",
            "a mapping",
            "a string",
            "a string",
            "a string",
            "a string"
        ]
    );
    let list = yaml.get("d").expect("d");
    assert_eq!((list.style, list.line, list.col), (Style::Flow, 5, 4));
    let text = "---\na: yes\nb: 1.0\nc: \"2\"\nd: [x, 1]\n";
    assert_eq!(text.get(list.range.clone()), Some("[x, 1]"));
    assert_eq!(yaml.get("b").map(|value| value.text.as_str()), Some("1.0"));
    assert_eq!(yaml.get("m").and_then(Yaml::as_str), Some("v"));
}

#[test]
fn deep_and_multiplying_documents_are_refused() {
    assert!(
        of(&format!("---\na: {}\n---\n", "[".repeat(100_000)))
            .expect("some")
            .yaml
            .is_err()
    );
    let mut bomb = vec![String::from("---\na0: &a0 [x, x, x, x, x, x, x, x, x, x]")];
    for level in 1..9 {
        let before = format!("*a{}, ", level - 1).repeat(10);
        let items = before.trim_end_matches(", ");
        bomb.push(format!("a{level}: &a{level} [{items}]"));
    }
    let bomb = format!("{}\n---\n", bomb.join("\n"));
    assert!(of(&bomb).expect("some").yaml.is_err());
}

proptest! {
    #[test]
    fn no_text_makes_it_panic(source in "[a-z:\\-#'\"\\[\\]{}&*!|>%@`,\\n \\t]{0,120}") {
        let text = Text::new(format!("---\n{source}\n---\n").as_bytes());
        if let Some(Ok(yaml)) = Frontmatter::of(&text).map(|found| found.yaml) {
            for node in yaml.nodes() {
                prop_assert!(text.raw().get(node.range.clone()).is_some());
            }
        }
    }
}
