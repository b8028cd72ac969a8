//! PDFs written by hand, and the profiles made of them.

mod book;
mod headings;
mod hostile;
mod paper;

use std::fmt::Write as _;

use serde_json::Value;

/// These fields of each section; null where a section has none.
pub(crate) fn rows(profile: &Value, fields: &[&str]) -> Vec<Value> {
    let sections = profile["sections"].as_array().expect("sections");
    let field = |section: &Value, path: &&str| {
        let found = section.pointer(&format!("/{path}"));
        found.cloned().unwrap_or_default()
    };
    let row = |section| fields.iter().map(|path| field(section, path)).collect();
    sections.iter().map(row).collect()
}

/// A piece of text: x, y and size in points, whether it is bold, its characters.
pub(crate) type Span<'a> = (f64, f64, f64, bool, &'a str);

/// The operators that draw pieces of text, in this order.
pub(crate) fn drawn(spans: &[Span<'_>]) -> String {
    let mut out = String::new();
    for (x, y, size, bold, text) in spans {
        let font = if *bold { "F2" } else { "F1" };
        let text = text
            .replace('\\', "\\\\")
            .replace('(', "\\(")
            .replace(')', "\\)");
        writeln!(out, "BT /{font} {size} Tf {x} {y} Td ({text}) Tj ET").expect("written");
    }
    out
}

/// A PDF in Helvetica; each page is given by its operators.
pub(crate) fn document(pages: &[String]) -> Vec<u8> {
    outlined(pages, &[])
}

/// A bookmark: its level, the page it leads to (from 0), its title.
pub(crate) type Bookmark<'a> = (usize, usize, &'a str);

/// A PDF with an outline.
pub(crate) fn outlined(pages: &[String], bookmarks: &[Bookmark<'_>]) -> Vec<u8> {
    let kids: Vec<String> = (0..pages.len())
        .map(|index| format!("{} 0 R", 5 + 2 * index))
        .collect();
    let font = "<< /Type /Font /Subtype /Type1 /BaseFont";
    let root = 5 + 2 * pages.len();
    let outlines = match bookmarks {
        [] => String::new(),
        _ => format!("/Outlines {root} 0 R"),
    };
    let mut objects = vec![
        format!("<< /Type /Catalog /Pages 2 0 R {outlines} >>"),
        format!(
            "<< /Type /Pages /Kids [{}] /Count {} >>",
            kids.join(" "),
            kids.len()
        ),
        format!("{font} /Helvetica >>"),
        format!("{font} /Helvetica-Bold >>"),
    ];
    for (index, page) in pages.iter().enumerate() {
        objects.push(format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {} 0 R /Resources << /Font << /F1 3 0 R /F2 4 0 R >> >> >>",
            6 + 2 * index
        ));
        objects.push(format!(
            "<< /Length {} >>\nstream\n{page}\nendstream",
            page.len()
        ));
    }
    if !bookmarks.is_empty() {
        let count = bookmarks.iter().filter(|one| one.0 == 1).count();
        let first = root + 1;
        objects.push(format!(
            "<< /Type /Outlines /First {first} 0 R /Last {first} 0 R /Count {count} >>"
        ));
    }
    for (at, (level, page, title)) in bookmarks.iter().enumerate() {
        let below = &bookmarks[at + 1..];
        let family = below.iter().take_while(|other| other.0 >= *level).count();
        let next = below[..family].iter().position(|other| other.0 == *level);
        let mut node = format!("<< /Title ({title}) /Dest [{} 0 R /Fit]", 5 + 2 * page);
        if let Some(next) = next {
            write!(node, " /Next {} 0 R", root + 2 + at + next).expect("written");
        }
        if below.first().is_some_and(|other| other.0 > *level) {
            let first = root + 2 + at;
            write!(node, " /First {first} 0 R /Last {first} 0 R /Count 1").expect("written");
        }
        objects.push(node + " >>");
    }
    file(&objects)
}

/// A PDF of these objects; the first is its catalog.
pub(crate) fn file(objects: &[String]) -> Vec<u8> {
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
    let id = "<0123456789abcdef0123456789abcdef>";
    writeln!(
        out,
        "trailer << /Size {} /Root 1 0 R /ID [{id} {id}] >>\nstartxref\n{start}\n%%EOF",
        objects.len() + 1
    )
    .expect("written");
    out.into_bytes()
}

/// A PDF of one page with these lines in one size, one below the other.
pub(crate) fn page(lines: &[&str]) -> Vec<u8> {
    let spans: Vec<Span<'_>> = (0_u32..)
        .zip(lines)
        .map(|(row, line)| (72.0, 760.0 - 14.0 * f64::from(row), 12.0, false, *line))
        .collect();
    document(&[drawn(&spans)])
}
