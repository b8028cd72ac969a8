//! Decides whether an integration applies. There are three answers, because a file that cannot be read means neither yes nor
//! no. Uses the disk, the environment and git; part of the edge.

use std::io;
use std::time::Duration;

use aris_contract::integrations::Predicate;

use crate::files;
use crate::project::Project;

/// Deadline for git. It reads a single project, and a person waits for the answer.
const DEADLINE: Duration = Duration::from_secs(10);

/// Largest file whose text is compared with a word, in bytes.
const TEXT_LIMIT: u64 = 1 << 20;

/// The result of a predicate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Truth {
    Yes,
    No,
    /// Cannot be decided, and why.
    Unknown(String),
}

impl<E: ToString> From<Result<bool, E>> for Truth {
    fn from(holds: Result<bool, E>) -> Self {
        match holds {
            Ok(true) => Self::Yes,
            Ok(false) => Self::No,
            Err(why) => Self::Unknown(why.to_string()),
        }
    }
}

/// The data that predicates look at.
pub(crate) struct Evidence<'a> {
    pub(crate) project: &'a Project,
    /// Looks up an environment variable that is set and not empty.
    pub(crate) env: &'a dyn Fn(&str) -> Option<&'a str>,
    /// The skill's arguments, when given.
    pub(crate) arguments: Option<&'a str>,
}

/// Evaluates a predicate. Parts of `all` and `any` are evaluated in order until one decides.
pub(crate) fn holds(predicate: &Predicate, evidence: &Evidence<'_>) -> Truth {
    let root = &evidence.project.root;
    match predicate {
        Predicate::DirExists(path) => evidence.kind(path, std::fs::Metadata::is_dir),
        Predicate::FileExists(path) => evidence.kind(path, std::fs::Metadata::is_file),
        Predicate::FileEquals { path, text } => match evidence.text(path) {
            Ok(found) => match found.as_deref().map(str::trim) {
                Some(found) if found == text => Truth::Yes,
                // The writer meant this word, but readers of the file may refuse the spelling.
                Some(found)
                    if found
                        .trim_start_matches('\u{feff}')
                        .eq_ignore_ascii_case(text) =>
                {
                    Truth::Unknown(format!("{path} says {found:?}; write {text}"))
                }
                _ => Truth::No,
            },
            Err(why) => Truth::Unknown(why),
        },
        Predicate::EnvSet(name) => truth((evidence.env)(name).is_some()),
        Predicate::EnvEquals { name, value } => truth((evidence.env)(name) == Some(value.as_str())),
        Predicate::ArgMatches(flag) => match evidence.arguments {
            Some(arguments) => truth(has_flag(arguments, flag)),
            None => Truth::Unknown(format!(
                "the skill's arguments are not known; give --arguments to ask for {flag}"
            )),
        },
        Predicate::Files(patterns) => {
            let found = files::matching(root, patterns);
            found.map(|found| !found.is_empty()).into()
        }
        Predicate::Says { files, any } => {
            let says = |text: &str| any.iter().any(|word| text.contains(word));
            let texts = files::texts(root, files);
            let found = texts.map(|texts| texts.iter().any(|(_, text)| says(text)));
            found.into()
        }
        Predicate::BranchChanges(patterns) => {
            let named = |path: &String| files::is_named(patterns, path);
            let changed = evidence.changed_on_branch();
            changed.map(|paths| paths.iter().any(named)).into()
        }
        Predicate::All(parts) => first(parts, evidence, Truth::No, Truth::Yes),
        Predicate::Any(parts) => first(parts, evidence, Truth::Yes, Truth::No),
        Predicate::Not(part) => match holds(part, evidence) {
            Truth::Yes => Truth::No,
            Truth::No => Truth::Yes,
            unknown @ Truth::Unknown(_) => unknown,
        },
    }
}

