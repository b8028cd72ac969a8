//! `overleaf_audit` from the outside: real repositories, each with one token somewhere.
#![cfg(test)]
#![allow(clippy::disallowed_methods, reason = "tests prepare files directly")]

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use aris_testkit::{Helper, Project, Run};
use base64::Engine as _;

/// Built at run time, so that no file of this project contains a token.
fn token() -> String {
    ["olp", "_", "Ab0123456789Cd0123456789Ef012345"].concat()
}

fn other() -> String {
    ["olp", "_", "zzzzzzzzzzYYYYYYYYYY1234567890"].concat()
}

fn git(folder: &Path, args: &[&str]) -> String {
    fs::create_dir_all(folder).expect("folder");
    let done = Command::new("git")
        .current_dir(folder)
        .args([
            "-c",
            "user.name=T",
            "-c",
            "user.email=t@example.org",
            "-c",
            "protocol.file.allow=always",
            "-c",
            "init.defaultBranch=main",
            "-c",
            "gc.auto=0",
        ])
        .args(args)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_SYSTEM", "/dev/null")
        .output()
        .expect("git");
    let errors = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "git {args:?}: {errors}");
    String::from_utf8_lossy(&done.stdout).trim().to_owned()
}

fn commit(folder: &Path, name: &str, content: impl AsRef<[u8]>) {
    fs::write(folder.join(name), content).expect("file");
    git(folder, &["add", "-A"]);
    git(folder, &["commit", "-q", "-m", "a change"]);
}

/// A project whose folder `paper` is a repository of two clean commits.
fn project() -> Project {
    let project = Project::bare();
    let paper = project.at("paper");
    git(&paper, &["init", "-q"]);
    commit(&paper, "main.tex", "\\documentclass{article}\n");
    commit(&paper, "refs.bib", "@misc{a}\n");
    project
}

fn audit(project: &Project, args: &[&str]) -> Run {
    let run = Helper::at(env!("CARGO_BIN_EXE_overleaf_audit"))
        .call(project.path())
        .env("ARIS_CACHE_DIR", project.at("cache"))
        .env("HOME", project.at("home"))
        .args(args)
        .run();
    for secret in [token(), other()] {
        // The output must not reveal the token.
        let half = secret.get(4..24).expect("half");
        assert!(!run.stdout().contains(half), "{}", run.stdout());
        assert!(!run.stderr().contains(half), "{}", run.stderr());
    }
    run
}

fn utf16(text: &str) -> Vec<u8> {
    let units = std::iter::once(0xFEFF).chain(text.encode_utf16());
    units.flat_map(u16::to_le_bytes).collect()
}

fn gzip(text: &str) -> Vec<u8> {
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    packer.write_all(text.as_bytes()).expect("packed");
    packer.finish().expect("packed")
}

/// Hides a token in a fresh project.
type Hide = fn(&Project);

