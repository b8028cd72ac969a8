#![allow(clippy::disallowed_methods, reason = "tests prepare files directly")]

use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

use aris_proc::End;
use tempfile::TempDir;

use super::*;
use crate::tests::{PATIENCE, exists, shells};

/// A fake launcher: prints its folder, its arguments and standard input, and exits with 7.
const LAUNCHER: &str =
    "printf '%s' '@PLACE@'; for arg; do printf '<%s>' \"$arg\"; done; cat; exit 7\n";

/// Arguments that any quoting mistake would change.
const AWKWARD: [&str; 6] = ["--json", "a  b", "*", "$HOME 'x' \"y\" \\", "", "-é"];

const SHOWN: &str = "<--json><a  b><*><$HOME 'x' \"y\" \\><><-é>stdin";

/// Folders with every character in their names that a shell treats specially.
struct Place {
    folder: TempDir,
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::Builder::new()
            .prefix("-a $b 'é\" ")
            .tempdir()
            .expect("temp");
        Self { folder }
    }

    fn at(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    fn write(&self, path: &str, text: &str) -> PathBuf {
        let path = self.at(path);
        fs::create_dir_all(path.parent().expect("folder")).expect("folders");
        fs::write(&path, text).expect("write");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).expect("mode");
        path
    }

    /// Writes a fake launcher below `folder`; it prints that name.
    fn launcher(&self, folder: &str) {
        let path = format!("{folder}/a-skill/scripts/tool");
        self.write(&path, &LAUNCHER.replace("@PLACE@", folder));
    }

    fn run(&self, interpreter: &[&str], script: &Path, cwd: &str) -> (End, String, String) {
        self.run_with(interpreter, script, cwd, &AWKWARD.map(OsString::from), None)
    }

    fn run_with(
        &self,
        interpreter: &[&str],
        script: &Path,
        cwd: &str,
        args: &[OsString],
        repository: Option<&Path>,
    ) -> (End, String, String) {
        let cwd = self.at(cwd);
        let mut command = match interpreter {
            [] => aris_proc::command(script, cwd),
            [program, rest @ ..] => aris_proc::command(program, cwd).args(rest).arg(script),
        };
        command = command
            .args(args)
            .env("GIT_CEILING_DIRECTORIES", self.folder.path())
            .env("CDPATH", "/:/usr")
            .env("PYTHONWARNINGS", "error")
            .env_remove("ARIS_REPO")
            .stdin("stdin");
        if let Some(repository) = repository {
            command = command.env("ARIS_REPO", repository);
        }
        let done = command.run(PATIENCE).expect("ran");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (done.end, text(&done.stdout.bytes), text(&done.stderr.bytes))
    }
}

/// Every way to start a script through an interpreter, Python's included.
fn interpreters() -> Vec<Vec<&'static str>> {
    let mut all = shells();
    if exists("python3") {
        all.extend([
            vec!["python3"],
            vec!["python3", "-I", "-S"],
            vec!["python3", "-E", "-B", "-u"],
        ]);
    }
    all
}

fn good(folder: &str) -> (End, String, String) {
    (End::Exited(7), format!("{folder}{SHOWN}"), String::new())
}

#[test]
fn every_interpreter_passes_arguments_streams_and_exit_code() {
    let place = Place::new();
    place.launcher("p/.agents/skills");
    for (alias, expected) in [
        (".aris/tools/tool.py", "tool.py"),
        ("tools/tool.sh", "tool.sh"),
        (".aris/tools/queue/old.py", "queue/old.py"),
        ("tools/queue/deep/old.py", "queue/deep/old.py"),
    ] {
        let script = place.write(
            &format!("p/{alias}"),
            &shim("tool", "a-skill", expected, None),
        );
        for interpreter in interpreters() {
            for cwd in ["p", ""] {
                assert_eq!(
                    place.run(&interpreter, &script, cwd),
                    good("p/.agents/skills"),
                    "{interpreter:?} {alias} in {cwd:?}"
                );
            }
            let relative = Path::new(alias);
            assert_eq!(
                place.run(&interpreter, relative, "p"),
                good("p/.agents/skills"),
                "{interpreter:?} {alias}"
            );
        }
        fs::set_permissions(&script, fs::Permissions::from_mode(0o555)).expect("mode");
        assert_eq!(place.run(&[], &script, "p"), good("p/.agents/skills"));
    }
}

#[test]
fn a_name_without_a_slash_that_begins_with_a_dash_is_a_file() {
    let place = Place::new();
    place.launcher("p/skills");
    place.write("p/tools/-x", &shim("tool", "a-skill", "x", None));
    for interpreter in interpreters() {
        let call: Vec<&str> = interpreter.iter().copied().chain(["--"]).collect();
        let (end, stdout, stderr) = place.run(&call, Path::new("-x"), "p/tools");
        assert_eq!((end, stdout, stderr), good("p/skills"), "{call:?}");
    }
}

