//! All rules: the one place that says what each is called, how much it weighs and what it needs. The rules' documentation is made
//! from this table.
//!
//! **Source**: the ids of the sections up to and including [`Section::Cards`] are those of the public reference (`AutoSkillit` 0.9.0)
//! where it has one; for the structure of a recipe it has sentences, and the ids are ours.

use super::{Data, Profile};
use crate::finding::Severity;
use Class::{General, Manifest as ByManifest, Project};
use Need::{
    Budgets, Card, Diagram, DisabledCategories, LocalSkills, Manifest, Packs, Skills, SubRecipes,
    Tools,
};
use Severity::{Error, Info, Warning};

/// Which recipes a rule is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Any.
    General,
    /// Any, but it needs a data file or text of skills.
    Manifest,
    /// Those of the public reference: it names that project's own tools and skills.
    Project,
}

/// Where a rule stands in the documentation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Section {
    /// Parts of a recipe and of its steps.
    Structure,
    /// Ways through the steps.
    Routing,
    /// Variables, and commands.
    DataFlow,
    /// Contracts of skills and tools.
    Skills,
    /// Steps with a common budget.
    Blocks,
    /// Worktrees and git.
    Worktrees,
    /// Continuous integration and merge queues.
    Integration,
    /// Plans in several parts.
    Plans,
    /// Stored contract cards, and notes on data flow.
    Cards,
    /// Rules that the reference does not have.
    Own,
}

/// What a rule cannot do without.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// Contracts of skills.
    Manifest,
    /// Packs in the manifest.
    Packs,
    /// Categories that the manifest says are switched off.
    DisabledCategories,
    /// Local skills in the manifest.
    LocalSkills,
    /// Tools and parameters.
    Tools,
    /// Budgets of blocks.
    Budgets,
    /// Folders of skills.
    Skills,
    /// Folders of sub-recipes.
    SubRecipes,
    /// A contract card.
    Card,
    /// A folder of diagrams.
    Diagram,
}

/// One rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// Its id.
    pub id: &'static str,
    /// What it weighs, at most.
    pub severity: Severity,
    /// Some of its findings are warnings only.
    pub or_warning: bool,
    /// Which recipes it is for.
    pub class: Class,
    /// Where it stands in the documentation.
    pub section: Section,
    /// What it cannot do without.
    pub needs: &'static [Need],
    /// What it demands, in one line.
    pub text: &'static str,
}

const fn rule(
    id: &'static str,
    severity: Severity,
    class: Class,
    section: Section,
    needs: &'static [Need],
    text: &'static str,
) -> Rule {
    Rule {
        id,
        severity,
        or_warning: false,
        class,
        section,
        needs,
        text,
    }
}

