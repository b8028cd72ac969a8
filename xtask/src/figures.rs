//! `cargo xtask figures`: generated figures, drawn by the program again and again, in other locales, with the machine's fonts and without.
//! Each must give the same bytes in all three formats, and its text must be found in the PDF by a reader that is not ours. (The PNG is drawn
//! from the SVG by resvg, so resvg opens every SVG.) The tests do the same for a few figures; this is the long version.
//!
//! First it counts crossings, bends and overlaps in the gallery and in the generated figures: a change of the layout is judged by them.

use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

use serde_json::{Map, Value};

use crate::cargo;
use crate::fault::Fault;
use crate::random::Random;
use crate::workspace::Workspace;

/// Arguments of `cargo xtask figures`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Number of generated figures
    #[arg(long, default_value_t = 1_000)]
    specs: u64,
    /// Runs of each, in each locale, with fonts and without
    #[arg(long, default_value_t = 3)]
    runs: u64,
    /// Profile of the program: release, or dev
    #[arg(long, default_value = "release")]
    profile: String,
}

const LOCALES: [&str; 2] = ["C", "de_DE.UTF-8"];
const FORMATS: [&str; 3] = ["svg", "pdf", "png"];
const DEADLINE: Duration = Duration::from_mins(1);

/// A program that opens PDFs.
const READER: &str = "pdftotext";

/// Labels of generated figures that no shape breaks.
const SEARCHED: [&str; 3] = ["Encoder", "注意力", "é ≤ θ → x"];

/// Hides the fonts of the machine from what follows, where the system lets us.
const HIDE: &str = "mount -t tmpfs none /usr/share/fonts && exec \"$@\"";

pub(crate) fn run(workspace: &Workspace, args: &Args) -> Result<u8, Fault> {
    let folder = cargo::build(workspace, &["figure_renderer"], &args.profile)?;
    let program = folder.join("figure_renderer");
    let temp = tempfile::tempdir().map_err(Fault::from_error)?;
    let hidden = aris_proc::command("unshare", temp.path())
        .args(["--mount", "sh", "-c", HIDE, "sh", "true"])
        .run(DEADLINE)
        .is_ok_and(|done| done.success());
    let how = if hidden {
        "hidden by a mount"
    } else {
        "hidden by the environment only: unshare --mount is not permitted here"
    };
    println!("fonts are {how}");
    count(&program, temp.path(), &workspace.root, args.specs)?;
    let (mut different, mut unread) = (0, 0);
    let reader = is_installed(temp.path());
    for seed in 0..args.specs {
        let spec = generated(seed);
        aris_fs::write_unsynced(&temp.path().join("f.json"), spec.as_bytes())?;
        let mut first: Option<Vec<Vec<u8>>> = None;
        for locale in LOCALES {
            for fonts in [true, false] {
                for _ in 0..args.runs {
                    let pictures = draw(&program, temp.path(), locale, fonts, hidden)
                        .map_err(|fault| Fault::new(format!("figure {seed}: {fault}")))?;
                    if *first.get_or_insert_with(|| pictures.clone()) != pictures {
                        println!("figure {seed}: other bytes with {locale}, fonts {fonts}");
                        different += 1;
                    }
                }
            }
        }
        if reader && let Some(why) = unreadable(temp.path(), &spec)? {
            println!("figure {seed}: {why}");
            unread += 1;
        }
    }
    let times = args.runs * 4;
    println!(
        "{} figures, {times} times each in {}: {different} differences",
        args.specs,
        FORMATS.join(", ")
    );
    if reader {
        println!("{READER}: {unread} PDFs not opened or without their text");
    } else {
        println!("PDFs were opened by no other program: {READER} is not installed");
    }
    Ok(if different + unread == 0 {
        0
    } else {
        crate::FINDINGS
    })
}

/// Problems that count as overlaps.
const OVERLAPS: [&str; 5] = [
    "node_overlap",
    "edge_over_node",
    "edge_over_edge",
    "label_overlap",
    "group_overlap",
];

