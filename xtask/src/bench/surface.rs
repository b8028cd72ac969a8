//! What makes a paper's surface, beside programs that do a part of it.

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::time::Duration;

use serde_json::Value;

use super::Binaries;
use super::measure::{Call, beside_script, heading, pair, row};
use crate::fault::Fault;

/// **Source**: the project's own promise to users.
const STYLE_LIMIT_MS: f64 = 60.0;

/// Environment variable with the path of the reference's script.
const SCRIPT: &str = "ARIS_REFERENCE_PAPER_STYLE";

/// Bytes of LaTeX.
const SIZE: usize = 5_000_000;

const RUNS: usize = 15;

/// Environment variable with a folder of papers: PDFs, each beside the LaTeX file of the same name that it was made from.
const PAPERS: &str = "ARIS_STYLE_PAPERS";

/// Sections that make a paper worth comparing, and words.
const WHOLE: (usize, u64) = (3, 300);

pub(super) fn run(binaries: &Binaries) -> Result<(), Fault> {
    style(binaries)?;
    headings(binaries)
}

/// What is known of a paper's headings: role and words of the title of each section, and the number of subsections.
struct Headings {
    sections: Vec<(String, u64)>,
    subsections: usize,
    words: u64,
}

#[expect(clippy::disallowed_methods, reason = "no helper: there is no context")]
fn papers() -> Option<OsString> {
    std::env::var_os(PAPERS)
}

/// Compares the headings that are found in PDFs with those of the LaTeX files beside them.
fn headings(binaries: &Binaries) -> Result<(), Fault> {
    heading("extract_paper_style: headings of PDFs beside those of their LaTeX sources");
    let Some(folder) = papers() else {
        row("skipped", format!("{PAPERS} names no folder of papers"));
        return Ok(());
    };
    let helper = binaries.path("extract_paper_style");
    let temp = tempfile::tempdir().map_err(Fault::from_error)?;
    let (mut count, mut both, mut wanted, mut found) = (0, 0, 0, 0);
    for entry in
        aris_fs::walk_sorted(Path::new(&folder), &mut |_| true).map_err(Fault::from_error)?
    {
        let tex = entry.path.with_extension("tex");
        if entry.path.extension().is_none_or(|ending| ending != "pdf") || !tex.is_file() {
            continue;
        }
        let Some(truth) = measured(&helper, &tex, temp.path())? else {
            continue;
        };
        if truth.sections.len() < WHOLE.0 || truth.words < WHOLE.1 {
            continue;
        }
        count += 1;
        wanted += truth.sections.len() + truth.subsections;
        if let Some(own) = measured(&helper, &entry.path, temp.path())? {
            found += own.sections.len() + own.subsections;
            both += common(&truth.sections, &own.sections) + truth.subsections.min(own.subsections);
        }
    }
    let part = |of: usize| {
        100.0 * f64::from(u32::try_from(both).unwrap_or(0))
            / f64::from(u32::try_from(of.max(1)).unwrap_or(1))
    };
    row("papers", count);
    row(
        "headings of the sources that are found",
        format!("{both} of {wanted}, {:.1} %", part(wanted)),
    );
    row(
        "headings found that the sources have",
        format!("{both} of {found}, {:.1} %", part(found)),
    );
    Ok(())
}

/// The headings that the helper finds; `None` where it measures nothing.
fn measured(helper: &Path, source: &Path, out: &Path) -> Result<Option<Headings>, Fault> {
    let words = [
        OsStr::new("--source"),
        source.as_os_str(),
        OsStr::new("--out"),
        out.as_os_str(),
        OsStr::new("-q"),
    ];
    let run = aris_proc::command(helper, out)
        .args(words)
        .run(Duration::from_mins(2));
    let run = run.map_err(Fault::from_error)?;
    if !run.success() {
        return Ok(None);
    }
    let text = run.stdout.text();
    let folder = Path::new(text.lines().last().unwrap_or_default());
    let profile =
        aris_fs::read(&folder.join("style_profile.json"), 64 << 20).map_err(Fault::from_error)?;
    let profile: Value = serde_json::from_slice(&profile).map_err(Fault::from_error)?;
    let number =
        |section: &Value, name: &str| section.get(name).and_then(Value::as_u64).unwrap_or(0);
    let mut own = Headings {
        sections: Vec::new(),
        subsections: 0,
        words: number(&profile, "words"),
    };
    for section in profile
        .get("sections")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
    {
        own.subsections += usize::try_from(number(section, "subsections")).unwrap_or(0);
        let role = section
            .get("role")
            .and_then(Value::as_str)
            .unwrap_or_default();
        // LaTeX writes the heading of the abstract itself.
        if !matches!(role, "opening" | "abstract") {
            own.sections
                .push((role.to_owned(), number(section, "title_words")));
        }
    }
    Ok(Some(own))
}

