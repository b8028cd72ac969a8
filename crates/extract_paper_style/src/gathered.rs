//! A reference paper that was read and measured.

use aris_audit::Digest;

use crate::error::Error;
use crate::pdf::PdfOutline;
use crate::profile::Profile;

/// Most bytes of one file: ten times the size that arXiv accepts without asking (50 MB).
pub(crate) const FILE_LIMIT: u64 = 512 << 20;

/// A reference paper that was read.
pub(crate) struct Gathered {
    /// Absolute path or address.
    pub(crate) resolved: String,
    /// SHA-256 of the file's bytes; for several files, of lines `digest  name`, sorted by name.
    pub(crate) digest: Digest,
    /// Number of files that were measured.
    pub(crate) files: usize,
    /// Where text may have gone unread, and why.
    pub(crate) unread: Vec<String>,
    /// Names of files that the sources ask for and that are not there.
    pub(crate) missing: Vec<String>,
    /// A note on which files were chosen, if that was not clear.
    pub(crate) choice: Option<String>,
    /// For a PDF, what its outline was used for.
    pub(crate) pdf_outline: Option<PdfOutline>,
    pub(crate) profile: Profile,
}

impl Gathered {
    /// The result for one file that is not a PDF.
    pub(crate) fn of(resolved: String, digest: Digest, profile: Profile) -> Self {
        Self {
            resolved,
            digest,
            files: 1,
            unread: Vec::new(),
            missing: Vec::new(),
            choice: None,
            pdf_outline: None,
            profile,
        }
    }

    /// Refuses a paper without sentences: a page that asks to wait, a scan or an empty file.
    pub(crate) fn worth(self) -> Result<Self, Error> {
        if self.profile.sentences.is_none() {
            return Err(Error::no_paper(
                &self.resolved,
                "no sentence is found in it, so there is no style to take over",
            ));
        }
        Ok(self)
    }
}
