//! Cards as programs in the place of nvidia-smi describe them.

use std::collections::BTreeSet;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use aris_attempt::cards::{Card, Memory, Monitor, NvidiaSmi, Pace, Sample, Silence, now};

use crate::place::{Place, until};

/// A program that answers with what `cases` says; `$*` are its arguments.
fn program(place: &Place, cases: &str) -> PathBuf {
    let path = place.at("nvidia-smi");
    let part = place.at("nvidia-smi.part");
    std::fs::write(&part, format!("#!/bin/sh\ncase \"$*\" in\n{cases}\nesac\n")).expect("written");
    std::fs::set_permissions(&part, std::fs::Permissions::from_mode(0o755)).expect("executable");
    // A copy by another process: no child of this one can have it open for writing.
    let copied = Command::new("cp").arg("-p").arg(&part).arg(&path).status();
    assert!(copied.is_ok_and(|status| status.success()));
    path
}

fn sample(place: &Place, cases: &str, wanted: &[u32]) -> Sample {
    let limit = Duration::from_mins(1);
    let wanted = wanted.iter().copied().collect();
    NvidiaSmi::at(program(place, cases), limit).sample(&wanted)
}

fn known(used: u64, total: u64) -> Memory {
    Memory::Known { used, total }
}

fn why(card: &Card) -> &str {
    match &card.memory {
        Memory::Unknown(why) => why,
        Memory::Known { .. } => panic!("{card:?}"),
    }
}

#[test]
fn a_healthy_answer_is_taken_over() {
    let place = Place::new();
    let before = now();
    let sample = sample(
        &place,
        "--query-gpu=index,uuid,memory.used,memory.total,mig.mode.current*) printf '0, GPU-a, 4, 24576, Disabled\\n1, GPU-b, [N/A], [N/A], [N/A]\\n';;\n\
         --query-compute-apps=*) printf 'GPU-a, 77, 1024\\n';;",
        &[0, 1, 2],
    );
    assert!(sample.asked >= before);
    assert_eq!(sample.cards[&0].memory, known(4, 24576));
    assert!(why(&sample.cards[&1]).contains("[N/A]"));
    assert_eq!(why(&sample.cards[&2]), "nvidia-smi does not list it");
    assert_eq!(sample.processes.expect("told").len(), 1);
    assert_eq!(sample.problem, None);
}

#[test]
fn an_older_driver_is_asked_without_what_it_does_not_know() {
    let place = Place::new();
    let sample = sample(
        &place,
        "*mig.mode*) echo 'Field \"mig.mode.current\" is not a valid field to query.'; exit 2;;\n\
         --query-gpu*) echo '0, GPU-a, 4, 24576';;\n*) exit 0;;",
        &[0],
    );
    assert_eq!(sample.cards[&0].memory, known(4, 24576));
    assert_eq!(sample.processes, Some(Vec::new()));
}

#[test]
fn one_lost_card_does_not_hide_the_others() {
    let place = Place::new();
    let lost = "Unable to determine the device handle for GPU1: 0000:02:00.0: GPU is lost.  Reboot the system to recover this GPU";
    let sample = sample(
        &place,
        &format!(
            "--query-gpu*--id=0) echo '0, GPU-a, 4, 24576, [N/A]';;\n\
             --query-gpu*--id=2) echo '2, GPU-c, 5, 24576, [N/A]';;\n\
             --query-compute*--id=[02]) echo 'GPU-c, 12, 1';;\n\
             *) echo '{lost}'; exit 15;;"
        ),
        &[0, 1, 2],
    );
    assert_eq!(sample.cards[&0].memory, known(4, 24576));
    assert_eq!(sample.cards[&2].memory, known(5, 24576));
    assert!(why(&sample.cards[&1]).contains("GPU is lost"));
    assert!(sample.problem.expect("told").contains("GPU is lost"));
}

#[test]
fn a_divided_card_comes_with_its_slices() {
    let place = Place::new();
    let sample = sample(
        &place,
        "--query-gpu*) echo '0, GPU-a, 4, 40960, Enabled';;\n\
         -L) printf 'GPU 0: A100 (UUID: GPU-a)\\n  MIG 3g.20gb Device 0: (UUID: MIG-x)\\n';;",
        &[0],
    );
    assert_eq!(sample.cards[&0].slices, ["MIG-x"]);
}

