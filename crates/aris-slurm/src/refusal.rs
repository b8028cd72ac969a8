//! What an error message of Slurm's commands means for a submission.
//!
//! **Source**: messages seen on Slurm 22.05.8 (queue design §10) and in `slurm_errno.c` of Slurm.

use crate::wave::SubmitError;

/// Makes the error of a submission from a message.
type Meaning = fn(String) -> SubmitError;

/// Pieces of messages and what they mean. The first row with a piece that the message has decides, so the messages that leave the result
/// open come before those that do not.
const MEANINGS: [(Meaning, &[&str]); 6] = [
    (
        // These limits are per job or per node, so waiting does not help; the message about the policy alone would mean that the account is
        // full.
        SubmitError::Rejected,
        &["PerJob", "PerNode", "MinGRES", "MinCpu", "MinTRES"],
    ),
    (
        SubmitError::Unclear,
        &[
            "Socket timed out",
            "Zero Bytes were transmitted or received",
            "Transport endpoint is not connected",
            "Connection reset by peer",
            "Broken pipe",
        ],
    ),
    (
        SubmitError::Unavailable,
        &[
            "Unable to contact slurm controller",
            "Unable to contact slurmctld",
            "Unable to establish controller machine",
            "Unable to establish configuration source",
            "Could not establish a configuration source",
            "Connection refused",
            "Connection timed out",
            "Munge encode failed",
            "Munge decode failed",
            "munge.socket",
            "auth/munge",
            "Protocol authentication error",
            "Invalid authentication credential",
            "slurmdbd",
            "slurm_persist_conn_open",
            "Problem talking to the database",
            "controller is in standby mode",
            "temporarily unable to accept job",
            "Resource temporarily unavailable",
            "job submission is disabled",
        ],
    ),
    (
        SubmitError::Full,
        &[
            "SubmitJob",
            "SubmitLimit",
            "Job violates accounting/QOS policy",
            "maximum number of jobs",
            "Maximum job count",
        ],
    ),
    (
        // An administrator has drained the partition, and will open it again.
        SubmitError::Closed,
        &["Required partition not available"],
    ),
    (
        SubmitError::Rejected,
        &[
            "nvalid partition",
            "nvalid account",
            "nvalid qos",
            "nvalid job array",
            "nvalid feature",
            "nvalid generic resource",
            "nvalid option",
            "Invalid --",
            "nvalid constraint",
            "nvalid wckey",
            "node configuration is not available",
            "time limit is invalid",
            "Memory specification can not be satisfied",
            "More processors requested than permitted",
            "Node count specification invalid",
            "too long",
            "unrecognized option",
            "unrecognised option",
            "requires an argument",
            "Access/permission denied",
            "not permitted to use",
            "Invalid Trackable RESource",
            "does not start with",
        ],
    ),
];

/// What `message` means. The controller's own words, after "submission failed:", take precedence over the text before them, which may hold
/// names that a person chose.
pub(crate) fn meaning(message: String) -> SubmitError {
    let of = |text: &str| {
        let mut rows = MEANINGS.iter();
        let row = rows.find(|(_, pieces)| pieces.iter().any(|piece| text.contains(piece)));
        row.map(|(meaning, _)| meaning(message.clone()))
    };
    let own = message.rsplit_once(FAILED).map(|(_, own)| own);
    match own.and_then(of) {
        // The limit's name comes before the controller's words.
        Some(SubmitError::Full(_)) | None => of(&message).unwrap_or(SubmitError::Unknown(message)),
        Some(meaning) => meaning,
    }
}

/// The text right before the controller's own words.
const FAILED: &str = "job submission failed:";

/// Whether the controller itself refused, in whatever words: then it took no job.
pub(crate) fn said_no(message: &str) -> bool {
    message.contains(FAILED)
}

/// Whether accounting is switched off, rather than out of reach.
pub(crate) fn no_accounting(message: &str) -> bool {
    message.contains("accounting storage is disabled")
}

/// Whether `squeue` failed because it knows none of the jobs.
pub(crate) fn none_known(message: &str) -> bool {
    message.contains("Invalid job id specified")
}

