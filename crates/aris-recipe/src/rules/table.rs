//! All rules: the only place with their ids, severities and data. Their documentation is made from this table.
//!
//! **Source**: in the sections before [`Section::Own`], the ids are those of the public reference (`AutoSkillit` 0.9.0) where it has one.
//! For the structure of a recipe it has only sentences, so these ids are ours.

use serde::Deserialize;

use super::{Data, Profile};
use crate::finding::Severity;
use Need::{Budgets, Manifest, Packs, Skills, SubRecipes, Tools};
use Severity::{Error, Info, Warning};

/// A section of the documentation.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, strum::Display, strum::VariantArray,
)]
pub enum Section {
    /// Parts of a recipe and of its steps.
    Structure,
    /// Ways through the steps.
    #[strum(to_string = "Ways through the steps")]
    Routing,
    /// Variables, and commands.
    #[strum(to_string = "Data flow and commands")]
    DataFlow,
    /// Contracts of skills and tools.
    #[strum(to_string = "Skills and tools")]
    Skills,
    /// Steps with a common budget.
    Blocks,
    /// Rules that the reference does not have.
    #[strum(to_string = "Beyond the reference")]
    Own,
}

/// Data that a rule needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Need {
    /// Contracts of skills.
    Manifest,
    /// Packs in the manifest.
    Packs,
    /// Tools and parameters.
    Tools,
    /// Budgets of blocks.
    Budgets,
    /// Folders of skills.
    Skills,
    /// Folders of sub-recipes.
    SubRecipes,
}

/// One rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// Its id.
    pub id: &'static str,
    /// Its severity, or the highest of those that its findings have.
    pub severity: Severity,
    /// Whether some of its findings are only warnings.
    pub or_warning: bool,
    /// Its section in the documentation.
    pub section: Section,
    /// Data without which it is skipped.
    pub needs: &'static [Need],
    /// What it demands, in one line.
    pub text: &'static str,
}

const fn rule(
    id: &'static str,
    severity: Severity,
    section: Section,
    needs: &'static [Need],
    text: &'static str,
) -> Rule {
    Rule {
        id,
        severity,
        or_warning: false,
        section,
        needs,
        text,
    }
}

const fn mixed(
    id: &'static str,
    section: Section,
    needs: &'static [Need],
    text: &'static str,
) -> Rule {
    Rule {
        or_warning: true,
        ..rule(id, Error, section, needs, text)
    }
}

/// Names the rules, and puts them into one list.
macro_rules! rules {
    ($($id:ident = $rule:expr,)*) => {
        /// A rule by name. Its place is that of the rule in [`RULES`].
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        #[expect(missing_docs, reason = "the table says what each demands")]
        pub enum Id {
            $($id,)*
        }

        impl Id {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$id,)*];
        }

        /// All rules, in the order of the documentation, which is also the order of findings about one step.
        pub const RULES: &[Rule] = &[$($rule,)*];
    };
}

