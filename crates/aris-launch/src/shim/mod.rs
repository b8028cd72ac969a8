//! `.aris/tools/<alias>` and `tools/<alias>`: a helper under a name that skills already call, in whatever language they think it is in.
//!
//! Older skills run `python3 "$TOOL" …`, `bash "$TOOL" …` or `"$TOOL" …`. One file serves all of them: to a shell the second line is
//! the command `:`, to Python it opens a string that ends where the shell has long left.

const TEMPLATE: &str = include_str!("shim.sh");

/// Names under which callers branch on other exit codes than those of the helper, with the arms of the shell's `case` that translate.
///
/// `extract_paper_style.py`: 0 done; 3 the source failed, and the caller stops; 1 anything else, a wrong call too. (Its 2, a missing
/// optional module with which the caller goes on, has no counterpart: the helper needs none.)
const EXITS: [(&str, &str); 1] = [(
    "extract_paper_style.py",
    "0) exit 0 ;; 3 | 4 | 6 | 7) exit 3 ;; *) exit 1 ;;",
)];

/// The name under which all helpers are called as `aris HELPER`. The program behind `install_aris` is all of them; this argument makes it
/// `aris`.
const FRONT: (&str, &str) = ("aris", "--as-aris");

const START: &str = "exec /bin/sh \"$aris_launcher\" \"$@\"";

/// The file to install as `tools/<alias>`: starts the launcher of `helper`, which belongs to the skill `owner`, with its arguments,
/// streams and exit code unchanged; under a name of `EXITS` the exit code is translated.
///
/// `source` is the folder that holds `skills/`, where that is known: a file that is copied elsewhere then still finds its launcher. Left
/// out when it cannot stand in both languages as it is.
///
/// `alias` may be a path, `experiment_queue/queue_manager.py`; the file then lies in that folder of `tools`. All names must be plain,
/// see [`is_plain`](crate::is_plain), an alias in each of its parts.
pub fn shim(helper: &str, owner: &str, alias: &str, source: Option<&str>) -> String {
    let (nested, name) = match alias.rsplit_once('/') {
        Some((folders, name)) => (format!("\naris_own=${{aris_own%/{folders}}}"), name),
        None => (String::new(), alias),
    };
    let translated = EXITS.iter().find(|(known, _)| *known == alias);
    let (start, exit) = match translated {
        Some((_, arms)) => (
            format!(
                "aris_code=0; /bin/sh \"$aris_launcher\" \"$@\" || aris_code=$?; case $aris_code in {arms} esac"
            ),
            "the codes that callers of @ALIAS@ know, not those",
        ),
        None if alias == FRONT.0 => (
            START.replace("\"$@\"", &format!("{} \"$@\"", FRONT.1)),
            "that",
        ),
        None => (START.to_owned(), "that"),
    };
    let is_plain = |path: &&str| {
        let mut bytes = path.bytes();
        path.starts_with('/')
            && bytes.all(|b| b.is_ascii_alphanumeric() || b"/._-+@, ".contains(&b))
    };
    let source = source.filter(is_plain).map_or_else(String::new, |path| {
        format!("\n  aris_look \"{path}/skills\"")
    });
    TEMPLATE
        .replace(START, &start)
        .replace("@SOURCE@", &source)
        .replace("@EXIT@", exit)
        .replace("@NESTED@", &nested)
        .replace("@ALIAS@", name)
        .replace("@HELPER@", helper)
        .replace("@OWNER@", owner)
}

#[cfg(test)]
mod tests;
