//! `cargo xtask new-helper`: creates all files of a helper, which compiles and has a minimal function.

mod templates;

use std::collections::BTreeMap;

use aris_contract::policy::Policy;
use clap::builder::PossibleValuesParser;

use crate::cargo;
use crate::fault::Fault;
use crate::sync;
use crate::verify::is_kebab;
use crate::workspace::{TABLE, Workspace};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Name of the helper, crate and binary, in `snake_case`
    name: String,
    /// Skill that owns it: a folder in skills with a SKILL.md
    #[arg(long, value_name = "SKILL")]
    owner: String,
    /// What a caller does when it is missing or fails
    #[arg(long, value_parser = PossibleValuesParser::new(Policy::ALL.map(Policy::letter)))]
    policy: String,
}

/// Files to write, by path relative to the workspace's root.
type Files = BTreeMap<String, String>;

/// Creates the helper and updates all generated files.
pub(crate) fn run(workspace: &Workspace, args: &Args) -> Result<u8, Fault> {
    for (path, mut text) in files(workspace, args)? {
        let rust = std::path::Path::new(&path)
            .extension()
            .is_some_and(|extension| extension == "rs");
        if rust {
            // Line breaks depend on the length of the name.
            text = cargo::rustfmt(workspace, text)?;
        }
        let target = workspace.at(&path);
        if let Some(folder) = target.parent() {
            aris_fs::create_dir(folder)?;
        }
        aris_fs::write_atomic(&target, text.as_bytes())?;
        println!("wrote {path}");
    }
    let left = sync::run(&Workspace::load(&workspace.root)?, false)?;
    println!(
        "next: give rationale and fallback in {TABLE} their text, replace the sample product, and add the helper's cases \
         to tests/flows/conformance; then cargo xtask schemas, cargo xtask sync, cargo xtask verify"
    );
    Ok(left)
}

/// New and changed files of the helper. Existing files are left alone, except the lists that name every helper.
fn files(workspace: &Workspace, args: &Args) -> Result<Files, Fault> {
    let Args {
        name,
        owner,
        policy,
    } = args;
    let snake = is_kebab(&name.replace('_', "-"))
        && !name.contains('-')
        && !name.starts_with(|c: char| c.is_ascii_digit());
    if !snake {
        return Err(Fault::new(format!("{name:?} is not snake_case")));
    }
    if workspace
        .rows
        .iter()
        .any(|row| row.names().any(|known| known == name))
        || workspace.at(&format!("crates/{name}")).exists()
    {
        return Err(Fault::new(format!("there is a helper {name} already")));
    }
    if !workspace.at(&format!("skills/{owner}/SKILL.md")).is_file() {
        return Err(Fault::new(format!(
            "skills/{owner}/SKILL.md does not exist; the owner of a helper is a skill"
        )));
    }
    let mut files: Files = templates::CRATE
        .iter()
        .map(|(path, text)| {
            (
                format!("crates/{name}/{path}"),
                text.replace("@NAME@", name),
            )
        })
        .collect();
    files.insert(
        format!("schemas/aris.{name}.words.v1.json"),
        templates::SCHEMA.replace("@NAME@", name),
    );
    let row = format!(
        "[[helper]]\nname = \"{name}\"\naliases = []\nowner = \"{owner}\"\ncallers = [\"{owner}\"]\njob = \"other\"\n\
         brief = \"not described yet\"\npolicy = \"{policy}\"\nrationale = \"Not written yet: why this policy\"\nfallback = \"Not written yet: what a caller does without it\"\n"
    );
    let at = |path: &str| aris_fs::read_text(&workspace.at(path));
    let table = at(TABLE)?;
    // The row of a helper that was not shipped keeps its text and only loses this line.
    let promised = format!("name = \"{name}\"\nshipped = false\n");
    let table = if table.contains(&promised) {
        table.replace(&promised, &format!("name = \"{name}\"\n"))
    } else {
        with_row(&table, name, &row)
    };
    files.insert(TABLE.to_owned(), table);
    let ban = format!(
        "    {{ crate = \"{name}\", reason = \"helpers do not import helpers\", wrappers = [\"aris\"] }},"
    );
    files.insert(
        String::from("deny.toml"),
        with_ban(&at("deny.toml")?, &ban)?,
    );
    let map = at("crates/README.md")?;
    files.insert(
        String::from("crates/README.md"),
        with_map_line(&map, name, owner),
    );
    Ok(files)
}

