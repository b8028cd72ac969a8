//! Findings about single pages, and about pages that are the same.

use std::collections::{BTreeMap, BTreeSet};

use jiff::{SignedDuration, Timestamp};

use super::{Lint, Rule};
use crate::connections;
use crate::source::Source;
use crate::wiki::Wiki;
use aris_wiki::edges::Edges;
use aris_wiki::identity::Known;
use aris_wiki::node::Kind;
use aris_wiki::page::{Page, is_placeholder};
use aris_wiki::summary::Summary;

/// A claim that is still only reported is stale after this many hours: 14 days. **Source**: the reference's skill, "lint".
const STALE: i64 = 14 * 24;

/// A page with at least this many empty sections is sparse. **Source**: as above.
const SPARSE: usize = 3;

pub(super) fn check(wiki: &Wiki, edges: &Edges, now: Timestamp, lint: &mut Lint) {
    let by_node = wiki.by_node();
    let pages: Vec<&Summary> = wiki.pages().collect();
    let linked = edges.by_node(|_| true);
    let connected = Connected {
        wiki,
        by_node: &by_node,
        edges: &linked,
    };
    let parts: Vec<&[&Summary]> = pages.chunks(64).collect();
    let parts = aris_fs::map_in_parallel(aris_fs::processors(), &parts, |part| {
        let mut found = Lint::default();
        for page in *part {
            one(page, &connected, now, &mut found);
        }
        found
    });
    for part in parts {
        lint.findings.extend(part.findings);
        lint.undated_claims.extend(part.undated_claims);
    }
    for page in &pages {
        let path = page.path();
        let node = page.node;
        let first = by_node.get(node);
        if first.is_some_and(|first| first.path() != path) {
            let message = format!("another page is {node} already");
            lint.add(Rule::DuplicateNode, &path, message);
        }
        if !linked.contains_key(node) {
            lint.add(Rule::Orphan, &path, format!("{node} has no edges"));
        }
        if page.kind == Kind::Idea && page.stage == "proposed" && !is_tested(page, edges, wiki) {
            let message = format!("{node} was proposed and never tested");
            lint.add(Rule::DeadIdea, &path, message);
        }
    }
    let mut known: Known<&str> = Known::default();
    for page in wiki.of_kind(Kind::Paper) {
        let identity = page.identity();
        if let Some(first) = known.find(&identity) {
            let message = format!("{} is the paper of {first}, too", page.node);
            lint.add(Rule::DuplicateIdentity, &page.path(), message);
        }
        known.add(&identity, page.node);
    }
    related(wiki, edges, lint);
}

fn is_tested(idea: &Summary, edges: &Edges, wiki: &Wiki) -> bool {
    let drawn = edges.of(idea.node).any(|edge| {
        (edge.kind == "tested_by" && edge.from == idea.node)
            || (edge.to == idea.node && matches!(edge.kind.as_str(), "supports" | "invalidates"))
    });
    drawn
        || wiki
            .of_kind(Kind::Experiment)
            .any(|page| page.names.contains(&idea.node))
}

/// What single pages are checked against.
struct Connected<'a> {
    wiki: &'a Wiki,
    by_node: &'a BTreeMap<&'a str, &'a Summary>,
    edges: &'a BTreeMap<&'a str, Edges>,
}

fn one(summary: &Summary, connected: &Connected<'_>, now: Timestamp, lint: &mut Lint) {
    let path = summary.path();
    let page = match connected.wiki.page(summary.kind, summary.file) {
        Ok(page) => page,
        Err(error) => {
            lint.add(Rule::UnreadablePage, &path, error.to_string());
            return;
        }
    };
    if !page.has_front() {
        let message = "put its fields between two lines --- at its start";
        lint.add_at(Rule::NoFrontmatter, &path, Some(1), message);
    }
    for key in page.open_fields() {
        let message =
            format!("the value of {key} has an opening bracket or quote and no closing one");
        lint.add_at(Rule::BrokenField, &path, page.line_of(key), message);
    }
    let sections = page.sections().iter().filter(|section| section.level > 1);
    let empty = sections.filter(|section| is_placeholder(page.body(section)));
    let empty = empty.count();
    if empty >= SPARSE {
        let message = format!("{empty} sections are empty");
        lint.add(Rule::SparsePage, &path, message);
    }
    let edges = connected.edges.get(summary.node);
    let expected = edges.map(|edges| connections::render(summary.node, edges, connected.by_node));
    match page.generated(connections::PART) {
        Err(problem) => {
            let message = "the marker of a generated part has no counterpart";
            lint.add_at(Rule::DamagedMarkers, &path, Some(problem.line), message);
        }
        Ok(found)
            if found.unwrap_or_default().replace('\r', "") != expected.unwrap_or_default() =>
        {
            let message = "the section Connections does not say what the graph says";
            lint.add(Rule::DriftedConnections, &path, message);
        }
        Ok(_) => {}
    }
    if summary.kind == Kind::Claim {
        claim(summary, &page, &path, connected.wiki, now, lint);
    }
}

