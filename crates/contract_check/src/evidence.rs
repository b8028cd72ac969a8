//! What predicates ask about, answered from the disk, the environment and helpers. Part of the edge.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use aris_cli::Context;
use aris_contract::helpers;
use aris_proc::End;

use crate::predicate::{Evidence, Truth};
use crate::project::Project;

/// How long a predicate's helper may take: it looks at one project, and a person waits for the answer.
const DEADLINE: Duration = Duration::from_secs(10);

/// Bytes of a file whose text is compared with a word.
const TEXT_LIMIT: u64 = 1 << 20;

/// The evidence of one project.
pub(crate) struct Real<'a> {
    pub(crate) project: &'a Project,
    pub(crate) context: &'a Context,
    pub(crate) arguments: Option<&'a str>,
}

impl Real<'_> {
    fn kind(&self, path: &str, wanted: fn(&std::fs::Metadata) -> bool) -> Truth {
        let path = self.project.root.join(path);
        match path.metadata() {
            Ok(metadata) if wanted(&metadata) => Truth::Yes,
            Ok(_) => Truth::No,
            Err(error) => match error.kind() {
                // A file where a folder would be is an answer too.
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Truth::No,
                _ => Truth::Unknown(format!("cannot look at {}: {error}", path.display())),
            },
        }
    }
}

impl Evidence for Real<'_> {
    fn folder(&self, path: &str) -> Truth {
        self.kind(path, std::fs::Metadata::is_dir)
    }

    fn file(&self, path: &str) -> Truth {
        self.kind(path, std::fs::Metadata::is_file)
    }

    fn text(&self, path: &str) -> Result<Option<String>, String> {
        let found = aris_fs::read_optional(&self.project.root.join(path), TEXT_LIMIT)
            .map_err(|error| error.to_string())?;
        found
            .map(|bytes| String::from_utf8(bytes).map_err(|error| format!("{path}: {error}")))
            .transpose()
    }

    fn env(&self, name: &str) -> Option<&str> {
        self.context.env(name)
    }

    fn arguments(&self) -> Option<&str> {
        self.arguments
    }

    fn command(&self, helper: &str, args: &[&str]) -> Truth {
        let call = || -> Result<End, String> {
            let row = helpers::find(helper).ok_or("is not in the helper table")?;
            let argv = self.project.argv(row)?;
            let (program, first) = argv.split_first().ok_or("has no program")?;
            let root = self.project.argument();
            let args = args
                .iter()
                .map(|arg| PathBuf::from(arg.replace("{project}", &root)));
            let command = aris_proc::command(program, &self.project.root)
                .args(first)
                .args(args);
            let done = command.run(DEADLINE).map_err(|error| error.to_string())?;
            Ok(done.end)
        };
        let unknown = |why: String| Truth::Unknown(format!("{helper}: {why}"));
        match call() {
            Ok(End::Exited(0)) => Truth::Yes,
            // 2 to 9 are errors of the call, 126 and above those of a shell: neither is an answer.
            Ok(End::Exited(1 | 10..=125)) => Truth::No,
            Ok(End::Exited(code)) => {
                unknown(format!("left with exit code {code}, which is no answer"))
            }
            Ok(End::Signalled(signal)) => unknown(format!("was ended by signal {signal}")),
            Ok(End::TimedOut) => unknown(format!("gave no answer in {} s", DEADLINE.as_secs())),
            Err(why) => unknown(why),
        }
    }
}
