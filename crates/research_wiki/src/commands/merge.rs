//! `merge`: merges two pages about the same thing.
//!
//! The order of the steps makes a kill harmless: first the page that stays gets everything and records it (`merged`), then other pages
//! and the graph name that page, then the other page is removed. Running `merge` again, or `doctor`, completes an interrupted merge.

use std::collections::BTreeSet;

use aris_cli::Context;
use aris_contract::ErrorKind;
use aris_contract::hex::hex;
use aris_paper::titles::{self, TitleMatch};
use sha2::{Digest as _, Sha256};

use super::{connect, touched};
use crate::cli::MergeArgs;
use crate::connections;
use crate::error::Error;
use crate::paper::NO_VENUE;
use crate::report::{Action, Changed};
use crate::wiki::Writer;
use aris_wiki::edges::Edge;
use aris_wiki::identity::ALIASES;
use aris_wiki::node::Kind;
use aris_wiki::page::scalar::{list, quoted};
use aris_wiki::page::{CONNECTIONS, Filled, Page, is_placeholder, one_line};
use aris_wiki::summary::Summary;

/// `merge`
pub(crate) fn run(args: &MergeArgs, context: &Context) -> Result<Changed, Error> {
    if args.keep == args.other {
        return Err(Error::usage(
            "a page cannot be merged with itself",
            "name two pages",
        ));
    }
    let mut writer = Writer::open(&args.root.folder(context), context.now())?;
    let find = |node: &str| args.root.find(writer.wiki(), node).cloned();
    let (keep, other) = (find(&args.keep)?, find(&args.other)?);
    if keep.kind != other.kind {
        return Err(Error::usage(
            format!(
                "{} is a {}, {} a {}",
                keep.node, keep.kind, other.node, other.kind
            ),
            "only pages of one kind can be merged",
        ));
    }
    let mut changed = args.root.changed();
    both(&mut writer, &keep, &other, &mut changed)?;
    let edges = writer.wiki().edges()?;
    writer.refresh(&edges)?;
    changed
        .lines
        .push(format!("Merged: {} into {}", other.node, keep.node));
    Ok(changed)
}

/// Merges `other` into `keep`.
pub(crate) fn both(
    writer: &mut Writer,
    keep: &Summary,
    other: &Summary,
    changed: &mut Changed,
) -> Result<(), Error> {
    let mut page = writer.wiki().page(keep.kind, keep.file)?;
    let from = writer.wiki().page(other.kind, other.file)?;
    if keep.kind == Kind::Paper {
        refuse_two_papers(keep, other)?;
    }
    let renamed = |node: &str| {
        let name = if node == other.node { keep.node } else { node };
        name.to_owned()
    };
    // An edge between the two would become a loop: its text goes onto the page instead.
    let mut between = writer.wiki().edges()?.list().to_vec();
    between.retain(|edge| edge.from != edge.to && renamed(&edge.from) == renamed(&edge.to));
    let mut rest = edges_between(&page, &between);
    let digest = digest(&from);
    if !absorbed(&page, other.node).contains(&digest) {
        let from = from.with_line_ends_of(&page);
        rest.insert_str(0, &take(&mut page, &from));
        if keep.kind == Kind::Paper {
            keep_aliases(&mut page, keep, other);
        }
        page.add_items("merged", [&other.node]);
        page.add_items(DIGESTS, [format!("{} {digest}", other.node)]);
    }
    keep_apart(&mut page, other.node, &rest);
    writer.write(keep.kind, keep.file, &page)?;
    rename(writer, other.node, keep.node)?;
    let is_told = |edge: &Edge| {
        let mut same = between.iter().filter(|known| known.key() == edge.key());
        same.any(|known| edge.evidence.is_empty() || known.evidence == edge.evidence)
    };
    let edges = writer.rewrite_edges(&|edge| {
        (!is_told(edge)).then(|| Edge {
            from: renamed(&edge.from),
            to: renamed(&edge.to),
            ..edge.clone()
        })
    })?;
    writer.log(&[format!("merge: {} into {}", other.node, keep.node)])?;
    writer.remove(other.kind, other.file, &from)?;
    let ends = edges
        .of(keep.node)
        .flat_map(|edge| [edge.from.as_str(), &edge.to]);
    connect(writer, &edges, ends.chain([keep.node]), changed)?;
    changed.pages.extend([
        touched(keep.node, keep.kind, keep.file, Action::Updated),
        touched(other.node, other.kind, other.file, Action::Removed),
    ]);
    Ok(())
}

