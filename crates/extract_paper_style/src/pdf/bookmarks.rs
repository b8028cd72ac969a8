//! The outline that a PDF carries, its bookmarks: titles with their depth and the page that each leads to.
//!
//! Read by the process of [`crate::pdf::built_in`] alone. Nodes of the outline and of the tree of named places may form circles,
//! and trees as deep as the file likes: each is looked at once, from a list and not by recursion.
//!
//! **Source**: ISO 32000-1, 12.3.2 (destinations), 12.3.3 (outline), 7.9.6 (name trees).

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use pdf_extract::{Dictionary, Document, Object, ObjectId, decode_text_string};
use serde::Serialize;

/// Bookmarks that are taken; a standard of 600 pages has 1,500.
const MOST: usize = 20_000;
/// Named places that are taken; TeX names one for each page, heading, reference and formula.
const NAMES: usize = 400_000;
/// Bytes of a title; what is longer is no heading.
const TITLE: usize = 1024;
/// References that are followed from one to the next.
const HOPS: usize = 8;

/// An entry of the outline.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Bookmark {
    /// 1 for the outermost.
    pub(crate) level: u8,
    /// The page it leads to, counted from 1.
    pub(crate) page: usize,
    /// Without control characters.
    pub(crate) title: String,
}

impl Bookmark {
    /// Writes it as a line: level, page, title.
    pub(crate) fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{} {} {}", self.level, self.page, self.title)
    }

    /// Reads what [`Bookmark::write`] wrote, without its line end.
    pub(crate) fn parse(line: &str) -> Option<Self> {
        let (level, rest) = line.split_once(' ')?;
        let (page, title) = rest.split_once(' ')?;
        Some(Self {
            level: level.parse().ok()?,
            page: page.parse().ok()?,
            title: title.to_owned(),
        })
    }
}

/// The outline of a document, in reading order; entries that lead to no page of it are left out, those below them are not.
pub(crate) fn bookmarks(document: &Document, pages: &BTreeMap<u32, ObjectId>) -> Vec<Bookmark> {
    let Some(root) = document
        .catalog()
        .ok()
        .and_then(|catalog| dictionary(document, catalog, b"Outlines"))
    else {
        return Vec::new();
    };
    let numbers: BTreeMap<ObjectId, usize> = pages.values().copied().zip(1..).collect();
    let places = named_places(document);
    let mut found = Vec::new();
    let mut seen = BTreeSet::new();
    let mut open: Vec<(ObjectId, u8)> = reference(root, b"First")
        .map(|id| (id, 1))
        .into_iter()
        .collect();
    while let Some((id, level)) = open.pop() {
        let Ok(node) = document.get_dictionary(id) else {
            continue;
        };
        if seen.len() >= MOST || !seen.insert(id) {
            continue;
        }
        let page = target(document, node, &places).and_then(|place| match place {
            Object::Reference(id) => numbers.get(id).copied(),
            // Pages of other documents are numbered from 0, and some programs number their own so.
            Object::Integer(number) => usize::try_from(*number).ok().map(|number| number + 1),
            _ => None,
        });
        if let (Some(page), Some(title)) = (
            page.filter(|page| *page <= pages.len()),
            title(document, node),
        ) {
            found.push(Bookmark { level, page, title });
        }
        open.extend(reference(node, b"Next").map(|id| (id, level)));
        open.extend(reference(node, b"First").map(|id| (id, level.saturating_add(1))));
    }
    found
}

/// What a bookmark is called.
fn title(document: &Document, node: &Dictionary) -> Option<String> {
    let title = resolved(document, node.get(b"Title").ok()?)?;
    if title.as_str().ok()?.len() > TITLE {
        return None;
    }
    let plain: String = decode_text_string(title)
        .ok()?
        .chars()
        .map(|letter| if letter.is_control() { ' ' } else { letter })
        .collect();
    let plain = plain.trim();
    (!plain.is_empty()).then(|| plain.to_owned())
}

