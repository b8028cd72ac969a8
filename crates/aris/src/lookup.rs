//! Finds helpers in this program by name.

use std::ffi::OsStr;

use aris_contract::helpers;

use crate::entry::Entry;
use crate::table::GROUPS;

/// Every helper, in the order of the list that `aris help` prints.
pub(crate) fn all() -> impl Iterator<Item = &'static Entry> {
    GROUPS.iter().flat_map(|group| group.entries)
}

/// The helper with the name `name`, current or legacy, with or without the folder that a legacy name may have.
pub(crate) fn find(name: &OsStr) -> Option<&'static Entry> {
    let name = name.to_str()?;
    let name = name.strip_suffix(".exe").unwrap_or(name);
    // `aris` is an alias of the installer for skills; here it means this program itself.
    if name == crate::SPEC.name {
        return None;
    }
    let row = helpers::all().iter().find(|row| {
        row.names()
            .iter()
            .any(|known| *known == name || known.rsplit('/').next() == Some(name))
    })?;
    all().find(|entry| entry.spec.name == row.name)
}

/// The helper for a program's file name; launchers run `<helper>-<target>`.
pub(crate) fn of_program(name: &OsStr) -> Option<&'static Entry> {
    let before_target = || name.to_str()?.split_once('-').map(|(helper, _)| helper);
    find(name).or_else(|| find(OsStr::new(before_target()?)))
}

/// The most similar name of a helper or of one of `aris`'s own commands (`own`), if it is similar enough.
pub(crate) fn nearest(name: &str, own: impl Iterator<Item = String>) -> Option<String> {
    let distance = |known: &str| strsim::damerau_levenshtein(known, name);
    let helpers = all().map(|entry| entry.spec.name.to_owned());
    let nearest = helpers.chain(own).min_by_key(|known| distance(known))?;
    // With more than a third of the characters wrong it is another word.
    (distance(&nearest) * 3 <= nearest.len()).then_some(nearest)
}
