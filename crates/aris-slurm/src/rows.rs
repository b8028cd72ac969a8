//! What `squeue` and `sacct` print, row by row.
//!
//! Their JSON is not used: it is sixty times slower and its shape changes between versions. **Source**: queue design §10, measured on
//! Slurm 22.05.8; squeue(1), sacct(1), "JOB STATE CODES".

use std::collections::BTreeMap;

use crate::wave::{Cause, Says};

/// What `squeue -o` is asked for; the name comes last, because in rows of others it may hold anything.
pub(crate) const SQUEUE_FORMAT: &str = "%i|%A|%F|%K|%T|%r|%N|%S|%e|%j";

/// What `sacct -o` is asked for.
pub(crate) const SACCT_FORMAT: &str = "JobID,JobIDRaw,JobName,State,ExitCode,DerivedExitCode,Reason,NodeList,Submit,Start,End,Elapsed,AllocTRES";

/// Fields of each.
const SQUEUE_FIELDS: usize = 10;
const SACCT_FIELDS: usize = 13;

/// One array task, or what is left of an array, in one of Slurm's lists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    /// The array's number.
    pub(crate) job: String,
    /// Which task of the array this is about; `None`: all that have no row of their own, for Slurm keeps tasks that never started in one
    /// record.
    pub(crate) task: Option<u32>,
    /// The number that this task has itself, by which Slurm's daemons call it; the array's for what has no row of its own.
    pub(crate) raw: String,
    /// The job's name.
    pub(crate) name: String,
    /// What Slurm says about it.
    pub(crate) says: Says,
}

/// What a state means, for a job with this reason on these nodes.
fn says(word: &str, reason: &str, nodes: &str) -> Says {
    // "CANCELLED by 0"
    let word = word.split(' ').next().unwrap_or_default();
    let ended = |cause| Says::Ended(cause, String::from(word));
    // **Source**: squeue(1), job state codes.
    match word {
        "PENDING" | "REQUEUED" | "REQUEUE_HOLD" | "REQUEUE_FED" | "SPECIAL_EXIT"
        | "RESV_DEL_HOLD" | "CONFIGURING" | "POWER_UP_NODE" => {
            let told = !matches!(reason, "" | "None");
            Says::Queued(String::from(if told { reason } else { word }))
        }
        "RUNNING" | "COMPLETING" | "SUSPENDED" | "STOPPED" | "SIGNALING" | "STAGE_OUT"
        | "RESIZING" => Says::Running(String::from(nodes)),
        "NODE_FAIL" | "BOOT_FAIL" => ended(Cause::Node),
        "PREEMPTED" => ended(Cause::Preempted),
        "OUT_OF_MEMORY" => ended(Cause::Memory),
        "TIMEOUT" | "DEADLINE" => ended(Cause::Time),
        "CANCELLED" => ended(Cause::Cancelled),
        "COMPLETED" | "FAILED" => ended(Cause::Untold),
        // A word that is not understood says nothing; REVOKED among them: another cluster of a federation has it.
        _ => Says::NotListed,
    }
}

/// Whether a job with this state, a word as squeue(1) has it, is over.
pub fn is_over(word: &str) -> bool {
    matches!(says(word, "", ""), Says::Ended(..))
}

/// Rows of `squeue -h -r -o` [`SQUEUE_FORMAT`]. A line of another shape is no row: somebody's job may be named with line feeds.
pub(crate) fn squeue(text: &str) -> Vec<Row> {
    let rows = text.lines().filter_map(|line| {
        let fields: Vec<&str> = line.splitn(SQUEUE_FIELDS, '|').collect();
        let [_, raw, job, task, state, reason, nodes, _, _, name] = fields.as_slice() else {
            return None;
        };
        row([job, task, raw, name], says(state, reason, nodes))
    });
    rows.collect()
}

/// Rows of `sacct -X -n -P -o` [`SACCT_FORMAT`].
pub(crate) fn sacct(text: &str) -> Vec<Row> {
    let rows = text.lines().filter_map(|line| {
        let fields: Vec<&str> = line.split('|').collect();
        if fields.len() != SACCT_FIELDS {
            return None;
        }
        let [id, raw, name, state, _, _, reason, nodes, ..] = fields.as_slice() else {
            return None;
        };
        let (job, task) = id.split_once('_').unwrap_or((id, ""));
        row([job, task, raw, name], says(state, reason, nodes))
    });
    rows.collect()
}

fn row([job, task, raw, name]: [&str; 4], says: Says) -> Option<Row> {
    let number = !job.is_empty() && job.bytes().all(|byte| byte.is_ascii_digit());
    number.then(|| Row {
        job: String::from(job),
        task: task.parse().ok(),
        raw: String::from(raw),
        name: String::from(name),
        says,
    })
}

/// Rows by job and task, for questions about single tasks. Only rows with the right name count: numbers are used again.
#[derive(Debug, Default)]
pub(crate) struct Listed {
    rows: BTreeMap<(String, String), BTreeMap<Option<u32>, Row>>,
}

