//! Wrong arguments: exit 2, nothing is written, and with `--json` an envelope.

use super::{for_every_helper, kept};

#[test]
fn wrong_arguments_are_exit_two_and_change_nothing() {
    for_every_helper(|subject| {
        let success = subject.success().args;
        let mut wrong: Vec<Vec<&str>> = vec![
            [success, &["--no-such-flag-anywhere"]].concat(),
            vec!["--no-such-flag-anywhere"],
        ];
        if !subject.cases.open_ended {
            wrong.push([success, &["surplus-argument"]].concat());
        }
        if subject.contract.requires_something() {
            assert!(!subject.cases.incomplete.is_empty(), "no incomplete calls");
        }
        let flags = subject.contract.flags();
        if flags.iter().any(|(_, flag)| *flag == "--deadline") {
            for value in [&["--deadline"][..], &["--deadline", "x"]] {
                wrong.push([success, value].concat());
            }
            // A queue with a deadline of 0 is only looked at.
            if subject.cases.helper != "queue_manager" {
                wrong.push([success, &["--deadline", "0"]].concat());
            }
        }
        wrong.extend(subject.cases.incomplete.iter().map(|args| args.to_vec()));
        for args in wrong {
            let project = (subject.cases.project)();
            let before = project.snapshot();
            let run = subject
                .helper
                .call(project.path())
                .args(&args)
                .run()
                .expect_code(2);
            assert_eq!(run.stdout(), "", "{args:?}");
            assert!(
                run.stderr()
                    .starts_with(&format!("{}: error: ", subject.cases.helper)),
                "{args:?}: {run}"
            );
            let json = [&["--json"], args.as_slice()].concat();
            let run = subject
                .helper
                .call(project.path())
                .args(&json)
                .run()
                .expect_code(2);
            let error = run.error();
            assert_eq!(error["code"], "USAGE", "{args:?}");
            assert!(
                error["message"]
                    .as_str()
                    .is_some_and(|message| !message.is_empty()),
                "{args:?}: {run}"
            );
            before.assert_same(&project.snapshot(), &format!("{args:?}"));
        }
    });
}

#[test]
fn common_flags_may_stand_before_a_subcommand() {
    for_every_helper(|subject| {
        let commands = subject.contract.commands();
        let calls = subject
            .cases
            .calls
            .iter()
            .filter(|call| call.args.first().is_some_and(|arg| commands.contains(arg)));
        for call in calls {
            let project = (subject.cases.project)();
            let flags = kept::own(subject.helper.call(project.path()), project.path())
                .args(["-q", "--json"]);
            let run = flags.args(call.args).run();
            run.expect_code(call.code).envelope();
        }
    });
}

#[test]
fn a_missing_or_misspelt_command_is_named() {
    for_every_helper(|subject| {
        let commands = subject.contract.commands();
        let Some(first) = commands.first() else {
            return;
        };
        let project = (subject.cases.project)();
        let call = |args: &[&str]| subject.helper.call(project.path()).args(args).run();
        // Like the reference, queue_manager accepts a manifest without a command.
        let works_alone = ["paper_claim_audit", "queue_manager", "verify_paper_audits"];
        if !works_alone.contains(&subject.cases.helper) {
            let run = call(&[]).expect_code(2);
            assert!(
                run.stderr().contains("error: a command is missing\n")
                    && run.stderr().contains(first),
                "{run}"
            );
        }
        let run = call(&["sugest", "paper"]).expect_code(2);
        assert!(run.stderr().contains("sugest"), "{run}");
    });
}
