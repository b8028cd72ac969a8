//! What files hold.

use aris_fs::FsError;

use crate::report::{Findings, Leak, Unseen};
use crate::token::{Form, Hit, Scanner};
use crate::tree::{Found, why};

/// Bytes that one worker reads at once: most files at one stroke.
const BUFFER: usize = 256 << 10;

/// Bytes of a file that are read: 16 GiB. What is larger is no text of people, and would take minutes.
const FILE_LIMIT: u64 = 16 << 30;

/// Bytes at the start of a file in which a NUL makes it binary. **Source**: git, `buffer_is_binary`.
const BINARY_HEAD: usize = 8000;

/// Reads all files, on all processors.
pub(crate) fn read(files: &[Found]) -> Findings {
    let start = || (Findings::default(), vec![0; BUFFER]);
    let workers = aris_fs::in_parallel(files, start, |(found, buffer), _, file| {
        match look(file, buffer, found) {
            Ok(fault) => {
                found.looked.files += 1;
                let hint = "unpack it and look at what it holds";
                found
                    .unseen
                    .extend(fault.map(|why| Unseen::new(&file.shown, &why).hint(hint)));
            }
            // Gone since it was listed: there is nothing left that could be leaked here.
            Err(error) if error.is_not_found() => {}
            Err(error) => {
                let hint = "make it readable, or look at it as a user who may read it";
                found
                    .unseen
                    .push(Unseen::new(&file.shown, &why(&error)).hint(hint));
            }
        }
    });
    let mut all = Findings::default();
    for (found, _) in workers {
        all.add(found);
    }
    all
}

/// Adds the tokens of a file; why not all of it was looked at.
fn look(file: &Found, buffer: &mut [u8], found: &mut Findings) -> Result<Option<String>, FsError> {
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
