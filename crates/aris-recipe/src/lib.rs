//! Recipes: YAML files that describe a pipeline as a graph of steps. The language, its checks, and the engine as pure functions.
//!
//! It does not read files, start processes, know the time, or print; `recipe_runner` does.

#![warn(missing_docs)]

pub mod compose;
pub mod engine;
pub mod expression;
pub mod finding;
pub mod graph;
pub mod model;
mod near;
pub mod rules;
pub mod template;
pub mod value;

pub use compose::{Composed, compose};
pub use finding::{Finding, Severity};
pub use graph::Graph;
pub use model::{Recipe, Step, Target, load};
pub use rules::{Data, Profile, Report, check};
