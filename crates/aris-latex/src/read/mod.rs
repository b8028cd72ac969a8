//! The reader: a small interpreter for the part of TeX that decides what is visible.
//!
//! `lexer` makes tokens, `args` and `macros` handle arguments and expansion, `run` is the main loop, the other
//! files hold the commands of one subject each, `writer` builds the blocks. Nothing recurses over the input:
//! groups are a stack, and work that could multiply (expansion, argument scanning) draws on one budget.

mod args;
mod assets;
mod cite;
mod commands;
mod cond;
mod env;
mod include;
mod input;
mod lexer;
mod macros;
mod math;
mod reader;
mod redefine;
mod refs;
mod run;
mod si;
mod style;
pub(crate) mod symbols;
mod tables;
pub(crate) mod token;
mod unread;
mod verb;
mod writer;

use crate::{Document, Error, Loader};

// What most files of the reader use.
use self::{
    args::{Flat, is_evaluated},
    commands::{Cmd, How, Role},
    env::flow,
    include::suffixed,
    lexer::Letters,
    reader::{
        After, Branch, Env, Expansion, File, Float, Frame, Group, GroupKind, MAX_EXPANSION_DEPTH,
        Macro, Meaning, Parameter, Reader,
    },
    run::UNCLOSED_GROUP,
    style::Style,
    symbols::{entries, names, text_of},
    tables::Grid,
    token::{Kind, Names, Token, narrow},
    unread::Doubts,
    writer::Writer,
};

impl Document {
    /// Reads a document from its root through everything it includes.
    pub fn read(root: &str, loader: &mut Loader<'_>) -> Result<Self, Error> {
        let mut reader = Reader::new(loader);
        reader.open_root(root)?;
        if reader.root_is_document() {
            reader.preamble = true;
            reader.style.bits = style::MUTE;
        }
        reader.run();
        reader.finish();
        reader.failed.map_or(Ok(reader.doc), Err)
    }
}