/// The length of the longest sequence that both have in this order.
fn common(one: &[(String, u64)], other: &[(String, u64)]) -> usize {
    let mut last = vec![0; other.len() + 1];
    for a in one {
        let mut row = vec![0];
        for (at, b) in other.iter().enumerate() {
            let diagonal = last.get(at).copied().unwrap_or(0) + usize::from(a == b);
            let above = last.get(at + 1).copied().unwrap_or(0);
            let before = row.last().copied().unwrap_or(0);
            row.push(if a == b { diagonal } else { above.max(before) });
        }
        last = row;
    }
    last.last().copied().unwrap_or(0)
}

/// Measures 5 MB of LaTeX that was never measured before, beside counting its words.
fn style(binaries: &Binaries) -> Result<(), Fault> {
    heading(&format!(
        "extract_paper_style: {SIZE} bytes of LaTeX, nothing cached, {RUNS} runs in turn, min / median / max"
    ));
    let temp = tempfile::tempdir().map_err(Fault::from_error)?;
    let write = |text: &str| {
        aris_fs::write_unsynced(&temp.path().join("big.tex"), text.as_bytes())
            .map_err(Fault::from_error)
    };
    write(&paper())?;
    let helper = binaries.path("extract_paper_style");
    let args = ["--source", "big.tex", "--out", "styles", "--force", "-q"];
    let measure = Call::new(helper, &args, temp.path());
    let count = Call::new("wc", &["-w", "big.tex"], temp.path());
    let (own, words) = pair(&measure, &count, RUNS)?;
    row("extract_paper_style", own.millis());
    row("wc -w", words.millis());
    row(
        "  limit / median",
        format!("{:.2} x", STYLE_LIMIT_MS / (own.median() * 1e3)),
    );
    let theirs = ["--source", "big.tex", "--out", "theirs", "--force"];
    beside_script(SCRIPT, "python3", &theirs, (temp.path(), &measure), 5)?;
    // Environments and groups that are never closed must not cost more than closed ones.
    let open = "\\begin{theorem} a {b \\textbf{c $x$ d. ";
    let text = format!("{}{}", start(), open.repeat(SIZE / open.len()));
    write(&text)?;
    let (unclosed, _) = pair(&measure, &count, RUNS)?;
    row("  the same size, nothing ever closed", unclosed.millis());
    Ok(())
}

const fn start() -> &'static str {
    "\\documentclass{article}\n\\usepackage{natbib}\n\\newtheorem{thm}{Theorem}\n\\newcommand{\\ours}{\\textsc{Ours}}\n\\begin{document}\n"
}

/// A paper of many sections with what papers have.
fn paper() -> String {
    const SECTION: &str = "\\section{A part of it}\\label{sec:part}\n\
        We study how the parts of a long text behave when there are many of them, following earlier work~\\citep{one,two}. As\n\
        \\citet{three} note, the value of $x_{i}^{2} + \\alpha$ is at most $0.5$, e.g.\\ in Fig.~\\ref{fig:part}; this holds for \\ours\\ too.\n\n\
        \\begin{equation}\n  f(x) = \\sum_{i=1}^{n} \\frac{w_i}{1 + x_i},\n\\end{equation}\nwhere $w_i$ are weights. % a comment\n\
        \\begin{thm}[Bound] For all $n > 1$ the sum is \\emph{finite}. \\end{thm}\n\
        \\begin{itemize}\n  \\item First, the data are read once and kept.\n  \\item Second, nothing is read again.\n\\end{itemize}\n\
        \\begin{figure}[t]\\centering\\includegraphics[width=\\linewidth]{part}\\caption{What it looks like.}\\label{fig:part}\\end{figure}\n\
        The rest of the section is running text without anything in it, as most of a paper is. It goes on for several lines, because\n\
        authors explain what they do and why they do it, and because readers want to know. Another sentence follows this one, and it\n\
        is a little longer than the others were. Then the section ends.\n\n";
    let mut text = String::with_capacity(SIZE + 4096);
    text.push_str(start());
    while text.len() < SIZE {
        text.push_str(SECTION);
    }
    text.push_str("\\end{document}\n");
    text
}
