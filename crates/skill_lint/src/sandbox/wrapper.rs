//! The command line around a program: fixed shell texts that take everything variable as arguments.

use std::ffi::OsString;

use super::isolation::Layers;
use super::scratch::Scratch;
use super::{Call, Sandbox};

/// Sets the limits, notes that it got this far, and becomes the program. `ulimit -p` is dash's name for `-u`. A limit that
/// cannot be set is left out: `prepare` has tried them, and says which hold.
///
/// Arguments: CPU seconds, file size in 512-byte blocks, data in KiB, processes, each a number or `-` for none; a file to
/// create; the program.
const LIMITED: &str = r#"
[ "$1" = - ] || ulimit -t "$1" 2>/dev/null
[ "$2" = - ] || ulimit -f "$2" 2>/dev/null
[ "$3" = - ] || ulimit -d "$3" 2>/dev/null
[ "$4" = - ] || ulimit -u "$4" 2>/dev/null || ulimit -p "$4" 2>/dev/null
: >"$5" || exit 125
shift 5
exec "$@"
"#;

/// The first process of a new process table, which takes every other one with it when it ends. It makes folders read-only,
/// starts the program one user namespace further in, as the user who called, so that it can neither undo that nor see itself as
/// superuser, and hands on the exit code. It must not `exec`: a first process ignores the signals it does not handle, and the
/// program would behave differently.
///
/// Arguments: folders, `--`, the program.
const FIRST_PROCESS: &str = r#"
while [ "$1" != -- ]; do
  mount --rbind "$1" "$1" && mount -o remount,bind,ro "$1" || exit 125
  shift
done
shift
"$@"
exit $?
"#;

/// The whole command line for `call`: layers that the system offers, limits, program.
pub(super) fn command_line(sandbox: &Sandbox, call: &Call<'_>, scratch: &Scratch) -> Vec<OsString> {
    let Layers {
        setpriv,
        namespaces,
        user,
        mounts,
    } = sandbox.layers;
    let mut line = Vec::new();
    if setpriv {
        push(
            &mut line,
            &["setpriv", "--no-new-privs", "--pdeathsig", "KILL"],
        );
    }
    if namespaces {
        push(&mut line, &["unshare", "--pid", "--kill-child"]);
        push(
            &mut line,
            if user {
                &["--user", "--map-root-user"]
            } else {
                &[]
            },
        );
        push(&mut line, if mounts { &["--mount"] } else { &[] });
        push(&mut line, if call.with_network { &[] } else { &["--net"] });
        push(&mut line, &["sh", "-c", FIRST_PROCESS, "sh"]);
        line.extend(
            sandbox
                .read_only
                .iter()
                .map(|folder| folder.as_os_str().to_owned()),
        );
        push(&mut line, &["--"]);
        if user {
            let (uid, gid) = (
                format!("--map-user={}", sandbox.uid),
                format!("--map-group={}", sandbox.gid),
            );
            push(&mut line, &["unshare", "--user", &uid, &gid, "--"]);
        }
    }
    push(&mut line, &["sh", "-c", LIMITED, "sh"]);
    let limits = &sandbox.isolation.limits;
    line.push(limit(limits.cpu_s));
    line.push(limit(limits.file_bytes.map(|bytes| bytes / 512)));
    line.push(limit(limits.data_bytes.map(|bytes| bytes / 1024)));
    line.push(limit(limits.processes.map(u64::from)));
    line.push(scratch.started_mark().into());
    line.extend(call.command.iter().cloned());
    line
}

fn push(line: &mut Vec<OsString>, words: &[&str]) {
    line.extend(words.iter().map(OsString::from));
}

fn limit(value: Option<u64>) -> OsString {
    value
        .map_or_else(|| String::from("-"), |value| value.to_string())
        .into()
}
