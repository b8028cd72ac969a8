//! The program as Python and npm packages for people without Rust, and as recipes for package managers.
//!
//! Each package contains the one program, which contains the skills: nothing is compiled or downloaded during installation.

use std::io::{Cursor, Write as _};

use aris_audit::Digest;
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD as URL_SAFE_NO_PAD;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use zip::write::SimpleFileOptions;

use super::archive;
use super::contents::{File, Files};
use crate::fault::Fault;
use crate::install::ARIS;

const SUMMARY: &str =
    "Audits, gates and queues for research agents: small programs whose exit code is the truth";
const DESCRIPTION: &str = "`aris demo` shows the gate at work on an example paper. `aris install PROJECT` installs the skills and their helpers into a\n\
                           project. `aris help` lists the helpers by what they are for.\n";
const LICENCE: &str = "MIT OR Apache-2.0";

/// The npm scope of the packages for single platforms.
const SCOPE: &str = "@aris-helpers";

/// The parts of a package for one target.
pub(super) struct Parts<'a> {
    pub(super) version: &'a str,
    pub(super) triple: &'a str,
    pub(super) program: &'a [u8],
    /// Names and texts of our licences and of those of the program's parts.
    pub(super) licences: &'a [(String, String)],
    /// Time of the commit, in seconds since 1970.
    pub(super) time: u64,
}

