//! `cargo xtask demo`: builds `aris`, which carries the skills, and lets it show the gate at work.

use aris_proc::{End, Stdout};

use crate::cargo;
use crate::fault::Fault;
use crate::workspace::Workspace;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Profile to build with. `dev` takes what is built for the tests; `release` is faster at work and takes minutes to build
    #[arg(long, default_value = "dev")]
    profile: String,
}

/// Gives the exit status of `aris demo`.
pub(crate) fn run(workspace: &Workspace, args: &Args) -> Result<u8, Fault> {
    println!("building aris, all helpers in one program (the first time takes some minutes) …");
    let folder = cargo::build(workspace, &["aris"], &args.profile)?;
    let demo = aris_proc::command(folder.join("aris"), &workspace.root).arg("demo");
    match demo.run_attached(Stdout::Same, None)? {
        End::Exited(code) => Ok(u8::try_from(code).unwrap_or(1)),
        end => Err(Fault::new(format!("aris demo: {end:?}"))),
    }
}
