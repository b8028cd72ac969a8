//! Finds the project's top folder.
//!
//! It does so by looking at the disk, without running git: an entry `.git` (a folder, or a file in a work tree) marks a top level.

use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// Folders that mark a project below the top level of its repository, because helpers, or skills with their helpers, were installed
/// there. The first of these marks that exists anywhere up to the top level decides.
const INSTALLED: [&str; 4] = [
    ".aris/tools",
    ".agents/skills",
    ".claude/skills",
    ".gemini/skills",
];

/// Folders beside a paper's text that show that the paper is a project of its own.
const OWN: [&str; 3] = ["results", "outputs", ".aris/tools"];

/// The project of a paper: the nearest folder up to the git top level with an installation, else the git top level, else the nearest
/// folder above the paper with `.aris/`, else the paper's parent, else the paper itself.
///
/// A paper folder that is itself the top level and contains only text (a clone of an online editor's repository, a submodule) belongs to
/// the project with `.aris/` above it, which has its results and traces. The root of the file system and folders shared by all users,
/// such as `/tmp`, are never such a project: a stray `.aris` there must not make the whole machine a project.
///
/// **Source**: the rule for `trace_path` in the design of the submission gate. `paper` must be absolute and without links.
pub fn of_paper(paper: &Path) -> PathBuf {
    let marked = || {
        let mut above = paper.ancestors().skip(1);
        above.find(|folder| !is_shared(folder) && folder.join(".aris").is_dir())
    };
    let top = git_top_level(paper);
    let nested = top == Some(paper) && !OWN.iter().any(|name| paper.join(name).is_dir());
    top.map(|top| installed(paper, top).unwrap_or(top))
        .filter(|_| !nested)
        .or_else(marked)
        .or(top)
        .or_else(|| paper.parent().filter(|parent| !is_shared(parent)))
        .unwrap_or(paper)
        .to_path_buf()
}

/// Whether a folder cannot be a project: the root, or a folder in which all users may create files (with the sticky bit).
fn is_shared(folder: &Path) -> bool {
    folder.parent().is_none()
        || folder
            .metadata()
            .is_ok_and(|data| data.mode() & 0o1002 == 0o1002)
}

/// The project of a working directory: the nearest folder up to the git top level with an installation, else the git top level, else the
/// directory itself. Parents above the top level are not searched.
///
/// **Source**: the integration contract §2, resolver chain; projects in a subfolder of a repository are our addition. `cwd` must be
/// absolute.
pub fn of_directory(cwd: &Path) -> PathBuf {
    let top = git_top_level(cwd).unwrap_or(cwd);
    installed(cwd, top).unwrap_or(top).to_path_buf()
}

/// The folder between `from` and `top`, both included, with an installation.
fn installed<'a>(from: &'a Path, top: &Path) -> Option<&'a Path> {
    INSTALLED.iter().find_map(|mark| {
        let folders = from.ancestors();
        let mut folders = folders.take_while(|folder| folder.starts_with(top));
        folders.find(|folder| folder.join(mark).is_dir())
    })
}

fn git_top_level(from: &Path) -> Option<&Path> {
    from.ancestors().find(|folder| {
        let dot_git = folder.join(".git");
        // An empty `.git` folder is not a repository; git itself checks for HEAD.
        dot_git.is_file() || dot_git.join("HEAD").exists()
    })
}

/// A path relative to a folder, with `..` if it is outside; both are absolute.
pub fn relative(path: &Path, folder: &Path) -> String {
    let above = folder.ancestors().zip(0..);
    let nearest = above.into_iter().find(|(above, _)| path.starts_with(above));
    let (above, ups) = nearest.unwrap_or((folder, 0));
    format!(
        "{}{}",
        "../".repeat(ups),
        aris_fs::display_relative(path, above)
    )
}

/// The folder of a paper, absolute: the named one, else `paper` below `cwd` if it exists, else `cwd`.
///
/// **Errors**: its path, if it is not an existing folder.
pub fn paper_folder(named: Option<&Path>, cwd: &Path) -> Result<PathBuf, PathBuf> {
    let usual = if cwd.join("paper").is_dir() {
        "paper"
    } else {
        "."
    };
    let folder = aris_fs::lexical(&cwd.join(named.unwrap_or(Path::new(usual))));
    if folder.is_dir() {
        Ok(folder)
    } else {
        Err(folder)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt as _;

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
        let shared = |mode| {
            let mode = std::fs::Permissions::from_mode(mode);
            std::fs::set_permissions(root.join("project"), mode).expect("mode");
        };
        shared(0o1777);
        assert_eq!(of_paper(&paper), root.join("project/work"));
        assert_eq!(
            of_paper(&root.join("project/work")),
            root.join("project/work")
        );
        shared(0o755);
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
        std::fs::create_dir_all(root.join("project/work/.aris")).expect("folders");
        assert_eq!(of_paper(&paper), root.join("project"));
        // Installations above the top level, at it, and below it.
        for (mark, expected) in [
            (".agents/skills", "project"),
            ("project/.agents/skills", "project"),
            ("project/work/.claude/skills", "project"),
            ("project/work/.aris/tools", "project/work"),
        ] {
            std::fs::create_dir_all(root.join(mark)).expect("folders");
            assert_eq!(of_paper(&paper), root.join(expected), "{mark}");
            assert_eq!(of_directory(&paper), root.join(expected), "{mark}");
        }
        // In a work tree, `.git` is a file.
        let tree = root.join("project/work/tree");
        std::fs::create_dir_all(&tree).expect("folders");
        #[expect(clippy::disallowed_methods, reason = "tests prepare files directly")]
        std::fs::write(tree.join(".git"), "gitdir: elsewhere\n").expect("file");
        assert_eq!(of_directory(&tree), tree);
    }

    #[test]
    fn a_paper_that_is_a_repository_of_its_own_belongs_to_the_project_around_it() {
        let temp = tempfile::tempdir().expect("temp");
        let project = temp.path().join("project");
        let paper = project.join("paper");
        std::fs::create_dir_all(paper.join(".git")).expect("folders");
        #[expect(clippy::disallowed_methods, reason = "tests prepare files directly")]
        std::fs::write(paper.join(".git/HEAD"), "ref: refs/heads/main\n").expect("head");
        assert_eq!(of_paper(&paper), paper, "nothing around it is a project");
        std::fs::create_dir_all(project.join(".aris")).expect("folders");
        assert_eq!(of_paper(&paper), project);
        std::fs::create_dir_all(paper.join("results")).expect("folders");
        assert_eq!(of_paper(&paper), paper, "results of its own");
    }
}
