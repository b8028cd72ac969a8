#![allow(clippy::disallowed_methods, reason = "tests prepare files directly")]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::sync::LazyLock;

use aris_proc::End;

use super::build::Host;
use super::contents::{File, of_target};
use super::packages::Parts;
use super::*;
use crate::install;
use crate::tests::Tree;

const PATIENCE: Duration = Duration::from_secs(30);

/// A release of the tree's only helper; a shell script acts as the program.
fn release(workspace: &Workspace) -> Files {
    let contract = r#"{"name": "tool", "version": "1.0.0", "summary": "Do it", "usage": "tool", "input": "i", "output": "o",
        "stderr": "e", "exit": [], "json_schemas": [], "examples": ["tool x"]}"#;
    let contract = serde_json::from_str(contract).expect("a contract");
    let launcher = aris_launch::launcher(&contract)
        .expect("a launcher")
        .into_bytes();
    let shell = fs::read(fs::canonicalize("/bin/sh").expect("a shell")).expect("read");
    let triple = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
    let mut files = of_target(workspace, &triple, &shell, "licences");
    files.insert(
        String::from("skills/tool-skill/scripts/tool"),
        File::program(launcher),
    );
    for (path, text) in install::shims(workspace, None) {
        files.insert(path, File::program(text));
    }
    let long = format!("share/{}/x", "a folder ".repeat(20));
    files.insert(long, File::text("far down"));
    files
}

#[test]
fn an_archive_is_the_same_every_time_and_unpacks_to_its_files() {
    let tree = Tree::new();
    let files = release(&tree.workspace());
    let bytes = archive::tar_gz("aris-1", &files, 1_700_000_000).expect("packed");
    assert_eq!(
        bytes,
        archive::tar_gz("aris-1", &files, 1_700_000_000).expect("packed")
    );
    let mut archive = tar::Archive::new(flate2::read::GzDecoder::new(bytes.as_slice()));
    let mut paths = Vec::new();
    for entry in archive.entries().expect("entries") {
        let mut entry = entry.expect("entry");
        let path = entry.path().expect("path").to_string_lossy().into_owned();
        let file = &files[path.strip_prefix("aris-1/").expect("below the root")];
        let mut content = Vec::new();
        std::io::Read::read_to_end(&mut entry, &mut content).expect("content");
        assert!(content == file.bytes, "{path}");
        let link = entry.link_name().expect("link");
        let link = link.map(|link| link.to_string_lossy().into_owned());
        assert_eq!(
            link,
            file.link.as_ref().map(|link| format!("aris-1/{link}"))
        );
        let header = entry.header();
        assert_eq!(header.mode().expect("mode"), file.mode(), "{path}");
        assert_eq!(header.mtime().expect("time"), 1_700_000_000);
        assert_eq!(
            (header.uid().expect("uid"), header.gid().expect("gid")),
            (0, 0)
        );
        paths.push(path);
    }
    assert_eq!(paths.len(), files.len());
    assert!(paths.is_sorted());
}

#[test]
fn all_that_is_written_has_the_same_bytes_every_time() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent();
    let workspace = Workspace::load(root.expect("the workspace")).expect("loaded");
    if git(&workspace, &["rev-parse", "HEAD"]).is_err() {
        println!("skipped: this is no checkout of git");
        return;
    }
    let place = tempfile::tempdir().expect("temp");
    // Acts as the program: prints its contract, and a text for every other request.
    let contract = r#"{"name": "aris", "version": "1.0.0", "summary": "Do it", "usage": "aris", "input": "i", "output": "o",
        "stderr": "e", "exit": [], "json_schemas": [], "examples": ["aris x"]}"#;
    let program = format!(
        "#!/bin/sh\n[ \"$1\" = --print-contract ] && {{ cat <<'END'\n{contract}\nEND\nexit; }}\necho \"$*\"\n"
    );
    let aris = place.path().join("built/aris");
    fs::create_dir(place.path().join("built")).expect("made");
    fs::write(&aris, program).expect("written");
    fs::set_permissions(&aris, fs::Permissions::from_mode(0o755)).expect("mode");
    let host = Host {
        triple: triple(),
        folder: place.path().join("built"),
    };
    for name in ["one", "two"] {
        let out = place.path().join(name);
        write(&workspace, &host, None, &out, 1_700_000_000).expect("written");
    }
    let compared = aris_proc::command("diff", place.path())
        .args(["-r", "one", "two"])
        .run(PATIENCE)
        .expect("diff ran");
    assert_eq!(
        (compared.end, compared.stdout.text().as_ref()),
        (End::Exited(0), "")
    );
    let sums = fs::read_to_string(place.path().join("one/SHA256SUMS")).expect("read");
    for ending in [
        ".whl",
        ".tgz",
        ".tar.gz",
        ".cdx.json",
        "provenance.intoto.json",
    ] {
        assert!(sums.lines().any(|line| line.ends_with(ending)), "{sums}");
    }
    let here = place.path().to_string_lossy();
    let statement = fs::read_to_string(place.path().join("one/provenance.intoto.json"));
    assert!(!statement.expect("read").contains(&*here));
}

