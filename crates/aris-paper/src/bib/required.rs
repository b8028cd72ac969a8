//! Required fields of each entry type.
//!
//! **Source**: btxdoc §3.1 for the classic types; *The biblatex Package* §2.1.1 for the others and for the
//! names that replace classic ones (`date`, `journaltitle`, `location`, `thesis`, `report`, …). Where the two differ the less
//! strict one counts, because a file may be meant for either program: `journaltitle` replaces a missing `journal`, `date` a
//! missing `year`.

use super::Resolved;

/// A requirement, met by any of these fields. Messages recommend the first.
pub type Requirement = &'static [&'static str];

const AUTHOR: Requirement = &["author"];
const AUTHOR_OR_EDITOR: Requirement = &["author", "editor"];
const EDITOR: Requirement = &["editor"];
const TITLE: Requirement = &["title"];
const YEAR: Requirement = &["year", "date"];
const JOURNAL: Requirement = &["journal", "journaltitle"];
const BOOKTITLE: Requirement = &["booktitle"];
const PUBLISHER: Requirement = &["publisher"];
const SCHOOL: Requirement = &["school", "institution"];
const INSTITUTION: Requirement = &["institution", "school"];
const CHAPTER_OR_PAGES: Requirement = &["chapter", "pages"];
const NOTE: Requirement = &["note", "howpublished", "url"];
const WHERE_ONLINE: Requirement = &["url", "doi", "eprint", "howpublished"];
const NUMBER: Requirement = &["number"];

/// Requirements of an entry type (lower case); none for types that no source describes.
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

/// Requirements that an entry does not meet, in the order of `requirements`.
pub fn missing(entry: &Resolved<'_>) -> Vec<Requirement> {
    let lacks = |any_of: &&Requirement| any_of.iter().all(|name| entry.field(name).is_none());
    let requirements = requirements(&entry.entry.kind).iter();
    requirements.filter(lacks).copied().collect()
}
