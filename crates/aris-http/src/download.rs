//! Downloads: streamed to disk, checked, and resumed after a broken connection.

use std::io::Read as _;
use std::path::Path;
use std::time::Duration;

use aris_contract::hex::hex;
use sha2::{Digest as _, Sha256};

use crate::again::Again;
use crate::client::Client;
use crate::error::{HttpError, Why};
use crate::exchange::{Attempt, Exchange, Missed};
use crate::request::Request;
use crate::settings::Mode;
use crate::wire::{Answer, Broken, broken, header, media_type};

/// Size of the pieces in which a file is written.
const PIECE: usize = 256 << 10;

/// A downloaded file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Downloaded {
    /// Size in bytes.
    pub bytes: u64,
    /// SHA-256, in hexadecimal.
    pub sha256: String,
    /// Bytes that an earlier, interrupted download had already stored.
    pub resumed: u64,
}

/// Bytes at the start and at the end of a file that are checked.
const END: u64 = 1024;

/// Bytes of an error page that are read.
const PAGE: u64 = 64 << 10;

impl Client {
    /// Downloads the file of `request` to `target`, completely or not at all. An existing `target` is left alone. `fits` checks the file: its
    /// first argument is the first kilobyte; the second is the last kilobyte if the host did not announce the file's length, and then `fits`
    /// must also check that the file ends there. `absent` gets up to 64 KiB of the page of a 404 or 410 and says whether the host itself
    /// wrote that page.
    ///
    /// An interrupted download leaves `.<name>.part` beside the target; the next call continues it if the host says that the file is still
    /// the same. If several processes want the same file, one downloads it and the others wait.
    ///
    /// **Errors**: as [`Client::ask`]. Returns `Ok(None)` after a 404 or 410 whose page `absent` accepts.
    pub fn download(
        &self,
        request: &Request,
        target: &Path,
        fits: impl Fn(&[u8], Option<&[u8]>) -> bool,
        absent: impl Fn(&[u8]) -> bool,
    ) -> Result<Option<Downloaded>, HttpError> {
        let url = self.url(request);
        if self.settings.mode == Mode::Offline {
            return Err(HttpError::Offline { url });
        }
        let name = target.file_name().unwrap_or_default().to_string_lossy();
        let folder = target.parent().unwrap_or(Path::new("."));
        let path = folder.join(format!(".{name}.part"));
        let note = folder.join(format!(".{name}.part.from"));
        let mut part = aris_fs::Part::open(&path, self.end)?;
        // Checked while the lock is held: another process may have downloaded it meanwhile.
        if target.is_file() {
            part.discard()?;
            return Ok(Some(described(target)?));
        }
        let mut resumed = part.length();
        let arrived = self.exchange(request, &url, Duration::MAX, |attempt| {
            // Without a readable note the origin of the part is unknown, and the download starts again.
            let from = aris_fs::read_text(&note).unwrap_or_default();
            let known = from.strip_prefix(&format!("{url}\n"));
            let tag = known.and_then(|known| known.lines().next());
            let total: Option<u64> = known.and_then(|known| known.lines().nth(1)?.parse().ok());
            // With content encodings, lengths and parts would not be those of the file.
            let mut more = vec![("accept-encoding", String::from("identity"))];
            if let Some(tag) = tag.filter(|_| part.length() > 0) {
                more.push(("range", format!("bytes={}-", part.length())));
                more.push(("if-range", tag.to_owned()));
            } else {
                part.restart().map_err(disk)?;
            }
            let (mut answer, _) = attempt.send(&more)?;
            // Not every host honours `If-Range`. A 206 carries the tag of the whole file (RFC 9110 §15.3.7); one without it may belong to
            // another file.
            let same = tag.is_some() && validator(&answer) == tag;
            let status = answer.status().as_u16();
            let fits_on = range(&answer).is_some_and(|(begin, whole)| {
                begin == part.length() && (whole.is_none() || total.is_none() || whole == total)
            });
            let goes_on = status == 206 && fits_on && same;
            if matches!(status, 200 | 206 | 416) && !goes_on {
                part.restart().map_err(disk)?;
            }
            resumed = part.length();
            let trouble = match status {
                _ if status == 200 || goes_on => {
                    return receive(attempt, answer, &mut part, &note).map(Some);
                }
                404 | 410 => {
                    let mut page = Vec::new();
                    let body = answer.body_mut().as_reader();
                    body.take(PAGE)
                        .read_to_end(&mut page)
                        .map_err(|error| attempt.broken(broken(error)))?;
                    if absent(&page) {
                        return Ok(None);
                    }
                    let what = format!("{status} with a page that is not its own");
                    return Err(attempt.last(Why::NotAnAnswer(what)));
                }
                206 => String::from("not the part that was asked for"),
                416 => String::from("it has no such part"),
                _ => format!("status {status}"),
            };
            Err(attempt.broken(Broken::Trouble(trouble)))
        });
        let (media_type, length_was_said) = match arrived {
            Ok(Some(described)) => described,
            nothing => {
                if nothing.is_ok() || part.length() == 0 {
                    part.discard()?;
                    aris_fs::remove_file(&note)?;
                }
                return nothing.map(|_| None);
            }
        };
        aris_fs::remove_file(&note)?;
        let start = aris_fs::open(&path)?.head(END)?;
        let from = part.length().saturating_sub(END);
        let end = aris_fs::open(&path)?.read_from(from, END)?;
        if !fits(&start, (!length_was_said).then_some(end.as_slice())) {
            part.discard()?;
            let what = format!("{media_type:?} that is not the whole file");
            return Err(request.missed(&url, Why::NotAnAnswer(what)));
        }
        let is_new = part.finish_new(target)?;
        Ok(Some(Downloaded {
            resumed: if is_new { resumed } else { 0 },
            ..described(target)?
        }))
    }
}