#[test]
fn a_token_is_found_wherever_it_hides() {
    let cases: &[(&str, &str, &str, Hide)] = &[
        (
            "an ignored file",
            "working_tree",
            "paper/notes/.env",
            |project| {
                project.write("paper/.gitignore", "notes/\n");
                project.write("paper/notes/.env", format!("A=1\nTOKEN={}\n", token()));
            },
        ),
        ("UTF-16", "working_tree", "paper/keys.txt", |project| {
            project.write(
                "paper/keys.txt",
                utf16(&format!("my token:\n{}\n", token())),
            );
        }),
        (
            "percent-encoded",
            "working_tree",
            "paper/pull.sh",
            |project| {
                let coded = token().replace("olp_", "%6Flp%5f").replace('A', "%41");
                let line = format!("git pull 'https://git:{coded}%40@git.overleaf.com/1'\n");
                project.write("paper/pull.sh", line);
            },
        ),
        ("gzip", "working_tree", "paper/log.gz", |project| {
            project.write(
                "paper/log.gz",
                gzip(&format!("{}{}", "x".repeat(100_000), token())),
            );
        }),
        ("gzip in the history", "history", "paper", |project| {
            let paper = project.at("paper");
            commit(&paper, "log.gz", gzip(&token()));
            git(&paper, &["rm", "-q", "log.gz"]);
            git(&paper, &["commit", "-q", "-m", "gone"]);
        }),
        (
            "far into a large file",
            "working_tree",
            "paper/log.txt",
            |project| {
                let text = "x".repeat((256 << 10) - 10);
                project.write("paper/log.txt", format!("{text}{}\n{text}", token()));
            },
        ),
        ("a file's name", "file_name", "paper/", |project| {
            project.write(&format!("paper/backup-{}.zip", token()), "x");
        }),
        ("a link's text", "file_name", "paper/link", |project| {
            symlink(format!("/nowhere/{}", token()), project.at("paper/link")).expect("link");
        }),
        ("a remote", "git", "paper/.git/config", |project| {
            let url = format!("https://git:{}@git.overleaf.com/1", token());
            git(&project.at("paper"), &["remote", "add", "overleaf", &url]);
        }),
        (
            "a header in base64",
            "git",
            "paper/.git/config",
            |project| {
                let coded =
                    base64::engine::general_purpose::STANDARD.encode(format!("git:{}", token()));
                let header = format!("AUTHORIZATION: basic {coded}");
                git(
                    &project.at("paper"),
                    &["config", "http.extraheader", &header],
                );
            },
        ),
        ("a reflog", "git", "paper/.git/logs/HEAD", |project| {
            let note = format!("pull https://git:{}@git.overleaf.com/1", token());
            let args = ["update-ref", "--no-deref", "-m", &note, "HEAD", "HEAD^"];
            git(&project.at("paper"), &args);
        }),
        ("a branch's name", "file_name", "paper/.git/", |project| {
            git(&project.at("paper"), &["branch", &token()]);
        }),
        ("a deleted file", "history", "paper", |project| {
            let paper = project.at("paper");
            commit(&paper, "key", token());
            fs::remove_file(paper.join("key")).expect("remove");
            git(&paper, &["commit", "-q", "-a", "-m", "gone"]);
        }),
        ("a pack", "history", "paper", |project| {
            let paper = project.at("paper");
            commit(&paper, "key", token());
            git(&paper, &["rm", "-q", "key"]);
            git(&paper, &["commit", "-q", "-m", "gone"]);
            git(&paper, &["gc", "-q"]);
        }),
        ("another branch", "history", "paper", |project| {
            let paper = project.at("paper");
            git(&paper, &["checkout", "-q", "-b", "other"]);
            commit(&paper, "key", token());
            git(&paper, &["checkout", "-q", "main"]);
        }),
        ("a commit's message", "history", "paper", |project| {
            let note = format!("use {}", token());
            git(
                &project.at("paper"),
                &["commit", "-q", "--allow-empty", "-m", &note],
            );
            // The editor's copy and the reflog hold it, too.
            fs::remove_dir_all(project.at("paper/.git/logs")).expect("logs");
            fs::remove_file(project.at("paper/.git/COMMIT_EDITMSG")).expect("message");
        }),
        ("a name in the history", "history", "paper", |project| {
            let paper = project.at("paper");
            commit(&paper, &token(), "x");
            git(&paper, &["rm", "-q", &token()]);
            git(&paper, &["commit", "-q", "-m", "gone"]);
        }),
        (
            "an object that nothing refers to",
            "history",
            "paper",
            |project| {
                let paper = project.at("paper");
                project.write("key", token());
                git(&paper, &["hash-object", "-w", "../key"]);
                fs::remove_file(project.at("key")).expect("remove");
            },
        ),
        (
            "a submodule",
            "history",
            "paper/.git/modules/sub",
            |project| {
                let sub = project.at("origin");
                git(&sub, &["init", "-q"]);
                commit(&sub, "key", token());
                commit(&sub, "key", "gone");
                let paper = project.at("paper");
                git(&paper, &["submodule", "--quiet", "add", "../origin", "sub"]);
                git(&paper, &["commit", "-q", "-m", "sub"]);
                fs::remove_dir_all(sub).expect("origin");
                // Nothing of it is left in the working tree.
                git(&paper, &["submodule", "--quiet", "deinit", "-f", "sub"]);
            },
        ),
        ("objects behind a link", "history", "paper", |project| {
            let paper = project.at("paper");
            commit(&paper, "key", token());
            fs::remove_file(paper.join("key")).expect("remove");
            fs::rename(paper.join(".git/objects"), project.at("kept")).expect("moved");
            symlink("../../kept", paper.join(".git/objects")).expect("link");
        }),
        ("a bare repository", "history", "mirror.git", |project| {
            let paper = project.at("paper");
            commit(&paper, "key", token());
            git(
                project.path(),
                &["clone", "-q", "--bare", "paper", "mirror.git"],
            );
            fs::remove_dir_all(paper).expect("paper");
        }),
    ];
    for (what, part, place, hide) in cases {
        let project = project();
        audit(&project, &[]).expect_code(0);
        hide(&project);
        for args in [&["--json"][..], &["--json", "--no-cache"]] {
            let data = audit(&project, args).expect_code(10).data();
            let leaks = data["leaks"].as_array().expect("leaks");
            assert!(!leaks.is_empty(), "{what}");
            for leak in leaks {
                assert_eq!(leak["part"], *part, "{what}: {data:#}");
                let shown = leak["place"].as_str().expect("place");
                assert!(shown.starts_with(place), "{what}: {shown}");
            }
        }
    }
}

