//! A paper in a temporary project, runs of the program on it, and its artifact.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::time::Duration;

use aris_testkit::{Call, Helper, Project, Run, assert_valid};
use serde_json::Value;

use crate::subject::Anchor;

/// Statuses that mean that something is wrong.
pub(crate) const ACCUSED: [&str; 4] = [
    "number_mismatch",
    "scope_overclaim",
    "binding_lost",
    "binding_error",
];

/// A debug build on a loaded machine finishes within this time unless it hangs; no test asserts a time.
pub(crate) const DEADLINE: Duration = Duration::from_mins(4);

/// The key of a number: id of its binding, and its index in that binding, from 0.
pub(crate) type Key = (String, usize);

/// The program under test.
pub(crate) fn program() -> Helper {
    match std::env::var_os("PAPER_CLAIM_AUDIT_BINARY") {
        Some(path) => Helper::at(path),
        None => Helper::at(env!("CARGO_BIN_EXE_paper_claim_audit")),
    }
}

/// A paper and its project.
pub(crate) struct Paper {
    pub(crate) project: Project,
    folder: &'static str,
}

impl Paper {
    /// `paper/main.tex` with this body.
    pub(crate) fn new(body: &str) -> Self {
        Self::holding(Project::new(), body)
    }

    /// Like [`Paper::new`], in a given project.
    pub(crate) fn holding(project: Project, body: &str) -> Self {
        let paper = Self {
            project,
            folder: "paper",
        };
        paper.with("main.tex", document(body))
    }

    /// A copy of a folder with a paper and its data.
    pub(crate) fn copied(folder: &Path) -> Self {
        Self {
            project: Project::new().copied(folder),
            folder: ".",
        }
    }

    /// A copy of a folder with the paper in `paper/` and the data beside it.
    pub(crate) fn beside_data(folder: &Path) -> Self {
        Self {
            project: Project::new().copied(folder),
            folder: "paper",
        }
    }

    /// A paper with a sentence and a binding for each case, over these files, with `head` before the bindings.
    pub(crate) fn cases(files: &[(&str, &[u8])], head: &str, table: &str) -> Self {
        let (body, claims) = sentences(&cases(table));
        let paper = Self::new(&body).claims(&format!("{head}\n{claims}"));
        for (path, bytes) in files {
            paper.write(path, bytes);
        }
        paper
    }

    /// Audits the paper and checks the status of each case.
    #[track_caller]
    pub(crate) fn expect_all(&self, table: &str) -> Audit {
        let audit = self.audit();
        for case in cases(table) {
            audit.expect(&case.name, &case.status);
        }
        audit
    }

    /// Adds a file below the paper.
    pub(crate) fn with(self, path: &str, bytes: impl AsRef<[u8]>) -> Self {
        self.write(path, bytes);
        self
    }

    /// Adds claims.toml with these bindings.
    pub(crate) fn claims(self, bindings: &str) -> Self {
        self.with("claims.toml", format!("version = 1\n\n{bindings}"))
    }

    /// Writes a file below the paper, even over a read-only copy.
    pub(crate) fn write(&self, path: &str, bytes: impl AsRef<[u8]>) {
        let path = self.inside(path);
        fs::remove_file(self.project.at(&path)).unwrap_or_default();
        self.project.write(&path, bytes);
    }

    /// Reads a file below the paper.
    #[track_caller]
    pub(crate) fn read(&self, path: &str) -> String {
        self.project.read(&self.inside(path))
    }

    /// The path, relative to the project, of a file below the paper.
    pub(crate) fn inside(&self, path: &str) -> String {
        format!("{}/{path}", self.folder)
    }

    /// Prepares a call of `paper_claim_audit` in the project.
    pub(crate) fn call(&self, args: &[&str]) -> Call {
        self.call_of(&program(), args)
    }

    /// Like [`Paper::call`], with another build of the program.
    pub(crate) fn call_of(&self, helper: &Helper, args: &[&str]) -> Call {
        helper
            .call(self.project.path())
            .args(args)
            .deadline(DEADLINE)
    }

    /// Runs a subcommand on the paper.
    pub(crate) fn run(&self, subcommand: &str, args: &[&str]) -> Run {
        self.call(&[&[subcommand, self.folder], args].concat())
            .run()
    }

    /// Audits the paper.
    #[track_caller]
    pub(crate) fn audit(&self) -> Audit {
        self.audit_with(&[])
    }

