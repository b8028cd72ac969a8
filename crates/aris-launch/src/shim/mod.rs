//! `.aris/tools/<alias>` and `tools/<alias>`: a helper under a legacy name, which callers run as a shell or a Python script.
//!
//! Older skills run `python3 "$TOOL" …`, `bash "$TOOL" …` or `"$TOOL" …`. One file serves all of them: for a shell the second line is the
//! command `:`; for Python it opens a string, which ends below the line where the shell exits.

const TEMPLATE: &str = include_str!("shim.sh");

/// Aliases whose callers expect exit codes other than the helper's, with the arms of a shell `case` that translate them.
///
/// `extract_paper_style.py`: 0 done; 3 the source failed, and the caller stops; 1 anything else, also a wrong call. (Its 2 meant a missing
/// optional module, and the caller went on. The helper needs no such module.)
const EXITS: [(&str, &str); 1] = [(
    "extract_paper_style.py",
    "0) exit 0 ;; 3 | 4 | 6 | 7) exit 3 ;; *) exit 1 ;;",
)];

/// The alias for `aris HELPER`, which calls every helper, and the argument that selects it. The binary of `install_aris` contains all
/// helpers and acts as `aris` with this argument.
const FRONT: (&str, &str) = ("aris", "--as-aris");

const START: &str = "exec /bin/sh \"$aris_launcher\" \"$@\"";

/// The file to install as `tools/<alias>`. It starts the launcher of `helper`, which belongs to the skill `owner`, and passes arguments,
/// streams and exit code on unchanged; for an alias in `EXITS` it translates the exit code.
///
/// `source` is the folder that holds `skills/`, where that is known: a shim that is copied elsewhere still finds its launcher there. A path
/// that is not absolute, or that a shell or Python would need quoted, is left out.
///
/// `alias` may be a path, `experiment_queue/queue_manager.py`; the file then belongs in that folder of `tools`. All names must be plain,
/// see [`is_plain`](crate::is_plain); of an alias, each part.
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
