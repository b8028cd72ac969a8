//! The whole of a run: configuration, walk, rules, repairs, suppressions, baseline, report.

use std::path::Path;

use aris_skills::git::WorkTree;
use aris_skills::{Text, Tree, WalkOptions};

use crate::Error;
use crate::baseline;
use crate::catalogue;
use crate::cli::{FixMode, Options};
use crate::config::{Config, FailOn, file};
use crate::finding::{Finding, Sink, Skipped};
use crate::fingerprint::Fingerprints;
use crate::fix::{Fixed, Plan};
use crate::lint::{self, Found};
use crate::profile::Profile;
use crate::report::{Item, Report};
use crate::selection::Selection;
use crate::suppress;

/// Lints all paths.
///
/// **Errors**: nothing to confine what `--run` starts, a path that does not exist, a configuration or baseline that is wrong, a tree without anything to look at.
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
    let mut report = Report {
        items: Vec::new(),
        roots: options
            .cli
            .paths
            .iter()
            .map(|path| path.display().to_string())
            .collect(),
        failed: false,
        skills: 0,
        files: 0,
        rules_run: Vec::new(),
        skipped: Vec::new(),
        profile: options.cli.profile.unwrap_or_default(),
        sandbox: None,
        fixed: Fixed::default(),
        format: options.cli.format.unwrap_or_default(),
    };
    let several = options.cli.paths.len() > 1;
    let mut fail_on = Vec::new();
    for (at, path) in options.cli.paths.iter().enumerate() {
        let mut root = Root::of(path, options)?;
        if at == 0 {
            report.profile = root.config.profile;
        }
        let found = root.run(options, &mut report.fixed)?;
        let ids = root.selection.ids();
        report.rules_run.extend(ids);
        report.skills += root.tree.skills.len();
        report.files += root.tree.files.len();
        let (items, skipped) = root.items(found, options, &mut report);
        report.skipped.extend(skipped);
        for mut item in items {
            item.root = several.then(|| path.display().to_string());
            fail_on.push(root.config.fail_on);
            report.items.push(item);
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
            Ok(_) => {
                return Err(Error::NotAFolder {
                    path: path.to_path_buf(),
                });
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Err(Error::Absent {
                    path: path.to_path_buf(),
                });
            }
            // What the listing says is as good, and names its path.
            Err(_) => {}
        }
        let full = full.canonicalize().unwrap_or(full);
        let config = configured(&full, options)?;
        let walk = WalkOptions {
            // What somebody else's tree ignores is looked at.
            ignored_too: options.cli.no_ignore || config.profile == Profile::Portable,
            exclude: config.exclude.clone(),
        };
        let tree = Tree::walk(&full, &walk)?;
        if !options.cli.allow_empty && !has_something(&tree) {
            return Err(Error::Empty {
                path: path.to_path_buf(),
            });
        }
        Ok(Self {
            selection: Selection::of(&config),
            tree,
            config,
            walk,
        })
    }

    /// The findings; with `--fix` those that remain.
    fn run(&mut self, options: &Options, fixed: &mut Fixed) -> Result<Found, Error> {
        let mut found = lint::tree(&self.tree, &self.config, &self.selection)?;
        let Some(fix) = options.cli.fix else {
            return Ok(found);
        };
        // One pass: what is written is what the dry run shows. What it makes room for is shown, and made, the next time.
        let plan = self.plan(&found, options);
        if fix == FixMode::DryRun {
            fixed.diff.push_str(&plan.diff());
            return Ok(found);
        }
        let changed = plan.apply()?;
        if !changed.is_empty() {
            fixed.files.extend(changed);
            self.tree = Tree::walk(&self.tree.root, &self.walk)?;
            found = lint::tree(&self.tree, &self.config, &self.selection)?;
            fixed.more |= !self.plan(&found, options).is_empty();
        }
        Ok(found)
    }

    /// The repairs of what nothing hides.
    fn plan<'a>(&'a self, found: &'a Found, options: &Options) -> Plan<'a> {
        let hidden = self.suppressed(&found.findings, found, options).0;
        let open = found.findings.iter().zip(&hidden);
        let fixes = open
            .filter(|(_, hidden)| hidden.is_none() || options.cli.no_suppress)
            .filter_map(|(finding, _)| finding.fix.as_ref());
        Plan::of(&self.tree.root, &found.seen, fixes)
    }

    /// What hides each finding, and what is wrong with the suppressions.
    fn suppressed(
        &self,
        findings: &[Finding],
        found: &Found,
        options: &Options,
    ) -> (Vec<Option<suppress::Suppressed>>, Vec<Finding>) {
        let mut sink = Sink::new(&self.selection, None);
        let mut directives = found.directives.clone();
        // Files outside skills are read only when something was found in them.
        for finding in findings {
            let outside = self
                .tree
                .file(&finding.path)
                .is_some_and(|file| file.skill.is_none());
            if outside
                && !directives.contains_key(&finding.path)
                && let Ok(text) = self.tree.text(&finding.path)
            {
                let here = suppress::directives(&finding.path, &text, None);
                directives.insert(finding.path.clone(), here);
            }
        }
        let hidden = suppress::apply(
            findings,
            &directives,
            &self.config,
            &self.tree.root,
            options.today,
            &mut sink,
            &self.selection,
        );
        (hidden, sink.into_parts().0)
    }

    /// The findings as the report shows them, sorted.
    fn items(
        &self,
        mut found: Found,
        options: &Options,
        report: &mut Report,
    ) -> (Vec<Item>, Vec<Skipped>) {
        if let Some(isolation) = &found.sandbox {
            report.sandbox = serde_json::to_value(isolation).ok();
        }
        let mut findings = std::mem::take(&mut found.findings);
        findings.sort_by(|a, b| {
            (&a.path, a.line, a.rule.id, a.col, &a.message)
                .cmp(&(&b.path, b.line, b.rule.id, b.col, &b.message))
        });
        let (mut hidden, mut own) = self.suppressed(&findings, &found, options);
        if options.cli.no_suppress {
            hidden.fill(None);
        }
        hidden.resize(hidden.len() + own.len(), None);
        findings.append(&mut own);
        let mut items = Vec::with_capacity(findings.len());
        let mut prints = Fingerprints::default();
        let mut current: (String, Option<Text>) = Default::default();
        for (finding, hidden) in findings.into_iter().zip(hidden) {
            let print = finding.fingerprint.clone().unwrap_or_else(|| {
                if current.0 != finding.path {
                    let text = self.tree.text(&finding.path).ok();
                    current = (finding.path.clone(), text);
                }
                prints.of(&finding, current.1.as_ref())
            });
            let skill = self.skill_of(&finding);
            let mut item = Item::of(finding, print, skill);
            item.suppressed = hidden;
            items.push(item);
        }
        items.sort_by(|a, b| {
            (&a.path, a.line, a.rule, a.col).cmp(&(&b.path, b.line, b.rule, b.col))
        });
        (items, found.skipped)
    }

    /// Name of the skill that a finding belongs to.
    fn skill_of(&self, finding: &Finding) -> Option<String> {
        let by_file = || {
            let file = self.tree.file(&finding.path)?;
            Some(self.tree.skills.get(file.skill?)?.dir.clone())
        };
        let dir = finding.skill.clone().or_else(by_file)?;
        let skills = &self.tree.skills;
        let at = skills.binary_search_by(|skill| skill.dir.cmp(&dir)).ok()?;
        Some(skills.get(at)?.name.clone())
    }
}

