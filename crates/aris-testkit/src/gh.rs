//! A fake `gh`.

use crate::project::Project;

/// Installs a fake `gh` into `bin/` of a project. It logs its arguments in `bin/log` and answers by `cases`, the arms of a
/// shell `case` over its arguments; see [`keeps`]. It has no other tokens.
///
/// **Source**: <https://cli.github.com/manual/gh_auth_token>: prints the token on stdout; without one it exits with 1 and a
/// message on stderr. `gh auth
/// status` exits with 1 when any account on any host is broken, as it does here.
pub fn fake_gh(project: &Project, cases: &str) {
    let script = format!(
        "#!/bin/sh\nlog=\"$(dirname \"$0\")/log\"\nfor a in \"$@\"; do printf '<%s>' \"$a\" >> \"$log\"; done; echo >> \"$log\"\ncase \"$*\" in\n{cases}\n\
         'auth status'*) echo 'X Failed to log in to other.example account hubot (keyring)' >&2; exit 1;;\n*) echo 'no oauth token found' >&2; exit 1;;\nesac\n"
    );
    project.write("bin/gh", script);
    project.mode("bin/gh", 0o755);
}

/// The arm of a [`fake_gh`] that keeps a token for a host.
pub fn keeps(host: &str, token: &str) -> String {
    format!("'auth token --hostname {host}') echo '{token}';;\n")
}