#[test]
fn folders_are_asked_in_their_order() {
    let place = Place::new();
    let script = place.write("p/.aris/tools/t", &shim("tool", "a-skill", "t", None));
    fs::create_dir_all(place.at("q")).expect("folder");
    let manifest = |folder: &str, repository: &str| {
        let root = place.at(repository);
        place.write(
            &format!("{folder}/.aris/installed-skills.txt"),
            // As an installer writes it, but without a newline at the end of the file.
            &format!("version\t1\nproject_root\tx\nrepo_root\t{}", root.display()),
        );
    };
    manifest("p", "from own manifest");
    manifest("q", "from manifest");
    let folders = [
        "p/.agents/skills",
        "p/.claude/skills",
        "p/.gemini/skills",
        "p/skills",
        "q/.agents/skills",
        "q/.claude/skills",
        "q/.gemini/skills",
        "q/skills",
        "repo/skills",
        "from own manifest/skills",
        "from manifest/skills",
    ];
    for folder in folders {
        place.launcher(folder);
    }
    let repository = place.at("repo");
    for folder in folders {
        for interpreter in interpreters() {
            assert_eq!(
                place.run_with(
                    &interpreter,
                    &script,
                    "q",
                    &AWKWARD.map(OsString::from),
                    Some(&repository)
                ),
                good(folder),
                "{interpreter:?}"
            );
        }
        fs::remove_dir_all(place.at(folder)).expect("removed");
    }
    // A relative `ARIS_REPO` counts from the working directory.
    place.launcher("-r/skills");
    let relative = Path::new("-r");
    let found = place.run_with(
        &["sh"],
        &script,
        "",
        &AWKWARD.map(OsString::from),
        Some(relative),
    );
    assert_eq!(found, good("-r/skills"));
}

#[test]
fn a_link_leads_to_where_the_file_really_lies() {
    let place = Place::new();
    place.launcher("repo/skills");
    place.write(
        "repo/tools/queue/t.py",
        &shim("tool", "a-skill", "queue/t.py", None),
    );
    fs::create_dir_all(place.at("p/.aris")).expect("folder");
    fs::create_dir_all(place.at("links")).expect("folder");
    symlink(place.at("repo/tools"), place.at("p/.aris/tools")).expect("link");
    symlink("../repo/tools/queue/t.py", place.at("links/one")).expect("link");
    symlink("one", place.at("links/two")).expect("link");
    for interpreter in interpreters() {
        for path in ["p/.aris/tools/queue/t.py", "links/one", "links/two"] {
            assert_eq!(
                place.run(&interpreter, &place.at(path), "links"),
                good("repo/skills"),
                "{interpreter:?} {path}"
            );
        }
        // Through `..` behind a linked folder.
        let odd = Path::new("../p/.aris/tools/../tools/queue/t.py");
        assert_eq!(place.run(&interpreter, odd, "links"), good("repo/skills"));
    }
}

#[test]
fn one_that_was_copied_away_finds_the_source_that_it_was_made_from() {
    let plain = || tempfile::Builder::new().prefix("a source ").tempdir();
    let place = Place::new();
    let source = Place {
        folder: plain().expect("temp"),
    };
    source.launcher("skills");
    let text = shim("tool", "a-skill", "t.py", source.folder.path().to_str());
    let script = place.write("p/tools/t.py", &text);
    for interpreter in interpreters() {
        assert_eq!(
            place.run(&interpreter, &script, "p"),
            good("skills"),
            "{interpreter:?}"
        );
    }
    // A launcher near the shim comes before the source.
    place.launcher("p/.claude/skills");
    assert_eq!(place.run(&["sh"], &script, "p"), good("p/.claude/skills"));
    let without = shim("tool", "a-skill", "t.py", None);
    for odd in [
        "relative", "/a$(b)", "/a\"b", "/a'''b", "/a\\N{b", "/a`b`", "/a\nb", "/é",
    ] {
        assert_eq!(shim("tool", "a-skill", "t.py", Some(odd)), without, "{odd}");
    }
}

#[test]
fn a_folder_that_is_only_called_like_an_alias_stays() {
    let place = Place::new();
    place.launcher("p/skills");
    // The shim of a nested alias, copied directly into `tools`.
    let script = place.write("p/tools/t.py", &shim("tool", "a-skill", "queue/t.py", None));
    assert_eq!(place.run(&["sh"], &script, ""), good("p/skills"));
}