/// Crossings, bends and overlaps of the gallery, and of generated figures whose nodes the layout places, with straight edges and with
/// orthogonal ones.
fn count(program: &Path, folder: &Path, root: &Path, specs: u64) -> Result<(), Fault> {
    let mut gallery = Vec::new();
    for entry in aris_fs::walk_sorted(&root.join("skills/figure-spec/assets/gallery"), &mut |_| {
        true
    })? {
        if entry
            .path
            .extension()
            .is_some_and(|ending| ending == "json")
        {
            gallery.push(aris_fs::read_text(&entry.path)?);
        }
    }
    let drawn = (0..specs).map(generated);
    let drawn: Vec<String> = drawn.filter(|spec| !spec.contains("\"x\": ")).collect();
    for (name, specs) in [("gallery", gallery), ("generated", drawn)] {
        for routing in ["straight", "orthogonal"] {
            let (mut crossings, mut bends, mut overlaps) = (0, 0, 0);
            for spec in &specs {
                let mut figure: Value = serde_json::from_str(spec).map_err(Fault::from_error)?;
                if figure["layout"].is_null() {
                    figure["layout"] = Value::Object(Map::new());
                }
                figure["layout"]["routing"] = Value::from(routing);
                aris_fs::write_unsynced(&folder.join("f.json"), figure.to_string().as_bytes())?;
                let done = aris_proc::command(program, folder)
                    .args(["--json", "validate", "f.json"])
                    .run(DEADLINE)?;
                let said: Value =
                    serde_json::from_str(&done.stdout.text()).map_err(Fault::from_error)?;
                let data = &said["data"];
                crossings += data["crossings"].as_u64().unwrap_or(0);
                bends += data["bends"].as_u64().unwrap_or(0);
                let problems = data["problems"].as_array();
                let is_overlap = |one: &&Value| {
                    let code = one["code"].as_str().unwrap_or_default();
                    OVERLAPS.contains(&code)
                };
                overlaps += problems.map_or(0, |all| all.iter().filter(is_overlap).count());
            }
            println!(
                "{name}, {routing}: {} figures, {crossings} crossings, {bends} bends, {overlaps} overlaps",
                specs.len()
            );
        }
    }
    Ok(())
}

fn is_installed(folder: &Path) -> bool {
    let version = aris_proc::command(READER, folder)
        .args(["-v"])
        .run(DEADLINE);
    version.is_ok_and(|done| done.success())
}

/// What is wrong with the PDF, by another program's reading.
fn unreadable(folder: &Path, spec: &str) -> Result<Option<String>, Fault> {
    let done = aris_proc::command(READER, folder)
        .args(["-enc", "UTF-8", "f.pdf", "-"])
        .run(DEADLINE)?;
    let said = done.stderr.text();
    if !done.success() || !said.trim().is_empty() {
        return Ok(Some(format!("{READER} says: {}", said.trim())));
    }
    // This reader takes letters that stand alone for one word in wide print, and leaves out the spaces between them.
    let text = done.stdout.text().replace(' ', "");
    // Nodes that the figure places may lie over the edge of the canvas, where the reader cuts them off.
    let placed = spec.contains("\"x\": ");
    let lost = SEARCHED
        .iter()
        .filter(|_| !placed)
        .find(|word| spec.contains(**word) && !text.contains(&word.replace(' ', "")));
    Ok(lost.map(|word| format!("the PDF has no {word:?} that can be searched")))
}

/// One run of the program; the bytes of its pictures.
fn draw(
    program: &Path,
    folder: &Path,
    locale: &str,
    fonts: bool,
    hidden: bool,
) -> Result<Vec<Vec<u8>>, Fault> {
    let command = if fonts || !hidden {
        aris_proc::command(program, folder)
    } else {
        let program = program.display().to_string();
        aris_proc::command("unshare", folder)
            .args(["--mount", "sh", "-c", HIDE, "sh"])
            .arg(program)
    };
    let command = if fonts {
        command
    } else {
        command
            .env("FONTCONFIG_PATH", "/nonexistent")
            .env("HOME", "/nonexistent")
    };
    let done = command
        .args([
            "render",
            "f.json",
            "-q",
            "-o",
            "f",
            "--format",
            "svg,pdf,png",
        ])
        .env("LC_ALL", locale)
        .run(DEADLINE)?;
    if !done.success() {
        return Err(Fault::new(done.stderr.text()));
    }
    FORMATS
        .iter()
        .map(|format| {
            let path = folder.join("f").with_extension(format);
            Ok(aris_fs::read(&path, u64::MAX)?)
        })
        .collect()
}