#[rustfmt::skip]
rules! {
    // Structure
    Schema = rule("schema", Error, Section::Structure, &[], "The file is what the JSON Schema of recipes says."),
    UnknownKey = rule("unknown-key", Warning, Section::Structure, &[], "Every key is known."),
    DuplicateKey = rule("duplicate-key", Error, Section::Structure, &[], "Every key stands once in its mapping."),
    SubRecipeUnknownGate = rule("sub-recipe-unknown-gate", Error, Section::Structure, &[], "The gate of a placeholder is a declared input."),
    UnknownRouteTarget = rule("unknown-route-target", Error, Section::Structure, &[], "Every route leads to a step or to done; on_exhausted may lead to escalate."),
    CaptureNoResultRef = rule("capture-no-result-ref", Error, Section::Structure, &[], "A capture reads the result of its step."),
    CaptureWrongNamespace = rule("capture-wrong-namespace", Error, Section::Structure, &[], "A capture reads nothing but the result of its step."),
    UndeclaredInputRef = rule("undeclared-input-ref", Error, Section::Structure, &[], "An input that `with` reads is declared."),
    UndeclaredContextRef = rule("undeclared-context-ref", Error, Section::Structure, &[], "A variable that `with` reads was captured by an earlier step of the file, or is in optional_context_refs."),

    // Routing
    UnreachableStep = rule("unreachable-step", Warning, Section::Routing, &[], "Every step can be reached from the first one."),
    UnboundedCycle = mixed("unbounded-cycle", Section::Routing, &[], "A loop can be left, and something bounds how often it runs; the bound alone missing is a warning."),
    OnResultMissingFailureRoute = rule("on-result-missing-failure-route", Error, Section::Routing, &[], "A tool or python step with on_result has on_failure: a failed call has no result to route by."),
    SkipWhenFalseUndeclared = rule("skip-when-false-undeclared", Error, Section::Routing, &[], "skip_when_false is inputs.NAME of a declared input."),
    AdvisoryStepMissingContextLimit = rule("advisory-step-missing-context-limit", Warning, Section::Routing, &[], "An agent step that may be skipped also says where it goes when its context is full."),
    CaptureInversionDetection = rule("capture-inversion-detection", Error, Section::Routing, &[], "A variable that routes are decided by is read only where one of these decisions holds on every path."),
    UnknownSubRecipe = mixed("unknown-sub-recipe", Section::Routing, &[SubRecipes], "The sub-recipe of a placeholder exists; where its gate is off by default, an absent one is a warning."),
    CircularSubRecipe = rule("circular-sub-recipe", Error, Section::Routing, &[SubRecipes], "Sub-recipes do not contain each other in a circle."),

    // Data flow and commands
    DeadOutput = rule("dead-output", Error, Section::DataFlow, &[], "A captured variable is read later."),
    ModelOnNonSkillStep = rule("model-on-non-skill-step", Warning, Section::DataFlow, &[], "Only agent steps have a model."),
    RunCmdEmitAlignment = mixed("run-cmd-emit-alignment", Section::DataFlow, &[], "A field captured from a command is echoed by it as `echo \"field=…\"`; an error in the profile compat only."),
    RunCmdFindRediscovery = rule("run-cmd-find-rediscovery", Warning, Section::DataFlow, &[], "A command does not search for a path that an earlier step knew."),
    UnknownRequiredPack = rule("unknown-required-pack", Warning, Section::DataFlow, &[Packs], "A required pack of skills is registered."),

    // Skills and tools
    UnknownSkillCommand = rule("unknown-skill-command", Error, Section::Skills, &[Skills], "The skill of an agent step is installed."),
    UndeclaredCaptureKey = rule("undeclared-capture-key", Warning, Section::Skills, &[Manifest], "A field captured from a skill is one of its declared outputs."),
    ImplicitHandoff = rule("implicit-handoff", Error, Section::Skills, &[Manifest], "What a skill gives is captured."),
    UncapturedHandoffConsumer = rule("uncaptured-handoff-consumer", Warning, Section::Skills, &[Manifest], "A skill without outputs is not followed by one that takes paths from nowhere."),
    MissingIngredient = rule("missing-ingredient", Error, Section::Skills, &[Manifest], "The required inputs of a skill are given."),
    MissingRecommendedInput = rule("missing-recommended-input", Warning, Section::Skills, &[Manifest], "The recommended inputs of a skill are given."),
    ShadowedRequiredInput = rule("shadowed-required-input", Error, Section::Skills, &[Manifest], "A required input of a skill is given by reference, not described in prose, where a variable of its name exists."),
    UnroutedVerdictValue = rule("unrouted-verdict-value", Error, Section::Skills, &[Manifest], "At most one of the values of a verdict is left to the default route."),
    MissingOutputPatterns = rule("missing-output-patterns", Warning, Section::Skills, &[Manifest], "A skill that gives files has patterns for its final text."),
    MissingPatternExamples = rule("missing-pattern-examples", Warning, Section::Skills, &[Manifest], "A skill with patterns has examples for them."),
    PatternExamplesMatch = rule("pattern-examples-match", Error, Section::Skills, &[Manifest], "Every pattern is a regular expression and matches an example."),
    WriteBehaviorConsistency = mixed("write-behavior-consistency", Section::Skills, &[Manifest], "write_behavior is always or conditional; conditional says when; always with such a condition is a warning."),
    FileWritingSkillMissingContextLimit = rule("file-writing-skill-missing-context-limit", Warning, Section::Skills, &[Manifest], "A step whose skill always writes says where it goes when its context is full."),
    ConditionalSkillUngatedPush = rule("conditional-skill-ungated-push", Error, Section::Skills, &[Manifest], "A step whose skill may write nothing is routed by its outputs before a push."),
    SkillCommandMissingPrefix = rule("skill-command-missing-prefix", Warning, Section::Skills, &[], "A skill command begins with a slash."),
    UnknownTool = mixed("unknown-tool", Section::Skills, &[Tools], "The tool of a step is registered; without a list of tools, a name near `run_cmd` or `run_skill` is a warning."),
    DeadWithParam = rule("dead-with-param", Warning, Section::Skills, &[Tools], "Every argument is a parameter of the tool."),

    // Blocks
    BlockRunCmdBudget = rule("block-run-cmd-budget", Error, Section::Blocks, &[Budgets], "A block has no more commands than its budget."),
    BlockMcpToolBudget = rule("block-mcp-tool-budget", Error, Section::Blocks, &[Budgets], "A block has no more calls of other tools than its budget."),
    BlockGhApiForbidden = rule("block-gh-api-forbidden", Error, Section::Blocks, &[Budgets], "Commands of a block do not call `gh api` where its budget forbids it."),
    BlockSingleProducer = rule("block-single-producer", Warning, Section::Blocks, &[], "A variable has one producer in a block."),
    BlockEntryExitReachable = rule("block-entry-exit-reachable", Warning, Section::Blocks, &[], "A block has one way in and one way out."),

    // Beyond the reference
    BadWhenExpression = mixed("bad-when-expression", Section::Own, &[], "Every `when` can be read; a `${{ … }}` elsewhere that cannot is a warning."),
    UnknownFilter = rule("unknown-filter", Error, Section::Own, &[], "Every filter exists."),
    UndeclaredRefInWhen = rule("undeclared-ref-in-when", Error, Section::Own, &[], "What a `when` reads is declared or captured somewhere."),
    UndeclaredRefInMessage = rule("undeclared-ref-in-message", Warning, Section::Own, &[], "What a message reads is declared or captured somewhere."),
    NoTerminalPath = rule("no-terminal-path", Error, Section::Own, &[], "From every step an end can be reached."),
    AmbiguousSkipRoute = rule("ambiguous-skip-route", Warning, Section::Own, &[], "Where a skipped step goes is written down."),
    OnResultNoDefault = rule("on-result-no-default", Warning, Section::Own, &[], "The last branch of on_result is a default."),
    OpenDefault = rule("open-default", Warning, Section::Own, &[], "What no branch of a gate names goes where a failure goes or is stopped, unless the manifest lists the values."),
    OpenFailure = rule("open-failure", Warning, Section::Own, &[], "Where a gate stops some verdicts, a step that gave none does not go on."),
    ShadowedCondition = rule("shadowed-condition", Warning, Section::Own, &[], "No branch of on_result stands behind a default or an equal condition."),
    ImpossibleComparison = rule("impossible-comparison", Warning, Section::Own, &[Manifest], "A verdict is compared with a value that it can have."),
    MisspeltRoute = rule("misspelt-route", Error, Section::Own, &[], "A step that says nowhere where it goes after success has no unknown key that may be meant to say it."),
    NoSuccessRoute = rule("no-success-route", Warning, Section::Own, &[], "A step that does not end the run says where it goes after success."),
    NoFailureRoute = rule("no-failure-route", Warning, Section::Own, &[], "A tool step says where it goes after failure."),
    MaybeAbsentContext = rule("maybe-absent-context", Info, Section::Own, &[], "A variable that `with` reads was captured on every path to it."),
    ClassConflict = rule("class-conflict", Error, Section::Own, &[], "`state` gives known classes to variables that some step captures and may write."),
    ResumeTargetUnknown = rule("resume-target-unknown", Error, Section::Own, &[], "A tier of resume starts at a step, and no two tiers have one number."),
    ResumeVariableUncaptured = rule("resume-variable-uncaptured", Error, Section::Own, &[], "A tier of resume looks at a captured variable."),
    ShellInterpolation = rule("shell-interpolation", Warning, Section::Own, &[], "Text from inputs and agents is quoted (`| shq`) in commands."),
    GateNotHidden = rule("gate-not-hidden", Warning, Section::Own, &[], "The gate of a placeholder is a hidden input."),
    IngredientDefaultType = rule("ingredient-default-type", Warning, Section::Own, &[], "A default is a text."),
    SecretDefault = rule("secret-default", Error, Section::Own, &[], "The default of a secret input says where the value is: env:VARIABLE or file:PATH."),
    IngredientEnum = rule("ingredient-enum", Error, Section::Own, &[], "A default is one of the values of its enum."),
    InertExhaustRoute = rule("inert-exhaust-route", Info, Section::Own, &[], "on_exhausted is written where it can be taken."),
}

