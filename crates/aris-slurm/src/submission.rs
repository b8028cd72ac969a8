//! The command line and the script of a submission.

use std::path::Path;
use std::time::Duration;

use aris_contract::text::shell_line;
use aris_queue::manifest::{Gres, Positive, Slurm};

use crate::task;
use crate::wave::Wave;

/// Seconds before Slurm ends a task at which it signals the runner, so that the runner ends the job in order.
const NOTICE: u32 = 60;

/// Minutes added to the limit that the runner itself enforces. **Source**: queue design §10.
const MARGIN: u64 = 2;

/// Milliseconds in a minute, the smallest unit of Slurm's limits.
const MINUTE: u64 = 60_000;

/// The script of every task. `program` is the path and first words of the command that runs [`task`](crate::task).
pub(crate) fn script(program: &[String], run: &str, token: &str) -> String {
    let words = program
        .iter()
        .map(String::as_str)
        .chain([task::SLURM_TASK, run, token]);
    let words: Vec<&str> = words.collect();
    format!("#!/bin/sh\nexec {}\n", shell_line(&words))
}

/// The least time a task with these options runs before Slurm signals its runner about its limit; `None`: the limit is not known here.
///
/// **Source**: sbatch(1): the signal of `--signal` comes up to 60 seconds earlier than asked for.
pub fn told_after(options: &Slurm) -> Option<Duration> {
    const EARLIER: Duration = Duration::from_mins(1);
    let set = |word: &String| word.starts_with("--t") || word.starts_with("-t");
    if options.extra().iter().any(set) {
        return None;
    }
    let limit = limit(options.time.as_deref()?).filter(|limit| !limit.is_zero())?;
    Some(limit.saturating_sub(Duration::from_secs(u64::from(NOTICE)) + EARLIER))
}

/// Reads `--time`. **Source**: sbatch(1): minutes, minutes:seconds, hours:minutes:seconds, days-hours, days-hours:minutes,
/// days-hours:minutes:seconds.
fn limit(time: &str) -> Option<Duration> {
    let (days, rest) = match time.split_once('-') {
        Some((days, rest)) => (Some(days.parse::<u32>().ok()?), rest),
        None => (None, time),
    };
    let parts: Result<Vec<u32>, _> = rest.split(':').map(str::parse).collect();
    let parts = parts.ok()?;
    let [hours, minutes, seconds] = match (days, parts.as_slice()) {
        (_, [hours, minutes, seconds]) => [hours, minutes, seconds],
        (Some(_), [hours, minutes]) => [hours, minutes, &0],
        (Some(_), [hours]) => [hours, &0, &0],
        (None, [minutes, seconds]) => [&0, minutes, seconds],
        (None, [minutes]) => [&0, minutes, &0],
        _ => return None,
    };
    let hours = u64::from(days.unwrap_or(0)) * 24 + u64::from(*hours);
    let minutes = hours * 60 + u64::from(*minutes);
    Some(Duration::from_secs(minutes * 60 + u64::from(*seconds)))
}

/// What a wave's tasks ask for, as arguments of `sbatch`.
pub(crate) fn asks(wave: &Wave) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut option = |name: &str, value: &str| words.push(format!("--{name}={value}"));
    let given = &wave.options;
    let count = |count: Option<Positive>| count.map(|count| count.get().to_string());
    // The script runs once, on the first node. With one task for two nodes, Slurm would give one node back.
    let (tasks, each) = match (given.ntasks, given.ntasks_per_node, given.nodes) {
        (None, None, None) => (Some(String::from("1")), None),
        (None, None, Some(_)) => (None, Some(String::from("1"))),
        (tasks, each, _) => (count(tasks), count(each)),
    };
    let limit = wave
        .time_limit_ms
        .map(|limit| (limit.div_ceil(MINUTE) + MARGIN).to_string());
    // `extra` may set the memory per CPU or card, and Slurm accepts only one of these options.
    let by_cpu = |word: &String| word.starts_with("--mem-per-");
    let mem = wave.mem_mib.filter(|_| !given.extra().iter().any(by_cpu));
    let mem = mem.map(|mib| format!("{mib}M"));
    let gres = given.gres.as_ref().map(Gres::text);
    let cards = (wave.gpus > 0).then(|| format!("gpu:{}", wave.gpus));
    for (name, value) in [
        ("nodes", count(given.nodes)),
        ("ntasks", tasks),
        ("ntasks-per-node", each),
        ("time", given.time.clone().or(limit)),
        ("partition", given.partition.clone()),
        ("account", given.account.clone()),
        ("qos", given.qos.clone()),
        (
            "cpus-per-task",
            count(given.cpus).or(wave.cpus.map(|cpus| cpus.to_string())),
        ),
        ("mem", given.mem.clone().or(mem)),
        ("constraint", given.constraint.clone()),
        ("gres", with_cards(gres, given, cards)),
        ("nice", (wave.nice > 0).then(|| wave.nice.to_string())),
    ] {
        if let Some(value) = value {
            option(name, &value);
        }
    }
    words.extend(given.extra().iter().cloned());
    words
}

