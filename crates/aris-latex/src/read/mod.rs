//! The reader.

pub(crate) mod path;

use crate::{Document, Error, Loader};

pub(crate) fn read(root: &str, loader: &mut dyn Loader) -> Result<Document, Error> {
    drop(loader.load(root));
    Err(Error::RootAbsent {
        path: root.to_owned(),
    })
}
