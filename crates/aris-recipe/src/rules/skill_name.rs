//! Which skill a command calls, and how it gives arguments.

use std::sync::LazyLock;

use regex::Regex;

use crate::expression::Reference;
use crate::template::Template;

/// A word that begins with `/`, a namespace and a name; at the beginning of the command also with `/` and a name.
static CALL: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?:^\s*|\s)/[\w-]+:([\w-]+)|^\s*/([\w-]+)(?:[^:\w-]|$)").ok());

/// A reference, whatever it refers to.
static REFERENCE: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"(?s)\$\{\{.*?\}\}").ok());

/// A skill as a command calls it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Called<'a> {
    /// Its name, without namespace.
    pub(super) name: &'a str,
    /// The whole command.
    pub(super) command: &'a str,
    /// The text after the name.
    pub(super) arguments: &'a str,
}

impl<'a> Called<'a> {
    /// The skill of `/<namespace>:<name> …`, wherever in the command a word begins like that, or of `/<name> …` at its beginning.
    /// `None` when there is none, or when its name is only known at run time (`/x:lens-{slug}`).
    pub(super) fn read(command: &'a str) -> Option<Self> {
        let found = CALL.as_ref()?.captures(command)?;
        let name = found.get(1).or_else(|| found.get(2))?;
        let arguments = command.get(name.end()..)?;
        let whole = !arguments.starts_with(['{', '$', '/', '.']);
        whole.then_some(Self {
            name: name.as_str(),
            command,
            arguments,
        })
    }

    /// Whether the arguments have words that are not references.
    pub(super) fn has_prose(&self) -> bool {
        let others = REFERENCE.iter().flat_map(|one| one.split(self.arguments));
        others.into_iter().any(|text| !text.trim().is_empty())
    }

    /// Names of the inputs and variables that the command refers to.
    pub(super) fn referred(&self) -> Vec<String> {
        let template = Template::parse(self.command);
        let names = template.references().map(Reference::name);
        names.map(str::to_owned).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found() {
        for (command, name) in [
            ("/ns:make-plan ${{ context.x }}", Some("make-plan")),
            ("  /make-plan x", Some("make-plan")),
            ("Use /ns:a then /ns:b", Some("a")),
            ("Use /make-plan", None),
            ("/ns:lens-{slug} x", None),
            ("/ns:x${{ inputs.y }}", None),
            ("/lit see http://host:80/a", Some("lit")),
            ("/usr/bin/x", None),
            ("/", None),
            ("${{ inputs.x }}", None),
        ] {
            let found = Called::read(command).map(|called| called.name);
            assert_eq!(found, name, "{command}");
        }
    }

    #[test]
    fn prose_is_what_is_no_reference() {
        for (command, prose) in [
            ("/n:x", false),
            ("/n:x ${{ inputs.a }}\n ${{ context.b }}", false),
            ("/n:x ${{ inputs.a }} --flag", true),
            ("/n:x the failures", true),
        ] {
            assert_eq!(
                Called::read(command).unwrap().has_prose(),
                prose,
                "{command}"
            );
        }
    }
}