#[test]
fn an_unpacked_release_runs_from_anywhere_with_every_mode_lost() {
    let tree = Tree::new();
    let files = release(&tree.workspace());
    let place = tempfile::Builder::new()
        .prefix("far $a 'b é ")
        .tempdir()
        .expect("temp");
    let packed = place.path().join("aris.tar.gz");
    fs::write(
        &packed,
        archive::tar_gz("aris 1", &files, 1).expect("packed"),
    )
    .expect("written");
    let unpacked = aris_proc::command("tar", place.path())
        .args(["-xzf", "aris.tar.gz"])
        .run(PATIENCE)
        .expect("tar ran");
    assert!(unpacked.success(), "{}", unpacked.stderr.text());
    let root = place.path().join("aris 1");
    for (path, file) in &files {
        let mode = fs::metadata(root.join(path))
            .expect("there")
            .permissions()
            .mode();
        // The umask may remove bits.
        assert_eq!(mode & 0o700, file.mode() & 0o700, "{path}");
    }
    for path in files.keys() {
        fs::set_permissions(root.join(path), fs::Permissions::from_mode(0o444)).expect("mode");
    }
    for script in [
        "skills/tool-skill/scripts/tool",
        "tools/tool",
        "tools/tool.sh",
    ] {
        let done = aris_proc::command("sh", "/")
            .arg(root.join(script))
            .args(["-c", "printf '<%s>' \"$@\"; exit 9", "name", "a  b", ""])
            .env("HOME", place.path())
            .env_remove("XDG_CACHE_HOME")
            .run(PATIENCE)
            .expect("sh ran");
        assert_eq!(
            (done.end, done.stdout.text().as_ref()),
            (End::Exited(9), "<a  b><>"),
            "{script}: {}",
            done.stderr.text()
        );
    }
}

#[test]
fn programs_for_windows_come_with_their_launcher() {
    let tree = Tree::new();
    let files = of_target(&tree.workspace(), "x86_64-pc-windows-msvc", &[1], "");
    let paths: Vec<&str> = files.keys().map(String::as_str).collect();
    assert_eq!(
        paths,
        [
            "bin/aris.cmd",
            "bin/bin/aris-x86_64-pc-windows-msvc.exe",
            "licences/x86_64-pc-windows-msvc.txt",
            "skills/tool-skill/scripts/bin/tool-x86_64-pc-windows-msvc.exe",
            "skills/tool-skill/scripts/tool.cmd",
        ]
    );
}

#[test]
fn a_target_without_the_program_is_refused() {
    let tree = Tree::new();
    let workspace = tree.workspace();
    let host = Host {
        triple: String::from("a-b-linux"),
        folder: tree.path().join("built"),
    };
    assert!(build::targets(&workspace, &host, None).is_err(), "no aris");
    tree.write("built/aris", "program");
    let count =
        |given: Option<&Path>| build::targets(&workspace, &host, given).map(|all| all.len());
    assert_eq!(count(None).expect("complete"), 1);
    tree.write("given/c-d-windows/aris", "program");
    let given = Some(Path::new("given"));
    let fault = count(given).expect_err("no aris.exe");
    assert!(fault.to_string().contains("aris.exe"), "{fault}");
    tree.write("given/c-d-windows/aris.exe", "program");
    assert_eq!(count(given).expect("complete"), 2);
    tree.write("given/stray", "");
    assert!(count(given).is_err());
}

/// A program that prints its arguments and exits with 3. With `wait` it exits with 9 at SIGINT; other signals end it.
const SCRIPT: &[u8] = b"#!/bin/sh\n# GLIBC_2.9 GLIBC_2.28\n[ \"$1\" = wait ] && { trap 'exit 9' INT; echo ready; while :; do sleep 0.1; done; }\nprintf '<%s>' \"$@\"\nexit 3\n";

