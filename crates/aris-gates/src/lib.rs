//! What the two helpers of the review gates do alike on the command line and on the disk: the flags, the folder of what one step leaves for
//! the next, git in a worktree, the way to GitHub, and the errors of all that. What a finding is, and what follows from it, is in
//! `aris-review`.

#![warn(missing_docs)]

mod error;
mod folder;
mod forge;
mod git;
mod held;
mod own;
mod turn;

pub use error::GateError;
pub use folder::{Folder, FolderArgs, answer, own_folder, pretty, read, read_if_there};
pub use forge::{ForgeArgs, open};
pub use git::{Kept, Worktree, kept};
pub use held::{Held, HeldArgs};
pub use own::{Part, own};
pub use turn::turn;
