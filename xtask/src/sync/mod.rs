//! Generated files. From the tables of helpers and integrations: the typed tables, the table of the multi-call binary, the pages about
//! them, and the resolver blocks. From the helpers themselves: contract files, launchers, and the guide's pages about helpers.
//!
//! Every generator returns [`Output`]s; this file compares them with the disk, or writes them.

pub(crate) mod contract;
pub(crate) mod front_door;
pub(crate) mod guide;
pub(crate) mod integrations;
pub(crate) mod manifests;
pub(crate) mod markers;
pub(crate) mod policies;
pub(crate) mod resolver;

use serde::Serialize;

use crate::cargo::{self, Contracts};
use crate::fault::Fault;
use crate::workspace::Workspace;

/// The helper table as the helpers read it.
const TABLE: &str = "crates/aris-contract/src/helpers/table.json";

/// Mode of executable files.
const EXECUTABLE: u32 = 0o755;

/// One generated file.
#[derive(Debug)]
pub(crate) struct Output {
    /// Relative to the workspace's root.
    pub(crate) path: String,
    pub(crate) text: String,
    pub(crate) executable: bool,
}

/// A file that cannot be generated or is out of date.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Stale {
    pub(crate) path: String,
    /// Line, from 1; 0 for the whole file.
    pub(crate) line: usize,
    pub(crate) what: String,
}

impl Stale {
    pub(crate) fn new(path: impl Into<String>, line: usize, what: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            line,
            what: what.into(),
        }
    }
}

/// The result of the generators: files and problems.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    pub(crate) outputs: Vec<Output>,
    pub(crate) problems: Vec<Stale>,
}

impl Plan {
    fn file(&mut self, path: impl Into<String>, text: impl Into<String>) {
        self.outputs.push(Output {
            path: path.into(),
            text: text.into(),
            executable: false,
        });
    }

    fn json(&mut self, path: &str, data: &impl Serialize) -> Result<(), Fault> {
        let text = serde_json::to_string_pretty(data).map_err(Fault::from_error)?;
        self.file(path, text + "\n");
        Ok(())
    }

    fn problem(&mut self, path: impl Into<String>, line: usize, what: impl Into<String>) {
        self.problems.push(Stale::new(path, line, what));
    }

    /// Adds a file with `body` between two marker lines. A new file begins with `head` and the markers.
    fn renew(
        &mut self,
        workspace: &Workspace,
        path: &str,
        (begin, end): (&str, &str),
        body: &str,
        head: Option<&str>,
    ) -> Result<(), Fault> {
        let old = aris_fs::read_optional(&workspace.at(path), aris_fs::READ_LIMIT)?;
        let text = match old {
            None => head.map(|head| format!("{head}\n{begin}\n{body}{end}\n")),
            Some(old) => markers::replace(&String::from_utf8_lossy(&old), begin, end, body),
        };
        match text {
            Some(text) => self.file(path, text),
            None => self.problem(
                path,
                0,
                format!("needs one line {begin} and after it one line {end}"),
            ),
        }
        Ok(())
    }
}

/// Writes files that are out of date, or with `check` only lists them. Returns 10 if a file is out of date or cannot be generated.
pub(crate) fn run(workspace: &Workspace, check: bool) -> Result<u8, Fault> {
    // The helpers compile the table in, so it is written before they are built for their contracts.
    let table = apply(workspace, typed_table(workspace)?, check)?;
    let contracts = cargo::contracts(workspace)?;
    let mut left = bring(workspace, &contracts, check)?;
    left.extend(table);
    left.sort();
    left.dedup();
    for stale in &left {
        println!("{}:{}: {}", stale.path, stale.line.max(1), stale.what);
    }
    match (left.len(), check) {
        (0, _) => println!("sync: everything generated is current"),
        (count, true) => println!("sync: {count} to do; cargo xtask sync writes them"),
        (count, false) => println!("sync: {count} cannot be generated"),
    }
    Ok(if left.is_empty() { 0 } else { crate::FINDINGS })
}

