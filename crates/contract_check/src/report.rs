//! The data products, one for each subcommand.

use std::io::{self, Write};

use aris_cli::{Outcome, Product, Stream, Style};
use serde::{Serialize, Serializer};

use crate::commands::backfill::Backfill;
use crate::commands::checklist::Checklist;
use crate::commands::resolve::Resolved;
use crate::commands::run::Ran;
use crate::commands::status::Status;
use crate::doctor::Doctor;

/// What a subcommand gave.
#[derive(Debug)]
pub struct Report(Given);

#[derive(Debug)]
pub(crate) enum Given {
    Status(Status),
    Checklist(Checklist),
    Backfill(Backfill),
    Resolved(Resolved),
    Ran(Ran),
    Doctor(Doctor),
}

impl Report {
    /// The outcome of a subcommand as that of the helper.
    pub(crate) fn of<D>(outcome: Outcome<D>, given: fn(D) -> Given) -> Outcome<Self> {
        Outcome {
            data: Self(given(outcome.data)),
            signal: outcome.signal,
        }
    }

    fn product(&self) -> &dyn Rendered {
        match &self.0 {
            Given::Status(data) => data,
            Given::Checklist(data) => data,
            Given::Backfill(data) => data,
            Given::Resolved(data) => data,
            Given::Ran(data) => data,
            Given::Doctor(data) => data,
        }
    }
}

/// [`Product`] without its serialised form, which has a type parameter.
trait Rendered {
    fn schema(&self) -> &'static str;
    fn stream(&self) -> Stream;
    fn render(&self, out: &mut dyn Write, style: Style) -> io::Result<()>;
}

impl<P: Product> Rendered for P {
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
        match &self.0 {
            Given::Status(data) => data.serialize(serializer),
            Given::Checklist(data) => data.serialize(serializer),
            Given::Backfill(data) => data.serialize(serializer),
            Given::Resolved(data) => data.serialize(serializer),
            Given::Ran(data) => data.serialize(serializer),
            Given::Doctor(data) => data.serialize(serializer),
        }
    }
}

impl Product for Report {
    fn schema(&self) -> &'static str {
        self.product().schema()
    }

    fn stream(&self) -> Stream {
        self.product().stream()
    }

    fn render(&self, out: &mut dyn Write, style: Style) -> io::Result<()> {
        self.product().render(out, style)
    }
}
