//! Runs the parsers of `tests/flows/fuzz` under `libFuzzer`, started by hand for long runs.
//!
//! The stable compiler is enough, because an LLVM pass measures the coverage. Only a C++ compiler for `libFuzzer` is needed in addition.

use std::time::Duration;

use aris_proc::{End, Stdout};

use crate::cargo;
use crate::fault::Fault;
use crate::workspace::Workspace;

/// **Source**: the flags that cargo-fuzz passes to rustc without a sanitizer.
const COVERAGE: &str = "--cfg aris_fuzz -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares -Ccodegen-units=1";

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Targets, as tests/flows/fuzz/targets.rs names them [default: all of them]
    targets: Vec<String>,
    /// Seconds for each
    #[arg(long, default_value_t = 60)]
    seconds: u64,
}

const CORPUS: &str = "tests/flows/fuzz/corpus";

/// Exits with 1 at the first input that causes a failure; `libFuzzer` names its file.
pub(crate) fn run(workspace: &Workspace, args: &Args) -> Result<u8, Fault> {
    let mut targets = args.targets.clone();
    if targets.is_empty() {
        let folders = aris_fs::list_sorted(&workspace.at(CORPUS))?;
        targets.extend(
            folders
                .iter()
                .map(|folder| folder.name.to_string_lossy().into_owned()),
        );
    }
    let triple = cargo::host_triple(workspace)?;
    let folder = cargo::target_folder(workspace)?.join("fuzz");
    for target in targets {
        let found = folder.join("found").join(&target);
        aris_fs::create_dir(&found)?;
        // libFuzzer does not create the folder of its artifacts.
        aris_fs::create_dir(&folder.join(&target))?;
        println!("{target}: {} s", args.seconds);
        let command = cargo::cargo(workspace)
            .args([
                "test",
                "--quiet",
                "--package",
                "aris-tests",
                "--test",
                "guided",
            ])
            .args(["--features", "guided", "--target", &triple, "--target-dir"])
            .arg(&folder)
            .arg("--")
            .arg(&found)
            .arg(workspace.at(CORPUS).join(&target))
            .args(["-timeout=20", "-rss_limit_mb=2048", "-max_len=65536"])
            .arg(format!("-max_total_time={}", args.seconds))
            .arg(format!(
                "-artifact_prefix={}/fault-",
                folder.join(&target).display()
            ))
            .env("ARIS_FUZZ_TARGET", &target)
            .env("RUSTFLAGS", COVERAGE)
            .env("CARGO_PROFILE_DEV_OPT_LEVEL", "2");
        let limit = Duration::from_secs(args.seconds) + cargo::BUILD;
        let end = command.run_attached(Stdout::Same, Some(limit))?;
        if end != End::Exited(0) {
            return Err(Fault::new(format!(
                "{target}: {end:?}; the input is named above"
            )));
        }
    }
    Ok(0)
}
