//! Flags. Options of the original script keep their names and defaults.

use std::path::PathBuf;

/// Arguments of `paper_illustration_image2`.
#[derive(Debug, clap::Args)]
pub struct Cli {
    /// What to do
    #[command(subcommand)]
    pub command: Command,
}

/// What to do.
#[derive(Debug, clap::Subcommand)]
pub enum Command {
    /// Check that images can be made: that the program codex is there and its server answers
    Preflight(Preflight),
    /// Make the accepted image the final one, with its LaTeX and its review log
    Finalize(Finalize),
    /// Check that the final image is the accepted one, and that everything fits together
    Verify(Verify),
}

/// Where.
#[derive(Clone, Debug, clap::Args)]
pub struct Place {
    /// Project folder [default: the working directory]
    #[arg(long, alias = "workspace", value_name = "DIR")]
    pub project: Option<PathBuf>,
    /// File in the project to write the result to as well, as JSON
    #[arg(long, alias = "json-out", value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// Arguments of `preflight`.
#[derive(Clone, Debug, clap::Args)]
pub struct Preflight {
    /// Where
    #[command(flatten)]
    pub place: Place,
    /// Seconds that the server of codex may take to answer
    #[arg(long = "command-timeout", aliases = ["deadline", "timeout"], value_name = "SECONDS", default_value_t = 20, value_parser = clap::value_parser!(u64).range(1..=600))]
    pub deadline: u64,
}

/// Arguments of `finalize`.
#[derive(Clone, Debug, clap::Args)]
pub struct Finalize {
    /// Where
    #[command(flatten)]
    pub place: Place,
    /// The accepted image, a PNG; looked for from the working directory, then from the project
    #[arg(long, value_name = "PNG")]
    pub best_image: PathBuf,
    /// Take an image outside the project
    #[arg(long)]
    pub outside: bool,
    /// Caption, as plain text: what LaTeX would read as a command is escaped
    #[arg(long, value_name = "TEXT", default_value = crate::include::CAPTION)]
    pub caption: String,
    /// Caption that is LaTeX already, kept as it is
    #[arg(long, value_name = "LATEX", conflicts_with = "caption")]
    pub caption_tex: Option<String>,
    /// Label
    #[arg(long, value_name = "LABEL", default_value = crate::include::LABEL)]
    pub label: String,
    /// Score of the last review, 0 to 10
    #[arg(long, value_parser = score)]
    pub score: Option<f64>,
    /// What the last review said, in short
    #[arg(long, value_name = "TEXT")]
    pub review_summary: Option<String>,
    /// Width in print, in millimetres; the default is 0.95 of a text width of 165 mm
    #[arg(long, value_name = "MM", default_value_t = 157, value_parser = clap::value_parser!(u32).range(10..=2000))]
    pub print_width: u32,
    /// Dots per inch in print below which the image is refused
    #[arg(long, value_name = "DPI", default_value_t = 150, value_parser = clap::value_parser!(u32).range(1..=2400))]
    pub min_dpi: u32,
}

/// Arguments of `verify`.
#[derive(Clone, Debug, clap::Args)]
pub struct Verify {
    /// Where
    #[command(flatten)]
    pub place: Place,
}

fn score(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(score) if (0.0..=10.0).contains(&score) => Ok(score),
        _ => Err(String::from("it must be a number from 0 to 10")),
    }
}
