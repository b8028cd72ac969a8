//! What makes a paper's surface, beside programs that do a part of it: its style, its headings in PDFs, leaked tokens in its history.

use std::path::Path;

use serde_json::Value;

use super::Bench;
use super::measure::{Limit::Median, Limit::Unlimited, Place, compare, heading, row};
use crate::fault::Fault;
use crate::workspace::variable;

/// Bytes of LaTeX.
const SIZE: usize = 5_000_000;

/// Environment variable with a folder of papers: PDFs, each beside the LaTeX file of the same name that it was made from.
const PAPERS: &str = "ARIS_STYLE_PAPERS";

pub(super) fn run(bench: &Bench<'_>) -> Result<(), Fault> {
    style(bench)?;
    headings(bench)?;
    tokens(bench)
}

/// Measures 5 MB of LaTeX that was never measured before, beside counting its words.
fn style(bench: &Bench<'_>) -> Result<(), Fault> {
    heading(format!(
        "extract_paper_style: {SIZE} bytes of LaTeX, nothing cached, 15 runs"
    ));
    let place = Place::new()?;
    let end = "\\end{document}\n";
    place.write(
        "big.tex",
        START.to_owned() + &SECTION.repeat(SIZE / SECTION.len()) + end,
    )?;
    let measure = bench.call(
        "extract_paper_style --source big.tex --out styles --force -q",
        place.path(),
    );
    let count = bench.call("wc -w big.tex", place.path());
    compare(
        "extract_paper_style",
        &measure,
        "wc -w",
        &count,
        15,
        Median(60.0),
    )?;
    let args = "--source big.tex --out theirs --force";
    bench.beside_script("ARIS_REFERENCE_PAPER_STYLE", "python3", args, &measure, 5)?;
    // Environments and groups that are never closed must not cost more than closed ones.
    let open = "\\begin{theorem} a {b \\textbf{c $x$ d. ";
    place.write(
        "big.tex",
        START.to_owned() + &open.repeat(SIZE / open.len()),
    )?;
    compare(
        "nothing ever closed",
        &measure,
        "wc -w",
        &count,
        15,
        Unlimited,
    )
}

const START: &str = "\\documentclass{article}\n\\usepackage{natbib}\n\\newtheorem{thm}{Theorem}\n\\newcommand{\\ours}{\\textsc{Ours}}\n\\begin{document}\n";

/// A section with what papers have.
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

/// Compares the headings that are found in PDFs with those of the LaTeX files beside them.
fn headings(bench: &Bench<'_>) -> Result<(), Fault> {
    heading("extract_paper_style: headings of PDFs beside those of their LaTeX sources");
    let Some(folder) = variable(PAPERS) else {
        row("skipped", format!("{PAPERS} names no folder of papers"));
        return Ok(());
    };
    let (mut count, mut both, mut wanted, mut found) = (0, 0, 0, 0);
    for entry in aris_fs::walk_sorted(Path::new(&folder), &mut |_| true)? {
        let tex = entry.path.with_extension("tex");
        if entry.path.extension().is_none_or(|ending| ending != "pdf") || !tex.is_file() {
            continue;
        }
        // What is shorter is no whole paper.
        let Some(truth) =
            measured(bench, &tex)?.filter(|paper| paper.sections.len() >= 3 && paper.words >= 300)
        else {
            continue;
        };
        count += 1;
        wanted += truth.sections.len() + truth.subsections;
        if let Some(own) = measured(bench, &entry.path)? {
            found += own.sections.len() + own.subsections;
            both += common(&truth.sections, &own.sections) + truth.subsections.min(own.subsections);
        }
    }
    row("papers", count);
    let share = |of: usize| format!("{both} of {of}, {} %", 100 * both / of.max(1));
    row("headings of the sources that are found", share(wanted));
    row("headings found that the sources have", share(found));
    Ok(())
}

/// What is known of a paper's headings: role and words of the title of each section, and the number of subsections.
struct Headings {
    sections: Vec<(String, u64)>,
    subsections: usize,
    words: u64,
}

