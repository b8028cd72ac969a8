//! What files hold.

use aris_fs::FsError;

use crate::report::{Leak, Unseen};
use crate::token::{Form, Hit, Scanner};
use crate::tree::{Found, why};

/// Bytes that one worker reads at once: most files at one stroke.
const BUFFER: usize = 256 << 10;

/// Bytes of a file that are read: 16 GiB. What is larger is no text of people, and would take minutes.
const FILE_LIMIT: u64 = 16 << 30;

/// Bytes at the start of a file in which a NUL makes it binary. **Source**: git, `buffer_is_binary`.
const BINARY_HEAD: usize = 8000;

/// What reading brought.
#[derive(Debug, Default)]
pub(crate) struct Contents {
    pub(crate) leaks: Vec<Leak>,
    pub(crate) unseen: Vec<Unseen>,
    pub(crate) files: u64,
    pub(crate) bytes: u64,
}

/// Reads all files, on all processors.
pub(crate) fn read(files: &[Found]) -> Contents {
    let workers = aris_fs::in_parallel(
        files,
        || (Contents::default(), vec![0; BUFFER]),
        |(contents, buffer), _, file| contents.take(file, buffer),
    );
    let mut all = Contents::default();
    for (one, _) in workers {
        all.leaks.extend(one.leaks);
        all.unseen.extend(one.unseen);
        all.files += one.files;
        all.bytes += one.bytes;
    }
    all
}

impl Contents {
    fn take(&mut self, file: &Found, buffer: &mut [u8]) {
        match self.hits(file, buffer) {
            Ok((hits, fault)) => {
                self.files += 1;
                self.unseen.extend(fault.map(|why| {
                    Unseen::new(&file.shown, &why).hint("unpack it and look at what it holds")
                }));
                let lines = lines(file, &hits, buffer);
                for (at, hit) in hits.into_iter().enumerate() {
                    let mut leak = Leak::new(file.part, &file.shown, hit);
                    leak.line = lines.as_ref().and_then(|lines| lines.get(at).copied());
                    self.leaks.push(leak);
                }
            }
            // Gone since it was listed: there is nothing left that could be leaked here.
            Err(error) if error.is_not_found() => {}
            Err(error) => self.unseen.push(
                Unseen::new(&file.shown, &why(&error))
                    .hint("make it readable, or look at it as a user who may read it"),
            ),
        }
    }

    /// The tokens of a file, and why not all of it was looked at.
    fn hits(
        &mut self,
        file: &Found,
        buffer: &mut [u8],
    ) -> Result<(Vec<Hit>, Option<String>), FsError> {
        let mut hits = Vec::new();
        let mut scanner = Scanner::default();
        let bytes = &mut self.bytes;
        let open = aris_fs::open(&file.path)?;
        if open.metadata().len() > FILE_LIMIT {
            return Err(FsError::TooLarge {
                path: file.path.clone(),
                limit: FILE_LIMIT,
            });
        }
        open.stream(buffer, |piece| {
            *bytes += piece.len() as u64;
            scanner.feed(piece, &mut |hit| hits.push(hit));
        })?;
        let fault = scanner.finish(&mut |hit| hits.push(hit));
        Ok((hits, fault))
    }
}

/// The line of each hit, where the file is text.
fn lines(file: &Found, hits: &[Hit], buffer: &mut [u8]) -> Option<Vec<u64>> {
    let first = hits.first().filter(|hit| hit.form != Form::Gzip)?;
    let mut lines = Vec::with_capacity(hits.len());
    let (mut at, mut line, mut binary) = (0_u64, 1_u64, false);
    aris_fs::open(&file.path)
        .and_then(|open| {
            open.stream_while(buffer, |piece| {
                let head = piece.get(..BINARY_HEAD).unwrap_or(piece);
                binary |= at == 0 && first.form != Form::Utf16 && head.contains(&0);
                for byte in piece {
                    while hits.get(lines.len()).is_some_and(|hit| hit.at <= at) {
                        lines.push(line);
                    }
                    line += u64::from(*byte == b'\n');
                    at += 1;
                }
                !binary && lines.len() < hits.len()
            })
        })
        .ok()?;
    (!binary).then_some(lines)
}