/// Arguments of `sbatch` for a wave. The options that this crate relies on come last, so that they override the manifest's further
/// arguments.
pub(crate) fn arguments(wave: &Wave, run: &Path) -> Vec<String> {
    let mut words = asks(wave);
    let mut option = |name: &str, value: &str| words.push(format!("--{name}={value}"));
    let last = wave.attempts.len().saturating_sub(1);
    let throttle = wave
        .throttle
        .map_or_else(String::new, |most| format!("%{}", most.max(1)));
    option("array", &format!("0-{last}{throttle}"));
    option("job-name", &wave.token);
    option("chdir", &run.display().to_string());
    option("output", &task::log(run, &wave.token).display().to_string());
    option("open-mode", "append");
    option("signal", &format!("B:TERM@{NOTICE}"));
    option("export", "ALL");
    words.push(String::from("--no-requeue"));
    words.push(String::from("--parsable"));
    words
}

/// The generic resources of the manifest; cards that it counts outside `gres` are added.
fn with_cards(gres: Option<String>, given: &Slurm, cards: Option<String>) -> Option<String> {
    match (gres, given.gres.as_ref().and_then(Gres::cards)) {
        (Some(gres), None) => {
            Some(cards.map_or_else(|| gres.clone(), |cards| format!("{gres},{cards}")))
        }
        (Some(gres), Some(_)) => Some(gres),
        (None, _) => cards,
    }
}

/// Whether `sbatch` may read a word as this long option. A prefix of the name is enough, as for `getopt_long` where no other option has
/// that prefix.
///
/// **Source**: `getopt_long(3)`.
pub fn is_option(word: &str, name: &str) -> bool {
    let long = word.strip_prefix("--").unwrap_or_default();
    let long = long.split('=').next().unwrap_or_default();
    !long.is_empty() && name.starts_with(long)
}

/// The first of the further arguments that `sbatch` would not take as an option: a script that replaces ours, or the end of options.
/// `--wrap` replaces our script, too.
pub(crate) fn no_option(extra: &[String]) -> Option<&str> {
    let option = |word: &str| word.starts_with('-') && !word.trim_start_matches('-').is_empty();
    let mut words = extra.iter().map(String::as_str);
    words.find(|word| !option(word) || is_option(word, "wrap"))
}

/// The first of the further arguments that submits to other clusters, where this queue could not find, watch or end its jobs.
pub fn other_clusters(extra: &[String]) -> Option<&str> {
    let other = |word: &&str| {
        let names = ["clusters", "cluster-constraint"];
        names.iter().any(|name| is_option(word, name)) || word.starts_with("-M")
    };
    extra.iter().map(String::as_str).find(other)
}

/// The first of the further arguments that the queue sets itself. It would have no effect, or the queue would lose its jobs.
///
/// **Source**: sbatch(1).
pub fn set_by_the_queue(extra: &[String]) -> Option<&str> {
    const LONG: [&str; 18] = [
        "array",
        "chdir",
        "error",
        "export",
        "export-file",
        "help",
        "input",
        "job-name",
        "no-requeue",
        "open-mode",
        "output",
        "parsable",
        "requeue",
        "signal",
        "test-only",
        "usage",
        "version",
        "wait",
    ];
    const SHORT: [&str; 9] = ["-a", "-D", "-e", "-h", "-i", "-J", "-o", "-V", "-W"];
    let ours = |word: &&str| {
        LONG.iter().any(|name| is_option(word, name))
            || SHORT.iter().any(|short| word.starts_with(short))
    };
    extra.iter().map(String::as_str).find(ours)
}

/// The job number and the cluster that `sbatch --parsable` prints: `123`, or `123;cluster`.
pub(crate) fn job(printed: &str) -> Option<(String, Option<String>)> {
    // A site's submit plugin may print lines before it.
    let line = printed.lines().rev().find(|line| !line.trim().is_empty())?;
    let mut parts = line.trim().splitn(2, ';');
    let number = parts.next()?;
    let digits = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| (String::from(number), parts.next().map(String::from)))
}

