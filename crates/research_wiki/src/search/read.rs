//! Reading many pages, on all processors.

use std::path::Path;

use crate::search::document::Document;
use crate::search::stamps::Stamped;
use crate::wiki;

/// The documents of `pages` in their order; `None` for one that cannot be read as text.
pub(crate) fn documents(root: &Path, pages: &[&Stamped]) -> Vec<Option<Document>> {
    aris_fs::map_in_parallel(aris_fs::processors(), pages, |page| document(root, page))
}

fn document(root: &Path, page: &Stamped) -> Option<Document> {
    let read = wiki::read_page(&root.join(page.kind.folder()).join(&page.file)).ok()?;
    Some(Document::of(page.kind, &page.file, &read))
}
