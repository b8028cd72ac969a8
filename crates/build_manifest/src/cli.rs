//! Flags. `--config` and `--output` have the names of the reference's script.

use std::path::PathBuf;

/// Arguments of `build_manifest`.
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "build_manifest --config <FILE> [OPTIONS]\n  build_manifest --example\n  build_manifest --schema"
)]
pub struct Cli {
    /// Specification of the grids, YAML or JSON
    #[arg(long, value_name = "FILE", required_unless_present_any = ["example", "schema"])]
    pub config: Option<PathBuf>,
    /// Manifest to write [default: only check the specification and count its jobs]
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Print a specification that runs as it is.
    #[arg(
        long,
        conflicts_with_all = ["config", "output"],
        help = "Print a specification that runs as it is; --help shows it",
        long_help = concat!("Print a specification that runs as it is:\n\n", include_str!("../assets/example.yaml"))
    )]
    pub example: bool,
    /// Print the JSON Schema of specifications, for editors
    #[arg(long, conflicts_with_all = ["config", "output", "example"])]
    pub schema: bool,
    /// Has no effect any more: large grids are built with a warning
    #[arg(long, hide = true)]
    pub yes: bool,
}