impl Evidence<'_> {
    fn kind(&self, path: &str, wanted: fn(&std::fs::Metadata) -> bool) -> Truth {
        let path = self.project.root.join(path);
        match path.metadata() {
            Ok(metadata) if wanted(&metadata) => Truth::Yes,
            Ok(_) => Truth::No,
            Err(error) => match error.kind() {
                // A file in the place of a folder means that the path does not exist.
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Truth::No,
                _ => Truth::Unknown(format!("cannot look at {}: {error}", path.display())),
            },
        }
    }

    /// A file's text; `None` when there is no file, the reason when it cannot be read.
    fn text(&self, path: &str) -> Result<Option<String>, String> {
        let found = aris_fs::read_optional(&self.project.root.join(path), TEXT_LIMIT)
            .map_err(|error| error.to_string())?;
        found
            .map(|bytes| String::from_utf8(bytes).map_err(|error| format!("{path}: {error}")))
            .transpose()
    }

    /// What git prints, without trailing white space; `None` when it fails.
    fn git(&self, args: &[&str]) -> Result<Option<String>, String> {
        let command = aris_proc::command("git", &self.project.root).args(args);
        let done = command.run(DEADLINE).map_err(|error| error.to_string())?;
        Ok(done
            .success()
            .then(|| done.stdout.text().trim_end().to_owned()))
    }

    /// Paths that the branch has changed since it left the main branch of `origin`; none when `origin` does not have the
    /// branch.
    fn changed_on_branch(&self) -> Result<Vec<String>, String> {
        // Works in a subfolder of a repository too. Outside a repository there is no branch.
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

fn truth(holds: bool) -> Truth {
    if holds { Truth::Yes } else { Truth::No }
}

/// `decides` as soon as a part gives it; else the first unknown; else `otherwise`.
fn first(parts: &[Predicate], evidence: &Evidence<'_>, decides: Truth, otherwise: Truth) -> Truth {
    let mut result = otherwise;
    for part in parts {
        let answer = holds(part, evidence);
        if answer == decides {
            return decides;
        }
        if matches!(answer, Truth::Unknown(_)) && !matches!(result, Truth::Unknown(_)) {
            result = answer;
        }
    }
    result
}

/// Whether `arguments` contain `flag` after dashes, in any common spelling: `--flag`, `— flag: x`, `--- flag=x`.
fn has_flag(arguments: &str, flag: &str) -> bool {
    let dash = |c: char| matches!(c, '-' | '\u{2013}' | '\u{2014}');
    arguments.match_indices(flag).any(|(at, _)| {
        let before = arguments.get(..at).unwrap_or_default();
        let after = arguments.get(at + flag.len()..).unwrap_or_default();
        let dashed = before.trim_end();
        let outside = dashed.trim_end_matches(dash);
        dashed.len() > outside.len()
            && (outside.is_empty() || outside.ends_with(char::is_whitespace))
            && (after.is_empty()
                || after.starts_with([':', '='])
                || after.starts_with(char::is_whitespace))
    })
}

#[cfg(test)]
mod tests {
    use aris_contract::resolve::ResolveEnv;
    use proptest::prelude::*;

    use super::*;

    fn check_with(arguments: Option<&str>, predicate: Predicate, expected: &Truth) {
        let files = aris_testkit::Project::bare();
        files.write("folder/file", b" x\n");
        files.write("bytes", b"\xff");
        let project = Project {
            root: files.path().to_path_buf(),
            env: ResolveEnv::default(),
            search_path: String::new(),
        };
        let evidence = Evidence {
            project: &project,
            env: &|name| (name == "SET").then_some("x"),
            arguments,
        };
        let found = holds(&predicate, &evidence);
        let alike = matches!((&found, expected), (Truth::Unknown(_), Truth::Unknown(_)));
        assert!(alike || found == *expected, "{predicate:?}: {found:?}");
    }

    fn check(predicate: Predicate, expected: &Truth) {
        check_with(Some("topic — style-ref: x"), predicate, expected);
    }

    fn equals(path: &str, text: &str) -> Predicate {
        Predicate::FileEquals {
            path: path.to_owned(),
            text: text.to_owned(),
        }
    }

    fn variable(name: &str, value: &str) -> Predicate {
        Predicate::EnvEquals {
            name: name.to_owned(),
            value: value.to_owned(),
        }
    }

    #[test]
    fn every_kind_answers_yes_no_and_not_known() {
        use Predicate as P;
        let unknown = Truth::Unknown(String::new());
        for (predicate, expected) in [
            (P::DirExists("folder".into()), &Truth::Yes),
            (P::DirExists("folder/file".into()), &Truth::No),
            (P::DirExists("none".into()), &Truth::No),
            (P::DirExists("\0".into()), &unknown),
            (P::FileExists("folder/file".into()), &Truth::Yes),
            (P::FileExists("folder".into()), &Truth::No),
            (P::FileExists("\0".into()), &unknown),
            (equals("folder/file", "x"), &Truth::Yes),
            (equals("folder/file", "z"), &Truth::No),
            (equals("folder/file", "X"), &unknown),
            (equals("none", "x"), &Truth::No),
            (equals("bytes", "x"), &unknown),
            (P::EnvSet("SET".into()), &Truth::Yes),
            (P::EnvSet("UNSET".into()), &Truth::No),
            (variable("SET", "x"), &Truth::Yes),
            (variable("SET", "z"), &Truth::No),
            (variable("UNSET", "x"), &Truth::No),
            (P::Files(vec!["*/file".into()]), &Truth::Yes),
            (P::Files(vec!["*/none".into()]), &Truth::No),
            (P::BranchChanges(vec!["**".into()]), &Truth::No),
            (P::ArgMatches("style-ref".into()), &Truth::Yes),
            (P::ArgMatches("effort".into()), &Truth::No),
        ] {
            check(predicate, expected);
        }
        for (word, expected) in [("x", &Truth::Yes), ("z", &Truth::No)] {
            let predicate = P::Says {
                files: vec![String::from("**")],
                any: vec![word.to_owned()],
            };
            check(predicate, expected);
        }
        check_with(None, P::ArgMatches("effort".into()), &unknown);
    }

    #[test]
    fn what_is_not_known_decides_only_when_nothing_else_does() {
        use Predicate::{All, Any, DirExists, Not};
        let [y, n, u] = ["folder", "none", "\0"].map(|name| DirExists(name.to_owned()));
        let unknown = Truth::Unknown(String::new());
        check(All(vec![]), &Truth::Yes);
        check(Any(vec![]), &Truth::No);
        check(All(vec![y.clone(), y.clone()]), &Truth::Yes);
        check(All(vec![y.clone(), u.clone(), n.clone()]), &Truth::No);
        check(All(vec![y.clone(), u.clone()]), &unknown);
        check(Any(vec![n.clone(), u.clone(), y.clone()]), &Truth::Yes);
        check(Any(vec![n.clone(), u.clone()]), &unknown);
        check(Any(vec![n.clone(), n.clone()]), &Truth::No);
        check(Not(Box::new(y)), &Truth::No);
        check(Not(Box::new(n)), &Truth::Yes);
        check(Not(Box::new(u)), &unknown);
    }

    #[test]
    fn flags_are_seen_behind_any_dashes_and_nothing_else_is() {
        for (arguments, expected) in [
            ("— style-ref: a.tex", true),
            ("--- style-ref: a", true),
            ("topic --style-ref=x", true),
            ("\u{2013} style-ref", true),
            ("style-ref: x", false),
            ("multi-style-ref x", false),
            ("--style-reference x", false),
            ("about style-ref", false),
            ("", false),
        ] {
            assert_eq!(has_flag(arguments, "style-ref"), expected, "{arguments}");
        }
    }

    proptest! {
        #[test]
        fn no_arguments_make_it_panic(text in ".{0,200}") {
            has_flag(&text, "a");
        }
    }
}
