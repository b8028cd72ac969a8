//! The short fields of all pages, kept from run to run, so that a command need not read thousands of pages to change one.
//!
//! Derived and disposable: `.wiki/catalogue` below the wiki. A page is read again when its size, times or inode are not those that the
//! catalogue knows, or when it changed after the catalogue's run began to read: then a second change within the file system's clock
//! tick could hide.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt as _;

use crate::node::Kind;
use crate::summary::Summary;

/// First line; another program's, or another version's, catalogue is none.
const HEAD: &str = "aris wiki catalogue 2";
const FIELD: char = '\u{1f}';
const ITEM: char = '\u{1e}';

/// What the file system says about a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stamp {
    size: u64,
    inode: u64,
    modified: i128,
    changed: i128,
}

impl Stamp {
    pub(crate) fn of(metadata: &Metadata) -> Self {
        let nanoseconds =
            |seconds: i64, rest: i64| i128::from(seconds) * 1_000_000_000 + i128::from(rest);
        Self {
            size: metadata.size(),
            inode: metadata.ino(),
            modified: nanoseconds(metadata.mtime(), metadata.mtime_nsec()),
            changed: nanoseconds(metadata.ctime(), metadata.ctime_nsec()),
        }
    }

    /// When it last changed, by the file system's clock.
    pub(crate) fn changed(&self) -> i128 {
        self.changed
    }
}

/// Pages by kind and file name.
#[derive(Debug, Default)]
pub(crate) struct Catalogue {
    /// The last page first, so that the next one is taken off the end.
    pages: Vec<(Stamp, Box<Summary>)>,
}

impl FromIterator<(Stamp, Box<Summary>)> for Catalogue {
    /// Takes pages in the order of kind and file name.
    fn from_iter<T: IntoIterator<Item = (Stamp, Box<Summary>)>>(pages: T) -> Self {
        let mut pages: Vec<_> = pages.into_iter().collect();
        pages.reverse();
        Self { pages }
    }
}

impl Catalogue {
    /// Takes a page out if it is known and unchanged. Pages are asked for in order: those before this one are gone.
    pub(crate) fn take(&mut self, kind: Kind, file: &str, stamp: Stamp) -> Option<Box<Summary>> {
        let due =
            |(_, page): &mut (Stamp, Box<Summary>)| (page.kind, page.file.as_str()) <= (kind, file);
        while let Some((known, page)) = self.pages.pop_if(due) {
            if page.kind == kind && page.file == file {
                return (known == stamp).then_some(page);
            }
        }
        None
    }

    /// Reads a catalogue; an unusable one is empty. Pages that changed at or after the moment when its writer began to read are left
    /// out.
    pub(crate) fn parse(text: &str) -> Self {
        Self::read(text).unwrap_or_default()
    }

    fn read(text: &str) -> Option<Self> {
        let (head, rest) = text.split_once('\n')?;
        let since: i128 = head.strip_prefix(HEAD)?.trim().parse().ok()?;
        // Whole only with its last line.
        let (body, last) = rest
            .strip_suffix('\n')?
            .rsplit_once('\n')
            .unwrap_or(("", rest.trim_end()));
        let count: usize = last.strip_prefix("end ")?.parse().ok()?;
        if body.lines().count() != count {
            return None;
        }
        let pages: Vec<_> = body.lines().map(line_of).collect::<Option<_>>()?;
        let in_order = pages.is_sorted_by(|(_, one), (_, two)| {
            (one.kind, one.file.as_str()) < (two.kind, two.file.as_str())
        });
        let settled = pages.into_iter().filter(|(stamp, _)| stamp.changed < since);
        in_order.then(|| settled.collect())
    }
}

/// Writes a catalogue of pages that were read after the moment `since` of the file system's clock.
pub(crate) fn render<'a>(since: i128, pages: impl Iterator<Item = (&'a Summary, Stamp)>) -> String {
    let mut out = format!("{HEAD} {since}\n");
    let mut count = 0_usize;
    for (page, stamp) in pages {
        count += 1;
        let numbers = [
            stamp.size.to_string(),
            stamp.inode.to_string(),
            stamp.modified.to_string(),
            stamp.changed.to_string(),
            page.year.to_string(),
        ];
        out.push_str(page.kind.prefix());
        for number in &numbers {
            out.push(FIELD);
            out.push_str(number);
        }
        for text in [
            &page.file,
            &page.node,
            &page.title,
            &page.title_key,
            &page.venue,
            &page.arxiv,
            &page.doi,
            &page.s2,
            &page.thesis,
            &page.relevance,
            &page.stage,
            &page.outcome,
            &page.status,
            &page.added,
            &page.lesson,
            &page.questions,
        ] {
            out.push(FIELD);
            out.push_str(text);
        }
        for list in [&page.authors, &page.tags, &page.names, &page.aliases] {
            out.push(FIELD);
            for item in list {
                out.push_str(item);
                out.push(ITEM);
            }
        }
        out.push('\n');
    }
    out.push_str("end ");
    out.push_str(&count.to_string());
    out.push('\n');
    out
}

