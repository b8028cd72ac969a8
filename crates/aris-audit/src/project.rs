//! Where a project begins.
//!
//! Found by looking at the disk, not by starting git: a `.git` entry (folder, or file in a work tree) marks a top level.

use std::path::{Path, PathBuf};

/// The project of a paper: the git top level, else the nearest folder above the paper with `.aris/`, else the paper's parent.
///
/// **Source**: the rule for `trace_path` in `gate.md`. `paper` must be absolute.
pub fn of_paper(paper: &Path) -> PathBuf {
    let above = || paper.ancestors().skip(1);
    git_top_level(paper)
        .or_else(|| above().find(|folder| folder.join(".aris").is_dir()))
        .or_else(|| paper.parent())
        .unwrap_or(paper)
        .to_path_buf()
}

/// The project of a working directory: the git top level, else the directory itself. Other parents are not walked.
///
/// **Source**: the integration contract §2, resolver chain. `cwd` must be absolute.
pub fn of_directory(cwd: &Path) -> PathBuf {
    git_top_level(cwd).unwrap_or(cwd).to_path_buf()
}

fn git_top_level(from: &Path) -> Option<&Path> {
    from.ancestors().find(|folder| {
        let dot_git = folder.join(".git");
        // An empty `.git` folder is no repository; git itself asks for HEAD.
        dot_git.is_file() || dot_git.join("HEAD").exists()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_top_level_wins_then_the_nearest_aris_folder_above_then_the_parent() {
        let temp = tempfile::tempdir().expect("temp");
        let root = temp.path();
        let paper = root.join("project/work/paper");
        std::fs::create_dir_all(paper.join(".aris")).expect("folders");
        assert_eq!(of_paper(&paper), root.join("project/work"));
        assert_eq!(of_directory(&paper), paper);
        std::fs::create_dir_all(root.join("project/.aris")).expect("folders");
        assert_eq!(of_paper(&paper), root.join("project"));
        std::fs::create_dir_all(root.join("project/.git")).expect("folders");
        assert_eq!(
            of_directory(&paper),
            paper,
            "an empty .git is no repository"
        );
        #[expect(clippy::disallowed_methods, reason = "tests prepare files directly")]
        std::fs::write(root.join("project/.git/HEAD"), "ref: refs/heads/main\n").expect("head");
        assert_eq!(
            (of_paper(&paper), of_directory(&paper)),
            (root.join("project"), root.join("project"))
        );
    }
}
