//! Files: streamed to disk, checked, resumed where a connection broke off.

use std::io::Read as _;
use std::path::Path;
use std::time::Duration;

use aris_contract::hex::hex;
use sha2::{Digest as _, Sha256};

use crate::client::Client;
use crate::error::{HttpError, Why};
use crate::exchange::{Again, Attempt, Missed};
use crate::request::Request;
use crate::settings::Mode;
use crate::wire::{Answer, Broken, broken};

/// Pieces a file is written in.
const PIECE: usize = 256 << 10;

/// Bytes of a PDF at least: header, catalogue, one page, table and trailer.
const LEAST_PDF: usize = 100;

/// How a file of a kind begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Magic {
    /// `%PDF-`, within the first kilobyte, as readers accept it.
    Pdf,
    /// PDF or gzip or a bare tar or TeX file: what arXiv sends as a source.
    Source,
}

impl Magic {
    fn fits(self, start: &[u8]) -> bool {
        match self {
            Self::Pdf => {
                let head = start.get(..start.len().min(1024)).unwrap_or_default();
                start.len() >= LEAST_PDF && head.windows(5).any(|word| word == b"%PDF-")
            }
            Self::Source => {
                let text = start.trim_ascii_start();
                let begins = |word: &&[u8]| text.starts_with(word);
                !start.is_empty() && ![&b"<!"[..], b"<html", b"<HTML"].iter().any(begins)
            }
        }
    }
}

/// A file that has arrived.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Downloaded {
    /// Its size.
    pub bytes: u64,
    /// Its digest.
    pub sha256: String,
    /// Bytes that an earlier, broken download had brought already.
    pub resumed: u64,
}

impl Client {
    /// Brings the file that `request` names to `target`, whole and beginning as `magic` says, or not at all. A file that is there is
    /// left alone.
    ///
    /// A download that breaks off leaves `.<name>.part` beside the target, and the next call goes on from there when the host says
    /// that the file is still the same. Of several processes that want the same file one brings it, and the others wait for it.
    ///
    /// **Errors**: as [`Client::ask`]; 404 and 410 give `Ok(None)`.
    pub fn download(
        &self,
        request: &Request,
        target: &Path,
        magic: Magic,
    ) -> Result<Option<Downloaded>, HttpError> {
        let url = self.url(request);
        if self.settings.mode == Mode::Offline {
            return Err(HttpError::Offline { url });
        }
        let name = target.file_name().unwrap_or_default().to_string_lossy();
        let folder = target.parent().unwrap_or(Path::new("."));
        let path = folder.join(format!(".{name}.part"));
        let note = folder.join(format!(".{name}.part.from"));
        let mut part = aris_fs::Part::open(&path, self.end())?;
        // Looked at with the lock held: another process may have brought it meanwhile.
        if target.is_file() {
            part.discard()?;
            return Ok(Some(described(target)?.0));
        }
        let mut resumed = part.length();
        let arrived = self.exchange(request, &url, Duration::MAX, |attempt| {
            let from = aris_fs::read_optional(&note, 4096).map_err(disk)?;
            let from = String::from_utf8(from.unwrap_or_default()).unwrap_or_default();
            let tag = from.strip_prefix(&format!("{url}\n"));
            // Another encoding has other lengths, and a part of it is a part of nothing.
            let mut more = vec![("accept-encoding", String::from("identity"))];
            if let Some(tag) = tag.filter(|_| part.length() > 0) {
                more.push(("range", format!("bytes={}-", part.length())));
                more.push(("if-range", tag.to_owned()));
            } else {
                part.restart().map_err(disk)?;
            }
            let answer = attempt.send(&more)?;
            let goes_on = answer.status != 206 || goes_on(&answer, part.length(), tag);
            if matches!(answer.status, 200 | 416) || !goes_on {
                part.restart().map_err(disk)?;
            }
            resumed = part.length();
            let trouble = |what| Err(attempt.broken(Broken::Trouble(what)));
            match answer.status {
                206 if !goes_on => trouble(String::from("not the part that was asked for")),
                200 | 206 => {
                    let media_type = answer.media_type();
                    receive(attempt, request, &url, answer, &mut part, &note)?;
                    Ok(Some(media_type))
                }
                404 | 410 => Ok(None),
                416 => trouble(String::from("it has no such part")),
                status => trouble(format!("status {status}")),
            }
        });
        let media_type = match arrived {
            Ok(Some(media_type)) => media_type,
            nothing => {
                if nothing.is_ok() || part.length() == 0 {
                    part.discard()?;
                    aris_fs::remove_file(&note)?;
                }
                return nothing.map(|_| None);
            }
        };
        let (file, start) = described(&path)?;
        aris_fs::remove_file(&note)?;
        if !magic.fits(&start) {
            part.discard()?;
            let what = format!("{media_type:?} that is not the file");
            return Err(request.missed(&url, Why::NotAnAnswer(what)));
        }
        if !part.finish_new(target)? {
            return Ok(Some(described(target)?.0));
        }
        Ok(Some(Downloaded { resumed, ..file }))
    }
}