fn line_of(line: &str) -> Option<(Stamp, Box<Summary>)> {
    let mut fields = line.split(FIELD);
    let prefix = fields.next()?;
    let kind = Kind::ALL.into_iter().find(|kind| kind.prefix() == prefix)?;
    let stamp = Stamp {
        size: fields.next()?.parse().ok()?,
        inode: fields.next()?.parse().ok()?,
        modified: fields.next()?.parse().ok()?,
        changed: fields.next()?.parse().ok()?,
    };
    let year = fields.next()?.parse().ok()?;
    let mut text = || fields.next().map(str::to_owned);
    let mut summary = Box::new(Summary {
        kind,
        file: text()?,
        node: text()?,
        title: text()?,
        title_key: text()?,
        venue: text()?,
        arxiv: text()?,
        doi: text()?,
        s2: text()?,
        thesis: text()?,
        relevance: text()?,
        stage: text()?,
        outcome: text()?,
        status: text()?,
        added: text()?,
        lesson: text()?,
        questions: text()?,
        authors: Vec::new(),
        year,
        tags: Vec::new(),
        names: Vec::new(),
        aliases: Vec::new(),
    });
    let lists = {
        let page = &mut *summary;
        [
            &mut page.authors,
            &mut page.tags,
            &mut page.names,
            &mut page.aliases,
        ]
    };
    for list in lists {
        let items = fields.next()?;
        *list = items.split_terminator(ITEM).map(str::to_owned).collect();
    }
    Some((stamp, summary))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::Page;

    fn stamp(changed: i128) -> Stamp {
        Stamp {
            size: 1,
            inode: 2,
            modified: 3,
            changed,
        }
    }

    #[test]
    fn a_page_comes_back_while_it_is_unchanged() {
        let page = Page::parse(String::from(
            "---\ntitle: \"T\u{1f}\u{1e}x\"\nauthors: [\"A\", \"B\"]\nyear: 2020\ntags: []\n---\n## One-line thesis\na\nb\n",
        ));
        let summary = Summary::of(Kind::Paper, "x.md", &page);
        let text = render(100, [(&summary, stamp(99))].into_iter());
        let read = || Catalogue::parse(&text);
        assert_eq!(
            read().take(Kind::Paper, "x.md", stamp(99)),
            Some(Box::new(summary.clone()))
        );
        assert_eq!(read().take(Kind::Paper, "x.md", stamp(98)), None);
        assert_eq!(read().take(Kind::Idea, "x.md", stamp(99)), None);
        // Changed in the tick in which it was read.
        let racy = render(100, [(&summary, stamp(100))].into_iter());
        assert_eq!(
            Catalogue::parse(&racy).take(Kind::Paper, "x.md", stamp(100)),
            None
        );
        assert_eq!(
            render(1, std::iter::empty()),
            "aris wiki catalogue 2 1\nend 0\n"
        );
        assert!(
            Catalogue::parse("aris wiki catalogue 2 1\nend 0\n")
                .pages
                .is_empty()
        );
    }

    proptest::proptest! {
        #[test]
        fn half_a_catalogue_is_none(cut in 0_usize..1000) {
            let page = Page::parse(String::from("# x\n"));
            let summary = Summary::of(Kind::Claim, "C1.md", &page);
            let other = Summary::of(Kind::Claim, "C2.md", &page);
            let text = render(100, [(&summary, stamp(1)), (&other, stamp(2))].into_iter());
            proptest::prop_assert_eq!(Catalogue::parse(&text).pages.len(), 2);
            if let Some(half) = text.get(..cut.min(text.len().saturating_sub(1))) {
                proptest::prop_assert!(Catalogue::parse(half).pages.is_empty());
            }
        }

        #[test]
        fn no_text_makes_it_panic(text in "(?s).{0,100}") {
            Catalogue::parse(&format!("{HEAD} 5\n{text}"));
        }
    }
}
