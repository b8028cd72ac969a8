//! Parsers of nvidia-smi's answers. They accept only the expected form.
//!
//! **Source**: `nvidia-smi --help-query-gpu`; its manual page and users' reports show words in brackets, such as `[N/A]`, in place of
//! numbers.

use std::collections::BTreeMap;

use super::{Card, CardId, Maker, Memory, Process};

/// Most characters of an answer that are shown to people.
const SHOWN: usize = 200;

/// Cards from rows of `index,uuid,memory.used,memory.total[,mig.mode.current]`, the numbers of divided cards, and what is wrong with the
/// answer as a whole. A row that cannot be read gives no card.
pub(super) fn cards(bytes: &[u8]) -> (BTreeMap<CardId, Card>, Vec<u32>, Option<String>) {
    let text = String::from_utf8_lossy(bytes);
    let mut cards = BTreeMap::new();
    let mut divided = Vec::new();
    let mut problem = None;
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let fields: Vec<&str> = line.split(',').map(str::trim).collect();
        let index = fields.first().and_then(|index| index.parse::<u32>().ok());
        let (Some(index), [_, uuid, used, total] | [_, uuid, used, total, _]) =
            (index, fields.as_slice())
        else {
            problem.get_or_insert_with(|| format!("nvidia-smi says \"{}\"", shown(line)));
            continue;
        };
        let card = Card {
            uuid: plain(uuid).then(|| String::from(*uuid)),
            memory: memory(used, total),
            of: None,
            maker: Maker::Nvidia,
        };
        if fields.get(4) == Some(&"Enabled") {
            divided.push(index);
        }
        let id = CardId::whole(index);
        if cards.insert(id, card).is_some() {
            cards.insert(id, Card::unknown("nvidia-smi lists it twice"));
        }
    }
    (cards, divided, problem)
}

fn memory(used: &str, total: &str) -> Memory {
    match (used.parse::<u64>(), total.parse::<u64>()) {
        (Ok(used), Ok(total)) if used <= total && total > 0 => Memory::Known { used, total },
        _ => {
            let (used, total) = (shown(used), shown(total));
            Memory::Unknown(format!("nvidia-smi says \"{used}\" of \"{total}\" MiB"))
        }
    }
}

/// Whether this can be the UUID of a card.
fn plain(uuid: &str) -> bool {
    uuid.starts_with("GPU-") && is_name(uuid)
}

/// Whether this can be the name of a lease.
pub(super) fn is_name(text: &str) -> bool {
    let mut bytes = text.bytes();
    bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

/// Processes from rows of `gpu_uuid,pid,used_memory`; `None` if a row cannot be read.
pub(super) fn processes(bytes: &[u8]) -> Option<Vec<Process>> {
    let text = str::from_utf8(bytes).ok()?;
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    let processes = lines.map(|line| {
        let mut fields = line.split(',').map(str::trim);
        let (uuid, pid, used) = (fields.next()?, fields.next()?, fields.next()?);
        Some(Process {
            uuid: String::from(uuid),
            pid: pid.parse().ok()?,
            used: used.parse().ok(),
        })
    });
    processes.collect()
}

/// UUIDs of slices by card and slice, from `nvidia-smi -L`: after the line of a card, one line for each of its slices.
pub(super) fn names(bytes: &[u8]) -> BTreeMap<CardId, String> {
    let text = String::from_utf8_lossy(bytes);
    let mut names = BTreeMap::new();
    let mut card = None;
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("GPU ") {
            let index = rest.split_once(':').map(|(index, _)| index);
            card = index.and_then(|index| index.parse::<u32>().ok());
        } else if let (Some(card), Some(rest)) = (card, line.trim_start().strip_prefix("MIG "))
            && let Some((profile, uuid)) = rest.rsplit_once("(UUID: ")
            && let Some((_, device)) = profile.rsplit_once("Device")
            && let Ok(device) = device.trim().trim_end_matches(':').parse()
        {
            let uuid = uuid.trim_end().trim_end_matches(')');
            names.insert(CardId::slice(card, device), String::from(uuid));
        }
    }
    names
}

/// The slices of one card in `nvidia-smi -q -x`.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Slices {
    /// Memory by the number of the slice.
    pub(super) memory: BTreeMap<u32, Memory>,
    /// Processes: number of the slice, process id, MiB in use.
    pub(super) processes: Vec<(u32, i32, Option<u64>)>,
}