/// Field with the SHA-256 of each merged page, behind its name. Only a page with that digest may be removed.
pub(crate) const DIGESTS: &str = "merged_sha256";

/// SHA-256 of a page as it was read.
pub(crate) fn digest(page: &Page) -> String {
    hex(&Sha256::digest(page.origin().unwrap_or_default()))
}

/// The digests of the merged pages called `node`.
pub(crate) fn absorbed(page: &Page, node: &str) -> Vec<String> {
    let digests = page.list(DIGESTS);
    let of_node = digests
        .iter()
        .filter_map(|entry| entry.strip_prefix(node)?.strip_prefix(' '));
    of_node.map(str::to_owned).collect()
}

/// Refuses to merge two papers with different identifiers of the same kind and different titles.
fn refuse_two_papers(keep: &Summary, other: &Summary) -> Result<(), Error> {
    let titles = titles::compare(keep.title, other.title) == TitleMatch::Different;
    match identifiers_apart(keep, other).next() {
        Some((what, one, two)) if titles => Err(Error::told(
            ErrorKind::Validation,
            format!(
                "{} and {} are two papers: {what} {one} and {two}, {:?} and {:?}",
                keep.node, other.node, keep.title, other.title
            ),
            "if they are one paper, give both pages the same title first, with update",
        )),
        _ => Ok(()),
    }
}

/// Identifiers (kind, of `keep`, of `other`) that both papers have but with different values.
fn identifiers_apart(
    keep: &Summary,
    other: &Summary,
) -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
    let both = [
        ("arXiv", keep.arxiv, other.arxiv),
        ("DOI", keep.doi, other.doi),
    ];
    let both = both.into_iter();
    both.filter(|(_, one, two)| !one.is_empty() && !two.is_empty() && one != two)
}

/// Keeps the differing identifiers of `other` as aliases, so that a later sync finds the paper by them.
fn keep_aliases(page: &mut Page, keep: &Summary, other: &Summary) {
    let apart = identifiers_apart(keep, other);
    let aliases = apart.map(|(kind, _, theirs)| format!("{}:{theirs}", kind.to_lowercase()));
    page.add_items(ALIASES, aliases);
    page.add_items(ALIASES, &other.aliases);
}

/// One line for each edge, without lines that the page has already.
fn edges_between(page: &Page, edges: &[Edge]) -> String {
    let lines = edges.iter().map(|edge| {
        let (from, to) = (one_line(&edge.from), one_line(&edge.to));
        let evidence = connections::evidence(edge);
        format!("- {from} --{}--> {to}{evidence}\n", one_line(&edge.kind))
    });
    let is_told = |line: &str| page.text().lines().any(|told| told == line.trim_end());
    lines.filter(|line| !is_told(line)).collect()
}

/// Copies fields that `page` lacks, tags, and everything that a person wrote. Returns the text on which the pages differ, unchanged.
fn take(page: &mut Page, from: &Page) -> String {
    let mut rest = take_fields(page, from);
    let front = from.front_prose();
    if !front.is_empty() {
        rest.extend([front, "\n\n"]);
    }
    let mut taken = 0;
    for section in from.sections() {
        // A section's body includes its subsections.
        if section.body.start < taken {
            continue;
        }
        taken = section.body.end;
        let body = from.body(section);
        if is_placeholder(body) || section.title == CONNECTIONS {
            continue;
        }
        let same = page
            .section(&section.title)
            .is_some_and(|mine| page.body(mine) == body);
        if section.level == 1 || (!same && page.fill(&section.title, body) == Filled::Kept) {
            rest.extend(["### ", &section.title, "\n", body, "\n\n"]);
        }
    }
    let own = from
        .section(CONNECTIONS)
        .map(|section| from.without_generated(section, connections::PART));
    if let Some(own) = own.filter(|own| !is_placeholder(own)) {
        rest.extend(["### ", CONNECTIONS, "\n", own.trim(), "\n\n"]);
    }
    rest
}

