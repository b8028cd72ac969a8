//! Input besides the paper, and all output.

use std::path::{Path, PathBuf};
use std::time::Duration;

use aris_cli::Context;
use aris_contract::artifact::audit::{Assurance, AssuranceError};
use aris_contract::json::{self, JsonError};
use aris_contract::{ErrorKind, Failure as _, time};
use aris_fs::Form;
use jiff::Timestamp;
use serde::Serialize;

use crate::cli::{GateArgs, PaperArgs};
use crate::error::Error;
use crate::paper::{Paper, Unusable};
use crate::policy::Policy;
use crate::report::Report;
use crate::{attest, html, policy};
use aris_audit::ledger::Ledger;
use aris_audit::project::paper_folder;

/// Default path of the report, relative to the paper directory.
const REPORT: &str = ".aris/audit-verifier-report.json";
/// The paper's file with the assurance level, relative to the paper directory.
const ASSURANCE: &str = ".aris/assurance.txt";
/// Largest assurance file, in bytes; it holds one word.
const ASSURANCE_LIMIT: u64 = 4096;
/// An earlier output larger than this is overwritten without being compared.
const EARLIER_LIMIT: u64 = 64 << 20;
/// Time limit of signing; it takes milliseconds, but a hardware key waits for a touch.
pub(crate) const SIGN_DEADLINE: Duration = Duration::from_mins(1);
/// First line of a signature. **Source**: OpenSSH, `PROTOCOL.sshsig`.
const SIGNATURE: &str = "-----BEGIN SSH SIGNATURE-----";
/// Namespace of the signature. **Source**: the design of the submission gate, Attestation.
pub(crate) const NAMESPACE: &str = "aris-audit";

/// The paper directory: the named one, else `./paper`, else the working directory.
pub(crate) fn paper(named: Option<&Path>, context: &Context) -> Result<PathBuf, Error> {
    paper_folder(named, context.cwd()).map_err(Error::no_paper)
}

/// Opens the paper and the policy.
pub(crate) fn opened(args: &PaperArgs, context: &Context) -> Result<(Paper, Policy), Error> {
    let given = paper(args.paper.as_deref(), context)?;
    let policy = policy(args.policy.as_deref(), context)?;
    let paper = Paper::open(&given, &policy.allowed_roots, context.cwd());
    let paper = paper.map_err(|_gone| Error::no_paper(given))?;
    Ok((paper, policy))
}

/// The assurance level: from the flag, else from the paper's file, else draft.
pub(crate) fn assurance(cli: &GateArgs, paper: &Path) -> Result<Assurance, Error> {
    if let Some(assurance) = cli.assurance {
        return Ok(assurance);
    }
    let path = paper.join(ASSURANCE);
    let bytes = aris_fs::read_optional(&path, ASSURANCE_LIMIT).map_err(|source| Error::Read {
        what: "the assurance level",
        kind: source.kind(),
        source,
    })?;
    let Some(bytes) = bytes else {
        return Ok(Assurance::Draft);
    };
    let text = String::from_utf8_lossy(&bytes);
    let word: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    word.parse().map_err(|error: AssuranceError| {
        let shown = path.display();
        let hint = format!("write draft or submission into {shown}, or pass --assurance");
        Error::new(ErrorKind::Validation, format!("{shown}: {error}"), hint).at(&path)
    })
}

