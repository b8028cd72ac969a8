//! Follows the instructions of the skills as a host does: each call in a new shell, in the project's root, in an installed copy
//! without executable files, under each shell.
//!
//! A call is a fence marked `sh`, or a table cell that begins like a call. A text is processed from its top: files that it says
//! to write are written, and files that a call leaves stay. A call exits with 0, or with a code that [`NEEDS`] lists and the
//! skill explains.

mod fences;
mod needs;

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;

use aris_contract::helpers;
use aris_testkit::{Answer, Helper, Project, Run, Server, brought, workspace_root};

use fences::{CALL, Page, What, pages};
use needs::NEEDS;

const EXAMPLE: &str = "skills/paper-writing/assets/example";

/// Beginning of the first line of the block that looks for helpers, for projects without an installation.
const FIND: &str = "# aris-find: ";

/// A project with the skills installed, and services without any paper.
struct Place {
    project: Project,
    services: Server,
    /// Environment variables with the services' addresses.
    variables: Vec<String>,
}

/// Deadline of a call: debug builds, several tests in parallel, and a linter that starts every script.
const PATIENCE: Duration = Duration::from_mins(4);

/// Messages of shells about a malformed or incomplete script.
const COMPLAINTS: [&str; 7] = [
    ": not found",
    "command not found",
    "unexpected",
    "yntax error",
    "cannot open",
    "parameter not set",
    "unbound variable",
];

/// Every entry of `NEEDS` belongs to a call.
#[test]
fn every_need_is_of_a_call() {
    let pages = pages();
    for need in NEEDS {
        let scripts = pages.iter().flat_map(|page| {
            let scripts = page.steps.iter().filter_map(|step| step.what.script());
            scripts.map(|script| (page.file.as_str(), script))
        });
        let found = scripts
            .filter(|(file, script)| need.is_of(file, script))
            .count();
        assert!(found > 0, "{}: {}", need.file, need.call);
    }
}

/// A host asks the user for each command that is not allowed, and a fence with two commands counts as two.
#[test]
fn a_skill_has_one_literal_call_in_each_fence_and_allows_exactly_these() {
    let pages = pages();
    for page in pages.iter().filter(|page| page.is_skill_md()) {
        // Calls in the skill's references count too.
        let mut called: BTreeSet<&str> = pages
            .iter()
            .filter(|other| other.skill() == page.skill() && !other.is_skill_md())
            .flat_map(|other| &other.steps)
            .filter_map(|step| step.what.script()?.strip_prefix(CALL))
            .filter_map(|call| call.split_whitespace().next())
            .collect();
        let mut seen = BTreeSet::new();
        let mut found = None;
        for step in &page.steps {
            let Some(script) = step.what.script() else {
                continue;
            };
            let when = format!("{} line {}", page.file, step.line);
            assert!(
                seen.insert(script),
                "{when}: stands here for the second time"
            );
            if let Some(rest) = script.strip_prefix(FIND) {
                found = rest.lines().next();
                continue;
            }
            let call = script
                .strip_prefix(CALL)
                .unwrap_or_else(|| panic!("{when}: {script}"));
            assert_eq!(call.trim_end().lines().count(), 1, "{when}");
            assert!(is_literal(call), "{when}: {call}");
            called.extend(call.split_whitespace().next());
        }
        let found: BTreeSet<&str> = found.expect("a block").split_whitespace().collect();
        assert_eq!(found, called, "{}: the block", page.file);
        let text =
            fs::read_to_string(workspace_root().join("skills").join(&page.file)).expect("text");
        let allowed: Vec<String> = called
            .iter()
            .map(|name| format!("Bash({CALL}{name}:*)"))
            .collect();
        let line = text
            .lines()
            .find_map(|line| line.strip_prefix("allowed-tools: "));
        let line: BTreeSet<&str> = line
            .expect("allowed-tools")
            .split_inclusive(')')
            .map(str::trim)
            .collect();
        assert_eq!(
            line,
            allowed.iter().map(String::as_str).collect(),
            "{}",
            page.file
        );
    }
}

