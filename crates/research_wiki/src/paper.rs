//! Pages of papers: makes a new page from a description, or adds a description to an existing page.

use aris_contract::artifact::papers::{Kind as PaperKind, Paper};
use aris_contract::ids::{ArxivId, Doi};

use crate::{blank, slug};
use aris_paper::{records, venues};
use aris_wiki::identity::{ALIASES, Identity};
use aris_wiki::node::Kind;
use aris_wiki::page::scalar::{list, quoted};
use aris_wiki::page::{CONNECTIONS, Filled, Page, one_line};

/// Venue of a new page for which none is known.
pub(crate) const NO_VENUE: &str = "unknown";

/// Field with the type of a paper's entry in a bibliography.
pub(crate) const ENTRY: &str = "bibtex_entry";

/// What is known of a paper before it has a page. Unknown fields are empty or 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Description {
    /// arXiv identifier without version.
    pub arxiv: String,
    /// DOI.
    pub doi: String,
    /// Semantic Scholar's identifier.
    pub s2: String,
    /// Title.
    pub title: String,
    /// Authors in order.
    pub authors: Vec<String>,
    /// Year.
    pub year: u32,
    /// Venue.
    pub venue: String,
    /// What the source says the paper is.
    pub kind: Option<PaperKind>,
    /// Abstract.
    pub summary: String,
}

/// What the user says about a paper when it is ingested.
#[derive(Clone, Debug, Default)]
pub struct Remarks {
    /// One line about what it shows.
    pub thesis: String,
    /// Tags.
    pub tags: Vec<String>,
}

/// The sections of a new page between thesis and abstract, as the reference writes them.
const SECTIONS: [&str; 10] = [
    "Problem / Gap",
    "Method",
    "Key Results",
    "Assumptions",
    "Limitations / Failure Modes",
    "Reusable Ingredients",
    "Open Questions",
    "Claims",
    CONNECTIONS,
    "Relevance to This Project",
];

/// Heading of the thesis.
const THESIS: &str = "One-line thesis";

/// Heading of the abstract.
const ABSTRACT: &str = "Abstract (original)";

impl Description {
    /// The description from a source's record.
    pub fn of(paper: &Paper) -> Self {
        let ids = &paper.ids;
        let arxiv = ids.arxiv.as_ref().map_or("", ArxivId::as_str);
        let published = ids.doi.iter().find(|doi| doi.arxiv().is_none());
        let fallback = if arxiv.is_empty() { "" } else { "arXiv" };
        let authors = paper.authors.iter();
        Self {
            arxiv: arxiv.to_owned(),
            doi: published.map_or("", Doi::as_str).to_owned(),
            s2: ids.semantic_scholar.clone().unwrap_or_default(),
            title: one_line(&paper.title),
            authors: authors.map(|author| one_line(&author.name)).collect(),
            year: paper.year.map_or(0, u32::from),
            venue: one_line(paper.venue.as_deref().unwrap_or(fallback)),
            kind: paper.kind,
            summary: paper.summary.as_deref().map(one_line).unwrap_or_default(),
        }
    }

    /// The identifiers and the title by which the paper is recognised.
    pub fn identity(&self) -> Identity {
        Identity::new(
            Some(&self.arxiv),
            Some(&self.doi),
            &self.title,
            self.authors.first().map_or("", String::as_str),
            self.year,
        )
    }

    /// The identifiers that are known, each with its name in the frontmatter.
    fn identifiers(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let all = [("arxiv", &self.arxiv), ("doi", &self.doi), ("s2", &self.s2)];
        let all = all.into_iter().map(|(kind, id)| (kind, id.as_str()));
        all.filter(|(_, id)| !id.is_empty())
    }

    /// The slug of its page.
    pub fn slug(&self) -> String {
        let first = self.authors.first();
        let last = first.map_or("", |name| slug::last_name(name));
        slug::slug(&self.title, last, self.year)
    }

