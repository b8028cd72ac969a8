//! Every call that a skill documents, as a reader makes it: from an installed copy in which no file is executable, under each
//! shell.
//!
//! A fence marked `sh` is such a call. What a program prints, or an excerpt that is no call, is marked as something else. A fence
//! of a new skill is run as it stands and must leave with 0; what it needs beyond the example paper stands in [`NEEDS`].

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use aris_contract::helpers;
use aris_testkit::{Answer, Helper, Project, Run, Server, workspace_root};

const EXAMPLE: &str = "skills/paper-writing/assets/example";

/// What a fence needs, and how it leaves, where that is not 0.
struct Need {
    /// The file, below `skills/`, and a line of the fence.
    file: &'static str,
    line: &'static str,
    /// Exit codes that are right, for each call of the fence.
    codes: &'static [&'static [i32]],
    /// Whether it says that something is missing.
    warns: bool,
    /// Made in the project before.
    prepare: fn(&Place),
}

fn nothing(_: &Place) {}

/// A project with the skills installed, and services that know no paper.
struct Place {
    project: Project,
    services: Server,
    /// Environment variables that lead helpers to the services.
    variables: Vec<String>,
}

const NEEDS: &[Need] = &[
    Need {
        file: "arxiv/SKILL.md",
        line: "if [ -n \"$ARXIV_FETCHER\" ] && sh",
        codes: &[&[0]],
        warns: true,
        prepare: nothing,
    },
    Need {
        file: "arxiv/SKILL.md",
        line: "sh \"$ARXIV_FETCHER\" search \"au:Vaswani",
        codes: &[&[7], &[7], &[7], &[7]],
        warns: false,
        prepare: nothing,
    },
    Need {
        file: "arxiv/SKILL.md",
        line: "sh \"$ARXIV_FETCHER\" download",
        codes: &[&[3], &[3]],
        warns: false,
        prepare: nothing,
    },
    Need {
        file: "contract-check/SKILL.md",
        line: "if sh \"$CONTRACT_CHECK\" run semantic_scholar_fetch",
        // No source answers.
        codes: &[&[1]],
        warns: true,
        prepare: nothing,
    },
    Need {
        file: "paper-claim-audit/SKILL.md",
        line: "sh \"$CLAIM_AUDITOR\" paper/ --suggest-pins",
        codes: &[&[0], &[0]],
        warns: false,
        // The second call reads what the first wrote.
        prepare: nothing,
    },
    Need {
        file: "paper-writing/SKILL.md",
        line: "exit \"$GATE_STATUS\"",
        codes: &[&[1]],
        warns: false,
        // No audit was made: the gate blocks.
        prepare: nothing,
    },
    Need {
        file: "review-tracing/SKILL.md",
        line: "if [ -n \"$TRACE_HELPER\" ] && TRACE_PATH=",
        codes: &[&[0]],
        warns: false,
        prepare: |place| {
            for path in ["prompt.md", "response.md", "results/run_1.json"] {
                place.project.write(&format!("project/{path}"), "{}\n");
            }
        },
    },
    Need {
        file: "review-tracing/references/trace-layout.md",
        line: "sha256sum run.meta.json",
        codes: &[&[0]],
        warns: false,
        prepare: |place| {
            let args = "--skill paper-claim-audit --purpose claim-review --model m --thread-id t --executor e --prompt p --response r --run-id 2026-04-21_run01";
            let script = format!("sh .aris/tools/save_trace {args}");
            place.shell("/bin/sh", &script, None).expect_code(0);
        },
    },
    Need {
        file: "skill-lint/SKILL.md",
        line: "sh \"$SKILL_LINT\" --explain SR110",
        codes: &[&[0], &[0], &[10], &[10, 2]],
        warns: false,
        // The installed skills are part of the project, and their scripts have lost the execute bit. The superuser may not run them.
        prepare: nothing,
    },
];