/// Whether a task could not be ended because it is over, or about to be.
pub(crate) fn over_already(message: &str) -> bool {
    let over = none_known(message) || message.contains("already completing or completed");
    over && matches!(meaning(message.to_owned()), SubmitError::Unknown(_))
}

/// Whether an answer about the tasks of an array only says that some are over, or that there was no error: `7_0-1: Job has already
/// finished`.
pub(crate) fn is_done(message: &str) -> bool {
    let known = [
        "Job has already finished",
        "Job/step already completing or completed",
        "Invalid job id specified",
        "No error",
    ];
    let mut rest = message.to_owned();
    for piece in known {
        rest = rest.replace(piece, "");
    }
    let rest = rest.replace("scontrol:", "").replace("error:", "");
    rest.len() < message.len()
        && rest.chars().all(|letter| {
            letter.is_ascii_digit() || letter.is_whitespace() || "_-,:[]%".contains(letter)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_mean_what_was_seen() {
        for (message, expected) in [
            (
                "sbatch: error: Batch job submission failed: Unable to contact slurm controller (connect failure)",
                SubmitError::Unavailable as Meaning,
            ),
            (
                "slurm_load_jobs error: Socket timed out on send/recv operation",
                SubmitError::Unclear,
            ),
            (
                "sbatch: error: Batch job submission failed: Zero Bytes were transmitted or received",
                SubmitError::Unclear,
            ),
            (
                "sbatch: error: invalid partition specified: nope sbatch: error: Batch job submission failed: Invalid partition name specified",
                SubmitError::Rejected,
            ),
            (
                "allocation failure: Invalid partition name specified",
                SubmitError::Rejected,
            ),
            (
                "sbatch: error: Batch job submission failed: Requested node configuration is not available",
                SubmitError::Rejected,
            ),
            (
                "sbatch: error: Batch job submission failed: Invalid job array specification",
                SubmitError::Rejected,
            ),
            (
                "sbatch: error: AssocMaxSubmitJobLimit\nsbatch: error: Batch job submission failed: Job violates accounting/QOS policy (job submit limit, user's size and/or time limits)",
                SubmitError::Full,
            ),
            (
                "sbatch: error: Munge encode failed: Failed to access \"/run/munge\"",
                SubmitError::Unavailable,
            ),
            (
                "sacct: error: Problem talking to the database: Connection refused",
                SubmitError::Unavailable,
            ),
            (
                "sbatch: error: QOSMaxWallDurationPerJobLimit sbatch: error: Batch job submission failed: Job violates accounting/QOS policy (job submit limit, user's size and/or time limits)",
                SubmitError::Rejected,
            ),
            (
                "sbatch: error: invalid partition specified: lounge sbatch: error: Batch job submission failed: Invalid partition name specified",
                SubmitError::Rejected,
            ),
            (
                "sbatch: error: invalid partition specified: auth/munge sbatch: error: Batch job submission failed: Invalid partition name specified",
                SubmitError::Rejected,
            ),
            ("sbatch: error: lounge", SubmitError::Unknown),
            ("sbatch: error: the moon is full", SubmitError::Unknown),
            ("", SubmitError::Unknown),
        ] {
            assert_eq!(meaning(message.to_owned()), expected(message.to_owned()));
        }
        assert!(no_accounting("Slurm accounting storage is disabled"));
        for (message, over) in [
            (
                "scancel: error: Kill job error on job id 115_0: Job/step already completing or completed",
                true,
            ),
            (
                "scancel: error: Kill job error on job id 7_1: Invalid job id specified",
                true,
            ),
            (
                "scancel: error: Kill job error on job id 106_3: Job can not be altered now, try again later",
                false,
            ),
            (
                "Invalid job id specified; Unable to contact slurm controller (connect failure)",
                false,
            ),
        ] {
            assert_eq!(over_already(message), over, "{message}");
        }
        for (message, done) in [
            ("133_0-1: Job has already finished 133_2-15: No error", true),
            ("133_0: Job has already finished\n", true),
            ("133_2-15: Unable to contact slurm controller", false),
            ("133_2-15: No error 133_16: Access/permission denied", false),
            ("", false),
        ] {
            assert_eq!(is_done(message), done, "{message}");
        }
        assert!(none_known(
            "slurm_load_jobs error: Invalid job id specified"
        ));
    }
}