/// Text as base64 in lines of `width`, as mail, PEM and `base64 -w` write it.
fn wrapped(bytes: impl AsRef<[u8]>, width: usize, line_end: &str) -> String {
    let coded = base64::engine::general_purpose::STANDARD.encode(bytes);
    let lines = coded.as_bytes().chunks(width);
    let lines: Vec<&str> = lines
        .map(|line| std::str::from_utf8(line).expect("ASCII"))
        .collect();
    lines.join(line_end) + line_end
}

#[test]
fn a_token_in_wrapped_base64_is_the_same_token_and_stands_in_its_first_line() {
    let project = Project::bare().file("paper/plain", token());
    for width in [8, 24, 60, 64, 76] {
        for line_end in ["\n", "\r\n", "\n    "] {
            // The token begins at every column of a line.
            for before in 0..width {
                let text = format!("{}:{}:{}", "x".repeat(before), token(), "y".repeat(99));
                let coded = format!("A\nB\n{line_end}{}", wrapped(text, width, line_end));
                project.write(&format!("paper/wrapped{before}"), coded);
            }
            let data = audit(&project, &["--json", "--no-home"])
                .expect_code(10)
                .data();
            let leaks = data["leaks"].as_array().expect("leaks");
            assert_eq!(leaks.len(), 1 + width, "{width} {line_end:?}: {data:#}");
            for leak in leaks {
                assert_eq!(leak["token"], leaks[0]["token"], "{width} {line_end:?}");
                let place = leak["place"].as_str().expect("place");
                if let Some(before) = place.strip_prefix("paper/wrapped") {
                    let before: usize = before.parse().expect("number");
                    let line = 4 + (before + 1) / 3 * 4 / width;
                    assert!(leak["line"] == line || leak["line"] == line + 1, "{leak:#}");
                }
            }
            fs::remove_dir_all(project.at("paper")).expect("removed");
            project.write("paper/plain", token());
        }
    }
}

#[test]
fn what_stands_below_base64_is_no_part_of_it() {
    let header = |text: &str| base64::engine::general_purpose::STANDARD_NO_PAD.encode(text);
    let project = Project::bare();
    project.write("a", token());
    for (at, below) in ["[user]", "name = x", "EOF", "", "c3VwZXI6 x", "c3VwZXI6-"]
        .iter()
        .enumerate()
    {
        let text = format!(
            "extraheader = {}\n{below}\n",
            header(&format!("git:{}", token()))
        );
        project.write(&format!("b{at}"), text);
    }
    // A token that is too short, and a complete one below it.
    project.write("c", format!("{}\n{}\n", header("olp_short12345"), token()));
    let data = audit(&project, &["--json", "--no-home"])
        .expect_code(10)
        .data();
    let leaks = data["leaks"].as_array().expect("leaks");
    assert_eq!(leaks.len(), 8, "{data:#}");
    for leak in leaks {
        assert_eq!(leak["token"], leaks[0]["token"], "{data:#}");
    }
}

