//! `watch`: draws again when the file changes. Waits for the system's word and never looks by the clock.

use std::path::{Path, PathBuf};

use aris_cli::Context;
use aris_contract::Failure as _;

use super::render::{draw, targets};
use super::{bytes, figure};
use crate::cli::WatchArgs;
use crate::error::Error;
use crate::report::Watched;

pub(crate) fn run(args: &WatchArgs, context: &Context) -> Result<Watched, Error> {
    let targets = targets(&args.render, context)?;
    let spec = &args.render.spec;
    let mut changes = Changes::of(&context.absolute(spec))?;
    let mut last = bytes(spec, context)?;
    let mut watched = Watched {
        changes: 0,
        failures: 0,
    };
    let render = |bytes: &[u8]| -> Result<(), Error> {
        let figure = figure(bytes, spec)?;
        for picture in draw(&args.render, &targets, &figure, context)?.pictures {
            context.line(&picture.path);
        }
        Ok(())
    };
    let mut drawn = render(&last);
    loop {
        if let Err(error) = drawn {
            // A file that is being edited is often no figure; that passes.
            watched.failures += 1;
            context.warn(&error.to_string());
            if let Some(hint) = error.hint() {
                context.warn(&hint);
            }
        }
        if args.changes == Some(watched.changes) {
            return Ok(watched);
        }
        loop {
            changes.wait()?;
            // Between a removal and a rename there is no file for a moment.
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

/// The folders in which the file can change: its own, and that of the file it is a link to.
fn folders(path: &Path) -> Vec<PathBuf> {
    let real = path.canonicalize().ok();
    let mut folders: Vec<PathBuf> = [Some(path), real.as_deref()]
        .into_iter()
        .flatten()
        .filter_map(Path::parent)
        .map(Path::to_path_buf)
        .collect();
    folders.dedup();
    folders
}

#[cfg(target_os = "linux")]
mod system {
    use std::mem::MaybeUninit;
    use std::os::fd::OwnedFd;
    use std::path::{Path, PathBuf};

    use rustix::fs::inotify::{self, CreateFlags, WatchFlags};
    use rustix::io::Errno;

    use super::{Error, folders};

    /// What happens in the folders of a file. Folders, because most editors replace a file instead of writing into it.
    pub(super) struct Changes {
        path: PathBuf,
        events: OwnedFd,
    }

    impl Changes {
        pub(super) fn of(path: &Path) -> Result<Self, Error> {
            let failed = |errno: Errno| Error::Watch {
                path: path.to_path_buf(),
                source: errno.into(),
            };
            let events = inotify::init(CreateFlags::CLOEXEC).map_err(failed)?;
            let flags = WatchFlags::CLOSE_WRITE | WatchFlags::MOVED_TO | WatchFlags::CREATE;
            for folder in folders(path) {
                inotify::add_watch(&events, folder, flags).map_err(failed)?;
            }
            Ok(Self {
                path: path.to_path_buf(),
                events,
            })
        }

        /// Waits until something has happened there.
        pub(super) fn wait(&mut self) -> Result<(), Error> {
            // Room for one event with the longest name at least.
            let mut buffer = [MaybeUninit::uninit(); 4096];
            match inotify::Reader::new(&self.events, &mut buffer).next() {
                Ok(_) | Err(Errno::INTR) => Ok(()),
                Err(errno) => Err(Error::Watch {
                    path: self.path.clone(),
                    source: errno.into(),
                }),
            }
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use std::convert::Infallible;
    use std::io;
    use std::path::Path;

    use super::Error;

    /// There is no way to hear of changes here.
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
