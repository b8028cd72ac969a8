//! What agents are asked about a pull request, and what they answered.

use std::path::{Path, PathBuf};

use aris_cli::Context;
use aris_gates::{Folder, answers_folder, own_folder};
use aris_review::{
    AgentRequest, Claim, ClaimType, Finding, Findings, Gate, Section, Severity, Source, read_claims,
};
use serde_json::Value;
use strum::VariantArray as _;

use crate::Error;
use crate::report::Asked;

/// Where answers are.
#[derive(Debug, clap::Args)]
pub(crate) struct AnswerArgs {
    /// Folder of the agents' answers [default: answers in the output folder]
    #[arg(long, value_name = "DIR")]
    agent_dir: Option<PathBuf>,
}

impl AnswerArgs {
    /// The folder of the answers.
    pub(crate) fn folder(&self, folder: &Folder, context: &Context) -> Result<PathBuf, Error> {
        match &self.agent_dir {
            Some(path) => own_folder(context, path),
            None => Ok(folder.at("answers")),
        }
    }

    /// The same; one that the caller names is there.
    pub(crate) fn there(&self, folder: &Folder, context: &Context) -> Result<PathBuf, Error> {
        match &self.agent_dir {
            Some(path) => answers_folder(context, path),
            None => self.folder(folder, context),
        }
    }
}

/// The requests to agents, and what the answers contain.
#[derive(Debug, Default)]
pub(crate) struct Asking {
    /// Requests, each with whether its answer is there and valid.
    requests: Vec<(AgentRequest, Asked)>,
    pub(crate) claims: Vec<Claim>,
    pub(crate) findings: Findings,
    /// Findings about parts that no valid answer covers.
    pub(crate) open: Vec<Finding>,
}

/// The finding that a part of a report was not looked at: nobody knows whether the evidence is there, so a person has to look.
pub(crate) fn unseen(place: (&str, Option<u32>), dimension: &str, why: &str) -> Finding {
    let message = format!("evidence not checked: {why}");
    Finding {
        source: Some(Source::Agent),
        requires_decision: true,
        ..Finding::of_rule("not-checked", Severity::Warning, dimension, place, message)
    }
}

/// Why an answer is invalid; `None` where there is no answer.
type Problem = Option<String>;

/// Makes the requests about these sections, and reads the answers that are there.
///
/// Evidence is asked for only when all claims are known, because the list would be incomplete before.
pub(crate) fn ask(
    gate: Gate,
    sections: &[Section],
    diff: &[u8],
    answers: &Path,
) -> Result<Asking, Error> {
    let mut asking = Asking::default();
    for (number, section) in (1..).zip(sections) {
        let request = match gate {
            Gate::Claims => AgentRequest::extract(number, section),
            Gate::Review => AgentRequest::review(number, section),
        };
        let taken = answer(answers, &request.id)?.and_then(|output| match gate {
            Gate::Claims => {
                let claims = read_claims(section, &output).map_err(Some);
                claims.map(|claims| asking.claims.extend(claims))
            }
            Gate::Review => asking.take_findings(output),
        });
        let dimension = gate.profile().dimensions[0];
        let line = section.lines.first().map(|line| line.line);
        asking.note(request, taken, (&section.file, line), dimension);
    }
    sort(&mut asking.claims);
    if gate == Gate::Claims && asking.open.is_empty() {
        asking.ask_for_evidence(&String::from_utf8_lossy(diff), answers)?;
    }
    Ok(asking)
}

/// Sorts claims by their places.
pub(crate) fn sort(claims: &mut [Claim]) {
    let key = |claim: &Claim| (claim.file.clone(), claim.line, claim.claim_text.clone());
    claims.sort_by_cached_key(key);
}

impl Asking {
    fn ask_for_evidence(&mut self, diff: &str, answers: &Path) -> Result<(), Error> {
        let types = ClaimType::VARIANTS.iter().copied();
        // Claims about one's own experiments are their own evidence; the rules check their numbers.
        for claim_type in types.filter(|one| *one != ClaimType::Experimental) {
            let mut claims = self.claims.clone();
            claims.retain(|claim| claim.claim_type == claim_type);
            let Some(first) = claims.first() else {
                continue;
            };
            let request = AgentRequest::matching(claim_type, &claims, diff);
            let taken = answer(answers, &request.id)?.and_then(|output| self.take_findings(output));
            let place = (first.file.as_str(), first.line);
            self.note(request, taken, place, claim_type.into());
        }
        Ok(())
    }

    fn take_findings(&mut self, output: Value) -> Result<(), Problem> {
        let mut list = Findings::of(output)
            .ok_or_else(|| Some(String::from("the output is no list of findings")))?;
        for finding in &mut list.findings {
            finding.source = Some(Source::Agent);
            finding.rule = None;
            finding.suggestion = None;
        }
        self.findings.append(list);
        Ok(())
    }

    fn note(
        &mut self,
        request: AgentRequest,
        taken: Result<(), Problem>,
        place: (&str, Option<u32>),
        dimension: &str,
    ) {
        let asked = Asked {
            id: request.id.clone(),
            path: String::new(),
            answered: !matches!(taken, Err(None)),
            problem: taken.clone().err().flatten(),
        };
        self.requests.push((request, asked));
        if let Err(problem) = taken {
            let why = problem.as_deref().unwrap_or("no answer");
            self.open.push(unseen(place, dimension, why));
        }
    }

    /// Writes the requests.
    pub(crate) fn write(&self, folder: &Folder) -> Result<Vec<Asked>, Error> {
        let asked = self.requests.iter().map(|(request, asked)| {
            let path = folder.write_json(&format!("requests/{}.json", asked.id), request)?;
            let path = path.display().to_string();
            Ok(Asked {
                path,
                ..asked.clone()
            })
        });
        asked.collect()
    }
}

/// The output of the answer to the request `id`.
fn answer(answers: &Path, id: &str) -> Result<Result<Value, Problem>, Error> {
    let answer = aris_gates::answer(answers, id)?.ok_or(None);
    Ok(answer.and_then(|output| output.map_err(Some)))
}
