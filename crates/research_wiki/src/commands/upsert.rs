//! `upsert_idea`, `upsert_experiment` and `upsert_claim`: create a page, or set the given fields of an existing one.

use aris_cli::Context;

use super::edge::draw;
use super::update::{check_field, set_field};
use super::{items, touched};
use crate::blank;
use crate::cli::{ClaimArgs, ExperimentArgs, IdeaArgs, UpsertArgs};
use crate::error::Error;
use crate::report::{Action, Changed};
use crate::source::Source;
use crate::wiki::Writer;
use aris_wiki::edges::Edge;
use aris_wiki::node::{Kind, is_safe_name};
use aris_wiki::page::scalar::quoted;
use aris_wiki::page::{CONNECTIONS, Filled, Page, one_line, visible};

/// Fields, sections and edges that a page must have.
#[derive(Default)]
struct Wanted {
    fields: Vec<(String, String)>,
    sections: Vec<(String, String)>,
    /// (type, whether the edge starts at this page, the other node, evidence).
    edges: Vec<(&'static str, bool, String, String)>,
}

impl Wanted {
    fn field(&mut self, name: &str, value: impl Into<String>) {
        self.fields.push((name.to_owned(), value.into()));
    }

    /// Adds edges of one type from the page to other nodes.
    fn edges(&mut self, kind: &'static str, nodes: &[String], why: &str) {
        let edge = |node: &String| (kind, true, node.clone(), why.to_owned());
        self.edges.extend(nodes.iter().map(edge));
    }
}

/// The options that were given, each with its name.
fn given<'a>(
    all: impl IntoIterator<Item = (&'a str, &'a Option<String>)>,
) -> Vec<(String, String)> {
    let all = all.into_iter();
    all.filter_map(|(name, value)| Some((name.to_owned(), value.clone()?)))
        .collect()
}

/// `upsert_idea`
pub(crate) fn idea(args: &IdeaArgs, context: &Context) -> Result<Changed, Error> {
    let mut wanted = Wanted {
        fields: given([("stage", &args.stage), ("outcome", &args.outcome)]),
        sections: given([
            ("Hypothesis", &args.hypothesis),
            ("Proposed Method", &args.method),
            ("Expected Outcome", &args.expected),
            ("Actual Outcome", &args.actual),
            ("Failure / Risk Notes", &args.failure),
            ("Lessons Learned", &args.lessons),
        ]),
        edges: Vec::new(),
    };
    for (field, kind, nodes, prefix) in [
        ("based_on", "inspired_by", &args.based_on, "paper:"),
        ("target_gaps", "addresses_gap", &args.target_gaps, "gap:"),
    ] {
        let nodes = prefixed_all(nodes, prefix);
        if !nodes.is_empty() {
            wanted.field(field, nodes.join(", "));
        }
        wanted.edges(kind, &nodes, "");
    }
    upsert(Kind::Idea, &args.common, &wanted, context)
}

/// `upsert_experiment`
pub(crate) fn experiment(args: &ExperimentArgs, context: &Context) -> Result<Changed, Error> {
    let mut wanted = Wanted::default();
    if let Some(idea) = &args.idea {
        let idea = prefixed(idea, "idea:");
        wanted.field("idea_id", idea.clone());
        wanted.edges.push(("tested_by", false, idea, String::new()));
    }
    wanted.fields.extend(given([
        ("verdict", &args.verdict),
        ("confidence", &args.confidence),
        ("date", &args.date),
        ("hardware", &args.hardware),
        ("duration", &args.duration),
        ("metrics", &args.metrics),
    ]));
    wanted.sections = given([("Reasoning", &args.reasoning)]);
    let why = args.metrics.as_deref().unwrap_or_default();
    wanted.edges("supports", &prefixed_all(&args.supports, "claim:"), why);
    let disproved = prefixed_all(&args.invalidates, "claim:");
    wanted.edges("invalidates", &disproved, why);
    upsert(Kind::Experiment, &args.common, &wanted, context)
}

/// `upsert_claim`
pub(crate) fn claim(args: &ClaimArgs, context: &Context) -> Result<Changed, Error> {
    let mut wanted = Wanted {
        fields: given([("status", &args.status)]),
        sections: given([("Statement", &args.statement)]),
        edges: Vec::new(),
    };
    if let Some(text) = &args.source {
        let source = Source::parse(text)?;
        let digest = source.digest(&args.common.root.folder(context))?;
        let digest = digest.ok_or_else(|| {
            Error::usage(
                format!("{text}: the file has fewer lines"),
                "name lines that the file has, the first is 1",
            )
        })?;
        let lines = source.shown_lines().unwrap_or_else(|| String::from("all"));
        wanted.field("source", source.path);
        wanted.field("source_lines", lines);
        wanted.field("source_sha256", digest);
    }
    upsert(Kind::Claim, &args.common, &wanted, context)
}

/// A node with `prefix` as its kind, unless it names a kind itself.
fn prefixed(node: &str, prefix: &str) -> String {
    if node.contains(':') {
        node.to_owned()
    } else {
        format!("{prefix}{node}")
    }
}