/// The page in what a bookmark leads to, as it is written there.
fn target<'a>(
    document: &'a Document,
    node: &'a Dictionary,
    places: &BTreeMap<&[u8], &'a Object>,
) -> Option<&'a Object> {
    let direct = node.get(b"Dest").ok();
    let action = || {
        let action = dictionary(document, node, b"A")?;
        let goes = action.get(b"S").and_then(Object::as_name).ok()? == b"GoTo";
        goes.then(|| action.get(b"D").ok())?
    };
    let mut place = resolved(document, direct.or_else(action)?)?;
    if let Object::String(name, _) | Object::Name(name) = place {
        place = resolved(document, places.get(name.as_slice())?)?;
    }
    if let Object::Dictionary(named) = place {
        place = resolved(document, named.get(b"D").ok()?)?;
    }
    place.as_array().ok()?.first()
}

/// Places by name: those of PDF 1.1 in a dictionary, later ones in a tree.
fn named_places(document: &Document) -> BTreeMap<&[u8], &Object> {
    let mut places: BTreeMap<&[u8], &Object> = BTreeMap::new();
    let Ok(catalog) = document.catalog() else {
        return places;
    };
    if let Some(old) = dictionary(document, catalog, b"Dests") {
        places.extend(
            old.iter()
                .take(NAMES)
                .map(|(name, place)| (name.as_slice(), place)),
        );
    }
    let names = dictionary(document, catalog, b"Names");
    let Some(root) = names.and_then(|names| names.get(b"Dests").ok()) else {
        return places;
    };
    let mut seen = BTreeSet::new();
    let mut open = vec![root];
    while let Some(node) = open.pop() {
        if let Object::Reference(id) = node
            && !seen.insert(*id)
        {
            continue;
        }
        let Some(Ok(node)) = resolved(document, node).map(Object::as_dict) else {
            continue;
        };
        let list = |key: &[u8]| {
            let list = resolved(document, node.get(key).ok()?)?;
            list.as_array().ok()
        };
        for pair in list(b"Names")
            .map(Vec::as_slice)
            .unwrap_or_default()
            .chunks_exact(2)
        {
            if let [name, place] = pair
                && let Some(Ok(name)) = resolved(document, name).map(Object::as_str)
                && places.len() < NAMES
            {
                places.insert(name, place);
            }
        }
        let kids = list(b"Kids").map(Vec::as_slice).unwrap_or_default();
        open.extend(kids.iter().take(NAMES.saturating_sub(seen.len())));
        if open.len() > NAMES {
            break;
        }
    }
    places
}

/// What an object stands for; `None` when it leads nowhere.
fn resolved<'a>(document: &'a Document, mut object: &'a Object) -> Option<&'a Object> {
    for _ in 0..HOPS {
        let Object::Reference(id) = object else {
            return Some(object);
        };
        object = document.objects.get(id)?;
    }
    None
}

fn dictionary<'a>(
    document: &'a Document,
    inside: &'a Dictionary,
    key: &[u8],
) -> Option<&'a Dictionary> {
    resolved(document, inside.get(key).ok()?)?.as_dict().ok()
}

fn reference(inside: &Dictionary, key: &[u8]) -> Option<ObjectId> {
    inside.get(key).and_then(Object::as_reference).ok()
}

#[cfg(test)]
mod tests {
    use pdf_extract::{StringFormat, dictionary};

    use super::*;

    fn text(text: &str) -> Object {
        Object::String(text.into(), StringFormat::Literal)
    }

    /// A document of these objects, numbered from 1: its catalog, then two pages, then whatever follows.
    fn document(objects: Vec<Object>) -> (Document, BTreeMap<u32, ObjectId>) {
        let mut document = Document::new();
        for (number, object) in (1..).zip(objects) {
            document.objects.insert((number, 0), object);
        }
        document.trailer.set("Root", Object::Reference((1, 0)));
        (document, BTreeMap::from([(1, (2, 0)), (2, (3, 0))]))
    }

    fn node(title: Object, next: u32, first: u32, key: &str, place: Object) -> Object {
        let mut node = dictionary! { "Title" => title, key => place };
        for (key, id) in [("Next", next), ("First", first)] {
            if id > 0 {
                node.set(key, Object::Reference((id, 0)));
            }
        }
        Object::Dictionary(node)
    }

    fn page(id: u32) -> Object {
        Object::Array(vec![Object::Reference((id, 0)), "Fit".into()])
    }

