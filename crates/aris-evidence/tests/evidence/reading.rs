//! Files as programs write them, good and bad.

use std::fmt::Write as _;

use aris_evidence::QueryErrorKind::{Malformed, NoSuchFile, TooLarge, Unreadable};
use aris_evidence::Value::{Integer, Null, Real};
use aris_evidence::{FileSetting, Format, Header, Table, Value, read_table};
use proptest::prelude::*;

use crate::project::{Project, text};

fn table(name: &str, content: &str) -> Table {
    read_table(name, content.as_bytes(), None).unwrap()
}

#[test]
fn cells_are_typed_one_by_one() {
    let rows = table(
        "a.csv",
        "a,b\n1, 2.5 \n-0,+3\n.5,5.\n1e3,1E-2\n007,1e999\n9223372036854775807,9223372036854775808\nNA,\n\" \",x y \n1_0,0x1F\n1.2.3,--1\ne5,NaN\n\"1,234\",12%\n",
    );
    let expected = [
        (Integer(1), Real(2.5)),
        (Integer(0), Integer(3)),
        (Real(0.5), Real(5.0)),
        (Real(1000.0), Real(0.01)),
        (Integer(7), text("1e999")),
        (Integer(i64::MAX), text("9223372036854775808")),
        (text("NA"), Null),
        (Null, text("x y ")),
        (text("1_0"), text("0x1F")),
        (text("1.2.3"), text("--1")),
        (text("e5"), text("NaN")),
        (text("1,234"), text("12%")),
    ];
    let expected: Vec<Vec<Value>> = expected.map(|(a, b)| vec![a, b]).into();
    assert_eq!(rows.rows, expected);
    assert_eq!(rows.lines, (2..14).collect::<Vec<u32>>());
}

#[test]
fn headers_are_what_the_setting_says() {
    let setting = |header, na: &[&str]| FileSetting {
        path: String::from("r.txt"),
        format: Some(Format::Tsv),
        header,
        na: na.iter().map(|word| (*word).to_owned()).collect(),
    };
    let r = "\"acc\"\t\"ms\"\n\"m 1\"\t0.5\tNA\n\"m 2\"\t-\t3\n";
    let read = |header, na: &[&str], text: &str| {
        read_table("r.txt", text.as_bytes(), Some(&setting(header, na)))
    };
    let table = read(Header::RowNames, &["NA", "-"], r).unwrap();
    assert_eq!(table.columns, ["row_name", "acc", "ms"]);
    assert_eq!(
        table.rows,
        [
            [text("m 1"), Real(0.5), Null],
            [text("m 2"), Null, Integer(3)]
        ]
    );
    let table = read(Header::None, &[], "1\t2\n3\t4\n").unwrap();
    assert_eq!(
        (table.columns, table.rows.len()),
        (vec![String::from("c1"), String::from("c2")], 2)
    );
    let wrong = read(Header::First, &[], r).unwrap_err();
    assert!(
        wrong.line == 2 && wrong.message.contains("header = \"row-names\""),
        "{wrong:?}"
    );
    let wrong = read(Header::RowNames, &[], "a\tb\n1\t2\n").unwrap_err();
    assert!(wrong.message.contains("does not fit"), "{wrong:?}");
    // In a query, by exact name and by glob.
    let project = Project::new(&[("runs/r.txt", r)]).setting(FileSetting {
        path: String::from("runs/*.txt"),
        ..setting(Header::RowNames, &["NA", "-"])
    });
    assert_eq!(
        project.number("select ms from \"runs/r.txt\" where row_name = 'm 2'"),
        3
    );
    // As a glob, this name would match other files.
    let project = Project::new(&[("r[1].txt", r), ("r1.txt", "a,b\n1,2\n")]).setting(FileSetting {
        path: String::from("r[1].txt"),
        ..setting(Header::RowNames, &["NA", "-"])
    });
    assert_eq!(
        project.number("select ms from \"r[1].txt\" where row_name = 'm 2'"),
        3
    );
    // Errors in different lines; a byte order mark is not part of a line.
    for (header, text, part) in [
        (
            Header::First,
            "a\tb\n1\t2\n1\t2\t3\n",
            "is a separator inside",
        ),
        (Header::RowNames, "a\nx\t2\ny\n", "is a separator inside"),
    ] {
        let wrong = read(header, &[], text).unwrap_err();
        assert!(wrong.line == 3 && wrong.message.contains(part), "{wrong:?}");
    }
    assert_eq!(
        read(Header::None, &[], "\u{feff}\n\n1\t2\n").unwrap().lines,
        [3]
    );
    // A column without a name is named by its position, and spaces around names are removed.
    assert_eq!(
        self::table("a.csv", ",x , y\n1,2,3\n").columns,
        ["c1", "x", "y"]
    );
}

