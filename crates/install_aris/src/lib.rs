//! `install_aris`: installs the skills and helpers of a source into a project, updates them, and removes them again.
//!
//! **Input**: a source (a clone or an unpacked archive with `skills/`), a project, flags. **Output**: `.claude/skills/<name>` or
//! `.agents/skills/<name>` (link or copy), `.aris/tools/<helper>`, a block in instruction files, the records `.aris/install.json` and
//! `.aris/installed-skills*.txt`; on stdout what was changed. **Exit**: 0 done or nothing to do; 2 usage; 3 no project, source or
//! install; 4 a record or the source's helper table is damaged; 5 another installer, no permission, a linked folder, no binaries;
//! 10 changes pending (`--dry-run`, `--check`), or conflicts, and then nothing was changed.
//!
//! Three steps: read records and disk, make a plan without changing the disk, apply the plan. A journal lists the changes while
//! they are applied. After a crash, the next run starts from that journal, whatever its action. The program never asks
//! questions, never uses the network, and never changes a file in the source.

mod apply;
mod block;
mod cli;
mod compare;
mod documents;
mod error;
mod ignore;
mod lock;
mod older;
mod plan;
mod project;
mod records;
mod report;
mod source;
mod step;
mod uninstall;
mod wanted;

use std::collections::{BTreeMap, BTreeSet};

use aris_cli::{Context, Network, Outcome, Sample, Spec};
use aris_contract::ErrorKind;
use aris_contract::artifact::install::{
    CANONICAL_SKILLS, CLAUDE_SKILLS, Content, Host, InstallMode,
};
use aris_contract::schema::id;
use aris_contract::time;

pub use cli::{Cli, MigrateCopy};
pub use error::Error;
pub use report::Report;

use project::{Project, Shape};
use records::{Intent, Records};
use source::{Places, Source};
use step::{Inputs, Plan};
use wanted::Choices;

/// The helper's name, version and help.
pub static SPEC: Spec = Spec {
    name: "install_aris",
    version: env!("CARGO_PKG_VERSION"),
    summary: "Install skills and helpers into a project, keep them current, and remove them again",
    input: "flags; the source (a clone or unpacked archive with skills/) and what is in the project",
    output: "one line for each change, what was left and why, conflicts with the flag that resolves them, the count",
    stderr: "notes, warnings, errors",
    commands: &[],
    examples: &[
        "install_aris ~/paper --aris-repo ~/aris  # install for Claude Code: links from a clone, copies from an archive",
        "install_aris --host claude,codex,gemini --mode copy  # install copies into the working directory for three hosts",
        "install_aris --skills citation-audit,paper-claim-audit  # install two skills, and those whose helpers they call",
        "install_aris --reconcile --dry-run --json  # say what would change; exit 10 when anything would",
        "install_aris --update  # update everything to the source; edited copies are kept in .aris/kept",
        "install_aris --uninstall  # remove what was installed, and nothing else",
    ],
    signals: &[(
        10,
        "changes are pending (--dry-run, --check), or conflicts: nothing was changed",
    )],
    ok: "done, or nothing to do",
    errors: &[
        ErrorKind::NotFound,
        ErrorKind::Validation,
        ErrorKind::Precondition,
    ],
    schemas: &[report::SCHEMA, id::INSTALL_MANIFEST],
    samples: &[
        Sample {
            args: &["--json", ".", "--uninstall"],
            exit: &[0],
        },
        Sample {
            args: &["--json", ".", "--reconcile", "--uninstall"],
            exit: &[2],
        },
        Sample {
            args: &["--json", "no-such-folder"],
            exit: &[3],
        },
    ],
    network: Network::None,
    deadline: None,
};

/// Runs the command line.
pub fn run(cli: Cli, context: &Context) -> Result<Outcome<Report>, Error> {
    let project = Project::find(&cli, context)?;
    project.check_parents()?;
    let writes = !cli.dry_run && !cli.check;
    for note in lock::check_old_locks(&project, cli.clear_stale_lock, writes)? {
        context.warn(&note);
    }
    if cli.uninstall {
        uninstall(&cli, context, &project)
    } else {
        install(&cli, context, &project)
    }
}