#[test]
fn base64_without_a_token_is_clean() {
    let project = project();
    let mut state = 1_u64;
    let mut noise = |count: usize| -> Vec<u8> {
        let mut byte = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 56) as u8
        };
        (0..count).map(|_| byte()).collect()
    };
    let png = [b"\x89PNG\r\n\x1a\n".to_vec(), noise(300_000)].concat();
    project.write(
        "paper/figure.svg",
        format!(
            "<image href=\"data:image/png;base64,{}\"/>",
            wrapped(&png, 76, "\n")
        ),
    );
    let pem = wrapped(noise(200_000), 64, "\n");
    project.write(
        "paper/chain.pem",
        format!("-----BEGIN CERTIFICATE-----\n{pem}-----END CERTIFICATE-----\n"),
    );
    // The prefix of a token in the middle of words, and before too few characters.
    let words = "olp_ olp_short olp_abcdefghijklmnopqrs- xolp_ ".repeat(500);
    for width in [57, 60, 64, 76] {
        project.write(&format!("paper/words{width}"), wrapped(&words, width, "\n"));
    }
    git(&project.at("paper"), &["add", "-A"]);
    git(&project.at("paper"), &["commit", "-q", "-m", "base64"]);
    git(&project.at("paper"), &["gc", "-q"]);
    let pack = git(&project.at("paper"), &["count-objects", "-v"]);
    assert!(pack.contains("packs: 1"), "{pack}");
    let packs = project.at("paper/.git/objects/pack");
    let packed = fs::read_dir(packs)
        .expect("packs")
        .map(|entry| entry.expect("entry").path());
    let packed = packed.filter(|path| path.extension().is_some_and(|ext| ext == "pack"));
    for path in packed {
        let text = wrapped(fs::read(path).expect("pack"), 76, "\n");
        project.write("paper/pack.txt", text);
    }
    audit(&project, &["--json", "--no-home"]).expect_code(0);
}

#[test]
fn what_is_found_is_described() {
    let project = project();
    let paper = project.at("paper");
    project.write("paper/.env", format!("A\nTOKEN={}\n", token()));
    commit(&paper, "key.txt", format!("{}\n", other()));
    let last = git(&paper, &["rev-parse", "--short", "HEAD"]);
    let data = audit(&project, &["paper", "--json"]).expect_code(10).data();
    assert_eq!(data["errors"], 4, "{data:#}");
    let leak = &data["leaks"][0];
    assert_eq!(
        (&leak["place"], &leak["line"]),
        (&"paper/.env".into(), &2.into())
    );
    assert_eq!((&leak["byte"], &leak["form"]), (&8.into(), &"plain".into()));
    assert_eq!(leak["token"]["length"], token().len());
    let history: Vec<_> = data["leaks"]
        .as_array()
        .expect("leaks")
        .iter()
        .filter(|leak| leak["part"] == "history")
        .collect();
    assert_eq!(history.len(), 2, "{data:#}");
    for leak in history {
        assert_eq!(leak["object"]["kind"], "blob");
        assert_eq!(leak["object"]["commit"], last.as_str());
        assert_eq!(leak["object"]["reachable"], true);
    }
    let text = audit(&project, &["paper"]).expect_code(10);
    assert!(
        text.stdout().contains("Audit failed: 2 tokens in 4 places"),
        "{}",
        text.stdout()
    );
    assert!(text.stdout().contains("First revoke each token"));
    project.write("one/.env", token());
    let run = audit(&project, &["one"]).expect_code(10);
    let one = "1 token in 1 place (1 file and 0 repositories searched; 0 objects";
    assert!(run.stdout().contains(one), "{run}");
    audit(&project, &["paper", "--compat"]).expect_code(1);
    audit(&project, &["paper", "--sarif", "--json"]).expect_code(2);
    let sarif = audit(&project, &["paper", "--sarif"]).expect_code(10);
    let sarif: serde_json::Value = serde_json::from_str(sarif.stdout()).expect("SARIF");
    let results = sarif["runs"][0]["results"].as_array().expect("results");
    assert_eq!(results.len(), 4);
    assert_eq!(
        results[0]["locations"][0]["physicalLocation"]["region"]["startLine"],
        2
    );
}

