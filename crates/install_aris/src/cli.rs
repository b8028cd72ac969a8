//! Flags. Names are those of the reference's installer where it has them.

use std::path::PathBuf;

use aris_contract::artifact::install::{Host, InstallMode};

/// Arguments of `install_aris`.
#[derive(Debug, Default, clap::Args)]
pub struct Cli {
    /// Project folder [default: the working directory]
    pub project: Option<PathBuf>,
    /// The same as an option, as the other helpers have it
    #[arg(long = "project", value_name = "DIR", conflicts_with = "project")]
    pub project_option: Option<PathBuf>,
    /// Update an existing install to its source; refuse when there is none
    #[arg(long, group = "action")]
    pub reconcile: bool,
    /// Remove what was installed and nothing else
    #[arg(long, group = "action")]
    pub uninstall: bool,
    /// Like --reconcile, and replace edited copies too; the edited ones are kept in .aris/kept
    #[arg(long, group = "action")]
    pub update: bool,
    /// Print what --update would change, and the versions; write nothing
    #[arg(long, group = "action")]
    pub check: bool,
    /// Print the plan and write nothing; exit 10 when something would change
    #[arg(long)]
    pub dry_run: bool,
    /// Host to install for [default: those of the last install, else claude]
    #[arg(
        long,
        value_name = "HOST",
        value_delimiter = ',',
        value_parser = |text: &str| text.parse::<Host>(),
        help = "Host to install for: claude, codex, cursor, gemini; comma-separated [default: as before, else claude]"
    )]
    pub host: Vec<Host>,
    /// Skills to install, comma-separated, or `all`; skills whose helpers they call are added; later calls keep the choice [default: as before, else all]
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub skills: Vec<String>,
    /// Links or copies
    #[arg(
        long,
        value_parser = |text: &str| text.parse::<InstallMode>(),
        help = "symlink or copy [default: that of the last install; else symlink where the source is a git clone or was unpacked by aris install, else copy]"
    )]
    pub mode: Option<InstallMode>,
    /// Source: the folder that holds skills/
    #[arg(long, value_name = "PATH")]
    pub aris_repo: Option<PathBuf>,
    /// Do not touch CLAUDE.md, AGENTS.md and GEMINI.md
    #[arg(long)]
    pub no_doc: bool,
    /// Treat a correct link or copy that is there already as installed, or `all` of them; may be repeated
    #[arg(long, value_name = "NAME")]
    pub adopt_existing: Vec<String>,
    /// Replace a link of this name that leads elsewhere by one into the source; may be repeated
    #[arg(long, value_name = "NAME")]
    pub replace_link: Vec<String>,
    /// Take over an older install: one of another source, or the nested .claude/skills/aris
    #[arg(long)]
    pub from_old: bool,
    /// What to do with a nested copy in .claude/skills/aris: keep-user or prefer-upstream
    #[arg(long, value_name = "CHOICE", hide_possible_values = true)]
    pub migrate_copy: Option<MigrateCopy>,
    /// Remove the lock of another installer that has ended
    #[arg(long)]
    pub clear_stale_lock: bool,
    /// With --uninstall: also remove cached copies of the helpers' binaries
    #[arg(long, requires = "uninstall")]
    pub purge: bool,
    /// Install for the user instead of a project: in the home folder, without instruction files
    #[arg(long, conflicts_with_all = ["project", "project_option"])]
    pub user: bool,
    /// Install although helpers have no binary for this machine
    #[arg(long)]
    pub allow_missing_binaries: bool,
}

/// What becomes of a nested copy that an old installer made in `.claude/skills/aris`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum MigrateCopy {
    /// It stays where it is.
    KeepUser,
    /// It is moved to `.aris/` after the new skills are in place.
    PreferUpstream,
}