/// The headings that the helper finds; `None` where it measures nothing.
fn measured(bench: &Bench<'_>, source: &Path) -> Result<Option<Headings>, Fault> {
    let out = Place::new()?;
    let call = bench.call("extract_paper_style -q --out styles --source", out.path());
    if call.arg(&source.display().to_string()).once().is_err() {
        return Ok(None);
    }
    let files = aris_fs::walk_sorted(out.path(), &mut |_| true)?;
    let Some(profile) = files.iter().find(|file| file.name == "style_profile.json") else {
        return Ok(None);
    };
    let profile: Value = serde_json::from_slice(&aris_fs::read(&profile.path, 64 << 20)?)
        .map_err(Fault::from_error)?;
    let mut own = Headings {
        sections: Vec::new(),
        subsections: 0,
        words: profile["words"].as_u64().unwrap_or(0),
    };
    for section in profile["sections"].as_array().into_iter().flatten() {
        own.subsections += section["subsections"]
            .as_u64()
            .and_then(|count| count.try_into().ok())
            .unwrap_or(0);
        let role = section["role"].as_str().unwrap_or_default();
        // LaTeX writes the heading of the abstract itself.
        if !matches!(role, "opening" | "abstract") {
            own.sections.push((
                role.to_owned(),
                section["title_words"].as_u64().unwrap_or(0),
            ));
        }
    }
    Ok(Some(own))
}

/// The length of the longest sequence that both have in this order.
fn common(one: &[(String, u64)], other: &[(String, u64)]) -> usize {
    let mut last = vec![0; other.len() + 1];
    for a in one {
        let mut row = vec![0];
        for ((above, b), before) in last[1..].iter().zip(other).zip(&last) {
            let left = row.last().copied().unwrap_or(0);
            row.push(if a == b { before + 1 } else { left.max(*above) });
        }
        last = row;
    }
    last.last().copied().unwrap_or(0)
}

/// The audit for leaked tokens over a history of 2,000 commits, beside git's own walk through it.
fn tokens(bench: &Bench<'_>) -> Result<(), Fault> {
    heading("overleaf_audit: 2000 commits, 20 files of 500 lines, 9 runs");
    let place = Place::new()?;
    place.write("history", history(2000, 20, 500))?;
    place.write("paper/.keep", "")?;
    let paper = place.at("paper");
    let import = "git init -q . && git fast-import --quiet < ../history && git reset -q --hard main && git repack -adq";
    bench.shell(import, "sh", &paper).once()?;
    let cold = bench.call("overleaf_audit --no-home --no-cache -q", &paper);
    let walk = bench.shell("git log -p --all > /dev/null", "sh", &paper);
    compare(
        "nothing known",
        &cold,
        "git log -p --all",
        &walk,
        9,
        Median(400.0),
    )?;
    let again = "ARIS_CACHE_DIR=../cache exec \"$0\" --no-home -q";
    let again = bench.shell(again, bench.path("overleaf_audit"), &paper);
    let count = bench.shell("git rev-list --all --count > /dev/null", "sh", &paper);
    compare(
        "nothing new (with sh)",
        &again,
        "git rev-list --count",
        &count,
        9,
        Median(50.0),
    )?;
    bench.beside_script("ARIS_REFERENCE_OVERLEAF_AUDIT", "bash", "", &cold, 3)
}

/// A paper of so many files with so many lines, of which each commit changes one, as `git fast-import` takes it.
fn history(commits: usize, files: usize, lines: usize) -> String {
    let line = |file: usize, line: usize, version: usize| {
        let value = (file * 7919 + line * 104_729 + version * 1_299_709) % 1_000_003;
        format!(
            "Sentence {line} of part {file} says that the value is {value}, as it stood in version {version} of it.\n"
        )
    };
    let first = |file| (0..lines).map(|at| line(file, at, 0)).collect();
    let mut paper: Vec<Vec<String>> = (0..files).map(first).collect();
    let mut stream = String::new();
    for commit in 0..commits {
        let when = 1_700_000_000 + commit * 600;
        stream.extend([format!(
            "commit refs/heads/main\ncommitter A <a@example.org> {when} +0000\ndata 7\nchange\n\n"
        )]);
        let (changed, at) = (commit * 7 % files, commit * 193 % lines);
        paper[changed][at] = line(changed, at, commit + 1);
        for (number, file) in paper.iter().enumerate() {
            if commit == 0 || number == changed {
                let text = file.concat();
                stream.extend([format!(
                    "M 100644 inline sections/part{number}.tex\ndata {}\n{text}\n",
                    text.len()
                )]);
            }
        }
    }
    stream
}
