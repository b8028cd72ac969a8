use super::file::read;
use super::*;
use crate::Error;
use crate::testing::folder;

fn of(text: &str) -> Result<Config, Error> {
    let folder = folder(&[("skill-lint.toml", text)]);
    read(&folder.path().join("skill-lint.toml"))
}

#[test]
fn a_whole_configuration() {
    let config = of("profile = \"project\"\nfail_on = \"warn\"\nexclude = [\"vendor/**\"]\n[rules.SR101]\nmax_lines = 200\n[rules.SR018]\nseverity = \"off\"\n[frontmatter]\nextra_keys = [\"categories\"]\n[shared]\ndirs = [\"./skills/shared/\"]\n[integration]\ncontract = \"c.md\"\ndeveloper_tools = [\"x_*\"]\n[run]\ntimeout_s = 9\n[[allow]]\nrule = \"SR409\"\npath = \"a\"\nreason = \"r\"\nuntil = \"2027-06-30\"\n").expect("valid");
    assert_eq!(config.profile, Profile::Project);
    assert_eq!(config.fail_on, FailOn::At(Severity::Warn));
    assert_eq!(
        (config.limit("SR101", "max_lines"), config.level("SR018")),
        (200, Some(Level::Off))
    );
    assert_eq!(
        (
            config.shared_dirs().collect::<Vec<_>>(),
            config.timeout().as_secs()
        ),
        (vec!["skills/shared"], 9)
    );
    assert_eq!(
        (
            config.allow[0].line,
            config.allow[0].until.map(|date| date.to_string())
        ),
        (17, Some(String::from("2027-06-30")))
    );
    assert_eq!(
        (
            config.integration.contract.as_deref(),
            config.integration.developer_tools
        ),
        (Some("c.md"), vec![String::from("x_*")])
    );
    assert_eq!(
        of("").expect("empty is valid").limit("SR101", "max_lines"),
        500
    );
}

#[test]
fn faults_name_their_place() {
    for (text, place, part) in [
        ("profil = \"all\"", (1, 1), "unknown field `profil`"),
        ("profile = \"al\"", (1, 11), "is no profile"),
        ("\nprofile = 1", (2, 11), "expected a string"),
        ("fail_on = \"bad\"", (1, 11), "none of"),
        ("[rules.SR000]", (1, 8), "`SR000` is no rule"),
        ("[rules.SR103]", (1, 8), "is no rule any more; leave it out"),
        (
            "[rules.SR101]\nmax_line = 1",
            (2, 1),
            "unknown key `max_line`",
        ),
        ("[rules.SR101]\nmax_lines = -1", (2, 13), "whole number"),
        (
            "[[allow]]\nrule = \"SR409\"",
            (1, 1),
            "missing field `path`",
        ),
        (
            "[[allow]]\nrule = \"SR40x\"\npath = \"a\"",
            (2, 8),
            "is no rule",
        ),
        (
            "[[allow]]\nrule = \"SR409\"\npath = \"a\"\nuntil = \"soon\"",
            (4, 9),
            "expected a date",
        ),
        ("a = ", (1, 5), ""),
        ("[run]\ntimeout_s = 0", (2, 13), "expected a nonzero u64"),
        (
            "[resolver]\nemit = \"v2\"",
            (1, 2),
            "unknown field `resolver`",
        ),
    ] {
        match of(text) {
            Err(Error::Config {
                line, col, message, ..
            }) => {
                assert_eq!((line, col), place, "{text}: {message}");
                assert!(message.contains(part), "{text}: {message}");
            }
            other => panic!("{text}: {other:?}"),
        }
    }
}

#[test]
fn a_day_may_be_a_date_of_toml() {
    let allow = "[[allow]]\nrule = \"SR409\"\npath = \"a\"\nuntil = ";
    for until in ["2027-06-30", "\"2027-06-30\""] {
        let config = of(&format!("{allow}{until}\n")).expect("valid");
        let day = config.allow[0].until.map(|day| day.to_string());
        assert_eq!(day.as_deref(), Some("2027-06-30"), "{until}");
    }
    assert!(of(&format!("{allow}3\n")).is_err());
}
