//! The paper's folders, and the real files of recorded paths.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use aris_audit::project;

/// A paper directory and the folders in which its evidence may lie. All paths except `given` are real: absolute and without links.
#[derive(Clone, Debug)]
pub(crate) struct Paper {
    /// The paper directory as the user gave it: absolute, links kept.
    pub given: PathBuf,
    /// The paper directory.
    pub dir: PathBuf,
    /// The project it belongs to.
    pub project: PathBuf,
    /// Whether the gate runs in the project's folder, so that paths relative to it can be used in commands.
    pub in_project: bool,
    roots: Vec<PathBuf>,
    /// The last folder listed by `spelled`: its names by their lower-case form.
    listed: RefCell<(PathBuf, BTreeMap<String, String>)>,
}

/// Longest path, in bytes. **Source**: `PATH_MAX` of Linux; other systems allow less.
const PATH_LIMIT: usize = 4096;

/// Why a recorded path cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Unusable {
    /// It leads out of the allowed roots.
    Escapes {
        /// The real path to which it leads.
        to: PathBuf,
        /// Whether because of a link.
        by_link: bool,
    },
    /// The file exists with a name that differs in case only.
    Case {
        /// The name on the disk.
        actual: String,
        /// The real path if the system finds the file under the recorded spelling as well: through a link, or on a case-insensitive file
        /// system.
        real: Option<PathBuf>,
    },
    /// It does not exist.
    Gone,
    /// The system does not allow access.
    Unreadable(String),
}

impl Paper {
    /// Finds the real paper directory, its project and the allowed roots.
    ///
    /// **Errors**: the system's, if the directory cannot be accessed.
    pub(crate) fn open(given: &Path, allowed_roots: &[String], cwd: &Path) -> io::Result<Self> {
        let dir = fs::canonicalize(given)?;
        let project = project::of_paper(&dir);
        let mut roots = vec![dir.clone()];
        // A paper directly below `/` must not make the whole machine its project.
        if project.parent().is_some() {
            roots.push(project.clone());
        }
        for root in allowed_roots {
            // A root that does not exist is ignored.
            roots.extend(fs::canonicalize(project.join(root)));
        }
        Ok(Self {
            given: given.to_path_buf(),
            in_project: fs::canonicalize(cwd).is_ok_and(|cwd| cwd == project),
            dir,
            project,
            roots,
            listed: RefCell::default(),
        })
    }

    /// The folders in which evidence may lie.
    pub(crate) fn roots(&self) -> &[PathBuf] {
        &self.roots
    }

    /// The real path of `name` relative to `base`; an absolute `name` is used as it is.
    pub(crate) fn resolve(&self, base: &Path, name: &str) -> Result<PathBuf, Unusable> {
        if name.contains('\0') {
            return Err(Unusable::Unreadable(String::from("the path holds a NUL")));
        }
        if name.len() > PATH_LIMIT {
            let why = "the path is longer than any path can be";
            return Err(Unusable::Unreadable(why.to_owned()));
        }
        let path = base.join(name);
        match fs::canonicalize(&path) {
            Ok(real) => self.inside(&path, real),
            Err(error) => match error.kind() {
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => {
                    Err(self.absent(base, &path))
                }
                _ => Err(Unusable::Unreadable(error.to_string())),
            },
        }
    }

    /// The real path of an audited file, relative to the paper.
    ///
    /// Data may be outside the roots (on another disk), reached by a link or an absolute path, because the audit has their digest.
    /// Sources of the paper may not, and `..` never leads out.
    pub(crate) fn input(&self, name: &str) -> Result<PathBuf, Unusable> {
        match self.resolve(&self.dir, name) {
            Err(Unusable::Escapes { to, by_link })
                if is_data(name)
                    && is_data(&to.to_string_lossy())
                    && (by_link || Path::new(name).is_absolute()) =>
            {
                if to.exists() {
                    Ok(to)
                } else {
                    Err(Unusable::Gone)
                }
            }
            other => other,
        }
    }

    fn inside(&self, path: &Path, real: PathBuf) -> Result<PathBuf, Unusable> {
        let textual = aris_fs::lexical(path);
        if !self.allows(&real) {
            let by_link = self.allows(&textual);
            return Err(Unusable::Escapes { to: real, by_link });
        }
        match case_variant(&textual, &real) {
            Some(actual) => Err(Unusable::Case {
                actual,
                real: Some(real),
            }),
            None => Ok(real),
        }
    }

    /// Why `path`, below `base`, does not exist. Places outside the roots are not examined.
    ///
    /// Walks down from the existing part, so that a very long path costs nothing.
    fn absent(&self, base: &Path, path: &Path) -> Unusable {
        let below = path.strip_prefix(base);
        let mut real = if below.is_ok() {
            base.to_path_buf()
        } else {
            PathBuf::new()
        };
        let mut parts = below.unwrap_or(path).components();
        let missing = loop {
            let Some(part) = parts.next() else {
                return Unusable::Gone;
            };
            match fs::canonicalize(real.join(part)) {
                Ok(found) => real = found,
                Err(_) => break part,
            }
        };
        let whole = aris_fs::lexical(&real.join(missing).join(parts.as_path()));
        if !self.allows(&real) || !self.allows(&whole) {
            return Unusable::Escapes {
                to: whole,
                by_link: false,
            };
        }
        let Component::Normal(name) = missing else {
            return Unusable::Gone;
        };
        self.spelled(&real, name)
            .map_or(Unusable::Gone, |actual| Unusable::Case {
                actual,
                real: None,
            })
    }