/// The policy that `--policy` names, else the built-in one.
fn policy(given: Option<&Path>, context: &Context) -> Result<Policy, Error> {
    let invalid = |path: &Path, error: JsonError| {
        let message = format!("{}: the policy is invalid: {error}", path.display());
        let hint = "compare with skills/paper-writing/assets/audit-policy.json";
        let wrong = Error::new(ErrorKind::Validation, message, hint).at(path);
        wrong.with("line", error.line).with("column", error.column)
    };
    let Some(given) = given else {
        return Policy::built_in().map_err(|error| invalid(Path::new("built-in"), error));
    };
    let path = context.absolute(given);
    let bytes = aris_fs::read(&path, policy::LIMITS.bytes as u64).map_err(|error| {
        if error.is_not_found() {
            let message = format!("the policy file {} does not exist", path.display());
            let hint = "leave --policy out for the built-in policy";
            Error::new(ErrorKind::NotFound, message, hint).at(&path)
        } else {
            Error::Read {
                what: "the policy",
                kind: ErrorKind::Validation,
                source: error,
            }
        }
    })?;
    Policy::read(&bytes, &given.display().to_string()).map_err(|error| invalid(&path, error))
}

/// The outputs of a run, as absolute paths.
#[derive(Debug)]
pub(crate) struct Outputs {
    report: PathBuf,
    /// Whether the user chose the path of the report.
    named: bool,
    html: Option<PathBuf>,
    attest: Option<PathBuf>,
    signature: Option<(PathBuf, PathBuf)>,
}

impl Outputs {
    /// The paths of all outputs.
    pub(crate) fn new(cli: &GateArgs, paper: &Path, context: &Context) -> Self {
        let absolute = |path: &PathBuf| context.absolute(path);
        let (report, attest) = (&cli.output, &cli.attest);
        let [report, attest] = [report, attest].map(|path| path.as_ref().map(absolute));
        let signed = attest.as_ref().zip(cli.sign_key.as_ref());
        let signature = signed.map(|(attest, key)| {
            let mut name = attest.clone().into_os_string();
            name.push(".sig");
            (PathBuf::from(name), context.absolute(key))
        });
        Self {
            named: cli.output.is_some(),
            report: report.unwrap_or_else(|| paper.join(REPORT)),
            html: cli.html.as_ref().map(absolute),
            attest,
            signature,
        }
    }

    /// Refuses to overwrite judged files: a report in place of an artifact would destroy its evidence.
    ///
    /// The default path of the report must stay within the project: a link in the paper must not make the gate write into somebody's
    /// home directory.
    pub(crate) fn check(&self, paper: &Paper, ledger: &Ledger) -> Result<(), Error> {
        let astray = match paper.resolve(&paper.dir, REPORT) {
            Err(Unusable::Escapes { to, .. }) => Some(to),
            // Nor may a link lead to another file of the project.
            _ if self.report.is_symlink() => Some(self.report.canonicalize().unwrap_or_default()),
            _ => None,
        };
        if let Some(to) = astray.filter(|_| !self.named) {
            return Err(Error::astray(&self.report, &to));
        }
        let mut seen: Vec<PathBuf> = Vec::new();
        let signature = self.signature.as_ref().map(|(signature, _)| signature);
        let outputs = [
            (Some(&self.report), Form::Json(&["verifier_version"])),
            (self.html.as_ref(), Form::PAGE),
            (self.attest.as_ref(), Form::Json(&["_type", "predicate"])),
            (signature, Form::Begins(&[SIGNATURE.as_bytes()])),
        ];
        for (path, form) in outputs {
            let Some(path) = path else {
                continue;
            };
            let real = path.canonicalize();
            let real = real.unwrap_or_else(|_| aris_fs::lexical(path));
            let taken = |what: &str| {
                let message = format!("{} would be overwritten: it is {what}", path.display());
                Err(Error::new(ErrorKind::Usage, message, "name another output file").at(path))
            };
            if ledger.contains(&real) {
                return taken("a file that was judged");
            }
            let key = self.signature.as_ref().map(|(_, key)| key.canonicalize());
            if let Some(Ok(key)) = key
                && key == real
            {
                return taken("the signing key");
            }
            if seen.contains(&real) {
                return taken("another output");
            }
            if self.named || path != &self.report {
                let what = "the output";
                let checked = aris_fs::check_output(path, form, &[]);
                checked.map_err(|source| Error::Write { what, source })?;
            }
            seen.push(real);
        }
        Ok(())
    }

