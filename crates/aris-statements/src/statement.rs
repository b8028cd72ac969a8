//! Classifies sentences as claims, with their type.

use aris_review::{Claim, ClaimType};

use crate::feature::{Feature, Features};
use crate::observe::observe;
use crate::prose::Prose;
use crate::prose::passage::PassageKind;
use crate::prose::sentence::Sentence;
use crate::score::{CERTAIN, CLAIM, score};

/// A sentence with its type and score.
#[derive(Debug, Clone)]
pub struct Statement {
    /// The sentence.
    pub sentence: Sentence,
    /// Its features.
    pub features: Features,
    /// Its type if it is a claim.
    pub kind: Option<ClaimType>,
    /// Likelihood that it is a claim, 0 to 1.
    pub score: f64,
    /// Whether it is a heading or a table cell without a full stop, and so perhaps not a sentence.
    pub loose: bool,
    /// Line of its first character, from 1.
    pub line: usize,
    /// File that contains it.
    pub file: String,
}

impl Statement {
    /// Its type, when it is a claim.
    pub fn claim_type(&self) -> Option<ClaimType> {
        self.kind.filter(|_| self.score >= CLAIM)
    }

    /// Whether it may not be a claim.
    pub fn is_uncertain(&self) -> bool {
        self.score < CERTAIN || self.loose
    }

    /// Whether it has a source.
    pub fn is_cited(&self) -> bool {
        self.sentence.is_cited()
    }

    /// Whether it would be a claim that needs a source or a reason, had it no citation. A number in brackets alone makes none of it.
    pub(crate) fn rests_on_source(&self) -> bool {
        let mut bare = self.features;
        bare.remove(Feature::Cited);
        let kind = kind(bare).filter(|_| !self.loose || tells_of_others(bare));
        score(bare) >= CLAIM && kind.is_some_and(|kind| kind != ClaimType::Experimental)
    }

    /// Its file and line.
    pub(crate) fn place(&self) -> (&str, usize) {
        (&self.file, self.line)
    }

    /// Its text as a reader sees it.
    pub fn text<'p>(&self, prose: &'p Prose) -> &'p str {
        self.sentence.text(prose)
    }
}

/// Whether a caption or a possible title makes a statement about the work of others. A description of the authors' own figure,
/// or text without a verb, does not.
fn tells_of_others(features: Features) -> bool {
    use Feature as F;
    features.any(&[F::Others, F::Sota, F::Received])
        && features.any(&[F::Number, F::Change, F::Finding, F::Received, F::Universal])
}

/// All sentences of a document, in reading order, classified.
pub fn statements(prose: &Prose) -> Vec<Statement> {
    observe(prose)
        .map(|(sentence, features)| {
            let place = prose.place(sentence.passage, sentence.range.start);
            let passage = prose.passages.get(sentence.passage);
            let is_label = passage.is_some_and(|passage| {
                matches!(passage.kind, PassageKind::Heading | PassageKind::Cell)
            });
            let loose = is_label && !sentence.text(prose).ends_with(['.', '!']);
            let tells = tells_of_others(features);
            let mut weighed = features;
            if tells {
                // The weight of captions is for descriptions of their own figure.
                weighed.remove(Feature::Caption);
            }
            Statement {
                sentence,
                features,
                loose,
                kind: kind(features).filter(|_| tells || !loose),
                score: score(weighed),
                line: place.line,
                file: place.file,
            }
        })
        .collect()
}

