//! Searches the content of files, also of files in the home folder in which programs store or log credentials.

use std::path::Path;

use aris_cli::Context;
use aris_fs::FsError;

use crate::report::{Leak, Part, Report, Unseen};
use crate::token::{Form, Hit, Scanner};
use crate::tree::{self, Found, why};

/// Bytes that a worker reads at once; most files fit.
const BUFFER: usize = 256 << 10;

/// Most bytes of a file that is searched: 16 GiB. A larger file is not text and would take minutes.
const FILE_LIMIT: u64 = 16 << 30;

/// Bytes at the start of a file in which a NUL makes it binary. **Source**: git, `buffer_is_binary`.
const BINARY_HEAD: usize = 8000;

/// The advice if a file cannot be read.
const READABLE: &str = "make it readable, or look at it as a user who may read it";

/// Searches all files, on all processors, and adds what was found to `all`.
pub(crate) fn read(files: &[Found], all: &mut Report) {
    let start = || (Report::default(), vec![0; BUFFER]);
    let workers = aris_fs::in_parallel(files, start, |(found, buffer), _, file| {
        let looked = look(file, buffer, found);
        found.looked.files += u64::from(looked.is_ok());
        let (why, hint) = match looked {
            Ok(fault) => (fault, "unpack it and look at what it holds"),
            // Deleted since it was listed: nothing is left that could leak.
            Err(error) if error.is_not_found() => (None, ""),
            Err(error) => (Some(why(&error)), READABLE),
        };
        let unseen = why.map(|why| Unseen::new(&file.shown, &why, hint));
        found.unseen.extend(unseen);
    });
    for (found, _) in workers {
        all.add(found);
    }
}

/// Adds the tokens of a file. Returns why a part of it could not be searched, if so.
fn look(file: &Found, buffer: &mut [u8], found: &mut Report) -> Result<Option<String>, FsError> {
    let open = aris_fs::open(&file.path)?;
    if open.metadata().len() > FILE_LIMIT {
        let (path, limit) = (file.path.clone(), FILE_LIMIT);
        return Err(FsError::TooLarge { path, limit });
    }
    let mut scanner = Scanner::default();
    let mut is_binary = None;
    open.stream(buffer, |piece| {
        let head = piece.get(..BINARY_HEAD).unwrap_or(piece);
        is_binary.get_or_insert_with(|| head.contains(&0));
        found.looked.bytes += piece.len() as u64;
        scanner.feed(piece);
    })?;
    let (hits, fault) = scanner.finish();
    let form = hits.first().map(|hit| hit.form);
    let is_text = form == Some(Form::Utf16) || form != Some(Form::Gzip) && is_binary == Some(false);
    let leak = |hit: Hit| Leak {
        line: is_text.then_some(hit.line),
        byte: Some(hit.at),
        ..Leak::new(file.part, &file.shown, hit.form, hit.token)
    };
    found.leaks.extend(hits.into_iter().map(leak));
    Ok(fault)
}

/// Files below the home folder. **Sources**: the list of the original script; git's documentation of `gitcredentials` and
/// `git-config`; the shells' documentation of their histories.
const FILES: [&str; 10] = [
    ".netrc",
    "_netrc",
    ".git-credentials",
    ".config/git/credentials",
    ".gitconfig",
    ".config/git/config",
    ".bash_history",
    ".zsh_history",
    ".local/share/fish/fish_history",
    ".python_history",
];

/// The files of [`FILES`] that exist and do not lie below `root`.
pub(crate) fn of_home(context: &Context, root: &Path) -> Vec<Found> {
    let Some(home) = context.env("HOME").map(Path::new) else {
        return Vec::new();
    };
    let files = FILES.iter().filter_map(|name| {
        let path = tree::outside(&home.join(name), &[root])?;
        let (shown, part) = (Path::new("~").join(name), Part::Home);
        Some(Found { path, shown, part })
    });
    files.collect()
}