#[test]
fn a_coded_token_is_the_same_token_and_a_cut_gzip_file_is_not_clean() {
    let project = project();
    let packed = gzip(&"a log of no importance\n".repeat(2000));
    project.write("paper/log.gz", &packed);
    audit(&project, &[]).expect_code(0);
    commit(&project.at("paper"), "kept.gz", &packed);
    audit(&project, &["--no-cache"]).expect_code(0);
    let (half, _) = packed.split_at(packed.len() / 2);
    project.write("paper/log.gz", half);
    let details = audit(&project, &["--json"]).expect_code(5).error();
    assert_eq!(details["details"]["unseen"][0]["place"], "paper/log.gz");

    let coded = token().replace('l', "%6c").replace("45", "%34%35");
    project.write("paper/log.gz", gzip(&token()));
    project.write("paper/a.sh", format!("{}\n{coded}%20\n", token()));
    let data = audit(&project, &["--json"]).expect_code(10).data();
    let leaks = data["leaks"].as_array().expect("leaks");
    let forms: Vec<&str> = leaks
        .iter()
        .filter_map(|leak| leak["form"].as_str())
        .collect();
    assert_eq!(forms, ["plain", "percent", "gzip"], "{data:#}");
    for leak in leaks {
        assert_eq!(leak["token"], leaks[0]["token"]);
    }
    assert_eq!(leaks[1]["line"], 2);
    let run = audit(&project, &[]).expect_code(10);
    let text = run.stdout();
    assert!(
        text.contains(" masked], percent-encoded [working_tree]"),
        "{text}"
    );
    assert!(
        text.contains(" masked] inside gzip [working_tree]"),
        "{text}"
    );
}

#[test]
fn what_is_known_is_not_read_again_and_never_hides_a_leak() {
    let project = project();
    let data = audit(&project, &["--json"]).expect_code(0).data();
    assert_eq!(
        (&data["looked"]["objects"], &data["looked"]["known"]),
        (&6.into(), &0.into())
    );
    let data = audit(&project, &["--json"]).expect_code(0).data();
    assert_eq!(data["looked"]["known"], 6);
    commit(&project.at("paper"), "key", token());
    fs::remove_file(project.at("paper/key")).expect("remove");
    for _ in 0..3 {
        let data = audit(&project, &["--json"]).expect_code(10).data();
        assert_eq!(data["leaks"][0]["part"], "history", "{data:#}");
    }
    // A damaged cache is ignored.
    for file in fs::read_dir(project.at("cache/overleaf_audit")).expect("cache") {
        let path = file.expect("file").path();
        let mut bytes = fs::read(&path).expect("verdicts");
        *bytes.last_mut().expect("byte") ^= 1;
        fs::write(&path, bytes).expect("damage");
    }
    let data = audit(&project, &["--json"]).expect_code(10).data();
    assert_eq!(data["looked"]["known"], 0);
    // A cache that cannot be written is no error.
    fs::remove_dir_all(project.at("cache")).expect("cache");
    project.write("cache", "in the way");
    audit(&project, &["--json"]).expect_code(10);
}

#[test]
fn what_cannot_be_looked_at_is_not_clean() {
    let cases: &[(&str, Hide)] = &[
        ("shallow", |project| {
            let url = format!("file://{}", project.at("paper").display());
            git(
                project.path(),
                &["clone", "-q", "--depth=1", &url, "shallow"],
            );
        }),
        ("git says", |project| {
            let id = git(&project.at("paper"), &["rev-parse", "HEAD:main.tex"]);
            let (folder, name) = id.split_at(2);
            let path = project.at(&format!("paper/.git/objects/{folder}/{name}"));
            fs::remove_file(&path).expect("remove");
            fs::write(&path, "no object").expect("damage");
        }),
        ("git says", |project| {
            let id = git(&project.at("paper"), &["rev-parse", "HEAD:main.tex"]);
            let (folder, name) = id.split_at(2);
            let path = project.at(&format!("paper/.git/objects/{folder}/{name}"));
            fs::remove_file(&path).expect("remove");
        }),
        ("git says", |project| {
            let head = project.at("paper/.git/refs/heads/gone");
            fs::write(head, "1".repeat(40) + "\n").expect("write");
        }),
        ("leads there", |project| {
            project.write("sub/.git", "gitdir: ../nowhere\n");
        }),
        ("leads to no folder of git", |project| {
            project.write("sub/.git", "");
        }),
        ("leads to no folder of git", |project| {
            project.write("plain/notes.txt", "");
            project.write("sub/.git", "gitdir: ../plain\n");
        }),
        ("HEAD, refs/ or objects/", |project| {
            fs::remove_file(project.at("paper/.git/HEAD")).expect("remove");
        }),
        ("HEAD, refs/ or objects/", |project| {
            fs::remove_dir_all(project.at("paper/.git/refs")).expect("remove");
        }),
        ("HEAD, refs/ or objects/", |project| {
            git(
                project.path(),
                &["clone", "-q", "--bare", "paper", "mirror"],
            );
            fs::remove_file(project.at("mirror/HEAD")).expect("remove");
        }),
        ("HEAD, refs/ or objects/", |project| {
            fs::remove_dir_all(project.at("paper/.git/objects")).expect("remove");
        }),
    ];
    for (why, hide) in cases {
        let project = project();
        hide(&project);
        let run = audit(&project, &["--json"]).expect_code(5);
        let unseen = &run.error()["details"]["unseen"];
        assert!(
            unseen[0]["why"].as_str().expect("why").contains(why),
            "{unseen:#}"
        );
        // The SARIF document says so, too.
        let run = audit(&project, &["--sarif"]).expect_code(5);
        let document: serde_json::Value = serde_json::from_str(run.stdout()).expect("SARIF");
        let invocation = &document["runs"][0]["invocations"][0];
        assert_eq!(invocation["executionSuccessful"], false, "{document:#}");
        let said = invocation["toolExecutionNotifications"][0]["message"]["text"].as_str();
        assert!(said.expect("a text").contains(why), "{document:#}");
        // If there is a leak besides, the leak is reported.
        project.write("leak.txt", token());
        let data = audit(&project, &["--json"]).expect_code(10).data();
        assert_eq!(data["unseen"].as_array().map(Vec::len), Some(1), "{data:#}");
    }
}

