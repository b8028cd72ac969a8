//! `watch`: draws again when the file changes. The system reports changes; nothing is polled.

use aris_cli::{Context, Outcome};
use aris_contract::Failure as _;

use super::render::{draw, targets};
use super::{bytes, figure, is_stdout};
use crate::cli::WatchArgs;
use crate::error::Error;
use crate::report::Watched;

pub(crate) fn run(args: &WatchArgs, context: &Context) -> Result<Outcome<Watched>, Error> {
    if is_stdout(&args.render) {
        return Err(Error::Contradiction {
            what: String::from(
                "watch draws again and again, and standard output holds one picture",
            ),
            hint: "name a file with --output, or call render",
        });
    }
    let targets = targets(&args.render, context)?;
    let spec = &args.render.spec;
    // Before the watch, which cannot tell a missing file from a system that reports no changes.
    bytes(spec, context)?;
    let mut changes = Changes::of(&context.absolute(spec))?;
    let mut last = bytes(spec, context)?;
    let mut watched = Watched {
        changes: 0,
        failures: 0,
    };
    // Whether it has problems.
    let render = |bytes: &[u8]| -> Result<bool, Error> {
        let figure = figure(bytes, spec)?;
        let rendered = draw(&args.render, &targets, &figure, context)?;
        for picture in rendered.pictures {
            context.line(&picture.path);
        }
        Ok(!rendered.problems.is_empty())
    };
    let mut drawn = render(&last);
    loop {
        if let Err(error) = &drawn {
            // A file in the middle of editing is often invalid: warn and go on.
            watched.failures += 1;
            context.warn(&error.to_string());
            if let Some(hint) = error.hint() {
                context.warn(&hint);
            }
        }
        if args.changes == Some(watched.changes) {
            let found = args.render.strict && drawn.unwrap_or(true);
            return Ok(Outcome::found(watched, found));
        }
        loop {
            changes.wait()?;
            // Between a removal and a rename the file is briefly absent.
            if let Ok(now) = bytes(spec, context)
                && now != last
            {
                last = now;
                break;
            }
        }
        watched.changes += 1;
        drawn = render(&last);
    }
}

#[cfg(target_os = "linux")]
mod system {
    use std::ffi::{CStr, OsString};
    use std::mem::MaybeUninit;
    use std::os::fd::OwnedFd;
    use std::os::unix::ffi::OsStrExt as _;
    use std::path::{Path, PathBuf};

    use rustix::fs::inotify::{self, CreateFlags, WatchFlags};
    use rustix::io::Errno;

    use super::Error;

    /// Watches the folders of a file. Folders, because most editors replace a file instead of writing into it.
    pub(super) struct Changes {
        path: PathBuf,
        /// The file's name in its folder and, if it is a link, the name of its target.
        names: Vec<OsString>,
        events: OwnedFd,
    }

    impl Changes {
        pub(super) fn of(path: &Path) -> Result<Self, Error> {
            let failed = |errno: Errno| Error::Watch {
                path: path.to_path_buf(),
                source: errno.into(),
            };
            let events = inotify::init(CreateFlags::CLOEXEC).map_err(failed)?;
            // Only complete writes: a half-written file is not a figure.
            let flags = WatchFlags::CLOSE_WRITE | WatchFlags::MOVED_TO;
            let real = path.canonicalize().ok();
            let mut names = Vec::new();
            for file in [Some(path), real.as_deref()].into_iter().flatten() {
                if let (Some(folder), Some(name)) = (file.parent(), file.file_name()) {
                    inotify::add_watch(&events, folder, flags).map_err(failed)?;
                    names.push(name.to_os_string());
                }
            }
            Ok(Self {
                path: path.to_path_buf(),
                names,
                events,
            })
        }

        /// Waits until the file has been written or replaced.
        pub(super) fn wait(&mut self) -> Result<(), Error> {
            // Room for at least one event with the longest name.
            let mut buffer = [MaybeUninit::uninit(); 4096];
            let mut events = inotify::Reader::new(&self.events, &mut buffer);
            loop {
                match events.next() {
                    // Other events read with it may be dropped: the file is read after all of them.
                    Ok(event) if self.is_meant(event.file_name()) => return Ok(()),
                    Ok(_) | Err(Errno::INTR) => {}
                    Err(errno) => {
                        return Err(Error::Watch {
                            path: self.path.clone(),
                            source: errno.into(),
                        });
                    }
                }
            }
        }

        fn is_meant(&self, name: Option<&CStr>) -> bool {
            let is = |own: &OsString| name.is_some_and(|name| own.as_bytes() == name.to_bytes());
            self.names.iter().any(is)
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use std::convert::Infallible;
    use std::io;
    use std::path::Path;

    use super::Error;

    /// This system cannot report changes.
    pub(super) struct Changes(Infallible);

    impl Changes {
        pub(super) fn of(path: &Path) -> Result<Self, Error> {
            Err(Error::Watch {
                path: path.to_path_buf(),
                source: io::ErrorKind::Unsupported.into(),
            })
        }

        pub(super) fn wait(&mut self) -> Result<(), Error> {
            match self.0 {}
        }
    }
}

use system::Changes;