impl Parts<'_> {
    fn extension(&self) -> &'static str {
        crate::install::extension(self.triple)
    }

    fn licence_lines(&self) -> String {
        let names = self.licences.iter();
        let lines: Vec<String> = names
            .map(|(name, _)| format!("License-File: {name}\n"))
            .collect();
        lines.concat()
    }

    fn arch(&self) -> &str {
        self.triple.split('-').next().unwrap_or_default()
    }

    /// The wheel: its file name and its bytes.
    ///
    /// **Source**: <https://packaging.python.org/en/latest/specifications/binary-distribution-format/>.
    pub(super) fn wheel(&self) -> Result<(String, Vec<u8>), Fault> {
        let tags = self.python_tags()?;
        let stem = format!("{ARIS}-{}", self.version);
        let mut files = Files::new();
        let script = format!("{stem}.data/scripts/{ARIS}{}", self.extension());
        files.insert(script, File::program(self.program));
        let info = format!("{stem}.dist-info");
        files.insert(
            format!("{info}/METADATA"),
            File::text(format!(
                "Metadata-Version: 2.4\nName: {ARIS}\nVersion: {}\nSummary: {SUMMARY}\nLicense-Expression: {LICENCE}\n\
                 {}Description-Content-Type: text/markdown\n\n{DESCRIPTION}",
                self.version, self.licence_lines()
            )),
        );
        let tag_lines: Vec<_> = tags
            .iter()
            .map(|tag| format!("Tag: py3-none-{tag}"))
            .collect();
        let tag_lines = tag_lines.join("\n");
        files.insert(
            format!("{info}/WHEEL"),
            File::text(format!(
                "Wheel-Version: 1.0\nGenerator: xtask\nRoot-Is-Purelib: false\n{tag_lines}\n"
            )),
        );
        for (name, text) in self.licences {
            files.insert(format!("{info}/licenses/{name}"), File::text(text.as_str()));
        }
        let mut record = String::new();
        for (path, file) in &files {
            let digest = URL_SAFE_NO_PAD.encode(Sha256::digest(&file.bytes));
            record.extend([
                path,
                ",sha256=",
                &digest,
                &format!(",{}\n", file.bytes.len()),
            ]);
        }
        record.extend([info.as_str(), "/RECORD,,\n"]);
        files.insert(format!("{info}/RECORD"), File::text(record));
        let name = format!("{stem}-py3-none-{}.whl", tags.join("."));
        Ok((name, self.zip(&files)?))
    }

    /// The platforms on which the program runs, as Python platform tags.
    ///
    /// **Source**: <https://packaging.python.org/en/latest/specifications/platform-compatibility-tags/>.
    fn python_tags(&self) -> Result<Vec<String>, Fault> {
        let arch = self.arch();
        Ok(match self.triple.split_once('-').map(|(_, rest)| rest) {
            // A static program runs with any C library.
            Some("unknown-linux-musl") => vec![
                format!("manylinux_2_17_{arch}"),
                format!("musllinux_1_1_{arch}"),
            ],
            Some("unknown-linux-gnu") => {
                vec![format!("manylinux_2_{}_{arch}", glibc(self.program))]
            }
            Some("apple-darwin") if arch == "aarch64" => vec![String::from("macosx_11_0_arm64")],
            Some("apple-darwin") => vec![format!("macosx_10_12_{arch}")],
            Some("pc-windows-msvc") if arch == "aarch64" => vec![String::from("win_arm64")],
            Some("pc-windows-msvc") => vec![String::from("win_amd64")],
            _ => {
                return Err(Fault::new(format!(
                    "no wheel for {}: Python has no name for it here",
                    self.triple
                )));
            }
        })
    }

    fn zip(&self, files: &Files) -> Result<Vec<u8>, Fault> {
        let time = jiff::Timestamp::from_second(i64::try_from(self.time).unwrap_or_default())
            .map_err(Fault::from_error)?
            .to_zoned(jiff::tz::TimeZone::UTC);
        let part = |value: i8| u8::try_from(value).unwrap_or_default();
        let time = zip::DateTime::from_date_and_time(
            u16::try_from(time.year()).unwrap_or_default(),
            part(time.month()),
            part(time.day()),
            part(time.hour()),
            part(time.minute()),
            part(time.second()),
        )
        .map_err(|error| Fault::new(format!("the time of the commit: {error}")))?;
        let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
        for (path, file) in files {
            let options = SimpleFileOptions::default()
                .compression_method(zip::CompressionMethod::Deflated)
                .compression_level(Some(9))
                .last_modified_time(time)
                .unix_permissions(file.mode());
            archive
                .start_file(path, options)
                .map_err(Fault::from_error)?;
            archive.write_all(&file.bytes).map_err(Fault::from_error)?;
        }
        Ok(archive.finish().map_err(Fault::from_error)?.into_inner())
    }

    /// The platform in npm's terms: operating system and processor. **Source**: `process.platform` and `process.arch` of Node.js.
    fn npm_platform(&self) -> Result<(&'static str, &'static str), Fault> {
        let system = match self.triple {
            triple if triple.contains("linux") => "linux",
            triple if triple.contains("darwin") => "darwin",
            triple if triple.contains("windows") => "win32",
            _ => {
                return Err(Fault::new(format!(
                    "no npm package for {}: npm has no name for it here",
                    self.triple
                )));
            }
        };
        let arch = if self.arch() == "aarch64" {
            "arm64"
        } else {
            "x64"
        };
        Ok((system, arch))
    }

    /// The npm package with the program for this target: (name at npm, file name, bytes).
    pub(super) fn npm(&self) -> Result<(String, String, Vec<u8>), Fault> {
        let (system, arch) = self.npm_platform()?;
        let name = format!("{SCOPE}/{system}-{arch}");
        let mut manifest = json!({
            "name": name,
            "version": self.version,
            "description": format!("The program {ARIS} for {system} on {arch}"),
            "license": LICENCE,
            "os": [system],
            "cpu": [arch],
            "files": ["bin", "licences"],
        });
        if self.triple.ends_with("linux-gnu") {
            manifest["libc"] = json!(["glibc"]);
        }
        let mut files = Files::from([
            package_json(&manifest),
            (
                format!("bin/{ARIS}{}", self.extension()),
                File::program(self.program),
            ),
        ]);
        for (name, text) in self.licences {
            files.insert(format!("licences/{name}"), File::text(text.as_str()));
        }
        let file = format!("{ARIS}-{system}-{arch}-{}.tgz", self.version);
        Ok((name, file, archive::tar_gz("package", &files, self.time)?))
    }
}