/// The table with `row` inserted before the first row with a greater name. Comments stay with the row below them.
fn with_row(table: &str, name: &str, row: &str) -> String {
    let head = "[[helper]]\nname = \"";
    let other = |at: usize| table.get(at + head.len()..)?.split('"').next();
    let mut rows = table.match_indices(head).map(|(at, _)| at);
    match rows.find(|at| other(*at) > Some(name)) {
        Some(at) => {
            let mut table = table.to_owned();
            table.insert_str(at, &format!("{row}\n"));
            table
        }
        None => format!("{}\n\n{row}", table.trim_end()),
    }
}

/// `deny.toml` with `line` added to the end of the list of bans.
fn with_ban(text: &str, line: &str) -> Result<String, Fault> {
    let (head, rest) = text.split_once("\ndeny = [\n").unwrap_or_default();
    let Some((bans, tail)) = rest.split_once("\n]\n") else {
        let what = "deny.toml has no list `deny = [` that ends in a line `]`";
        return Err(Fault::new(what));
    };
    Ok(format!("{head}\ndeny = [\n{bans}\n{line}\n]\n{tail}"))
}

/// The map with a line for the helper in its sorted list.
fn with_map_line(map: &str, name: &str, owner: &str) -> String {
    let line = format!("* `{name}`: helper of the skill {owner}; not described yet.");
    let mut lines: Vec<&str> = map.lines().collect();
    let is_heading = |line: &&str| line.starts_with("## ");
    let begin = lines.iter().position(|line| *line == "## Helpers");
    let begin = begin.map_or(lines.len(), |at| at + 1);
    let section = lines[begin..].iter().take_while(|line| !is_heading(line));
    let later = |line: &&str| {
        let other = line
            .strip_prefix("* `")
            .and_then(|rest| rest.split('`').next());
        other > Some(name)
    };
    let at = section.clone().position(later);
    // After the last helper there is an empty line already.
    let last = section
        .collect::<Vec<_>>()
        .iter()
        .rposition(|line| !line.is_empty());
    let at = at.or(last.map(|last| last + 1)).unwrap_or(0);
    lines.insert(begin + at, &line);
    lines.join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::Tree;

    fn args(name: &str, owner: &str) -> Args {
        Args {
            name: name.to_owned(),
            owner: owner.to_owned(),
            policy: String::from("E"),
        }
    }

    #[test]
    fn the_map_names_a_new_helper_among_the_helpers() {
        let map = "# M\n\n* `lib`: x.\n\n## Helpers\n\n* `b`: x\n  more.\n* `d`: x.\n\n## Rest\n\n* `z` y\n";
        for (name, expected) in [
            ("a", "## Helpers\n\n* `a`: "),
            ("c", "  more.\n* `c`: "),
            ("e", "* `d`: x.\n* `e`: "),
        ] {
            let made = with_map_line(map, name, "owner");
            assert!(made.contains(expected), "{made}");
            assert_eq!(made.lines().count(), map.lines().count() + 1, "{made}");
            assert!(made.contains("\n\n## Rest\n\n* `z` y\n"), "{made}");
        }
    }

    #[test]
    fn a_helper_comes_with_everything_the_rules_ask_for() {
        let tree = Tree::new();
        let made = files(&tree.workspace(), &args("a_helper", "tool-skill")).expect("files");
        let paths: Vec<&str> = made.keys().map(String::as_str).collect();
        assert_eq!(
            paths,
            [
                "crates/README.md",
                "crates/a_helper/Cargo.toml",
                "crates/a_helper/src/cli.rs",
                "crates/a_helper/src/error.rs",
                "crates/a_helper/src/lib.rs",
                "crates/a_helper/src/main.rs",
                "crates/a_helper/src/report.rs",
                "crates/a_helper/tests/cli.rs",
                "deny.toml",
                "schemas/aris.a_helper.words.v1.json",
                TABLE,
            ]
        );
        for (path, text) in &made {
            assert!(!text.contains("@NAME@"), "{path}");
            tree.write(path, text);
        }
        let workspace = tree.workspace();
        let names: Vec<&str> = workspace.rows.iter().map(|row| row.name.as_str()).collect();
        assert_eq!(names, ["a_helper", "tool"]);
        // The dependencies of the new crate exist in this workspace.
        let real = aris_fs::read_text(&crate::workspace::root().join("Cargo.toml"))
            .expect("the root manifest");
        let real = toml_edit::Document::parse(real).expect("a manifest");
        let manifest = toml_edit::Document::parse(made["crates/a_helper/Cargo.toml"].as_str())
            .expect("a manifest");
        for section in ["dependencies", "dev-dependencies"] {
            for (name, _) in manifest[section].as_table().expect("a table") {
                assert!(
                    real["workspace"]["dependencies"].get(name).is_some(),
                    "{name}"
                );
            }
        }
        // Launcher and contract are missing, because they come from `sync`, which needs a built helper.
        let findings = crate::verify::structure(&workspace).expect("read");
        let missing: Vec<&str> = findings
            .iter()
            .map(|finding| finding.path.as_str())
            .collect();
        assert_eq!(
            missing,
            [
                "skills/tool-skill/scripts/a_helper",
                "skills/tool-skill/scripts/a_helper.contract.json"
            ]
        );
    }

    #[test]
    fn a_helper_that_the_contract_promised_keeps_its_row() {
        let tree = Tree::new();
        tree.append(
            TABLE,
            "\n[[helper]]\nname = \"wiki\"\nshipped = false\naliases = [\"wiki.py\"]\nowner = \"tool-skill\"\n\
             callers = [\"tool-skill\"]\npolicy = \"B\"\nrationale = \"why\"\nfallback = \"what\"\n",
        );
        assert!(tree.workspace().row("wiki").is_none());
        let made = files(&tree.workspace(), &args("wiki", "tool-skill")).expect("files");
        tree.write(TABLE, &made[TABLE]);
        let workspace = tree.workspace();
        let row = workspace.row("wiki").expect("shipped now");
        assert_eq!(
            (row.aliases.as_slice(), workspace.rows.len()),
            ([String::from("wiki.py")].as_slice(), 2)
        );
    }

    #[test]
    fn names_that_are_taken_or_no_names_are_refused() {
        let tree = Tree::new();
        for (name, owner, why) in [
            ("tool", "tool-skill", "already"),
            ("tool.sh", "tool-skill", "not snake_case"),
            ("Tool", "tool-skill", "not snake_case"),
            ("../x", "tool-skill", "not snake_case"),
            ("2nd", "tool-skill", "not snake_case"),
            ("new", "nobody", "does not exist"),
        ] {
            let fault = files(&tree.workspace(), &args(name, owner)).expect_err(name);
            assert!(fault.to_string().contains(why), "{name}: {fault}");
        }
    }

    #[test]
    fn rows_stay_sorted() {
        let table = "# head\n\n[[helper]]\nname = \"b\"\n\n[[helper]]\nname = \"d\"\n";
        for (name, expected) in [("a", "abd"), ("c", "bcd"), ("e", "bde")] {
            let text = with_row(table, name, &format!("[[helper]]\nname = \"{name}\"\n"));
            let names: String = text
                .lines()
                .filter_map(|line| line.strip_prefix("name = \"")?.chars().next())
                .collect();
            assert_eq!(names, expected, "{text}");
            assert!(text.starts_with("# head\n"), "{text}");
        }
    }
}