impl Listed {
    pub(crate) fn of(rows: Vec<Row>) -> Self {
        let mut listed = Self::default();
        for row in rows {
            let key = (row.job.clone(), row.name.clone());
            let job = listed.rows.entry(key).or_default();
            job.insert(row.task, row);
        }
        listed
    }

    /// Whether the job is listed, and this task of it is not, under no name.
    pub(crate) fn lacks(&self, job: &str, name: &str, index: u32) -> bool {
        let key = (String::from(job), String::from(name));
        let mut rows = self.rows.iter().filter(|((known, _), _)| known == job);
        self.rows.contains_key(&key) && !rows.any(|(_, tasks)| tasks.contains_key(&Some(index)))
    }

    /// The row of a task.
    pub(crate) fn row(&self, job: &str, name: &str, index: u32) -> Option<&Row> {
        let job = self.rows.get(&(String::from(job), String::from(name)))?;
        job.get(&Some(index)).or_else(|| job.get(&None))
    }

    /// What is said of a task.
    pub(crate) fn task(&self, job: &str, name: &str, index: u32) -> Option<&Says> {
        self.row(job, name, index).map(|row| &row.says)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one<'a>(rows: &'a [Row], job: &str, index: u32) -> &'a Says {
        let mut rows = rows.iter();
        let row = rows.find(|row| row.job == job && row.task == Some(index));
        &row.expect("listed").says
    }

    #[test]
    fn rows_of_squeue() {
        let text = "100_2|100|100|2|PENDING|JobArrayTaskLimit||N/A|N/A|aq-t-1\n\
                    100_0|101|100|0|RUNNING|None|n[1-2]|2026-11-20T17:32:02|2026-11-20T17:37:02|aq-t-1\n\
                    100_1|102|100|1|NODE_FAIL|NodeDown|n1|x|y|aq-t-1\n\
                    100|100|100|N/A|CANCELLED|JobArrayTaskLimit||x|y|aq-t-1\n\
                    7|7|7|N/A|RUNNING|None|n1|x|y|a name|with|bars\n\
                    and a line feed\n\
                    100_9|100|100|9|DREAMING|None||x|y|aq-t-1\n";
        let rows = squeue(text);
        assert_eq!(rows.len(), 6);
        assert_eq!(
            *one(&rows, "100", 2),
            Says::Queued(String::from("JobArrayTaskLimit"))
        );
        assert_eq!(*one(&rows, "100", 0), Says::Running(String::from("n[1-2]")));
        assert_eq!(
            *one(&rows, "100", 1),
            Says::Ended(Cause::Node, String::from("NODE_FAIL"))
        );
        let listed = Listed::of(rows);
        let cancelled = Says::Ended(Cause::Cancelled, String::from("CANCELLED"));
        assert_eq!(listed.task("100", "aq-t-1", 3), Some(&cancelled));
        assert_eq!(listed.task("100", "another", 0), None);
        assert_eq!(listed.task("101", "aq-t-1", 0), None);
        assert_eq!(listed.task("100", "aq-t-1", 9), Some(&Says::NotListed));
        let running = Says::Running(String::from("n1"));
        assert_eq!(listed.task("7", "a name|with|bars", 0), Some(&running));
    }

    #[test]
    fn rows_of_sacct() {
        let tail = "0:0|0:0|None|n1|s|s|e|00:00:01|cpu=1";
        let text = format!(
            "2441_3|2445|aq-x|CANCELLED by 0|{tail}\n2441_[9-19%4]|2441|aq-x|PENDING|{tail}\n2514|2514|allocation|RUNNING|{tail}\n2514.batch|x|batch|FAILED|{tail}\nshort|row\n"
        );
        let rows = sacct(&text);
        assert_eq!(rows.len(), 3);
        let listed = Listed::of(rows);
        assert_eq!(
            listed.task("2441", "aq-x", 3),
            Some(&Says::Ended(Cause::Cancelled, String::from("CANCELLED")))
        );
        assert_eq!(
            listed.task("2441", "aq-x", 12),
            Some(&Says::Queued(String::from("PENDING")))
        );
        assert_eq!(listed.task("2514", "aq-x", 0), None);
    }

    proptest::proptest! {
        #[test]
        fn no_text_makes_a_reader_panic(text in "([0-9_|\\[\\]%-]|PENDING|CANCELLED by |N/A|\\n|\\PC){0,80}") {
            Listed::of(squeue(&text)).task("1", "x", 0);
            Listed::of(sacct(&text)).task("1", "x", 0);
        }

        #[test]
        fn a_task_that_is_printed_is_found(job in 1..99_999_u32, index in 0..9999_u32) {
            let text = format!("{job}_{index}|1|{job}|{index}|RUNNING|None|n1|s|e|aq-x\n");
            let listed = Listed::of(squeue(&text));
            proptest::prop_assert!(listed.task(&job.to_string(), "aq-x", index).is_some());
        }
    }
}
