#![allow(clippy::disallowed_methods, reason = "tests prepare files directly")]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use aris_proc::End;

use super::build::{Host, Programs};
use super::contents::{File, placed};
use super::*;
use crate::install;
use crate::verify::tree::Tree;

const PATIENCE: Duration = Duration::from_secs(30);

/// What a launcher of the tree's only helper looks like, with a shell as its program.
fn release(workspace: &Workspace) -> Files {
    let contract = r#"{"name": "tool", "version": "1.0.0", "summary": "Do it", "usage": "tool", "input": "i", "output": "o",
        "stderr": "e", "exit": [], "json_schemas": [], "examples": ["tool x"]}"#;
    let contract = serde_json::from_str(contract).expect("a contract");
    let launcher = aris_launch::launcher(&contract)
        .expect("a launcher")
        .into_bytes();
    let shell = fs::read(fs::canonicalize("/bin/sh").expect("a shell")).expect("read");
    let triple = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
    let mut files = placed(
        workspace,
        &triple,
        &Programs::from([(String::from("tool"), shell)]),
    );
    let executable = true;
    files.insert(
        String::from("skills/tool-skill/scripts/tool"),
        File {
            bytes: launcher,
            executable,
        },
    );
    for (path, text) in install::shims(workspace, None) {
        files.insert(
            path,
            File {
                bytes: text.into_bytes(),
                executable,
            },
        );
    }
    let long = format!("share/{}/x", "a folder ".repeat(20));
    files.insert(
        long,
        File {
            bytes: b"far down".to_vec(),
            executable: false,
        },
    );
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
        // Less what the umask takes.
        assert_eq!(mode & 0o700, file.mode() & 0o700, "{path}");
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
    let programs = Programs::from([
        (String::from("tool"), vec![1]),
        (String::from("aris"), vec![2]),
    ]);
    let files = placed(&tree.workspace(), "x86_64-pc-windows-msvc", &programs);
    let paths: Vec<&str> = files.keys().map(String::as_str).collect();
    assert_eq!(
        paths,
        [
            "bin/aris.cmd",
            "bin/bin/aris-x86_64-pc-windows-msvc.exe",
            "skills/tool-skill/scripts/bin/tool-x86_64-pc-windows-msvc.exe",
            "skills/tool-skill/scripts/tool.cmd",
        ]
    );
}

#[test]
fn a_target_without_one_of_the_programs_is_refused() {
    let tree = Tree::new();
    let workspace = tree.workspace();
    tree.write("built/tool", "program");
    let host = Host {
        triple: String::from("a-b-linux"),
        folder: tree.path().join("built"),
    };
    assert!(build::targets(&workspace, &host, None).is_err(), "no aris");
    tree.write("built/aris", "program");
    assert_eq!(
        build::targets(&workspace, &host, None)
            .expect("complete")
            .len(),
        1
    );
    tree.write("given/c-d-windows/tool.exe", "program");
    let given = Some(Path::new("given"));
    let fault = build::targets(&workspace, &host, given).expect_err("no aris.exe");
    assert!(fault.to_string().contains("aris.exe"), "{fault}");
    tree.write("given/c-d-windows/aris.exe", "program");
    assert_eq!(
        build::targets(&workspace, &host, given)
            .expect("complete")
            .len(),
        2
    );
    tree.write("given/stray", "");
    assert!(build::targets(&workspace, &host, given).is_err());
}

#[test]
fn a_tree_takes_the_place_of_the_one_before() {
    let place = tempfile::tempdir().expect("temp");
    let file = |text: &str| File {
        bytes: text.as_bytes().to_vec(),
        executable: false,
    };
    let first = Files::from([
        (String::from("a/old"), file("1")),
        (String::from("b"), file("1")),
    ]);
    place_tree(place.path(), "aris-1", &first).expect("placed");
    let second = Files::from([
        (String::from("a/new"), file("2")),
        (String::from("b"), file("2")),
    ]);
    place_tree(place.path(), "aris-1", &second).expect("replaced");
    let root = place.path().join("aris-1");
    assert!(!root.join("a/old").exists());
    assert_eq!(fs::read_to_string(root.join("a/new")).expect("read"), "2");
    assert_eq!(fs::read_to_string(root.join("b")).expect("read"), "2");
    assert_eq!(
        fs::read_dir(place.path()).expect("listed").count(),
        1,
        "nothing left over"
    );
}