#[test]
fn separators_line_ends_marks_and_quotes() {
    for (name, content) in [
        ("a.csv", "a,b\n1,x\n2,y\n"),
        ("a.csv", "\u{feff}a,b\r\n1,x\r\n2,y"),
        ("a.csv", "\n\na,b\n\n1,x\r\n\n2,y\n\n"),
        ("a.csv", "a,b\r1,x\r2,y\r"),
        ("a.csv", "a;b\n1;x\n2;y\n"),
        ("a.CSV", "\"a\",\"b\"\n\"1\",\"x\"\n\"2\",\"y\"\n   \n"),
        ("a.tsv", "a\tb\n1\tx\n2\ty\n"),
        ("a.txt", "a\tb\n1\tx\n2\ty\n"),
        ("a.dat", "a,b\n1,x\n2,y\n"),
        ("a", "{\"a\": 1, \"b\": \"x\"}\n{\"a\": 2, \"b\": \"y\"}\n"),
        (
            "a.ndjson",
            "\n{\"a\": 1, \"b\": \"x\"}\n\n{\"a\": 2, \"b\": \"y\"}",
        ),
        (
            "a.log",
            "[{\"a\": 1, \"b\": \"x\"}, {\"a\": 2, \"b\": \"y\"}]",
        ),
        ("a.tab", "a\tb\n1\tx\n2\ty\n"),
        (
            "a.json5",
            "// runs\n[{a: 1, 'b': 'x',}, # one\n {a: 2, b: \"y\"}, /* end */]",
        ),
    ] {
        let found = table(name, content);
        assert_eq!(found.columns, ["a", "b"], "{name} {content:?}");
        assert_eq!(
            found.rows,
            [[Integer(1), text("x")], [Integer(2), text("y")]],
            "{name} {content:?}"
        );
    }
    let quoted = table("a.csv", "a,b\n\"x \"\"y\"\"\n, z\",1\n2,3\n");
    assert_eq!(
        (&quoted.rows[0][0], quoted.lines),
        (&text("x \"y\"\n, z"), vec![2, 4])
    );
    // A field longer than one piece of the file.
    let lines = format!("{}x", "\n".repeat(3_000));
    let long = table("a.csv", &format!("a,b\n\"{lines}\",1\n2,3\n"));
    assert_eq!(
        (&long.rows[0][0], long.lines),
        (&text(&lines), vec![2, 3_003])
    );
    // The extension comes before the content; without an extension, the whole first line decides.
    assert_eq!(table("a.tab", "a,b\n1,x\n").columns, ["a,b"]);
    for document in ["{\"a\": 1}", "{\n\"a\": 1}", "{\n\"a\":\n{}}"] {
        assert_eq!(table("a", document).columns, ["doc"], "{document}");
    }
}

