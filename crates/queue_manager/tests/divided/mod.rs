//! Cards other than whole NVIDIA cards: slices of divided cards (MIG), and cards of AMD.
//!
//! The fake programs answer as documented. **Sources**: NVIDIA, MIG User Guide ("Device Enumeration", "CUDA Device Enumeration",
//! <https://docs.nvidia.com/datacenter/tesla/mig-user-guide/>); `nvidia-smi -q -x`, DTD `nvsmi_device_v12`; `rocm-smi --help`
//! (<https://rocm.docs.amd.com/projects/rocm_smi_lib/>); `ROCm`, "GPU isolation techniques" for the variables.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::queue::Place;

/// The output of `nvidia-smi -L`: card 0 is whole, card 1 has two slices.
const LIST: &str = "GPU 0: NVIDIA A100-SXM4-40GB (UUID: GPU-0000)\n\
    GPU 1: NVIDIA A100-SXM4-40GB (UUID: GPU-1111)\n  \
    MIG 3g.20gb     Device  0: (UUID: MIG-aaaa)\n  \
    MIG 2g.10gb     Device  1: (UUID: MIG-bbbb)\n";

fn details() -> String {
    let slice = |index: u32, instance: u32, total: u32| {
        format!(
            "<mig_device><index>{index}</index><gpu_instance_id>{instance}</gpu_instance_id>\
             <compute_instance_id>0</compute_instance_id><fb_memory_usage><total>{total} MiB</total>\
             <reserved>0 MiB</reserved><used>11 MiB</used><free>1 MiB</free></fb_memory_usage></mig_device>"
        )
    };
    format!(
        "<?xml version=\"1.0\" ?>\n<!DOCTYPE nvidia_smi_log SYSTEM \"nvsmi_device_v12.dtd\">\n<nvidia_smi_log>\
         <gpu id=\"00000000:07:00.0\"><mig_devices>None</mig_devices><uuid>GPU-0000</uuid><processes></processes></gpu>\
         <gpu id=\"00000000:0F:00.0\"><mig_devices>{}{}</mig_devices><uuid>GPU-1111</uuid><processes></processes></gpu>\
         </nvidia_smi_log>",
        slice(0, 1, 19_968),
        slice(1, 5, 9_856)
    )
}

/// A whole card and a divided one; `list` is the shell command that answers `-L`.
fn divided(list: &str) -> Place {
    let place = Place::new();
    fs::write(place.at("list"), LIST).expect("write");
    fs::write(place.at("details"), details()).expect("write");
    let here = place.at("").display().to_string();
    place.program(
        "nvidia-smi",
        &format!(
            "case \"$*\" in\n*query-compute-apps*) ;;\n-L*) {list} ;;\n-q\\ -x*) cat '{here}/details' ;;\n\
             *query-gpu*) echo '0, GPU-0000, 3, 40960, Disabled'; echo '1, GPU-1111, 24, 40960, Enabled' ;;\n*) exit 2 ;;\nesac"
        ),
    );
    place
}

fn listed() -> Place {
    divided("cat \"$(dirname \"$0\")/../list\"")
}

fn write(place: &Place, jobs: &Value, more: &Value) {
    let mut manifest = json!({
        "project": "cards", "cwd": place.at(""), "linger": 0, "output_wait": 0, "jobs": jobs,
    });
    for (key, value) in more.as_object().expect("settings") {
        manifest[key] = value.clone();
    }
    fs::write(place.at("m.json"), manifest.to_string()).expect("write");
}

/// What the jobs wrote to `seen`, sorted.
fn seen(place: &Place) -> Vec<String> {
    let text = fs::read_to_string(place.at("seen")).expect("a job ran");
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    lines.sort();
    lines
}

/// Jobs that hold their card for half a second, and write `twice` if another job has the same one.
fn jobs(count: u32) -> Value {
    let command = "name=$(echo \"$CUDA_VISIBLE_DEVICES\" | tr , _); mkdir \"held.$name\" || echo twice >> seen; \
                   echo \"$CUDA_VISIBLE_DEVICES\" >> seen; sleep 0.5; rmdir \"held.$name\"";
    let job = |at| json!({"id": format!("j{at}"), "cmd": command, "gpus": 1});
    (0..count).map(job).collect()
}

#[test]
fn each_slice_is_a_place_of_its_own() {
    let place = listed();
    write(&place, &jobs(6), &json!({}));
    let output = place.run();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let mut given = seen(&place);
    given.dedup();
    assert_eq!(given, ["0", "MIG-aaaa", "MIG-bbbb"]);
    let status = place.data(&["status", "--state", "s.json"]);
    let cards: Vec<&Value> = status["cards"]
        .as_array()
        .expect("cards")
        .iter()
        .map(|card| &card["index"])
        .collect();
    assert_eq!(cards, [&json!(0), &json!("1:0"), &json!("1:1")]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("on card 1:0"), "{said}");
}