/// Whether a shell only splits the line into words.
fn is_literal(line: &str) -> bool {
    let mut quote = None;
    let mut characters = line.trim_end().chars();
    while let Some(c) = characters.next() {
        match (quote, c) {
            (None | Some('"'), '\\') if quote.is_none() || characters.next() != Some('"') => {
                return false;
            }
            (None, '\'' | '"') => quote = Some(c),
            (Some(open), _) if open == c => quote = None,
            (None, ';' | '&' | '|' | '<' | '>' | '(' | '$' | '#' | '\n')
            | (None | Some('"'), '`') => return false,
            _ => {}
        }
    }
    quote.is_none()
}

/// Two places: where an installer that does not know `.aris` has copied the skills, and a host's own skills folder.
#[test]
fn every_skill_finds_its_helpers_where_only_skills_were_copied() {
    let source = installed();
    let copied = |skills: &str, fills_in: bool| {
        let project = Project::bare().file("project/.git/HEAD", "ref: refs/heads/main\n");
        let target = project.at(skills);
        fs::create_dir_all(target.parent().expect("a parent")).expect("folder");
        let from = source.at("source/skills");
        let call = Helper::at("/bin/cp").call(project.path());
        call.args(["-R".as_ref(), from.as_os_str(), target.as_os_str()])
            .run()
            .expect_code(0);
        // The installer copies only skills.
        fs::remove_dir_all(target.join("shared-references")).expect("removed");
        every_look_up_resolves(&project, fills_in.then_some(&target));
    };
    for host in aris_contract::resolve::HOST_SKILLS {
        copied(&format!("project/{host}"), false);
    }
    copied("a host's cache/plugin/skills", true);
}

/// Runs the block of every skill in `project/`, and each helper that it finds. `skills` is the folder that the host fills in.
pub(crate) fn every_look_up_resolves(project: &Project, skills: Option<&PathBuf>) {
    let (mut found, mut asked) = (0, 0);
    for page in pages().iter().filter(|page| page.is_skill_md()) {
        let scripts = page.steps.iter().filter_map(|step| step.what.script());
        let block: String = scripts.filter(|script| script.starts_with(FIND)).collect();
        asked += named(&block);
        let block = skills.map_or_else(
            || block.clone(),
            |skills| {
                let folder = skills.join(page.skill()).display().to_string();
                block.replace("${CLAUDE_SKILL_DIR}", &folder)
            },
        );
        let sh = |args: &[&str]| {
            let call = Helper::at("/bin/sh").call(project.at("project"));
            call.args(args).env("HOME", project.path()).run()
        };
        for path in sh(&["-c", &block]).stdout().lines() {
            sh(&[path, "--version"]).expect_code(0);
            found += 1;
        }
    }
    println!("{found} of {asked} look-ups resolve; folder that the host fills in: {skills:?}");
    assert!(
        asked > 20 && found == asked,
        "{found} of {asked}: {skills:?}"
    );
}

/// Number of helpers that a block looks for.
fn named(block: &str) -> usize {
    let first = block.lines().next().unwrap_or_default();
    first.split_whitespace().skip(2).count()
}

/// For hosts that fill in the skill's directory.
#[test]
fn every_documented_call_runs_under_sh_where_no_file_is_executable() {
    every_call_runs(&["/bin/sh"], true);
}

// For hosts that show the text unchanged.

#[test]
fn every_documented_call_runs_under_bash_where_no_file_is_executable() {
    every_call_runs(&["/bin/bash", "--posix"], false);
}

#[test]
fn every_documented_call_runs_under_zsh_where_no_file_is_executable() {
    every_call_runs(&["/bin/zsh"], false);
}

