//! What is no PDF, or one that means harm: exit 4 or 6, never a panic, a signal or a hang.

use aris_testkit::{Project, Run};
use pdf_extract::Document;
use proptest::prelude::*;

use super::paper::{Engine, engines, read};
use super::{document, drawn, file, page};
use crate::{helper, profile};

const FONTS: &str = "/Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >>";

/// A page that draws form 5 0 R; further objects follow.
fn with_forms(forms: &[String]) -> Vec<u8> {
    let content = "/X5 Do";
    let mut objects = vec![
        String::from("<< /Type /Catalog /Pages 2 0 R >>"),
        String::from("<< /Type /Pages /Kids [3 0 R] /Count 1 >>"),
        format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << {FONTS} /XObject << /X5 5 0 R >> >> >>"
        ),
        format!(
            "<< /Length {} >>\nstream\n{content}\nendstream",
            content.len()
        ),
    ];
    objects.extend_from_slice(forms);
    file(&objects)
}

/// A form that draws object `next`, `times` times.
fn form(next: usize, times: usize) -> String {
    let content = format!("/X{next} Do ").repeat(times);
    format!(
        "<< /Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << {FONTS} /XObject << /X{next} {next} 0 R >> >> /Length {} >>\nstream\n{content}\nendstream",
        content.len()
    )
}

fn is_refused(run: &Run, engine: Engine, what: &str) {
    assert!(!run.stderr().contains("panicked"), "{what}: {run}");
    // pdftotext repairs much.
    if engine == Engine::Pdftotext && run.code() == 0 {
        return;
    }
    assert!(matches!(run.code(), 4 | 6), "{what}: {run}");
    assert!(run.error()["code"].is_string(), "{what}: {run}");
}

#[test]
fn hostile_files_are_refused() {
    let whole = page(&["1 Introduction", "Gadgets were long thought to be green."]);
    let half = whole[..whole.len() / 2].to_vec();
    let nested = |open: &str, close: &str| {
        let deep = format!("{}{}", open.repeat(200_000), close.repeat(200_000));
        file(&[format!("<< /Type /Catalog /Pages {deep} >>")])
    };
    let kids = |kids: &str| {
        file(&[
            String::from("<< /Type /Catalog /Pages 2 0 R >>"),
            format!("<< /Type /Pages /Kids [{kids}] /Count 1000000000 >>"),
            String::from("<< /Type /Page /Parent 3 0 R >>"),
        ])
    };
    let count = String::from_utf8_lossy(&whole)
        .replace("xref\n0 7", "xref\n0 4000000000")
        .replace("/Size 7", "/Size 4000000000");
    let files: [(&str, Vec<u8>); 10] = [
        ("no more than a mark", b"%PDF-1.4 and no more".to_vec()),
        ("half of a file", half),
        ("nested lists", nested("[", "]")),
        ("nested dictionaries", nested("<< /A ", " >>")),
        ("a tree of pages that is a circle", kids("2 0 R 2 0 R")),
        ("a page that is its own parent", kids("3 0 R")),
        ("more objects than there are bytes", {
            let mut bytes = count.clone().into_bytes();
            bytes.truncate(bytes.len() - 60);
            bytes
        }),
        ("a form that draws itself", with_forms(&[form(5, 1)])),
        (
            "a stream without end",
            with_forms(&[String::from("<< /Length 99999999999 >>\nstream\n")]),
        ),
        ("zeros", [b"%PDF-1.7\n".to_vec(), vec![0; 100_000]].concat()),
    ];
    for (name, bytes) in files {
        let project = Project::new().file("ref.pdf", &bytes);
        for engine in engines() {
            let run = read(&project, "ref.pdf", engine);
            is_refused(&run, engine, &format!("{name}, {engine:?}"));
        }
    }
}

#[test]
fn what_takes_too_long_is_ended() {
    // Ten times ten times ten …
    let mut forms: Vec<String> = (6..26).map(|next| form(next, 10)).collect();
    forms.push(form(6, 0));
    let project = Project::new().file("ref.pdf", with_forms(&forms));
    let run = helper()
        .call(project.path())
        .env("HOME", project.path())
        .env("PATH", project.at("no programs"))
        .args([
            "--source",
            "ref.pdf",
            "--out",
            "styles",
            "--pdf-seconds",
            "1",
            "--json",
        ])
        .run()
        .expect_code(6);
    let error = run.error();
    let message = error["message"].as_str().unwrap_or_default();
    assert_eq!(error["code"], "TIMEOUT", "{run}");
    assert!(
        message.ends_with("ref.pdf: reading the PDF takes longer than 1 s"),
        "{run}"
    );
    assert!(!project.at("styles").exists());
}