#[test]
fn without_git_files_are_read_and_the_history_is_not_called_clean() {
    let project = project();
    let run = |args: &[&str]| {
        Helper::at(env!("CARGO_BIN_EXE_overleaf_audit"))
            .call(project.path())
            .env("PATH", project.at("nothing"))
            .args(args)
            .run()
    };
    let refused = run(&["--json", "--no-home"]).expect_code(5);
    let unseen = &refused.error()["details"]["unseen"];
    assert!(
        unseen[0]["why"]
            .as_str()
            .expect("why")
            .contains("not installed"),
        "{unseen:#}"
    );
    project.write("plain/x", "no repository here");
    run(&["plain", "--no-home"]).expect_code(0);
}

#[test]
fn the_repository_around_a_folder_and_that_of_a_worktree_belong_to_it() {
    let project = project();
    let paper = project.at("paper");
    commit(&paper, "key", token());
    fs::create_dir(paper.join("sections")).expect("folder");
    git(&paper, &["rm", "-q", "key"]);
    git(&paper, &["commit", "-q", "-m", "gone"]);
    git(&paper, &["worktree", "add", "-q", "../tree"]);
    for folder in ["paper/sections", "tree"] {
        let data = audit(&project, &[folder, "--json"]).expect_code(10).data();
        assert_eq!(data["errors"], 1, "{folder}: {data:#}");
        assert_eq!(data["looked"]["repositories"], 1, "{folder}: {data:#}");
    }
    fs::rename(paper.join(".git"), project.at("kept")).expect("moved");
    symlink("../kept", paper.join(".git")).expect("link");
    audit(&project, &["paper", "--json"]).expect_code(10);
    // A pointer that leads back to itself is followed once.
    project.write("around/sub/.git", "gitdir: ..\n");
    project.write("around/HEAD", "none");
    audit(&project, &["around", "--json"]).expect_code(0);
}

#[test]
fn the_home_folder_warns_and_does_not_fail() {
    let project = project();
    project.write(
        "home/.git-credentials",
        format!("https://git:{}@git.overleaf.com\n", token()),
    );
    let run = audit(&project, &["paper"]).expect_code(0);
    assert!(
        run.stdout().contains("~/.git-credentials:1: warning"),
        "{}",
        run.stdout()
    );
    assert!(run.stdout().contains("Audit clean"));
    let run = audit(&project, &["paper", "--no-home"]).expect_code(0);
    assert!(!run.stdout().contains("warning"));
    // Inside the searched folder it is an ordinary file, and counted once.
    let data = audit(&project, &["--json"]).expect_code(10).data();
    assert_eq!(data["leaks"].as_array().map(Vec::len), Some(1), "{data:#}");
}

#[test]
fn a_folder_that_is_none_is_refused_without_its_secret() {
    let project = project();
    audit(&project, &[&token(), "--json"]).expect_code(3);
    audit(&project, &["paper/main.tex", "--json"]).expect_code(4);
}

