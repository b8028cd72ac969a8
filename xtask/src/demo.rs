//! `cargo xtask demo`: builds `aris`, which contains the skills, and runs `aris demo`.

use std::path::PathBuf;
use std::time::Duration;

use aris_proc::{End, Stdout};

use crate::cargo;
use crate::fault::Fault;
use crate::workspace::Workspace;

/// Time limit; the demo takes seconds.
const PATIENCE: Duration = Duration::from_mins(5);

/// Helpers whose calls are drawn.
const SHOWN: [&str; 3] = [
    "paper_claim_audit paper",
    "citation_audit",
    "verify_paper_audits.sh",
];

/// Most lines of one call and most columns of a line in the drawing.
const LINES: usize = 12;
const COLUMNS: usize = 104;

/// In pixels: font size, line height, width of the drawing. **Source**: characters of monospaced fonts are some 0.6 em wide.
const FONT: usize = 13;
const LINE: usize = 18;
const WIDTH: usize = COLUMNS * FONT * 6 / 10 + 28;

/// Seconds between a command and its output, between two lines, and at the end.
const ANSWER: f64 = 1.2;
const NEXT: f64 = 0.25;
const END: f64 = 6.0;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Profile to build with. `dev` takes what is built for the tests; `release` is faster at work and takes minutes to build
    #[arg(long, default_value = "dev")]
    profile: String,
    /// Draw the run as a terminal in an animated SVG instead of showing it
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

/// Returns the exit status of `aris demo`.
pub(crate) fn run(workspace: &Workspace, args: &Args) -> Result<u8, Fault> {
    println!("building aris, all helpers in one program (the first time takes some minutes) …");
    let folder = cargo::build(workspace, &["aris"], &args.profile)?;
    let demo = aris_proc::command(folder.join("aris"), &workspace.root).arg("demo");
    let Some(file) = &args.svg else {
        return match demo.run_attached(Stdout::Same, None)? {
            End::Exited(code) => Ok(u8::try_from(code).unwrap_or(1)),
            end => Err(Fault::new(format!("aris demo: {end:?}"))),
        };
    };
    let done = demo.run(PATIENCE)?;
    if !done.success() {
        return Err(Fault::new(format!("aris demo: {:?}", done.end)));
    }
    let drawing = draw(&lines(&done.stdout.text()));
    aris_fs::write_atomic(&workspace.root.join(file), drawing.as_bytes())?;
    println!("wrote {}", file.display());
    Ok(0)
}

/// The lines for the drawing: calls without the parts that depend on machine and time.
fn lines(text: &str) -> Vec<String> {
    let mut shown = vec![String::from("$ aris demo")];
    let mut left = 0;
    for line in text.lines() {
        // A command's output is indented by four spaces, the command by two.
        let Some(said) = line.strip_prefix("    ") else {
            if line.starts_with(|c: char| c.is_ascii_digit()) && line.contains(". ") {
                shown.extend([String::new(), format!("# {line}")]);
            }
            let call = line.strip_prefix("  $ ").unwrap_or_default();
            left = if SHOWN.iter().any(|name| call.contains(name)) {
                LINES
            } else {
                0
            };
            if left > 0 {
                shown.extend([String::new(), format!("$ {call}")]);
            }
            continue;
        };
        let is_end = said.starts_with("(exit ");
        let is_path = said.starts_with('/') || said.contains("/aris-demo-");
        if left == 0 || is_path || (said.trim().is_empty() && !is_end) {
            continue;
        }
        if is_end {
            let code = said.split(',').next().unwrap_or_default();
            shown.push(format!("  {code})"));
        } else if left > 1 {
            left -= 1;
            let mut cut: String = said.chars().take(COLUMNS - 3).collect();
            if cut.len() < said.len() {
                cut.push('…');
            }
            shown.push(format!("  {cut}"));
        }
    }
    shown
}

/// An SVG in which the lines appear one after another; all at once if the reader prefers reduced motion.
fn draw(lines: &[String]) -> String {
    let mut at = 0.5;
    let mut rows = String::new();
    for (row, line) in lines.iter().enumerate() {
        let y = (row + 2) * LINE;
        let class = match line.trim_start() {
            text if text.starts_with(['$', '#']) => "c",
            text if ["FAIL", "blocks", "✗", "(exit 1"]
                .iter()
                .any(|word| text.starts_with(word)) =>
            {
                "b"
            }
            text if ["PASS", "no blocker", "✓", "(exit 0"]
                .iter()
                .any(|word| text.starts_with(word)) =>
            {
                "g"
            }
            _ => "",
        };
        let line = line.replace('&', "&amp;").replace('<', "&lt;");
        rows.extend([format!(
            "<text x=\"14\" y=\"{y}\" class=\"{class}\" style=\"animation-delay:{at:.2}s\">{line}</text>\n"
        )]);
        at += if class == "c" { ANSWER } else { NEXT };
    }
    let height = (lines.len() + 2) * LINE;
    let label = "aris demo: the gate blocks a paper with planted faults, and opens after the fixes";
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-label=\"{label}\">\n\
         <desc>Made by `cargo xtask demo --svg`; {:.0} seconds.</desc>\n<style>\n\
         text {{ font: {FONT}px ui-monospace, Menlo, Consolas, monospace; fill: #d0d7de; white-space: pre; opacity: 0; animation: on 1ms forwards }}\n\
         .c {{ fill: #fff; font-weight: bold }} .b {{ fill: #ff9492 }} .g {{ fill: #7ee787 }}\n\
         @keyframes on {{ to {{ opacity: 1 }} }}\n\
         @media (prefers-reduced-motion: reduce) {{ text {{ opacity: 1; animation: none }} }}\n</style>\n\
         <rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"#161b22\"/>\n{rows}</svg>\n",
        at + END
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drawing_shows_calls_without_times_and_paths() {
        let text = "1. Title\n=====\n  $ sh .aris/tools/save_trace.sh x\n    kept\n    (exit 0, 3 ms)\n\n  $ sh .aris/tools/citation_audit paper\n    a <b> & c\n    \
                    /tmp/aris-demo-1/x.json\n    FAIL: 2 errors\n    (exit 10, 24 ms)\n";
        let shown = lines(text);
        assert_eq!(
            shown,
            [
                "$ aris demo",
                "",
                "# 1. Title",
                "",
                "$ sh .aris/tools/citation_audit paper",
                "  a <b> & c",
                "  FAIL: 2 errors",
                "  (exit 10)"
            ]
        );
        let drawing = draw(&shown);
        assert!(
            drawing.contains("a &lt;b> &amp; c") && drawing.contains("class=\"b\""),
            "{drawing}"
        );
    }
}
