//! One whole run: configuration, walk, rules, repairs, suppressions, baseline, report.

use std::path::{Path, PathBuf};

use aris_skills::git::WorkTree;
use aris_skills::tree::SKILL_FILE;
use aris_skills::{Text, Tree, WalkOptions, names};

use crate::Error;
use crate::baseline;
use crate::catalogue;
use crate::cli::{FixMode, Options};
use crate::config::{Config, FailOn, file};
use crate::finding::{Finding, Sink};
use crate::fingerprint::Fingerprints;
use crate::fix::{Fixed, Plan};
use crate::lint::{self, Found};
use crate::profile::Profile;
use crate::report::Report;
use crate::selection::Selection;
use crate::suppress;

/// Lints all paths.
///
/// **Errors**: `--run` finds no sandbox, a path does not exist, the configuration or the baseline is invalid, or a tree has
/// nothing to check.
pub fn lint(options: &Options) -> Result<Report, Error> {
    for name in options.cli.rule.iter().chain(&options.cli.skip) {
        if !catalogue::is_known(name) {
            return Err(Error::Usage(catalogue::unknown(name)));
        }
    }
    let baseline = match &options.cli.baseline {
        Some(path) => baseline::read(&options.cwd.join(path))?,
        None => Vec::new(),
    };
    let cli = &options.cli;
    let shown = |path: &PathBuf| path.display().to_string();
    let mut report = Report {
        roots: cli.paths.iter().map(shown).collect(),
        profile: cli.profile.unwrap_or_default(),
        format: cli.format.unwrap_or_default(),
        ..Report::default()
    };
    let several = cli.paths.len() > 1;
    let mut fail_on = Vec::new();
    for (at, path) in cli.paths.iter().enumerate() {
        let mut root = Root::of(path, options)?;
        if at == 0 {
            report.profile = root.config.profile;
        }
        let mut found = root.run(options, &mut report.fixed)?;
        root.complete(&mut found.findings);
        report.rules_run.extend(root.selection.ids());
        report.skills += root.tree.skills.len();
        report.files += root.tree.files.len();
        report.skipped.extend(found.skipped);
        if let Some(isolation) = &found.sandbox {
            report.sandbox = serde_json::to_value(isolation).ok();
        }
        for mut finding in found.findings {
            finding.root = several.then(|| shown(path));
            fail_on.push(root.config.fail_on);
            report.items.push(finding);
        }
    }
    report.rules_run.sort_unstable();
    report.rules_run.dedup();
    baseline::apply(&baseline, &mut report.items);
    report.failed = report.items.iter().zip(fail_on).any(|(item, fail_on)| {
        item.suppressed.is_none() && matches!(fail_on, FailOn::At(least) if item.severity >= least)
    });
    Ok(report)
}

/// One path of a run.
struct Root {
    tree: Tree,
    config: Config,
    selection: Selection,
    walk: WalkOptions,
}

