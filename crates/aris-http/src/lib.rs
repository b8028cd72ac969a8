//! The network, politely: one client for every outside service, and the only crate that talks HTTP.
//!
//! A [`Client`] asks a [`Host`] within its manners (pace and connections, kept across processes), honours `Retry-After`, backs off,
//! stops asking a host that keeps answering 429 (also across processes), stores answers in a shared cache, and has one deadline for
//! everything. A missing answer is always an error, never an empty answer.
//!
//! This crate knows no service: `aris-sources` builds requests and parses answers.

#![warn(missing_docs)]

mod again;
mod cache;
mod client;
mod download;
mod error;
mod exchange;
mod gate;
mod host;
mod origin;
mod pace;
mod request;
mod response;
mod secret;
mod service;
mod settings;
mod wire;

pub use client::{Client, Doubt};
pub use download::Downloaded;
pub use error::{HttpError, Why};
pub use host::{Host, KeySent, Manners};
pub use origin::is_loopback;
pub use request::Request;
pub use response::{Allowance, Response};
pub use secret::Secret;
pub use service::Service;
pub use settings::{DEADLINE, Event, Mode, Settings};