fn install(cli: &Cli, context: &Context, project: &Project) -> Result<Outcome<Report>, Error> {
    let mut records = Records::read(project)?;
    if records.is_empty() && (cli.reconcile || cli.update || cli.check) {
        return Err(Error::NotInstalled(project.root.clone()));
    }
    let mut source = Source::find(&Places {
        flag: cli.aris_repo.as_ref().map(|path| context.absolute(path)),
        program: std::env::current_exe().ok(),
        variable: context.env("ARIS_REPO"),
        manifest: records.repo_root(),
        project: &project.root,
    })?;
    let choices = choices(cli, context, &records, &source);
    if !choices.skills.is_empty() {
        let more = source.choose(&choices.skills)?;
        if !more.is_empty() {
            let more = more.join(", ");
            context.note(&format!(
                "also installed: {more}; the chosen skills call helpers that they contain"
            ));
        }
    }
    let source = source;
    check_binaries(cli, context, &source)?;
    let now = time::stamp(context.now());
    let make_plan = |records: &Records| {
        let (wanted, mut refused) = wanted::wanted(&source, &choices)?;
        refused.extend(source.refused.iter().cloned());
        let inputs = Inputs {
            project,
            source: &source,
            choices: &choices,
            records,
            cli,
            now: &now,
        };
        Ok::<_, Error>((plan::plan(&inputs, wanted)?, refused))
    };
    let (mut plan, refused) = loop {
        let made = make_plan(&records)?;
        // Another installer may have started or ended during planning; its files would look like the user's. Plan again if so.
        let now = Records::read(project)?;
        if now.has_journal || now == records {
            records = now;
            break made;
        }
        records = now;
    };
    let is_pending = !plan.log.changes.is_empty() && plan.log.conflicts.is_empty();
    let writes = !cli.dry_run && !cli.check && (is_pending || records.has_journal);
    let makes_folder = plan.folders.iter().any(|folder| folder == CLAUDE_SKILLS);
    if writes {
        let mut journal = lock::acquire(project, &now)?;
        // The plan was made without the lock. Read again, now that nobody else can change anything.
        let records = Records::read(project)?;
        sweep(context, project, &records, None)?;
        plan = make_plan(&records)?.0;
        if plan.log.conflicts.is_empty() {
            let intent = Intent {
                stages: plan.stages.clone(),
                manifest: plan.manifest.clone(),
                given: plan.given.clone(),
                replaced: plan.replaced(),
            };
            journal.append(&serde_json::to_string(&intent)?)?;
            let done = apply::apply(project, &source.root, &plan)
                .and_then(|()| sweep(context, project, &records, Some(&intent)))
                .and_then(|()| apply::record(project, &plan.manifest));
            if let Err(error) = done {
                sweep(context, project, &records, Some(&intent))?;
                // After a failed first install, undo everything. With an earlier record the journal stays, and the next run
                // continues from it.
                if records.is_empty_but_for_the_journal() {
                    uninstall::roll_back(project, intent)?;
                    journal.finish()?;
                }
                return Err(error);
            }
        }
        // Conflicts mean that nothing was changed, so an earlier run's unfinished plan must stay in the journal.
        if plan.log.conflicts.is_empty() || records.unfinished.is_empty() {
            journal.finish()?;
        }
    }
    notes(context, project, &records, &source, &choices, &refused);
    if writes && makes_folder {
        context.note("restart Claude Code if it is running: .claude/skills is new, and it does not notice new folders");
    }
    let found = !plan.log.conflicts.is_empty() || (!plan.log.changes.is_empty() && !writes);
    let applied = writes && plan.log.conflicts.is_empty();
    Ok(Outcome::found(
        report(cli, project, &records, &source, plan, applied),
        found,
    ))
}

