//! The resolver chain in the skills' shell text, compared with `aris_contract::resolve`, on random trees and in every installed
//! shell.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use aris_contract::helpers::{self, Helper as Row};
use aris_contract::resolve::{Found, ResolveEnv, folders, resolve};
use aris_testkit::{Helper, Project};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

/// The installed shells: program, arguments, and first lines of the script.
fn shells() -> Vec<(&'static str, &'static [&'static str], &'static str)> {
    let all: [(&str, &[&str], &str); 4] = [
        ("/bin/dash", &[], "set -eu\n"),
        ("/bin/bash", &[], ""),
        ("/bin/bash", &["--posix"], "set -eu\n"),
        ("/bin/zsh", &[], ""),
    ];
    let is_here = |shell: &(&str, &[&str], &str)| {
        let found = Path::new(shell.0).is_file();
        if !found {
            println!("skipped: no {} on this machine", shell.0);
        }
        found
    };
    all.into_iter().filter(is_here).collect()
}

/// What is at a candidate path.
#[derive(Clone, Copy, Debug)]
enum Thing {
    Nothing,
    File,
    Empty,
    LinkToFile,
    Folder,
    LinkToFolder,
    LinkToNothing,
    LinkToItself,
}

/// The state of project and shell in one case.
#[derive(Clone, Debug)]
struct Case {
    helper: usize,
    things: Vec<Thing>,
    /// The index of a folder of the chain that is a file instead.
    blocked: Option<usize>,
    /// Whether the running skill owns the helper; `None` when the host does not say where the skill is.
    skill: Option<bool>,
    variable: Option<&'static str>,
    record: Option<&'static str>,
    is_repository: bool,
    /// The index of the mark that makes a subfolder of the repository a project.
    nested: Option<usize>,
}

/// Folders that mark a project.
const MARKS: [&str; 4] = [
    ".aris/tools",
    ".agents/skills",
    ".claude/skills",
    ".gemini/skills",
];

fn cases() -> impl Strategy<Value = Case> {
    use Thing::{
        Empty, File, Folder, LinkToFile, LinkToFolder, LinkToItself, LinkToNothing, Nothing,
    };
    let thing = prop_oneof![
        12 => Just(Nothing),
        2 => Just(File),
        1 => Just(LinkToFile),
        1 => prop_oneof![Just(Empty), Just(Folder), Just(LinkToFolder), Just(LinkToNothing), Just(LinkToItself)],
    ];
    let record = prop_oneof![
        Just(None),
        Just(Some("version\t1\nrepo_root\t@/repo\nproject_root\tx\n")),
        Just(Some("version\t1\r\nrepo_root\t@/repo\r\n")),
        Just(Some("repo_root\t@/repo\tmore\nrepo_root\t@/other")),
        Just(Some("repo_root\t\nrepo_root\t@/repo\n")),
        Just(Some("repo_roots\t@/repo\nx\trepo_root\t@/repo\n")),
        Just(Some("repo_root @/repo\n")),
        Just(Some("")),
    ];
    (
        0..helpers::all().len(),
        prop::collection::vec(thing, 40),
        prop::option::weighted(0.2, 0..8_usize),
        prop::option::of(any::<bool>()),
        prop_oneof![Just(None), Just(Some("")), Just(Some("@/repo"))],
        record,
        any::<bool>(),
        prop::option::of(0..MARKS.len()),
    )
        .prop_map(
            |(helper, things, blocked, skill, variable, record, is_repository, nested)| Case {
                helper,
                things,
                blocked,
                skill,
                variable,
                record,
                is_repository,
                nested: nested.filter(|_| is_repository),
            },
        )
}

/// Creates the tree. Returns the environment of the chain.
fn make(project: &Project, case: &Case, row: &Row) -> ResolveEnv {
    let root = project.path().canonicalize().expect("real");
    let filled = |text: &str| text.replace('@', &root.display().to_string());
    let top = root.join("it's a project");
    fs::create_dir_all(top.join("below")).expect("folder");
    if case.is_repository {
        for part in [".git/objects", ".git/refs"] {
            fs::create_dir_all(top.join(part)).expect("folder");
        }
        fs::write(top.join(".git/HEAD"), "ref: refs/heads/main\n").expect("HEAD");
    }
    let top = case.nested.map_or(top.clone(), |mark| {
        let nested = top.join("nested");
        fs::create_dir_all(nested.join(MARKS[mark])).expect("folder");
        fs::create_dir_all(nested.join("below")).expect("folder");
        nested
    });
    let record = case.record.map(filled);
    if let Some(record) = &record {
        fs::create_dir_all(top.join(".aris")).expect("folder");
        fs::write(top.join(".aris/installed-skills.txt"), record).expect("record");
    }
    let skill = case
        .skill
        .map(|owns| if owns { row.owner.as_str() } else { "other" });
    if let Some(skill) = skill {
        fs::create_dir_all(root.join("the host's").join(skill)).expect("folder");
    }
    let env = ResolveEnv {
        project_root: top,
        skill_dir: skill.map(|name| root.join("the host's").join(name)),
        skill_name: skill.map(str::to_owned),
        aris_repo: (case.variable.map(filled))
            .filter(|path| !path.is_empty())
            .map(PathBuf::from),
        installed_skills: record,
    };
    let folders = folders(&row.owner, &env);
    let blocked = case.blocked.and_then(|at| folders.get(at));
    if let Some((_, folder)) = blocked.filter(|(_, folder)| !folder.exists()) {
        fs::create_dir_all(folder.parent().expect("a parent")).expect("folders");
        fs::write(folder, "a file").expect("written");
    }
    let candidates = (folders.iter())
        .flat_map(|(_, folder)| row.names().into_iter().map(move |name| folder.join(name)));
    for (path, thing) in candidates.zip(&case.things) {
        place(&root, &path, *thing);
    }
    env
}

/// Puts a thing at a path, unless the way to it is blocked.
fn place(root: &Path, path: &Path, thing: Thing) {
    let folder = path.parent().expect("a parent");
    if matches!(thing, Thing::Nothing) || fs::create_dir_all(folder).is_err() {
        return;
    }
    fs::write(root.join("a file"), "x").expect("written");
    drop(match thing {
        Thing::Nothing => Ok(()),
        Thing::File => fs::write(path, "x"),
        Thing::Empty => fs::write(path, ""),
        Thing::LinkToFile => symlink(root.join("a file"), path),
        Thing::Folder => fs::create_dir_all(path),
        Thing::LinkToFolder => symlink(root, path),
        Thing::LinkToNothing => symlink("nothing", path),
        Thing::LinkToItself => symlink(path, path),
    });
}

fn same_answer(case: &Case) {
    let row = &helpers::all()[case.helper];
    let project = Project::bare();
    let env = make(&project, case, row);
    let answer = resolve(&row.names(), &row.owner, &env, &aris_fs::probe);
    let last = answer.looked.last().expect("candidates");
    let (stdout, code) = match &last.found {
        Found::Usable => (format!("{}\n", last.path.display()), 0),
        Found::Unusable(_) => (String::new(), 5),
        Found::Absent => (String::new(), 3),
    };
    let running = env.skill_name.as_deref().unwrap_or("other");
    let block = aris_launch::find_block(running, &[(&row.owner, row.names())]);
    let filled = (env.skill_dir.as_ref()).map(|dir| {
        let place = dir.display().to_string();
        block.replacen("${CLAUDE_SKILL_DIR}\n", &format!("{place}\n"), 1)
    });
    let cwd = env
        .project_root
        .join(if case.is_repository { "below" } else { "" });
    assert_eq!(aris_audit::project::of_directory(&cwd), env.project_root);
    for (program, arguments, options) in shells() {
        // The text with the folder filled in by the host, or unchanged.
        let script = format!("{options}{}", filled.as_ref().unwrap_or(&block));
        let mut call = Helper::at(program)
            .call(&cwd)
            .args(arguments)
            .args(["-c", &script])
            .env("GIT_CEILING_DIRECTORIES", project.path());
        if let Some(text) = case.variable {
            let root = project.path().canonicalize().expect("real");
            call = call.env("ARIS_REPO", text.replace('@', &root.display().to_string()));
        }
        let run = call.run();
        assert_eq!(
            (run.stdout(), run.code()),
            (stdout.as_str(), code),
            "{program}: {answer:?}\n{run}"
        );
        if code == 5 {
            let said = format!("{} is there and cannot be used\n", last.path.display());
            assert_eq!(run.stderr(), said, "{program}");
        } else {
            assert_eq!(run.stderr().is_empty(), code == 0, "{program}: {run}");
        }
    }
}

#[test]
fn the_skills_shell_text_and_the_program_find_the_same_file() {
    let mut runner = TestRunner::new(Config {
        cases: 64,
        failure_persistence: None,
        ..Config::default()
    });
    runner
        .run(&cases(), |case| {
            same_answer(&case);
            Ok(())
        })
        .unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn a_host_may_write_any_folder_into_the_block() {
    for name in ["plain", "it's \"mine\" $HOME `id` \\"] {
        let project = Project::bare();
        let root = project.path().canonicalize().expect("real");
        let file = root.join(name).join("scripts/tool");
        fs::create_dir_all(file.parent().expect("folder")).expect("folders");
        fs::write(&file, "x").expect("written");
        let skill = root.join(name).display().to_string();
        let block = aris_launch::find_block("a-skill", &[("a-skill", vec!["tool"])]);
        assert!(!block.contains("$1") && !block.contains("$0"), "{block}");
        let filled = block.replacen("${CLAUDE_SKILL_DIR}\n", &format!("{skill}\n"), 1);
        for (program, arguments, _) in shells() {
            let call = |script: &str| {
                let call = Helper::at(program).call(&root);
                call.args(arguments).args(["-c", script])
            };
            let said = format!("{}\n", file.display());
            let run = call(&filled).run().expect_code(0);
            assert_eq!(run.stdout(), said, "{program}");
            // A host that does not fill in the folder, but sets a variable.
            let run = call(&block).env("CLAUDE_SKILL_DIR", &skill).run();
            assert_eq!(run.expect_code(0).stdout(), said, "{program}");
        }
    }
}
