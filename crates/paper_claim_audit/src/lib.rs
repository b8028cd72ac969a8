//! `paper_claim_audit`: compares the numbers of a paper with its data, using bindings that say what each number means.
//!
//! **Input**: the paper's folder (LaTeX from the root document through everything it includes), `claims.toml` beside the root
//! document, and the data that it names: CSV, TSV, JSON, JSON Lines, YAML, TOML and SQLite. **Output**: the audit writes
//! `PAPER_CLAIM_AUDIT.json` (verdict, digests of what was read, every number), `PAPER_CLAIM_AUDIT.md` for people, and a trace; on
//! stdout what needs attention. **Exit**: 0 nothing to object to, 10 findings, 2 usage or no such folder, 3 the file of
//! `--claims` is absent, 4 `claims.toml` or a new binding is invalid, 5 a file cannot be written.
//!
//! Nothing is guessed: a number without a binding is listed, but neither accused nor passed.
//!
//! ```text
//! paper_claim_audit paper
//! paper_claim_audit suggest paper
//! paper_claim_audit bind paper --in main.tex --text 'reaches [[34.2]] BLEU' --value 'select max(bleu) from "../results/wmt14.csv"'
//! paper_claim_audit show paper --html paper.html
//! ```

mod cli;
mod commands;
mod error;
mod format;
mod markdown;
mod page;
mod session;

use aris_cli::{CommandSpec, Context, Network, Sample, Shown, Spec};
use aris_contract::{ErrorKind, schema};

pub use cli::Cli;
pub use error::Error;

use crate::cli::Command;

/// The helper's description of itself.
pub static SPEC: Spec = Spec {
    name: "paper_claim_audit",
    version: env!("CARGO_PKG_VERSION"),
    summary: "Check the numbers of a paper against its data, as claims.toml binds them",
    input: "the paper's LaTeX sources, claims.toml, and data (CSV, TSV, JSON, JSON Lines, YAML, TOML, SQLite)",
    output: "what needs attention, the verdict, and the path of the artifact; with --json one envelope",
    stderr: "warnings, errors",
    commands: &[
        CommandSpec::new(
            "suggest",
            "the paper's LaTeX sources, claims.toml and the data",
            "bindings to add",
            &[(3, ""), (4, ""), (5, "")],
        ),
        CommandSpec::new(
            "bind",
            "the paper's LaTeX sources, claims.toml and the data",
            "the binding, and whether its value is the number shown",
            &[
                (3, ""),
                (4, ""),
                (5, ""),
                (10, "the value is not the number shown"),
            ],
        ),
        CommandSpec::new(
            "emit",
            "the paper's LaTeX sources, claims.toml and the data",
            "each macro with its value, and the file",
            &[
                (3, ""),
                (4, ""),
                (5, ""),
                (10, "with --check: the file is not current"),
            ],
        ),
        CommandSpec::new(
            "show",
            "the paper's LaTeX sources, claims.toml and the data",
            "one line for each number: place, status, number in the paper, value of the data, id; with --html the page",
            &[(3, ""), (4, ""), (5, "")],
        ),
        CommandSpec::new(
            "trace-back",
            "the paper's LaTeX sources, claims.toml and the data, and the records of runs",
            "the data and the run that each number comes from",
            &[
                (3, ""),
                (4, ""),
                (5, ""),
                (10, "no record connects a number to its run"),
            ],
        ),
    ],
    examples: &[
        "paper_claim_audit paper  # audit the paper in ./paper with ./paper/claims.toml",
        "paper_claim_audit suggest paper --limit 10  # propose bindings for numbers that have none, best first",
        "paper_claim_audit bind paper --in main.tex --text 'reaches [[34.2]] BLEU' --value 'select max(bleu) from \"../results/wmt14.csv\"'  # check one binding and append it to paper/claims.toml",
        "paper_claim_audit emit paper --output paper/claims.tex  # write a macro with the value of every bound macro",
        "paper_claim_audit show paper --html paper.html  # write a page with every number coloured by its status",
        "paper_claim_audit trace-back main.tex:12 paper  # print the query, the rows, the files and the runs behind the numbers of one line",
    ],
    signals: &[(
        10,
        "findings: the verdict is FAIL, ERROR, BLOCKED or WARN; the value of a new binding is not the number in the paper; an emitted file is not current; no record connects a number to its run",
    )],
    ok: "every number is bound or waived and holds, or there is none; the command did its work",
    errors: &[
        ErrorKind::NotFound,
        ErrorKind::Validation,
        ErrorKind::Precondition,
    ],
    schemas: &[
        commands::audit::SCHEMA,
        commands::suggest::SCHEMA,
        commands::bind::SCHEMA,
        commands::emit::SCHEMA,
        commands::show::SCHEMA,
        commands::trace_back::SCHEMA,
        schema::id::AUDIT,
        aris_claims::details::SCHEMA,
    ],
    samples: &[Sample {
        args: &["--json", "no-such-paper"],
        exit: &[3],
    }],
    network: Network::None,
    deadline: Some(aris_cli::DEADLINE),
};

/// Runs the command.
pub fn run(cli: Cli, context: &Context) -> Result<Shown, Error> {
    match &cli.command {
        None => commands::audit::run(&cli.paper, cli.html.as_deref(), context),
        Some(Command::Suggest(args)) => commands::suggest::run(args, context),
        Some(Command::Bind(args)) => commands::bind::run(args, context),
        Some(Command::Emit(args)) => commands::emit::run(args, context),
        Some(Command::Show(args)) => commands::show::run(args, context),
        Some(Command::TraceBack(args)) => commands::trace_back::run(args, context),
    }
}

#[cfg(test)]
mod tests {
    use aris_testkit::check_schema;

    use super::*;
    use crate::commands::audit::AuditReport;
    use crate::commands::bind::BindReport;
    use crate::commands::emit::EmitReport;
    use crate::commands::show::ShowReport;
    use crate::commands::suggest::SuggestReport;
    use crate::commands::trace_back::TraceReport;

    #[test]
    fn schemas_are_current() {
        check_schema::<AuditReport>(commands::audit::SCHEMA);
        check_schema::<SuggestReport>(commands::suggest::SCHEMA);
        check_schema::<BindReport>(commands::bind::SCHEMA);
        check_schema::<EmitReport>(commands::emit::SCHEMA);
        check_schema::<ShowReport>(commands::show::SCHEMA);
        check_schema::<TraceReport>(commands::trace_back::SCHEMA);
        check_schema::<aris_claims::Details>(aris_claims::details::SCHEMA);
    }
}