impl Id {
    /// The rule of this name.
    pub const fn rule(self) -> &'static Rule {
        &RULES[self as usize]
    }

    /// Its id as it is printed.
    pub const fn name(self) -> &'static str {
        self.rule().id
    }
}

impl Rule {
    /// Whether a profile has it.
    pub fn is_in(&self, profile: Profile) -> bool {
        match profile {
            Profile::Core | Profile::Strict => true,
            Profile::Compat => self.section != Section::Own,
        }
    }

    /// Its severity under a profile: `strict` makes errors of our own warnings.
    pub fn severity_in(&self, profile: Profile) -> Severity {
        match (profile, self.section, self.severity) {
            (Profile::Strict, Section::Own, Warning) => Error,
            (_, _, severity) => severity,
        }
    }
}

impl Need {
    /// The first of several that was not given.
    pub(super) fn missing(needs: &[Self], data: &Data) -> Option<Self> {
        needs.iter().copied().find(|need| !need.is_in(data))
    }

    /// Whether it was given.
    pub fn is_in(self, data: &Data) -> bool {
        let manifest = data.manifest.as_ref();
        match self {
            Manifest => manifest.is_some(),
            Packs => manifest.is_some_and(|manifest| manifest.packs.is_some()),
            Tools => data.tools.is_some(),
            Budgets => data.budgets.is_some(),
            Skills => data.skills.is_some(),
            SubRecipes => data.sub_recipes.is_some(),
        }
    }

    /// What to give for it, and why it is absent.
    pub(super) fn wanted(self, data: &Data) -> (&'static str, &'static str) {
        match self {
            Packs if data.manifest.is_some() => {
                ("`packs` in the manifest", "the manifest has no `packs`")
            }
            _ => self.flag(),
        }
    }

    /// The flag that gives it, and what is reported where nothing was given.
    pub(super) const fn flag(self) -> (&'static str, &'static str) {
        match self {
            Manifest => ("--manifest", "no manifest of skill contracts was given"),
            Packs => ("--manifest", "no manifest with `packs` was given"),
            Tools => ("--tools", "no list of tools was given"),
            Budgets => ("--budgets", "no budgets of blocks were given"),
            Skills => ("--skills-dir", "no folder of skills was given"),
            SubRecipes => {
                let absent = "no folder of sub-recipes is there or was given";
                ("--sub-recipes-dir", absent)
            }
        }
    }
}