    fn found(objects: Vec<Object>) -> Vec<(u8, usize, String)> {
        let (document, pages) = document(objects);
        let found = bookmarks(&document, &pages);
        found
            .into_iter()
            .map(|one| (one.level, one.page, one.title))
            .collect()
    }

    #[test]
    fn places_are_found_however_they_are_written() {
        let wide = Object::String(
            b"\xfe\xff\0M\0e\0t\0h\0o\0d\0\n\0A".to_vec(),
            StringFormat::Hexadecimal,
        );
        let catalog = dictionary! {
            "Outlines" => dictionary! { "First" => Object::Reference((4, 0)) },
            "Dests" => dictionary! { "old" => page(3) },
            "Names" => dictionary! { "Dests" => dictionary! { "Kids" => vec![Object::Reference((9, 0))] } },
        };
        let action = dictionary! { "S" => "GoTo", "D" => text("new") };
        let far = dictionary! { "S" => "URI", "URI" => text("https://example.org") };
        let names = dictionary! { "Names" => vec![text("new"), Object::Dictionary(dictionary! { "D" => page(3) })] };
        let objects = vec![
            Object::Dictionary(catalog),
            Object::Null,
            Object::Null,
            node(text("Introduction"), 6, 5, "Dest", page(2)),
            node(text("Parts"), 0, 0, "Dest", Object::Name(b"old".to_vec())),
            node(wide, 7, 0, "A", Object::Dictionary(action)),
            node(text("Elsewhere"), 8, 10, "A", Object::Dictionary(far)),
            node(
                text("Results"),
                0,
                0,
                "Dest",
                Object::Array(vec![Object::Integer(1)]),
            ),
            Object::Dictionary(names),
            node(text("Below"), 0, 0, "Dest", page(2)),
        ];
        let expected = [
            (1, 1, "Introduction"),
            (2, 2, "Parts"),
            (1, 2, "Method A"),
            (2, 1, "Below"),
            (1, 2, "Results"),
        ];
        assert_eq!(
            found(objects),
            expected.map(|(level, page, title)| (level, page, title.to_owned()))
        );
    }

    #[test]
    fn circles_end() {
        let catalog = dictionary! {
            "Outlines" => dictionary! { "First" => Object::Reference((4, 0)) },
            "Names" => dictionary! { "Dests" => Object::Reference((5, 0)) },
        };
        let kids =
            dictionary! { "Kids" => vec![Object::Reference((5, 0)), Object::Reference((6, 0))] };
        let objects = vec![
            Object::Dictionary(catalog),
            Object::Null,
            Object::Null,
            node(text("Again"), 4, 4, "Dest", page(2)),
            Object::Dictionary(kids),
            Object::Reference((6, 0)),
        ];
        assert_eq!(found(objects), [(1, 1, String::from("Again"))]);
    }

    #[test]
    fn a_bookmark_is_written_and_read() {
        let one = Bookmark {
            level: 2,
            page: 17,
            title: String::from("A title  with 2 words"),
        };
        let mut line = Vec::new();
        one.write(&mut line).expect("written");
        let line = String::from_utf8(line).expect("text");
        assert_eq!(Bookmark::parse(line.trim_end()), Some(one));
        assert_eq!(Bookmark::parse("2 x y"), None);
    }

    proptest::proptest! {
        #[test]
        fn no_outline_makes_it_panic_or_run_on(links in proptest::collection::vec((0_u32..12, 0_u32..12, 0_u32..14), 0..12)) {
            let catalog = dictionary! { "Outlines" => Object::Reference((4, 0)), "Names" => Object::Reference((5, 0)) };
            let mut objects = vec![Object::Dictionary(catalog), Object::Null, Object::Null];
            for (next, first, place) in &links {
                let place = if place % 2 == 0 { page(*place) } else { Object::Reference((*place, 0)) };
                objects.push(node(text("T"), *next, *first, "Dest", place));
            }
            let count = found(objects).len();
            proptest::prop_assert!(count <= links.len());
        }

        #[test]
        fn no_line_makes_it_panic(line in "\\PC{0,40}") {
            drop(Bookmark::parse(&line));
        }
    }
}
