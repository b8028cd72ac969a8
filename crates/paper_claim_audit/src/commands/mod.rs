//! One file for each command.

pub(crate) mod audit;
pub(crate) mod bind;
pub(crate) mod emit;
pub(crate) mod show;
pub(crate) mod suggest;

pub use audit::AuditReport;
pub use bind::BindReport;
pub use emit::EmitReport;
pub use show::ShowReport;
pub use suggest::SuggestReport;

/// Refuses to write over a file that does not begin as this program begins it.
pub(crate) fn only_own(path: &std::path::Path, begins: &str) -> Result<(), crate::Error> {
    let head = match aris_fs::open(path) {
        Ok(file) => file.head(4096).map_err(crate::Error::Write)?,
        Err(error) if error.is_not_found() => return Ok(()),
        Err(error) => return Err(crate::Error::Write(error)),
    };
    let own = head.is_empty() || head.starts_with(begins.as_bytes());
    if own {
        return Ok(());
    }
    Err(crate::Error::Overwrite {
        path: path.to_path_buf(),
    })
}
