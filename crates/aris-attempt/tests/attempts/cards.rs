//! Cards, as reported by programs that replace nvidia-smi.

use std::collections::BTreeSet;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use aris_attempt::cards::{Card, CardId, Maker, Memory, Monitor, Pace, Sample, Silence, Smi, now};

use crate::place::{Place, until};

/// A program whose answers `cases` gives, as branches of a shell's `case` on `$*`, its arguments.
fn program(place: &Place, cases: &str) -> PathBuf {
    let path = place.at("nvidia-smi");
    let part = place.at("nvidia-smi.part");
    std::fs::write(&part, format!("#!/bin/sh\ncase \"$*\" in\n{cases}\nesac\n")).expect("written");
    std::fs::set_permissions(&part, std::fs::Permissions::from_mode(0o755)).expect("executable");
    // Copied by another process, so that no child of this one can have it open for writing.
    let copied = Command::new("cp").arg("-p").arg(&part).arg(&path).status();
    assert!(copied.is_ok_and(|status| status.success()));
    path
}

fn sample(place: &Place, cases: &str, wanted: &[u32]) -> Sample {
    let limit = Duration::from_mins(1);
    let wanted = wanted.iter().copied().map(CardId::whole).collect();
    Smi::at(program(place, cases), "/no/such/rocm-smi", limit).sample(&wanted, true)
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
    assert_eq!(sample.cards[&CardId::whole(0)].memory, known(4, 24576));
    assert!(why(&sample.cards[&CardId::whole(1)]).contains("[N/A]"));
    assert_eq!(
        why(&sample.cards[&CardId::whole(2)]),
        "nvidia-smi does not list it"
    );
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
    assert_eq!(sample.cards[&CardId::whole(0)].memory, known(4, 24576));
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
    assert_eq!(sample.cards[&CardId::whole(0)].memory, known(4, 24576));
    assert_eq!(sample.cards[&CardId::whole(2)].memory, known(5, 24576));
    assert!(why(&sample.cards[&CardId::whole(1)]).contains("GPU is lost"));
    assert!(sample.problem.expect("told").contains("GPU is lost"));
}

/// The answer to `-q -x` for a card that is divided into two slices.
const DIVIDED: &str = "<?xml version=\\\"1.0\\\" ?><nvidia_smi_log><gpu id=\\\"0:1:0\\\"><uuid>GPU-a</uuid><mig_devices>\
    <mig_device><index>0</index><gpu_instance_id>1</gpu_instance_id><compute_instance_id>0</compute_instance_id>\
    <fb_memory_usage><total>19968 MiB</total><used>11 MiB</used></fb_memory_usage></mig_device>\
    <mig_device><index>1</index><gpu_instance_id>5</gpu_instance_id><compute_instance_id>0</compute_instance_id>\
    <fb_memory_usage><total>9856 MiB</total><used>7 MiB</used></fb_memory_usage></mig_device></mig_devices>\
    <processes><process_info><gpu_instance_id>5</gpu_instance_id><compute_instance_id>0</compute_instance_id><pid>77</pid>\
    <used_memory>7 MiB</used_memory></process_info></processes></gpu></nvidia_smi_log>";

const LISTED: &str = "printf 'GPU 0: A100 (UUID: GPU-a)\\n  MIG 3g.20gb Device 0: (UUID: MIG-x)\\n  MIG 2g.10gb Device 1: (UUID: MIG-y)\\n'";

#[test]
fn the_slices_of_a_divided_card_stand_in_its_place() {
    let place = Place::new();
    let sample = sample(
        &place,
        &format!(
            "--query-gpu*) echo '0, GPU-a, 40, 40960, Enabled';;\n-L) {LISTED};;\n\
             -q*) echo \"{DIVIDED}\";;\n--query-compute*) echo 'GPU-a, 77, 7'; echo 'GPU-a, 78, 9';;"
        ),
        &[0],
    );
    let (first, second) = (CardId::slice(0, 0), CardId::slice(0, 1));
    assert_eq!(
        sample.cards.keys().copied().collect::<Vec<_>>(),
        [first, second]
    );
    assert_eq!(sample.cards[&first].memory, known(11, 19968));
    assert_eq!(sample.cards[&second].uuid.as_deref(), Some("MIG-y"));
    assert_eq!(sample.cards[&second].of.as_deref(), Some("GPU-a"));
    let processes = sample.processes.expect("told");
    let on: Vec<_> = processes
        .iter()
        .map(|one| (one.uuid.as_str(), one.pid))
        .collect();
    assert_eq!(on, [("GPU-a", 78), ("MIG-y", 77)]);
}

#[test]
fn a_divided_card_whose_slices_are_not_told_is_no_whole_card() {
    for (cases, expected) in [
        (
            String::from("-L) echo 'Failed to initialize NVML'; exit 1;;"),
            "slices are not told: nvidia-smi failed (1)",
        ),
        (
            String::from("-L) echo 'GPU 0: A100 (UUID: GPU-a)';;"),
            "has no slices",
        ),
        (
            String::from("-L) echo 'GPU 0: A100 (UUID: GPU-a)'; echo '  MIG what';;"),
            "has no slices",
        ),
    ] {
        let place = Place::new();
        let query = "--query-gpu*) echo '0, GPU-a, 40, 40960, Enabled';;\n";
        let sample = sample(&place, &format!("{query}{cases}"), &[0]);
        let card = &sample.cards[&CardId::whole(0)];
        assert!(why(card).contains(expected), "{cases}: {card:?}");
        assert_eq!(card.uuid, None);
    }
    for details in ["-q*) exit 1;;", "-q*) echo '<html>';;", "*) exit 0;;"] {
        let place = Place::new();
        let cases = format!(
            "--query-gpu*) echo '0, GPU-a, 4, 40960, Enabled';;\n-L) {LISTED};;\n{details}"
        );
        let sample = sample(&place, &cases, &[0]);
        assert_eq!(sample.cards.len(), 2, "{details}");
        for card in sample.cards.values() {
            assert!(!why(card).is_empty(), "{details}");
        }
    }
}

