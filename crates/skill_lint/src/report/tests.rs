use super::*;
use crate::testing::folder;
use crate::{Cli, Options};

fn report() -> Report {
    let skill = "---\nname: a\ndescription: d\n---\n[x](no%,:.md)\n<!-- skill-lint: allow SR110 reason=\"later\" -->\n[y](nor.md)\n";
    let folder = folder(&[("a b/SKILL.md", skill)]);
    let options = Options {
        cli: Cli {
            paths: vec![folder.path().to_path_buf()],
            rule: vec![String::from("SR110")],
            no_config: true,
            ..Cli::default()
        },
        cwd: folder.path().to_path_buf(),
        today: "2026-11-20".parse().expect("date"),
        search_path: None,
    };
    let mut report = crate::lint(&options).expect("report");
    report.roots = vec![String::from(".")];
    report
}

fn written(format: Format) -> String {
    let mut out = Vec::new();
    report()
        .write(format, &mut out, Style::plain())
        .expect("written");
    String::from_utf8(out).expect("utf-8")
}

#[test]
fn text_has_place_message_and_hint_and_hides_what_is_suppressed() {
    let text = written(Format::Text);
    assert!(text.starts_with("a b/SKILL.md:5:1: error SR110 "), "{text}");
    assert_eq!(text.lines().count(), 2, "{text}");
}

#[test]
fn json_keeps_what_is_suppressed_marked() {
    let json: Value = serde_json::from_str(&written(Format::Json)).expect("json");
    assert_eq!(json["meta"]["count"], 2);
    assert_eq!(
        (&json["meta"]["errors"], &json["meta"]["suppressed"]),
        (&json!(1), &json!(1))
    );
    assert_eq!(
        json["data"][1]["suppressed"],
        json!({"by": "inline", "reason": "later"})
    );
    assert_eq!(json["data"][0]["suppressed"], Value::Null);
    assert_eq!(json["data"][0]["skill"], "a b");
}

#[test]
fn github_commands_are_escaped_and_end_with_the_total() {
    let text = written(Format::Github);
    assert!(
        text.starts_with("::error file=a b/SKILL.md,line=5,col=1,title=SR110::"),
        "{text}"
    );
    assert!(text.contains("no%25,:.md"), "{text}");
    assert!(
        text.trim_end()
            .lines()
            .last()
            .expect("line")
            .starts_with("::notice title=skill_lint::1 error,")
    );
}

#[test]
fn sarif_points_into_its_rules() {
    let sarif: Value = serde_json::from_str(&written(Format::Sarif)).expect("json");
    let run = &sarif["runs"][0];
    let result = &run["results"][0];
    let index = usize::try_from(result["ruleIndex"].as_u64().expect("index")).expect("small");
    assert_eq!(run["tool"]["driver"]["rules"][index]["id"], "SR110");
    let place = &result["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "a%20b/SKILL.md");
    assert_eq!(place["region"], json!({"startLine": 5, "startColumn": 1}));
    assert_eq!(
        run["results"][1]["suppressions"],
        json!([{"kind": "inSource", "justification": "later"}])
    );
    assert_eq!(run["invocations"][0]["executionSuccessful"], true);
}