/// Nothing can come of another attempt where the disk fails.
fn disk(error: aris_fs::FsError) -> Missed {
    (error.into(), Again::No)
}

/// Appends the body to the part.
fn receive(
    attempt: &Attempt<'_>,
    request: &Request,
    url: &str,
    mut answer: Answer,
    part: &mut aris_fs::Part,
    note: &Path,
) -> Result<(), Missed> {
    let total = total(&answer, part.length());
    let tag = validator(&answer);
    if part.length() == 0 {
        match tag {
            Some(tag) => {
                aris_fs::replace_unsynced(note, format!("{url}\n{tag}").as_bytes()).map(drop)
            }
            None => aris_fs::remove_file(note).map(drop),
        }
        .map_err(disk)?;
    }
    let mut piece = vec![0; PIECE];
    loop {
        match answer.body.read(&mut piece) {
            Ok(0) => break,
            Ok(count) => part
                .append(piece.get(..count).unwrap_or_default())
                .map_err(disk)?,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(attempt.broken(broken(error))),
        }
        if part.length() > request.limit {
            part.restart().map_err(disk)?;
            return Err(attempt.last(Why::TooLarge(request.limit)));
        }
    }
    let came = part.length();
    let Some(total) = total.filter(|total| *total != came) else {
        return Ok(());
    };
    if came > total {
        part.restart().map_err(disk)?;
    }
    Err(attempt.broken(Broken::Trouble(format!("{came} of {total} bytes came"))))
}

/// What tells one state of a file from another: only a strong tag says that two parts belong together (RFC 9110 §13.1.5).
fn validator(answer: &Answer) -> Option<&str> {
    let tag = answer.header("etag").filter(|tag| !tag.starts_with("W/"));
    tag.or_else(|| answer.header("last-modified"))
}

/// Whether a part begins where the file ends here, and belongs to it: not every host looks at `If-Range`.
fn goes_on(answer: &Answer, here: u64, tag: Option<&str>) -> bool {
    let range = answer.header("content-range").unwrap_or_default();
    let range = range.trim_start_matches(|sign: char| !sign.is_ascii_digit());
    let begin = range
        .split_once('-')
        .and_then(|(begin, _)| begin.trim().parse().ok());
    let same = |now: &str| tag.is_none_or(|tag| tag == now);
    begin == Some(here) && validator(answer).is_none_or(same)
}

/// Bytes that the whole file has, as the answer says: the total of `Content-Range` of a part that goes on where the file ends here, or
/// `Content-Length` of a whole answer.
fn total(answer: &Answer, here: u64) -> Option<u64> {
    if answer.status == 206 {
        let range = answer.header("content-range")?;
        return range.rsplit_once('/')?.1.trim().parse().ok();
    }
    let encoded = answer
        .header("content-encoding")
        .is_some_and(|coding| coding.trim() != "identity");
    let length: u64 = answer.header("content-length")?.trim().parse().ok()?;
    (!encoded).then_some(here + length)
}

/// What a file is, and its first kilobyte or more.
fn described(path: &Path) -> Result<(Downloaded, Vec<u8>), HttpError> {
    let mut digest = Sha256::new();
    let mut bytes = 0;
    let mut start = Vec::new();
    let mut buffer = vec![0; PIECE];
    aris_fs::open(path)?.stream(&mut buffer, |piece| {
        if start.len() < 1024 {
            start.extend_from_slice(piece.get(..piece.len().min(1024)).unwrap_or_default());
        }
        bytes += piece.len() as u64;
        digest.update(piece);
    })?;
    let file = Downloaded {
        bytes,
        sha256: hex(&digest.finalize()),
        resumed: 0,
    };
    Ok((file, start))
}
