//! The result of a run, and the only writer of stdout.

use std::io::{self, Write};

use aris_contract::envelope::{Error, Meta, Success};
use aris_contract::failure::ErrorBody;
use aris_contract::{Exit, Signal};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::shown::shown;
use crate::spec::Spec;
use crate::style::Style;

/// Where the form for people goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    /// stdout: the product is what the caller asked for.
    Stdout,
    /// stderr: the product is a file or an exit code, and the text only accompanies it.
    Stderr,
}

/// A data product: serialised for programs, rendered for people, from the same value.
pub trait Product: erased_serde::Serialize {
    /// Schema id of the serialised form.
    fn schema(&self) -> &'static str;

    /// Number of elements, when the serialised form is a list.
    fn count(&self) -> Option<usize> {
        None
    }

    /// Further entries for the envelope's `meta`, beside schema, helper, version and count.
    fn meta(&self) -> Map<String, Value> {
        Map::new()
    }

    /// Where [`Product::render`] goes.
    fn stream(&self) -> Stream {
        Stream::Stdout
    }

    /// Whether the text output is a file of the user's own, such as a log, whose bytes are written unchanged. In all other text, terminal
    /// control characters are escaped, as `\u001b`.
    fn is_raw(&self) -> bool {
        false
    }

    /// Writes the form for people.
    fn render(&self, out: &mut dyn Write, style: Style) -> io::Result<()>;
}

erased_serde::serialize_trait_object!(Product);

impl Product for Box<dyn Product> {
    fn schema(&self) -> &'static str {
        (**self).schema()
    }

    fn count(&self) -> Option<usize> {
        (**self).count()
    }

    fn meta(&self) -> Map<String, Value> {
        (**self).meta()
    }

    fn stream(&self) -> Stream {
        (**self).stream()
    }

    fn is_raw(&self) -> bool {
        (**self).is_raw()
    }

    fn render(&self, out: &mut dyn Write, style: Style) -> io::Result<()> {
        (**self).render(out, style)
    }
}

/// The product made by [`Outcome::shown`].
#[derive(Serialize)]
#[serde(transparent)]
struct AsText<D, T> {
    #[serde(skip)]
    schema: &'static str,
    data: D,
    #[serde(skip)]
    text: T,
}

impl<D: Serialize, T: Fn(&D, &mut dyn Write) -> io::Result<()>> Product for AsText<D, T> {
    fn schema(&self) -> &'static str {
        self.schema
    }

    fn render(&self, out: &mut dyn Write, _: Style) -> io::Result<()> {
        (self.text)(&self.data, out)
    }
}

/// The result of a run that worked.
#[derive(Debug)]
#[must_use]
pub struct Outcome<D> {
    /// The data product.
    pub data: D,
    /// What the caller should branch on, if anything.
    pub signal: Option<Signal>,
}

/// The result of one of several subcommands, whose products are of different types.
pub type Shown = Outcome<Box<dyn Product>>;

impl<D> Outcome<D> {
    /// Nothing to branch on: exit 0.
    pub const fn done(data: D) -> Self {
        Self { data, signal: None }
    }

    /// Exit 10 when `found`.
    pub fn found(data: D, found: bool) -> Self {
        Self {
            data,
            signal: found.then_some(Signal::FINDINGS),
        }
    }

    /// The same outcome with a boxed product, for helpers whose subcommands have products of different types.
    pub fn boxed(self) -> Shown
    where
        D: Product + 'static,
    {
        Outcome {
            data: Box::new(self.data),
            signal: self.signal,
        }
    }

    /// The same outcome with a product whose text output is what `text` writes.
    pub fn shown(
        self,
        schema: &'static str,
        text: impl Fn(&D, &mut dyn Write) -> io::Result<()> + 'static,
    ) -> Shown
    where
        D: Serialize + 'static,
    {
        let Self { data, signal } = self;
        let data = AsText { schema, data, text };
        Outcome { data, signal }.boxed()
    }

    /// The exit status of this outcome.
    pub fn exit(&self) -> Exit {
        self.signal.map_or(Exit::OK, Signal::exit)
    }
}

/// A success envelope on one line, safe to show on a terminal.
pub(crate) fn success_line(spec: &Spec, data: &dyn Product) -> serde_json::Result<Vec<u8>> {
    let meta = Meta {
        schema: data.schema(),
        helper: spec.name,
        version: spec.version,
        count: data.count(),
        more: data.meta(),
    };
    let line = serde_json::to_string(&Success { data, meta })?;
    Ok(shown(format!("{line}\n").as_bytes(), false).into_owned())
}

/// An error envelope on one line, safe to show on a terminal.
pub(crate) fn error_line(error: ErrorBody) -> Vec<u8> {
    let line = serde_json::to_string(&Error { error }).unwrap_or_else(|_| {
        String::from(
            r#"{"error":{"code":"ERROR","message":"error cannot be written","details":{}}}"#,
        )
    });
    shown(format!("{line}\n").as_bytes(), false).into_owned()
}

/// Writes the product to stdout. A closed pipe is not a failure of the run.
pub(crate) fn to_stdout(stdout: &mut dyn Write, text: &[u8]) -> io::Result<()> {
    match stdout.write_all(text).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}
