//! Hostile queries and files.

use std::time::Duration;

use aris_evidence::QueryErrorKind::*;
use aris_evidence::Value::Real;

use crate::project::Project;

#[test]
fn queries_only_read() {
    let project = Project::new(&[("a.csv", "x\n1\n"), ("b.csv", "x\n1\n")]);
    for (sql, part) in [
        ("insert into \"a.csv\" values (2)", "Insert"),
        ("update \"a.csv\" set x = 2", "Update"),
        ("delete from \"a.csv\"", "Delete"),
        ("create table t (x)", ""),
        ("create temp view v as select 1", ""),
        ("create virtual table t using fts5(x)", ""),
        ("drop table \"a.csv\"", ""),
        ("attach 'x.db' as x", "Attach"),
        ("detach main", ""),
        ("pragma hard_heap_limit = 1", "Pragma"),
        ("pragma table_info('a.csv')", "Pragma"),
        ("select * from pragma_table_list", "`pragma_table_list`"),
        (
            "select count(*) from pragma_database_list",
            "`pragma_database_list`",
        ),
        ("select sql from sqlite_schema", "is no data"),
        ("select count(*) from sqlite_master", "is no data"),
        ("select * from dbstat", "is no data"),
        ("begin", "Transaction"),
        ("vacuum", "one `select`"),
        ("vacuum into 'x.db'", "one `select`"),
        ("reindex", ""),
        ("analyze", ""),
        ("explain select 1", "one `select`"),
        ("explain query plan select * from \"a.csv\"", "one `select`"),
        ("select 1; select 2", "one statement"),
        ("", "one `select`"),
        ("-- nothing", "one `select`"),
        ("select ?", "parameters"),
        ("select load_extension('x')", "load_extension() is not"),
        ("select readfile('/etc/passwd')", ""),
        ("select writefile('x', 'y')", ""),
        ("select random()", "another answer each time"),
        ("select randomblob(10)", "another answer each time"),
        (
            "select x from \"a.csv\" order by random()",
            "another answer each time",
        ),
        ("select current_timestamp", "another answer each time"),
        ("select date('now')", "`now` gives another answer"),
        ("select datetime()", "another answer each time"),
        ("select strftime('%s')", "another answer each time"),
        ("select date('n' || 'ow')", "`now` gives another answer"),
        ("select datetime('2020-01-01', 'localtime')", "`localtime`"),
        ("select time('subsec')", "`subsec`"),
        (
            "select * from \"a.csv\" natural join \"b.csv\"",
            "write `using",
        ),
        ("select zeroblob(10)", "not among the functions"),
        ("select sqlite_version()", "not among the functions"),
        ("select fts3_tokenizer('x')", ""),
        ("select json_patch('{}', '{}')", "not among the functions"),
        ("select x'00'", "blob"),
    ] {
        let error = project.error(sql);
        let refused = error.kind == Refused || (part.is_empty() && error.kind == Syntax);
        assert!(refused && error.message.contains(part), "{sql}: {error:?}");
    }
    // The file is unchanged, and there are no new files.
    assert_eq!(
        std::fs::read(project.root().join("a.csv")).unwrap(),
        b"x\n1\n"
    );
    assert_eq!(std::fs::read_dir(project.root()).unwrap().count(), 2);
}

#[test]
fn queries_without_end_are_ended() {
    let mut project = Project::new(&[("a.csv", "x\n1\n")]);
    project.limits.time = Duration::from_millis(300);
    for sql in [
        "with recursive c(x) as (select 1 union all select x + 1 from c) select sum(x) from c",
        "with recursive c(x) as (select 1 union all select x from c) select count(*) from c",
        "with recursive c(x) as (values (1) union all select x + 1 from c limit 3000000) select count(*) from c a, c b, c d",
    ] {
        project.fails(sql, TimeOut, "", "longer than 0.3 s");
    }
}

#[test]
fn functions_on_long_texts_are_linear() {
    // With functions that take time in the product of their arguments' lengths, each of these would exceed the time limit.
    let project = Project::new(&[]);
    let long = |c: char| format!("printf('%.1000000c', '{c}')");
    for sql in [
        format!(
            "select instr({0}, substr({0}, 1, 500000) || 'b')",
            long('a')
        ),
        format!("select length(trim({}, {} || 'a'))", long('a'), long('b')),
        format!(
            "select instr(replace({0}, substr({0}, 1, 500000) || 'b', 'c'), 'c')",
            long('a')
        ),
    ] {
        assert_eq!(project.number(&sql), 0, "{sql}");
    }
}