#[test]
fn without_nvidia_smi_rocm_smi_is_asked() {
    let place = Place::new();
    let amd = program(
        &place,
        "--showuniqueid*vram*--json) echo '{\"card1\": {\"Unique ID\": \"0xab\", \"VRAM Total Memory (B)\": \"17179869184\", \"VRAM Total Used Memory (B)\": \"1048576\"}}';;",
    );
    let limit = Duration::from_mins(1);
    let wanted = BTreeSet::from([CardId::whole(1)]);
    let sample = Smi::at("/no/such/nvidia-smi", &amd, limit).sample(&wanted, true);
    let card = &sample.cards[&CardId::whole(1)];
    assert_eq!((&card.memory, card.maker), (&known(1, 16384), Maker::Amd));
    assert_eq!((sample.silence, sample.problem), (None, None));
    let failing = program(&place, "*) echo 'ERROR: no permission' >&2; exit 2;;");
    let sample = Smi::at("/no/such/nvidia-smi", failing, limit).sample(&wanted, true);
    assert_eq!(sample.silence, Some(Silence::Failed));
    assert!(why(&sample.cards[&CardId::whole(1)]).contains("failed (2): ERROR: no permission"));
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
            why(&sample.cards[&CardId::whole(0)]).contains(expected),
            "{cases}: {sample:?}"
        );
        assert_ne!(sample.silence, Some(Silence::Late));
    }
    let absent = Smi::at(
        "/no/such/nvidia-smi",
        "/no/such/rocm-smi",
        Duration::from_secs(1),
    );
    let sample = absent.sample(&BTreeSet::from([CardId::whole(3)]), true);
    assert_eq!(
        why(&sample.cards[&CardId::whole(3)]),
        "nvidia-smi is not installed"
    );
}

#[test]
fn one_that_hangs_is_given_up() {
    let place = Place::new();
    let hanging = program(&place, "*) exec sleep 1000;;");
    let sample = Smi::at(hanging, "/no/such/rocm-smi", Duration::from_millis(200))
        .sample(&BTreeSet::from([CardId::whole(0)]), true);
    assert_eq!(sample.silence, Some(Silence::Late));
    assert!(why(&sample.cards[&CardId::whole(0)]).contains("did not answer within 0.2 s"));
}

#[test]
fn a_monitor_asks_only_when_asked_and_tells_when_it_has_something() {
    let place = Place::new();
    let program = program(
        &place,
        "--query-gpu*) echo x >>\"$0.count\"; echo '0, GPU-a, 4, 24576, [N/A]';;",
    );
    let mut monitor = Monitor::start(
        Smi::at(program, "/no/such/rocm-smi", Duration::from_mins(1)),
        BTreeSet::new(),
        false,
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
        assert_eq!(sample.cards[&CardId::whole(0)].memory, known(4, 24576));
        assert!(sample.asked >= before && sample.asked > last);
        last = sample.asked;
    }
    let count = std::fs::read_to_string(place.at("nvidia-smi.count")).expect("there");
    assert!((3..=6).contains(&count.lines().count()), "{count}");
}

/// Runs only on machines that have the test bed beside the workspace.
#[test]
fn the_testbeds_cards_are_read_with_every_fault() {
    let bed = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/testbed/fakegpu/bin");
    if !bed.join("nvidia-smi").is_file() {
        println!("skipped: no test bed at {}", bed.display());
        return;
    }
    let place = Place::new();
    let folder = place.at("cards");
    // The fake program takes its folder from an environment variable, which all tests of this process would share, so a wrapper sets it.
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
    let look = || {
        let wanted = (0..4).map(CardId::whole).collect();
        Smi::at(&wrapper, "/no/such/rocm-smi", Duration::from_mins(1)).sample(&wanted, true)
    };
    set(&["init", "4"]);
    set(&["set", "1", "base", "20000"]);
    set(&["set", "2", "base", "NA"]);
    let sample = look();
    assert_eq!(sample.cards[&CardId::whole(0)].memory, known(3, 24576));
    assert_eq!(sample.cards[&CardId::whole(1)].memory, known(20000, 24576));
    assert!(why(&sample.cards[&CardId::whole(2)]).contains("[N/A]"));
    assert_eq!(sample.processes, Some(Vec::new()));
    set(&["lost", "3", "on"]);
    let sample = look();
    assert_eq!(sample.cards[&CardId::whole(0)].memory, known(3, 24576));
    assert!(why(&sample.cards[&CardId::whole(3)]).contains("GPU is lost"));
    set(&["fail", "on"]);
    assert!(why(&look().cards[&CardId::whole(0)]).contains("couldn't communicate"));
}
