//! The command line. Options of the original script keep their names and defaults.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// Arguments of `figure_renderer`.
#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    override_usage = "figure_renderer <COMMAND>\n  figure_renderer --example"
)]
pub struct Cli {
    /// What to do
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
    /// Print a figure that draws as it is
    #[arg(long)]
    pub(crate) example: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Draw a figure as SVG, PDF or PNG
    Render(RenderArgs),
    /// Check a figure; exit 10 when it has problems
    Validate(ValidateArgs),
    /// Show the fields of a figure; with --json the JSON schema
    Schema,
    /// Compute positions for the nodes that have none, and print the figure with them
    Layout(LayoutArgs),
    /// Draw a figure again whenever its file changes
    Watch(WatchArgs),
}

/// A kind of picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Format {
    /// Vectors for browsers and editors
    Svg,
    /// Vectors for LaTeX, text can be selected
    Pdf,
    /// Pixels
    Png,
}

impl Format {
    pub(crate) const fn extension(self) -> &'static str {
        match self {
            Self::Svg => "svg",
            Self::Pdf => "pdf",
            Self::Png => "png",
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct RenderArgs {
    /// Figure, a JSON file
    #[arg(value_name = "SPEC")]
    pub(crate) spec: PathBuf,
    /// Picture; render takes - for standard output [default: beside the figure, under its name]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<aris_cli::Sink>,
    /// Kinds of picture, comma-separated [default: by the name of --output, else svg]
    #[arg(long, value_name = "FORMAT", value_enum, value_delimiter = ',')]
    pub(crate) format: Vec<Format>,
    /// Also draw a PNG
    #[arg(long)]
    pub(crate) preview: bool,
    /// Resolution of a PNG in pixels per inch; 96 units of the canvas are one inch
    #[arg(long, value_name = "N", default_value_t = 192.0, value_parser = dpi)]
    pub(crate) dpi: f64,
    /// Exit 10 when something is wrong with the figure; it is drawn all the same
    #[arg(long)]
    pub(crate) strict: bool,
    #[command(flatten)]
    pub(crate) column: Column,
}

#[derive(Debug, Args)]
pub(crate) struct Column {
    /// Printed width of the figure in millimetres (a column is often 84 wide); text too small at that width is reported as a problem
    #[arg(long, value_name = "MM", value_parser = millimetres)]
    pub(crate) column_width: Option<f64>,
}

#[derive(Debug, Args)]
pub(crate) struct ValidateArgs {
    /// Figure, a JSON file
    #[arg(value_name = "SPEC")]
    pub(crate) spec: PathBuf,
    #[command(flatten)]
    pub(crate) column: Column,
}

#[derive(Debug, Args)]
pub(crate) struct LayoutArgs {
    /// Figure, a JSON file
    #[arg(value_name = "SPEC")]
    pub(crate) spec: PathBuf,
    /// File for the figure with positions; - for standard output [default: -]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<aris_cli::Sink>,
}

#[derive(Debug, Args)]
pub(crate) struct WatchArgs {
    #[command(flatten)]
    pub(crate) render: RenderArgs,
    /// End after this many changes [default: when interrupted]
    #[arg(long, value_name = "N")]
    pub(crate) changes: Option<u64>,
}

fn between(text: &str, low: f64, high: f64) -> Result<f64, String> {
    text.parse()
        .ok()
        .filter(|number| (low..=high).contains(number))
        .ok_or_else(|| format!("it must be a number from {low} to {high}"))
}

fn dpi(text: &str) -> Result<f64, String> {
    between(text, 10.0, 2400.0)
}

fn millimetres(text: &str) -> Result<f64, String> {
    between(text, 10.0, 1000.0)
}
