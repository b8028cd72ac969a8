//! What makes a paper's surface, beside programs that do a part of it.

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

pub(super) fn run(binaries: &Binaries) -> Result<(), Fault> {
    style(binaries)
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
