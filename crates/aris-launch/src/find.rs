//! The fallback block of a skill: shell code between two marker lines that prints the paths of the skill's helpers.
//!
//! The block has no `$<digit>` (a host replaces those in instruction text), changes no directory, works in dash, bash and zsh, also under
//! `set -eu`, and needs no execute bit. It keeps the skill's folder in a quoted here-document, because a host may write any path there,
//! also one with an apostrophe.
//!
//! **Source**: the resolver chain of the integration contract §2, implemented in `aris_contract::resolve`; `tests/flows/resolver.rs`
//! compares the two.

const CHAIN: &str = include_str!("find.sh");

/// The lines between the markers `# aris-find: <helper>…` and `# aris-find end`, for a block in the SKILL.md of `skill`. Each of `helpers`
/// is the skill that owns the helper and all names of the helper, the canonical one first.
///
/// The block prints one path for each helper, to be run with `sh`. It exits with 3 where a helper is not found and with 5 where the chain
/// ends at something that is not a readable file, and names the helper on stderr.
pub fn find_block(skill: &str, helpers: &[(&str, Vec<&str>)]) -> String {
    let mut text = CHAIN.to_owned();
    for (owner, names) in helpers {
        let own = if *owner == skill {
            String::from("scripts")
        } else {
            format!("../{owner}/scripts")
        };
        let names = names.join(" ");
        text.extend(["_aris_owner=", owner, "/scripts _aris_own=", &own]);
        text.extend(["; _aris_find ", &names, "\n"]);
    }
    text + "(exit \"$_aris_code\")\n"
}
