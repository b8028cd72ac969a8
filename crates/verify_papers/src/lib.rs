//! `verify_papers`: checks whether papers exist and are described correctly.
//!
//! **Input**: a JSON list, identifiers, titles, a bibliography, or the cited entries of a paper. **Output**: the reference's
//! JSON (verdict, rates, status of each paper) with existence, a comparison of each field, findings and evidence; with
//! `--jsonl` each paper on its own line, as soon as it and those before it are decided; and a patch for a bibliography.
//! **Exit**: 0 checked, whatever was found; 2 usage; 3 the input does not exist; 4 the input is malformed; 5 it cannot be read,
//! an output cannot be written, or there is no folder for the cache; 7 `--offline`, and the cache lacks answers.
//!
//! A source that does not answer proves nothing: its papers are `verify_pending`. A paper whose identifier belongs to another
//! work is unverified, whatever else is found.

mod cli;
mod input;
mod report;

use std::path::{Path, PathBuf};

use aris_cli::{Context, Outcome, Sample, Sink, Spec};
use aris_contract::ErrorKind;
use aris_contract::text::counted;
use aris_fs::Form;
use aris_online::Progress;
use aris_paper::facts::Month;
use aris_verify::sources::HOSTS;
use aris_verify::{Checked, Online, Options, fix, verify};
use jiff::tz::TimeZone;

pub use aris_online::FetchError as Error;
pub use cli::Cli;
pub use report::Report;

use crate::input::Input;

/// The helper's name, version and help.
pub static SPEC: Spec = Spec {
    name: "verify_papers",
    version: env!("CARGO_PKG_VERSION"),
    summary: "Check that cited papers exist and are described right",
    input: "a JSON list of papers, arXiv identifiers, titles, a .bib file, or a paper's LaTeX sources",
    output: "the result as indented JSON, also with --format text: verdict, rates, and for each paper status, existence, fields compared, findings, evidence",
    stderr: "what it waits for, on a terminal; with --output a summary; errors",
    examples: &[
        "verify_papers --input candidates.json --output verified.json  # check candidate papers of a search",
        "verify_papers --arxiv-ids 2307.03172,2401.12345  # check arXiv identifiers",
        "verify_papers --bib references.bib --format jsonl --deadline 3600  # check a long list, and see each verdict as soon as it is known",
        "verify_papers paper --fix-bib fixes.patch --deadline 600  # check what a paper cites, and propose corrections of its bibliography",
    ],
    ok: "checked; the verdict is in the result, also where papers are pending because a source did not answer",
    errors: &[
        ErrorKind::NotFound,
        ErrorKind::Validation,
        ErrorKind::Precondition,
    ],
    signals: &[(
        7,
        "with --offline: papers are pending, the cache has no answers for them",
    )],
    schemas: &[report::SCHEMA],
    samples: &[Sample {
        args: &["--json", "--input", "absent.json"],
        exit: &[3],
    }],
    ..aris_online::SPEC
};