#[test]
fn what_is_no_table_says_where_and_what_to_do() {
    let long = format!("a\n\"{}", "x".repeat(17 << 20));
    for (name, content, kind, line, part) in [
        ("a.csv", "", Malformed, 1, "empty"),
        (
            "a.csv",
            "a,b\n1,2\n1,2,3\n",
            Malformed,
            3,
            "3 fields where the file has 2 columns",
        ),
        ("a.csv", "a,b\n1,2\n\n1\n", Malformed, 4, "1 fields"),
        (
            "a.csv",
            "a,b\n1,2\n3,\"4\n5,6\n",
            Malformed,
            3,
            "never ends",
        ),
        ("a.csv", "a,b\n1,\"", Malformed, 2, "never ends"),
        ("a.csv", "a,b\n\"", Malformed, 2, "never ends"),
        (
            "a.csv",
            long.as_str(),
            TooLarge,
            2,
            "does a quote never end?",
        ),
        (
            "a.csv",
            "acc,n,Acc\n1,2,3\n",
            Malformed,
            1,
            "columns 1 `acc` and 3 `Acc`",
        ),
        (
            "a.csv",
            "a,,c2\n1,2,3\n",
            Malformed,
            1,
            "columns 2 `c2` and 3 `c2`",
        ),
        ("a.csv", "\u{0}a\u{0},\u{0}b\n", Malformed, 1, "UTF-16"),
        ("a.txt", "just words\n", Malformed, 0, "say format"),
        ("a.sqlite", "anything", NoSuchFile, 0, "database"),
        (
            "a.jsonl",
            "{\"a\": 1}\n\n[1]\n",
            Malformed,
            3,
            "a list where",
        ),
        (
            "a.jsonl",
            "{\"a\": 1}\n{\"a\": }\n",
            Malformed,
            2,
            "expected a value",
        ),
        (
            "a.json",
            "{\"a\": 1,\n \"a\": 2}",
            Malformed,
            2,
            "`a` is given twice, first in line 1, column 2",
        ),
        ("a.json", "[{\"n\": 1, \"N\": 2}]", Malformed, 1, "one name"),
        ("a.json", "{\"a\": 1} x", Malformed, 1, "more after the end"),
        ("a.json", "", Malformed, 1, "the file ends"),
        (
            "a.yaml",
            "a: 1\n---\nb: 2\n",
            Malformed,
            2,
            "second document",
        ),
        (
            "a.yaml",
            "a: 1\nb:\n  c: 1\n  c: 2\n",
            Malformed,
            4,
            "`c` is given twice, first in line 3",
        ),
        ("a.toml", "a = 1\nb = \n", Malformed, 2, ""),
    ] {
        let error = read_table(name, content.as_bytes(), None).unwrap_err();
        let start: String = content.chars().take(40).collect();
        assert!(
            (error.kind, error.line, error.file.as_deref()) == (kind, line, Some(name))
                && error.message.contains(part),
            "{name} {start:?}: {error:?}"
        );
    }
    for bytes in [
        &b"\xff\xfea\0,\0b\0"[..],
        b"\xfe\xff\0a\0,",
        b"\xff\xfe\x2d\x4e\x87\x65",
        b"\xfe\xff\x4e\x2d\x65\x87",
    ] {
        assert!(
            read_table("a.csv", bytes, None)
                .unwrap_err()
                .message
                .contains("UTF-16")
        );
    }
    let latin = read_table("a.csv", b"a,b\n1,2\n3,caf\xe9\n", None).unwrap_err();
    assert!(
        latin.line == 3 && latin.message.contains("not UTF-8"),
        "{latin:?}"
    );
    let latin = read_table("a.json", b"{\n\"a\":\n\"\xe9\"}", None).unwrap_err();
    assert!(
        latin.line == 3 && latin.message.contains("not UTF-8"),
        "{latin:?}"
    );
    let toml = read_table("a.toml", b"a = 1\nb = \n", None).unwrap_err();
    assert_eq!((toml.line, toml.column), (2, 5), "{toml:?}");
    // Queries that do not read that column fail as well.
    let project = Project::new(&[]);
    project.write("a.csv", b"a,b\n1,2\n3,caf\xe9\n");
    for query in [
        "select sum(a) from \"a.csv\"",
        "select max(b) from \"a.csv\"",
    ] {
        project.fails(query, Malformed, "a.csv:3", "not UTF-8");
    }
    let names = |columns: std::ops::Range<usize>| {
        let names: Vec<String> = columns.map(|at| format!("v{at}")).collect();
        names.join(",")
    };
    for (name, columns) in [
        ("u/1.csv", 0..1_000),
        ("u/2.csv", 1_000..1_999),
        ("u2/1.csv", 0..1_000),
        ("u2/2.csv", 1_000..2_000),
        ("most.csv", 0..1_999),
        ("wide.csv", 0..2_000),
        ("wider.csv", 0..3_000),
    ] {
        project.write(name, names(columns).as_bytes());
    }
    for name in ["u/*.csv", "most.csv"] {
        assert_eq!(
            project.number(&format!("select count(*) from \"{name}\"")),
            0
        );
    }
    for (name, place, part) in [
        ("wide.csv", "wide.csv:0", "at most 1999"),
        (
            "wider.csv",
            "wider.csv:1",
            "a row has more than 1999 fields",
        ),
        ("u2/*.csv", "0:0", "have more than 1999 columns"),
    ] {
        project.fails(&format!("select * from \"{name}\""), TooLarge, place, part);
    }
    // Sparse files of the largest sizes; a larger file is not read at all.
    for (name, bytes, kind, part) in [
        ("hole.csv", 4_u64 << 30, Malformed, "NUL bytes"),
        ("hole.csv", (4 << 30) + 1, TooLarge, "4294967296 bytes"),
        ("hole.json", 256 << 20, Malformed, "NUL bytes"),
        (
            "hole.json",
            (256 << 20) + 1,
            TooLarge,
            "the file has more than 268435456 bytes",
        ),
    ] {
        project.write(name, b"");
        let file = std::fs::File::options()
            .write(true)
            .open(project.root().join(name));
        file.unwrap().set_len(bytes).unwrap();
        project.fails(&format!("select * from \"{name}\""), kind, "", part);
    }
    project.write(
        "doc.json",
        format!("{{\"a\": \"{}\"}}", "x".repeat(17 << 20)).as_bytes(),
    );
    project.fails(
        "select doc from \"doc.json\"",
        TooLarge,
        "doc.json:0",
        "list of objects",
    );
    let secret = project.root().join("secret.csv");
    project.write("secret.csv", b"a\n1\n");
    std::fs::set_permissions(&secret, std::os::unix::fs::PermissionsExt::from_mode(0o0)).unwrap();
    // A superuser can read this file.
    if std::fs::read(&secret).is_err() {
        project.fails(
            "select a from \"secret.csv\"",
            Unreadable,
            "secret.csv:0",
            "ermission denied",
        );
        // A closed folder below the depth of the glob is no error.
        project.write("data/a.csv", b"a\n1\n");
        project.write("data/closed/a.csv", b"a\n1\n");
        let closed = project.root().join("data/closed");
        let mode = std::os::unix::fs::PermissionsExt::from_mode;
        std::fs::set_permissions(&closed, mode(0o0)).unwrap();
        let files = project.ask("select a from \"data/*.csv\"").unwrap().files;
        let error = project.error("select a from \"data/closed/a.csv\"");
        std::fs::set_permissions(&closed, mode(0o700)).unwrap();
        assert_eq!(files, ["data/a.csv"]);
        assert_eq!(error.kind, Unreadable, "{error:?}");
    }
}