    /// Audits the paper with further arguments; there must be an artifact whatever it finds.
    #[track_caller]
    pub(crate) fn audit_with(&self, args: &[&str]) -> Audit {
        let run = self.call(&[&[self.folder], args].concat()).run();
        assert!([0, 10].contains(&run.code()), "no audit: {run}");
        let artifact = self.project.json(&self.inside("PAPER_CLAIM_AUDIT.json"));
        assert_valid(
            "aris.paper_claim_audit.details/v2",
            &artifact["details"],
            "details",
        );
        let audit = Audit { run, artifact };
        let good = ["PASS", "NOT_APPLICABLE"].contains(&audit.verdict());
        assert_eq!(audit.run.code() == 0, good, "{audit}");
        audit
    }
}

/// One run and its artifact.
pub(crate) struct Audit {
    pub(crate) run: Run,
    pub(crate) artifact: Value,
}

impl Audit {
    pub(crate) fn verdict(&self) -> &str {
        text(&self.artifact, "verdict")
    }

    pub(crate) fn reason(&self) -> &str {
        text(&self.artifact, "reason_code")
    }

    /// All of `details.claims`.
    #[track_caller]
    pub(crate) fn entries(&self) -> &[Value] {
        self.artifact["details"]["claims"]
            .as_array()
            .expect("details.claims is an array")
    }

    /// The entries of one binding, in order.
    pub(crate) fn of(&self, id: &str) -> Vec<&Value> {
        let mut entries = self.entries().iter().collect::<Vec<_>>();
        entries.retain(|entry| entry["id"] == id);
        entries
    }

    /// The entry of a binding that has one number.
    #[track_caller]
    pub(crate) fn one(&self, id: &str) -> &Value {
        match self.of(id).as_slice() {
            [entry] => entry,
            other => panic!("{id} has {} entries: {self}", other.len()),
        }
    }

    /// Panics unless each number of the binding has this status; `agrees` stands for the two that do, `a/b` for either, `a b` for one
    /// each.
    #[track_caller]
    pub(crate) fn expect(&self, id: &str, statuses: &str) {
        let found = self
            .of(id)
            .iter()
            .map(|entry| status(entry))
            .collect::<Vec<_>>();
        let mut wanted = statuses.split(' ').collect::<Vec<_>>();
        if wanted.len() == 1 {
            wanted.resize(found.len().max(1), statuses);
        }
        let same = |(found, wanted): (&&str, &&str)| {
            let mut allowed = wanted.split('/');
            allowed.any(|wanted| *found == wanted || (wanted == "agrees" && agrees(found)))
        };
        assert!(
            found.len() == wanted.len() && found.iter().zip(&wanted).all(same),
            "{id} is {found:?}, not {wanted:?}: {:#?}\n{self}",
            self.of(id)
        );
    }

    /// Status of each bound number.
    pub(crate) fn bound(&self) -> BTreeMap<Key, &Value> {
        let mut numbers: BTreeMap<&str, usize> = BTreeMap::new();
        let mut bound = BTreeMap::new();
        for entry in self.entries() {
            if ["unbound", "waived"].contains(&status(entry)) {
                continue;
            }
            let id = text(entry, "id");
            let number = numbers.entry(id).or_default();
            bound.insert((id.to_owned(), *number), entry);
            *number += 1;
        }
        bound
    }

    /// The texts of the unbound numbers, in the artifact's order.
    pub(crate) fn unbound(&self) -> Vec<&str> {
        let unbound = self
            .entries()
            .iter()
            .filter(|entry| status(entry) == "unbound");
        unbound.map(|entry| text(entry, "shown")).collect()
    }

    /// The whole output and the artifact as one text.
    pub(crate) fn said(&self) -> String {
        format!(
            "{}\n{}\n{}",
            self.run.stdout(),
            self.run.stderr(),
            self.artifact
        )
    }

    /// Panics unless one message (a line of the output or a string in the artifact) contains all of `parts`.
    #[track_caller]
    pub(crate) fn expect_message(&self, parts: &[&str]) {
        let mut messages: Vec<&str> = self.run.stdout().lines().collect();
        messages.extend(self.run.stderr().lines());
        strings(&self.artifact, &mut messages);
        let holds_all = |message: &&str| parts.iter().all(|part| message.contains(part));
        assert!(
            messages.iter().any(holds_all),
            "no message holds {parts:?}: {self}"
        );
    }
}

