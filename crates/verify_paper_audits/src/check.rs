//! `check-statement`: compares a signed statement with the files that it names, without other data.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::path::Path;

use aris_claims::runs;
use aris_cli::{Context, Product, Style};
use aris_contract::text::counted;
use aris_contract::{ErrorKind, Failure as _};
use aris_runs::Ledger;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::attest::{PREDICATE_TYPE, Resource, STATEMENT_TYPE};
use crate::cli::CheckArgs;
use crate::error::Error;
use crate::output::{self, NAMESPACE, SIGN_DEADLINE};
use crate::text::{clean, short, tallied};

/// Schema id of [`Checked`].
pub(crate) const SCHEMA: &str = "aris.verify_paper_audits.check_statement/v1";
/// Most files named in the text among those that were not compared.
const NAMED: usize = 20;
/// The statement's name for the changes in a work tree beyond its commit.
const PATCH: &str = "patch";
/// Largest statement, in bytes.
const LIMIT: u64 = 256 << 20;

/// What came of the check.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub(crate) struct Checked {
    /// What the gate said when it made the statement.
    pub result: String,
    /// Under which assurance.
    pub assurance: String,
    /// When.
    pub time: String,
    /// Whether the statement is signed, and by whom.
    pub signature: Signature,
    /// Files that are as the statement says.
    pub files: usize,
    /// Files that are not, or are not here, relative to the paper directory.
    pub differ: Vec<Differing>,
    /// Files of runs and records that the statement names and that are not here, so that they were not compared.
    pub unchecked: Vec<String>,
    /// Data files that are as stated and that a run explains.
    pub explained: usize,
    /// The runs.
    pub runs: usize,
    /// What the gate found when it made the statement.
    pub findings: Vec<FindingSaid>,
}

/// A finding that the statement holds.
#[derive(Clone, Debug, Serialize, Deserialize, schemars::JsonSchema)]
pub(crate) struct FindingSaid {
    /// What was proved.
    pub id: String,
    /// Its weight.
    pub severity: String,
    /// File and line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
}

/// What is known of the signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Signature {
    /// There is none.
    None,
    /// There is none, and a signer was named.
    Missing,
    /// It fits the statement; whose key it is was not asked (`--allowed-signers`).
    Intact,
    /// It fits the statement and is of the named signer.
    OfSigner,
    /// It does not fit.
    Wrong,
}

/// A file that is not as the statement says.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub(crate) struct Differing {
    /// Relative to the paper directory.
    pub name: String,
    /// What is wrong with it.
    pub problem: String,
}

/// The parts of a statement that are compared with the files.
#[derive(Deserialize)]
struct Statement {
    #[serde(rename = "_type")]
    kind: String,
    subject: Vec<Resource>,
    #[serde(rename = "predicateType")]
    predicate_type: String,
    predicate: Judgement,
}

