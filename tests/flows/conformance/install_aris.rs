//! Cases of `install_aris`.

use aris_testkit::Project;

use super::cases::{Call, Cases, Hostile, Unwritable};

pub(crate) const CASES: Cases = Cases {
    helper: "install_aris",
    project: || {
        Project::new()
            .file(
                "source/skills/reading/SKILL.md",
                "---\nname: reading\n---\n",
            )
            .file("source/skills/shared-references/helpers.toml", "")
            .file("paper/CLAUDE.md", "Mine.\n")
            .file("damaged/.aris/install.json", "{\"schema\": \"none\"}\n")
            .file("taken/.claude/skills/reading/mine.md", "Mine.\n")
    },
    calls: &[
        Call {
            what: "copies for three hosts",
            args: &[
                "paper",
                "--aris-repo",
                "source",
                "--mode",
                "copy",
                "--host",
                "claude,codex,cursor",
            ],
            code: 0,
        },
        Call {
            what: "nothing to remove",
            args: &["paper", "--uninstall"],
            code: 0,
        },
        Call {
            what: "a plan",
            args: &["paper", "--aris-repo", "source", "--dry-run"],
            code: 10,
        },
        Call {
            what: "a skill that is the user's",
            args: &["taken", "--aris-repo", "source"],
            code: 10,
        },
        Call {
            what: "an absent source",
            args: &["paper", "--aris-repo", "nowhere"],
            code: 3,
        },
        Call {
            what: "nothing to reconcile",
            args: &["paper", "--aris-repo", "source", "--reconcile"],
            code: 3,
        },
        Call {
            what: "a damaged record",
            args: &["damaged", "--aris-repo", "source"],
            code: 4,
        },
    ],
    incomplete: &[
        &["paper", "--aris-repo"],
        &["paper", "--host", "vim"],
        &["paper", "--mode", "hardlink"],
        &["paper", "--purge"],
        &["paper", "--uninstall", "--update"],
        &["paper", "--user"],
    ],
    open_ended: false,
    unwritable: &[
        Unwritable {
            what: "a file where the records go",
            prepare: |project| project.write("paper/.aris", "in the way"),
            args: &["paper", "--aris-repo", "source"],
        },
        Unwritable {
            what: "a folder where the journal goes",
            prepare: |project| project.write("paper/.aris-install.journal/x", "in the way"),
            args: &["paper", "--aris-repo", "source"],
        },
    ],
    hostile: &[
        Hostile {
            path: "paper/.aris/install.json",
            args: &["paper", "--aris-repo", "source"],
            huge: 4,
            fifo: 4,
        },
        Hostile {
            path: "paper/.aris/installed-skills.txt",
            args: &["paper", "--aris-repo", "source"],
            huge: 4,
            fifo: 4,
        },
        Hostile {
            path: "source/skills/shared-references/helpers.toml",
            args: &["paper", "--aris-repo", "source"],
            huge: 4,
            fifo: 4,
        },
        Hostile {
            path: "paper/AGENTS.md",
            args: &["paper", "--aris-repo", "source", "--host", "codex"],
            huge: 0,
            fifo: 0,
        },
    ],
    repeat_adds: Some("the second run says that nothing is left to do"),
};