#[test]
fn a_manifest_and_a_caller_may_name_slices() {
    for (listed_cards, visible, expected) in [
        (json!(["1:1"]), None, vec!["MIG-bbbb"]),
        (json!([1]), None, vec!["MIG-aaaa", "MIG-bbbb"]),
        (Value::Null, Some("MIG-bb"), vec!["MIG-bbbb"]),
        (Value::Null, Some("GPU-1111"), vec!["MIG-aaaa", "MIG-bbbb"]),
        (Value::Null, Some("0"), vec!["0"]),
    ] {
        let place = listed();
        let more = if listed_cards.is_null() {
            json!({})
        } else {
            json!({"gpus": listed_cards})
        };
        write(&place, &jobs(4), &more);
        let mut command = place.command(&["run", "--manifest", "m.json", "--state", "s.json"]);
        if let Some(visible) = visible {
            command.env("CUDA_VISIBLE_DEVICES", visible);
        }
        let output = command.output().expect("ran");
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        let mut given = seen(&place);
        given.dedup();
        assert_eq!(given, expected, "{listed_cards} {visible:?}");
    }
}

#[test]
fn memory_counts_for_each_slice_and_several_slices_are_not_several_cards() {
    let place = listed();
    let large = json!([{"id": "large", "cmd": "echo $CUDA_VISIBLE_DEVICES >> seen", "gpus": 1, "gpu_mem_mib": 15000}]);
    write(&place, &large, &json!({}));
    assert_eq!(place.run().status.code(), Some(0));
    assert_eq!(seen(&place), ["MIG-aaaa"]);

    let place = listed();
    write(
        &place,
        &json!([{"id": "pair", "cmd": "touch ran", "gpus": 2}]),
        &json!({}),
    );
    let output = place.run();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(5), "{output:?}");
    assert!(
        said.contains("\"pair\" needs 2 cards, and 1 of the cards here"),
        "{said}"
    );

    write(
        &place,
        &json!([{"id": "a", "cmd": "touch ran", "gpus": 1}]),
        &json!({"gpus": ["0:3"]}),
    );
    let output = place.run();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(5), "{output:?}");
    assert!(said.contains("the card is not divided"), "{said}");
    assert!(!place.at("ran").exists());
}

#[test]
fn a_divided_card_whose_slices_nobody_tells_runs_nothing() {
    for list in [
        "echo 'Failed to initialize NVML' >&2; exit 1",
        "echo 'GPU 1: A100 (UUID: GPU-1111)'",
    ] {
        let place = divided(list);
        write(&place, &jobs(2), &json!({"gpus": [1]}));
        let output = place.run();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(5), "{output:?}");
        assert!(said.contains("it is divided (MIG)"), "{said}");
        assert!(!place.at("seen").exists());
    }
}

#[test]
fn cards_of_amd_are_found_and_given_by_their_own_variables() {
    let place = Place::new();
    let rows = "{\"card0\": {\"Unique ID\": \"0x7e4b1c\", \"PCI Bus\": \"0000:C1:00.0\", \"VRAM Total Memory (B)\": \"17163091968\", \
                \"VRAM Total Used Memory (B)\": \"10854400\"}, \"card1\": {\"Unique ID\": \"N/A\", \"PCI Bus\": \"0000:C2:00.0\", \
                \"VRAM Total Memory (B)\": \"17163091968\", \"VRAM Total Used Memory (B)\": \"10854400\"}}";
    place.program(
        "rocm-smi",
        &format!(
            "case \"$*\" in *--showmeminfo\\ vram*--json*) echo '{rows}' ;; *) exit 2 ;; esac"
        ),
    );
    let path = format!("{}:/bin:/usr/bin", place.at("bin").display());
    if path
        .split(':')
        .any(|folder| Path::new(folder).join("nvidia-smi").exists())
    {
        eprintln!("skipped: this machine has nvidia-smi");
        return;
    }
    let say = "echo \"$ROCR_VISIBLE_DEVICES/$HIP_VISIBLE_DEVICES/$CUDA_VISIBLE_DEVICES\" >> seen";
    let job = |at: u32, gpus: u32| json!({"id": format!("j{at}"), "cmd": say, "gpus": gpus});
    let run = |variables: &[(&str, &str)]| {
        let output = place
            .command(&["run", "--manifest", "m.json", "--state", "s.json"])
            .env("PATH", &path)
            .envs(variables.iter().copied())
            .output()
            .expect("ran");
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        let lines = seen(&place);
        for file in ["seen", "s.json"] {
            fs::remove_file(place.at(file)).expect("removed");
        }
        fs::remove_dir_all(place.at(".s.queue")).expect("removed");
        lines
    };
    write(&place, &json!([job(0, 2)]), &json!({}));
    assert_eq!(run(&[]), ["0,1/0,1/0,1"]);
    write(
        &place,
        &json!([job(0, 1), job(1, 1)]),
        &json!({"max_parallel": 1}),
    );
    assert_eq!(run(&[("ROCR_VISIBLE_DEVICES", "1")]), ["1/0/0", "1/0/0"]);
    assert_eq!(
        run(&[("HIP_VISIBLE_DEVICES", "0"), ("CUDA_VISIBLE_DEVICES", "7")]),
        ["0/0/0", "0/0/0"]
    );
    // A job without cards sees none, also where nobody asks for the cards.
    write(&place, &json!([job(0, 0)]), &json!({}));
    assert_eq!(run(&[]), ["/-1/"]);
    assert_eq!(run(&[("HIP_VISIBLE_DEVICES", "1")]), ["/-1/"]);
}
