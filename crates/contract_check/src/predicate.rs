//! Whether an integration fires: three answers, because what could not be looked at is neither yes nor no.

use aris_contract::integrations::Predicate;

/// The answer of a predicate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Truth {
    Yes,
    No,
    /// Not decidable, and why.
    Unknown(String),
}

/// What predicates ask about.
pub(crate) trait Evidence {
    /// Whether there is a folder.
    fn folder(&self, path: &str) -> Truth;
    /// Whether there is a regular file.
    fn file(&self, path: &str) -> Truth;
    /// A file's text; `None` when there is no file, the reason when it cannot be read.
    fn text(&self, path: &str) -> Result<Option<String>, String>;
    /// An environment variable that is set and not empty.
    fn env(&self, name: &str) -> Option<&str>;
    /// The skill's arguments, when somebody said them.
    fn arguments(&self) -> Option<&str>;
    /// Whether there is a file that one of the patterns names.
    fn files(&self, patterns: &[String]) -> Truth;
    /// Whether such a file has one of the words.
    fn says(&self, patterns: &[String], any: &[String]) -> Truth;
    /// Whether the branch, which a remote has, changes such a file.
    fn branch_changes(&self, patterns: &[String]) -> Truth;
}

/// Evaluates a predicate. Parts of `all` and `any` are asked in order until one decides.
pub(crate) fn holds(predicate: &Predicate, evidence: &dyn Evidence) -> Truth {
    match predicate {
        Predicate::DirExists(path) => evidence.folder(path),
        Predicate::FileExists(path) => evidence.file(path),
        Predicate::FileEquals { path, text } => match evidence.text(path) {
            Ok(found) => match found.as_deref().map(str::trim) {
                Some(found) if found == text => Truth::Yes,
                // Whoever wrote that meant the word, and whoever reads the file may refuse it.
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
        Predicate::EnvSet(name) => truth(evidence.env(name).is_some()),
        Predicate::EnvEquals { name, value } => truth(evidence.env(name) == Some(value.as_str())),
        Predicate::ArgMatches(flag) => match evidence.arguments() {
            Some(arguments) => truth(has_flag(arguments, flag)),
            None => Truth::Unknown(format!(
                "the skill's arguments are not known; give --arguments to ask for {flag}"
            )),
        },
        Predicate::Files(patterns) => evidence.files(patterns),
        Predicate::Says { files, any } => evidence.says(files, any),
        Predicate::BranchChanges(patterns) => evidence.branch_changes(patterns),
        Predicate::All(parts) => first(parts, evidence, Truth::No, Truth::Yes),
        Predicate::Any(parts) => first(parts, evidence, Truth::Yes, Truth::No),
        Predicate::Not(part) => match holds(part, evidence) {
            Truth::Yes => Truth::No,
            Truth::No => Truth::Yes,
            unknown @ Truth::Unknown(_) => unknown,
        },
    }
}

fn truth(holds: bool) -> Truth {
    if holds { Truth::Yes } else { Truth::No }
}

/// `decides` as soon as one part says it; else the first part that is not known; else `otherwise`.
fn first(parts: &[Predicate], evidence: &dyn Evidence, decides: Truth, otherwise: Truth) -> Truth {
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

/// Whether `arguments` hold `flag` after dashes, in any of the ways people write one: `--flag`, `— flag: x`, `--- flag=x`.
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
    use proptest::prelude::*;

    use super::*;

    /// Paths and names that begin with `y` are there, with `n` not, all others cannot be looked at.
    struct Told {
        arguments: Option<&'static str>,
    }

    fn told(name: &str) -> Truth {
        match name.as_bytes().first() {
            Some(b'y') => Truth::Yes,
            Some(b'n') => Truth::No,
            _ => Truth::Unknown(name.to_owned()),
        }
    }

    impl Evidence for Told {
        fn folder(&self, path: &str) -> Truth {
            told(path)
        }
        fn file(&self, path: &str) -> Truth {
            told(path)
        }
        fn text(&self, path: &str) -> Result<Option<String>, String> {
            match told(path) {
                Truth::Yes => Ok(Some(String::from(" x\n"))),
                Truth::No => Ok(None),
                Truth::Unknown(why) => Err(why),
            }
        }
        fn env(&self, name: &str) -> Option<&str> {
            (told(name) == Truth::Yes).then_some("x")
        }
        fn arguments(&self) -> Option<&str> {
            self.arguments
        }
        fn files(&self, patterns: &[String]) -> Truth {
            told(&patterns[0])
        }
        fn says(&self, _: &[String], any: &[String]) -> Truth {
            told(&any[0])
        }
        fn branch_changes(&self, patterns: &[String]) -> Truth {
            told(&patterns[0])
        }
    }

    fn check(predicate: Predicate, expected: &Truth) {
        let evidence = Told {
            arguments: Some("topic — style-ref: x"),
        };
        assert_eq!(holds(&predicate, &evidence), *expected, "{predicate:?}");
    }

    #[test]
    fn every_kind_answers_yes_no_and_not_known() {
        use Predicate as P;
        let unknown = Truth::Unknown(String::from("?"));
        check(P::DirExists("y".into()), &Truth::Yes);
        check(P::DirExists("n".into()), &Truth::No);
        check(P::DirExists("?".into()), &unknown);
        check(P::FileExists("y".into()), &Truth::Yes);
        check(P::FileExists("n".into()), &Truth::No);
        check(P::FileExists("?".into()), &unknown);
        check(
            P::FileEquals {
                path: "y".into(),
                text: "x".into(),
            },
            &Truth::Yes,
        );
        check(
            P::FileEquals {
                path: "y".into(),
                text: "z".into(),
            },
            &Truth::No,
        );
        check(
            P::FileEquals {
                path: "n".into(),
                text: "x".into(),
            },
            &Truth::No,
        );
        check(
            P::FileEquals {
                path: "?".into(),
                text: "x".into(),
            },
            &unknown,
        );
        check(P::EnvSet("y".into()), &Truth::Yes);
        check(P::EnvSet("n".into()), &Truth::No);
        check(
            P::EnvEquals {
                name: "y".into(),
                value: "x".into(),
            },
            &Truth::Yes,
        );
        check(
            P::EnvEquals {
                name: "y".into(),
                value: "z".into(),
            },
            &Truth::No,
        );
        check(
            P::EnvEquals {
                name: "n".into(),
                value: "x".into(),
            },
            &Truth::No,
        );
        for (name, expected) in [("y", &Truth::Yes), ("n", &Truth::No), ("?", &unknown)] {
            let one = vec![name.to_owned()];
            check(P::Files(one.clone()), expected);
            check(P::BranchChanges(one.clone()), expected);
            check(
                P::Says {
                    files: vec![String::from("x")],
                    any: one,
                },
                expected,
            );
        }
        check(P::ArgMatches("style-ref".into()), &Truth::Yes);
        check(P::ArgMatches("effort".into()), &Truth::No);
        assert!(matches!(
            holds(&P::ArgMatches("effort".into()), &Told { arguments: None }),
            Truth::Unknown(why) if why.contains("--arguments")
        ));
    }

    #[test]
    fn what_is_not_known_decides_only_when_nothing_else_does() {
        use Predicate::{All, Any, DirExists, Not};
        let [y, n, u] = ["y", "n", "?"].map(|name| DirExists(name.to_owned()));
        let unknown = Truth::Unknown(String::from("?"));
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