fn every_call_runs(shell: &[&str], fills_in: bool) {
    if !Path::new(shell[0]).is_file() {
        println!("skipped: no {} on this machine", shell[0]);
        return;
    }
    let place = Place::new();
    let mut failed = Vec::new();
    let mut calls = 0;
    for page in pages() {
        // Calls of a service are slow, because of its pace, so they run under one shell only. The text around them is the same
        // for all.
        if !fills_in && reaches_the_network(page.skill()) {
            continue;
        }
        fresh(&place.project);
        let folder = format!("project/.claude/skills/{}", page.skill());
        let folder = place.project.at(&folder);
        for step in &page.steps {
            match &step.what {
                What::Write { path, text } => place.project.write(&format!("project/{path}"), text),
                What::Fence(script) | What::Cell(script) => {
                    calls += 1;
                    let folder = fills_in.then_some(folder.as_path());
                    let problem = check(&place, &page, script, shell, folder);
                    let when = format!("{} line {} under {shell:?}", page.file, step.line);
                    failed.extend(problem.map(|problem| format!("{when}: {problem}")));
                }
            }
        }
    }
    let advice = "mend the text, or say in needs.rs what the call needs and how it leaves";
    let count = failed.len();
    assert!(
        failed.is_empty(),
        "{}\n\n{count} of {calls}: {advice}",
        failed.join("\n\n")
    );
    println!("{calls} calls, each in a shell of its own: 0 failed");
    let uninstall = "sh .aris/tools/install_aris --uninstall --quiet";
    place.shell(&["/bin/sh"], uninstall, None).expect_code(0);
    for folder in [".agents", ".claude", ".aris/tools"] {
        assert!(
            !place.project.at(&format!("project/{folder}")).exists(),
            "{folder}"
        );
    }
}

/// Checks one call. Returns what is wrong with it.
fn check(
    place: &Place,
    page: &Page,
    script: &str,
    shell: &[&str],
    folder: Option<&Path>,
) -> Option<String> {
    let need = NEEDS.iter().find(|need| need.is_of(&page.file, script));
    if let Some(need) = need {
        (need.prepare)(place);
    }
    let codes = need.map_or([0].as_slice(), |need| need.codes);
    let run = place.shell(shell, script, folder);
    let complaint = COMPLAINTS.iter().find(|word| run.stderr().contains(*word));
    if !codes.contains(&run.code()) || complaint.is_some() {
        return Some(format!(
            "expected exit {codes:?}, complaint {complaint:?}\n{script}\n{run}"
        ));
    }
    if script.starts_with(FIND) {
        let paths: Vec<&str> = run.stdout().lines().collect();
        let asked = named(script);
        let there = paths
            .iter()
            .filter(|path| Path::new(path).is_file())
            .count();
        return (there != asked).then(|| format!("finds {there} of {asked}\n{run}"));
    }
    let explained = !script.starts_with(CALL) || explains(page.skill(), run.code());
    (!explained).then(|| {
        format!(
            "exits with {}, which the skill does not explain\n{script}",
            run.code()
        )
    })
}

/// Whether a skill explains an exit code: in a table of exit codes, or in a sentence about them.
fn explains(skill: &str, code: i32) -> bool {
    let path = workspace_root().join("skills").join(skill).join("SKILL.md");
    let text = fs::read_to_string(path).expect("text");
    let has = |words: &str| {
        let mut numbers = words.split(|c: char| !c.is_alphanumeric());
        numbers.any(|word| word.parse() == Ok(code))
    };
    let mut in_table = false;
    text.split("\n\n").any(|paragraph| {
        let is_said = paragraph.match_indices("xit ").any(|(at, _)| {
            let rest = paragraph.get(at..).unwrap_or_default();
            has(rest.split("\n\n").next().unwrap_or_default())
        });
        in_table = paragraph.starts_with("| Exit") || paragraph.starts_with("| Code");
        let rows = paragraph
            .lines()
            .filter_map(|row| row.strip_prefix("| ")?.split(" |").next());
        in_table && rows.into_iter().any(has)
            || is_said && !paragraph.starts_with('|')
            || paragraph.contains(&format!("exits with {code}"))
    })
}