fn claim(summary: &Summary, page: &Page, path: &str, wiki: &Wiki, now: Timestamp, lint: &mut Lint) {
    if summary.status == "reported" {
        let date = ["updated", "added", "date"]
            .iter()
            .find_map(|key| page.scalar(key));
        match date.as_deref().and_then(moment) {
            None => lint.undated_claims.push(summary.node.to_owned()),
            Some(then) => {
                let age = now.duration_since(then);
                if age > SignedDuration::from_hours(STALE) {
                    let message = format!(
                        "{} has been only reported for {} days",
                        summary.node,
                        age.as_hours() / 24
                    );
                    lint.add_at(Rule::StaleClaim, path, page.line_of("status"), message);
                }
            }
        }
    }
    let (Some(source), Some(known)) = (page.scalar("source"), page.scalar("source_sha256")) else {
        return;
    };
    let source = Source {
        path: source,
        lines: page
            .scalar("source_lines")
            .and_then(|lines| Source::span(&lines)),
    };
    let (file, node) = (&source.path, summary.node);
    let (rule, message) = match source.digest(wiki.root()) {
        Ok(Some(digest)) if digest == known => return,
        Ok(Some(_)) => (
            Rule::SourceChanged,
            format!("{file} is not what {node} was made from"),
        ),
        Ok(None) => (
            Rule::SourceMissing,
            format!("{file} has no such lines any more"),
        ),
        Err(error) => (Rule::SourceMissing, error.to_string()),
    };
    lint.add_at(rule, path, page.line_of("source"), message);
}

/// Parses a day or a time.
fn moment(text: &str) -> Option<Timestamp> {
    let text = text.trim();
    text.parse()
        .ok()
        .or_else(|| format!("{text}T00:00:00Z").parse().ok())
}

/// Reports papers that share two tags but have no edge. Tags of very many papers are ignored.
fn related(wiki: &Wiki, edges: &Edges, lint: &mut Lint) {
    const MANY: usize = 50;
    let papers: Vec<&Summary> = wiki.of_kind(Kind::Paper).collect();
    let mut tagged: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (at, page) in papers.iter().enumerate() {
        let tags: BTreeSet<&str> = page.tags.iter().copied().collect();
        for tag in tags {
            tagged.entry(tag).or_default().push(at);
        }
    }
    let mut shared: BTreeMap<(usize, usize), Vec<&str>> = BTreeMap::new();
    for (tag, at) in tagged.iter().filter(|(_, at)| at.len() <= MANY) {
        for (number, one) in at.iter().enumerate() {
            for two in at.iter().skip(number + 1) {
                shared.entry((*one, *two)).or_default().push(tag);
            }
        }
    }
    let ends = edges
        .list()
        .iter()
        .map(|edge| (edge.from.as_str(), edge.to.as_str()));
    let joined: BTreeSet<_> = ends
        .flat_map(|(one, two)| [(one, two), (two, one)])
        .collect();
    for ((one, two), tags) in shared {
        let (Some(one), Some(two)) = (papers.get(one), papers.get(two)) else {
            continue;
        };
        if tags.len() > 1 && !joined.contains(&(one.node, two.node)) {
            let (path, tags) = (one.path(), tags.join(", "));
            let (one, two) = (one.node, two.node);
            let message = format!("{one} and {two} share the tags {tags} and no edge");
            lint.add(Rule::MissingConnection, &path, message);
        }
    }
}