/// Lists of tasks of one array for `scancel`, such as `123_[0-4,7]`, each short enough for one argument.
pub(crate) fn task_lists(job: &str, mut indices: Vec<u32>) -> Vec<String> {
    indices.sort_unstable();
    indices.dedup();
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for index in indices {
        match ranges.last_mut() {
            Some((_, end)) if end.checked_add(1) == Some(index) => *end = index,
            _ => ranges.push((index, index)),
        }
    }
    // **Source**: measured: a list of 4,000 characters works, one of 5,000 fails.
    let lists = ranges.chunks(200).map(|ranges| {
        let ranges: Vec<String> = ranges
            .iter()
            .map(|(from, to)| {
                if from == to {
                    from.to_string()
                } else {
                    format!("{from}-{to}")
                }
            })
            .collect();
        format!("{job}_[{}]", ranges.join(","))
    });
    lists.collect()
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    #[test]
    fn a_wave_is_one_array() {
        let options = |text: &str| {
            let text = format!(
                "{{\"engine\": \"slurm\", \"slurm\": {text}, \"jobs\": [{{\"id\": \"a\", \"cmd\": \"x\"}}]}}"
            );
            let manifest = aris_queue::manifest::parse(Path::new("m"), &text).expect("a manifest");
            manifest.jobs[0].settings.slurm.clone()
        };
        let mut wave = Wave {
            token: String::from("aq-r-1"),
            run: PathBuf::from("/r"),
            attempts: vec![PathBuf::from("/r/a"); 12],
            gpus: 2,
            cpus: None,
            mem_mib: None,
            time_limit_ms: Some(90_001),
            throttle: Some(3),
            nice: 0,
            options: options(
                r#"{"cpus": 4, "mem": "8G", "partition": "gpu", "extra": ["--array=5", "--nice"]}"#,
            ),
        };
        let words = arguments(&wave, Path::new("/r")).join(" ");
        assert_eq!(
            words,
            "--ntasks=1 --time=4 --partition=gpu --cpus-per-task=4 --mem=8G --gres=gpu:2 --array=5 --nice --array=0-11%3 \
             --job-name=aq-r-1 --chdir=/r --output=/r/slurm/aq-r-1.log --open-mode=append --signal=B:TERM@60 --export=ALL \
             --no-requeue --parsable"
        );
        for (text, expected) in [
            (
                r#"{"nodes": 2}"#,
                "--nodes=2 --ntasks-per-node=1 --time=4 --gres=gpu:2 --array",
            ),
            (
                r#"{"nodes": 2, "ntasks": 8, "ntasks_per_node": 4, "time": "1-0"}"#,
                "--nodes=2 --ntasks=8 --ntasks-per-node=4 --time=1-0 --gres=gpu:2 --array",
            ),
            (
                r#"{"gres": "gpu:a100:2"}"#,
                "--ntasks=1 --time=4 --gres=gpu:a100:2 --array",
            ),
            (
                r#"{"gres": ["shard:1"]}"#,
                "--ntasks=1 --time=4 --gres=shard:1,gpu:2 --array",
            ),
        ] {
            wave.options = options(text);
            let words = arguments(&wave, Path::new("/r")).join(" ");
            assert!(words.starts_with(expected), "{text}: {words}");
        }
    }

    #[test]
    fn limits_are_read_as_sbatch_does() {
        for (time, seconds) in [
            ("90", Some(5400)),
            ("1:30", Some(90)),
            ("2:00:05", Some(7205)),
            ("1-2", Some(93_600)),
            ("1-2:30", Some(95_400)),
            ("0-0:0:9", Some(9)),
            ("UNLIMITED", None),
            ("1:2:3:4", None),
            ("-5", None),
            ("", None),
        ] {
            assert_eq!(limit(time), seconds.map(Duration::from_secs), "{time}");
        }
    }

    #[test]
    fn the_script_takes_odd_names_as_words() {
        let program = [String::from("/opt/a b/queue_manager")];
        assert_eq!(
            script(&program, "/runs/$(x) y", "aq-r-1"),
            "#!/bin/sh\nexec '/opt/a b/queue_manager' slurm-task '/runs/$(x) y' aq-r-1\n"
        );
    }

    #[test]
    fn further_arguments_are_options() {
        for (word, good) in [
            ("--nice", true),
            ("--mail-type=END", true),
            ("-n1", true),
            ("/tmp/other.sh", false),
            ("--", false),
            ("-", false),
            ("", false),
            (" --nice", false),
            ("--wrap=true", false),
        ] {
            assert_eq!(no_option(&[String::from(word)]).is_none(), good, "{word}");
        }
    }

    #[test]
    fn numbers_of_submissions() {
        for (printed, expected) in [
            ("123\n", Some(("123", None))),
            ("123;cluster\n", Some(("123", Some("cluster")))),
            ("welcome\n124\n\n", Some(("124", None))),
            ("", None),
            ("Submitted batch job 12\n", None),
            (";\n", None),
        ] {
            let expected =
                expected.map(|(number, cluster)| (String::from(number), cluster.map(String::from)));
            assert_eq!(job(printed), expected, "{printed}");
        }
    }

    #[test]
    fn tasks_are_listed_in_ranges() {
        assert_eq!(task_lists("7", vec![3, 0, 1, 2, 9, 9]), ["7_[0-3,9]"]);
        assert!(task_lists("7", Vec::new()).is_empty());
        let many = task_lists("7", (0..1000).map(|index| index * 2).collect());
        assert_eq!(many.len(), 5);
        assert!(many.iter().all(|list| list.len() < 4000));
    }
}