#[test]
fn gigantic_values_and_queries_are_refused() {
    let project = Project::new(&[("a.csv", "x\n1\n")]);
    for sql in [
        "select length(printf('%.*c', 900000000, 'x'))",
        "select length(replace(printf('%.1000000c', 'x'), 'x', 'yyyyyyyyyyyyyyyyyyyy'))",
        "with recursive c(x) as (select 'xxxxxxxxxxxxxxxx' union all select x || x from c) select max(length(x)) from c",
        "with recursive c(x) as (select 1 union all select x + 1 from c where x < 10000) select length(group_concat(printf('%.10000c', 'x'))) from c",
    ] {
        project.fails(sql, TooLarge, "", "too");
    }
    let replaced = |length: usize, to: &str| {
        format!("select length(replace(printf('%.{length}c', 'x'), 'x', '{to}'))")
    };
    project.fails(
        &replaced(1_000_000, "yyyyyyyyyyyyyyyyyyyy"),
        TooLarge,
        "",
        "replace() gives",
    );
    assert_eq!(project.number(&replaced(10_000, "yy")), 20_000);
    for sql in [
        format!("select {}1{}", "(".repeat(40_000), ")".repeat(40_000)),
        format!("select {}1", "1+".repeat(40_000)),
        format!("select 1{}", " union all select 1".repeat(5_000)),
        format!("select {}", vec!["1"; 3_000].join(",")),
    ] {
        project.fails(&sql, Syntax, "", "");
    }
}

#[test]
fn links_do_not_lead_out() {
    let outside = Project::new(&[("secret.csv", "x\n1\n")]);
    let project = Project::new(&[("data/a.csv", "x\n1\n")]);
    let link = |from: &str, to: &std::path::Path| {
        std::os::unix::fs::symlink(to, project.root().join(from)).unwrap();
    };
    link("data/out.csv", &outside.root().join("secret.csv"));
    link("folder", outside.root());
    link("in.csv", &project.root().join("data/a.csv"));
    link("nothing.csv", &project.root().join("gone"));
    link("data/loop", project.root());
    project.fails(
        "select * from \"data/out.csv\"",
        Outside,
        "data/out.csv:0",
        "outside",
    );
    project.fails(
        "select * from \"data/*.csv\"",
        Outside,
        "data/out.csv:0",
        "outside",
    );
    project.fails(
        "select * from \"folder/secret.csv\"",
        Outside,
        "",
        "outside",
    );
    project.fails(
        "select * from \"../../../../../../../../etc/passwd\"",
        Outside,
        "",
        "outside",
    );
    project.fails(
        "select * from \"/etc/passwd\"",
        Outside,
        "/etc/passwd:0",
        "outside",
    );
    project.fails(
        "select * from \"nothing.csv\"",
        Unreadable,
        "nothing.csv:0",
        "link to nothing",
    );
    assert_eq!(project.number("select x from \"in.csv\""), 1);
    let all = [String::from("**")];
    let (files, errors) = aris_evidence::list(&project.settings, &all);
    assert_eq!(files, ["data/a.csv", "in.csv"]);
    let kinds: Vec<_> = errors
        .iter()
        .map(|error| (error.file.as_deref().unwrap(), error.kind))
        .collect();
    assert_eq!(
        kinds,
        [
            ("folder", Outside),
            ("nothing.csv", Unreadable),
            ("data/out.csv", Outside)
        ]
    );
}