/// Sends signals to the front end alone, and Ctrl-C at a terminal; prints how it ended.
const SIGNALS: &str = r#"
import os, pty, signal, sys
signal.alarm(100)
front = ["node", "node_modules/aris/bin/aris.js", "wait"]
def ended(terminal, send):
    if terminal:
        pid, out = pty.fork()
    else:
        out, end = os.pipe()
        pid = os.fork()
    if pid == 0:
        if not terminal:
            os.setsid()
            os.dup2(os.open(os.devnull, os.O_RDWR), 0)
            os.dup2(end, 1)
        os.execvp(front[0], front)
    said = b""
    while b"ready" not in said:
        said += os.read(out, 100)
    send(pid, out)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
for terminal in [True, False]:
    for name in ["SIGINT", "SIGTERM", "SIGHUP"]:
        code = ended(terminal, lambda pid, out: os.kill(pid, getattr(signal, name)))
        print(name, "at a terminal" if terminal else "elsewhere", code)
print("Ctrl-C", ended(True, lambda pid, out: os.write(out, b"\x03")))
"#;

fn parts(triple: &str) -> Parts<'_> {
    static LICENCES: LazyLock<[(String, String); 1]> =
        LazyLock::new(|| [(String::from("LICENSE"), String::from("licence"))]);
    Parts {
        version: "0.1.0",
        triple,
        program: SCRIPT,
        licences: &*LICENCES,
        time: 1_700_000_000,
    }
}

fn triple() -> String {
    let (arch, system) = (std::env::consts::ARCH, std::env::consts::OS);
    match system {
        "linux" => format!("{arch}-unknown-linux-gnu"),
        _ => format!("{arch}-apple-darwin"),
    }
}

/// Runs a script in an empty folder; `None` if one of the `needed` programs is missing.
fn in_empty_folder(
    needed: &[&str],
    script: &str,
    files: &[(String, Vec<u8>)],
) -> Option<aris_proc::Finished> {
    let place = tempfile::Builder::new().prefix("aris-").tempdir();
    let place = place.expect("temp");
    for needed in needed {
        let words: Vec<&str> = needed.split(' ').collect();
        let call = aris_proc::command(words[0], place.path()).args(&words[1..]);
        if !call.run(PATIENCE).is_ok_and(|done| done.success()) {
            println!("skipped: {needed} does not work here");
            return None;
        }
    }
    for (name, bytes) in files {
        fs::write(place.path().join(name), bytes).expect("written");
    }
    let command = aris_proc::command("sh", place.path()).args(["-c", script, "sh"]);
    let names = files.iter().map(|(name, _)| format!("./{name}"));
    let command = command
        .args(names)
        .env("HOME", place.path())
        .env("NPM_CONFIG_UPDATE_NOTIFIER", "false");
    Some(command.run(PATIENCE * 4).expect("sh ran"))
}

#[test]
fn a_wheel_installs_without_a_network_and_is_the_same_every_time() {
    let triple = triple();
    let wheel = parts(&triple).wheel().expect("packed");
    assert_eq!(wheel, parts(&triple).wheel().expect("packed"));
    if triple.ends_with("gnu") {
        assert!(wheel.0.contains("-py3-none-manylinux_2_28_"), "{}", wheel.0);
    }
    let script = "python3 -m venv env && env/bin/pip install --quiet --no-index --disable-pip-version-check \"$1\" && \
        env/bin/pip show --files aris | grep -q 'licenses/LICENSE' && env/bin/aris one 'two three'";
    let Some(done) = in_empty_folder(&["python3 -m ensurepip --version"], script, &[wheel]) else {
        return;
    };
    assert_eq!(
        (done.end, done.stdout.text().as_ref()),
        (End::Exited(3), "<one><two three>"),
        "{}",
        done.stderr.text()
    );
}

#[test]
fn wheels_say_on_which_platforms_they_run() {
    for (triple, tags) in [
        (
            "x86_64-unknown-linux-musl",
            "manylinux_2_17_x86_64.musllinux_1_1_x86_64",
        ),
        ("aarch64-apple-darwin", "macosx_11_0_arm64"),
        ("x86_64-apple-darwin", "macosx_10_12_x86_64"),
        ("x86_64-pc-windows-msvc", "win_amd64"),
    ] {
        let (name, _) = parts(triple).wheel().expect("packed");
        assert_eq!(name, format!("aris-0.1.0-py3-none-{tags}.whl"));
    }
    assert!(parts("riscv64-unknown-none").wheel().is_err());
    assert!(parts("riscv64-unknown-none").npm().is_err());
}

