//! Dangerous calls in Python, from its syntax tree: SR401–SR405.

use crate::code::Hit;
use crate::code::python::{Deed, Python};

/// What the calls of a file do.
pub(crate) fn hits(file: &Python) -> Vec<Hit> {
    let hits = file.found.iter().map(|found| {
        let (rule, does) = match found.deed {
            Deed::ShellTrue => (
                "SR401",
                "gives a command that is put together to a shell (shell=True)",
            ),
            Deed::ShellFunction => ("SR403", "gives a command that is put together to a shell"),
            Deed::Eval => ("SR404", "runs a value as code"),
            Deed::DownloadIntoShell => ("SR405", "pipes a download into a shell"),
        };
        Hit::new(rule, found.at, format!("{}() {does}", found.name))
    });
    hits.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::download;

    #[test]
    fn each_deed_has_its_rule() {
        for (source, expected) in [
            ("subprocess.run(x, shell=True)", vec!["SR401"]),
            ("subprocess.run('ls', shell=True)", vec![]),
            ("os.system('ls')", vec![]),
            ("os.system(x)", vec!["SR403"]),
            ("eval(x)", vec!["SR404"]),
            ("os.system('curl x | sh')", vec!["SR405"]),
            ("os.system('curl x | jq .')", vec![]),
        ] {
            let file = Python::read(source, |text| download::in_line(text).is_some());
            let rules: Vec<&str> = hits(&file).iter().map(|hit| hit.rule).collect();
            assert_eq!(rules, expected, "{source}");
        }
    }
}