/// The answer "no such paper" of each service, where it is known. **Source**: recorded answers.
fn nothing(path: &str) -> Answer {
    let page = match path {
        path if path.starts_with("/works/") => {
            "<!doctype html>\n<html lang=en>\n<title>404 Not Found</title>\n<h1>Not Found</h1>\n"
        }
        path if path.starts_with("/pdf/") => "<html><title>arXiv: not found</title></html>",
        _ => return Answer::status(404),
    };
    Answer::ok("text/html", page).with_status(404)
}

impl Place {
    fn new() -> Self {
        Self {
            project: installed(),
            services: Server::start(|request| nothing(request.path())),
            variables: variables(),
        }
    }

    /// Runs a script in the project. `folder` is filled in as the skill's folder.
    fn shell(&self, shell: &[&str], script: &str, folder: Option<&Path>) -> Run {
        let script = folder.map_or_else(
            || script.to_owned(),
            |folder| script.replace("${CLAUDE_SKILL_DIR}", &folder.display().to_string()),
        );
        let cwd = self.project.at("project");
        let call = Helper::at(shell[0]).call(cwd).args(&shell[1..]);
        let mut call = call.args(["-c", &script]);
        for variable in &self.variables {
            call = call.env(variable, self.services.url());
        }
        call.env("HOME", self.project.at("home"))
            .deadline(PATIENCE)
            .run()
    }
}

/// Whether a helper of the skill uses services.
fn reaches_the_network(skill: &str) -> bool {
    let rows = helpers::all().iter().filter(|row| row.owner == skill);
    rows.into_iter().any(|row| {
        let path = format!("skills/{skill}/scripts/{}.contract.json", row.name);
        let text = fs::read_to_string(workspace_root().join(path)).expect("a contract");
        let contract: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        contract["network"] != "none"
    })
}

/// Environment variables that replace the services' addresses, from the source file that defines them.
fn variables() -> Vec<String> {
    let path = workspace_root().join("crates/aris-sources/src/hosts.rs");
    let text = fs::read_to_string(path).expect("hosts.rs");
    let words = text.split('"').filter(|word| word.ends_with("_BASE_URL"));
    let found: Vec<String> = words.map(str::to_owned).collect();
    assert!(found.len() > 4, "{found:?}");
    found
}

/// Skills and helpers as in a download, with every file at mode 0644, installed as copies into `project/`.
pub(crate) fn installed() -> Project {
    // One at a time: all projects have links to the same programs, and the launcher checks the mode of these files.
    static ONE: Mutex<()> = Mutex::new(());
    let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
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
        let program = programs().join(&row.name);
        brought(&program, &binary);
    }
    not_executable(&project.at("source"));
    let script = "sh ../source/skills/install-aris/scripts/install_aris . --host claude,codex --no-doc --quiet";
    let call = Helper::at("/bin/sh").call(project.at("project"));
    call.args(["-c", script])
        .env("HOME", project.at("home"))
        .run()
        .expect_code(0);
    // A source that is not a clone is copied.
    assert!(
        !project
            .at("project/.agents/skills/install-aris")
            .is_symlink()
    );
    project
}

/// The programs without debug information, which is more than half of their bytes; the calls below copy, hash and search them.
fn programs() -> &'static Path {
    static PROGRAMS: OnceLock<PathBuf> = OnceLock::new();
    PROGRAMS.get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("stripped");
        fs::create_dir_all(&folder).expect("folder");
        for row in helpers::all() {
            let (from, to) = (Helper::named(&row.name), folder.join(&row.name));
            if to.exists() {
                // Not overwritten, because a project of an earlier run may have a link to it.
                fs::remove_file(&to).expect("removed");
            }
            let words = ["-o".as_ref(), to.as_os_str(), from.path().as_os_str()];
            Helper::at("strip")
                .call("/")
                .args(words)
                .run()
                .expect_code(0);
        }
        folder
    })
}

/// Resets the project's own files to the example paper, and every installed file to mode 0644.
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
