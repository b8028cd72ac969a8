//! A PDF of one page, written by hand.

use std::fmt::Write as _;

/// Lines of Helvetica, 12 points, one below the other.
pub(crate) fn page(lines: &[&str]) -> Vec<u8> {
    let mut text = String::from("BT /F1 12 Tf 14 TL 72 760 Td\n");
    for line in lines {
        let line = line
            .replace('\\', "\\\\")
            .replace('(', "\\(")
            .replace(')', "\\)");
        writeln!(text, "({line}) Tj T*").expect("written");
    }
    text.push_str("ET");
    let objects = [
        String::from("<< /Type /Catalog /Pages 2 0 R >>"),
        String::from("<< /Type /Pages /Kids [3 0 R] /Count 1 >>"),
        String::from(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
        ),
        format!("<< /Length {} >>\nstream\n{text}\nendstream", text.len()),
        String::from("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"),
    ];
    let mut out = String::from("%PDF-1.4\n");
    let mut places = Vec::new();
    for (index, object) in objects.iter().enumerate() {
        places.push(out.len());
        writeln!(out, "{} 0 obj\n{object}\nendobj", index + 1).expect("written");
    }
    let start = out.len();
    writeln!(out, "xref\n0 {}\n0000000000 65535 f ", objects.len() + 1).expect("written");
    for place in places {
        writeln!(out, "{place:010} 00000 n ").expect("written");
    }
    writeln!(
        out,
        "trailer << /Size {} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF",
        objects.len() + 1
    )
    .expect("written");
    out.into_bytes()
}
