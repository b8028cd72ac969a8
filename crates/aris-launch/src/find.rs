//! The fallback block of a skill: shell that prints where its helpers lie, between two marker lines.
//!
//! The block has no `$<digit>` (a host replaces those in instruction text), changes no directory, works in dash, bash and zsh, also
//! under `set -eu`, and does not ask for the execute bit. The skill's folder stands in a quoted here-document, because a host may
//! write any path there, also one with an apostrophe.
//!
//! **Source**: the resolver chain of the integration contract §2, as `aris_contract::resolve` has it; `tests/flows/resolver.rs`
//! holds this text against it.

const CHAIN: &str = include_str!("find.sh");

/// The lines between the markers `# aris-find: <helper>…` and `# aris-find end`, for a block in the SKILL.md of `skill`. Each helper
/// is its owner and all its names, the canonical one first.
///
/// The block prints one path for each helper, to be started by `sh`. It exits with 3 where one is nowhere, with 5 where the chain
/// ends at something that is no readable file, and says which on stderr.
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
