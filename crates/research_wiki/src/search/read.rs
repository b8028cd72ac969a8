//! Reading many pages, on all processors.

use std::path::Path;

use crate::search::document::Document;
use crate::search::stamps::Stamped;
use crate::wiki;

/// The documents of `pages` in their order; `None` for one that cannot be read as text.
pub(crate) fn documents(root: &Path, pages: &[&Stamped]) -> Vec<Option<Document>> {
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let share = pages.len().div_ceil(threads).max(64);
    std::thread::scope(|scope| {
        let workers: Vec<_> = pages
            .chunks(share)
            .map(|part| scope.spawn(move || part.iter().map(|page| document(root, page)).collect()))
            .collect();
        let joined = workers.into_iter().map(|worker| match worker.join() {
            Ok(documents) => documents,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        joined
            .collect::<Vec<Vec<_>>>()
            .into_iter()
            .flatten()
            .collect()
    })
}

fn document(root: &Path, page: &Stamped) -> Option<Document> {
    let read = wiki::read_page(&root.join(page.kind.folder()).join(&page.file)).ok()?;
    Some(Document::of(page.kind, &page.file, &read))
}
