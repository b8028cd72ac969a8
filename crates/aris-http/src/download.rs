//! Files: streamed to disk, checked, resumed where a connection broke off.

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

/// Pieces a file is written in.
const PIECE: usize = 256 << 10;

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

/// Bytes of a file's start and end that are looked at.
const END: u64 = 1024;

/// Bytes of a page in the place of a file that are looked at.
const PAGE: u64 = 64 << 10;

impl Client {
    /// Brings the file that `request` names to `target`, whole, or not at all. `fits` gets its first kilobyte and says whether it is a file
    /// of the kind that was asked for; where the host did not say how long the file is, it gets the last kilobyte, too, and says whether the
    /// file ends there. A file that is there is left alone. `absent` gets the page of a 404 or 410, as much as 64 KiB of it, and says whether
    /// it is the host's own.
    ///
    /// A download that breaks off leaves `.<name>.part` beside the target, and the next call goes on from there when the host says
    /// that the file is still the same. Of several processes that want the same file one brings it, and the others wait for it.
    ///
    /// **Errors**: as [`Client::ask`]; a 404 or 410 of the host's own gives `Ok(None)`.
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
        // Looked at with the lock held: another process may have brought it meanwhile.
        if target.is_file() {
            part.discard()?;
            return Ok(Some(described(target)?));
        }
        let mut resumed = part.length();
        let arrived = self.exchange(request, &url, Duration::MAX, |attempt| {
            // A note that cannot be read says nothing about the part, which is then begun again.
            let from = aris_fs::read_text(&note).unwrap_or_default();
            let known = from.strip_prefix(&format!("{url}\n"));
            let tag = known.and_then(|known| known.lines().next());
            let total: Option<u64> = known.and_then(|known| known.lines().nth(1)?.parse().ok());
            // Another encoding has other lengths, and a part of it is a part of nothing.
            let mut more = vec![("accept-encoding", String::from("identity"))];
            if let Some(tag) = tag.filter(|_| part.length() > 0) {
                more.push(("range", format!("bytes={}-", part.length())));
                more.push(("if-range", tag.to_owned()));
            } else {
                part.restart().map_err(disk)?;
            }
            let (mut answer, _) = attempt.send(&more)?;
            // Not every host looks at `If-Range`.
            // A part names the tag that the whole has (RFC 9110 §15.3.7): one that names none may be of another file.
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

/// Nothing can come of another attempt where the disk fails.
fn disk(error: aris_fs::FsError) -> Missed {
    (error.into(), Again::No)
}

/// Appends the body to the part; the media type that the answer names, and whether the host said how long the file is.
fn receive(
    attempt: &Attempt<'_>,
    mut answer: Answer,
    part: &mut aris_fs::Part,
    note: &Path,
) -> Result<(String, bool), Missed> {
    let Exchange { request, url, .. } = attempt.exchange;
    let total = range(&answer).and_then(|(_, total)| total);
    // Without a length and without chunks the end of the connection is the end of the file, and a cut looks like one (RFC 9112 §6.3).
    let chunked = header(&answer, "transfer-encoding").is_some();
    let said = chunked || total.is_some() || header(&answer, "content-length").is_some();
    let limit = request.limit;
    if part.length() == 0 {
        let noted = match validator(&answer) {
            // With the length, which a part of the same file repeats.
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

/// What tells one state of a file from another: only a strong tag says that two parts belong together (RFC 9110 §13.1.5).
fn validator(answer: &Answer) -> Option<&str> {
    let tag = header(answer, "etag").filter(|tag| !tag.starts_with("W/"));
    tag.or_else(|| header(answer, "last-modified"))
}

/// Where a part begins in its file, and how many bytes the file has (RFC 9110 §14.4).
fn range(answer: &Answer) -> Option<(u64, Option<u64>)> {
    let range = header(answer, "content-range")?;
    let range = range.trim_start_matches(|sign: char| !sign.is_ascii_digit());
    let (begin, end) = range.split_once('-')?;
    let total = end.split_once('/')?.1.trim().parse().ok();
    Some((begin.trim().parse().ok()?, total))
}

/// What a file is.
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
