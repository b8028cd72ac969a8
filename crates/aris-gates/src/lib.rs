//! What the two helpers of the review gates share on the command line and on disk: flags, the output folder with the files that one step
//! leaves for the next, git in a worktree, access to GitHub and GitLab, and their errors. What a finding is, and what follows from it, is
//! in `aris-review`.

#![warn(missing_docs)]

mod error;
mod folder;
mod forge;
mod git;
mod held;
mod own;
mod turn;

pub use error::GateError;
pub use folder::{
    Folder, FolderArgs, answer, answers_folder, own_folder, pretty, read, read_if_there,
};
pub use forge::{ForgeArgs, goes_to, open};
pub use git::{Kept, Worktree, kept};
pub use held::{Held, HeldArgs};
pub use own::{Part, own};
pub use turn::turn;