fn uninstall(cli: &Cli, context: &Context, project: &Project) -> Result<Outcome<Report>, Error> {
    let mut records = Records::read(project)?;
    let mut removal = uninstall::plan(project, &records)?;
    let is_pending = !records.is_empty();
    let writes = is_pending && !cli.dry_run;
    if !is_pending {
        context.note(&format!("nothing is installed in {}", project.text));
    }
    if writes {
        let mut journal = lock::acquire(project, &time::stamp(context.now()))?;
        records = Records::read(project)?;
        sweep(context, project, &records, None)?;
        removal = uninstall::plan(project, &records)?;
        // The record is removed before its folder. The journal repeats the record, so that a killed run knows what it may
        // remove.
        if let Some(manifest) = &records.manifest {
            let intent = Intent {
                stages: BTreeSet::new(),
                manifest: manifest.clone(),
                given: BTreeMap::new(),
                replaced: Vec::new(),
            };
            journal.append(&serde_json::to_string(&intent)?)?;
        }
        removal.apply(project)?;
        journal.finish()?;
    }
    if cli.purge && !cli.dry_run {
        let count = uninstall::purge(context)?;
        context.note(&format!("removed {count} cached binaries"));
    }
    let pending = !writes && !removal.log.changes.is_empty();
    let report = Report::new("uninstall", project, &records, removal.log, writes);
    Ok(Outcome::found(report, pending))
}

/// Sweeps the stage folders of this run and of killed ones.
fn sweep(
    context: &Context,
    project: &Project,
    records: &Records,
    intent: Option<&Intent>,
) -> Result<(), Error> {
    let stages = intent.map_or(&records.stages, |intent| &intent.stages);
    let given = intent.map_or(&records.given, |intent| &intent.given);
    let links = given.iter().filter_map(|(path, link)| {
        let target = link.clone()?;
        Some((path.clone(), Content::Link { target }))
    });
    let manifests = records.all().chain(intent.map(|intent| &intent.manifest));
    let entries = manifests.flat_map(|manifest| &manifest.entries);
    let entries = entries.map(|entry| (entry.path.clone(), entry.content.clone()));
    let mut known: Vec<(String, Content)> = entries.chain(links).collect();
    known.extend_from_slice(&records.replaced);
    known.extend(intent.iter().flat_map(|intent| intent.replaced.clone()));
    let now = time::stamp(context.now());
    for kept in apply::sweep(project, stages, &known, &now)? {
        let what = "somebody changed what was being replaced; it is kept as";
        context.warn(&format!("{what} {kept}"));
    }
    Ok(())
}

/// Mode and hosts: from the flags, else from the last install, else the defaults.
fn choices(cli: &Cli, context: &Context, records: &Records, source: &Source) -> Choices {
    let before = records.all().last();
    let mode = cli.mode.or_else(|| before.map(|manifest| manifest.mode));
    let hosts: &[Host] = match (cli.host.as_slice(), before) {
        ([], None) => &[Host::Claude],
        ([], Some(manifest)) => manifest.hosts.as_slice(),
        (hosts, _) => hosts,
    };
    let mut skills = cli.skills.clone();
    if skills.is_empty() {
        let before = before.iter().flat_map(|manifest| &manifest.skills).cloned();
        let (known, gone): (Vec<_>, Vec<_>) =
            before.partition(|name| source.skills.contains_key(name));
        for name in gone {
            let what = "was chosen once, and the source has it no longer";
            context.warn(&format!("{name} {what}"));
        }
        skills = known;
    }
    skills.sort();
    skills.dedup();
    if skills.iter().any(|name| name == "all") {
        skills.clear();
    }
    Choices {
        mode: mode.unwrap_or_else(|| source.usual_mode()),
        hosts: hosts.iter().copied().collect(),
        skills,
    }
}

