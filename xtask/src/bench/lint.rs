//! The linter over trees of 1,000 and 10,000 files, beside reading every byte of the same trees.

use std::fmt::Write as _;
use std::path::Path;
use std::thread;
use std::time::Instant;

use super::Binaries;
use super::measure::{Call, Figures, heading, row};
use crate::fault::Fault;

/// Skills in the tree and limit on the time in milliseconds. **Source**: the project's own promise to users.
const TREES: [(usize, f64); 2] = [(100, 150.0), (1_000, 1_500.0)];

/// Limit on memory, in MiB.
const LIMIT_MIB: f64 = 100.0;

/// Files of one skill.
const FILES: usize = 10;

const RUNS: usize = 9;

#[expect(clippy::cast_precision_loss, reason = "sizes far below 2^52")]
pub(super) fn run(binaries: &Binaries) -> Result<(), Fault> {
    for (skills, limit) in TREES {
        heading(&format!(
            "skill_lint: {skills} skills, {} files, {RUNS} runs, min / median / max",
            skills * FILES
        ));
        let temp = tempfile::tempdir().map_err(Fault::from_error)?;
        let mut bytes = 0;
        for skill in 0..skills {
            bytes += write_skill(&temp.path().join(format!("skills/skill-{skill}")), skill)?;
        }
        let args = [
            "--json",
            "--no-config",
            "--profile",
            "all",
            "--fail-on",
            "never",
            ".",
        ];
        let lint = Call::new(binaries.path("skill_lint"), &args, temp.path());
        lint.once()?;
        let (mut ours, mut reading) = (Figures::default(), Figures::default());
        for _ in 0..RUNS {
            ours.push(lint.once()?);
            reading.push(read_all(temp.path())?);
        }
        row("skill_lint, all rules", ours.millis());
        row(
            &format!(
                "reading {:.1} MiB, all processors",
                bytes as f64 / f64::from(1 << 20)
            ),
            reading.millis(),
        );
        row(
            "skill_lint / reading, pair by pair",
            ours.over(&reading).ratio(),
        );
        row(
            "  limit / median",
            format!("{:.1} x (limit {limit} ms)", limit / (ours.median() * 1e3)),
        );
        let peak = lint.peak_memory()? as f64 / f64::from(1 << 20);
        row(
            "peak memory",
            format!("{peak:.1} MiB (limit {LIMIT_MIB} MiB)"),
        );
    }
    Ok(())
}

/// One skill: its page, five references, three scripts and an asset, about 100 KiB; gives its bytes.
fn write_skill(folder: &Path, seed: usize) -> Result<usize, Fault> {
    let mut words = Words(seed);
    let mut page = format!(
        "---\nname: skill-{seed}\ndescription: Reads pages and counts words. Use when a text must be counted.\n---\n\n# Skill {seed}\n\n"
    );
    for part in 0..5 {
        writeln!(
            page,
            "Read [part {part}](references/part-{part}.md) for the details.\n"
        )
        .map_err(Fault::from_error)?;
    }
    page += "```sh\npython3 scripts/count.py --json FILE\nbash scripts/list.sh\nnode scripts/show.js\n```\n\n";
    page += &words.prose(60);
    let mut files = vec![(String::from("SKILL.md"), page)];
    for part in 0..5 {
        files.push((format!("references/part-{part}.md"), words.reference(200)));
    }
    files.push((String::from("scripts/count.py"), format!(
        "#!/usr/bin/env python3\n\"\"\"Count words.\n\nUsage: count.py FILE\nExamples: count.py a\nExit: 0\n\"\"\"\nimport argparse\n\n{}",
        words.lines(150, |name, other| format!("def {name}_{other}(value):\n    return [value, \"{other}\"]\n"))
    )));
    files.push((String::from("scripts/list.sh"), format!(
        "#!/usr/bin/env bash\n# Usage: list.sh\n# Examples: list.sh\n# Exit: 0\nset -uo pipefail\n{}",
        words.lines(150, |name, other| format!("{name}=\"${{1:-{other}}}\"; printf '%s\\n' \"${name}\" | sort -u\n"))
    )));
    files.push((
        String::from("scripts/show.js"),
        format!(
            "#!/usr/bin/env node\n// Usage: show.js\n{}",
            words.lines(150, |name, other| format!(
                "const {name}_{other} = (x) => `${{x}} {name}`;\n"
            ))
        ),
    ));
    files.push((
        String::from("assets/table.csv"),
        words.lines(300, |name, other| format!("{name},{other}\n")),
    ));
    let mut bytes = 0;
    for (path, text) in files {
        bytes += text.len();
        write(&folder.join(path), &text)?;
    }
    Ok(bytes)
}

