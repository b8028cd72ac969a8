//! `resolve`: where the chain finds a helper, layer by layer, and what its policy then requires.

use std::io::{self, Write};
use std::path::Path;

use aris_cli::{Outcome, Product, Style};
use aris_contract::resolve::{Found, Probe, folders};
use aris_contract::text::shell_line;
use serde::Serialize;

use super::asked;
use crate::cli::HelperArgs;
use crate::error::Error;
use crate::project::{Project, interpreter, probe};
use crate::report::{last_column, word};

/// Schema id of [`Resolved`].
pub(crate) const SCHEMA: &str = "aris.contract_check.resolution/v1";

/// The result of resolving one helper.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Resolved {
    /// Canonical name.
    helper: &'static str,
    /// Whether this suite builds it.
    shipped: bool,
    /// Whether the chain found a usable file.
    found: bool,
    /// Program and first arguments that start it; empty when it is not found.
    argv: Vec<String>,
    /// Every candidate that exists, and every folder without one, in the order of the chain.
    layers: Vec<Candidate>,
    /// Letter of the policy.
    policy: &'static str,
    /// What the policy requires of the caller now.
    then: String,
}

/// One candidate of the chain.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Candidate {
    /// Number of the layer.
    layer: u8,
    /// The file, or the folder that has no file of this name.
    path: String,
    /// `used`, `unusable`, `hidden` behind an earlier one, or `absent`.
    state: CandidateState,
    /// Why it cannot be used.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
enum CandidateState {
    Used,
    Unusable,
    Hidden,
    Absent,
}

pub(crate) fn run(args: &HelperArgs, project: &Project) -> Result<Outcome<Resolved>, Error> {
    let (helper, policy) = asked(args)?;
    let resolution = project.find(helper);
    let last = resolution.looked.last();
    let decided = last.filter(|last| last.found != Found::Absent);
    let mut layers = Vec::new();
    for (layer, folder) in folders(&helper.owner, &project.env) {
        let mut any = false;
        let mut add = |path: &Path, state, reason| {
            layers.push(Candidate {
                layer: layer as u8,
                path: path.display().to_string(),
                state,
                reason,
            });
        };
        for path in helper.names().iter().map(|name| folder.join(name)) {
            let (state, reason) = match decided {
                Some(last) if last.path == path => match &last.found {
                    Found::Unusable(why) => (CandidateState::Unusable, Some(why.clone())),
                    Found::Usable | Found::Absent => (CandidateState::Used, None),
                },
                _ if probe(&path) != Probe::Absent => (CandidateState::Hidden, None),
                _ => continue,
            };
            any = true;
            add(&path, state, reason);
        }
        if !any {
            add(&folder, CandidateState::Absent, None);
        }
    }
    let hit = resolution.hit().map(|(path, _)| path);
    let argv = hit.into_iter().flat_map(|path| {
        let interpreter = interpreter(path).map(str::to_owned);
        interpreter.into_iter().chain([path.display().to_string()])
    });
    let then = match hit {
        Some(_) => format!("run it; when it fails: {}", policy.when_failed()),
        None => format!("{}. {}", policy.when_unresolved(), helper.fallback),
    };
    let resolved = Resolved {
        helper: &helper.name,
        shipped: helper.shipped,
        found: hit.is_some(),
        argv: argv.collect(),
        layers,
        policy: policy.letter(),
        then,
    };
    let found = resolved.found;
    Ok(Outcome::found(resolved, !found))
}

impl Product for Resolved {
    fn schema(&self) -> &'static str {
        SCHEMA
    }

    fn render(&self, out: &mut dyn Write, _style: Style) -> io::Result<()> {
        let found = if self.found { "found" } else { "not found" };
        let not_shipped = " (not shipped by this suite)";
        let shipped = if self.shipped { "" } else { not_shipped };
        writeln!(out, "{}\t{found}{shipped}", self.helper)?;
        for Candidate {
            layer,
            path,
            state,
            reason,
        } in &self.layers
        {
            let state = word(state);
            let reason = last_column(reason.as_deref());
            writeln!(out, "layer {layer}\t{state}\t{path}{reason}")?;
        }
        if !self.argv.is_empty() {
            writeln!(out, "start\t{}", shell_line(&self.argv))?;
        }
        writeln!(out, "policy {}\t{}", self.policy, self.then)
    }
}
