//! Black-box tests of the gate: forgeries that must not pass, honest papers that must not be blocked, outputs, hostile files.

#![cfg(test)]
#![allow(clippy::disallowed_methods, reason = "tests prepare files directly")]

mod attacks;
mod changes;
mod honest;
mod hostile;
mod judged;
mod obligations;
mod outputs;
mod support;