#[test]
fn lists_leave_out_what_is_hidden_and_name_what_cannot_be_read() {
    let project = Project::new(&[
        ("results/a.csv", ""),
        ("results/old/b.csv", ""),
        ("results/.cache/c.csv", ""),
        ("results/CITATION_AUDIT.json", ""),
        ("tables/d.csv", ""),
        ("tables/deep/e.csv", ""),
        ("notes.txt", ""),
    ]);
    let list = |include: &[&str], exclude: &[&str]| {
        let owned = |names: &[&str]| {
            names
                .iter()
                .map(|name| (*name).to_owned())
                .collect::<Vec<_>>()
        };
        let settings = aris_evidence::Settings {
            exclude: owned(exclude),
            ..project.settings.clone()
        };
        aris_evidence::list(&settings, &owned(include))
    };
    assert_eq!(
        list(&["results/**", "tables/*.csv"], &["results/old/**"]).0,
        ["results/a.csv", "tables/d.csv"]
    );
    assert_eq!(list(&["results"], &["results/old"]).0, ["results/a.csv"]);
    assert_eq!(
        list(&["./notes.txt", "outputs/**"], &[]),
        (vec![String::from("notes.txt")], vec![])
    );
    assert_eq!(list(&["outputs"], &[]).1[0].kind, NoSuchFile);
    // As a glob, this name would match others.
    project.write("runs[1]/f.csv", b"");
    assert_eq!(list(&["runs[1]"], &[]).0, ["runs[1]/f.csv"]);
    project.write("runs#1/g.csv", b"");
    project.fails("select * from \"runs#1\"", Unreadable, "runs#1:0", "folder");
    assert_eq!(list(&["[a"], &[]).1.len(), 1);
    assert!(aris_evidence::check_glob("[b").is_err());
    rustix_fifo(&project.root().join("results/pipe.csv"));
    assert_eq!(list(&["results/*"], &[]).1[0].kind, Unreadable);
    project.fails(
        "select * from \"results/pipe.csv\"",
        Unreadable,
        "results/pipe.csv:0",
        "FIFO",
    );
}

fn rustix_fifo(path: &std::path::Path) {
    use rustix::fs::{CWD, FileType, Mode, mknodat};
    mknodat(CWD, path, FileType::Fifo, Mode::from_raw_mode(0o600), 0).unwrap();
}

#[test]
fn a_file_that_changes_is_an_error() {
    // The header is read first and the rows later. A link that is switched in between stands for any change of the file.
    let project = Project::new(&[("a.csv", "x\n1\n")]);
    let path = project.root().join("a.csv");
    let stop = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for turn in 0u64.. {
                if stop.load(std::sync::atomic::Ordering::Relaxed) {
                    break;
                }
                let (name, content) = if turn % 2 == 0 {
                    ("new", "y,x\n2,1\n")
                } else {
                    ("new", "x\n1\n")
                };
                project.write(name, content.as_bytes());
                std::fs::rename(project.root().join(name), &path).unwrap();
            }
        });
        let mut seen = std::collections::BTreeSet::new();
        for _ in 0..3_000 {
            match project.ask("select sum(x) from \"a.csv\"") {
                Ok(answer) => {
                    seen.insert(format!("{:?}", answer.rows));
                }
                Err(error) => {
                    seen.insert(error.message);
                }
            }
            if seen.len() == 2 {
                break;
            }
        }
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
        let seen: Vec<String> = seen.into_iter().collect();
        assert_eq!(
            seen,
            ["[[Integer(1)]]", "the file changed while it was read"]
        );
    });
}

