//! The repositories that the git remotes of a worktree name.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use crate::pull::Repository;

const TIME: Duration = Duration::from_secs(30);

/// Remotes that may have the pull requests, the likeliest first. **Source**: the order in which `gh` tries remotes.
const BASES: [&str; 3] = ["upstream", "github", "origin"];

/// The repositories of a worktree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Remotes {
    /// Where pull requests are; `None` where no remote says so.
    pub base: Option<Repository>,
    /// Where the branch is pushed to; `None` where no remote says so.
    pub head: Option<Repository>,
}

impl Remotes {
    /// Asks git in `worktree` about `branch`. What git does not know is `None`.
    pub fn of(worktree: &Path, branch: &str) -> Self {
        let settings = git(worktree, &["config", "-z", "--list"]).unwrap_or_default();
        let settings = settings.split('\0');
        let settings = settings.filter_map(|entry| entry.split_once('\n'));
        let settings: BTreeMap<&str, &str> = settings.collect();
        let repository = |remote: &str| {
            let url = if settings.contains_key(format!("remote.{remote}.url").as_str()) {
                git(worktree, &["remote", "get-url", "--", remote])?
            } else {
                // A branch may name a URL instead of a remote.
                remote.to_owned()
            };
            of_url(url.trim())
        };
        let chosen = settings.iter().find_map(|(key, value)| {
            let name = key.strip_prefix("remote.")?.strip_suffix(".gh-resolved")?;
            (*value == "base").then_some(name)
        });
        let base = chosen.into_iter().chain(BASES).find_map(repository);
        let setting = |key: &str| settings.get(key).copied();
        let pushed = setting(&format!("branch.{branch}.pushremote"))
            .or_else(|| setting("remote.pushdefault"))
            .or_else(|| setting(&format!("branch.{branch}.remote")))
            .unwrap_or("origin");
        Self {
            base,
            head: repository(pushed),
        }
    }
}

fn git(worktree: &Path, words: &[&str]) -> Option<String> {
    let command = aris_proc::command("git", worktree).args(words);
    let done = command.run(TIME).ok()?;
    done.success().then(|| done.stdout.text().into_owned())
}

/// The repository of a URL that git accepts: `https://host/owner/name`, `ssh://git@host/owner/name`, `git@host:owner/name`.
fn of_url(url: &str) -> Option<Repository> {
    let (place, path, is_web) = if let Some((scheme, rest)) = url.split_once("://") {
        let (place, path) = rest.split_once('/')?;
        (place, path, scheme.starts_with("http"))
    } else {
        let (place, path) = url.split_once(':')?;
        (place, path, false)
    };
    let place = place.rsplit_once('@').map_or(place, |(_, host)| host);
    if place.is_empty() {
        return None;
    }
    // The port of ssh is not that of the web server.
    let end = if is_web { None } else { place.find(':') };
    let host = place.get(..end.unwrap_or(place.len()))?;
    let host = match host.to_ascii_lowercase().as_str() {
        "ssh.github.com" => String::from("github.com"),
        host => host.to_owned(),
    };
    let path = path.trim_matches('/');
    let path = path.strip_suffix(".git").unwrap_or(path);
    // A host without a dot is an alias in ssh's configuration.
    let has_host = host.contains('.');
    let text = if has_host {
        format!("{host}/{path}")
    } else {
        path.to_owned()
    };
    let read: Repository = text.parse().ok()?;
    (read.host.is_some() == has_host).then_some(read)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_of_remotes_name_host_and_repository() {
        for (url, wanted) in [
            (
                "https://github.com/o/r.git",
                Some((Some("github.com"), "o/r")),
            ),
            (
                "https://user:token@github.com/o/r/",
                Some((Some("github.com"), "o/r")),
            ),
            ("git@github.com:o/r.git", Some((Some("github.com"), "o/r"))),
            (
                "ssh://git@ssh.github.com:443/o/r.git",
                Some((Some("github.com"), "o/r")),
            ),
            (
                "ssh://git@ghe.example:2222/o/r",
                Some((Some("ghe.example"), "o/r")),
            ),
            (
                "https://ghe.example:8443/o/r",
                Some((Some("ghe.example:8443"), "o/r")),
            ),
            (
                "git@gitlab.com:g/sub/r.git",
                Some((Some("gitlab.com"), "g/sub/r")),
            ),
            ("git@work:o/r.git", Some((None, "o/r"))),
            ("/srv/git/r.git", None),
            ("file:///srv/git/r.git", None),
            ("https://github.com/o", None),
            ("", None),
        ] {
            let read = of_url(url);
            let read = read.as_ref().map(|read| {
                (
                    read.host.as_deref(),
                    format!("{}/{}", read.owner, read.name),
                )
            });
            let wanted = wanted.map(|(host, name)| (host, name.to_owned()));
            assert_eq!(read, wanted, "{url}");
        }
    }

    proptest::proptest! {
        #[test]
        fn no_url_makes_it_panic(url in ".{0,60}") {
            drop(of_url(&url));
        }
    }
}