#[test]
fn a_key_that_comes_late_is_a_column() {
    let rows: Vec<String> = (0..10_000).map(|at| format!("{{\"a\": {at}}}")).collect();
    for (name, start, separator, end) in [
        ("a.jsonl", "", "\n", "\n{\"late\": 7}"),
        ("a.json", "[", ",", ",{\"late\": 7}]"),
    ] {
        let content = format!("{start}{}{end}", rows.join(separator));
        let project = Project::new(&[(name, &content)]);
        assert_eq!(
            project.number(&format!("select sum(late) from \"{name}\"")),
            7
        );
    }
}

#[test]
fn documents_keep_values_and_order() {
    for (name, content, expected) in [
        (
            "a.json",
            "{\"b\": [1.50, -0.0, 1e-7, 12345678901234567890], \"a\": {\"t\": true, \"n\": null}, \"s\": \"x\ty\"}",
            "{\"b\":[1.50,-0.0,1e-7,\"12345678901234567890\"],\"a\":{\"t\":true,\"n\":null},\"s\":\"x\\ty\"}",
        ),
        (
            "a.json",
            "[1, NaN, -Infinity, \"é\\u00e9\\ud83d\\ude00\\ud800\"]",
            "[1,\"NaN\",\"-Infinity\",\"éé😀\u{fffd}\"]",
        ),
        (
            "a.yaml",
            "base: &b {x: 1, y: .5}\no: {<<: *b, x: 1e-4}\ns: 'on'\nt: yes\nn: .nan\n",
            "{\"base\":{\"x\":1,\"y\":0.5},\"o\":{\"x\":1e-4,\"y\":0.5},\"s\":\"on\",\"t\":\"yes\",\"n\":\".nan\"}",
        ),
        ("a.yml", "- a: 1\n- a: 2\n", "[{\"a\":1},{\"a\":2}]"),
        (
            "a.toml",
            "f = 1e6\ni = 1_000\nn = nan\nd = 2020-01-02\n[t]\nl = [1.5, \"x\"]\n[[r]]\nv = true\n",
            "{\"f\":1000000.0,\"i\":1000,\"n\":\"NaN\",\"d\":\"2020-01-02\",\"t\":{\"l\":[1.5,\"x\"]},\"r\":[{\"v\":true}]}",
        ),
    ] {
        let found = table(name, content);
        assert_eq!(
            (found.columns, found.rows),
            (vec![String::from("doc")], vec![vec![text(expected)]]),
            "{name}"
        );
    }
    assert_eq!(table("a.json", "[]"), Table::default());
    assert_eq!(table("a.json", "[{\"v\": 1e999}]").rows, [[text("1e999")]]);
    // The largest document: 16 MiB including its quotes.
    let largest = format!("\"{}\"", "x".repeat((16 << 20) - 2));
    assert_eq!(table("a.json", &largest).rows, [[text(&largest)]]);
}

