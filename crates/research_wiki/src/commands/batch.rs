//! Writes the pages of described papers: new pages together, known pages one by one.

use std::collections::BTreeMap;

use aris_cli::Context;
use aris_contract::ErrorKind;
use aris_paper::titles::{self, TitleMatch};

use super::{below, touched};
use crate::cli::Root;
use crate::error::Error;
use crate::paper::{Description, Remarks};
use crate::report::{Action, Changed};
use crate::wiki::{Wiki, Writer};
use aris_wiki::identity::{Identity, Known};
use aris_wiki::node::Kind;
use aris_wiki::page::Page;
use aris_wiki::summary::Summary;

/// Pages to be written together, and what the command reports about them.
pub(super) struct Batch<'a> {
    pub(super) writer: Writer,
    pub(super) changed: Changed,
    root: &'a Root,
    context: &'a Context,
    /// Whether existing pages are updated.
    update: bool,
    /// The papers of the wiki by identity; only set when many are looked up.
    known: Option<Known<String>>,
    /// By file name.
    pages: BTreeMap<String, Page>,
    log: Vec<String>,
}

impl<'a> Batch<'a> {
    /// A batch for one paper. `before` is the wiki if this process has already opened it for reading.
    pub(super) fn open(
        root: &'a Root,
        context: &'a Context,
        update: bool,
        before: Option<Wiki>,
    ) -> Result<Self, Error> {
        Ok(Self {
            writer: Writer::open_after(&root.folder(context), context.now(), before)?,
            changed: root.changed(),
            root,
            context,
            update,
            known: None,
            pages: BTreeMap::new(),
            log: Vec::new(),
        })
    }

    /// Prepares the batch for many papers: they are looked up in a map.
    pub(super) fn for_many(mut self) -> Self {
        self.known = Some(self.writer.wiki().papers());
        self
    }

    /// Makes the paper's page, or completes the existing one. Returns its file name.
    pub(super) fn add(
        &mut self,
        description: &Description,
        remarks: &Remarks,
    ) -> Result<String, Error> {
        let identity = description.identity();
        let wiki = self.writer.wiki();
        let known = match &self.known {
            Some(known) => known.find(&identity).cloned(),
            None => {
                Summary::find(wiki.of_kind(Kind::Paper), &identity).map(|page| page.file.to_owned())
            }
        };
        let file = known
            .or_else(|| named_by_s2(wiki, &description.s2))
            .or_else(|| nameless(wiki, description));
        let Some(file) = file else {
            return self.new_page(description, remarks);
        };
        if let Some(page) = self.pages.get_mut(&file) {
            // The call describes this paper twice.
            describe(page, description, remarks, self.update);
            return Ok(file);
        }
        let there = wiki.of_kind(Kind::Paper).find(|page| page.file == file);
        match there.cloned() {
            Some(old) => self.known_page(&old, description, remarks)?,
            None => return self.new_page(description, remarks),
        }
        Ok(file)
    }

    fn new_page(&mut self, description: &Description, remarks: &Remarks) -> Result<String, Error> {
        let usual = description.slug();
        let slug = if self.pages.contains_key(&format!("{usual}.md")) {
            description.distinct_slug()
        } else {
            free_slug(self.writer.wiki(), description)?
        };
        let (file, node) = (format!("{slug}.md"), format!("paper:{slug}"));
        let page = description.page(&slug, remarks, &self.writer.now());
        if let Some(known) = &mut self.known {
            known.add(&description.identity(), file.clone());
        }
        let shown = below(self.root, Kind::Paper, &file);
        let created = touched(&node, Kind::Paper, &file, Action::Created);
        self.changed.lines.push(format!("Paper ingested: {shown}"));
        self.changed.pages.push(created);
        self.say(format!("ingested {node} ({})", arxiv(description)));
        self.pages.insert(file.clone(), page);
        Ok(file)
    }

    fn known_page(
        &mut self,
        old: &Summary,
        description: &Description,
        remarks: &Remarks,
    ) -> Result<(), Error> {
        let (writer, changed) = (&mut self.writer, &mut self.changed);
        let has_title = !description.title.is_empty();
        let mut against = Vec::new();
        if has_title && titles::compare(&description.title, old.title) == TitleMatch::Different {
            against.push(format!(
                "{} is called {:?}: check the identifier",
                old.file, old.title
            ));
        }
        if let Some(other) = other_owner(writer.wiki(), old, description) {
            against.push(format!(
                "{} and {} would have the same identifier: check it, or use merge",
                old.file, other.file
            ));
        }
        if let Some(why) = against.first()
            && self.update
            && self.known.is_none()
        {
            let what = format!("{why}; nothing was changed");
            let hint = "where the page is wrong, change it with update first";
            return Err(Error::told(ErrorKind::Validation, what, hint));
        }
        let is_doubtful = !against.is_empty();
        for note in against {
            changed.warn(self.context, note);
        }
        let mut action = Action::Unchanged;
        // A bare identifier adds nothing, and a description that may belong to another paper must not change the page.
        if (self.update || has_title) && !is_doubtful {
            let mut page = writer.wiki().page(Kind::Paper, old.file)?;
            for heading in describe(&mut page, description, remarks, self.update) {
                let note = format!(
                    "the section \"{heading}\" of {} stays as somebody wrote it",
                    old.file
                );
                self.context.note(&note);
                changed.notes.push(note);
            }
            if writer.write(Kind::Paper, old.file, &page)? {
                action = Action::Updated;
            }
        }
        changed
            .pages
            .push(touched(old.node, Kind::Paper, old.file, action));
        let how = how_known(old, &description.identity());
        if self.update && !is_doubtful {
            let shown = below(self.root, Kind::Paper, old.file);
            changed.lines.push(format!("Paper updated: {shown}"));
            self.say(format!("updated {} ({})", old.node, arxiv(description)));
        } else {
            changed.lines.push(format!(
                "Paper already ingested: {} ({how}) — skipping.",
                old.file
            ));
            self.say(format!("skipped existing paper {} ({how})", old.file));
        }
        Ok(())
    }

