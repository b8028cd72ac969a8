//! Files that are not PDFs, and hostile PDFs: exit 4 or 6, never a panic, a signal or a hang.

use aris_testkit::{Project, Run};

use super::paper::has_poppler;
use super::{file, page};
use crate::call;

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

fn is_refused(run: &Run, what: &str) {
    assert!(!run.stderr().contains("panicked"), "{what}: {run}");
    // pdftotext repairs much, so success is allowed.
    if run.code() != 0 {
        assert!(matches!(run.code(), 4 | 6), "{what}: {run}");
        assert!(run.error()["code"].is_string(), "{what}: {run}");
    }
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
    if !has_poppler() {
        return;
    }
    for (name, bytes) in files {
        let project = Project::new().file("ref.pdf", &bytes);
        is_refused(&call(&project, "ref.pdf"), name);
    }
}

#[test]
fn an_outline_that_means_harm_does_no_harm() {
    if !has_poppler() {
        return;
    }
    let node = "/First 1 0 R /Next 1 0 R /Title (T)";
    for more in [
        format!("/Outlines 1 0 R {node} /Dest [3 0 R]"),
        format!("/Outlines << {node} >> {node} /A 1 0 R /S /GoTo /D 1 0 R"),
        String::from("/Outlines [1 2 3]"),
        String::from("/Outlines 9 0 R"),
        format!(
            "/Outlines {}{}",
            "<< /First ".repeat(200_000),
            ">>".repeat(200_000)
        ),
    ] {
        let text = String::from_utf8(page(&[
            "Gadgets were long thought to be green, which nobody doubted.",
        ]));
        let bytes =
            text.expect("text")
                .replacen("/Pages 2 0 R", &format!("/Pages 2 0 R {more}"), 1);
        let project = Project::new().file("ref.pdf", bytes);
        is_refused(&call(&project, "ref.pdf"), more.get(..40).unwrap_or(&more));
    }
}
