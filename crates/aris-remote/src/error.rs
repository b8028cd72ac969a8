//! Why there is no answer from a server.

use aris_contract::{ErrorKind, Failure};
use aris_fs::FsError;
use aris_proc::ProcError;

/// A call that brought no answer. None of them says anything about the jobs on the server. Of those with texts the first one is the host, as
/// given, the second one what ssh, the shell or the program there says.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RemoteError {
    /// The name of the host or of a run is not one.
    #[error("{what} {name:?} is not usable")]
    Name {
        /// `host`, `run` or `file`.
        what: &'static str,
        /// As given.
        name: String,
    },
    /// ssh is not there, or cannot be started.
    #[error(transparent)]
    Ssh(#[from] ProcError),
    /// No connection, or one that broke: nothing follows for what runs there.
    #[error("{0} cannot be reached: {1}")]
    Unreachable(String, String),
    /// The server's key is unknown or changed, or it does not let this user in.
    #[error("{0} refuses the connection: {1}")]
    Refused(String, String),
    /// The program is not on the server.
    #[error("the program is not on {0}")]
    Absent(String),
    /// The program is there and does not run: another processor, or a C library older than it needs.
    #[error("the program does not run on {0}: {1}")]
    DoesNotRun(String, String),
    /// The program could not be put on the server.
    #[error("the program could not be put on {0}: {1}")]
    Deploy(String, String),
    /// The other side refused the request.
    #[error("the agent on {0} refused: {1}")]
    Agent(String, String),
    /// A file of this machine.
    #[error(transparent)]
    Disk(#[from] FsError),
}

impl Failure for RemoteError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Name { .. } => ErrorKind::Usage,
            Self::Ssh(error) => error.kind(),
            Self::Unreachable(..) => ErrorKind::Unavailable,
            Self::Refused(..) | Self::Absent(..) | Self::DoesNotRun(..) | Self::Deploy(..) => {
                ErrorKind::Precondition
            }
            Self::Agent(..) => ErrorKind::Validation,
            Self::Disk(error) => error.kind(),
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Name { what: "host", .. } => {
                Some(String::from("name it as in ~/.ssh/config, or as user@host"))
            }
            Self::Name { .. } => Some(String::from(
                "use letters, digits, dot, dash and underscore, at most 100",
            )),
            Self::Ssh(error) => error.hint(),
            Self::Unreachable(..) => Some(String::from(
                "check the name of the server: ssh HOST; jobs that run on it go on without this connection",
            )),
            Self::Refused(host, _) => Some(format!(
                "connect by hand once (ssh {host}) and settle the key there; it is never accepted automatically"
            )),
            Self::Absent(..) => Some(String::from("run queue_manager deploy for this host")),
            Self::DoesNotRun(..) => Some(String::from(
                "give a program for that machine, such as the static build of a release, with --program",
            )),
            Self::Deploy(..) => Some(String::from(
                "look at the space and the rights in the home folder there",
            )),
            Self::Agent(..) => Some(String::from(
                "deploy again, so that both sides have one version",
            )),
            Self::Disk(error) => error.hint(),
        }
    }
}