/// The claims among the statements, in the gate's exchange format: sorted by file, then line.
pub fn claims(prose: &Prose, statements: &[Statement]) -> Vec<Claim> {
    let claim = |statement: &Statement| {
        let passage = prose.passages.get(statement.sentence.passage)?;
        let features = statement.features.iter();
        Some(Claim {
            file: statement.file.clone(),
            line: u32::try_from(statement.line).ok(),
            claim_text: statement.text(prose).to_owned(),
            claim_type: statement.claim_type()?,
            section: prose.section(passage).to_owned(),
            cited: statement.is_cited(),
            score: Some((statement.score * 1_000.0).round() / 1_000.0),
            features: features.map(|feature| feature.name().to_owned()).collect(),
        })
    };
    let mut claims: Vec<Claim> = statements.iter().filter_map(claim).collect();
    claims.sort_by(|a, b| (&a.file, a.line).cmp(&(&b.file, b.line)));
    claims
}

/// The first matching type.
///
/// **Source**: citation gates, §8.2: comparative, experimental, methodological, external.
pub fn kind(features: Features) -> Option<ClaimType> {
    use Feature as F;
    let own = features.any(&[F::We, F::Own]);
    let outside = features.any(&[F::Others, F::Sota])
        // A named or cited work, if the sentence is also about the authors or the section compares.
        || features.any(&[F::NamedWork, F::Cited]) && own
        || features.any(&[F::NamedWork, F::Cited]) && features.any(&[F::InDiscussion, F::InResults]);
    let compares = features.has(F::Comparison)
        || features.has(F::Comparative) && features.any(&[F::Others, F::Sota]);
    let achieves = features.any(&[F::Own, F::Finding, F::Change, F::InResults, F::Number]);
    let reasoned = features.any(&[F::Justified, F::Reasoned]);
    let chosen = reasoned && features.has(F::InMethods);
    if features.has(F::Universal)
        || compares && outside && !chosen
        || features.has(F::Sota) && (achieves || features.has(F::InDiscussion))
    {
        return Some(ClaimType::Comparative);
    }
    // A measured difference is a result; a choice has a reason and not a size.
    let differs = features.any(&[F::Unit, F::Percent, F::Factor])
        && features.any(&[F::Change, F::Comparison, F::Comparative])
        && !features.any(&[F::Cited, F::Justified, F::Rationale, F::InBackground, F::We]);
    let measured = features.any(&[F::Number, F::Finding]) && features.has(F::InResults) || differs;
    if reasoned && !measured && (own || chosen || !features.has(F::Cited)) {
        return Some(ClaimType::Methodological);
    }
    // A hypothesis that is not based on anything in this work states no fact.
    let rests = features.any(&[F::Number, F::Own, F::Finding, F::Cited, F::Received]);
    if features.has(F::Hedge) && features.has(F::InDiscussion) && !rests && !reasoned {
        return None;
    }
    let cited_only = features.has(F::Cited) && !own;
    // A result of others is not a result of this work, in any section.
    let of_others = features.has(F::Others) && !own;
    let changes = features.any(&[F::Comparison, F::Comparative, F::Change]);
    let states = changes || features.any(&[F::Number, F::PValue, F::Finding]);
    let here = features.has(F::InResults)
        || features.any(&[F::Own, F::Finding])
        || features.has(F::We) && states
        || states && features.has(F::InDiscussion) && !features.any(&[F::Received, F::General]);
    if !cited_only && !of_others && here && !features.has(F::InBackground) {
        return Some(ClaimType::Experimental);
    }
    if !cited_only && features.has(F::Own) && states {
        return Some(ClaimType::Experimental);
    }
    if reasoned {
        return Some(ClaimType::Methodological);
    }
    // A section titled for example "Measurements" mixes methods and results.
    let outcome = features.any(&[F::Percent, F::Factor, F::PValue, F::Interval])
        || features.has(F::Number) && features.any(&[F::Change, F::Comparison]);
    if features.has(F::InMethods)
        && outcome
        && !features.any(&[F::Cited, F::Received, F::General, F::Procedure])
    {
        return Some(ClaimType::Experimental);
    }
    let foreign = features.any(&[F::Cited, F::Received, F::General, F::InBackground])
        || features.any(&[F::Number, F::Change, F::Comparison]) && !features.has(F::InMethods);
    foreign.then_some(ClaimType::External)
}
