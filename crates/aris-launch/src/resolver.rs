//! The resolver block of a skill: shell that finds a helper's launcher, between two marker lines.
//!
//! The block has no `$<digit>` (a host replaces those in instruction text), changes no directory, works under `set -eu` in dash and
//! bash, and does not ask for the execute bit. The skill's folder stands in a quoted here-document, because a host may write any path
//! there, also one with an apostrophe. Layer 0, the skill's own `scripts/`, is for the helper's owner only.
//!
//! **Source**: the resolver chain of the integration contract §2, in the same order as `aris_contract::resolve`.

/// The lines between the markers `# aris-resolver v2: <variable> <helper>` and `# aris-resolver end`, each with its newline.
///
/// Afterwards `$<variable>` is the path of the launcher, to be called as `sh "$<variable>" …`, or empty. With `owns`, the skill's
/// own `scripts/` comes first.
pub fn resolver_block(variable: &str, helper: &str, owns: bool) -> String {
    let (skill, layer_zero) = if owns {
        (
            "IFS= read -r _aris_skill <<'ARIS_SKILL_DIR'\n\
             ${CLAUDE_SKILL_DIR}\n\
             ARIS_SKILL_DIR\n\
             case \"$_aris_skill\" in '$'*) _aris_skill=\"${CLAUDE_SKILL_DIR:-}\" ;; esac\n",
            "\"${_aris_skill:+$_aris_skill/scripts}\" ",
        )
    } else {
        ("", "")
    };
    format!(
        r#"{variable}=""
{skill}_aris_root=$(git rev-parse --show-toplevel 2>/dev/null || pwd)
if [ -z "${{ARIS_REPO:-}}" ] && [ -f "$_aris_root/.aris/installed-skills.txt" ]; then
  ARIS_REPO=$(sed -n 's/^repo_root[[:blank:]]*//p' "$_aris_root/.aris/installed-skills.txt" 2>/dev/null | head -n 1) || true
fi
for _aris_dir in {layer_zero}"$_aris_root/.aris/tools" "$_aris_root/tools" "${{ARIS_REPO:+$ARIS_REPO/tools}}"; do
  if [ -n "$_aris_dir" ] && [ -f "$_aris_dir/{helper}" ]; then {variable}="$_aris_dir/{helper}"; break; fi
done
"#
    )
}

#[cfg(test)]
mod tests {
    #![allow(clippy::disallowed_methods, reason = "tests prepare files directly")]

    use std::fs;
    use std::time::Duration;

    use super::*;

    fn block_of(owner: bool) -> String {
        format!(
            "set -eu\n{}printf '%s' \"$TOOL\"\n",
            resolver_block("TOOL", "tool", owner)
        )
    }

    #[test]
    fn no_block_has_a_digit_after_a_dollar() {
        for owner in [true, false] {
            let text = resolver_block("TOOL", "tool", owner);
            assert!(
                !text
                    .as_bytes()
                    .windows(2)
                    .any(|pair| pair[0] == b'$' && pair[1].is_ascii_digit()),
                "{text}"
            );
        }
    }

    #[test]
    fn the_block_walks_the_layers_in_order_in_both_shells() {
        let folder = tempfile::Builder::new()
            .prefix("a b ")
            .tempdir()
            .expect("temp");
        let root = folder.path().canonicalize().expect("real");
        let layers = [
            "skill/scripts/tool",
            "project/.aris/tools/tool",
            "project/tools/tool",
            "repo/tools/tool",
        ];
        for layer in layers {
            fs::create_dir_all(root.join(layer).parent().expect("folder")).expect("folders");
            fs::write(root.join(layer), "").expect("write");
        }
        let project = root.join("project");
        let find = |shell: &str, owner: bool, repository: bool| {
            let mut command = aris_proc::command(shell, &project)
                .arg("-s")
                .stdin(block_of(owner));
            command = command
                .env("CLAUDE_SKILL_DIR", root.join("skill"))
                .env_remove("ARIS_REPO");
            command = command.env("GIT_CEILING_DIRECTORIES", &root);
            if repository {
                command = command.env("ARIS_REPO", root.join("repo"));
            }
            let done = command.run(Duration::from_secs(20)).expect("ran");
            assert!(done.success(), "{shell}: {}", done.stderr.text());
            done.stdout
                .text()
                .replace(&format!("{}/", root.display()), "")
        };
        let shells = ["sh", "bash"];
        for shell in shells {
            assert_eq!(find(shell, true, true), layers[0]);
            assert_eq!(find(shell, false, true), layers[1]);
        }
        fs::remove_file(root.join(layers[1])).expect("remove");
        for shell in shells {
            assert_eq!(find(shell, false, true), layers[2]);
        }
        fs::remove_file(root.join(layers[2])).expect("remove");
        let manifest = project.join(".aris/installed-skills.txt");
        fs::write(
            &manifest,
            format!(
                "version\t1\nrepo_root\t{}\nproject_root\tx\n",
                root.join("repo").display()
            ),
        )
        .expect("write");
        for shell in shells {
            assert_eq!(find(shell, false, true), layers[3]);
            assert_eq!(
                find(shell, false, false),
                layers[3],
                "the manifest names the repository"
            );
        }
        fs::remove_file(manifest).expect("remove");
        for shell in shells {
            assert_eq!(find(shell, false, false), "");
        }
    }

    #[test]
    fn a_host_may_write_any_folder_into_the_block() {
        for name in ["plain", "it's \"mine\" $HOME `id` \\", " blanks "] {
            let temp = tempfile::tempdir().expect("temp");
            let root = temp.path().canonicalize().expect("real");
            let skill = root.join(name);
            fs::create_dir_all(skill.join("scripts")).expect("folders");
            fs::write(skill.join("scripts/tool"), "").expect("write");
            let path = skill.display().to_string();
            let text = block_of(true).replacen("${CLAUDE_SKILL_DIR}\n", &format!("{path}\n"), 1);
            for shell in ["sh", "bash"] {
                let done = aris_proc::command(shell, &root)
                    .arg("-s")
                    .stdin(text.clone())
                    .env_remove("CLAUDE_SKILL_DIR")
                    .env_remove("ARIS_REPO")
                    .env("GIT_CEILING_DIRECTORIES", &root)
                    .run(Duration::from_secs(20))
                    .expect("ran");
                assert_eq!(
                    done.stdout.text(),
                    format!("{path}/scripts/tool"),
                    "{shell}: {}",
                    done.stderr.text()
                );
            }
        }
    }
}