#[derive(Deserialize)]
struct Judgement {
    time: String,
    assurance: String,
    result: Value,
    inputs: Vec<Resource>,
    #[serde(default)]
    runs: Vec<RunSaid>,
    #[serde(default, rename = "resolvedDependencies")]
    resolved_dependencies: Vec<Resource>,
    #[serde(default)]
    findings: Vec<FindingSaid>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RunSaid {
    #[serde(default)]
    build_definition: Definition,
    run_details: Details,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Definition {
    #[serde(default)]
    resolved_dependencies: Vec<Resource>,
}

#[derive(Deserialize)]
struct Details {
    #[serde(default)]
    byproducts: Vec<Resource>,
}

/// Checks a statement.
pub(crate) fn check(args: &CheckArgs, context: &Context) -> Result<Checked, Error> {
    let path = context.absolute(&args.statement);
    let bytes = aris_fs::read(&path, LIMIT).map_err(|error| {
        let hint = "`verify_paper_audits --attest FILE` writes a statement";
        Error::new(error.kind(), error.to_string(), hint)
    })?;
    let malformed = |why: String| {
        let (shown, why) = (path.display(), short(&why));
        let message = format!("{shown} is no statement of the gate: {why}");
        let hint = "`verify_paper_audits --attest FILE` writes one";
        Error::new(ErrorKind::Validation, message, hint)
    };
    let statement: Statement =
        serde_json::from_slice(&bytes).map_err(|error| malformed(error.to_string()))?;
    if statement.kind != STATEMENT_TYPE || statement.predicate_type != PREDICATE_TYPE {
        let (kind, of) = (&statement.kind, &statement.predicate_type);
        return Err(malformed(format!("it is a {kind} of {of}")));
    }
    let paper = output::paper(args.paper.as_deref(), context)?;
    let said = &statement.predicate;
    let mut named: BTreeMap<&str, &str> = BTreeMap::new();
    let written = said.runs.iter().flat_map(|run| &run.run_details.byproducts);
    let written: BTreeSet<&str> = written.filter_map(sha256).collect();
    let (mut files, mut explained, mut differ) = (0, 0, Vec::new());
    for file in statement.subject.iter().chain(&said.inputs) {
        let digest = sha256(file).unwrap_or_default();
        match named.insert(&file.name, digest) {
            None => {}
            Some(before) if before == digest => continue,
            Some(_) => {
                differ.push(differing(
                    &file.name,
                    "the statement names it with two digests",
                ));
                continue;
            }
        }
        match held(&paper, &file.name, digest) {
            Ok(()) => {
                files += 1;
                explained += usize::from(written.contains(digest));
            }
            Err(problem) => differ.push(differing(&file.name, &problem)),
        }
    }
    let (mut unchecked, mut others) = (Vec::new(), BTreeMap::<&str, Vec<&str>>::new());
    for run in &said.runs {
        let read = &run.build_definition.resolved_dependencies;
        for file in read.iter().chain(&run.run_details.byproducts) {
            if let Some(digest) = sha256(file).filter(|_| file.name != PATCH) {
                others.entry(&file.name).or_default().push(digest);
            }
        }
    }
    if named.values().all(|digest| digest.is_empty()) {
        return Err(malformed(String::from("it names no file")));
    }
    let project = match Ledger::above([paper.as_path()]) {
        Some(ledger) => ledger.project().to_path_buf(),
        None => aris_audit::project::of_paper(&paper),
    };
    for (name, digests) in others {
        // A file that several runs wrote has to match one of them.
        match stands(&project, name, &digests) {
            Ok(true) => files += 1,
            Ok(false) => unchecked.push(name.to_owned()),
            Err(problem) => differ.push(differing(name, &problem)),
        }
    }
    let ledger = Ledger::of(&project);
    for record in &said.resolved_dependencies {
        let Some(digest) = sha256(record) else {
            continue;
        };
        let path = match record.name.as_str() {
            PATCH => ledger.patch(digest),
            _ => ledger.record(digest),
        };
        match held(Path::new(""), &path.to_string_lossy(), digest) {
            Ok(()) => files += 1,
            Err(_) if !path.exists() => unchecked.push(record.name.clone()),
            Err(problem) => differ.push(differing(&record.name, &problem)),
        }
    }
    Ok(Checked {
        result: said.result.as_str().unwrap_or("").to_owned(),
        assurance: said.assurance.clone(),
        time: said.time.clone(),
        signature: signature(&path, &bytes, args, context)?,
        files,
        differ,
        unchecked,
        explained,
        runs: said.runs.len(),
        findings: said.findings.clone(),
    })
}

fn sha256(file: &Resource) -> Option<&str> {
    file.digest.get("sha256").map(String::as_str)
}

fn differing(name: &str, problem: &str) -> Differing {
    Differing {
        name: name.to_owned(),
        problem: problem.to_owned(),
    }
}

/// Whether a run's file matches one of these digests; `false` if it does not exist here. **Errors**: it exists with another
/// content.
fn stands(project: &Path, name: &str, digests: &[&str]) -> Result<bool, String> {
    let path = aris_fs::lexical(&project.join(name));
    if path.symlink_metadata().is_err() {
        return Ok(false);
    }
    let mut problem = String::new();
    for digest in digests {
        match held(project, name, digest) {
            Ok(()) => return Ok(true),
            Err(why) => problem = why,
        }
    }
    Err(problem)
}

fn held(paper: &Path, name: &str, digest: &str) -> Result<(), String> {
    match aris_runs::file_digest(&aris_fs::lexical(&paper.join(name)), || {}) {
        Ok((found, _)) if found == digest => Ok(()),
        Ok((found, _)) => {
            let (found, digest) = (runs::short(&found), runs::short(digest));
            Err(format!(
                "its content has changed: {found} instead of {digest}"
            ))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Err("it is not here".into()),
        Err(error) => Err(error.to_string()),
    }
}

fn signature(
    path: &Path,
    bytes: &[u8],
    args: &CheckArgs,
    context: &Context,
) -> Result<Signature, Error> {
    let mut name = path.as_os_str().to_owned();
    name.push(".sig");
    let file = Path::new(&name);
    if !file.exists() {
        // A user who names signers expects a signature.
        return Ok(match args.allowed_signers {
            Some(_) => Signature::Missing,
            None => Signature::None,
        });
    }
    let verify = aris_proc::command("ssh-keygen", context.cwd()).arg("-Y");
    let (verify, good) = match (&args.allowed_signers, &args.signer) {
        (Some(allowed), Some(signer)) => {
            let verify = verify.args(["verify", "-f"]).arg(context.absolute(allowed));
            (verify.arg("-I").arg(signer), Signature::OfSigner)
        }
        _ => (verify.arg("check-novalidate"), Signature::Intact),
    };
    let verify = verify.args(["-n", NAMESPACE, "-s"]).arg(file).stdin(bytes);
    let done = verify.run(SIGN_DEADLINE).map_err(Error::Sign)?;
    Ok(match done.code().map_err(Error::Sign)? {
        0 => good,
        _ => Signature::Wrong,
    })
}

impl Checked {
    /// Whether files differ from the statement or its signature is wrong or missing.
    pub(crate) fn found(&self) -> bool {
        !self.differ.is_empty() || matches!(self.signature, Signature::Wrong | Signature::Missing)
    }
}

impl Product for Checked {
    fn schema(&self) -> &'static str {
        SCHEMA
    }

    fn render(&self, out: &mut dyn Write, style: Style) -> io::Result<()> {
        for file in &self.differ {
            let (name, problem) = (clean(&file.name), clean(&file.problem));
            writeln!(out, "{name}: {}: {problem}", style.bad("differs"))?;
        }
        if !self.unchecked.is_empty() {
            let mut names: Vec<String> = self.unchecked.iter().map(|name| clean(name)).collect();
            let more = names.len().saturating_sub(NAMED);
            names.truncate(NAMED);
            names.extend((more > 0).then(|| format!("and {more} more")));
            let what = style.doubtful("not here, and not compared");
            writeln!(out, "{what}: {}", names.join(", "))?;
        }
        let found = tallied(self.findings.iter().map(|found| {
            let (id, severity) = (clean(&found.id), clean(&found.severity));
            format!("{id} ({severity})")
        }));
        if !found.is_empty() {
            writeln!(out, "the gate found: {found}")?;
        }
        let signature = match self.signature {
            Signature::Missing => style.bad("there is no signature"),
            Signature::None => style.doubtful("not signed"),
            Signature::Intact => {
                let how = "--allowed-signers and --signer check it";
                style.doubtful(&format!("signed; the key was not checked ({how})"))
            }
            Signature::OfSigner => style.good("signed by the named signer"),
            Signature::Wrong => {
                style.bad("the signature is not valid for this statement and signer")
            }
        };
        let (result, level, time) = (&self.result, &self.assurance, &self.time);
        let [result, level, time] = [result, level, time].map(|text| clean(text));
        writeln!(out, "{result} ({level}), {time}: {signature}")?;
        let (files, changed) = (counted(self.files, "file"), self.differ.len());
        write!(out, "{files} unchanged, {changed} changed")?;
        if self.runs > 0 {
            let runs = counted(self.runs, "recorded run");
            write!(out, "; {} of them written by {runs}", self.explained)?;
        }
        writeln!(out)
    }
}
