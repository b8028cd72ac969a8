//! Which fields an entry of each type must have.
//!
//! **Source**: btxdoc §3.1 for the classic types; *The biblatex Package* §2.1.1 for the others and for the
//! names that stand for classic ones (`date`, `journaltitle`, `location`, `thesis`, `report`, …). Where the
//! two differ the milder one counts, because a file may be meant for either program: a missing
//! `journal` is met by `journaltitle`, a missing `year` by `date`.

use super::Resolved;

/// One thing an entry must have: any of these fields will do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Requirement {
    /// Field names; the first is the one to recommend.
    pub any_of: &'static [&'static str],
}

const fn one(any_of: &'static [&'static str]) -> Requirement {
    Requirement { any_of }
}

const AUTHOR: Requirement = one(&["author"]);
const AUTHOR_OR_EDITOR: Requirement = one(&["author", "editor"]);
const EDITOR: Requirement = one(&["editor"]);
const TITLE: Requirement = one(&["title"]);
const YEAR: Requirement = one(&["year", "date"]);
const JOURNAL: Requirement = one(&["journal", "journaltitle"]);
const BOOKTITLE: Requirement = one(&["booktitle"]);
const PUBLISHER: Requirement = one(&["publisher"]);
const SCHOOL: Requirement = one(&["school", "institution"]);
const INSTITUTION: Requirement = one(&["institution", "school"]);
const CHAPTER_OR_PAGES: Requirement = one(&["chapter", "pages"]);
const NOTE: Requirement = one(&["note", "howpublished", "url"]);
const WHERE_ONLINE: Requirement = one(&["url", "doi", "eprint", "howpublished"]);
const NUMBER: Requirement = one(&["number"]);

/// What an entry of this type (lower case) must have; nothing for types that no source describes.
fn requirements(kind: &str) -> &'static [Requirement] {
    match kind {
        "article" => &[AUTHOR, TITLE, JOURNAL, YEAR],
        "book" => &[AUTHOR_OR_EDITOR, TITLE, PUBLISHER, YEAR],
        "booklet" | "manual" => &[TITLE],
        "inbook" => &[AUTHOR_OR_EDITOR, TITLE, CHAPTER_OR_PAGES, PUBLISHER, YEAR],
        "incollection" => &[AUTHOR, TITLE, BOOKTITLE, PUBLISHER, YEAR],
        "inproceedings" | "conference" => &[AUTHOR, TITLE, BOOKTITLE, YEAR],
        "mastersthesis" | "phdthesis" | "thesis" => &[AUTHOR, TITLE, SCHOOL, YEAR],
        "techreport" | "report" => &[AUTHOR, TITLE, INSTITUTION, YEAR],
        "proceedings" => &[TITLE, YEAR],
        "unpublished" => &[AUTHOR, TITLE, NOTE],
        "collection" => &[EDITOR, TITLE, YEAR],
        "online" | "electronic" | "www" => &[AUTHOR_OR_EDITOR, TITLE, YEAR, WHERE_ONLINE],
        "software" | "dataset" => &[AUTHOR_OR_EDITOR, TITLE, YEAR],
        "patent" => &[AUTHOR, TITLE, NUMBER, YEAR],
        _ => &[],
    }
}

/// What an entry should have and does not, in the order of `requirements`.
pub fn missing(entry: &Resolved<'_>) -> Vec<Requirement> {
    requirements(&entry.entry.kind)
        .iter()
        .filter(|requirement| {
            requirement
                .any_of
                .iter()
                .all(|name| entry.field(name).is_none())
        })
        .copied()
        .collect()
}
