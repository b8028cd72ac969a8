//! Grids: a few lines that stand for many jobs.
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
//! A placeholder is `${axis}`. In a command its value cannot leave its place: in quotes it is escaped, outside quotes it must be
//! one plain word, and `${axis:raw}` puts it in as shell text. Everything else in `${ }` is left to the shell: `${HOME}`, `${GPU}`;
//! `$${` stands for `${`. Truth values, null and lists stand in commands as Python prints them.

mod cells;
mod phase;
mod plan;
mod template;
#[cfg(test)]
mod tests;
mod when;

use aris_yaml::Number;

use crate::problem::{Problem, unknown_name};
use crate::tree::Node;

use crate::manifest::GridKeys as Keys;
pub use plan::Plan;

/// Jobs beyond which a grid may be a slip of the keyboard. **Source**: queue design §3.
pub const MANY: u64 = 100_000;
/// Jobs beyond which a grid is a mistake; ten times the largest queue.
pub const MOST_JOBS: u64 = 1_000_000;

/// One dimension.
struct Axis {
    name: String,
    /// First those of the product, then those that only included cells have.
    values: Vec<Scalar>,
}

/// The axis of that name, which stands at `node`.
fn axis_of(axes: &[Axis], name: &str, node: &Node) -> Result<usize, Problem> {
    let found = axes.iter().position(|axis| axis.name == name);
    let known = axes.iter().map(|axis| axis.name.as_str());
    found.ok_or_else(|| unknown_name(node, "axis", name, known))
}

/// One value, as written.
#[derive(Clone)]
struct Scalar {
    text: String,
    /// As a value of a key: a number or a truth value stays one.
    node: Node,
    number: Option<Number>,
}