#[test]
fn a_million_rows_are_read() {
    let mut content = String::from("x,label\n");
    for row in 0..1_000_000 {
        writeln!(content, "{row},l{}", row % 3).unwrap();
    }
    let project = Project::new(&[("a.csv", &content)]);
    assert_eq!(
        project.values("select count(*), sum(x), median(x) from \"a.csv\" where label <> 'l9'"),
        [
            Integer(1_000_000),
            Integer(499_999_500_000),
            Real(499_999.5)
        ]
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn tables_that_the_csv_crate_writes_are_read_back(
        rows in proptest::collection::vec(proptest::collection::vec("[a-z \",;\t\r\n'é-]{0,6}x|-?[0-9]{1,6}|-?[0-9]{1,3}\\.[0-9]{1,9}", 3), 0..12),
        semicolons in any::<bool>(), crlf in any::<bool>(),
    ) {
        let terminator = if crlf { csv::Terminator::CRLF } else { csv::Terminator::Any(b'\n') };
        let delimiter = if semicolons { b';' } else { b',' };
        let mut writer = csv::WriterBuilder::new().terminator(terminator).delimiter(delimiter).from_writer(Vec::new());
        writer.write_record(["p", "q", "r"]).unwrap();
        for row in &rows {
            writer.write_record(row).unwrap();
        }
        let bytes = writer.into_inner().unwrap();
        let found = read_table("a.csv", &bytes, None).unwrap();
        let value = |field: &String| match field.parse::<i64>() {
            Ok(number) => Integer(number),
            Err(_) => field.parse().map_or_else(|_| text(field), Real),
        };
        let expected: Vec<Vec<Value>> = rows.iter().map(|row| row.iter().map(value).collect()).collect();
        prop_assert_eq!(found.rows, expected);
        for (row, line) in rows.iter().zip(&found.lines) {
            // The row begins in this line: a reader that starts there reads this row first.
            let at = usize::try_from(*line).unwrap() - 1;
            let rest: Vec<u8> = bytes.split_inclusive(|byte| *byte == b'\n').skip(at).flatten().copied().collect();
            let mut reader = csv::ReaderBuilder::new().has_headers(false).delimiter(delimiter).from_reader(rest.as_slice());
            let first: Vec<String> = reader.records().next().unwrap().unwrap().iter().map(str::to_owned).collect();
            prop_assert_eq!(&first, row);
        }
    }

    #[test]
    fn no_bytes_make_it_panic(
        bytes in proptest::collection::vec(any::<u8>(), 0..200),
        written in "[\\[\\]{}\",:;\t\r\n0-9eE.a-z#/* -]{0,80}",
        name in "a\\.(csv|tsv|json|jsonl|yaml|toml|txt)",
        header in 0..3,
    ) {
        let header = [Header::First, Header::None, Header::RowNames][usize::try_from(header).unwrap()];
        let setting = FileSetting { header, ..FileSetting::default() };
        for bytes in [bytes.as_slice(), written.as_bytes()] {
            if let Ok(table) = read_table(&name, bytes, Some(&setting)) {
                prop_assert!(table.rows.iter().all(|row| row.len() == table.columns.len()));
                prop_assert_eq!(table.rows.len(), table.lines.len());
            }
        }
    }
}