#[test]
fn databases_give_their_rows_and_execute_nothing() {
    let project = Project::new(&[(
        "plain.txt",
        "no database, and long enough to be read as one\n",
    )]);
    let path = project.root().join("a b?#%.sqlite");
    let database = rusqlite::Connection::open(&path).unwrap();
    database
        .execute_batch(
            "create table runs (name text, acc real, data blob);
             insert into runs values ('a', 0.5, x'00'), ('b', 1e999, null), ('c', 2, null);
             create table \"odd \"\" name\" (x); insert into \"odd \"\" name\" values (7);
             create view v as select * from runs;
             create virtual table f using fts5(x);",
        )
        .unwrap();
    database.close().unwrap();
    let at = |table: &str| format!("\"a b?#%.sqlite#{table}\"");
    assert_eq!(
        project.number(&format!("select count(*) from {}", at("runs"))),
        3
    );
    assert_eq!(
        project.values(&format!("select acc from {} where name = 'c'", at("RUNS"))),
        [Real(2.0)]
    );
    assert_eq!(
        project.number(&format!("select x from {}", at("odd \"\" name"))),
        7
    );
    project.fails(
        &format!("select avg(acc) from {}", at("runs")),
        NotFinite,
        "a b?#%.sqlite:2",
        "`inf` in column acc",
    );
    project.fails(
        &format!("select data from {}", at("runs")),
        Malformed,
        "",
        "a blob, neither number nor text (column data)",
    );
    project.fails(
        &format!("select * from {}", at("v")),
        NoSuchFile,
        "",
        "odd \" name, runs",
    );
    project.fails(
        &format!("select * from {}", at("f")),
        NoSuchFile,
        "",
        "no table `f`",
    );
    project.fails(
        &format!("select * from {}", at("sqlite_schema")),
        NoSuchFile,
        "",
        "no table",
    );
    project.fails(
        "select * from \"a b?#%.sqlite\"",
        NoSuchFile,
        "",
        "one of its tables",
    );
    // Two tables of one database are reported as one file with the rows of both.
    let evaluation = project.evaluate(&[&format!(
        "select (select count(*) from {}) + (select x from {})",
        at("runs"),
        at("odd \"\" name")
    )]);
    let facts = &evaluation.files["a b?#%.sqlite"];
    assert_eq!(facts.as_ref().unwrap().rows, Some(4));
    project.write("broken.db", b"SQLite format 3\0 and then nothing of the kind, but long enough for a header of a hundred bytes, is it not? yes");
    project.fails(
        "select * from \"broken.db#t\"",
        Malformed,
        "broken.db:0",
        "cannot read the database",
    );
    project.write("a b?#%.sqlite-wal", b"");
    assert_eq!(
        project.number(&format!("select x from {}", at("odd \"\" name"))),
        7
    );
    project.write("a b?#%.sqlite-wal", b"something");
    project.fails(
        &format!("select name from {}", at("runs")),
        Unreadable,
        "",
        "-wal",
    );
    let evaluation = project.evaluate(&["select count(*) from \"plain.txt\""]);
    assert_eq!(evaluation.answers[0].as_ref().unwrap().rows.len(), 1);
}

/// A database whose table refers to the same page of rows five hundred times. **Source**: <https://sqlite.org/fileformat2.html>,
/// 1.6.
fn winding(path: &std::path::Path, value: &str, rows: usize) {
    const PAGE: usize = 4096;
    let database = rusqlite::Connection::open(path).unwrap();
    let fill = format!(
        "pragma page_size = {PAGE}; create table t (x); create table leaf (x);
         with recursive c(n) as (select 1 union all select n + 1 from c limit {rows}) insert into leaf select {value} from c"
    );
    database.execute_batch(&fill).unwrap();
    database.close().unwrap();
    let mut bytes = std::fs::read(path).unwrap();
    assert_eq!(bytes.len(), 3 * PAGE);
    // Page 2 becomes an interior page of the table: each of its cells is a page number (3) and a row number.
    let page = &mut bytes[PAGE..2 * PAGE];
    page.fill(0);
    let (cells, size) = (500, 5);
    let start = PAGE - cells * size;
    page[0] = 5;
    page[3..5].copy_from_slice(&u16::try_from(cells).unwrap().to_be_bytes());
    page[5..7].copy_from_slice(&u16::try_from(start).unwrap().to_be_bytes());
    page[8..12].copy_from_slice(&3_u32.to_be_bytes());
    for cell in 0..cells {
        let at = start + cell * size;
        page[12 + 2 * cell..14 + 2 * cell]
            .copy_from_slice(&u16::try_from(at).unwrap().to_be_bytes());
        page[at..at + size].copy_from_slice(&[0, 0, 0, 3, 127]);
    }
    std::fs::write(path, bytes).unwrap();
}

#[test]
fn a_database_that_holds_more_than_its_file_is_broken() {
    let project = Project::new(&[]);
    winding(&project.root().join("numbers.db"), "n", 300);
    winding(&project.root().join("texts.db"), "printf('%.900c', 'x')", 4);
    for sql in [
        "select count(*) from \"numbers.db#t\"",
        "select max(x) from \"texts.db#t\"",
    ] {
        project.fails(sql, Malformed, "", "its tables hold more than the file");
    }
    let honest = rusqlite::Connection::open(project.root().join("honest.db")).unwrap();
    honest
        .execute_batch("create table t (x); insert into t values (printf('%.50000c', 'x')), (printf('%.50000c', 'y'))")
        .unwrap();
    honest.close().unwrap();
    assert_eq!(
        project.number("select sum(length(x)) from \"honest.db#t\""),
        100_000
    );
}
