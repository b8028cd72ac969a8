//! A reference paper that was read and measured.

use aris_audit::Digest;

use crate::error::Error;
use crate::pdf::PdfOutline;
use crate::profile::Profile;

/// Bytes of one file that are accepted: ten times the size that arXiv takes without asking (50 MB).
pub(crate) const FILE_LIMIT: u64 = 512 << 20;

/// A reference paper that was read.
pub(crate) struct Gathered {
    /// Absolute path or address.
    pub(crate) resolved: String,
    /// Digest of what was measured: of the file's bytes, or of the names and digests of several.
    pub(crate) digest: Digest,
    /// Number of files that were measured.
    pub(crate) files: usize,
    /// Where text may have gone unread, and why.
    pub(crate) unread: Vec<String>,
    /// Names of files that the sources ask for and that are not there.
    pub(crate) missing: Vec<String>,
    /// Which files were chosen, where that was not clear.
    pub(crate) choice: Option<String>,
    /// What its headings come from, when it is a PDF.
    pub(crate) pdf_outline: Option<PdfOutline>,
    pub(crate) profile: Profile,
}

impl Gathered {
    /// What is measured on one file that is no PDF.
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

    /// Refuses a paper without sentences: it is a page that asks to wait, a scan or an empty file.
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