    /// A slug for the case that another paper has the usual one: an identifier, or else the title, is appended.
    pub fn distinct_slug(&self) -> String {
        let mut by = [&self.arxiv, &self.doi, &self.title].into_iter();
        let by = by.find(|text| !text.is_empty());
        slug::distinct(&self.slug(), by.map_or("", String::as_str))
    }

    /// The type of its entry in a bibliography, where the venue's name does not show it.
    fn entry(&self) -> Option<&'static str> {
        let name = records::entry(self.kind).0;
        (name != "misc" && venues::kind(&self.venue) != self.kind).then_some(name)
    }

    /// A new page, byte for byte as the reference writes it.
    pub fn page<'a>(&'a self, slug: &str, remarks: &'a Remarks, now: &str) -> Page {
        let id = |text: &String| {
            if text.is_empty() {
                String::from("null")
            } else {
                quoted(text)
            }
        };
        let unless_empty = |text: &'a str, other| if text.is_empty() { other } else { text };
        let entry = self.entry().map(|name| format!("{ENTRY}: {name}\n"));
        let fields = format!(
            "authors: {}\nyear: {}\nvenue: {}\n{}external_ids:\n  arxiv: {}\n  doi: {}\n  s2: {}\n",
            list(&self.authors),
            self.year,
            quoted(unless_empty(&self.venue, NO_VENUE)),
            entry.unwrap_or_default(),
            id(&self.arxiv),
            id(&self.doi),
            id(&self.s2),
        );
        let thesis = unless_empty(&remarks.thesis, "_TODO: fill in after reading._");
        let mut sections = vec![(THESIS, thesis)];
        sections.extend(SECTIONS.map(blank::section));
        let summary = format!("\n> {}", self.summary);
        if !self.summary.is_empty() {
            sections.push((ABSTRACT, &summary));
        }
        let (kind, node) = (Kind::Paper, format!("paper:{slug}"));
        let (title, tags) = (&self.title, &remarks.tags);
        let text = blank::page(kind, &node, title, &fields, tags, now, &sections);
        Page::parse(text + "\n")
    }

    /// Adds the identifiers that the page lacks. Existing ones stay.
    pub fn complete(&self, page: &mut Page) {
        for (kind, id) in self.identifiers() {
            let key = format!("external_ids.{kind}");
            if page.scalar(&key).is_none() {
                page.set(&key, &quoted(id));
            }
        }
    }

    /// Updates the fields and the sections that nobody has written yet. Returns the headings of sections that a person wrote and that
    /// therefore stay.
    pub fn update(&self, page: &mut Page, remarks: &Remarks) -> Vec<&'static str> {
        let old = page.scalar("title").unwrap_or_default();
        for (key, new) in [("title", &self.title), ("venue", &self.venue)] {
            if !new.is_empty() && page.scalar(key).as_ref() != Some(new) {
                page.set(key, &quoted(new));
            }
        }
        if let Some(name) = self.entry() {
            page.set(ENTRY, name);
        }
        if !self.authors.is_empty() && page.list("authors") != self.authors {
            page.set("authors", &list(&self.authors));
        }
        let year = self.year.to_string();
        if self.year > 0 && page.scalar("year").as_deref() != Some(&year) {
            page.set("year", &year);
        }
        let mut aliases = Vec::new();
        for (kind, id) in self.identifiers() {
            let key = format!("external_ids.{kind}");
            let old = page.scalar(&key).unwrap_or_default();
            if old != id {
                if !old.is_empty() && !old.eq_ignore_ascii_case(id) {
                    aliases.push(format!("{kind}:{old}"));
                }
                page.set(&key, &quoted(id));
            }
        }
        page.add_items(ALIASES, aliases);
        page.add_items("tags", &remarks.tags);
        if !self.title.is_empty() {
            page.retitle(&old, &self.title);
        }
        let mut kept = Vec::new();
        if !remarks.thesis.is_empty()
            && page.fill(THESIS, &one_line(&remarks.thesis)) == Filled::Kept
        {
            kept.push(THESIS);
        }
        if !self.summary.is_empty() && page.prose(ABSTRACT).is_none() {
            page.fill(ABSTRACT, &format!("\n> {}", self.summary));
        }
        kept
    }
}