/// Writes `rest` into a section "From NODE".
fn keep_apart(page: &mut Page, name: &str, rest: &str) {
    if rest.is_empty() {
        return;
    }
    // A page with this name may have been merged before.
    let first = format!("From {name}");
    let others = (2..).map(|number: u32| format!("{first} ({number})"));
    let mut titles = std::iter::once(first.clone()).chain(others);
    titles.find(|title| page.fill(title, rest) != Filled::Kept);
}

/// Whether this is the value that a new page gets when nothing better is known.
fn is_unknown(key: &str, value: &str) -> bool {
    matches!((key, value), ("venue", NO_VENUE) | ("year", "0"))
}

/// Copies the fields that `page` lacks. Returns, as a block of code, the lines of fields with another value, comments, and frontmatter
/// lines that are not fields.
fn take_fields(page: &mut Page, from: &Page) -> String {
    let mut differing: String = from.unread_front().flat_map(|line| [line, "\n"]).collect();
    for key in from.keys() {
        let known = |page: &Page| {
            let mut values = page.list(&key);
            values.retain(|value| !is_unknown(&key, value));
            values
        };
        let (listed, mine) = (known(from), known(page));
        let own = matches!(
            key.as_str(),
            "type" | "node_id" | "added" | "merged" | DIGESTS | ALIASES
        );
        let joined = matches!(key.as_str(), "tags" | "based_on" | "target_gaps");
        let as_it_stands = !own && !joined && mine != listed;
        if let (Some(remark), false) = (from.remark_of(&key), as_it_stands) {
            differing.extend([key.as_str(), ": ", remark, "\n"]);
        }
        if own || listed.is_empty() {
            continue;
        }
        let value = || match (from.raw(&key), listed.as_slice()) {
            (Some(value), _) => value.to_owned(),
            (None, [one]) => quoted(one),
            (None, many) => list(many),
        };
        if joined {
            page.add_items(&key, &listed);
        } else if mine.is_empty() {
            // The lines are copied unchanged, and a nested mapping as a whole, so that numbers stay numbers and line breaks are kept.
            let mut names = [&key, key.split('.').next().unwrap_or(&key)].into_iter();
            let missing = |name| {
                from.lines_of(name)
                    .filter(|_| page.lines_of(name).is_none())
            };
            match names.find_map(missing) {
                Some(lines) => page.add_lines(lines),
                None => page.set(&key, &value()),
            }
        } else if mine != listed {
            let lines = from.lines_of(&key).map(str::to_owned);
            differing.push_str(&lines.unwrap_or_else(|| format!("{key}: {}\n", value())));
        }
    }
    if differing.is_empty() {
        return differing;
    }
    let longest = differing.split(|c| c != '`').map(str::len).max();
    let fence = "`".repeat(longest.unwrap_or(0).max(2) + 1);
    format!("{fence}yaml\n{differing}{fence}\n\n")
}

/// Replaces the old node by the new one in the fields of other pages.
fn rename(writer: &mut Writer, old: &str, new: &str) -> Result<(), Error> {
    let naming: Vec<(Kind, &str)> = writer
        .wiki()
        .pages()
        .filter(|page| page.names.contains(&old))
        .map(|page| (page.kind, page.file))
        .collect();
    for (kind, file) in naming {
        let mut page = writer.wiki().page(kind, file)?;
        for field in ["based_on", "target_gaps"] {
            let nodes = page.list(field);
            if nodes.iter().any(|node| node == old) {
                let mut seen = BTreeSet::new();
                let nodes = nodes
                    .iter()
                    .map(|node| if node == old { new } else { node.as_str() });
                let nodes: Vec<&str> = nodes.filter(|node| seen.insert(*node)).collect();
                page.set(field, &list(&nodes));
            }
        }
        if page.scalar("idea_id").as_deref() == Some(old) {
            page.set("idea_id", &aris_wiki::page::scalar::bare(new));
        }
        writer.write(kind, file, &page)?;
    }
    Ok(())
}