/// What shells say of a text that is no script of theirs.
const COMPLAINTS: [&str; 4] = [
    ": not found",
    "command not found",
    "unexpected",
    "yntax error",
];

/// One call or script of a skill's text.
struct Fence {
    file: String,
    line: usize,
    /// Resolver blocks above it in the same skill, which set the variables it uses.
    before: String,
    text: String,
}

impl Fence {
    /// A list of calls is taken line by line, so that each shows its exit code; a script as a whole.
    fn calls(&self) -> Vec<String> {
        let lines: Vec<&str> = self
            .text
            .lines()
            .filter(|line| !line.trim().is_empty())
            .collect();
        if lines.iter().all(|line| line.starts_with("sh \"$")) {
            lines
                .iter()
                .map(|line| format!("{}\n{line}\n", self.before))
                .collect()
        } else {
            vec![format!("{}\n{}", self.before, self.text)]
        }
    }
}

#[test]
fn every_documented_call_runs_where_no_file_is_executable() {
    let place = Place {
        project: installed(),
        services: Server::start(|_| Answer::status(404)),
        variables: variables(),
    };
    let fences = fences();
    for need in NEEDS {
        let found = fences.iter().filter(|fence| matches(need, fence)).count();
        assert_eq!(found, 1, "{}: {}", need.file, need.line);
    }
    let mut failed = Vec::new();
    // A host that fills in the skill's directory, and others that show the text as it is.
    for (shell_path, fills_in) in [
        ("/bin/sh", true),
        ("/bin/dash", false),
        ("/bin/bash", false),
    ] {
        if !Path::new(shell_path).is_file() {
            println!("not tried: no {shell_path} on this machine");
            continue;
        }
        for fence in &fences {
            let skill = fence.file.split('/').next().unwrap_or_default();
            let folder = place.project.at(&format!("project/.claude/skills/{skill}"));
            let folder = fills_in.then_some(folder.as_path());
            failed.extend(check(&place, fence, shell_path, folder).err());
        }
    }
    let advice = "mend the text, or say in NEEDS what the fence needs and how it leaves";
    assert!(failed.is_empty(), "{}\n\n{advice}", failed.join("\n\n"));
}

fn matches(need: &Need, fence: &Fence) -> bool {
    need.file == fence.file
        && fence
            .text
            .lines()
            .any(|line| line.trim_start().starts_with(need.line))
}

fn check(
    place: &Place,
    fence: &Fence,
    shell_path: &str,
    folder: Option<&Path>,
) -> Result<(), String> {
    let need = NEEDS.iter().find(|need| matches(need, fence));
    let calls = fence.calls();
    let codes = need.map_or_else(
        || vec![[0].as_slice(); calls.len()],
        |need| need.codes.to_vec(),
    );
    let when = format!(
        "{} line {} under {shell_path}, folder {folder:?}",
        fence.file, fence.line
    );
    if codes.len() != calls.len() {
        return Err(format!(
            "{when}: {} calls and {} exit codes",
            calls.len(),
            codes.len()
        ));
    }
    fresh(&place.project);
    if let Some(need) = need {
        (need.prepare)(place);
    }
    for (call, codes) in calls.iter().zip(codes) {
        let run = place.shell(shell_path, call, folder);
        let complaint = COMPLAINTS.iter().find(|word| run.stderr().contains(*word));
        let warning = run
            .stderr()
            .lines()
            .find(|line| line.starts_with("WARN") || line.starts_with("ERROR"));
        let is_as_said =
            complaint.is_none() && warning.is_some() == need.is_some_and(|need| need.warns);
        if !codes.contains(&run.code()) || !is_as_said {
            return Err(format!(
                "{when}: expected exit {codes:?}, complaint {complaint:?}, warning {warning:?}\n{call}\n{run}"
            ));
        }
    }
    Ok(())
}