impl Root {
    fn of(path: &Path, options: &Options) -> Result<Self, Error> {
        let full = options.cwd.join(path);
        match full.metadata() {
            Ok(metadata) if metadata.is_dir() => {}
            Ok(_) => return Err(Error::NotAFolder(path.to_path_buf())),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Err(Error::Absent(path.to_path_buf()));
            }
            // `Tree::walk` below fails with the same error, and its message names the path.
            Err(_) => {}
        }
        let full = full.canonicalize().unwrap_or(full);
        let config = configured(&full, options)?;
        let exclude = config.exclude.iter().map(|one| one.get_ref().clone());
        let walk = WalkOptions {
            // In a tree of somebody else the ignored files are checked too.
            ignored_too: options.cli.no_ignore || config.profile == Profile::Portable,
            exclude: exclude.collect(),
        };
        let tree = Tree::walk(&full, &walk)?;
        if !options.cli.allow_empty && !has_something(&tree) {
            return Err(Error::Empty(path.to_path_buf()));
        }
        Ok(Self {
            selection: Selection::of(&config),
            tree,
            config,
            walk,
        })
    }

    /// The findings. With `--fix` those that remain after the repairs.
    fn run(&mut self, options: &Options, fixed: &mut Fixed) -> Result<Found, Error> {
        let mut found = self.look(options)?;
        let Some(fix) = options.cli.fix else {
            return Ok(found);
        };
        // One pass only, so that `--fix` writes exactly what `--fix=dry-run` shows. Repairs that become possible by this pass
        // wait for the next run.
        let plan = self.plan(&found);
        if fix == FixMode::DryRun {
            fixed.diff.push_str(&plan.diff());
            return Ok(found);
        }
        let changed = plan.apply()?;
        if !changed.is_empty() {
            fixed.files.extend(changed);
            self.tree = Tree::walk(&self.tree.root, &self.walk)?;
            found = self.look(options)?;
            fixed.more |= !self.plan(&found).is_empty();
        }
        Ok(found)
    }

    /// The repairs of all findings that nothing hides.
    fn plan<'a>(&'a self, found: &'a Found) -> Plan<'a> {
        let open = found.findings.iter().filter(|one| one.suppressed.is_none());
        let fixes = open.filter_map(|finding| finding.fix.as_ref());
        Plan::of(&self.tree.root, &found.seen, fixes)
    }

    /// All findings, sorted, with their suppressions applied; includes the findings about the suppressions themselves.
    fn look(&self, options: &Options) -> Result<Found, Error> {
        let mut found = lint::tree(&self.tree, &self.config, &self.selection)?;
        let mut sink = Sink::new(&self.selection, None);
        // Suppressions in files outside skills are read only where there is a finding.
        for finding in &found.findings {
            let file = self.tree.file(&finding.path);
            if file.is_some_and(|file| file.skill.is_none())
                && !found.directives.contains_key(&finding.path)
                && let Ok(text) = self.tree.text(&finding.path)
            {
                let here = suppress::directives(&finding.path, &text, None);
                found.directives.insert(finding.path.clone(), here);
            }
        }
        suppress::apply(
            &mut found.findings,
            &found.directives,
            &self.config,
            &self.tree.root,
            options.today,
            &mut sink,
            &self.selection,
        );
        if options.cli.no_suppress {
            for finding in &mut found.findings {
                finding.suppressed = None;
            }
        }
        found.findings.extend(sink.into_parts().0);
        found.findings.sort_by(|a, b| {
            (&a.path, a.line, a.rule, a.col, &a.message)
                .cmp(&(&b.path, b.line, b.rule, b.col, &b.message))
        });
        Ok(found)
    }

    /// Adds what a rule does not know about its own finding: fingerprint and skill.
    fn complete(&self, findings: &mut [Finding]) {
        let mut prints = Fingerprints::default();
        let mut current: (String, Option<Text>) = Default::default();
        for finding in findings {
            if finding.fingerprint.is_empty() {
                if current.0 != finding.path {
                    let text = self.tree.text(&finding.path).ok();
                    current = (finding.path.clone(), text);
                }
                finding.fingerprint = prints.of(finding, current.1.as_ref());
            }
            let by_file = || {
                let file = self.tree.file(&finding.path)?;
                Some(self.tree.skills.get(file.skill?)?.name.clone())
            };
            finding.skill = finding.skill.take().or_else(by_file);
        }
    }
}

/// The configuration of a root, overridden by the command line.
fn configured(root: &Path, options: &Options) -> Result<Config, Error> {
    let cli = &options.cli;
    // With this profile the tree belongs to somebody else: its own configuration must not decide what is reported.
    let searches = !cli.no_config && cli.profile != Some(Profile::Portable);
    let source = match &cli.config {
        Some(path) => Some(options.cwd.join(path)),
        None if searches => file::search(root, WorkTree::top_around(root).as_deref()),
        None => None,
    };
    let mut config = match source {
        Some(path) => file::read(&path)?,
        None => Config::default(),
    };
    config.profile = cli.profile.unwrap_or(config.profile);
    config.fail_on = cli.fail_on.unwrap_or(config.fail_on);
    config.cli.clone_from(cli);
    config.search_path.clone_from(&options.search_path);
    Ok(config)
}

/// Whether a tree has a skill, a misspelt `SKILL.md` or a plugin manifest. A check that looked at nothing must not pass.
fn has_something(tree: &Tree) -> bool {
    const MANIFESTS: &str = ".claude-plugin/plugin.json .claude-plugin/marketplace.json \
                             .codex-plugin/plugin.json .agents/plugins/marketplace.json";
    let is_something = |path: &str| {
        let mut manifests = MANIFESTS.split(' ');
        names::file_name(path).eq_ignore_ascii_case(SKILL_FILE)
            || manifests.any(|name| names::has_end(path, name))
    };
    !tree.skills.is_empty() || tree.files.iter().any(|file| is_something(&file.path))
}