#[test]
fn without_a_launcher_one_line_says_what_to_set() {
    let place = Place::new();
    let script = place.write("p/tools/t.py", &shim("tool", "a-skill", "t.py", None));
    for interpreter in interpreters() {
        let run = |args: &[&str]| {
            let args: Vec<OsString> = args.iter().map(OsString::from).collect();
            place.run_with(&interpreter, &script, "p", &args, None)
        };
        let (end, stdout, stderr) = run(&["x"]);
        assert_eq!((end, stdout.as_str()), (End::Exited(5), ""));
        assert_eq!(
            stderr,
            "t.py: error: the launcher of tool is not found; install the skills again, as with \
             aris install PROJECT, or set ARIS_REPO to a checkout or unpacked release of ARIS\n"
        );
        let (end, stdout, _) = run(&["x", "--json"]);
        let envelope: serde_json::Value = serde_json::from_str(&stdout).expect("one envelope");
        assert_eq!(end, End::Exited(5));
        assert_eq!(envelope["error"]["code"], "PRECONDITION");
        assert_eq!(envelope["error"]["details"]["helper"], "tool");
        // After `--` it is an argument, not a flag.
        assert_eq!(run(&["--", "--json"]).1, "");
    }
    // Something that cannot be a launcher is an error; later folders are not tried.
    fs::create_dir_all(place.at("p/.agents/skills/a-skill/scripts/tool")).expect("folder");
    place.launcher("p/skills");
    let (end, _, stderr) = place.run(&["sh"], &script, "p");
    assert_eq!(end, End::Exited(5));
    assert!(stderr.contains("is found and cannot be read"), "{stderr}");
}

#[test]
fn bytes_that_are_no_text_pass_through_python_too() {
    let place = Place::new();
    place.launcher("p/skills");
    let script = place.write("p/tools/t.py", &shim("tool", "a-skill", "t.py", None));
    let odd = [OsString::from_vec(vec![b'a', 0xff, b'b'])];
    let expected = place.run_with(&["sh"], &script, "p", &odd, None);
    assert_eq!(expected.0, End::Exited(7));
    for interpreter in interpreters() {
        assert_eq!(
            place.run_with(&interpreter, &script, "p", &odd, None),
            expected
        );
    }
}

#[test]
fn python_imports_nothing_that_lies_beside_it() {
    if !exists("python3") {
        println!("skipped: no python3");
        return;
    }
    let place = Place::new();
    place.launcher("p/skills");
    let script = place.write("p/tools/t.py", &shim("tool", "a-skill", "t.py", None));
    for module in ["os", "posix", "signal", "_signal", "subprocess"] {
        place.write(
            &format!("p/tools/{module}.py"),
            "raise SystemExit('imported')\n",
        );
    }
    for flags in [&["python3"][..], &["python3", "-S"], &["python3", "-I"]] {
        assert_eq!(place.run(flags, &script, "p"), good("p/skills"));
    }
    let import = ["-c", "import t"].map(OsString::from);
    fs::remove_file(place.at("p/tools/os.py")).expect("removed");
    let done = aris_proc::command("python3", place.at("p/tools"))
        .args(&import)
        .run(PATIENCE)
        .expect("ran");
    assert_eq!(done.end, End::Exited(1));
    assert!(
        done.stderr
            .text()
            .contains("ImportError: t.py is a program, not a module"),
        "{}",
        done.stderr.text()
    );
}

#[test]
fn the_text_is_ascii_and_has_nothing_left_to_fill_in() {
    let text = shim("tool", "a-skill", "queue/t.py", None);
    assert!(text.is_ascii(), "{text}");
    assert_eq!(text.matches('@').count(), text.matches("\"$@\"").count());
    // The string that Python skips ends where it should, and contains no escape that Python warns about.
    assert_eq!(text.matches("'''").count(), 2);
    assert!(!text.replace("\\n", "").replace("\\\n", "").contains('\\'));
}

#[test]
fn callers_of_an_old_name_get_the_codes_that_they_branch_on() {
    let place = Place::new();
    let text = shim("tool", "a-skill", "extract_paper_style.py", None);
    let script = place.write("p/tools/extract_paper_style.py", &text);
    for (own, known) in [
        (0, 0),
        (1, 1),
        (2, 1),
        (3, 3),
        (4, 3),
        (5, 1),
        (6, 3),
        (7, 3),
    ] {
        place.write(
            "p/skills/a-skill/scripts/tool",
            &format!("printf '<%s>' \"$@\"; cat; exit {own}\n"),
        );
        for interpreter in interpreters() {
            assert_eq!(
                place.run(&interpreter, &script, "p"),
                (End::Exited(known), SHOWN.to_owned(), String::new()),
                "{interpreter:?} {own}"
            );
        }
    }
    assert_eq!(
        shim("a", "b", "other.py", None)
            .matches("aris_code")
            .count(),
        0
    );
}
