//! The data products, one for each subcommand.

use std::fmt::Debug;
use std::io::{self, Write};

use aris_cli::{Outcome, Product, Stream, Style};
use serde::{Serialize, Serializer};
use serde_json::Value;

/// What a subcommand gave.
#[derive(Debug)]
pub struct Report(Box<dyn Rendered>);

impl Report {
    /// The outcome of a subcommand as that of the helper.
    pub(crate) fn of(outcome: Outcome<impl Product + Debug + 'static>) -> Outcome<Self> {
        Outcome {
            data: Self(Box::new(outcome.data)),
            signal: outcome.signal,
        }
    }
}

/// [`Product`] without type parameters.
trait Rendered: Debug {
    fn value(&self) -> serde_json::Result<Value>;
    fn schema(&self) -> &'static str;
    fn stream(&self) -> Stream;
    fn render(&self, out: &mut dyn Write, style: Style) -> io::Result<()>;
}

impl<P: Product + Debug> Rendered for P {
    fn value(&self) -> serde_json::Result<Value> {
        serde_json::to_value(self)
    }

    fn schema(&self) -> &'static str {
        Product::schema(self)
    }

    fn stream(&self) -> Stream {
        Product::stream(self)
    }

    fn render(&self, out: &mut dyn Write, style: Style) -> io::Result<()> {
        Product::render(self, out, style)
    }
}

impl Serialize for Report {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let value = self.0.value().map_err(serde::ser::Error::custom)?;
        value.serialize(serializer)
    }
}

impl Product for Report {
    fn schema(&self) -> &'static str {
        self.0.schema()
    }

    fn stream(&self) -> Stream {
        self.0.stream()
    }

    fn render(&self, out: &mut dyn Write, style: Style) -> io::Result<()> {
        self.0.render(out, style)
    }
}

/// The word of a value without fields, as reports have it.
pub(crate) fn word(value: impl Serialize) -> String {
    let value = serde_json::to_value(value).unwrap_or_default();
    value.as_str().unwrap_or_default().to_owned()
}
