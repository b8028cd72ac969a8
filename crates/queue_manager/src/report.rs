//! What the commands give back.

use std::collections::BTreeMap;
use std::io::{self, Write};

use aris_cli::{Product, Style};
use serde::Serialize;

/// The data product of any command.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum Report {
    /// `run`.
    Ran(Ran),
    /// `attempt`.
    Nothing(Nothing),
}

/// How a run ended.
#[derive(Debug, Serialize)]
pub struct Ran {
    /// Jobs by state; states without jobs are left out.
    pub(crate) counts: BTreeMap<&'static str, u32>,
    /// The state file.
    pub(crate) state: String,
    /// Jobs that run on after the manager was asked to go.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) detached: Option<u32>,
    /// Jobs that did not complete, at most 100.
    pub(crate) failed: Vec<Failed>,
}

/// A job that did not complete.
#[derive(Debug, Serialize)]
pub struct Failed {
    pub(crate) id: String,
    pub(crate) state: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<String>,
}

/// Nothing.
#[derive(Debug, Serialize)]
pub struct Nothing {}

impl Product for Report {
    fn schema(&self) -> &'static str {
        match self {
            Self::Ran(_) | Self::Nothing(_) => "aris.queue_manager.run/v1",
        }
    }

    fn render(&self, out: &mut dyn Write, _style: Style) -> io::Result<()> {
        match self {
            Self::Ran(ran) => {
                let counts: Vec<String> = ran
                    .counts
                    .iter()
                    .map(|(state, count)| format!("{count} {state}"))
                    .collect();
                writeln!(out, "{}", counts.join(", "))?;
                if let Some(detached) = ran.detached {
                    return writeln!(out, "detached: {detached} jobs run on; call run again to go on");
                }
                for job in &ran.failed {
                    writeln!(
                        out,
                        "{}\t{}\t{}\t{}",
                        job.id,
                        job.state,
                        job.reason.as_deref().unwrap_or("-"),
                        job.error.as_deref().unwrap_or("-")
                    )?;
                }
                Ok(())
            }
            Self::Nothing(_) => Ok(()),
        }
    }
}