#[test]
fn npm_packages_install_without_a_network_and_end_as_the_program_ends() {
    let triple = triple();
    let (name, platform, bytes) = parts(&triple).npm().expect("packed");
    let front = packages::npm_front("0.1.0", &[name], &[], 1_700_000_000).expect("packed");
    let files = [(platform, bytes), front];
    let script = "npm init -y >/dev/null && npm install --silent --offline --no-audit --no-fund \"$@\" && \
        npx --offline aris one 'two three'";
    let Some(done) = in_empty_folder(&["npm --version"], script, &files) else {
        return;
    };
    assert_eq!(
        (done.end, done.stdout.text().as_ref()),
        (End::Exited(3), "<one><two three>"),
        "{}",
        done.stderr.text()
    );
    // Without the platform's package.
    let script = "npm init -y >/dev/null && npm install --silent --offline --no-audit --no-fund --omit=optional \"$1\" && \
        npx --offline aris one";
    let [_, front] = files;
    let done = in_empty_folder(&["npm --version"], script, &[front]).expect("npm");
    assert_eq!(done.end, End::Exited(5), "{}", done.stderr.text());
    assert!(done.stderr.text().contains("there is no program for"));
}

#[test]
fn signals_to_the_front_of_npm_reach_the_program_and_it_ends_as_the_program_ends() {
    let triple = triple();
    let (name, platform, bytes) = parts(&triple).npm().expect("packed");
    let front = packages::npm_front("0.1.0", &[name], &[], 1_700_000_000).expect("packed");
    let script = format!(
        "npm init -y >/dev/null && npm install --silent --offline --no-audit --no-fund \"$@\" && python3 - <<'END'\n{SIGNALS}\nEND\n"
    );
    let needed = ["npm --version", "python3 --version"];
    let Some(done) = in_empty_folder(&needed, &script, &[(platform, bytes), front]) else {
        return;
    };
    let expected = "SIGINT at a terminal 9\nSIGTERM at a terminal -15\nSIGHUP at a terminal -1\n\
        SIGINT elsewhere 9\nSIGTERM elsewhere -15\nSIGHUP elsewhere -1\nCtrl-C 9\n";
    assert_eq!(done.stdout.text(), expected, "{}", done.stderr.text());
}

#[test]
fn recipes_name_what_was_built_and_say_what_was_not() {
    let built = vec![(
        String::from("aris-0.1.0-x86_64-unknown-linux-musl.tar.gz"),
        "ab".repeat(32),
    )];
    let recipes = packages::recipes("0.1.0", &built);
    let text = |name: &str| {
        let found = recipes.iter().find(|(known, _)| known == name);
        found.map(|(_, text)| text.as_str()).expect("there")
    };
    let line = format!("sha256sums_x86_64=({})", "ab".repeat(32));
    assert!(text("PKGBUILD").contains(&line), "{}", text("PKGBUILD"));
    assert!(text("PKGBUILD").contains("pkgver=0.1.0"));
    assert!(text("aris.rb").contains("sha256 \"@NOT_BUILT@\""));
    for (name, text) in &recipes {
        assert!(
            !text.contains("@SHA256") && !text.contains("@VERSION"),
            "{name}"
        );
    }
}

#[test]
fn a_tree_takes_the_place_of_the_one_before() {
    let place = tempfile::tempdir().expect("temp");
    let file = |text: &str| File::text(text);
    let first = Files::from([
        (String::from("a/old"), file("1")),
        (String::from("b"), file("1")),
    ]);
    place_tree(place.path(), "aris-1", &first).expect("placed");
    let second = Files::from([
        (String::from("a/new"), file("2")),
        (String::from("b"), file("2")),
        (
            String::from("c"),
            File {
                link: Some(String::from("b")),
                ..file("")
            },
        ),
    ]);
    place_tree(place.path(), "aris-1", &second).expect("replaced");
    let root = place.path().join("aris-1");
    assert!(!root.join("a/old").exists());
    assert_eq!(fs::read_to_string(root.join("a/new")).expect("read"), "2");
    assert_eq!(fs::read_to_string(root.join("c")).expect("read"), "2");
    assert_eq!(fs::read_to_string(root.join("b")).expect("read"), "2");
    assert_eq!(
        fs::read_dir(place.path()).expect("listed").count(),
        1,
        "nothing left over"
    );
}