impl std::fmt::Display for Audit {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(out, "{} {}", self.verdict(), self.artifact["reason_code"])?;
        let bad = |entry: &&Value| ACCUSED.contains(&status(entry));
        for entry in self.entries().iter().filter(bad).take(20) {
            writeln!(out, "{entry}")?;
        }
        write!(out, "{}", self.run)
    }
}

/// One row of a table of tests.
pub(crate) struct Case {
    /// Id of the binding, which also distinguishes its sentence from the others.
    pub(crate) name: String,
    /// Expected status of each number.
    pub(crate) status: String,
    /// The number as the paper shows it, with marks.
    marked: String,
    /// Query, or a TOML list of queries.
    value: String,
    /// Further keys of the binding.
    more: String,
}

/// Parses rows `name | shown | query | status`, optionally with `| key = value; key = value` for the binding. `shown` has its own marks,
/// or is marked as a whole. `\u{…}` is a character, `#` begins a comment.
pub(crate) fn cases(table: &str) -> Vec<Case> {
    let rows = table.lines().map(str::trim);
    let rows = rows.filter(|row| !row.is_empty() && !row.starts_with('#'));
    rows.map(|row| {
        let fields: Vec<String> = row
            .split(" | ")
            .map(|field| unescaped(field.trim()))
            .collect();
        let [name, shown, sql, status, more @ ..] = fields.as_slice() else {
            panic!("four fields or five: {row}");
        };
        let value = if sql.starts_with('[') {
            sql.clone()
        } else {
            format!("'''{sql}'''")
        };
        Case {
            name: name.clone(),
            status: status.clone(),
            marked: if shown.contains("[[") {
                shown.clone()
            } else {
                format!("[[{shown}]]")
            },
            value,
            more: more.concat().replace("; ", "\n"),
        }
    })
    .collect()
}

/// Replaces `\u{2009}` by the character, which is hard to see in a source.
fn unescaped(text: &str) -> String {
    let mut parts = text.split(r"\u{");
    let mut whole = parts.next().unwrap_or("").to_owned();
    for part in parts {
        let (code, rest) = part.split_once('}').expect("a closed escape");
        let code = u32::from_str_radix(code, 16).expect("a code point");
        whole.push(char::from_u32(code).expect("a character"));
        whole.push_str(rest);
    }
    whole
}

/// Body and bindings with a sentence for each case.
pub(crate) fn sentences(cases: &[Case]) -> (String, String) {
    let (mut body, mut claims) = (String::new(), String::new());
    for Case {
        name,
        marked,
        value,
        more,
        ..
    } in cases
    {
        let shown = Anchor::of(marked).text;
        write!(body, "The run called {name} shows {shown} of it.\n\n").expect("text");
        let text = format!("The run called {name} shows {marked} of it.");
        write!(
            claims,
            "[[claim]]\nid = \"{name}\"\nin = \"main.tex\"\ntext = '''{text}'''\nvalue = {value}\n{more}\n\n"
        )
        .expect("text");
    }
    (body, claims)
}

/// Audits the cases over `results/v.csv` and checks the status of each.
#[track_caller]
pub(crate) fn expect_cases(data: &str, table: &str) -> Audit {
    Paper::cases(&[("results/v.csv", data.as_bytes())], "", table).expect_all(table)
}

/// A whole document with this body.
pub(crate) fn document(body: &str) -> String {
    format!("\\documentclass{{article}}\n\\begin{{document}}\n{body}\n\\end{{document}}\n")
}

/// Status of an entry.
pub(crate) fn status(entry: &Value) -> &str {
    text(entry, "status")
}

/// Whether the status means that the number follows from the data.
pub(crate) fn agrees(status: &str) -> bool {
    ["exact_match", "rounding_ok"].contains(&status)
}

/// A field of an object as text; empty if it is absent.
pub(crate) fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    value[field].as_str().unwrap_or("")
}

/// A number, from JSON text or a JSON number.
pub(crate) fn number(value: &Value) -> Option<f64> {
    value
        .as_f64()
        .or_else(|| value.as_str().and_then(|text| text.trim().parse().ok()))
}

fn strings<'a>(value: &'a Value, found: &mut Vec<&'a str>) {
    match value {
        Value::String(text) => found.push(text),
        Value::Array(items) => items.iter().for_each(|item| strings(item, found)),
        Value::Object(map) => map.values().for_each(|item| strings(item, found)),
        _ => {}
    }
}
