//! What predicates ask about, answered from the disk, the environment and git. Part of the edge.

use std::io;
use std::time::Duration;

use aris_cli::Context;

use crate::files;
use crate::predicate::{Evidence, Truth};
use crate::project::Project;

/// How long git may take: it looks at one project, and a person waits for the answer.
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

impl Real<'_> {
    /// What git prints, when it leaves with 0.
    fn git(&self, args: &[&str]) -> Result<Option<String>, String> {
        let command = aris_proc::command("git", &self.project.root).args(args);
        let done = command.run(DEADLINE).map_err(|error| error.to_string())?;
        Ok(done
            .success()
            .then(|| done.stdout.text().trim_end().to_owned()))
    }

    /// Paths that the branch changes since it left the remote's main branch; none where no remote has the branch.
    fn changed_on_branch(&self) -> Result<Vec<String>, String> {
        // Also in a folder of a repository; without one there is no branch.
        let Some(branch) = self.git(&["symbolic-ref", "--quiet", "--short", "HEAD"])? else {
            return Ok(Vec::new());
        };
        let pushed = format!("refs/remotes/origin/{branch}");
        if self
            .git(&["rev-parse", "--verify", "--quiet", &pushed])?
            .is_none()
        {
            return Ok(Vec::new());
        }
        let head = self.git(&["symbolic-ref", "--quiet", "refs/remotes/origin/HEAD"])?;
        let known = head
            .into_iter()
            .chain(["main", "master"].map(|name| format!("refs/remotes/origin/{name}")));
        for base in known {
            if base == pushed {
                return Ok(Vec::new());
            }
            let range = format!("{base}...HEAD");
            if let Some(names) = self.git(&["diff", "--name-only", "-z", "--relative", &range])? {
                return Ok(names.split('\0').map(str::to_owned).collect());
            }
        }
        Err(String::from(
            "which branch a pull request would go to is not known; git remote set-head origin --auto says it",
        ))
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

    fn files(&self, patterns: &[String]) -> Truth {
        match files::matching(&self.project.root, patterns) {
            Ok(found) if found.is_empty() => Truth::No,
            Ok(_) => Truth::Yes,
            Err(error) => Truth::Unknown(error.to_string()),
        }
    }

    fn says(&self, patterns: &[String], any: &[String]) -> Truth {
        let found = files::texts(&self.project.root, patterns);
        match found.map(|texts| {
            texts
                .iter()
                .any(|(_, text)| any.iter().any(|word| text.contains(word)))
        }) {
            Ok(true) => Truth::Yes,
            Ok(false) => Truth::No,
            Err(error) => Truth::Unknown(error.to_string()),
        }
    }

    fn branch_changes(&self, patterns: &[String]) -> Truth {
        match self.changed_on_branch() {
            Ok(paths) if paths.iter().any(|path| files::is_named(patterns, path)) => Truth::Yes,
            Ok(_) => Truth::No,
            Err(why) => Truth::Unknown(why),
        }
    }
}
