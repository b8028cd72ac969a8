//! The network, politely: one client for every outside service, and the only crate that talks HTTP.
//!
//! A [`Client`] asks a [`Host`] within its manners (pace and connections, kept across processes), honours `Retry-After`, backs off,
//! stops asking a host that keeps saying 429 (other processes see that too), keeps answers in a cache that many processes share, and
//! gives up at one deadline over everything. What it cannot get is an error that says so: an outside that did not answer is never
//! an empty answer.
//!
//! What it does not do: know any service. Requests are built and answers are read by `aris-sources`.

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
