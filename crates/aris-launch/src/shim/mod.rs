//! `.aris/tools/<alias>` and `tools/<alias>`: a helper under a name that skills already call, in whatever language they think it is in.
//!
//! Older skills run `python3 "$TOOL" …`, `bash "$TOOL" …` or `"$TOOL" …`. One file serves all of them: to a shell the second line is
//! the command `:`, to Python it opens a string that ends where the shell has long left.

const TEMPLATE: &str = include_str!("shim.sh");

/// The file to install as `tools/<alias>`: starts the launcher of `helper`, which belongs to the skill `owner`, with its arguments,
/// streams and exit code unchanged.
///
/// `alias` may be a path, `experiment_queue/queue_manager.py`; the file then lies in that folder of `tools`. All names must be plain,
/// see [`is_plain`](crate::is_plain), an alias in each of its parts.
pub fn shim(helper: &str, owner: &str, alias: &str) -> String {
    let (nested, name) = match alias.rsplit_once('/') {
        Some((folders, name)) => (format!("\naris_own=${{aris_own%/{folders}}}"), name),
        None => (String::new(), alias),
    };
    TEMPLATE
        .replace("@NESTED@", &nested)
        .replace("@ALIAS@", name)
        .replace("@HELPER@", helper)
        .replace("@OWNER@", owner)
}

#[cfg(test)]
mod tests;