/// A figure that can be drawn, with a bit of everything.
fn generated(seed: u64) -> String {
    let mut numbers = Random(seed.wrapping_mul(2_654_435_761).wrapping_add(1));
    let count = 1 + numbers.below(14);
    let placed = numbers.below(2) == 0;
    let (mut nodes, mut edges, mut groups) = (Vec::new(), Vec::new(), Vec::new());
    for id in 0..count {
        let shape = numbers.pick(&["rect", "rounded", "circle", "ellipse", "diamond"]);
        let label = numbers.pick(&["Encoder", "two\\nlines", "注意力", "é ≤ θ → x", "<&>", "W"]);
        let mut node = format!("{{\"id\": {id}, \"shape\": \"{shape}\", \"label\": \"{label}\"");
        // Writing to a String does not fail.
        if placed {
            let (x, y) = (numbers.below(8_000), numbers.below(4_000));
            let _ = write!(node, ", \"x\": {x}e-1, \"y\": {y}e-1");
        }
        if numbers.below(3) == 0 {
            let size = 20 + numbers.below(180);
            let _ = write!(node, ", \"width\": {size}, \"sublabel\": \"{size} 个\"");
        }
        nodes.push(node + "}");
    }
    for _ in 0..numbers.below(16) {
        let (from, to) = (numbers.below(count), numbers.below(count));
        let style = numbers.pick(&["solid", "dashed", "dotted"]);
        let (curve, colour) = (numbers.below(3) == 0, numbers.below(0x100_0000));
        let label = numbers.pick(&["", "yes", "ja, bitte", "是"]);
        edges.push(format!(
            "{{\"from\": {from}, \"to\": {to}, \"style\": \"{style}\", \"curve\": {curve}, \"color\": \"#{colour:06x}\", \"label\": \"{label}\"}}"
        ));
    }
    for _ in 0..numbers.below(3) {
        let (one, two) = (numbers.below(count), numbers.below(count));
        groups.push(format!(
            "{{\"label\": \"Group\", \"node_ids\": [{one}, {two}]}}"
        ));
    }
    let direction = numbers.pick(&["LR", "TB"]);
    format!(
        "{{\"title\": \"{seed}\", \"layout\": {{\"direction\": \"{direction}\"}}, \"nodes\": [{}], \"edges\": [{}], \"groups\": [{}]}}",
        nodes.join(", "),
        edges.join(", "),
        groups.join(", ")
    )
}

/// A figure of `count` nodes in rows of 25, each with an edge to the next.
pub(crate) fn grid(count: usize) -> String {
    let nodes: Vec<String> = (0..count)
        .map(|id| {
            let (x, y) = (id % 25 * 200 + 100, id / 25 * 100 + 50);
            format!("{{\"id\": \"n{id}\", \"label\": \"Node {id}\", \"sublabel\": \"part\", \"x\": {x}, \"y\": {y}}}")
        })
        .collect();
    let edges: Vec<String> = (1..count)
        .map(|id| format!("{{\"from\": \"n{}\", \"to\": \"n{id}\"}}", id - 1))
        .collect();
    format!(
        "{{\"canvas\": {{\"width\": 5000, \"height\": {}}}, \"nodes\": [{}], \"edges\": [{}]}}",
        count * 4 + 100,
        nodes.join(",\n"),
        edges.join(",\n")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generated_figures_are_json_and_differ() {
        for seed in 0..50 {
            let text = generated(seed);
            serde_json::from_str::<Value>(&text).expect(&text);
            assert_ne!(text, generated(seed + 1));
        }
    }
}
