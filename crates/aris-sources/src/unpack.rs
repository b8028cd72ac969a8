//! Unpacks a paper's source from arXiv: a tar archive or a single file, with or without gzip, or a PDF.
//!
//! Archives are untrusted: only regular files with paths below the target are accepted, and their number and size are limited.

use std::io::{Cursor, Read};
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;

/// Largest unpacked source, in bytes: twenty times what arXiv accepts without asking (50 MB).
const BYTES: u64 = 1 << 30;

/// Most files in a source.
const FILES: usize = 20_000;

/// An unpacked source.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Source {
    /// Regular files by their path inside the archive.
    pub files: Vec<(PathBuf, Vec<u8>)>,
    /// Entries that were skipped, with their names in the archive.
    pub left_out: Vec<String>,
}

/// Unpacks the bytes from arXiv. `name` is the name for a single file, without extension.
///
/// **Errors**: what is wrong with them, in words.
pub fn read(bytes: &[u8], name: &str) -> Result<Source, String> {
    let plain = if bytes.starts_with(&[0x1f, 0x8b]) {
        bounded(MultiGzDecoder::new(bytes))?
    } else {
        bytes.to_vec()
    };
    // Magic number of a tar header (POSIX.1-1988 ustar, GNU tar).
    if plain.get(257..262) == Some(b"ustar") {
        return archive(&plain);
    }
    let ending = if plain.starts_with(b"%PDF-") {
        "pdf"
    } else if plain.starts_with(b"%!PS") {
        "ps"
    } else if plain.contains(&0) {
        return Err(String::from(
            "neither an archive nor a TeX, PostScript or PDF file",
        ));
    } else {
        "tex"
    };
    Ok(Source {
        files: vec![(PathBuf::from(format!("{name}.{ending}")), plain)],
        left_out: Vec::new(),
    })
}

fn bounded(reader: impl Read) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    reader
        .take(BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| format!("broken gzip: {error}"))?;
    if bytes.len() as u64 > BYTES {
        return Err(format!("more than {BYTES} bytes when unpacked"));
    }
    Ok(bytes)
}

fn archive(bytes: &[u8]) -> Result<Source, String> {
    let broken = |error: std::io::Error| format!("broken tar: {error}");
    let mut source = Source::default();
    let mut archive = tar::Archive::new(Cursor::new(bytes));
    for entry in archive.entries().map_err(broken)? {
        let mut entry = entry.map_err(broken)?;
        let kind = entry.header().entry_type();
        let path = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        if kind.is_dir() || kind.is_pax_global_extensions() {
            continue;
        }
        let Some(inside) = inside(&path).filter(|_| kind.is_file()) else {
            source.left_out.push(path);
            continue;
        };
        if source.files.len() >= FILES {
            return Err(format!("more than {FILES} files"));
        }
        // A sparse file may be larger than the archive, so count the bytes read, not the announced size.
        let mut content = Vec::new();
        (&mut entry)
            .take(BYTES + 1)
            .read_to_end(&mut content)
            .map_err(broken)?;
        let total: u64 = source.files.iter().map(|(_, file)| file.len() as u64).sum();
        if total + content.len() as u64 > BYTES {
            return Err(format!("more than {BYTES} bytes when unpacked"));
        }
        // Of two entries with the same name the last one counts, as with tar.
        source.files.retain(|(earlier, _)| *earlier != inside);
        source.files.push((inside, content));
    }
    if source.files.is_empty() {
        return Err(String::from("an archive without a plain file"));
    }
    Ok(source)
}

/// The path without `.`; `None` if it leaves its starting folder.
fn inside(path: &str) -> Option<PathBuf> {
    let clean = aris_fs::join_inside(Path::new(""), Path::new(path)).ok()?;
    (!path.contains(['\0', '\\'])).then(|| aris_fs::lexical(&clean))
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    fn tar(entries: &[(&str, tar::EntryType, &[u8])]) -> Vec<u8> {
        let mut builder = tar::Builder::new(Vec::new());
        for (path, kind, content) in entries {
            let mut header = tar::Header::new_ustar();
            // `set_path` refuses the paths that an attacker would use.
            let name = header.as_ustar_mut().expect("ustar");
            name.name[..path.len()].copy_from_slice(path.as_bytes());
            header.set_entry_type(*kind);
            header.set_size(content.len() as u64);
            header.set_mode(0o644);
            if kind.is_symlink() {
                header.set_link_name("/etc/passwd").expect("link");
            }
            header.set_cksum();
            builder.append(&header, *content).expect("entry");
        }
        builder.into_inner().expect("archive")
    }

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(bytes).expect("written");
        encoder.finish().expect("gzip")
    }

    #[test]
    fn only_plain_files_that_stay_inside_are_taken() {
        use tar::EntryType as Kind;
        let bytes = tar(&[
            ("./main.tex", Kind::Regular, b"\\documentclass"),
            ("figures/", Kind::Directory, b""),
            ("figures/a.pdf", Kind::Regular, b"%PDF-"),
            ("../../outside", Kind::Regular, b"x"),
            ("/etc/cron.d/x", Kind::Regular, b"x"),
            ("link", Kind::Symlink, b""),
            ("device", Kind::Char, b""),
        ]);
        for bytes in [gzip(&bytes), bytes] {
            let source = read(&bytes, "2301.00001").expect("a source");
            let names: Vec<_> = source
                .files
                .iter()
                .map(|(path, _)| path.to_string_lossy())
                .collect();
            assert_eq!(names, ["main.tex", "figures/a.pdf"]);
            assert_eq!(
                source.left_out,
                ["../../outside", "/etc/cron.d/x", "link", "device"]
            );
        }
    }

    #[test]
    fn a_single_file_is_called_after_the_paper() {
        for (bytes, wanted) in [
            (gzip(b"\\documentstyle{article}"), "cs_0601001.tex"),
            (b"%PDF-1.5".to_vec(), "cs_0601001.pdf"),
            (gzip(b"%!PS-Adobe"), "cs_0601001.ps"),
        ] {
            let source = read(&bytes, "cs_0601001").expect("a source");
            assert_eq!(source.files[0].0, Path::new(wanted));
        }
        for broken in [&gzip(b"text")[..12], &[0x1f, 0x8b, 8, 0][..], b"a\0b"] {
            assert!(read(broken, "x").is_err());
        }
    }
}
