//! Grids: a few lines that describe many jobs.
//!
//! ```yaml
//! phases:
//!   - name: distill
//!     depends_on: {phase: teachers, match: [N]}
//!     grid: {N: [64, 128], lr: [0.1, 0.01]}       # every combination, the last key fastest
//!     zip: [{width: [256, 512], depth: [4, 8]}]   # these go together: (256, 4), (512, 8)
//!     seeds: 3                                    # the axis `seed`: 0, 1, 2; or a list
//!     when: ["N >= 128", "lr != ${width}"]        # cells that hold; all of them
//!     exclude: [{N: 128, lr: [0.1]}]              # cells that are left out
//!     include: [{N: 256, lr: 0.5, width: 1, depth: 1, seed: 9}]   # further cells, whole
//!     template:
//!       id: "s${seed}_N${N}_lr${lr}"
//!       cmd: python run.py --n ${N} --name "run ${lr}"
//!       expected_output: "out/N${N}_lr${lr}_s${seed}.json"
//! ```
//!
//! A placeholder is `${axis}`. In a command its value stays one part of a word: inside quotes it is escaped, outside quotes it must be a
//! plain word or a list. `${axis:raw}` inserts it as shell text. Every other `${ }` is left to the shell, such as `${HOME}` and `${GPU}`;
//! `$${` gives `${`. Commands get truth values, null and lists as Python prints them.

mod cells;
mod phase;
mod plan;
mod template;
#[cfg(test)]
mod tests;
mod when;
pub(crate) mod yaml11;

use aris_yaml::Number;

use crate::problem::{Problem, unknown_name};
use crate::tree::Node;

use crate::manifest::GridKeys as Keys;
pub use plan::Plan;

/// More jobs than this get a warning, because the numbers may be a typing mistake. **Source**: queue design §3.
pub const MANY: u64 = 100_000;
/// More jobs than this are an error.
pub const MOST_JOBS: u64 = 1_000_000;

/// An axis of a grid.
struct Axis {
    name: String,
    /// First the values of the product, then those that only included cells have.
    values: Vec<Scalar>,
}

/// Index of the axis of this name; `node` is the place for the error message.
fn axis_of(axes: &[Axis], name: &str, node: &Node) -> Result<usize, Problem> {
    let found = axes.iter().position(|axis| axis.name == name);
    let known = axes.iter().map(|axis| axis.name.as_str());
    found.ok_or_else(|| unknown_name(node, "axis", name, known))
}

/// A value of an axis: `text` is what commands get.
#[derive(Clone)]
struct Scalar {
    text: String,
    /// The value for `params` and for keys other than the command: numbers and truth values keep their type.
    node: Node,
    number: Option<Number>,
}
