//! The older resolver template, as it stands in skills that are already out there. Recognised so that their trees can be checked;
//! never written: its manifest lookup contains `$1` and `$2`, which Claude Code replaces (SR515), and it changes the directory.
//!
//! **Source**: integration contract §2 of the reference.

/// Changes to the top level, then looks the repository up in the installer's manifest.
pub(super) const PRELUDE: [&str; 4] = [
    r#"cd "$(git rev-parse --show-toplevel 2>/dev/null || pwd)" || exit 1"#,
    r#"if [ -z "${ARIS_REPO:-}" ] && [ -f .aris/installed-skills.txt ]; then"#,
    r#"ARIS_REPO=$(awk -F'\t' '$1=="repo_root"{print $2; exit}' .aris/installed-skills.txt 2>/dev/null) || true"#,
    "fi",
];

/// The four lines that try the project, the repository, `$ARIS_REPO`, and give up. `path` is the one below `.aris/`.
pub(super) fn chain(variable: &str, path: &str) -> [String; 4] {
    let test = format!("[ -f \"${variable}\" ] ||");
    [
        format!("{variable}=\".aris/{path}\""),
        format!("{test} {variable}=\"{path}\""),
        format!("{test} {{ [ -n \"${{ARIS_REPO:-}}\" ] && {variable}=\"$ARIS_REPO/{path}\"; }}"),
        format!("{test} {variable}=\"\""),
    ]
}

/// Whether a line does in one what the last three of the prelude do.
pub(super) fn is_short_lookup(line: &str) -> bool {
    line.starts_with("ARIS_REPO=\"${ARIS_REPO:-$(")
        && line.ends_with(" .aris/installed-skills.txt 2>/dev/null)}\"")
}
