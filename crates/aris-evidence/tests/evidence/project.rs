//! A project in a temporary folder, and questions about it.

use std::fs;
use std::path::Path;

use aris_evidence::{
    Answer, Evaluation, FileSetting, Limits, QueryError, QueryErrorKind, Question, Settings, Value,
    View, evaluate,
};

pub(crate) struct Project {
    _folder: tempfile::TempDir,
    pub(crate) settings: Settings,
    pub(crate) limits: Limits,
}

impl Project {
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let project = Self {
            _folder: folder,
            settings: Settings {
                root: root.clone(),
                allowed: vec![root],
                ..Settings::default()
            },
            limits: Limits::default(),
        };
        for (name, content) in files {
            project.write(name, content.as_bytes());
        }
        project
    }

    pub(crate) fn root(&self) -> &Path {
        &self.settings.root
    }

    pub(crate) fn write(&self, name: &str, content: &[u8]) {
        let path = self.root().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    pub(crate) fn view(mut self, name: &str, sql: &str) -> Self {
        self.settings.views.push(View {
            name: name.to_owned(),
            sql: sql.to_owned(),
        });
        self
    }

    pub(crate) fn setting(mut self, setting: FileSetting) -> Self {
        self.settings.files.push(setting);
        self
    }

    pub(crate) fn evaluate(&self, sql: &[&str]) -> Evaluation {
        let questions: Vec<Question> = sql.iter().map(|sql| question(sql)).collect();
        evaluate(&self.settings, &questions, &self.limits)
    }

    pub(crate) fn ask(&self, sql: &str) -> Result<Answer, QueryError> {
        self.evaluate(&[sql]).answers.remove(0)
    }

    /// All values of an answer, row by row.
    pub(crate) fn values(&self, sql: &str) -> Vec<Value> {
        match self.ask(sql) {
            Ok(answer) => answer.rows.concat(),
            Err(error) => panic!("{sql}: {error}"),
        }
    }

    /// The one whole number of an answer.
    pub(crate) fn number(&self, sql: &str) -> i64 {
        match self.values(sql).as_slice() {
            [Value::Integer(number)] => *number,
            other => panic!("{sql}: {other:?}"),
        }
    }

    pub(crate) fn error(&self, sql: &str) -> QueryError {
        match self.ask(sql) {
            Ok(answer) => panic!("{sql}: {answer:?}"),
            Err(error) => error,
        }
    }

    /// Asserts that the query fails with this kind of error at this place, and that the message contains `part`.
    pub(crate) fn fails(&self, sql: &str, kind: QueryErrorKind, place: &str, part: &str) {
        let error = self.error(sql);
        let found = match &error.file {
            Some(file) => format!("{file}:{}", error.line),
            None => format!("{}:{}", error.line, error.column),
        };
        assert!(
            error.kind == kind
                && (place.is_empty() || found == place)
                && error.message.contains(part),
            "{sql}: {error:?}, at {found}"
        );
    }
}

pub(crate) fn question(sql: &str) -> Question {
    Question {
        sql: sql.to_owned(),
        most_rows: 100_000,
    }
}

pub(crate) fn text(text: &str) -> Value {
    Value::Text(text.to_owned())
}