    /// A line for the log.
    fn say(&mut self, words: String) {
        self.log.push(format!("ingest_paper: {words}"));
    }

    /// Writes the new pages, the log with the lines `more`, and the derived files. Returns what changed, and a line about the query pack.
    pub(super) fn finish(mut self, more: Option<String>) -> Result<(Changed, String), Error> {
        let pages = self.pages.into_iter();
        let pages: Vec<_> = pages
            .map(|(file, page)| (Kind::Paper, file, page))
            .collect();
        self.writer.write_all(&pages)?;
        if !pages.is_empty() {
            aris_fs::sync_dir(&self.writer.wiki().path(Kind::Paper, ""))?;
        }
        self.log.extend(more);
        self.writer.log(&self.log)?;
        let pack = self.writer.refresh(&self.writer.wiki().edges()?)?;
        let size = pack.text.chars().count();
        Ok((self.changed, format!("query_pack.md rebuilt: {size} chars")))
    }
}

/// Updates a page, or (without `update`) only adds missing identifiers. Returns the headings of sections that keep what a person wrote.
fn describe(
    page: &mut Page,
    description: &Description,
    remarks: &Remarks,
    update: bool,
) -> Vec<&'static str> {
    if update {
        return description.update(page, remarks);
    }
    description.complete(page);
    Vec::new()
}

fn arxiv(description: &Description) -> String {
    let id = Some(description.arxiv.as_str()).filter(|id| !id.is_empty());
    format!("arxiv:{}", id.unwrap_or("-"))
}

/// The page of another paper that has an identifier of this description.
fn other_owner<'w>(
    wiki: &'w Wiki,
    old: &Summary,
    description: &Description,
) -> Option<&'w Summary> {
    let identity = description.identity();
    let same = |mine: &str, given: Option<&str>| !mine.is_empty() && given == Some(mine);
    wiki.of_kind(Kind::Paper).find(|page| {
        page.file != old.file
            && (same(page.arxiv, identity.arxiv.as_deref())
                || same(page.doi, identity.doi.as_deref())
                || same(page.s2, Some(&description.s2)))
    })
}

/// How a paper was recognised: by arXiv identifier, DOI or slug. The words are the reference's.
fn how_known(old: &Summary, identity: &Identity) -> String {
    match (&identity.arxiv, &identity.doi) {
        (Some(id), _) if *id == old.arxiv => format!("arxiv:{id}"),
        (_, Some(doi)) if *doi == old.doi => format!("doi:{doi}"),
        _ => String::from("slug dedup"),
    }
}

/// The page with this Semantic Scholar identifier.
fn named_by_s2(wiki: &Wiki, id: &str) -> Option<String> {
    let mut pages = wiki.of_kind(Kind::Paper);
    let page = pages.find(|page| !id.is_empty() && page.s2 == id)?;
    Some(page.file.to_owned())
}

/// A page with the paper's slug but without title and identifiers: somebody began it by hand.
fn nameless(wiki: &Wiki, description: &Description) -> Option<String> {
    let file = format!("{}.md", description.slug());
    let bare = |page: &Summary| [page.title_key, page.arxiv, page.doi] == [""; 3];
    let mut pages = wiki.of_kind(Kind::Paper);
    let there = pages.any(|page| page.file == file && bare(page));
    there.then_some(file)
}

/// A slug that no file has yet: the usual one, or that one followed by the paper's identifier.
fn free_slug(wiki: &Wiki, description: &Description) -> Result<String, Error> {
    let path = |slug: &str| wiki.path(Kind::Paper, &format!("{slug}.md"));
    let taken = |slug: &str| path(slug).symlink_metadata().is_ok();
    let usual = description.slug();
    if !taken(&usual) {
        return Ok(usual);
    }
    let distinct = description.distinct_slug();
    if taken(&distinct) {
        let why = "another file has the name of this paper's page";
        return Err(Error::page(&path(&distinct), why));
    }
    Ok(distinct)
}