impl Place {
    /// Runs a script in the project, with the skill's folder filled in.
    fn shell(&self, path: &str, script: &str, folder: Option<&Path>) -> Run {
        let script = folder.map_or_else(
            || script.to_owned(),
            |folder| script.replace("${CLAUDE_SKILL_DIR}", &folder.display().to_string()),
        );
        let cwd = self.project.at("project");
        let mut call = Helper::at(path).call(cwd).args(["-c", &script]);
        for variable in &self.variables {
            call = call.env(variable, self.services.url());
        }
        call.env("HOME", self.project.at("home")).run()
    }
}

/// The variables that name another address for a service, as the sources' own list has them.
fn variables() -> Vec<String> {
    let path = workspace_root().join("crates/aris-sources/src/hosts.rs");
    let text = fs::read_to_string(path).expect("hosts.rs");
    let found: Vec<String> = text
        .lines()
        .filter_map(|line| {
            line.trim()
                .strip_prefix("base_variable: \"")?
                .strip_suffix("\",")
        })
        .map(str::to_owned)
        .collect();
    assert!(found.len() > 4, "{found:?}");
    found
}

/// Skills and helpers as a download leaves them: every file at mode 0644; installed as copies into `project/`.
fn installed() -> Project {
    let project = Project::bare().file("project/.git/HEAD", "ref: refs/heads/main\n");
    let cp = |from: &Path, to: &Path| {
        let call = Helper::at("/bin/cp").call(project.path());
        call.args(["-R".as_ref(), from.as_os_str(), to.as_os_str()])
            .run()
            .expect_code(0);
    };
    for folder in ["home", "source", "first"] {
        fs::create_dir_all(project.at(folder)).expect("folder");
    }
    cp(&workspace_root().join("skills"), &project.at("source"));
    let system = if cfg!(target_os = "macos") {
        "apple-darwin"
    } else {
        "unknown-linux-gnu"
    };
    for row in helpers::all() {
        let bin = project.at(&format!("source/skills/{}/scripts/bin", row.owner));
        fs::create_dir_all(&bin).expect("folder");
        let musl = bin.join(format!(
            "{}-{}-unknown-linux-musl",
            row.name,
            std::env::consts::ARCH
        ));
        if musl.exists() {
            fs::remove_file(&musl).expect("another build");
        }
        let binary = bin.join(format!("{}-{}-{system}", row.name, std::env::consts::ARCH));
        cp(Helper::with_faults(row.name).path(), &binary);
    }
    not_executable(&project.at("source"));
    let script = "sh ../source/skills/install-aris/scripts/install_aris . --mode copy --host claude,codex --no-doc --quiet";
    let call = Helper::at("/bin/sh").call(project.at("project"));
    call.args(["-c", script])
        .env("HOME", project.at("home"))
        .run()
        .expect_code(0);
    project
}

/// The project's own files as the example paper has them, and every installed file at mode 0644.
fn fresh(project: &Project) {
    let keep = [".git", ".agents", ".claude", ".aris"];
    for entry in fs::read_dir(project.at("project")).expect("project") {
        let path = entry.expect("entry").path();
        if path.is_dir() && !keep.iter().any(|name| path.ends_with(name)) {
            fs::remove_dir_all(&path).expect("removed");
        }
    }
    for made in ["project/.aris/traces", "project/.aris/meta"] {
        if project.at(made).exists() {
            fs::remove_dir_all(project.at(made)).expect("removed");
        }
    }
    let example = workspace_root().join(EXAMPLE);
    let call = Helper::at("/bin/cp").call(project.path());
    let from = ["paper", "results"].map(|folder| example.join(folder));
    call.args([
        "-R".into(),
        from[0].clone(),
        from[1].clone(),
        project.at("project"),
    ])
    .run()
    .expect_code(0);
    project.write(
        "project/skills/my-skill/SKILL.md",
        "---\nname: my-skill\ndescription: \"Counts words in a text. Use when the user asks how long a text is.\"\nlicense: MIT\n---\n\n# My skill\n\nCount the words.\n",
    );
    not_executable(&project.at("project"));
}