#[test]
fn a_crash_or_many_at_once_leave_no_wrong_verdicts() {
    let project = project();
    commit(&project.at("paper"), "key", token());
    fs::remove_file(project.at("paper/key")).expect("remove");
    let crashes = aris_testkit::crash_at_every_change(
        |_| {
            Helper::named("overleaf_audit")
                .call(project.path())
                .env("ARIS_CACHE_DIR", project.at("cache"))
                .args(["--json", "--no-home"])
        },
        |_, _| {
            audit(&project, &["paper", "--no-cache"]).expect_code(10);
        },
    );
    crashes.last.expect_code(10);
    fs::remove_dir_all(project.at("cache")).expect("cache");
    std::thread::scope(|scope| {
        for _ in 0..16 {
            scope.spawn(|| {
                let data = audit(&project, &["paper", "--json"]).expect_code(10).data();
                assert_eq!(data["errors"], 1, "{data:#}");
            });
        }
    });
    let data = audit(&project, &["paper", "--json"]).expect_code(10).data();
    assert_eq!(data["looked"]["known"], 8, "{data:#}");
}

#[test]
fn no_program_that_settings_name_is_run() {
    let project = project();
    let paper = project.at("paper");
    // The commit is signed, so that a log that shows signatures runs the program for them.
    commit(&paper, "key", token());
    let signed = git(&paper, &["cat-file", "commit", "HEAD"]);
    let signature = "gpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n\n";
    project.write(
        "signed",
        signed.replacen("\n\n", &format!("\n{signature}"), 1),
    );
    let signed = git(&paper, &["hash-object", "-t", "commit", "-w", "../signed"]);
    git(&paper, &["reset", "-q", "--soft", signed.trim()]);
    project.write("run.sh", "#!/bin/sh\ntouch \"$(dirname \"$0\")/ran\"\n");
    let program = project.at("run.sh");
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(&program, mode).expect("mode");
    let program = program.display().to_string().replace(' ', "\\ ");
    for (name, value) in [
        ("core.fsmonitor", program.as_str()),
        ("log.showSignature", "true"),
        ("gpg.program", &program.replace('\\', "")),
        ("core.pager", &program),
        ("core.sshCommand", &program),
        ("diff.external", &program),
    ] {
        git(&paper, &["config", name, value]);
    }
    let run = audit(&project, &["paper", "--no-cache"]).expect_code(10);
    assert!(!project.at("ran").exists(), "{run}");
    let data = audit(&project, &["paper", "--no-cache", "--json"]).data();
    assert!(data.to_string().contains("\"commit\":\""), "{data:#}");
}

#[test]
fn what_settings_name_outside_of_the_folder_is_looked_at() {
    let secret = token();
    let project = project();
    let paper = project.at("paper");
    audit(&project, &["paper"]).expect_code(0);
    project.write("hooks/pre-commit", format!("# {secret}\n"));
    git(&paper, &["config", "core.hooksPath", "../hooks"]);
    let run = audit(&project, &["paper"]).expect_code(10);
    assert!(run.stdout().contains("hooks/pre-commit"), "{run}");
    assert!(!run.stdout().contains(".."), "{run}");
    // Git expands `~` to the home folder, and runs hooks through links.
    project.write("home/hooks/post-merge", "exit 0\n");
    symlink("../../hooks/pre-commit", project.at("home/hooks/pre-push")).expect("link");
    git(&paper, &["config", "core.hooksPath", "~/hooks"]);
    audit(&project, &["paper"]).expect_code(10);
    // Without such a folder git runs no hooks.
    for nowhere in ["../absent", "/dev/null", "~/absent"] {
        git(&paper, &["config", "core.hooksPath", nowhere]);
        audit(&project, &["paper"]).expect_code(0);
    }
    symlink("loop", project.at("loop")).expect("link");
    git(&paper, &["config", "core.hooksPath", "../paper/../loop"]);
    let run = audit(&project, &["paper"]).expect_code(5);
    assert!(run.stderr().contains("core.hooksPath"), "{run}");
    assert!(!run.stderr().contains(".."), "{run}");
    git(&paper, &["config", "--unset", "core.hooksPath"]);
    let remote = format!("[remote \"o\"]\nurl = https://git:{secret}@git.overleaf.com/x\n");
    project.write("shared.inc", remote);
    git(&paper, &["config", "include.path", "../../shared.inc"]);
    let run = audit(&project, &["paper"]).expect_code(10);
    assert!(run.stdout().contains("shared.inc"), "{run}");
    assert!(!run.stdout().contains(&secret), "{run}");
}
