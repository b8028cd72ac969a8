//! The page that lists the gaps.

use std::collections::{BTreeMap, BTreeSet};

use askama::Template;

use super::Frame;
use super::relations::{Group, groups};
use crate::gaps::Gap;
use crate::site::model::Model;

#[derive(Template)]
#[template(path = "gaps.html")]
struct GapsPage<'a> {
    frame: Frame<'a>,
    /// Each gap with the name of its node and its relations.
    gaps: Vec<(&'a Gap, String, Vec<Group<'a>>)>,
    body: &'a str,
}

/// The page that lists the gaps; `body` is the whole map as HTML.
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
        let groups = groups(model, number, mentions.get(&number));
        Some((gap, name, groups))
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
