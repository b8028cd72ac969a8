//! The page of the gaps.

use std::collections::{BTreeMap, BTreeSet};

use askama::Template;

use super::Frame;
use super::relations::{Group, groups};
use crate::gaps::Gap;
use crate::site::model::Model;
use crate::text::{clean, percent};

#[derive(Template)]
#[template(path = "gaps.html")]
struct GapsPage<'a> {
    frame: Frame<'a>,
    gaps: Vec<GapPart>,
    body: &'a str,
}

struct GapPart {
    anchor: String,
    id: String,
    title: String,
    graph: String,
    groups: Vec<Group>,
}

/// The page of the gaps, with the whole map as rendered in `body`.
pub(crate) fn gaps(
    site: &str,
    model: &Model,
    gaps: &[Gap],
    body: &str,
    mentions: &BTreeMap<usize, BTreeSet<usize>>,
) -> askama::Result<String> {
    let parts = gaps.iter().filter_map(|gap| {
        let name = format!("gap:{}", gap.id);
        let number = model.number(&name)?;
        Some(GapPart {
            anchor: gap.anchor(),
            id: gap.id.clone(),
            title: clean(&gap.title),
            graph: percent(&name),
            groups: groups(model, number, mentions.get(&number)),
        })
    });
    let frame = Frame {
        site,
        root: "",
        heading: String::from("Gaps"),
        current: "Gaps",
        scripts: &[],
    };
    GapsPage {
        frame,
        gaps: parts.collect(),
        body,
    }
    .render()
}
