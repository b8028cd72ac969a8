#![allow(clippy::disallowed_methods, reason = "tests prepare files directly")]

use std::fs;
use std::time::Duration;

use super::*;
use crate::verify::tree::Tree;

fn block_of(owner: bool) -> String {
    format!(
        "set -eu\n{}printf '%s' \"$TOOL\"\n",
        block("TOOL", "tool", owner)
    )
}

#[test]
fn blocks_are_renewed_and_everything_else_stays() {
    let tree = Tree::new();
    let workspace = tree.workspace();
    let before = "text\n  ```sh\n  # aris-resolver v2: TOOL tool\n  old\n  # aris-resolver end\n  sh \"$TOOL\" x\n  ```\nend";
    let owner = renewed(&workspace, "skills/tool-skill/SKILL.md", before).expect("renewed");
    assert!(
        owner.starts_with("text\n  ```sh\n  # aris-resolver v2: TOOL tool\n  TOOL=\"\"\n"),
        "{owner}"
    );
    assert!(
        owner.ends_with("\n  # aris-resolver end\n  sh \"$TOOL\" x\n  ```\nend"),
        "{owner}"
    );
    assert!(
        owner.contains("${CLAUDE_SKILL_DIR}") && !owner.contains("old"),
        "{owner}"
    );
    assert_eq!(
        renewed(&workspace, "skills/tool-skill/SKILL.md", &owner).expect("again"),
        owner
    );
    // Layer 0 is for the owner, and for SKILL.md: hosts replace the variable nowhere else.
    for other in ["skills/other/SKILL.md", "skills/tool-skill/references/x.md"] {
        let text = renewed(&workspace, other, before).expect("renewed");
        assert!(!text.contains("CLAUDE_SKILL_DIR"), "{other}: {text}");
    }
}

#[test]
fn broken_markers_are_named_with_their_line() {
    let tree = Tree::new();
    for (text, line, what) in [
        ("a\n# aris-resolver end\n", 2, "without a beginning"),
        ("# aris-resolver v2: TOOL tool\nx\n", 1, "not closed"),
        (
            "# aris-resolver v2: TOOL tool\nx\n```\n# aris-resolver end\n",
            1,
            "not closed",
        ),
        (
            "# aris-resolver v2: TOOL nothing\n# aris-resolver end\n",
            1,
            "not in the helper table",
        ),
        (
            "# aris-resolver v2: tool tool\n# aris-resolver end\n",
            1,
            "shell variable",
        ),
        (
            "# aris-resolver v2: TOOL\n# aris-resolver end\n",
            1,
            "write `",
        ),
        (
            "# aris-resolver v1: TOOL tool\n# aris-resolver end\n",
            1,
            "not a resolver marker",
        ),
    ] {
        let stale = renewed(&tree.workspace(), "skills/x/SKILL.md", text).expect_err(text);
        assert_eq!(stale.line, line, "{text}");
        assert!(stale.what.contains(what), "{}", stale.what);
    }
}

#[test]
fn no_block_has_a_digit_after_a_dollar() {
    for owner in [true, false] {
        let text = block("TOOL", "tool", owner);
        assert!(
            !text
                .as_bytes()
                .windows(2)
                .any(|pair| pair[0] == b'$' && pair[1].is_ascii_digit()),
            "{text}"
        );
    }
}

#[test]
fn the_block_walks_the_layers_in_order_in_both_shells() {
    let folder = tempfile::Builder::new()
        .prefix("a b ")
        .tempdir()
        .expect("temp");
    let root = folder.path().canonicalize().expect("real");
    let layers = [
        "skill/scripts/tool",
        "project/.aris/tools/tool",
        "project/tools/tool",
        "repo/tools/tool",
    ];
    for layer in layers {
        fs::create_dir_all(root.join(layer).parent().expect("folder")).expect("folders");
        fs::write(root.join(layer), "").expect("write");
    }
    let project = root.join("project");
    let find = |shell: &str, owner: bool, repository: bool| {
        let mut command = aris_proc::command(shell, &project)
            .arg("-s")
            .stdin(block_of(owner));
        command = command
            .env("CLAUDE_SKILL_DIR", root.join("skill"))
            .env_remove("ARIS_REPO");
        command = command.env("GIT_CEILING_DIRECTORIES", &root);
        if repository {
            command = command.env("ARIS_REPO", root.join("repo"));
        }
        let done = command.run(Duration::from_secs(20)).expect("ran");
        assert!(done.success(), "{shell}: {}", done.stderr.text());
        done.stdout
            .text()
            .replace(&format!("{}/", root.display()), "")
    };
    let shells = ["sh", "bash"];
    for shell in shells {
        assert_eq!(find(shell, true, true), layers[0]);
        assert_eq!(find(shell, false, true), layers[1]);
    }
    fs::remove_file(root.join(layers[1])).expect("remove");
    for shell in shells {
        assert_eq!(find(shell, false, true), layers[2]);
    }
    fs::remove_file(root.join(layers[2])).expect("remove");
    let manifest = project.join(".aris/installed-skills.txt");
    fs::write(
        &manifest,
        format!(
            "version\t1\nrepo_root\t{}\nproject_root\tx\n",
            root.join("repo").display()
        ),
    )
    .expect("write");
    for shell in shells {
        assert_eq!(find(shell, false, true), layers[3]);
        assert_eq!(
            find(shell, false, false),
            layers[3],
            "the manifest names the repository"
        );
    }
    fs::remove_file(manifest).expect("remove");
    for shell in shells {
        assert_eq!(find(shell, false, false), "");
    }
    // A host that replaces the text puts the folder between the quotes.
    let replaced = block_of(true).replace(
        "'${CLAUDE_SKILL_DIR}'",
        &format!("'{}/skill'", root.display()),
    );
    let command = aris_proc::command("sh", &project)
        .arg("-s")
        .stdin(replaced)
        .env_remove("CLAUDE_SKILL_DIR");
    let done = command
        .env_remove("ARIS_REPO")
        .run(Duration::from_secs(20))
        .expect("ran");
    assert_eq!(
        done.stdout.text(),
        format!("{}/skill/scripts/tool", root.display())
    );
}