#[expect(
    clippy::disallowed_methods,
    reason = "ten thousand durable writes would take longer than all that is measured"
)]
fn write(path: &Path, text: &str) -> Result<(), Fault> {
    let folder = path.parent().unwrap_or(path);
    std::fs::create_dir_all(folder).map_err(Fault::from_error)?;
    std::fs::write(path, text).map_err(Fault::from_error)
}

/// Words in an order without a pattern, the same for the same seed.
struct Words(usize);

impl Words {
    fn next(&mut self) -> &'static str {
        const WORDS: [&str; 24] = [
            "the", "page", "counts", "reader", "with", "table", "some", "every", "text", "rule",
            "file", "when", "result", "takes", "plain", "before", "section", "number", "writes",
            "value", "model", "paper", "check", "before",
        ];
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        WORDS
            .get((self.0 >> 33) % WORDS.len())
            .copied()
            .unwrap_or_default()
    }

    fn lines(&mut self, count: usize, line: impl Fn(&str, &str) -> String) -> String {
        (0..count)
            .map(|_| {
                let (name, other) = (self.next(), self.next());
                line(name, other)
            })
            .collect()
    }

    fn prose(&mut self, lines: usize) -> String {
        let mut text = String::new();
        for _ in 0..lines {
            let words: Vec<&str> = (0..14).map(|_| self.next()).collect();
            text += &words.join(" ");
            text += ".\n";
        }
        text
    }

    /// A page with headings, lists, code and links to its headings.
    fn reference(&mut self, parts: usize) -> String {
        let mut page = String::new();
        let mut anchor = String::new();
        for at in 0..parts {
            let part = match at % 8 {
                0 => {
                    let (one, other) = (self.next(), self.next());
                    anchor = format!("the-{one}-{other}");
                    format!("\n## The {one} {other}\n\n")
                }
                1 => format!(
                    "- `{}` and **{}**, see [it](#{anchor})\n",
                    self.next(),
                    self.next()
                ),
                2 => format!("\n```sh\n{} --{} \"$X\"\n```\n\n", self.next(), self.next()),
                _ => self.prose(1),
            };
            page += &part;
        }
        page
    }
}

/// Seconds to walk the tree and read every byte on all processors.
fn read_all(root: &Path) -> Result<f64, Fault> {
    let start = Instant::now();
    let entries = aris_fs::walk_sorted(root, &mut |_| true)?;
    let workers = thread::available_parallelism().map_or(1, usize::from);
    let results: Vec<Result<usize, aris_fs::FsError>> = thread::scope(|scope| {
        let started: Vec<_> = (0..workers)
            .map(|worker| {
                let mine = entries.iter().skip(worker).step_by(workers);
                scope.spawn(move || {
                    let mut lines = 0;
                    for entry in mine.filter(|entry| entry.kind == aris_fs::EntryKind::File) {
                        let bytes = aris_fs::read(&entry.path, aris_fs::READ_LIMIT)?;
                        lines += bytes.iter().filter(|byte| **byte == b'\n').count();
                    }
                    Ok(lines)
                })
            })
            .collect();
        started
            .into_iter()
            .map(|worker| worker.join().unwrap_or(Ok(0)))
            .collect()
    });
    for result in results {
        std::hint::black_box(result?);
    }
    Ok(start.elapsed().as_secs_f64())
}
