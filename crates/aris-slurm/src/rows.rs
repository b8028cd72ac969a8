//! Parsers of what `squeue` and `sacct` print.
//!
//! Their JSON is not used: it is sixty times slower, and its shape changes between versions. **Source**: queue design §10, measured on
//! Slurm 22.05.8; squeue(1), sacct(1), "JOB STATE CODES".

use std::collections::BTreeMap;

use crate::wave::{Cause, Says};

/// Fields asked of `squeue -o`. The name comes last, because names of other people's jobs may hold any character.
pub(crate) const SQUEUE_FORMAT: &str = "%i|%A|%F|%K|%T|%r|%N|%S|%e|%j";

/// Fields asked of `sacct -o`.
pub(crate) const SACCT_FORMAT: &str = "JobID,JobIDRaw,JobName,State,ExitCode,DerivedExitCode,Reason,NodeList,Submit,Start,End,Elapsed,AllocTRES";

/// Number of fields in each.
const SQUEUE_FIELDS: usize = 10;
const SACCT_FIELDS: usize = 13;

/// One row: an array task, or all tasks of an array that have no row of their own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    /// The array's job number.
    pub(crate) job: String,
    /// The task's index in the array; `None`: all tasks without a row of their own, since Slurm keeps tasks that never started in one
    /// record.
    pub(crate) task: Option<u32>,
    /// The job number of this task alone, which Slurm's daemons use in their messages; the array's where tasks have no row of their own.
    pub(crate) raw: String,
    /// The job's name.
    pub(crate) name: String,
    /// What Slurm says about it.
    pub(crate) says: Says,
}

/// What a state means, together with the reason and the nodes.
fn says(word: &str, reason: &str, nodes: &str) -> Says {
    // Only the first word of "CANCELLED by 0".
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
        // An unknown state says nothing. So does REVOKED: another cluster of a federation has the job.
        _ => Says::NotListed,
    }
}

/// Whether a job in this state, a word of squeue(1), is over.
pub fn is_over(word: &str) -> bool {
    matches!(says(word, "", ""), Says::Ended(..))
}

/// Rows of `squeue -h -r -o` [`SQUEUE_FORMAT`]. A line of another shape is skipped: other people's job names may hold line feeds.
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

/// Rows by job and task. A row counts only if its name matches as well, because Slurm reuses job numbers.
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

    /// Whether the job is listed under this name, and no row of that number has this task.
    pub(crate) fn lacks(&self, job: &str, name: &str, index: u32) -> bool {
        let key = (String::from(job), String::from(name));
        let mut rows = self.rows.iter().filter(|((known, _), _)| known == job);
        self.rows.contains_key(&key) && !rows.any(|(_, tasks)| tasks.contains_key(&Some(index)))
    }

    /// The row of a task; if it has none, the row of the array's remaining tasks.
    pub(crate) fn row(&self, job: &str, name: &str, index: u32) -> Option<&Row> {
        let job = self.rows.get(&(String::from(job), String::from(name)))?;
        job.get(&Some(index)).or_else(|| job.get(&None))
    }

    /// What the row of a task says.
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
