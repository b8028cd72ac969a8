//! Waves of attempts on a Slurm cluster or a `HyperQueue` server, through their commands, for users who may only submit.
//!
//! A submission is one array with dense indices into a table on the shared disk. Its command is the same for every task, and its name is a
//! token by which it is found when the answer to the submission was lost. What the batch system says afterwards is a hint only: what counts
//! are the records that runners leave in the attempts' folders. Slurm's accounting is asked last and is not required.
//!
//! Each call runs at most a few commands. The caller decides how often to ask: every 15 s, up to 60 s when nothing changes, and less often
//! after errors (5 s to 5 min).

#![warn(missing_docs)]

mod engine;
mod hq;
mod programs;
mod refusal;
mod rows;
mod submission;
mod task;
mod wave;

pub use engine::SlurmEngine;
pub use hq::HqEngine;
pub use programs::{Access, Answer};
pub use rows::is_over;
pub use submission::{is_option, other_clusters, set_by_the_queue, told_after};
pub use task::{TaskError, attempt_of, task};
pub use wave::{BatchSystem, Cause, Config, Found, Says, Silent, SubmitError, Task, Wave};
