use super::*;

fn section(title: &str, budget: usize, prune: u8, lines: &[&str]) -> Section {
    Section::new(
        title.to_owned(),
        budget,
        prune,
        lines.iter().map(|line| (*line).to_owned()).collect(),
    )
}

#[test]
fn a_section_keeps_its_budget_in_characters() {
    let long = "ü".repeat(80);
    let section = section("x", 200, 0, &[&long, &long, &long, &long]);
    let body = section.lines.join("\n");
    assert!(body.chars().count() <= 200, "{}", body.chars().count());
    assert_eq!((section.lines.len(), section.left_out), (2, 2));
    assert_eq!(cut("abcdef", 4), "abc…");
}

#[test]
fn papers_go_first_and_failed_ideas_last() {
    let make = || {
        vec![
            section("Gaps", 100, 5, &["gap gap gap gap"]),
            section("Failed", 100, 6, &["failed failed failed"]),
            section("Papers", 100, 0, &["paper one", "paper two"]),
        ]
    };
    let full = Pack::fit(make(), 8000).text;
    let size = full.chars().count();
    let one_less = Pack::fit(make(), size - 1).text;
    assert!(
        one_less.contains("paper one")
            && !one_less.contains("paper two")
            && one_less.contains("gap gap")
    );
    let small = Pack::fit(make(), HEAD.len() + 25).text;
    assert!(
        small.contains("Failed") && !small.contains("Gaps") && !small.contains("Papers"),
        "{small}"
    );
}

proptest::proptest! {
    #[test]
    fn a_pack_never_passes_its_limit(
        max in 0_usize..400,
        lines in proptest::collection::vec(("[a-zü]{0,50}", 0_u8..7), 0..10),
    ) {
        let sections = lines.iter().map(|(line, prune)| section("T", 40, *prune, &[line.as_str(), line.as_str()])).collect();
        let pack = Pack::fit(sections, max);
        proptest::prop_assert!(pack.text.chars().count() <= max);
    }
}