#[test]
fn a_page_that_breaks_the_reader_does_not_take_the_others_with_it() {
    let page = |text: &str| drawn(&[(72.0, 700.0, 10.0, false, text)]);
    let first = page("Gadgets were long thought to be green, which nobody doubted.");
    // The font does not exist; the reader panics on that.
    let torn = page("We doubted it in the dark of the night.") + "\nBT /F9 10 Tf (and more) Tj ET";
    let last = page("They turned out to be purple, and to wobble.");
    let project = Project::new().file("ref.pdf", document(&[first, torn, last]));
    let run = read(&project, "ref.pdf", Engine::BuiltIn).expect_code(0);
    assert!(run.stderr().contains("warning: 1 page of the PDF"), "{run}");
    assert!(!run.stderr().contains("panicked"), "{run}");
    // 10, 9 and 9 words.
    assert_eq!(profile(&run)["words"], 28);
    let manifest = std::fs::read_to_string(run.data()["manifest"].as_str().expect("a path"));
    assert!(manifest.expect("a file").contains("\"torn_pages\": 1"));
}

/// One page of ten words, and a catalog with more in it.
fn with_catalog(more: &str) -> Vec<u8> {
    let text = "Gadgets were long thought to be green, which nobody doubted.";
    let content = drawn(&[(72.0, 700.0, 10.0, false, text)]);
    file(&[
        format!("<< /Type /Catalog /Pages 2 0 R {more} >>"),
        String::from("<< /Type /Pages /Kids [3 0 R] /Count 1 >>"),
        format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << {FONTS} >> >>"
        ),
        format!(
            "<< /Length {} >>\nstream\n{content}\nendstream",
            content.len()
        ),
    ])
}

#[test]
fn an_outline_that_means_harm_does_no_harm() {
    let node = "/First 1 0 R /Next 1 0 R /Title (T)";
    let files = [
        (format!("/Outlines 1 0 R {node} /Dest [3 0 R]"), "unfit"),
        // A place that is called what it is called.
        (
            format!(
                "/Outlines 1 0 R {node} /Dest (T) /Names << /Dests 1 0 R >> /Kids [1 0 R 1 0 R] /Names [(T) (T)]"
            ),
            "absent",
        ),
        (
            format!("/Outlines << {node} >> {node} /A 1 0 R /S /GoTo /D 1 0 R"),
            "absent",
        ),
        (String::from("/Outlines [1 2 3]"), "absent"),
        (String::from("/Outlines 9 0 R"), "absent"),
    ];
    for (more, expected) in files {
        let project = Project::new().file("ref.pdf", with_catalog(&more));
        for engine in engines() {
            let run = read(&project, "ref.pdf", engine).expect_code(0);
            assert_eq!(profile(&run)["words"], 10, "{more}, {engine:?}");
            let path = run.data()["manifest"].clone();
            let manifest = std::fs::read_to_string(path.as_str().expect("a path"));
            let said = format!("\"pdf_outline\": \"{expected}\"");
            assert!(
                manifest.expect("a file").contains(&said),
                "{more}, {engine:?}"
            );
        }
    }
    let deep = format!(
        "/Outlines {}{}",
        "<< /First ".repeat(200_000),
        ">>".repeat(200_000)
    );
    let project = Project::new().file("ref.pdf", with_catalog(&deep));
    for engine in engines() {
        let run = read(&project, "ref.pdf", engine);
        assert!(matches!(run.code(), 0 | 4 | 6), "{engine:?}: {run}");
        assert!(!run.stderr().contains("panicked"), "{engine:?}: {run}");
        // What the text says does not depend on the outline.
        let is_warned = run
            .stderr()
            .contains("warning: the outline of the PDF could not be read");
        assert!(run.code() != 0 || is_warned, "{engine:?}: {run}");
    }
}

#[test]
fn a_copy_under_another_name_reads_pdf_too() {
    let text = "Gadgets were long thought to be green, which nobody doubted.";
    let project = Project::new().file("ref.pdf", page(&[text]));
    let run = aris_testkit::Helper::at("/bin/sh")
        .call(project.path())
        .env("HOME", project.path())
        .env("PROGRAM", helper().path())
        .args([
            "-c",
            "cp \"$PROGRAM\" copy; PATH=/nowhere exec ./copy --source ref.pdf --out styles --json",
        ])
        .run()
        .expect_code(0);
    assert_eq!(run.data()["pdf_engine"], "built_in");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]
    #[test]
    fn changed_bytes_are_read_or_refused(packed in any::<bool>(), changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0_usize..4), 1..12)) {
        let mut bytes = page(&["1 Introduction", "Gadgets were long thought to be green.", "2 Method", "We look at them."]);
        if packed {
            let mut document = Document::load_mem(&bytes).expect("a PDF");
            document.compress();
            bytes.clear();
            document.save_modern(&mut bytes).expect("written");
        }
        for (place, byte, how) in changes {
            let at = place.index(bytes.len().max(1));
            match how {
                0 => bytes[at] = byte,
                1 => drop(bytes.splice(at..at, [byte; 3])),
                2 => drop(bytes.drain(at..(at + 7).min(bytes.len()))),
                _ => {
                    let piece = bytes[at..(at + 40).min(bytes.len())].to_vec();
                    bytes.extend(piece);
                }
            }
        }
        // What it begins with says what a file is.
        bytes.splice(..bytes.len().min(5), *b"%PDF-");
        let project = Project::new().file("ref.pdf", &bytes);
        let run = read(&project, "ref.pdf", Engine::BuiltIn);
        prop_assert!(matches!(run.code(), 0 | 4 | 6), "{}", run);
        prop_assert!(!run.stderr().contains("panicked"), "{}", run);
    }
}