#[test]
fn whatever_is_wrong_leaves_cards_unknown_and_nothing_else() {
    for (cases, expected) in [
        (
            "*) echo 'NVIDIA-SMI has failed because of the driver.'; exit 9;;",
            "has failed",
        ),
        ("*) exit 6;;", "failed (6)"),
        ("*) echo rubbish;;", "rubbish"),
        ("*) echo '0,,,';;", "says \"\" of"),
        ("*) head -c 100000 /dev/urandom;;", "nvidia-smi says"),
        ("*) kill -KILL $$;;", "signal 9"),
        ("*) exit 0;;", "does not list it"),
    ] {
        let place = Place::new();
        let sample = sample(&place, cases, &[0]);
        assert!(
            why(&sample.cards[&0]).contains(expected),
            "{cases}: {sample:?}"
        );
        assert_ne!(sample.silence, Some(Silence::Late));
    }
    let absent = NvidiaSmi::at("/no/such/nvidia-smi", Duration::from_secs(1));
    let sample = absent.sample(&BTreeSet::from([3]));
    assert_eq!(why(&sample.cards[&3]), "nvidia-smi is not installed");
}

#[test]
fn one_that_hangs_is_given_up() {
    let place = Place::new();
    let hanging = program(&place, "*) exec sleep 1000;;");
    let sample = NvidiaSmi::at(hanging, Duration::from_millis(200)).sample(&BTreeSet::from([0]));
    assert_eq!(sample.silence, Some(Silence::Late));
    assert!(why(&sample.cards[&0]).contains("did not answer within 0.2 s"));
}

#[test]
fn a_monitor_asks_only_when_asked_and_tells_when_it_has_something() {
    let place = Place::new();
    let program = program(
        &place,
        "--query-gpu*) echo x >>\"$0.count\"; echo '0, GPU-a, 4, 24576, [N/A]';;",
    );
    let mut monitor = Monitor::start(
        NvidiaSmi::at(program, Duration::from_mins(1)),
        BTreeSet::new(),
    )
    .expect("started");
    let mut last = Duration::ZERO;
    for _ in 0..3 {
        let before = now();
        monitor.ask(Pace::Prompt);
        monitor.ask(Pace::Calm);
        let mut sample = None;
        until("a sample", || {
            sample = monitor.take();
            sample.is_some()
        });
        let sample = sample.expect("there");
        assert_eq!(sample.cards[&0].memory, known(4, 24576));
        assert!(sample.asked >= before && sample.asked > last);
        last = sample.asked;
    }
    let count = std::fs::read_to_string(place.at("nvidia-smi.count")).expect("there");
    assert!((3..=6).contains(&count.lines().count()), "{count}");
}

/// The testbed that lies beside the workspace on machines that have it.
#[test]
fn the_testbeds_cards_are_read_with_every_fault() {
    let bed = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/testbed/fakegpu/bin");
    if !bed.join("nvidia-smi").is_file() {
        println!("skipped: no test bed at {}", bed.display());
        return;
    }
    let place = Place::new();
    let folder = place.at("cards");
    // The stand-in takes its folder from the environment, which belongs to the whole process: so through a program of our own.
    let wrapper = program(
        &place,
        &format!(
            "*) FAKEGPU_DIR='{}' exec '{}/nvidia-smi' \"$@\";;",
            folder.display(),
            bed.display()
        ),
    );
    let set = |words: &[&str]| {
        let status = Command::new(bed.join("fakegpu"))
            .args(words)
            .env("FAKEGPU_DIR", &folder)
            .output();
        assert!(status.expect("run").status.success(), "{words:?}");
    };
    let look =
        || NvidiaSmi::at(&wrapper, Duration::from_mins(1)).sample(&BTreeSet::from([0, 1, 2, 3]));
    set(&["init", "4"]);
    set(&["set", "1", "base", "20000"]);
    set(&["set", "2", "base", "NA"]);
    let sample = look();
    assert_eq!(sample.cards[&0].memory, known(3, 24576));
    assert_eq!(sample.cards[&1].memory, known(20000, 24576));
    assert!(why(&sample.cards[&2]).contains("[N/A]"));
    assert_eq!(sample.processes, Some(Vec::new()));
    set(&["lost", "3", "on"]);
    let sample = look();
    assert_eq!(sample.cards[&0].memory, known(3, 24576));
    assert!(why(&sample.cards[&3]).contains("GPU is lost"));
    set(&["fail", "on"]);
    assert!(why(&look().cards[&0]).contains("couldn't communicate"));
}