/// The configuration of a root, with the command line over it.
fn configured(root: &Path, options: &Options) -> Result<Config, Error> {
    let cli = &options.cli;
    let mut config = Config::default();
    // With this profile the tree is somebody else's, and its own word does not decide what is found in it.
    let searches = !cli.no_config && cli.profile != Some(Profile::Portable);
    let source = match &cli.config {
        Some(path) => Some(options.cwd.join(path)),
        None if searches => file::search(root, WorkTree::top_around(root).as_deref()),
        None => None,
    };
    if let Some(path) = source {
        file::read(&path, &mut config)?;
    }
    config.profile = cli.profile.unwrap_or(config.profile);
    config.fail_on = cli.fail_on.unwrap_or(config.fail_on);
    config.only.clone_from(&cli.rule);
    config.skip.clone_from(&cli.skip);
    config.run = cli.run;
    config.unsandboxed = cli.unsandboxed;
    config.syntax = cli.syntax;
    config.search_path.clone_from(&options.search_path);
    let threads = cli.threads.map_or_else(aris_fs::processors, usize::from);
    config.threads = threads.max(1);
    Ok(config)
}

/// Whether a tree has a skill, a file that is nearly one, or a plugin manifest: a gate that looked at nothing must not be green.
fn has_something(tree: &Tree) -> bool {
    const MANIFESTS: [&str; 4] = [
        ".claude-plugin/plugin.json",
        ".claude-plugin/marketplace.json",
        ".codex-plugin/plugin.json",
        ".agents/plugins/marketplace.json",
    ];
    !tree.skills.is_empty()
        || tree.files.iter().any(|file| {
            aris_skills::names::file_name(&file.path).eq_ignore_ascii_case("SKILL.md")
                || MANIFESTS.iter().any(|name| {
                    let above = file.path.strip_suffix(name);
                    above.is_some_and(|above| above.is_empty() || above.ends_with('/'))
                })
        })
}