/// Runs the command line.
pub fn run(mut cli: Cli, context: &Context) -> Result<Outcome<Report>, Error> {
    notes(&cli, context);
    let named = [
        &cli.paper,
        &cli.old_paper,
        &cli.input,
        &cli.titles_file,
        &cli.bib,
    ];
    if named.iter().all(|path| path.is_none()) && cli.arxiv_ids.is_none() {
        let usual = PathBuf::from("paper");
        if !context.absolute(&usual).is_dir() {
            let hint = "name the paper's folder, or a list with --input, --arxiv-ids, --titles-file or --bib";
            return Err(Error::usage(
                "nothing to check is named, and there is no ./paper",
                hint,
            ));
        }
        cli.paper = Some(usual);
    }
    let fresh = cli.no_cache || cli.cache_scope.as_deref() == Some("none");
    if (fresh || cli.cache_ttl_days == Some(0)) && !cli.online.offline {
        cli.online.refresh = true;
    }
    check_outputs(&cli, context)?;
    let mut input = match read(&cli, context) {
        Ok(input) => input,
        Err(error) => {
            // Skills read the verdict even when the input cannot be read. The error of the input is the more important one.
            if let Err(second) = tell(&Report::blocked(), &cli, context) {
                context.note(&second.to_string());
            }
            return Err(error);
        }
    };
    for reference in &mut input.references {
        reference.title_overlap = cli.s2_fuzzy_threshold;
    }
    allow_time(&mut cli, &input, context);
    let progress = Progress::new(context, Some(input.references.len() as u64));
    let client = aris_online::client(context, &cli.online, &HOSTS, SPEC.name, &progress)?;
    let options = Options {
        arxiv_batch: cli.arxiv_batch_size,
        ..Options::default()
    };
    let mut unwritten = None;
    let online = Online::new(&client);
    let checked = verify(&input.references, &online, &options, &mut |paper| {
        progress.step();
        if cli.jsonl {
            match serde_json::to_string(paper) {
                Ok(line) => progress.around(|| context.line(&line)),
                Err(error) => unwritten = Some(error),
            }
        }
    });
    progress.finish();
    unwritten.map_or(Ok(()), Err)?;
    let patch = cli
        .fix_bib
        .as_deref()
        .map(|path| (path, patch(&input, &checked, context)));
    let mut report = Report::new(checked, cli.hallucination_warn_threshold);
    report.streamed = cli.jsonl;
    if let Some((path, (text, touched))) = patch {
        report.patched_entries = Some(touched);
        if touched > 0 {
            aris_fs::write_output(&context.absolute(path), text.as_bytes())?;
            report.patch = Some(path.display().to_string());
        }
    }
    let pending = report.pending();
    if cli.online.offline && pending > 0 {
        tell(&report, &cli, context)?;
        let pending = counted(pending, "paper");
        let what = format!("{pending} pending: the cache has no answers");
        return Err(
            Error::told(ErrorKind::Unavailable, what, "run once without --offline")
                .with("report", serde_json::to_value(&report)?),
        );
    }
    report.filed = file(&report, &cli, context)?;
    Ok(Outcome::done(report))
}

/// Outputs a report that accompanies an error: to the file of `--output`, else to standard output if no envelope is printed
/// there.
fn tell(report: &Report, cli: &Cli, context: &Context) -> Result<(), Error> {
    if file(report, cli, context)?.is_none() && !context.json() && !cli.jsonl {
        context.line(&serde_json::to_string_pretty(report)?);
    }
    Ok(())
}

/// Writes the report to the file of `--output`. Returns the path as given; `None` without such a file.
fn file(report: &Report, cli: &Cli, context: &Context) -> Result<Option<String>, Error> {
    let Some(path) = cli.output.as_ref().and_then(Sink::file) else {
        return Ok(None);
    };
    let text = format!("{}\n", serde_json::to_string_pretty(report)?);
    aris_fs::write_output(&context.absolute(path), text.as_bytes())?;
    Ok(Some(path.display().to_string()))
}

/// Most seconds for one title, including all sources that may have to be asked, and for one DOI.
const PER_TITLE: f64 = 4.0;
const PER_DOI: f64 = 1.0;

/// Unless the caller sets a deadline, extends it with the work: one minute leaves most of a hundred titles unanswered.
fn allow_time(cli: &mut Cli, input: &Input, context: &Context) {
    let usual = aris_sources::DEADLINE.as_secs_f64();
    if cli.online.offline || cli.online.deadline.is_some() {
        return;
    }
    let time: f64 = input
        .references
        .iter()
        .map(
            |reference| match (reference.arxiv.is_empty(), reference.dois.is_empty()) {
                (true, true) if !reference.title.is_empty() => PER_TITLE,
                (_, false) => PER_DOI,
                _ => 0.1,
            },
        )
        .sum();
    if time > usual {
        cli.online.deadline = Some(time.ceil());
        context.note(&format!(
            "{} papers: at most {:.0} minutes; --deadline SECONDS allows less or more",
            input.references.len(),
            (time / 60.0).ceil()
        ));
    }
}