/// Reports helpers that cannot run on this machine, before anything is changed.
fn check_binaries(cli: &Cli, context: &Context, source: &Source) -> Result<(), Error> {
    let missing = source.without_binary();
    if missing.is_empty() {
        return Ok(());
    }
    let machine = format!("{} {}", std::env::consts::OS, std::env::consts::ARCH);
    let helpers = missing.join(", ");
    if cli.allow_missing_binaries {
        let missing = format!("no binary for this machine ({machine}) of {helpers}");
        context.warn(&format!("{missing}: calls of them will exit with 5"));
        return Ok(());
    }
    Err(Error::Binaries {
        machine,
        helpers,
        root: source.root.clone(),
    })
}

/// Prints notes that are not part of the report.
fn notes(
    context: &Context,
    project: &Project,
    records: &Records,
    source: &Source,
    choices: &Choices,
    refused: &[String],
) {
    for what in refused {
        context.warn(&format!("not installed: {what}"));
    }
    let before = records.all().last().map(|before| &before.repo_root);
    if let Some(before) = before.filter(|before| **before != source.text) {
        let now = &source.text;
        context.note(&format!("the source is now {now}, and was {before}"));
    }
    let for_cursor = choices.hosts.contains(&Host::Cursor);
    let for_codex = choices.uses_agents() && choices.copies_for_agents(source);
    for (copies, host) in [
        (for_cursor, "Cursor, which did not show linked skills"),
        (
            for_codex,
            "Codex, which shows linked skills under other names",
        ),
    ] {
        if copies && choices.mode == InstallMode::Symlink {
            let then = "do not follow the source: run install_aris --update after changing it";
            context.warn(&format!("copies for {host}, {then}"));
        }
    }
    if choices.hosts.contains(&Host::Gemini) {
        context.note("Gemini CLI loads skills only in a folder that you trust: accept its question, or list the folder in ~/.gemini/trustedFolders.json");
    }
    if choices.places().len() > 1 {
        context.note(&format!(
            "OpenCode finds each skill twice, in {CANONICAL_SKILLS} and {CLAUDE_SKILLS}, and warns; both are the same. Set OPENCODE_DISABLE_CLAUDE_CODE_SKILLS=1 to let it read {CANONICAL_SKILLS} only"
        ));
    }
    if project.is_home {
        context.note("installed for the user: no instruction file was touched, and skills find helpers of others through ARIS_REPO only");
    } else if let Some(outer) = project.outer_repository() {
        context.warn(&format!(
            "the project is in the git repository {}, where skills look for .aris/tools; install there to have them found",
            outer.display()
        ));
    }
    if project.shape(CLAUDE_SKILLS) == Shape::Folder && !choices.uses_claude() {
        context.note(&format!("{CLAUDE_SKILLS} is not used for the chosen hosts"));
    }
}

fn report(
    cli: &Cli,
    project: &Project,
    records: &Records,
    source: &Source,
    plan: Plan,
    applied: bool,
) -> Report {
    let action = match (cli.check, cli.update, cli.reconcile || !records.is_empty()) {
        (true, _, _) => "check",
        (_, true, _) => "update",
        (_, _, true) => "reconcile",
        _ => "install",
    };
    let ignore = if plan.log.changes.is_empty() || !plan.log.conflicts.is_empty() {
        Vec::new()
    } else {
        ignore::lines(project, &plan.manifest)
    };
    Report {
        ignore,
        source: Some(source.text.clone()),
        source_version: source.version.clone(),
        mode: Some(plan.manifest.mode),
        hosts: plan.manifest.hosts,
        ..Report::new(action, project, records, plan.log, applied)
    }
}

#[cfg(test)]
mod tests {
    use aris_contract::artifact::install::InstallManifest;
    use aris_testkit::check_schema;

    use super::*;

    #[test]
    fn schemas_are_current() {
        check_schema::<Report>(report::SCHEMA);
        check_schema::<InstallManifest>(id::INSTALL_MANIFEST);
    }
}