/// The npm package that people install: it depends on the packages for the platforms, and starts the program.
pub(super) fn npm_front(
    version: &str,
    platforms: &[String],
    licences: &[(String, String)],
    time: u64,
) -> Result<(String, Vec<u8>), Fault> {
    let optional: serde_json::Map<String, Value> = platforms
        .iter()
        .map(|name| (name.clone(), json!(version)))
        .collect();
    let manifest = json!({
        "name": ARIS,
        "version": version,
        "description": SUMMARY,
        "license": LICENCE,
        "bin": {ARIS: "bin/aris.js"},
        "files": ["bin", "licences"],
        "engines": {"node": ">=18"},
        "optionalDependencies": optional,
    });
    let mut files = Files::from([
        package_json(&manifest),
        (
            String::from("README.md"),
            File::text(format!("# {ARIS}\n\n{SUMMARY}.\n\n{DESCRIPTION}")),
        ),
        (
            String::from("bin/aris.js"),
            File::program(include_str!("templates/aris.js").replace("@SCOPE@", SCOPE)),
        ),
    ]);
    for (name, text) in licences {
        files.insert(format!("licences/{name}"), File::text(text.as_str()));
    }
    let file = format!("{ARIS}-{version}.tgz");
    Ok((file, archive::tar_gz("package", &files, time)?))
}

fn package_json(manifest: &Value) -> (String, File) {
    (
        String::from("package.json"),
        File::text(format!("{manifest:#}\n")),
    )
}

/// Recipes for package managers and containers, with the digests of this release's archives and wheels.
///
/// The placeholder `@URL@` stays: it is filled in when the files are published.
pub(super) fn recipes(version: &str, digests: &[(String, String)]) -> Vec<(String, String)> {
    let digest = |suffix: &str| {
        let found = digests.iter().find(|(file, _)| file.ends_with(suffix));
        found.map_or("@NOT_BUILT@", |(_, digest)| digest)
    };
    let fill = |text: &str| {
        let mut text = text.replace("@VERSION@", version);
        for arch in ["x86_64", "aarch64"] {
            for system in ["unknown-linux-musl", "apple-darwin"] {
                let triple = format!("{arch}-{system}");
                let sum = digest(&format!("{triple}.tar.gz"));
                text = text.replace(&format!("@SHA256:{triple}@"), sum);
            }
        }
        text
    };
    [
        ("Containerfile", include_str!("templates/Containerfile")),
        ("aris.rb", include_str!("templates/aris.rb")),
        ("PKGBUILD", include_str!("templates/PKGBUILD")),
    ]
    .map(|(name, text)| (name.to_owned(), fill(text)))
    .to_vec()
}

/// An in-toto statement of how the files were made, to be signed by the publisher.
///
/// **Source**: <https://slsa.dev/spec/v1.0/provenance>.
pub(super) fn provenance(
    digests: &[(String, String)],
    commit: &str,
    lock: &Digest,
    rustc: &str,
) -> String {
    let subject =
        |(name, digest): &(String, String)| json!({"name": name, "digest": {"sha256": digest}});
    let statement = json!({
        "_type": "https://in-toto.io/Statement/v1",
        "subject": digests.iter().map(subject).collect::<Vec<_>>(),
        "predicateType": "https://slsa.dev/provenance/v1",
        "predicate": {
            "buildDefinition": {
                "buildType": "https://doc.rust-lang.org/cargo/commands/cargo-build.html",
                "externalParameters": {"command": "cargo xtask dist"},
                "internalParameters": {"rustc": rustc},
                "resolvedDependencies": [
                    {"name": "source", "digest": {"gitCommit": commit}},
                    {"name": "Cargo.lock", "digest": {"sha256": lock.hex()}},
                ],
            },
            "runDetails": {"builder": {"id": "tag:aris,2026:cargo-xtask-dist"}},
        },
    });
    format!("{statement:#}\n")
}

/// The minor version of the GNU C library that a program needs, from the names of symbol versions in it.
fn glibc(program: &[u8]) -> u32 {
    const NAME: &[u8] = b"GLIBC_2.";
    let named = program.windows(NAME.len() + 2).filter_map(|window| {
        let digits = window.strip_prefix(NAME)?;
        let digits = digits.split(|byte| !byte.is_ascii_digit()).next()?;
        std::str::from_utf8(digits).ok()?.parse().ok()
    });
    // The oldest version for which Python has a tag.
    named.chain([17]).max().unwrap_or(17)
}
