//! What a diff shows of the files that it touches.

use std::collections::BTreeSet;

use aris_review::{Diff, Section};
use aris_statements::prose::Excerpt;

/// The files of a diff that have touched sections, as far as the diff shows them, with the lines that it adds.
pub(crate) fn excerpts<'d>(
    diff: &'d Diff,
    touched: &[Section],
) -> Vec<(Excerpt<'d>, BTreeSet<usize>)> {
    let wide = |number: u32| usize::try_from(number).unwrap_or(usize::MAX);
    let shown = diff.files.iter().filter_map(|file| {
        let sections = touched.iter().filter(|section| section.file == file.path);
        let added = sections.flat_map(|section| &section.lines);
        let added: BTreeSet<usize> = added.map(|line| wide(line.line)).collect();
        let lines = file.lines.iter();
        let lines = lines.map(|line| (wide(line.number), line.text.as_str()));
        let excerpt = Excerpt {
            file: &file.path,
            lines: lines.collect(),
        };
        (!added.is_empty()).then_some((excerpt, added))
    });
    shown.collect()
}
