//! `doctor`: repairs what a program can repair without judging.

use aris_cli::Context;
use aris_contract::text::counted;

use super::{connect, merge};
use crate::cli::Root;
use crate::error::Error;
use crate::index;
use crate::report::Changed;
use crate::wiki::{Wiki, Writer};
use aris_wiki::node::Kind;
use aris_wiki::summary::Summary;

/// `doctor`
pub(crate) fn run(root: &Root, context: &Context) -> Result<Changed, Error> {
    let mut writer = Writer::open(&root.folder(context), context.now())?;
    let mut changed = root.changed();
    for (keep, other, is_same) in begun_merges(&writer)? {
        if !is_same {
            changed.notes.push(format!(
                "{} is a page of its own, although {} once took in a page of this name; both stay",
                other.node, keep.node
            ));
            continue;
        }
        merge::both(&mut writer, &keep, &other, &mut changed)?;
        changed.notes.push(format!(
            "ended the merge of {} into {}",
            other.node, keep.node
        ));
    }
    sweep(writer.wiki())?;
    let before = writer.wiki().edges()?;
    if before.repeated > 0 {
        writer.rewrite_edges(&|edge| Some(edge.clone()))?;
        changed.notes.push(format!(
            "removed {}",
            counted(before.repeated, "repeated edge")
        ));
    }
    if !before.unreadable.is_empty() {
        let lines: Vec<String> = before.unreadable.iter().map(ToString::to_string).collect();
        let what = if lines.len() == 1 { "line" } else { "lines" };
        changed.notes.push(format!(
            "graph/edges.jsonl: {what} {} cannot be read as an edge and was left as it is: correct or delete it",
            lines.join(", ")
        ));
    }
    let edges = writer.wiki().edges()?;
    let written = writer.written();
    // Pages that have lost all their edges are included: their generated part is out of date.
    let linked: Vec<&str> = writer.wiki().pages().map(|page| page.node).collect();
    connect(&mut writer, &edges, linked, &mut changed)?;
    let count = writer.written() - written;
    if count > 0 {
        changed.notes.push(format!(
            "brought the connections of {} in line with the graph",
            counted(count, "page")
        ));
    }
    let made = aris_fs::read_optional(&writer.wiki().root().join("index.md"), aris_fs::READ_LIMIT)?;
    let render = index::render(writer.wiki());
    if writer.wiki().pages().next().is_some() && made.as_deref() != Some(render.as_bytes()) {
        changed.notes.push(String::from("made index.md anew"));
    }
    writer.refresh(&edges)?;
    for problem in writer.wiki().unreadable() {
        changed
            .notes
            .push(format!("{}: {}", problem.path, problem.why));
    }
    changed.lines = if changed.notes.is_empty() {
        vec![String::from("nothing to repair")]
    } else {
        changed.notes.clone()
    };
    Ok(changed)
}

/// Removes what killed writers left behind.
fn sweep(wiki: &Wiki) -> Result<(), Error> {
    let folders = Kind::ALL.map(Kind::folder);
    for folder in folders.into_iter().chain(["graph", ".", crate::wiki::KEEP]) {
        let folder = wiki.root().join(folder);
        if !folder.is_dir() {
            continue;
        }
        for entry in aris_fs::list_sorted(&folder)? {
            // `.<name>.<random>.aris-tmp`
            let name = entry.name.to_string_lossy();
            let target = name
                .strip_prefix('.')
                .and_then(|name| name.strip_suffix(".aris-tmp"))
                .and_then(|name| name.rsplit_once('.'));
            if let Some((target, _)) = target {
                aris_fs::sweep_dead(&folder.join(target))?;
            }
        }
    }
    Ok(())
}

/// Pages that another page lists as merged into it but that still exist: (page that stays, merged page, whether the merged page is
/// still the one that was merged and not a new one with the same name).
fn begun_merges(writer: &Writer) -> Result<Vec<(Summary, Summary, bool)>, Error> {
    let by_node = writer.wiki().by_node();
    let mut begun = Vec::new();
    for page in writer.wiki().pages() {
        // The index does not keep the field `merged`, and few pages have it.
        let bytes = aris_fs::read(
            &writer.wiki().path(page.kind, page.file),
            crate::wiki::PAGE_LIMIT,
        )?;
        let marked = bytes
            .windows(8)
            .take(16_384)
            .any(|window| window == b"\nmerged:");
        if !marked {
            continue;
        }
        let text = writer.wiki().page(page.kind, page.file)?;
        for node in text.list("merged") {
            let Some(other) = by_node
                .get(node.as_str())
                .filter(|other| other.node != page.node)
            else {
                continue;
            };
            let there = merge::digest(&writer.wiki().page(other.kind, other.file)?);
            let same = merge::absorbed(&text, &node).contains(&there);
            begun.push((page.clone(), (*other).clone(), same));
        }
    }
    Ok(begun)
}