    /// Writes all outputs; the report first, so that it exists even if another one fails.
    pub(crate) fn write(&self, report: &mut Report, context: &Context) -> Result<(), Error> {
        let now = context.now();
        let (what, path) = ("the report", &self.report);
        write_dated(what, path, report, |it| &mut it.generated_at, now)?;
        if let Some(path) = &self.html {
            let what = "the HTML report";
            let page = Error::compose(what, html::page(report))?;
            write(what, path, page.as_bytes())?;
        }
        let Some(path) = &self.attest else {
            return Ok(());
        };
        let what = "the statement";
        let made = made_at(report, context)?;
        let bytes = Error::compose(what, attest::statement(report, &made))?;
        write(what, path, &bytes)?;
        match &self.signature {
            Some((signature, key)) => sign(&bytes, key, signature, context),
            None => Ok(()),
        }
    }
}

/// Writes a dated output, unless the file has the same content with an earlier date; then the file is not changed. Returns whether
/// that was so.
pub(crate) fn write_dated<T: Serialize>(
    what: &'static str,
    path: &Path,
    value: &mut T,
    time: fn(&mut T) -> &mut String,
    now: Timestamp,
) -> Result<bool, Error> {
    let earlier = aris_fs::read_optional(path, EARLIER_LIMIT);
    if let Ok(Some(earlier)) = earlier
        && aris_audit::says_the_same(value, time, &earlier, now)
    {
        return Ok(true);
    }
    write(what, path, &Error::compose(what, json::pretty(value))?)?;
    Ok(false)
}

fn write(what: &'static str, path: &Path, bytes: &[u8]) -> Result<(), Error> {
    aris_fs::write_changed(path, bytes).map_err(|source| Error::Write { what, source })
}

/// The statement's time: `SOURCE_DATE_EPOCH`, else the report's time. **Source**: the reproducible-builds specification.
fn made_at(report: &Report, context: &Context) -> Result<String, Error> {
    let Some(epoch) = context.env("SOURCE_DATE_EPOCH") else {
        return Ok(report.generated_at.clone());
    };
    let second = epoch.trim().parse().ok();
    let moment = second.and_then(|second| Timestamp::from_second(second).ok());
    moment.map(time::stamp).ok_or_else(|| {
        let found: String = epoch.chars().take(40).collect();
        let message = format!("SOURCE_DATE_EPOCH is {found:?}, not a number of seconds since 1970");
        let hint = "unset it, or set it to the time of the last commit: git log -1 --format=%ct";
        Error::new(ErrorKind::Usage, message, hint)
    })
}

/// Signs the composed bytes, not the file, which may change meanwhile.
fn sign(bytes: &[u8], key: &Path, signature: &Path, context: &Context) -> Result<(), Error> {
    let command = aris_proc::command("ssh-keygen", context.cwd());
    let command = command.args(["-Y", "sign", "-n", NAMESPACE, "-f"]).arg(key);
    let done = command.stdin(bytes).run(SIGN_DEADLINE);
    let done = done.map_err(Error::Sign)?;
    let code = done.code().map_err(Error::Sign)?;
    let armored = done.stdout.whole_text();
    let armored = armored.filter(|text| text.starts_with(SIGNATURE));
    match armored {
        Some(text) if code == 0 => {
            write("the signature", signature, format!("{text}\n").as_bytes())
        }
        _ => {
            let said = done.stderr.text();
            let reason = said.lines().find(|line| !line.trim().is_empty());
            let reason = reason.unwrap_or("ssh-keygen gave no signature");
            let reason = crate::text::short(reason);
            let message = format!("the statement is written and not signed: {reason}");
            let hint = "check the key with: ssh-keygen -y -f KEY";
            Err(Error::new(ErrorKind::Precondition, message, hint))
        }
    }
}
