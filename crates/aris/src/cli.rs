//! The commands of `aris` itself.

use std::ffi::{OsStr, OsString};

use aris_cli::{Context, Outcome};
use clap::{Args, Command, Subcommand};
use clap_complete::Shell;

use crate::SPEC;
use crate::entry::Entry;
use crate::error::Error;
use crate::page::{Kind, Page};
use crate::{demo, lookup, store};

#[derive(Debug, Args)]
pub(crate) struct Cli {
    #[command(subcommand)]
    command: Option<Own>,
}

#[derive(Debug, Subcommand)]
enum Own {
    /// List the helpers by what they are for, or show all that one can do
    Help {
        /// Name of a helper, current or legacy, or of a command of aris
        helper: Option<OsString>,
    },
    /// Print completions for aris, or for one helper called by its name
    Completions {
        /// The shell that is to complete
        #[arg(value_enum)]
        shell: Shell,
        /// Name of a helper, current or legacy
        helper: Option<OsString>,
    },
    /// Print the manual page of aris, or of one helper
    Man {
        /// Name of a helper, current or legacy, or of a command of aris
        helper: Option<OsString>,
    },
    /// Install the skills that this program carries into a project
    #[command(disable_help_flag = true)]
    Install {
        /// The project, and flags of the installer; --help lists them
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        args: Vec<OsString>,
    },
    /// Unpack the skills that this program carries, and print their folder
    Source,
    /// Run the gate on an example paper with planted faults, in a temporary project, then on the repaired paper
    Demo,
}

/// Whether `word` is one of `aris`'s own commands.
pub(crate) fn is_command(word: &OsStr) -> bool {
    Own::has_subcommand(&word.to_string_lossy())
}

/// The text that `cli` asks for.
pub(crate) fn run(cli: Cli, context: &Context) -> Result<Outcome<Page>, Error> {
    let page = match cli.command.unwrap_or(Own::Help { helper: None }) {
        Own::Help { helper: None } => Page::front_door(),
        Own::Help { helper: Some(name) } => {
            // The same help as with `--help`.
            let (command, mut words) = parser(Some(&name))?;
            words.push("--help".into());
            let shown = command.try_get_matches_from(words);
            let text = shown.err().map(|help| help.to_string()).unwrap_or_default();
            Page::generated(Kind::HelperHelp, text.as_bytes())
        }
        Own::Completions { shell, helper } => {
            let mut text = Vec::new();
            let (mut command, mut words) = parser(helper.as_deref())?;
            clap_complete::generate(shell, &mut command, words.swap_remove(0), &mut text);
            Page::generated(Kind::Completions, &text)
        }
        Own::Man { helper } => {
            let mut text = Vec::new();
            let (command, words) = parser(helper.as_deref())?;
            let below = words.get(1).and_then(|word| command.find_subcommand(word));
            let command = below.cloned().unwrap_or(command);
            clap_mangen::Man::new(command).render(&mut text)?;
            Page::generated(Kind::Man, &text)
        }
        // `dispatch` turns `install` into `install_aris`; only a failure before that gets here.
        Own::Source | Own::Install { .. } => {
            let folder = store::place(context)?;
            Page::generated(Kind::Source, format!("{}\n", folder.display()).as_bytes())
        }
        Own::Demo => Page::generated(Kind::Demo, demo::run(context)?.as_bytes()),
    };
    Ok(Outcome::done(page))
}

/// The parser that knows `name`, and the words that call it: a helper's, or that of `aris` for one of its own commands. Without a name,
/// that of `aris` with all helpers as subcommands.
fn parser(name: Option<&OsStr>) -> Result<(Command, Vec<String>), Error> {
    let own = || aris_cli::parser(&SPEC, run);
    let Some(name) = name else {
        let below =
            |Entry { spec, parser, .. }: &Entry| parser().bin_name(format!("aris {}", spec.name));
        let command = own().subcommands(lookup::all().map(below));
        return Ok((command, vec![SPEC.name.into()]));
    };
    let name = match name.to_str() {
        Some("install") => OsStr::new("install_aris"),
        _ => name,
    };
    if is_command(name) {
        let words = [SPEC.name.into(), name.to_string_lossy().into_owned()];
        return Ok((own(), words.into()));
    }
    let entry = find(name)?;
    Ok(((entry.parser)(), vec![entry.spec.name.into()]))
}

fn find(name: &OsStr) -> Result<&'static Entry, Error> {
    lookup::find(name).ok_or_else(|| {
        let name = name.to_string_lossy().into_owned();
        let own = Own::augment_subcommands(Command::new(SPEC.name));
        let own = own.get_subcommands().map(|one| one.get_name().to_owned());
        Error::Unknown {
            nearest: lookup::nearest(&name, own),
            name,
        }
    })
}