/// A disk error; another attempt will not help.
fn disk(error: aris_fs::FsError) -> Missed {
    (error.into(), Again::No)
}

/// Appends the body to the part. Returns the media type, and whether the host announced the file's length.
fn receive(
    attempt: &Attempt<'_>,
    mut answer: Answer,
    part: &mut aris_fs::Part,
    note: &Path,
) -> Result<(String, bool), Missed> {
    let Exchange { request, url, .. } = attempt.exchange;
    let total = range(&answer).and_then(|(_, total)| total);
    // Without length and chunks, the end of the connection is the end of the file, so an interruption cannot be noticed (RFC 9112 §6.3).
    let chunked = header(&answer, "transfer-encoding").is_some();
    let said = chunked || total.is_some() || header(&answer, "content-length").is_some();
    let limit = request.limit;
    if part.length() == 0 {
        let noted = match validator(&answer) {
            // Keep the length as well: a later part must announce the same.
            Some(tag) => {
                let length = total.map(|total| total.to_string());
                let length = length
                    .as_deref()
                    .or_else(|| header(&answer, "content-length"));
                let text = format!("{url}\n{tag}\n{}", length.unwrap_or_default());
                aris_fs::replace_unsynced(note, text.as_bytes())
            }
            None => aris_fs::remove_file(note),
        };
        noted.map_err(disk)?;
    }
    let media_type = media_type(&answer);
    let mut body = answer.body_mut().as_reader();
    let mut piece = vec![0; PIECE];
    loop {
        match body.read(&mut piece) {
            Ok(0) => break,
            Ok(count) => part
                .append(piece.get(..count).unwrap_or_default())
                .map_err(disk)?,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(attempt.broken(broken(error))),
        }
        if part.length() > limit {
            part.restart().map_err(disk)?;
            return Err(attempt.last(Why::TooLarge(limit)));
        }
    }
    let came = part.length();
    let Some(total) = total.filter(|total| *total != came) else {
        return Ok((media_type, said));
    };
    if came > total {
        part.restart().map_err(disk)?;
    }
    let what = format!("{came} of {total} bytes came");
    Err(attempt.broken(Broken::Trouble(what)))
}

/// The validator of a file's version: only a strong tag allows parts to be joined (RFC 9110 §13.1.5).
fn validator(answer: &Answer) -> Option<&str> {
    let tag = header(answer, "etag").filter(|tag| !tag.starts_with("W/"));
    tag.or_else(|| header(answer, "last-modified"))
}

/// The start of a part in its file, and the length of the file (RFC 9110 §14.4).
fn range(answer: &Answer) -> Option<(u64, Option<u64>)> {
    let range = header(answer, "content-range")?;
    let range = range.trim_start_matches(|sign: char| !sign.is_ascii_digit());
    let (begin, end) = range.split_once('-')?;
    let total = end.split_once('/')?.1.trim().parse().ok();
    Some((begin.trim().parse().ok()?, total))
}

/// Size and digest of a file.
fn described(path: &Path) -> Result<Downloaded, HttpError> {
    let (mut digest, mut bytes) = (Sha256::new(), 0);
    aris_fs::open(path)?.stream(&mut vec![0; PIECE], |piece| {
        bytes += piece.len() as u64;
        digest.update(piece);
    })?;
    Ok(Downloaded {
        bytes,
        sha256: hex(&digest.finalize()),
        resumed: 0,
    })
}
