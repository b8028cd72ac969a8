//! PDFs written by hand, and what becomes of them.

mod book;
mod hostile;
mod paper;

use std::fmt::Write as _;

use pdf_extract::{Document, Object, ObjectId, dictionary, text_string};
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

/// A piece of text: x, y and size in points, whether it is bold, and its letters.
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

/// A PDF with pages of these operators, in Helvetica.
pub(crate) fn document(pages: &[String]) -> Vec<u8> {
    let kids: Vec<String> = (0..pages.len())
        .map(|index| format!("{} 0 R", 5 + 2 * index))
        .collect();
    let font = "<< /Type /Font /Subtype /Type1 /BaseFont";
    let mut objects = vec![
        String::from("<< /Type /Catalog /Pages 2 0 R >>"),
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
    file(&objects)
}

/// The PDF with an outline: level, page and title of each bookmark.
pub(crate) fn with_outline(pdf: &[u8], bookmarks: &[(usize, u32, &str)]) -> Vec<u8> {
    let mut document = Document::load_mem(pdf).expect("a PDF");
    let pages = document.get_pages();
    let ids: Vec<ObjectId> = bookmarks.iter().map(|_| document.new_object_id()).collect();
    for (at, (level, page, title)) in bookmarks.iter().enumerate() {
        let place = vec![
            Object::Reference(pages[page]),
            Object::Name(b"Fit".to_vec()),
        ];
        let mut node = dictionary! { "Title" => text_string(title), "Dest" => place };
        let below = &bookmarks[at + 1..];
        let family = below
            .iter()
            .take_while(|(other, ..)| other >= level)
            .count();
        let next = below[..family]
            .iter()
            .position(|(other, ..)| other == level);
        if let Some(next) = next {
            node.set("Next", Object::Reference(ids[at + 1 + next]));
        }
        if below.first().is_some_and(|(other, ..)| other > level) {
            node.set("First", Object::Reference(ids[at + 1]));
        }
        document.objects.insert(ids[at], Object::Dictionary(node));
    }
    let outline = document.add_object(dictionary! { "First" => Object::Reference(ids[0]) });
    let catalog = document.catalog_mut().expect("a catalog");
    catalog.set("Outlines", Object::Reference(outline));
    let mut bytes = Vec::new();
    document.save_to(&mut bytes).expect("written");
    bytes
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

/// One page of lines in one size, one below the other.
pub(crate) fn page(lines: &[&str]) -> Vec<u8> {
    let spans: Vec<Span<'_>> = (0_u32..)
        .zip(lines)
        .map(|(row, line)| (72.0, 760.0 - 14.0 * f64::from(row), 12.0, false, *line))
        .collect();
    document(&[drawn(&spans)])
}
