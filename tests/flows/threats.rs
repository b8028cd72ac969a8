//! Checks that the threats page names every helper, and only tests that exist.

use std::fs;
use std::path::Path;

use aris_contract::helpers;

/// Appends all sources below a folder to `into`.
fn sources(folder: &Path, into: &mut String) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() && !path.ends_with("target") {
            sources(&path, into);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            into.push_str(&fs::read_to_string(&path).expect("a source"));
        }
    }
}

#[test]
fn every_helper_has_its_threats_and_every_named_test_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let page = fs::read_to_string(root.join("crates/THREATS.md")).expect("the page");
    for helper in helpers::all() {
        let row = format!("\n| `{}` |", helper.name);
        assert_eq!(page.matches(&row).count(), 1, "{}", helper.name);
    }
    let mut tests = 0;
    for row in page.lines().filter(|line| line.starts_with("| ")) {
        let cell = row.trim_end_matches([' ', '|']).rsplit('|').next();
        let words = cell.unwrap_or_default().split('`').skip(1).step_by(2);
        let mut text = String::new();
        for word in words {
            let folder = match word {
                "flows" => root.join("tests"),
                word => root.join("crates").join(word),
            };
            if folder.is_dir() {
                text.clear();
                sources(&folder, &mut text);
                continue;
            }
            tests += 1;
            // Property tests have parameters.
            assert!(
                text.contains(&format!(" fn {word}(")) || text.contains(&format!("\nfn {word}(")),
                "no test {word}: {row}"
            );
        }
    }
    assert!(tests >= 26, "{tests}");
}
