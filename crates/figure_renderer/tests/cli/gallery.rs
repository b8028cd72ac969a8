//! The gallery and the other pictures of the skills: no problems, the same bytes, the text in the PDF.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use aris_figure::{COLUMN_MM, Figure, pdf, png};
use aris_testkit::workspace_root;

/// Set to 1 to write the pictures: `UPDATE_GALLERY=1 cargo test -p figure_renderer gallery`.
const UPDATE: &str = "UPDATE_GALLERY";

/// Pixels per inch of the PNGs: twice the size on screen.
const DPI: f64 = 192.0;

fn specs() -> Vec<PathBuf> {
    let folder = workspace_root().join("skills/figure-spec/assets/gallery");
    let mut specs: Vec<PathBuf> = fs::read_dir(folder)
        .expect("the gallery")
        .map(|entry| entry.expect("entry").path())
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "json")
        })
        .collect();
    specs.sort();
    assert!(specs.len() >= 12, "{specs:?}");
    specs
}

fn figure(spec: &Path) -> Figure {
    Figure::read(&fs::read(spec).expect("readable"))
        .unwrap_or_else(|problems| panic!("{}: {problems:?}", spec.display()))
}

fn compare(golden: &Path, bytes: &[u8]) {
    if env::var_os(UPDATE).is_some_and(|value| value == "1") {
        fs::create_dir_all(golden.parent().expect("a folder")).expect("created");
        fs::write(golden, bytes).expect("written");
    }
    let expected = fs::read(golden).unwrap_or_default();
    assert!(
        expected == bytes,
        "{} is another picture; look at it, then {UPDATE}=1 writes it",
        golden.display()
    );
}

#[test]
fn the_gallery_is_drawn_to_the_byte() {
    let goldens = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/gallery");
    for spec in specs() {
        let figure = figure(&spec);
        let svg = figure.svg();
        let golden = goldens.join(spec.file_name().expect("a name"));
        let drawn = pdf(&svg, figure.title()).expect("a PDF");
        compare(&golden.with_extension("pdf"), &drawn);
        compare(
            &golden.with_extension("png"),
            &png(&svg, DPI).expect("a PNG"),
        );
    }
}

/// The pictures of the skills and the gallery, each beside its description. A draft beside its
/// finished figure has problems on purpose.
#[test]
fn pictures_beside_descriptions_are_drawn_to_the_byte() {
    let skills = workspace_root().join("skills");
    let mut seen = 0;
    for entry in aris_fs::walk_sorted(&skills, &mut |_| true).expect("the skills") {
        let picture = entry.path.with_extension("svg");
        if entry
            .path
            .extension()
            .is_some_and(|ending| ending == "json")
            && picture.is_file()
        {
            let figure = figure(&entry.path);
            compare(&picture, figure.svg().as_bytes());
            let problems = figure.problems(COLUMN_MM);
            let name = entry.path.to_string_lossy();
            let finished = name
                .strip_suffix("-draft.json")
                .map(|name| format!("{name}.json"));
            let is_draft = finished.is_some_and(|path| Path::new(&path).is_file());
            assert_eq!(problems.is_empty(), !is_draft, "{problems:#?}");
            seen += 1;
        }
    }
    assert!(seen >= 16, "{seen}");
}

/// The text that `pdftotext` reads; `None` if it is not installed.
fn text_of(pdf: &Path) -> Option<String> {
    let output = Command::new("pdftotext").arg(pdf).arg("-").output().ok()?;
    assert!(output.status.success(), "{}", pdf.display());
    Some(String::from_utf8(output.stdout).expect("text"))
}

#[test]
fn the_text_of_a_pdf_can_be_searched() {
    for (name, words) in [
        (
            "hub-and-spoke",
            ["Executor", "plans and calls", "Literature"],
        ),
        ("chinese-labels", ["文献调研", "多个随机种子", "修改意见"]),
        ("training-loop", ["∂L/∂θ", "lr ≤ 0.001", "no gradient here"]),
    ] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("tests/gallery")
            .join(name)
            .with_extension("pdf");
        let bytes = fs::read(&path).expect("the golden");
        // The map from glyphs to characters, without which text cannot be searched, and the font itself.
        for part in [&b"/ToUnicode"[..], b"/FontFile2"] {
            assert!(
                bytes.windows(part.len()).any(|window| window == part),
                "{name}"
            );
        }
        if let Some(text) = text_of(&path) {
            for word in words {
                assert!(text.contains(word), "{name}: {word}: {text}");
            }
        }
    }
}