/// Slices by the UUID of their card; `None` if this is not such a document.
///
/// **Source**: `nvidia-smi -q -x` (its DTD is `nvsmi_device_v12`): `gpu/uuid`, `gpu/mig_devices/mig_device` with `index`, `gpu_instance_id`,
/// `compute_instance_id` and `fb_memory_usage`; `gpu/processes/process_info` with the same two instances.
pub(super) fn slices(bytes: &[u8]) -> Option<BTreeMap<String, Slices>> {
    let text = str::from_utf8(bytes).ok()?;
    let options = roxmltree::ParsingOptions {
        allow_dtd: true,
        nodes_limit: MOST_NODES,
        ..roxmltree::ParsingOptions::default()
    };
    let document = roxmltree::Document::parse_with_options(text, options).ok()?;
    let root = document.root_element();
    if !root.has_tag_name("nvidia_smi_log") {
        return None;
    }
    let cards = elements(root, "gpu").filter_map(|gpu| {
        let mut slices = Slices::default();
        let mut instances = BTreeMap::new();
        let devices = element(gpu, "mig_devices").into_iter();
        for device in devices.flat_map(|all| elements(all, "mig_device")) {
            let index: u32 = value(device, "index")?.parse().ok()?;
            instances.insert(instance(device)?, index);
            let used = element(device, "fb_memory_usage");
            let mib = |name| used.and_then(|used| value(used, name)).map(without_unit);
            let [used, total] = ["used", "total"].map(|name| mib(name).unwrap_or("nothing"));
            slices.memory.insert(index, memory(used, total));
        }
        let processes = element(gpu, "processes").into_iter();
        for process in processes.flat_map(|all| elements(all, "process_info")) {
            let slice = instance(process).and_then(|at| instances.get(&at));
            let pid = value(process, "pid").and_then(|pid| pid.parse().ok());
            if let (Some(slice), Some(pid)) = (slice, pid) {
                let used = value(process, "used_memory").map(without_unit);
                let used = used.and_then(|used| used.parse().ok());
                slices.processes.push((*slice, pid, used));
            }
        }
        Some((String::from(value(gpu, "uuid")?), slices))
    });
    Some(cards.collect())
}

/// Limit for the parser. The document has about 600 nodes for a card with seven slices.
const MOST_NODES: u32 = 1_000_000;

type Xml<'a> = roxmltree::Node<'a, 'a>;

fn elements<'a>(node: Xml<'a>, name: &'static str) -> impl Iterator<Item = Xml<'a>> {
    let children = node.children();
    children.filter(move |child| child.has_tag_name(name))
}

fn element<'a>(node: Xml<'a>, name: &'static str) -> Option<Xml<'a>> {
    elements(node, name).next()
}

fn value<'a>(node: Xml<'a>, name: &'static str) -> Option<&'a str> {
    element(node, name)?.text().map(str::trim)
}

/// The number of the GPU instance, and of the compute instance in it.
fn instance(node: Xml<'_>) -> Option<(u32, u32)> {
    let number = |name| value(node, name)?.parse().ok();
    Some((number("gpu_instance_id")?, number("compute_instance_id")?))
}

fn without_unit(text: &str) -> &str {
    text.strip_suffix("MiB").unwrap_or(text).trim_end()
}