fn prefixed_all(nodes: &str, prefix: &str) -> Vec<String> {
    let nodes = items(nodes);
    nodes.iter().map(|node| prefixed(node, prefix)).collect()
}

fn upsert(
    kind: Kind,
    args: &UpsertArgs,
    wanted: &Wanted,
    context: &Context,
) -> Result<Changed, Error> {
    let prefix = format!("{}:", kind.prefix());
    let id = args.id.strip_prefix(&prefix).unwrap_or(&args.id);
    if !is_safe_name(id) {
        return Err(Error::usage(
            format!("{id:?} is not a valid name of a page"),
            "use letters, digits, _, - and ., such as C1",
        ));
    }
    for (field, _) in &args.settings {
        check_field(field)?;
    }
    let node = format!("{prefix}{id}");
    let mut writer = Writer::open(&args.root.folder(context), context.now())?;
    let mut changed = args.root.changed();
    if !args.allow_missing {
        let ends: Vec<&str> = wanted.edges.iter().map(|edge| edge.2.as_str()).collect();
        super::edge::check_ends(writer.wiki(), &ends)?;
    }
    let old = writer.wiki().find(&node).map(|page| page.file);
    let file = old.map_or_else(|| format!("{id}.md"), str::to_owned);
    let path = writer.wiki().path(kind, &file);
    let created = old.is_none();
    if created && path.symlink_metadata().is_ok() {
        let other = format!("it is not the page of {node}");
        let why = writer.wiki().why_unreadable(&node);
        return Err(Error::page(&path, why.map_or(&other, |page| &page.why)));
    }
    let mut page = if created {
        let title = args.title.as_deref().unwrap_or(id);
        new_page(kind, &node, title, &writer.now())
    } else {
        writer.wiki().page(kind, &file)?
    };
    if let Some(title) = args.title.as_deref().map(one_line) {
        let before = page.scalar("title").unwrap_or_default();
        if before != title {
            page.set("title", &quoted(&title));
            page.retitle(&before, &title);
        }
    }
    for (field, value) in wanted.fields.iter().chain(&args.settings) {
        merge_field(&mut page, field, value);
    }
    if !args.tags.is_empty() {
        merge_field(&mut page, "tags", &args.tags);
    }
    for (title, text) in wanted.sections.iter().chain(&args.sections) {
        let text = visible(text);
        if args.replace {
            page.overwrite(title, &text);
        } else if page.fill(title, &text) == Filled::Kept {
            let note = format!(
                "the section \"{title}\" of {node} already has text and stays as it is; --replace overwrites it"
            );
            changed.warn(context, note);
        }
    }
    let written = writer.write(kind, &file, &page)?;
    let mut edges = writer.wiki().edges()?;
    let new = wanted.edges.iter().map(|(kind, here, other, why)| {
        let (from, to) = if *here {
            (&node, other)
        } else {
            (other, &node)
        };
        Edge {
            from: from.clone(),
            to: to.clone(),
            kind: (*kind).to_owned(),
            evidence: why.clone(),
            added: writer.now(),
        }
    });
    let new: Vec<Edge> = new.collect();
    draw(&mut writer, &mut edges, &new, &mut changed)?;
    let (action, word) = match (created, written) {
        (true, _) => (Action::Created, "created"),
        (false, true) => (Action::Updated, "updated"),
        (false, false) => (Action::Unchanged, "unchanged"),
    };
    if written || changed.edges.iter().any(|edge| edge.added) {
        writer.log(&[format!("upsert_{kind}: {word} {node}")])?;
    }
    writer.refresh(&edges)?;
    let shown = super::below(&args.root, kind, &file);
    changed.lines.insert(0, format!("{node} {word}: {shown}"));
    changed.pages.push(touched(&node, kind, &file, action));
    Ok(changed)
}

/// Sets a field. For a list, adds the missing items.
fn merge_field(page: &mut Page, field: &str, value: &str) {
    if !matches!(field, "tags" | "based_on" | "target_gaps") {
        if page.scalar(field).as_deref() != Some(value) {
            set_field(page, field, value);
        }
        return;
    }
    page.add_items(field, items(value));
}

/// A page with the fields and headings that the skills read and write.
fn new_page(kind: Kind, node: &str, title: &str, now: &str) -> Page {
    let (fields, headings): (&str, &[&str]) = match kind {
        Kind::Idea => (
            "stage: proposed\noutcome: unknown\nbased_on: []\ntarget_gaps: []\n",
            &[
                "Hypothesis",
                "Proposed Method",
                "Expected Outcome",
                "Actual Outcome",
                "Failure / Risk Notes",
                "Lessons Learned",
                "Reusable Components",
            ],
        ),
        Kind::Experiment => ("", &["Setup", "Results", "Reasoning"]),
        Kind::Claim => ("status: reported\n", &["Statement", "Evidence"]),
        Kind::Paper => ("", &[]),
    };
    let headings = headings.iter().chain(&[CONNECTIONS]);
    let sections: Vec<_> = headings.map(|heading| blank::section(heading)).collect();
    let title = one_line(title);
    Page::parse(blank::page(kind, node, &title, fields, &[], now, &sections))
}
