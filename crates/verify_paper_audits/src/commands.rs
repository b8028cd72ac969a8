//! Commands in the report that readers copy into a shell.

use aris_contract::text::shell_line;

use crate::paper::Paper;

/// The project's folder of helpers. **Source**: the resolver chain of the integration contract, layer 1.
const TOOLS: &str = ".aris/tools";

/// Helpers that take `--root`.
const ROOTED: [&str; 3] = ["verify_paper_audits", "paper_claim_audit", "citation_audit"];

impl Paper {
    /// [`Paper::command`] for the root document that the user named.
    pub(crate) fn command_for(&self, template: &str, root: Option<&str>) -> String {
        let command = self.command(template);
        let name = template.split(' ').next().unwrap_or_default();
        match root.filter(|_| ROOTED.contains(&name)) {
            Some(root) => format!("{command} --root {}", shell_line(&[root])),
            None => command,
        }
    }

    /// The command for `template`: a program or a slash command, with `{paper}` for the paper directory.
    ///
    /// A helper that is installed in the project is called there, through `sh`, as the skills do: relative to the project if the
    /// project is the working directory, else by its full path. Everything else stays as the policy has it, with the full path of
    /// the paper.
    pub(crate) fn command(&self, template: &str) -> String {
        let given = self.given.display().to_string();
        let name = template.split(' ').next().unwrap_or_default();
        let rest = template.strip_prefix(name).unwrap_or_default();
        let tool = self.project.join(TOOLS).join(name);
        if name.is_empty() || name.contains(['/', '\\']) || !tool.is_file() {
            return template.replace("{paper}", &shell_line(&[given]));
        }
        let (tool, paper) = match self.dir.strip_prefix(&self.project) {
            Ok(below) if self.in_project => {
                let below = below.display().to_string();
                let paper = match below.chars().next() {
                    None => String::from("."),
                    // A leading hyphen would be read as a flag.
                    Some('-') => format!("./{below}"),
                    Some(_) => below,
                };
                (format!("{TOOLS}/{name}"), paper)
            }
            _ => (tool.display().to_string(), given),
        };
        let rest = rest.replace("{paper}", &shell_line(&[paper]));
        format!("sh {}{rest}", shell_line(&[tool]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::disallowed_methods, reason = "tests prepare files directly")]
    fn a_helper_of_the_project_is_called_there_and_anything_else_by_its_name() {
        let temp = tempfile::tempdir().expect("temp");
        let root = temp.path().canonicalize().expect("real");
        let root = root.join("my project");
        for folder in [".git", ".aris/tools", "paper", "-it's"] {
            std::fs::create_dir_all(root.join(folder)).expect("folder");
        }
        std::fs::write(root.join(".git/HEAD"), "ref: x\n").expect("write");
        std::fs::write(root.join(".aris/tools/paper_claim_audit"), "").expect("write");
        let at = root.display();
        let (claims, proofs) = ("paper_claim_audit {paper}", "/proof-checker {paper}");
        let other = "citation_audit {paper} --uncited";
        for (paper, cwd, template, command) in [
            (
                "paper",
                "",
                claims,
                "sh .aris/tools/paper_claim_audit paper".to_owned(),
            ),
            (
                "",
                "",
                claims,
                "sh .aris/tools/paper_claim_audit .".to_owned(),
            ),
            (
                "-it's",
                "",
                claims,
                r"sh .aris/tools/paper_claim_audit './-it'\''s'".to_owned(),
            ),
            (
                "paper",
                "paper",
                claims,
                format!("sh '{at}/.aris/tools/paper_claim_audit' '{at}/paper'"),
            ),
            ("paper", "", proofs, format!("/proof-checker '{at}/paper'")),
            (
                "paper",
                "",
                other,
                format!("citation_audit '{at}/paper' --uncited"),
            ),
        ] {
            // Joining an empty path leaves a trailing slash, which `components` removes.
            let given = root
                .join(paper)
                .components()
                .collect::<std::path::PathBuf>();
            let paper = Paper::open(&given, &[], &root.join(cwd)).expect("paper");
            assert_eq!(paper.command(template), command);
        }
    }
}
