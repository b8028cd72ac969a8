//! Installs the packages as users do, in empty folders and without a network, and runs their demo.

use std::path::Path;
use std::time::Duration;

use crate::fault::Fault;

/// Time limit; installing and gating take seconds.
const PATIENCE: Duration = Duration::from_mins(5);

/// For each package manager: the program that it needs, and the user's commands, run in a folder of their own. `$1` is the folder of
/// the packages, `$2` the wheel or the npm packages.
const TRIALS: [(&str, &str); 2] = [
    (
        "python3",
        "python3 -m venv env && env/bin/pip install --quiet --no-index --disable-pip-version-check \"$1/$2\" && env/bin/aris demo",
    ),
    (
        "npm",
        "npm init -y >/dev/null && npm install --silent --offline --no-audit --no-fund \"$1/$2\" \"$1/$3\" && npx --offline aris demo",
    ),
];

/// Installs the wheel and the npm packages, `[wheel, platform package, package]`, from `out`.
pub(super) fn run(out: &Path, packages: &[String]) -> Result<(), Fault> {
    let [wheel, platform, front] = packages else {
        return Err(Fault::new("no packages for this machine were built"));
    };
    for ((program, script), files) in TRIALS.iter().zip([vec![wheel], vec![platform, front]]) {
        // npm uses the folder's name as the package's name, so it must be a valid one.
        let temp = tempfile::Builder::new().prefix("aris-").tempdir();
        let temp = temp.map_err(Fault::from_error)?;
        let installed = |name: &str| {
            let done = aris_proc::command(name, temp.path())
                .arg("--version")
                .run(PATIENCE);
            done.is_ok_and(|done| done.success())
        };
        if !installed(program) {
            println!("not tried: there is no {program}");
            continue;
        }
        // Without network interfaces, if this user may create a network namespace.
        let apart = aris_proc::command("unshare", temp.path())
            .args(["-rn", "true"])
            .run(PATIENCE);
        let is_apart = apart.is_ok_and(|done| done.success());
        let command = if is_apart {
            aris_proc::command("unshare", temp.path()).args(["-rn", "sh"])
        } else {
            aris_proc::command("sh", temp.path())
        };
        let done = command
            .args(["-c", script, "sh"])
            .arg(out)
            .args(files)
            .env("HOME", temp.path())
            .run(PATIENCE)?;
        let text = done.stdout.text();
        if !done.success() || !text.contains("no blocker found") {
            return Err(Fault::new(format!(
                "{}: {:?}\n{}{text}",
                files_of(script),
                done.end,
                done.stderr.text()
            )));
        }
        println!(
            "tried with {program}{}: installed, and the demo ran",
            if is_apart { " without a network" } else { "" }
        );
    }
    Ok(())
}

fn files_of(script: &str) -> &str {
    script.split(" && ").last().unwrap_or(script)
}