fn not_executable(folder: &Path) {
    for entry in fs::read_dir(folder).expect("folder") {
        let entry = entry.expect("entry");
        let kind = entry.file_type().expect("type");
        if kind.is_dir() {
            not_executable(&entry.path());
        } else if kind.is_file() {
            fs::set_permissions(entry.path(), fs::Permissions::from_mode(0o644)).expect("mode");
        }
    }
}

/// The fences of every skill's texts, in order.
fn fences() -> Vec<Fence> {
    let root = workspace_root().join("skills");
    let mut all = Vec::new();
    for skill in sorted(&root) {
        let mut blocks = String::new();
        // References use the variables that SKILL.md sets.
        for file in [
            vec![skill.join("SKILL.md")],
            sorted(&skill.join("references")),
        ]
        .concat()
        {
            if file.extension().is_none_or(|extension| extension != "md") || !file.is_file() {
                continue;
            }
            let name = file
                .strip_prefix(&root)
                .expect("below")
                .display()
                .to_string();
            for (line, language, text) in of_text(&fs::read_to_string(&file).expect("text")) {
                if language != "sh" {
                    let known = ["", "json", "toml", "yaml", "text", "latex", "bibtex"]
                        .contains(&language.as_str());
                    assert!(
                        known,
                        "{name} line {line}: what is a fence of {language:?}?"
                    );
                    let call = text
                        .lines()
                        .find(|line| line.starts_with("sh ") || line.starts_with("$ "));
                    assert_eq!(
                        call, None,
                        "{name} line {line}: a call in a fence that is not marked sh"
                    );
                    continue;
                }
                all.push(Fence {
                    file: name.clone(),
                    line,
                    before: blocks.clone(),
                    text: text.clone(),
                });
                blocks.push_str(&resolvers(&text));
            }
        }
    }
    assert!(all.len() > 10, "{} fences only", all.len());
    all
}

fn sorted(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("entry").path()).collect();
    paths.sort();
    paths
}

/// Line, language and text of each fence, without its indentation.
fn of_text(text: &str) -> Vec<(usize, String, String)> {
    let mut found = Vec::new();
    let mut open: Option<(usize, usize, String, String)> = None;
    for (number, line) in text.lines().enumerate() {
        let inner = line.trim_start();
        match open.take() {
            None => {
                if let Some(language) = inner.strip_prefix("```") {
                    open = Some((
                        number + 1,
                        line.len() - inner.len(),
                        language.trim().to_owned(),
                        String::new(),
                    ));
                }
            }
            Some((at, _, language, text)) if inner.trim_end() == "```" => {
                found.push((at, language, text));
            }
            Some((at, indent, language, mut text)) => {
                text.push_str(line.get(indent..).unwrap_or_default());
                text.push('\n');
                open = Some((at, indent, language, text));
            }
        }
    }
    assert!(open.is_none(), "a fence does not end");
    found
}

/// The resolver blocks of a fence.
fn resolvers(text: &str) -> String {
    let mut inside = false;
    let mut found = String::new();
    for line in text.lines() {
        inside |= line.starts_with("# aris-resolver v2:");
        if inside {
            found.extend([line, "\n"]);
        }
        inside &= line != "# aris-resolver end";
    }
    found
}

#[test]
fn fences_are_found_with_their_language_and_without_their_indentation() {
    let found = of_text("a\n```sh\nx\n  y\n```\n   ```json\n   {\n   }\n   ```\n```\nz\n```\n");
    let expected = [
        (2, "sh", "x\n  y\n"),
        (6, "json", "{\n}\n"),
        (10, "", "z\n"),
    ];
    assert_eq!(
        found,
        expected.map(|(line, language, text)| (line, language.to_owned(), text.to_owned()))
    );
}