/// The first line that is not blank, shortened and without control characters.
pub(super) fn shown(text: &str) -> String {
    let line = text.lines().find(|line| !line.trim().is_empty());
    let line = line.unwrap_or_default().trim().chars();
    line.filter(|char| !char.is_control()).take(SHOWN).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(used: u64, total: u64) -> Memory {
        Memory::Known { used, total }
    }

    #[test]
    fn rows_are_read_and_what_is_no_number_is_unknown() {
        let text = "0, GPU-5c1c2e3a-0000-1111-2222-333344445555, 3, 24576, Disabled\n\
                    1, GPU-aaaa, [N/A], 24576, [N/A]\n\
                    2, GPU-bbbb, 10, 81559, Enabled\n\
                    3, [Unknown Error], 10, 81559, [N/A]\n\
                    5, GPU-cccc, 90000, 81559\n\
                    6, GPU-dddd, ERR!, ERR!, [N/A]\n\
                    7, GPU-eeee, 1, 2\n\
                    7, GPU-ffff, 1, 2\n";
        let (cards, divided, problem) = text_cards(text);
        assert_eq!((divided, problem), (vec![2], None));
        assert_eq!(cards[&CardId::whole(0)].memory, known(3, 24576));
        assert_eq!(
            cards[&CardId::whole(0)].uuid.as_deref(),
            Some("GPU-5c1c2e3a-0000-1111-2222-333344445555")
        );
        assert_eq!(cards[&CardId::whole(2)].memory, known(10, 81559));
        assert_eq!(
            (
                cards[&CardId::whole(3)].uuid.as_ref(),
                &cards[&CardId::whole(3)].memory
            ),
            (None, &known(10, 81559))
        );
        for index in [1, 5, 6, 7] {
            assert!(
                matches!(cards[&CardId::whole(index)].memory, Memory::Unknown(_)),
                "{index}"
            );
        }
        assert_eq!(cards.len(), 7);
    }

    fn text_cards(text: &str) -> (BTreeMap<CardId, Card>, Vec<u32>, Option<String>) {
        cards(text.as_bytes())
    }

    #[test]
    fn an_answer_that_is_no_table_gives_no_card() {
        for text in [
            "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.\n",
            "No devices were found\n",
            "0, GPU-1\n",
            "0, GPU-1, 1, 2, Disabled, more\n",
            "-1, GPU-1, 1, 2, Disabled\n",
            "index, uuid, memory.used [MiB], memory.total [MiB]\n",
        ] {
            let (cards, divided, problem) = text_cards(text);
            assert!(cards.is_empty() && divided.is_empty(), "{text}");
            assert!(problem.is_some(), "{text}");
        }
        assert_eq!(text_cards(""), (BTreeMap::new(), vec![], None));
    }

    #[test]
    fn processes_are_all_read_or_none() {
        let text = b"GPU-1, 4242, 1024\nGPU-1, 4243, [N/A]\n";
        let processes = processes(text).expect("read");
        assert_eq!(processes.len(), 2);
        assert_eq!((processes[0].pid, processes[0].used), (4242, Some(1024)));
        assert_eq!(processes[1].used, None);
        assert_eq!(
            super::processes(b"GPU-1, 4242, 1\nNo running processes\n"),
            None
        );
        assert_eq!(super::processes(b""), Some(vec![]));
    }

    #[test]
    fn slices_belong_to_the_card_above_them() {
        let text = "GPU 0: NVIDIA A100-SXM4-40GB (UUID: GPU-aaaa)\n\
                    GPU 1: NVIDIA A100-SXM4-40GB (UUID: GPU-bbbb)\n  \
                    MIG 3g.20gb     Device  0: (UUID: MIG-1111)\n  \
                    MIG 1c.3g.20gb  Device 10: (UUID: MIG-GPU-bbbb/1/0)\n";
        assert_eq!(
            names(text.as_bytes()),
            BTreeMap::from([
                (CardId::slice(1, 0), String::from("MIG-1111")),
                (CardId::slice(1, 10), String::from("MIG-GPU-bbbb/1/0"))
            ])
        );
    }

    #[test]
    fn slices_have_memory_and_processes_of_their_own() {
        let device = |index, instance, used: &str, total: &str| {
            format!(
                "<mig_device><index>{index}</index><gpu_instance_id>{instance}</gpu_instance_id>\
                 <compute_instance_id>0</compute_instance_id><fb_memory_usage><total>{total}</total>\
                 <reserved>0 MiB</reserved><used>{used}</used></fb_memory_usage></mig_device>"
            )
        };
        let text = format!(
            "<?xml version=\"1.0\" ?>\n<!DOCTYPE nvidia_smi_log SYSTEM \"nvsmi_device_v12.dtd\">\n<nvidia_smi_log>\
             <gpu id=\"00000000:07:00.0\"><uuid>GPU-a</uuid><mig_devices>\n\tNone\n</mig_devices></gpu>\
             <gpu id=\"00000000:0F:00.0\"><mig_devices>{}{}</mig_devices><uuid>GPU-b</uuid><processes><process_info>\
             <gpu_instance_id>5</gpu_instance_id><compute_instance_id>0</compute_instance_id><pid>42</pid>\
             <used_memory>100 MiB</used_memory></process_info></processes></gpu></nvidia_smi_log>",
            device(0, 1, "11 MiB", "19968 MiB"),
            device(1, 5, "N/A", "N/A"),
        );
        let found = slices(text.as_bytes()).expect("read");
        assert_eq!(found["GPU-a"], Slices::default());
        assert_eq!(found["GPU-b"].memory[&0], known(11, 19968));
        assert!(matches!(found["GPU-b"].memory[&1], Memory::Unknown(_)));
        assert_eq!(found["GPU-b"].processes, [(1, 42, Some(100))]);
        assert_eq!(slices(b"<html/>"), None);
        assert_eq!(slices(b""), None);
    }

    proptest::proptest! {
        #[test]
        fn no_bytes_make_a_reader_panic(bytes in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..300)) {
            cards(&bytes);
            processes(&bytes);
            names(&bytes);
            slices(&bytes);
        }

        #[test]
        fn no_text_makes_a_reader_panic(text in "([0-9]{1,3}|GPU|MIG|UUID: |[,:()\\n ]|\\PC){0,60}") {
            cards(text.as_bytes());
            processes(text.as_bytes());
            names(text.as_bytes());
            slices(text.as_bytes());
        }
    }
}