/// Compares (with `check`) or writes all files. Returns what is out of date or remains to be done.
pub(crate) fn bring(
    workspace: &Workspace,
    contracts: &Contracts,
    check: bool,
) -> Result<Vec<Stale>, Fault> {
    let mut left = apply(workspace, typed_table(workspace)?, check)?;
    left.extend(apply(
        workspace,
        from_contracts(workspace, contracts)?,
        check,
    )?);
    Ok(left)
}

fn typed_table(workspace: &Workspace) -> Result<Plan, Fault> {
    let mut plan = integrations::typed(workspace)?;
    plan.json(TABLE, &workspace.contract)?;
    front_door::plan(workspace, &mut plan)?;
    Ok(plan)
}

/// The files that depend on the helpers' contracts.
fn from_contracts(workspace: &Workspace, contracts: &Contracts) -> Result<Plan, Fault> {
    let mut plan = Plan::default();
    for row in &workspace.rows {
        let path = format!("{}/{}.contract.json", row.scripts(), row.name);
        match contracts.get(&row.name) {
            Some(Ok(text)) => {
                let contract = contract::parse(&row.name, text)?;
                plan.file(&path, text);
                match aris_launch::launcher(&contract) {
                    Ok(text) => plan.outputs.push(Output {
                        path: format!("{}/{}", row.scripts(), row.name),
                        text,
                        executable: true,
                    }),
                    Err(why) => plan.problem(path, 1, why.to_string()),
                }
            }
            Some(Err(why)) => plan.problem(path, 0, format!("cannot be generated: {why}")),
            None => plan.problem(path, 0, "cannot be generated: the helper was not asked"),
        }
    }
    guide::plan(workspace, contracts, &mut plan)?;
    policies::plan(workspace, &mut plan)?;
    integrations::page(workspace, &mut plan)?;
    manifests::plan(workspace, &mut plan)?;
    resolver::plan(workspace, &mut plan)?;
    Ok(plan)
}

/// Writes the plan to the disk, or with `check` only compares. Returns what remains to be done.
fn apply(workspace: &Workspace, plan: Plan, check: bool) -> Result<Vec<Stale>, Fault> {
    let mut left = plan.problems;
    for output in plan.outputs {
        let path = workspace.at(&output.path);
        let now = aris_fs::read_optional(&path, aris_fs::READ_LIMIT)?;
        let problem = match &now {
            None => Some(Stale::new(&output.path, 0, "does not exist")),
            Some(bytes) if bytes != output.text.as_bytes() => {
                let line = first_difference(&String::from_utf8_lossy(bytes), &output.text);
                Some(Stale::new(&output.path, line, "is stale from here on"))
            }
            Some(_) if output.executable && !is_executable(&path) => {
                Some(Stale::new(&output.path, 0, "is not executable"))
            }
            Some(_) => None,
        };
        let Some(problem) = problem else { continue };
        if check {
            left.push(problem);
            continue;
        }
        if let Some(folder) = path.parent() {
            aris_fs::create_dir(folder)?;
        }
        if output.executable {
            aris_fs::write_atomic_with_mode(&path, output.text.as_bytes(), EXECUTABLE)?;
        } else {
            aris_fs::write_atomic(&path, output.text.as_bytes())?;
        }
        println!("wrote {}", output.path);
    }
    Ok(left)
}

fn is_executable(path: &std::path::Path) -> bool {
    matches!(
        aris_fs::usable_helper(path),
        aris_contract::resolve::Probe::Usable
    )
}

/// Number of the first line, from 1, that differs.
fn first_difference(now: &str, wanted: &str) -> usize {
    1 + now
        .lines()
        .zip(wanted.lines())
        .take_while(|(now, wanted)| now == wanted)
        .count()
}