    /// The name in a folder that differs from `name` in case only. The last folder is cached.
    fn spelled(&self, folder: &Path, name: &OsStr) -> Option<String> {
        let mut listed = self.listed.borrow_mut();
        if listed.0 != folder {
            let entries = aris_fs::list_sorted(folder).unwrap_or_default().into_iter();
            let names = entries.map(|entry| entry.name.to_string_lossy().into_owned());
            let names = names.map(|name| (name.to_lowercase(), name));
            *listed = (folder.to_path_buf(), names.collect());
        }
        let name = name.to_string_lossy();
        let found = listed.1.get(&name.to_lowercase());
        found.filter(|other| **other != *name).cloned()
    }

    fn allows(&self, path: &Path) -> bool {
        self.roots.iter().any(|root| path.starts_with(root))
    }

    /// Whether a real path is in the paper directory.
    pub(crate) fn holds(&self, real: &Path) -> bool {
        real.starts_with(&self.dir)
    }

    /// A real path for people and artifacts: relative to the paper directory within the project (with `..` outside of the paper), absolute
    /// elsewhere.
    pub(crate) fn shown(&self, real: &Path) -> String {
        if self.holds(real) || !real.starts_with(&self.project) || self.project.parent().is_none() {
            return aris_fs::display_relative(real, &self.dir);
        }
        project::relative(real, &self.dir)
    }
}

/// Whether a path names a source of the paper, and not its evidence.
pub(crate) fn is_source(path: &str) -> bool {
    const SOURCES: [&str; 7] = ["tex", "bib", "bbl", "sty", "cls", "bst", "pdf"];
    let extension = Path::new(path).extension().and_then(OsStr::to_str);
    let is = |known: &&str| extension.is_some_and(|found| found.eq_ignore_ascii_case(known));
    SOURCES.iter().any(is)
}

/// Whether a path names data: it has an extension that is not that of a source.
fn is_data(path: &str) -> bool {
    Path::new(path).extension().is_some() && !is_source(path)
}

/// The last part of `real` that `textual` spells in another case. On a case-sensitive file system there is none, unless a link leads
/// from one spelling to the other.
fn case_variant(textual: &Path, real: &Path) -> Option<String> {
    let pairs = textual.components().rev().zip(real.components().rev());
    let differing = |(written, actual): (Component<'_>, Component<'_>)| {
        let (written, actual) = (written.as_os_str(), actual.as_os_str());
        let same_letters =
            written.to_string_lossy().to_lowercase() == actual.to_string_lossy().to_lowercase();
        (written != actual && same_letters).then(|| actual.to_string_lossy().into_owned())
    };
    pairs.map(differing).find_map(|variant| variant)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::disallowed_methods, reason = "tests prepare files directly")]

    use super::*;

    struct Place {
        _temp: tempfile::TempDir,
        paper: Paper,
    }

    fn place() -> Place {
        let temp = tempfile::tempdir().expect("temp");
        let root = fs::canonicalize(temp.path()).expect("real");
        for folder in [
            "project/.git",
            "project/paper/sections",
            "project/results",
            "outside",
        ] {
            fs::create_dir_all(root.join(folder)).expect("folder");
        }
        for file in [
            "project/.git/HEAD",
            "project/paper/main.tex",
            "project/paper/sections/a.tex",
            "project/results/x.json",
            "outside/secret",
        ] {
            fs::write(root.join(file), file).expect("file");
        }
        std::os::unix::fs::symlink(
            root.join("outside/secret"),
            root.join("project/paper/link.tex"),
        )
        .expect("link");
        std::os::unix::fs::symlink("main.tex", root.join("project/paper/MAIN.tex")).expect("link");
        std::os::unix::fs::symlink("loop", root.join("project/paper/loop")).expect("link");
        let paper = Paper::open(&root.join("project/paper"), &[], &root).expect("paper");
        Place { _temp: temp, paper }
    }

    #[test]
    fn names_are_resolved_within_the_project_only() {
        let place = place();
        let paper = &place.paper;
        let outcome = |name: &str| match paper.resolve(&paper.dir, name) {
            Ok(real) => paper.shown(&real),
            Err(Unusable::Escapes { by_link, .. }) => format!("escapes, by link: {by_link}"),
            Err(Unusable::Case { actual, .. }) => format!("case of {actual}"),
            Err(Unusable::Gone) => String::from("gone"),
            Err(Unusable::Unreadable(why)) => format!("unreadable: {why}"),
        };
        for (name, expected) in [
            ("main.tex", "main.tex"),
            ("./sections/../sections/a.tex", "sections/a.tex"),
            ("../results/x.json", "../results/x.json"),
            ("link.tex", "escapes, by link: true"),
            ("../../outside/secret", "escapes, by link: false"),
            ("../../outside/none", "escapes, by link: false"),
            ("/etc/passwd", "escapes, by link: false"),
            ("MAIN.tex", "case of main.tex"),
            ("Main.tex", "case of main.tex"),
            ("Sections/a.tex", "case of sections"),
            ("none.tex", "gone"),
            ("main.tex/x", "gone"),
            ("none/../main.tex", "gone"),
            ("a\0b", "unreadable: the path holds a NUL"),
        ] {
            assert_eq!(outcome(name), expected, "{name}");
        }
        assert!(outcome("loop").starts_with("unreadable: "));
        assert_eq!(
            outcome(&paper.dir.join("main.tex").display().to_string()),
            "main.tex"
        );
    }

    #[test]
    fn further_roots_are_relative_to_the_project() {
        let place = place();
        let with = Paper::open(
            &place.paper.dir,
            &[String::from("../outside"), String::from("/none")],
            Path::new("/"),
        )
        .expect("paper");
        assert!(with.resolve(&with.dir, "link.tex").is_ok());
    }
}