/// Refuses outputs that would overwrite an input (for a paper also any LaTeX source or bibliography), and two outputs to one
/// file.
fn check_outputs(cli: &Cli, context: &Context) -> Result<(), Error> {
    if cli.fix_bib.as_deref() == Some(Path::new("-")) {
        let hint = "name the file of the patch";
        return Err(Error::usage(
            "--fix-bib - : the patch goes to a file, not to standard output",
            hint,
        ));
    }
    let real = |path: &Path| aris_fs::real(&context.absolute(path));
    let inputs = [&cli.input, &cli.titles_file, &cli.bib].into_iter();
    let inputs = inputs.filter_map(Option::as_deref);
    let files = inputs.filter(|path| *path != Path::new("-"));
    let mut taken: Vec<PathBuf> = files.map(real).collect();
    let output = cli.output.as_ref().and_then(Sink::file);
    for output in output.into_iter().chain(cli.fix_bib.as_deref()) {
        let target = real(output);
        let end = target.extension().unwrap_or_default();
        let is_source = cli.paper().is_some() && (end == "bib" || end == "tex");
        if taken.contains(&target) || is_source && target.exists() {
            let path = output.display().to_string();
            let what =
                format!("{path} would be overwritten: it is read, or written by another option");
            let hint = "name another file for the result or the patch";
            return Err(Error::usage(what, hint).with("path", path));
        }
        taken.push(target);
    }
    if let Some(output) = output {
        let form = Form::Json(&["verdict", "papers"]);
        aris_fs::check_output(&context.absolute(output), form, &[])?;
    }
    if let Some(patch) = &cli.fix_bib {
        let form = Form::Begins(&[b"--- ", b"Apply this in "]);
        aris_fs::check_output(&context.absolute(patch), form, &[])?;
    }
    Ok(())
}

fn read(cli: &Cli, context: &Context) -> Result<Input, Error> {
    let today = context.now().to_zoned(TimeZone::UTC).date();
    let now = Month {
        year: u16::try_from(today.year()).unwrap_or(u16::MAX - 1),
        month: u8::try_from(today.month()).unwrap_or(12),
    };
    if let Some(path) = &cli.input {
        input::json(context, path, now)
    } else if let Some(ids) = &cli.arxiv_ids {
        input::arxiv_ids(ids, now)
    } else if let Some(path) = &cli.titles_file {
        input::titles(context, path, now)
    } else if let Some(path) = &cli.bib {
        input::bibliography(context, path, now)
    } else if let Some(path) = cli.paper() {
        input::paper_folder(context, path, cli.root.as_deref(), now)
    } else {
        Ok(Input::default())
    }
}

/// The patches of all bibliographies, concatenated, and the number of entries they change.
fn patch(input: &Input, checked: &[Checked], context: &Context) -> (String, usize) {
    let mut text = String::new();
    let mut touched = 0;
    for (number, file) in input.files.iter().enumerate() {
        let of_file: Vec<_> = input
            .entries
            .iter()
            .zip(checked)
            .filter(|((of, _), _)| *of == number)
            .filter_map(|((_, at), checked)| Some((file.read.entries.get(*at)?, checked)))
            .collect();
        let path = aris_fs::lexical(&context.absolute(Path::new(&file.name)));
        // git and patch refuse absolute paths and paths that lead upwards. They ignore a line before the diff, which names the
        // folder.
        let folder = path.parent().filter(|_| !path.starts_with(context.cwd()));
        let name = aris_fs::display_relative(&path, folder.unwrap_or(context.cwd()));
        if let Some((diff, count)) = fix::patch(&file.text, &name, &of_file) {
            if let Some(folder) = folder {
                let place = format!("Apply this in {}\n", folder.display());
                text.push_str(&place);
            }
            text.push_str(&diff);
            touched += count;
        }
    }
    (text, touched)
}

/// Notes which flags of older skills have no effect any more.
fn notes(cli: &Cli, context: &Context) {
    if cli.cache_dir.is_some() || cli.cache_scope.as_deref() == Some("project") {
        context.note("the cache is shared by all helpers; ARIS_CACHE_DIR says where it is");
    }
    if cli.cache_ttl_days.is_some_and(|days| days > 0) {
        context.note("--cache-ttl-days: records are kept 30 days, absences one");
    }
}