const fn mixed(
    id: &'static str,
    class: Class,
    section: Section,
    needs: &'static [Need],
    text: &'static str,
) -> Rule {
    Rule {
        or_warning: true,
        ..rule(id, Error, class, section, needs, text)
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
    Schema = rule("schema", Error, General, Section::Structure, &[], "The file is what the JSON Schema of recipes says."),
    UnknownKey = rule("unknown-key", Warning, General, Section::Structure, &[], "Every key is known."),
    DuplicateKey = rule("duplicate-key", Error, General, Section::Structure, &[], "Every key stands once in its mapping."),
    SubRecipeUnknownGate = rule("sub-recipe-unknown-gate", Error, General, Section::Structure, &[], "The gate of a placeholder is a declared input."),
    UnknownRouteTarget = rule("unknown-route-target", Error, General, Section::Structure, &[], "Every route leads to a step or to done; on_exhausted may lead to escalate."),
    CaptureNoResultRef = rule("capture-no-result-ref", Error, General, Section::Structure, &[], "A capture reads the result of its step."),
    CaptureWrongNamespace = rule("capture-wrong-namespace", Error, General, Section::Structure, &[], "A capture reads nothing but the result of its step."),
    UndeclaredInputRef = rule("undeclared-input-ref", Error, General, Section::Structure, &[], "An input that `with` reads is declared."),
    UndeclaredContextRef = rule("undeclared-context-ref", Error, General, Section::Structure, &[], "A variable that `with` reads was captured by an earlier step of the file, or is in optional_context_refs."),

    // Routing
    UnreachableStep = rule("unreachable-step", Warning, General, Section::Routing, &[], "Every step can be reached from the first one."),
    UnboundedCycle = mixed("unbounded-cycle", General, Section::Routing, &[], "A loop can be left, and something bounds how often it runs; the bound alone missing is a warning."),
    OnResultMissingFailureRoute = rule("on-result-missing-failure-route", Error, General, Section::Routing, &[], "A tool or python step with on_result has on_failure: a failed call has no result to route by."),
    SkipWhenFalseUndeclared = rule("skip-when-false-undeclared", Error, General, Section::Routing, &[], "skip_when_false is inputs.NAME of a declared input."),
    AdvisoryStepMissingContextLimit = rule("advisory-step-missing-context-limit", Warning, General, Section::Routing, &[], "An agent step that may be skipped also says where it goes when its context is full."),
    CaptureInversionDetection = rule("capture-inversion-detection", Error, General, Section::Routing, &[], "A variable that routes are decided by is read only where one of these decisions holds on every path."),
    UnknownSubRecipe = mixed("unknown-sub-recipe", ByManifest, Section::Routing, &[SubRecipes], "The sub-recipe of a placeholder exists; where its gate is off by default, an absent one is a warning."),
    CircularSubRecipe = rule("circular-sub-recipe", Error, General, Section::Routing, &[SubRecipes], "Sub-recipes do not contain each other in a circle."),

    // Data flow and commands
    DeadOutput = rule("dead-output", Error, General, Section::DataFlow, &[], "A captured variable is read later."),
    ModelOnNonSkillStep = rule("model-on-non-skill-step", Warning, General, Section::DataFlow, &[], "Only agent steps have a model."),
    RunCmdEmitAlignment = rule("run-cmd-emit-alignment", Error, General, Section::DataFlow, &[], "A field captured from a command is echoed by it as `echo \"field=…\"`."),
    RunCmdFindRediscovery = rule("run-cmd-find-rediscovery", Warning, General, Section::DataFlow, &[], "A command does not search for a path that an earlier step knew."),
    StaleRefAfterMerge = rule("stale-ref-after-merge", Warning, Project, Section::DataFlow, &[], "A worktree, branch or clone is not used after the step that removed it."),
    PipelineInternalNotHidden = rule("pipeline-internal-not-hidden", Warning, Project, Section::DataFlow, &[], "An input that only other programs set is hidden."),
    RequiredIngredientNoDefault = rule("required-ingredient-no-default", Warning, Project, Section::DataFlow, &[], "A required input that people see has a default."),
    OutdatedRecipeVersion = rule("outdated-recipe-version", Warning, Project, Section::DataFlow, &[], "The recipe was written for the installed version."),
    ResearchOutputModeEnum = rule("research-output-mode-enum", Error, Project, Section::DataFlow, &[], "The recipe research has pr or local as default of output_mode."),
    WeakConstraintText = rule("weak-constraint-text", Warning, Project, Section::DataFlow, &[], "The rules for the executor name every tool that it must not use."),
    UnknownRequiredPack = rule("unknown-required-pack", Warning, ByManifest, Section::DataFlow, &[Packs], "A required pack of skills is registered."),

    // Skills and tools
    UnknownSkillCommand = rule("unknown-skill-command", Error, ByManifest, Section::Skills, &[Skills], "The skill of an agent step is installed."),
    UndeclaredCaptureKey = rule("undeclared-capture-key", Warning, ByManifest, Section::Skills, &[Manifest], "A field captured from a skill is one of its declared outputs."),
    ImplicitHandoff = rule("implicit-handoff", Error, ByManifest, Section::Skills, &[Manifest], "What a skill gives is captured."),
    UncapturedHandoffConsumer = rule("uncaptured-handoff-consumer", Warning, ByManifest, Section::Skills, &[Manifest], "A skill without outputs is not followed by one that takes paths from nowhere."),
    MissingIngredient = rule("missing-ingredient", Error, ByManifest, Section::Skills, &[Manifest], "The required inputs of a skill are given."),
    MissingRecommendedInput = rule("missing-recommended-input", Warning, ByManifest, Section::Skills, &[Manifest], "The recommended inputs of a skill are given."),
    ShadowedRequiredInput = rule("shadowed-required-input", Error, ByManifest, Section::Skills, &[Manifest], "A required input of a skill is given by reference, not described in prose, where a variable of its name exists."),
    UnroutedVerdictValue = rule("unrouted-verdict-value", Error, ByManifest, Section::Skills, &[Manifest], "At most one of the values of a verdict is left to the default route."),
    MissingOutputPatterns = rule("missing-output-patterns", Warning, ByManifest, Section::Skills, &[Manifest], "A skill that gives files has patterns for its final text."),
    MissingPatternExamples = rule("missing-pattern-examples", Warning, ByManifest, Section::Skills, &[Manifest], "A skill with patterns has examples for them."),
    PatternExamplesMatch = rule("pattern-examples-match", Error, ByManifest, Section::Skills, &[Manifest], "Every pattern is a regular expression and matches an example."),
    WriteBehaviorConsistency = mixed("write-behavior-consistency", ByManifest, Section::Skills, &[Manifest], "write_behavior is always or conditional; conditional says when; always with such a condition is a warning."),
    AlwaysHasNoWriteExit = rule("always-has-no-write-exit", Error, Project, Section::Skills, &[Manifest, Skills], "A skill that always writes has no success without writing in its text."),
    FileWritingSkillMissingContextLimit = rule("file-writing-skill-missing-context-limit", Warning, ByManifest, Section::Skills, &[Manifest], "A step whose skill always writes says where it goes when its context is full."),
    ConditionalSkillUngatedPush = rule("conditional-skill-ungated-push", Error, ByManifest, Section::Skills, &[Manifest], "A step whose skill may write nothing is routed by its outputs before a push."),
    SkillCommandMissingPrefix = rule("skill-command-missing-prefix", Warning, ByManifest, Section::Skills, &[], "A skill command begins with a slash."),
    UndefinedBashPlaceholder = rule("undefined-bash-placeholder", Warning, Project, Section::Skills, &[Skills], "A {name} in the commands of a skill is declared or assigned there."),
    OutputSectionNoMarkdownDirective = rule("output-section-no-markdown-directive", Warning, Project, Section::Skills, &[Manifest, Skills], "A skill with patterns tells to write its result lines as plain text."),
    HardcodedOriginRemote = rule("hardcoded-origin-remote", Warning, Project, Section::Skills, &[Skills], "Commands of a skill do not fetch from a remote by the name origin."),
    NoAutoskillitImportInSkillPythonBlock = rule("no-autoskillit-import-in-skill-python-block", Error, Project, Section::Skills, &[Skills], "Commands of a skill import only the standard library."),
    SubsetDisabledSkill = rule("subset-disabled-skill", Warning, Project, Section::Skills, &[Manifest, DisabledCategories], "The skill of a step is not switched off."),
    SubsetDisabledTool = rule("subset-disabled-tool", Warning, Project, Section::Skills, &[Tools, DisabledCategories], "The tool of a step is not switched off."),
    ProjectLocalSkillOverride = rule("project-local-skill-override", Warning, Project, Section::Skills, &[LocalSkills], "A skill that the project replaces is called without a namespace."),
    UnknownTool = mixed("unknown-tool", ByManifest, Section::Skills, &[Tools], "The tool of a step is registered; without a list of tools, a name near `run_cmd` or `run_skill` is a warning."),
    DeadWithParam = rule("dead-with-param", Warning, ByManifest, Section::Skills, &[Tools], "Every argument is a parameter of the tool."),

    // Blocks
    BlockRunCmdBudget = rule("block-run-cmd-budget", Error, ByManifest, Section::Blocks, &[Budgets], "A block has no more commands than its budget."),
    BlockMcpToolBudget = rule("block-mcp-tool-budget", Error, ByManifest, Section::Blocks, &[Budgets], "A block has no more calls of other tools than its budget."),
    BlockGhApiForbidden = rule("block-gh-api-forbidden", Error, ByManifest, Section::Blocks, &[Budgets], "Commands of a block do not call `gh api` where its budget forbids it."),
    BlockSingleProducer = rule("block-single-producer", Warning, General, Section::Blocks, &[], "A variable has one producer in a block."),
    BlockEntryExitReachable = rule("block-entry-exit-reachable", Warning, General, Section::Blocks, &[], "A block has one way in and one way out."),

    // Worktrees and git
    RetriesOnWorktreeModifyingSkill = rule("retries-on-worktree-modifying-skill", Error, Project, Section::Worktrees, &[], "A skill that makes a worktree is not retried."),
    MissingContextLimitOnWorktree = rule("missing-context-limit-on-worktree", Warning, Project, Section::Worktrees, &[], "A skill that makes a worktree says where it goes when its context is full."),
    RetryWorktreeCwd = rule("retry-worktree-cwd", Error, Project, Section::Worktrees, &[], "Work on a worktree goes on in the folder that a variable names."),
    CloneRootAsWorktree = rule("clone-root-as-worktree", Error, Project, Section::Worktrees, &[], "The root of a clone is not taken for a worktree."),
    MergeBaseUnpublished = rule("merge-base-unpublished", Error, Project, Section::Worktrees, &[], "A branch is pushed on every path before something is merged into it."),
    MergeWithoutCommitGuard = rule("merge-without-commit-guard", Error, Project, Section::Worktrees, &[], "Something commits shortly before a merge."),
    MergeRoutingIncomplete = rule("merge-routing-incomplete", Error, Project, Section::Worktrees, &[], "Every failure of a merge that can be recovered has its route."),
    MergeCleanupUncaptured = rule("merge-cleanup-uncaptured", Warning, Project, Section::Worktrees, &[], "A merge keeps whether its cleanup succeeded."),
    PushBeforeAudit = rule("push-before-audit", Warning, Project, Section::Worktrees, &[], "No push is reached without the audit of the implementation."),
    PushMissingExplicitRemoteUrl = rule("push-missing-explicit-remote-url", Warning, Project, Section::Worktrees, &[], "A push says where to."),
    RebaseThenPushRequiresForce = rule("rebase-then-push-requires-force", Error, Project, Section::Worktrees, &[], "A push after conflicts were resolved by rebase is forced."),
    CloneLocalStrategyWithRemoteUrlCapture = mixed("clone-local-strategy-with-remote-url-capture", Project, Section::Worktrees, &[], "No address of a remote is captured from a local clone."),
    SourceIsolationViolation = mixed("source-isolation-violation", Project, Section::Worktrees, &[], "Work happens in a clone, not in the folder that an input names."),
    GitMutationOnSource = rule("git-mutation-on-source", Warning, Project, Section::Worktrees, &[], "No command changes the repository in the folder that an input names."),

    // Continuous integration
    CiPollingInlineShell = rule("ci-polling-inline-shell", Warning, Project, Section::Integration, &[], "Continuous integration is waited for with the tool for it."),
    CiMissingEventScope = rule("ci-missing-event-scope", Warning, Project, Section::Integration, &[], "A question to continuous integration says which event it means."),
    CiHardcodedWorkflow = rule("ci-hardcoded-workflow", Warning, Project, Section::Integration, &[], "The workflow that is waited for is not written down in the recipe."),
    EventScopeRequiresUpstreamCapture = rule("event-scope-requires-upstream-capture", Error, Project, Section::Integration, &[], "The event that is waited for comes from the repository."),
    CiFailureMissingConflictGate = rule("ci-failure-missing-conflict-gate", Error, Project, Section::Integration, &[], "Before code is changed for a failed run, somebody looks whether its base is stale."),
    WaitForMergeQueueRoutingCoversAllPrStates = rule("wait-for-merge-queue-routing-covers-all-pr-states", Error, Project, Section::Integration, &[], "Every state of a pull request in a merge queue has its route."),
    WaitForMergeQueueRoutingConformsToExpectedTargets = rule("wait-for-merge-queue-routing-conforms-to-expected-targets", Error, Project, Section::Integration, &[], "What cannot be told about a merge queue leads to release_issue_timeout."),

    // Plans in several parts
    MultipartGlobNote = rule("multipart-glob-note", Error, Project, Section::Plans, &[], "The planning step says how the parts of a plan are found."),
    MultipartSequentialKitchenRule = rule("multipart-sequential-kitchen-rule", Warning, Project, Section::Plans, &[], "The rules for the executor say that parts are done one after the other."),
    MultipartRouteBack = rule("multipart-route-back", Error, Project, Section::Plans, &[], "After one part the next is verified."),
    MultipartPlanPartsNotCaptured = rule("multipart-plan-parts-not-captured", Error, Project, Section::Plans, &[], "The parts of a plan are captured as a list."),

    // Contract cards
    ContractUnsatisfiedInput = rule("contract-unsatisfied-input", Error, Project, Section::Cards, &[Card], "What a card requires is available at its step."),
    ContractUnreferencedRequired = rule("contract-unreferenced-required", Error, Project, Section::Cards, &[Card], "What a card requires and is available is referred to."),
    StaleContract = rule("stale-contract", Warning, Project, Section::Cards, &[Card], "The card was made from the manifest, skills and blocks as they are."),
    StaleDiagram = rule("stale-diagram", Warning, Project, Section::Cards, &[Diagram], "The diagram was drawn from the recipe as it is."),
    NoteDeadOutput = rule("DEAD_OUTPUT", Info, Project, Section::Cards, &[], "Note: a captured variable is never read."),
    NoteImplicitHandoff = rule("IMPLICIT_HANDOFF", Info, Project, Section::Cards, &[], "Note: an agent step captures nothing."),
    NoteRefInvalidated = rule("REF_INVALIDATED", Info, Project, Section::Cards, &[], "Note: something is used after the step that removed it."),

    // Beyond the reference
    BadWhenExpression = mixed("bad-when-expression", General, Section::Own, &[], "Every `when` can be read; a `${{ … }}` elsewhere that cannot is a warning."),
    UnknownFilter = rule("unknown-filter", Error, General, Section::Own, &[], "Every filter exists."),
    UndeclaredRefInWhen = rule("undeclared-ref-in-when", Error, General, Section::Own, &[], "What a `when` reads is declared or captured somewhere."),
    UndeclaredRefInMessage = rule("undeclared-ref-in-message", Warning, General, Section::Own, &[], "What a message reads is declared or captured somewhere."),
    NoTerminalPath = rule("no-terminal-path", Error, General, Section::Own, &[], "From every step an end can be reached."),
    AmbiguousSkipRoute = rule("ambiguous-skip-route", Warning, General, Section::Own, &[], "Where a skipped step goes is written down."),
    OnResultNoDefault = rule("on-result-no-default", Warning, General, Section::Own, &[], "The last branch of on_result is a default."),
    OpenDefault = rule("open-default", Warning, General, Section::Own, &[], "What no branch of a gate names goes where a failure goes or is stopped, unless the manifest lists the values."),
    OpenFailure = rule("open-failure", Warning, General, Section::Own, &[], "Where a gate stops some verdicts, a step that gave none does not go on."),
    ShadowedCondition = rule("shadowed-condition", Warning, General, Section::Own, &[], "No branch of on_result stands behind a default or an equal condition."),
    ImpossibleComparison = rule("impossible-comparison", Warning, ByManifest, Section::Own, &[Manifest], "A verdict is compared with a value that it can have."),
    NoSuccessRoute = rule("no-success-route", Warning, General, Section::Own, &[], "A step that does not end the run says where it goes after success."),
    NoFailureRoute = rule("no-failure-route", Warning, General, Section::Own, &[], "A tool step says where it goes after failure."),
    MaybeAbsentContext = rule("maybe-absent-context", Info, General, Section::Own, &[], "A variable that `with` reads was captured on every path to it."),
    ClassConflict = rule("class-conflict", Error, General, Section::Own, &[], "`state` gives known classes to variables that some step captures and may write."),
    ResumeTargetUnknown = rule("resume-target-unknown", Error, General, Section::Own, &[], "A tier of resume starts at a step, and no two tiers have one number."),
    ResumeVariableUncaptured = rule("resume-variable-uncaptured", Error, General, Section::Own, &[], "A tier of resume looks at a captured variable."),
    ShellInterpolation = rule("shell-interpolation", Warning, General, Section::Own, &[], "Text from inputs and agents is quoted (`| shq`) in commands."),
    GateNotHidden = rule("gate-not-hidden", Warning, General, Section::Own, &[], "The gate of a placeholder is a hidden input."),
    IngredientDefaultType = rule("ingredient-default-type", Warning, General, Section::Own, &[], "A default is a text."),
    IngredientEnum = rule("ingredient-enum", Error, General, Section::Own, &[], "A default is one of the values of its enum."),
    InertExhaustRoute = rule("inert-exhaust-route", Info, General, Section::Own, &[], "on_exhausted is written where it can be taken."),
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
            Profile::Core | Profile::Strict => self.class != Project,
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

    /// What it needs and was not given.
    pub fn missing(&self, data: &Data) -> Option<Need> {
        self.needs.iter().copied().find(|need| !need.is_in(data))
    }
}

impl Need {
    /// Whether it was given.
    pub fn is_in(self, data: &Data) -> bool {
        let manifest = data.manifest.as_ref();
        match self {
            Manifest => manifest.is_some(),
            Packs => manifest.is_some_and(|manifest| manifest.packs.is_some()),
            DisabledCategories => {
                manifest.is_some_and(|manifest| manifest.disabled_categories.is_some())
            }
            LocalSkills => manifest.is_some_and(|manifest| manifest.local_skills.is_some()),
            Tools => data.tools.is_some(),
            Budgets => data.budgets.is_some(),
            Skills => data.skills.is_some(),
            SubRecipes => data.sub_recipes.is_some(),
            Card => has_contract(data, |stored| stored.card.is_some()),
            Diagram => has_contract(data, |stored| stored.diagram.is_some()),
        }
    }

    /// Why a rule was skipped without it.
    pub const fn why_skipped(self) -> &'static str {
        match self {
            Manifest => "no manifest of skill contracts was given (--manifest)",
            Packs => "no manifest with `packs` was given (--manifest)",
            DisabledCategories => "no manifest with `disabled_categories` was given (--manifest)",
            LocalSkills => "no manifest with `local_skills` was given (--manifest)",
            Tools => "no list of tools was given (--tools)",
            Budgets => "no budgets of blocks were given (--budgets)",
            Skills => "no folder of skills was given (--skills-dir)",
            SubRecipes => "no folder of sub-recipes is there or was given (--sub-recipes-dir)",
            Card => "no contract card of this recipe was given (--contracts)",
            Diagram => "no folder of diagrams was given (--contracts)",
        }
    }
}

fn has_contract(data: &Data, wanted: fn(&super::Contracts) -> bool) -> bool {
    data.contracts.as_ref().is_some_and(wanted)
}
